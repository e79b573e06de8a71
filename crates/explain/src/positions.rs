//! Where nodes stand: on the way or not, first or last, how much they see, and whether they can be below 0.
//!
//! The receptive field grows with every window by (kernel − 1) · dilation · jump, where the jump is the product of the
//! strides before it; of several ways the widest counts. A node is known to be non-negative if its operation makes it so
//! or keeps it so. What comes of a node is measured if every way from it leads, over factors and moves alone, to a size, a
//! sum of squares or a length.

use crate::rule::Spot;
use base::graph::{Class, Graph, Node, Op, Pooling, Source, Unary, Window};

/// What is known of the nodes between where an explanation is told and what it explains.
pub(crate) struct Positions {
    /// For each node whether it depends on an end of the walk.
    pub leads: Vec<bool>,
    /// For each node which of its inputs carry relevance.
    pub wanted: Vec<Vec<bool>>,
    first: Vec<bool>,
    last: Vec<bool>,
    field: Vec<usize>,
    nonnegative: Vec<bool>,
    measured: Vec<bool>,
}

impl Positions {
    /// The positions for walks from `start` to `ends`.
    pub fn of(graph: &Graph, start: Source, ends: &[Source]) -> Self {
        let nodes = graph.nodes();
        let mut leads: Vec<bool> = vec![];
        let mut wanted: Vec<Vec<bool>> = vec![];
        for (i, node) in nodes.iter().enumerate() {
            let through = |s: &Option<Source>| {
                s.is_some_and(|s| ends.contains(&s) || matches!(s, Source::Node(j, _) if leads[j]))
            };
            let own: Vec<bool> = node.inputs.iter().map(through).collect();
            // What lies at an end itself is where the walk stops.
            let stops = (0..node.outputs).any(|port| ends.contains(&Source::Node(i, port)));
            // Sizes say nothing of the numbers they are of, so nothing goes back through them.
            leads.push(own.contains(&true) && !stops && !matches!(node.op, Op::Shape { .. }));
            wanted.push(own);
        }
        let weighted: Vec<bool> = (0..nodes.len())
            .map(|i| leads[i] && matches!(nodes[i].op.class(&wanted[i]), Class::Dense | Class::Convolution))
            .collect();
        // Whether a layer with weights lies before each node, and after it.
        let mut before = vec![false; nodes.len()];
        let (mut field, mut jump) = (vec![1usize; nodes.len()], vec![1usize; nodes.len()]);
        for (i, node) in nodes.iter().enumerate() {
            let carried = node.inputs.iter().zip(&wanted[i]).filter(|(_, w)| **w);
            for (source, _) in carried {
                if let Some(Source::Node(j, _)) = source
                    && leads[*j]
                {
                    // Centres are weights too, with a rule of their own.
                    before[i] |= before[*j] || weighted[*j] || matches!(nodes[*j].op, Op::Distance { .. });
                    field[i] = field[i].max(field[*j]);
                    jump[i] = jump[i].max(jump[*j]);
                }
            }
            if let Op::Conv { window, .. } | Op::Pool { window, .. } = &node.op {
                let (reach, stride) = step(window);
                field[i] = field[i].saturating_add(reach.saturating_mul(jump[i]));
                jump[i] = jump[i].saturating_mul(stride);
            }
        }
        let mut after = vec![false; nodes.len()];
        let mut towards = vec![false; nodes.len()];
        if let Source::Node(i, _) = start {
            towards[i] = true;
        }
        for i in (0..nodes.len()).rev().filter(|&i| leads[i]) {
            if !towards[i] {
                continue;
            }
            for (source, _) in nodes[i].inputs.iter().zip(&wanted[i]).filter(|(_, w)| **w) {
                if let Some(Source::Node(j, _)) = source {
                    towards[*j] = true;
                    after[*j] |= after[i] || weighted[i];
                }
            }
        }
        let first = (0..nodes.len()).map(|i| weighted[i] && !before[i]).collect();
        let last = (0..nodes.len()).map(|i| weighted[i] && towards[i] && !after[i]).collect();
        let measured = measured(nodes, &wanted, &leads);
        Positions { leads, wanted, first, last, field, nonnegative: nonnegative(graph), measured }
    }

    /// A node as conditions see it.
    pub fn spot<'a>(&'a self, graph: &'a Graph, i: usize) -> Spot<'a> {
        let (first, last, field) = (self.first[i], self.last[i], self.field[i]);
        let (node, wanted, measured) = (&graph.nodes()[i], &self.wanted[i][..], self.measured[i]);
        Spot { graph, place: i, node, wanted, first, last, field, measured }
    }

    /// For each input of a node whether it is known to have no number below 0.
    pub fn nonnegative(&self, node: &Node) -> Vec<bool> {
        let known = |s: &Option<Source>| matches!(s, Some(Source::Node(j, _)) if self.nonnegative[*j]);
        node.inputs.iter().map(known).collect()
    }
}

/// How far a window reaches beyond one element, and by how much it moves, along the first axis.
fn step(window: &Window) -> (usize, usize) {
    let at = |list: &[usize], other: usize| list.first().copied().unwrap_or(other);
    let reach = at(&window.kernel, 1).saturating_sub(1).saturating_mul(at(&window.dilations, 1));
    (reach, at(&window.strides, 1))
}

/// For each node whether all that comes of it is measured; what nothing comes of is not.
fn measured(nodes: &[Node], wanted: &[Vec<bool>], leads: &[bool]) -> Vec<bool> {
    // None: nobody has asked yet.
    let mut found: Vec<Option<bool>> = vec![None; nodes.len()];
    for i in (0..nodes.len()).rev().filter(|&i| leads[i]) {
        let node = &nodes[i];
        let takes = match node.op.class(&wanted[i]) {
            Class::Measure => true,
            Class::Scale | Class::Moved => found[i] == Some(true),
            // Without a bias a layer keeps the place of 0.
            Class::Dense => node.inputs.get(2).copied().flatten().is_none() && found[i] == Some(true),
            _ => node.op == Op::Unary(Unary::Abs),
        };
        for source in node.inputs.iter().zip(&wanted[i]).filter(|(_, w)| **w).filter_map(|(s, _)| *s) {
            if let Source::Node(j, _) = source {
                found[j] = Some(found[j].unwrap_or(true) && takes);
            }
        }
    }
    found.into_iter().map(|f| f == Some(true)).collect()
}

fn nonnegative(graph: &Graph) -> Vec<bool> {
    let mut known: Vec<bool> = vec![];
    for node in graph.nodes() {
        let of = |i: usize| matches!(node.inputs.get(i), Some(Some(Source::Node(j, _))) if known[*j]);
        let found = match &node.op {
            Op::Unary(Unary::Relu | Unary::Sigmoid | Unary::HardSigmoid(..) | Unary::Softplus | Unary::Abs) => true,
            Op::Unary(Unary::Exp) | Op::Distance { .. } => true,
            Op::Unary(Unary::ThresholdedRelu(a)) => *a >= 0.0,
            Op::Softmax { log: false, .. } => true,
            Op::Unary(Unary::Identity) | Op::Dropout { .. } | Op::Reshape { .. } | Op::Flatten { .. } => of(0),
            Op::Squeeze { .. } | Op::Unsqueeze { .. } | Op::Transpose { .. } | Op::Slice | Op::Split { .. } => of(0),
            Op::Pool { pooling, .. } => of(0) && !matches!(pooling, Pooling::Lp(_)),
            Op::Concat { .. } => (0..node.inputs.len()).all(of),
            Op::Binary(base::graph::Binary::Add | base::graph::Binary::Mul) => of(0) && of(1),
            _ => false,
        };
        known.push(found);
    }
    known
}
