//! Soft minima and maxima: each element gets its share of the pool.
//!
//! R_j = p_j R with p = softmax(∓h) for log-sum-exp and h⁻¹ / Σ h⁻¹ for the harmonic mean. Deep Taylor gives this at the
//! root h − o of the first and at 0 of the second. Nothing is kept.

use crate::rule::{Back, Call, Rule};
use base::graph::{Op, SoftPooling, Tensor};
use base::{Result, Run};

/// Shares of a soft pool.
#[derive(Debug, Clone, Copy)]
pub struct SoftPoolRule;

impl Rule for SoftPoolRule {
    fn word(&self) -> &'static str {
        "share"
    }

    fn back(&self, call: &Call<'_>, _: &Run<'_>) -> Result<Back> {
        let Op::SoftPool { pooling } = call.node.op else { return Err(call.refuse("it is not a soft pooling")) };
        let h = call.input(0)?;
        let mut shares = h.to_f64();
        let columns = h.shape().get(1).copied().unwrap_or(1).max(1);
        for (line, r) in shares.chunks_exact_mut(columns).zip(call.relevance.to_f64()) {
            match pooling {
                SoftPooling::Harmonic => {
                    // At an element of 0 all is its own.
                    let zeros = line.iter().filter(|h| **h == 0.0).count();
                    let weigh = |h: f64| match zeros {
                        0 => 1.0 / h,
                        _ => f64::from(u8::from(h == 0.0)),
                    };
                    line.iter_mut().for_each(|h| *h = weigh(*h));
                }
                SoftPooling::MinLogSumExp | SoftPooling::MaxLogSumExp => {
                    let sign = if pooling == SoftPooling::MinLogSumExp { -1.0 } else { 1.0 };
                    let top = line.iter().map(|h| sign * h).fold(f64::NEG_INFINITY, f64::max);
                    line.iter_mut().for_each(|h| *h = (sign * *h - top).exp());
                }
            }
            let sum: f64 = line.iter().sum();
            line.iter_mut().for_each(|p| *p *= r / sum);
        }
        Ok(Back { inputs: call.one(0, Tensor::f64(h.shape(), shares)?), ..Back::default() })
    }
}
