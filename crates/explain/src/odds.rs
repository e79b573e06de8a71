//! Two-class scores that are half the log-odds each, told as log-odds.
//!
//! Where the two scores of a classifier are w·x + b and −(w·x + b) and its probabilities their softmax, the log-odds of a
//! class are twice its score. That is the number people know from coefficients, so attributions are doubled.

use crate::net::Net;
use base::graph::{Op, Source};
use base::{Link, Machine, Meaning, Points, Relevance, Result};

/// Whether each score of a machine with that network is half the log-odds of its class.
pub(crate) fn are_halves(machine: &dyn Machine, net: &Net) -> bool {
    let outputs = machine.outputs();
    if outputs.meaning != Meaning::Classes || outputs.names.len() != 2 || outputs.link != Link::Softmax {
        return false;
    }
    let graph = net.network.graph();
    let Source::Node(last, _) = net.start else { return false };
    let node = &graph.nodes()[last];
    let Op::Dense { transposed } = node.op else { return false };
    let weight = |place: usize| match node.inputs.get(place).copied().flatten() {
        Some(Source::Weight(w)) => Some(graph.weights()[w].tensor.to_f64()),
        _ => None,
    };
    let Some(weights) = weight(1) else { return false };
    let half = weights.len() / 2;
    let opposite = match transposed {
        true => (0..half).all(|i| weights[i] == -weights[half + i]),
        false => weights.chunks_exact(2).all(|pair| pair[0] == -pair[1]),
    };
    let offset = match node.inputs.get(2).copied().flatten() {
        None => true,
        Some(_) => weight(2).is_some_and(|b| matches!(b[..], [a, b] if a == -b)),
    };
    opposite && offset
}

/// Attributions of the log-odds from those of half of them, by a method whose attributions grow with the score to the power
/// of `degree`.
pub(crate) fn doubled(relevance: &Relevance, degree: i32) -> Result<Relevance> {
    let factor = 2f64.powi(degree);
    let (rows, columns) = (relevance.values.len(), relevance.values.columns());
    let mut values = vec![0.0; rows * columns];
    for (i, line) in values.chunks_exact_mut(columns.max(1)).enumerate() {
        relevance.values.write_row(i, line);
    }
    values.iter_mut().for_each(|v| *v *= factor);
    let mut told = Relevance { values: Points::dense(values, rows, columns)?, ..relevance.clone() };
    for b in told.balance.iter_mut().flatten() {
        (b.score, b.sum) = (2.0 * b.score, 2.0 * b.sum);
        (b.absorbed, b.lost) = (2.0 * b.absorbed, 2.0 * b.lost);
    }
    Ok(told)
}
