//! Sums of squares, of sizes, and lengths: each element gets its share of what is measured.
//!
//! For a measure of degree p, Σ x_i ∂y/∂x_i = p y, so R_i = x_i ∂y/∂x_i R / (p y): x_i² / Σ x² for squares and lengths,
//! |x_i| / Σ |x| for sizes. Differences from a constant that are then measured pass their relevance on
//! ([`When::Measured`](crate::When::Measured)), so that a place in space, not the origin, is what is compared with.
//!
//! A softmax within a network is of this kind too, with what is left over absorbed: R_i = x_i (R_i − p_i Σ R).
//! Source: R. Achtibat et al., *AttnLRP*, ICML 2024 (softmax).

use super::affine::shared;
use crate::rule::{Back, Call, Rule};
use crate::walk::row_sums;
use base::graph::{Op, Reduction};
use base::{Result, Run};

/// Shares of a measure.
#[derive(Debug, Clone, Copy)]
pub struct MeasureRule {
    /// What stabilises the division.
    pub epsilon: f64,
}

/// The slope of a softmax times its input.
#[derive(Debug, Clone, Copy)]
pub struct SoftmaxRule;

impl Rule for MeasureRule {
    fn word(&self) -> &'static str {
        "measure"
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let degree = match call.node.op {
            Op::Reduce { reduction: Reduction::SumSquare, .. } => 2.0,
            Op::Reduce { reduction: Reduction::L1 | Reduction::L2, .. } => 1.0,
            _ => return Err(call.refuse("it measures nothing")),
        };
        shared(call, self.epsilon, 1.0 / degree, run)
    }
}

impl Rule for SoftmaxRule {
    fn word(&self) -> &'static str {
        "softmax"
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let Op::Softmax { log: false, .. } = call.node.op else { return Err(call.refuse("it is not a softmax")) };
        let mut back = shared(call, 0.0, 1.0, run)?;
        let arrived = row_sums(call.relevance, call.rows);
        let given = back.inputs.iter().flatten().map(|t| row_sums(t, call.rows)).next();
        back.absorbed = arrived.iter().zip(given.unwrap_or(vec![0.0; call.rows])).map(|(a, g)| a - g).collect();
        back.absorbed.iter_mut().zip(&back.lost).for_each(|(a, lost)| *a -= lost);
        Ok(back)
    }
}
