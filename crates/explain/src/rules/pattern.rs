//! Patterns in the place of weights: what comes back is projected on what the layer reads out, not on how it reads.
//!
//! r_i = Σ_k a_ik r_k (PatternNet), or with w ∘ a in the place of a (PatternAttribution), where a_k is the pattern of
//! output k: the direction in which the inputs move with it. Rectifiers let pass what they let pass forward; maxima go to
//! the winner. With wᵀa = 1 each layer of PatternAttribution keeps what it gets.
//!
//! **Cost.** One pull back a layer. Source: P.-J. Kindermans et al., *Learning how to explain neural networks*, ICLR 2018.

use crate::rule::{Back, Call, Rule};
use base::graph::Tensor;
use base::{Result, Run};
use std::collections::HashMap;
use std::sync::Arc;

/// Layers with patterns, by the place of their node.
#[derive(Debug, Clone)]
pub struct PatternRule {
    /// What stands in the place of each layer's weights: patterns, or weights times patterns.
    pub instead: Arc<HashMap<usize, Tensor>>,
}

impl Rule for PatternRule {
    fn word(&self) -> &'static str {
        "pattern"
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let x = call.only()?;
        let Some(pattern) = self.instead.get(&call.place) else {
            return Err(call.refuse("no pattern was fitted for it"));
        };
        let mut inputs = call.inputs.to_vec();
        let place = if x == 0 { 1 } else { 0 };
        inputs[place] = Some(pattern);
        let gradients = [Some(call.relevance.clone())];
        let pulled = call.network.pull_back(&call.node.op, &inputs, &[], &gradients, call.wanted, run)?;
        Ok(Back { inputs: pulled, ..Back::default() })
    }
}
