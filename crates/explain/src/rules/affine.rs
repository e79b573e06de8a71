//! Sums, averages and other fixed weighted sums: each input gets what it added.
//!
//! For y = Σ a_i x_i + c the rule is that of dense layers: R_i = a_i x_i R / (y + ε sign y). It asks the operation only for
//! its pull back, so it serves every operation that is affine in what carries relevance: skip connections, averages,
//! resizing. A branch that adds more gets more; c is absorbed.
//!
//! **Cost.** One pull back. Source: as for ε in `linear.rs`.

use super::linear::Times;
use super::ratio::{Layout, Ratio, Side};
use crate::rule::{Back, Call, Rule};
use crate::walk::row_sums;
use base::graph::Op;
use base::{Result, Run};

/// What each input adds, stabilised by ε.
#[derive(Debug, Clone, Copy)]
pub struct AffineRule {
    /// ε.
    pub epsilon: f64,
}

impl Rule for AffineRule {
    fn word(&self) -> &'static str {
        "norm"
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        shared(call, self.epsilon, 1.0, run)
    }
}

/// `share` · x_i ∂y/∂x_i R / (y + ε sign y) for all that carry relevance.
pub(super) fn shared(call: &Call<'_>, epsilon: f64, share: f64, run: &Run<'_>) -> Result<Back> {
    let layout = Layout::by_channel(call.relevance.shape());
    let ratio = Ratio { share: 1.0, epsilon, bias: None, layout, side: Side::Both };
    let divided = ratio.divide([call.relevance, call.output, call.output], call.rows, call.network, run)?;
    let pulled = call.pull(divided.ratios, run)?;
    let mut back = Back { lost: divided.lost, ..Back::default() };
    let mut given = vec![0.0; call.rows];
    for (x, pulled) in call.inputs.iter().zip(pulled) {
        back.inputs.push(match (x, pulled) {
            (Some(x), Some(pulled)) => {
                let relevance = call.network.each([x, &pulled], &Times { sign: share }, run)?;
                let sums = row_sums(&relevance, call.rows);
                given.iter_mut().zip(sums).for_each(|(g, s)| *g += s);
                Some(relevance)
            }
            _ => None,
        });
    }
    // A constant that is added is what neither the inputs nor the stabiliser account for.
    if matches!(call.node.op, Op::Binary(_) | Op::BatchNorm { .. }) && call.wanted.contains(&false) {
        let arrived = row_sums(call.relevance, call.rows);
        back.absorbed = (0..call.rows).map(|i| arrived[i] - back.lost[i] - given[i]).collect();
    }
    Ok(back)
}
