//! Functions of each element that are not 0 at 0: exponentials, reciprocals and powers, of which kernels are made.
//!
//! A kernel value says how near a point is. Compared with the point itself, where what goes in is 0 but for a constant z0
//! that was added (K = 1 for a Gaussian, 1/a for t-Student), it is lowered by distance, and that is what distance is given:
//!
//! R_z = R (f(z) − f(z0)) / f(z) · z / (z − z0), the rest, R f(z0) / f(z) in the end, is absorbed.
//!
//! The factor z / (z − z0) is taken back by the sum z = x + z0 before it, of which x gets its share x / z. For an expansion
//! Σ α_i K(x, u_i) + b each variable so gets −Σ α_i (K(u_i, u_i) − K(x, u_i)) (x_j − u_ij)² / ‖x − u_i‖²: what is far from
//! points of the other side speaks for, what is far from points of its own side against. With f(z) = z^p and z0 = 0 all
//! passes. **Limits.** Where f(z) is 0 in double precision, nothing goes back; z0 must be one number, and f finite there.
//! Source: the rescale rule of A. Shrikumar et al., *Learning important features through propagating activation
//! differences*, 2017, with the point itself as the reference.

use crate::rule::{Back, Call, Rule};
use base::graph::{Binary, Op, Source, Tensor, Unary};
use base::{Result, Run};

/// The change from where what carries relevance is 0.
#[derive(Debug, Clone, Copy)]
pub struct CurveRule;

/// A function of each element.
enum Curve {
    Exp,
    Reciprocal,
    Power(f64),
}

impl Curve {
    fn of(call: &Call<'_>) -> Result<Self> {
        match call.node.op {
            Op::Unary(Unary::Exp) => Ok(Curve::Exp),
            Op::Unary(Unary::Reciprocal) => Ok(Curve::Reciprocal),
            Op::Binary(Binary::Pow) => match call.input(1)?.to_f64()[..] {
                [power] if power > 0.0 => Ok(Curve::Power(power)),
                _ => Err(call.refuse("the power must be one constant above 0")),
            },
            _ => Err(call.refuse("it is not an exponential, reciprocal or power")),
        }
    }

    /// R_z / R, written so that nothing cancels; `y` is f(z).
    fn share(&self, z: f64, y: f64, z0: f64) -> f64 {
        let u = z - z0;
        match *self {
            Curve::Exp => {
                let slope = if u == 0.0 { 1.0 } else { u.exp_m1() / u };
                z * slope * (z0.exp() / y)
            }
            Curve::Reciprocal => -z / z0,
            Curve::Power(_) if z0 == 0.0 => 1.0,
            Curve::Power(p) => {
                let t = z0 / z;
                if t == 1.0 { p } else { (1.0 - t.powf(p)) / (1.0 - t) }
            }
        }
    }

    /// Whether there is something to compare with: a finite f(z0).
    fn begins_at(&self, z0: f64) -> bool {
        let begin = match *self {
            Curve::Exp => z0.exp(),
            Curve::Reciprocal => 1.0 / z0,
            Curve::Power(p) => z0.powf(p),
        };
        begin.is_finite()
    }
}

/// The constant that was added to what carries relevance, 0 if none was; none if it is not one number.
fn added(call: &Call<'_>) -> Option<f64> {
    let graph = call.network.graph();
    let Some(Source::Node(before, _)) = call.node.inputs[0] else { return Some(0.0) };
    let node = &graph.nodes()[before];
    let constant = |place: usize| match node.inputs.get(place).copied().flatten() {
        Some(Source::Weight(w)) => Some(graph.weights()[w].tensor.to_f64()),
        _ => None,
    };
    let (numbers, sign) = match node.op {
        Op::Binary(Binary::Add) => (constant(0).or_else(|| constant(1)), 1.0),
        Op::Binary(Binary::Sub) if constant(1).is_some() => (constant(1), -1.0),
        Op::Binary(Binary::Sub) => (constant(0), 1.0),
        _ => (None, 1.0),
    };
    match numbers {
        None => Some(0.0),
        Some(numbers) => numbers.first().copied().filter(|n| numbers.iter().all(|m| m == n)).map(|n| sign * n),
    }
}

impl Rule for CurveRule {
    fn word(&self) -> &'static str {
        "change"
    }

    fn back(&self, call: &Call<'_>, _: &Run<'_>) -> Result<Back> {
        if call.only()? != 0 {
            return Err(call.refuse("only what is bent may carry relevance"));
        }
        let curve = Curve::of(call)?;
        let Some(z0) = added(call).filter(|z0| curve.begins_at(*z0)) else {
            return Err(call.refuse("there is no single finite value to compare with where what goes in is 0"));
        };
        let (z, y, mut relevance) = (call.input(0)?.to_f64(), call.output.to_f64(), call.relevance.to_f64());
        if z.len() != relevance.len() {
            return Err(call.refuse("the power widens it"));
        }
        let width = (relevance.len() / call.rows.max(1)).max(1);
        let mut absorbed = vec![0.0; call.rows];
        for (i, r) in relevance.iter_mut().enumerate() {
            let arrived = *r;
            *r = if arrived == 0.0 || y[i] == 0.0 { 0.0 } else { arrived * curve.share(z[i], y[i], z0) };
            absorbed[(i / width).min(call.rows.saturating_sub(1))] += arrived - *r;
        }
        let relevance = Tensor::f64(call.relevance.shape(), relevance)?;
        Ok(Back { inputs: call.one(0, relevance), absorbed, lost: vec![] })
    }
}
