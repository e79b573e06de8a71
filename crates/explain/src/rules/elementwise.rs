//! Constants that are multiplied or added, element by element.
//!
//! A factor changes the unit and keeps nothing. What is added may keep something: seen from the score, relevance is
//! R = C·x + D with C the slope of the score, taken as constant. Where D > 0 the input alone would not give R, and D is
//! absorbed; where D < 0 there is a root nearer than x = 0, and all of R is the input's. So R_x = R − max(0, R − C·x).

use crate::rule::{Back, Call, Rule};
use base::graph::{Binary, Op, Tensor};
use base::{Result, Run};

/// A factor or divisor that is constant: relevance passes.
#[derive(Debug, Clone, Copy)]
pub struct ScaleRule;

/// A constant that is added: it keeps what the input alone would not give.
#[derive(Debug, Clone, Copy)]
pub struct ShiftRule;

/// The input that carries relevance, of the shape of the output.
fn carrier(call: &Call<'_>) -> Result<usize> {
    let place = call.only()?;
    match call.input(place)?.shape() == call.relevance.shape() {
        true => Ok(place),
        false => Err(call.refuse("the constant widens it")),
    }
}

impl Rule for ScaleRule {
    fn word(&self) -> &'static str {
        "pass"
    }

    fn back(&self, call: &Call<'_>, _: &Run<'_>) -> Result<Back> {
        let place = carrier(call)?;
        match call.node.op {
            Op::Binary(Binary::Mul) => {}
            Op::Binary(Binary::Div) if place == 0 => {}
            _ => return Err(call.refuse("it is not a factor")),
        }
        Ok(Back { inputs: call.one(place, call.relevance.clone()), ..Back::default() })
    }
}

impl Rule for ShiftRule {
    fn word(&self) -> &'static str {
        "shift"
    }

    fn needs_slope(&self) -> bool {
        true
    }

    fn back(&self, call: &Call<'_>, _: &Run<'_>) -> Result<Back> {
        let place = carrier(call)?;
        let sign = match call.node.op {
            Op::Binary(Binary::Add) => 1.0,
            Op::Binary(Binary::Sub) if place == 0 => 1.0,
            Op::Binary(Binary::Sub) => -1.0,
            _ => return Err(call.refuse("it is not a sum")),
        };
        let Some(slope) = call.slope else { return Err(call.refuse("the score does not depend on it")) };
        let rows = call.relevance.shape().first().copied().unwrap_or(1);
        let mut relevance = call.relevance.to_f64();
        let width = (relevance.len() / rows.max(1)).max(1);
        let mut absorbed = vec![0.0; rows];
        let along = call.input(place)?.to_f64().into_iter().zip(slope.to_f64()).map(|(x, c)| sign * c * x);
        for (i, (r, own)) in relevance.iter_mut().zip(along).enumerate() {
            let kept = (*r - own).max(0.0);
            // Not r − kept: where all is the input's, it should be so to the last digit.
            *r = r.min(own);
            absorbed[i / width] += kept;
        }
        let relevance = Tensor::f64(call.relevance.shape(), relevance)?;
        Ok(Back { inputs: call.one(place, relevance), absorbed, lost: vec![] })
    }
}
