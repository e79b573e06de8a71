//! Which numbers of a model training may change.
//!
//! ONNX does not say. Weights are those tensors of real numbers stored in the file whose every use is as a weight:
//! factor of a product, filter, bias, scale. Bounds, shapes, running means and whatever else is used otherwise stay.

use base::graph::{Binary, Node, Op, Source, Weight};

/// Marks the weights that training may change among the first `stored` ones, which come from the file.
pub(super) fn mark_trained(weights: &mut [Weight], nodes: &[Node], stored: usize) {
    let mut uses = vec![(0usize, 0usize); weights.len()];
    for node in nodes {
        for (port, source) in node.inputs.iter().enumerate() {
            if let Some(Source::Weight(w)) = source
                && let Some((all, good)) = uses.get_mut(*w)
            {
                *all += 1;
                *good += usize::from(is_weight(&node.op, port));
            }
        }
    }
    for (weight, (all, good)) in weights.iter_mut().zip(uses).take(stored) {
        weight.trained = all > 0 && all == good && weight.tensor.element().is_real();
    }
}

/// Whether what goes in there is a weight.
fn is_weight(op: &Op, port: usize) -> bool {
    match op {
        Op::Dense { .. } | Op::Conv { .. } | Op::ConvTranspose { .. } | Op::LayerNorm { .. } => port > 0,
        Op::GroupNorm { .. } | Op::Distance { .. } => port > 0,
        Op::BatchNorm { .. } => port == 1 || port == 2,
        Op::MatMul | Op::Binary(Binary::Add | Binary::Mul) => true,
        Op::Binary(Binary::Prelu) => port == 1,
        Op::Gather { .. } => port == 0,
        _ => false,
    }
}
