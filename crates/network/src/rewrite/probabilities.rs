//! How a network ends in probabilities, and the scores before them.
//!
//! | end | probabilities | scores |
//! |---|---|---|
//! | softmax z, or its logarithm | yes | z |
//! | σ(z) / Σ σ(z): one class against the rest | yes | z |
//! | (1 − σ(z), σ(z)): a single score of two classes | yes | (−z, z) |
//! | σ of a linear layer whose two columns are opposite | yes | (−z, z) |
//!
//! Identities, changes of type and shape, and a division by the sum of what sums to 1 anyway may follow. The largest stays
//! the largest, so the class does not change.

use super::rebuild::Parts;
use base::graph::{Binary, Graph, Op, Reduction, Source, Unary};
use base::{Link, Result};

/// The graph whose outputs are the scores before probabilities that were last; others stay as they are.
pub fn without_final_softmax(graph: &Graph) -> Result<Graph> {
    let mut parts = Parts::of(graph);
    for output in 0..parts.outputs.len() {
        scores_of(&mut parts, output);
    }
    parts.graph()
}

/// The graph whose outputs are those before a logistic function of each element that was last.
pub fn without_final_sigmoid(graph: &Graph) -> Result<Graph> {
    let mut parts = Parts::of(graph);
    for output in 0..parts.outputs.len() {
        let mut at = parts.now(parts.outputs[output].1);
        while let (Source::Node(i, 0), true) = (at, parts.is_alone(at)) {
            let Some(before) = parts.input(i, 0) else { break };
            match parts.nodes[i].op {
                Op::Unary(Unary::Sigmoid) => {
                    parts.replace(at, before);
                    break;
                }
                ref op if only_moves(op) => at = before,
                _ => break,
            }
        }
    }
    parts.graph()
}

/// How what comes out first becomes probabilities, by the last thing that is done to it.
pub fn final_link(graph: &Graph) -> Link {
    if graph.outputs().is_empty() {
        return Link::None;
    }
    scores_of(&mut Parts::of(graph), 0)
}

/// Replaces probabilities at an output by the scores before them; answers with what the output was.
fn scores_of(parts: &mut Parts, output: usize) -> Link {
    let mut at = parts.now(parts.outputs[output].1);
    while let (Source::Node(i, 0), true) = (at, parts.is_alone(at)) {
        let Some(before) = parts.input(i, 0) else { break };
        match parts.nodes[i].op {
            Op::Softmax { log, .. } => {
                parts.replace(at, before);
                return if log { Link::Softmax } else { Link::Identity };
            }
            Op::Unary(Unary::Sigmoid) if are_opposite(parts, before) => {
                parts.replace(at, before);
                return Link::Identity;
            }
            Op::Concat { .. } => match of_one_score(parts, i) {
                Some((first, score)) => {
                    parts.nodes[first].op = Op::Unary(Unary::Neg);
                    parts.nodes[first].inputs = vec![Some(score)];
                    parts.nodes[i].inputs[1] = Some(score);
                    return Link::Identity;
                }
                None => break,
            },
            Op::Binary(Binary::Div) if by_own_sum(parts, i) => match logistic(parts, before) {
                Some(scores) => {
                    parts.replace(at, scores);
                    return Link::Identity;
                }
                None if sums_to_one(parts, before) => {
                    parts.replace(at, before);
                    at = before;
                }
                None => break,
            },
            ref op if only_moves(op) => at = before,
            _ => break,
        }
    }
    Link::None
}

fn only_moves(op: &Op) -> bool {
    matches!(op, Op::Unary(Unary::Identity) | Op::Dropout { .. } | Op::Cast { .. })
        || matches!(op, Op::Reshape { .. } | Op::Flatten { .. } | Op::Squeeze { .. })
}

/// What goes into a logistic function that gives this.
fn logistic(parts: &Parts, source: Source) -> Option<Source> {
    match source {
        Source::Node(i, 0) if parts.nodes[i].op == Op::Unary(Unary::Sigmoid) => parts.input(i, 0),
        _ => None,
    }
}

/// Whether a linear layer gives z and −z.
fn are_opposite(parts: &Parts, source: Source) -> bool {
    let Source::Node(i, 0) = source else { return false };
    let Op::Dense { transposed } = parts.nodes[i].op else { return false };
    let Some(weights) = parts.weight(i, 1) else { return false };
    let (shape, numbers) = (weights.tensor.shape(), weights.tensor.to_f64());
    let half = numbers.len() / 2;
    let opposite = match (shape, transposed) {
        (&[2, _], true) => (0..half).all(|k| numbers[k] == -numbers[half + k]),
        (&[_, 2], false) => numbers.chunks_exact(2).all(|pair| pair[0] == -pair[1]),
        _ => false,
    };
    let offsets = match parts.input(i, 2) {
        None => true,
        Some(_) => parts.weight(i, 2).is_some_and(|b| matches!(b.tensor.to_f64()[..], [a, b] if a == -b)),
    };
    opposite && offsets
}

fn sums_to_one(parts: &Parts, source: Source) -> bool {
    let Source::Node(i, 0) = source else { return false };
    match parts.nodes[i].op {
        Op::Softmax { log, .. } => !log,
        Op::Concat { .. } => of_one_score(parts, i).is_some(),
        _ => false,
    }
}

/// For (1 − σ(z), σ(z)): the node of the difference, and z.
fn of_one_score(parts: &Parts, concat: usize) -> Option<(usize, Source)> {
    let (Some(Source::Node(first, 0)), Some(second)) = (parts.input(concat, 0), parts.input(concat, 1)) else {
        return None;
    };
    let one = parts.weight(first, 0).is_some_and(|w| w.tensor.to_f64().iter().all(|x| *x == 1.0));
    let same = parts.input(first, 1) == Some(second) && parts.nodes[concat].inputs.len() == 2;
    let alone = parts.is_alone(Source::Node(first, 0));
    match parts.nodes[first].op {
        Op::Binary(Binary::Sub) if one && same && alone => logistic(parts, second).map(|z| (first, z)),
        _ => None,
    }
}

/// Whether a division is by the sum along the last axis of what is divided (1 where that is 0).
fn by_own_sum(parts: &Parts, div: usize) -> bool {
    let Some(Source::Node(mut below, 0)) = parts.input(div, 1) else { return false };
    if parts.nodes[below].op == Op::Where {
        match parts.input(below, 2) {
            Some(Source::Node(sum, 0)) => below = sum,
            _ => return false,
        }
    }
    let sums = matches!(
        parts.nodes[below].op,
        Op::Reduce { reduction: Reduction::L1 | Reduction::Sum, keep: true, ref axes } if matches!(axes[..], [-1 | 1])
    );
    sums && parts.input(below, 0) == parts.input(div, 0)
}
