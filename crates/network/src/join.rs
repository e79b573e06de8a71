//! Nodes that a run without a tape does in one go.
//!
//! A convolution takes the zeros that a pad would put around its input as padding of its own, and brings its results
//! between the bounds of the clip or ReLU that follows while they are in registers. The numbers are the same to the
//! last bit; two passes over memory are saved. Nodes join only if nobody else looks at what lies between them.

use crate::kernel::Known;
use crate::ops::{Conv, FREE};
use base::graph::{Filling, Graph, Node, Op, Padding, Source, Unary, Window};

/// What becomes of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Role {
    /// It runs by itself.
    Own,
    /// Another node does its work.
    Absent,
    /// It does the work of others.
    Joined(Joined),
}

/// A convolution with what lies around it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Joined {
    /// The window, padding that came from elsewhere included.
    pub window: Window,
    pub groups: usize,
    /// Where its input comes from.
    pub input: Source,
    /// Bounds of its results.
    pub bounds: (f64, f64),
    /// The node whose output this is.
    pub out: usize,
}

impl Joined {
    /// The kernel that does it all.
    pub fn kernel(&self) -> Conv<'_> {
        Conv { window: &self.window, groups: self.groups, bounds: self.bounds }
    }
}

/// The roles of all nodes, given what is known of their outputs.
pub(crate) fn roles(graph: &Graph, nodes: &[Vec<Known>]) -> Vec<Role> {
    let mut roles = vec![Role::Own; graph.nodes().len()];
    let users = users(graph);
    for (i, node) in graph.nodes().iter().enumerate() {
        let (Op::Conv { window, groups }, Some(Some(input))) = (&node.op, node.inputs.first()) else { continue };
        if nodes[i].iter().all(|k| k.value.is_some()) {
            continue;
        }
        let mut joined = Joined { window: window.clone(), groups: *groups, input: *input, bounds: FREE, out: i };
        if let Source::Node(p, 0) = *input
            && users[p] == Users::One(i)
            && let Some((from, window)) = padded(&graph.nodes()[p], window, graph, nodes)
        {
            (joined.input, joined.window) = (from, window);
            roles[p] = Role::Absent;
        }
        if let Users::One(j) = users[i]
            && let Some(bounds) = bounds(&graph.nodes()[j], i, graph, nodes)
        {
            (joined.bounds, joined.out) = (bounds, j);
            roles[j] = Role::Absent;
        }
        if joined.input != *input || joined.out != i {
            roles[i] = Role::Joined(joined);
        }
    }
    roles
}

/// Who looks at the outputs of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Users {
    None,
    One(usize),
    Many,
}

fn users(graph: &Graph) -> Vec<Users> {
    let mut users = vec![Users::None; graph.nodes().len()];
    for (i, node) in graph.nodes().iter().enumerate() {
        for source in node.inputs.iter().flatten() {
            if let Source::Node(j, _) = *source {
                users[j] = if users[j] == Users::None { Users::One(i) } else { Users::Many };
            }
        }
    }
    for (_, source) in graph.outputs() {
        if let Source::Node(j, _) = *source {
            users[j] = Users::Many;
        }
    }
    users
}

/// What is known of an input of a node: numbers that cannot change between runs.
fn constant<'a>(
    node: &Node,
    input: usize,
    graph: &'a Graph,
    nodes: &'a [Vec<Known>],
) -> Option<&'a base::graph::Tensor> {
    match (*node.inputs.get(input)?)? {
        Source::Weight(w) => graph.weights().get(w).filter(|w| !w.trained).map(|w| &w.tensor),
        Source::Node(i, port) => nodes.get(i)?.get(port)?.value.as_ref(),
        Source::Input(_) => None,
    }
}

/// Bounds that a node puts on what node `from` gives, if that is all it does.
fn bounds(node: &Node, from: usize, graph: &Graph, nodes: &[Vec<Known>]) -> Option<(f64, f64)> {
    let first = *node.inputs.first()?;
    match &node.op {
        Op::Unary(Unary::Relu) => Some((0.0, f64::INFINITY)),
        Op::Clip if first == Some(Source::Node(from, 0)) => {
            let bound = |i: usize, free: f64| match node.inputs.get(i) {
                Some(Some(_)) => constant(node, i, graph, nodes)?.to_f64().first().copied(),
                _ => Some(free),
            };
            let (low, high) = (bound(1, FREE.0)?, bound(2, FREE.1)?);
            (!low.is_nan() && !high.is_nan()).then_some((low, high))
        }
        _ => None,
    }
}

/// The input of a pad that puts zeros around the space, and the window that does so itself.
fn padded(node: &Node, window: &Window, graph: &Graph, nodes: &[Vec<Known>]) -> Option<(Source, Window)> {
    let (Op::Pad { filling: Filling::Constant }, Padding::Explicit { begin, end, up: false }) =
        (&node.op, &window.padding)
    else {
        return None;
    };
    let source = (*node.inputs.first()?)?;
    let zero = match node.inputs.get(2) {
        Some(Some(_)) => constant(node, 2, graph, nodes)?.to_f64().iter().all(|&v| v == 0.0),
        _ => true,
    };
    let all_axes = node.inputs.get(3).is_none_or(Option::is_none);
    let pads = constant(node, 1, graph, nodes)?.wholes()?;
    let rank = begin.len() + 2;
    if !zero || !all_axes || pads.len() != 2 * rank {
        return None;
    }
    let (before, after) = pads.split_at(rank);
    let inner = before[..2].iter().chain(&after[..2]).all(|&n| n == 0);
    let sum = |own: &[usize], more: &[i64]| -> Option<Vec<usize>> {
        own.iter().zip(more).map(|(&a, &b)| a.checked_add(usize::try_from(b).ok()?)).collect()
    };
    let padding = Padding::Explicit { begin: sum(begin, &before[2..])?, end: sum(end, &after[2..])?, up: false };
    inner.then(|| (source, Window { padding, ..window.clone() }))
}
