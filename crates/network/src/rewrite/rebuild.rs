//! A graph put together again after sources were replaced: what nobody uses any more goes.

use base::Result;
use base::graph::{Graph, GraphInput, Node, Source, Weight};
use std::collections::HashMap;

/// A graph taken apart, to be changed.
pub(super) struct Parts {
    pub inputs: Vec<GraphInput>,
    pub weights: Vec<Weight>,
    pub nodes: Vec<Node>,
    pub outputs: Vec<(String, Source)>,
    /// Which source stands for which; the new one comes earlier, so that ways end.
    replaced: HashMap<Source, Source>,
}

impl Parts {
    pub fn of(graph: &Graph) -> Self {
        let (inputs, weights, nodes, outputs) = graph.clone().into_parts();
        Parts { inputs, weights, nodes, outputs, replaced: HashMap::new() }
    }

    /// From now on `new` stands for `old`.
    pub fn replace(&mut self, old: Source, new: Source) {
        self.replaced.insert(old, self.now(new));
    }

    /// What stands for a source.
    pub fn now(&self, mut source: Source) -> Source {
        while let Some(next) = self.replaced.get(&source) {
            source = *next;
        }
        source
    }

    /// What stands for an input of a node, if it is there.
    pub fn input(&self, node: usize, i: usize) -> Option<Source> {
        self.nodes[node].inputs.get(i).copied().flatten().map(|s| self.now(s))
    }

    /// The weight that goes into a node there, if it is one.
    pub fn weight(&self, node: usize, i: usize) -> Option<&Weight> {
        match self.input(node, i) {
            Some(Source::Weight(w)) => self.weights.get(w),
            _ => None,
        }
    }

    /// A new weight.
    pub fn add(&mut self, weight: Weight) -> Source {
        self.weights.push(weight);
        Source::Weight(self.weights.len() - 1)
    }

    /// Which nodes use each source, as often as they do; outputs count as the node after the last.
    pub fn users(&self) -> HashMap<Source, Vec<usize>> {
        let mut users: HashMap<Source, Vec<usize>> = HashMap::new();
        let mut put = |source: Source, user: usize| users.entry(self.now(source)).or_default().push(user);
        for (i, node) in self.nodes.iter().enumerate() {
            node.inputs.iter().flatten().for_each(|source| put(*source, i));
        }
        self.outputs.iter().for_each(|(_, source)| put(*source, self.nodes.len()));
        users
    }

    /// Whether just one node that leads to an output, or one output, uses a source.
    pub fn is_alone(&self, source: Source) -> bool {
        let live = self.live();
        let used = |user: &usize| live.get(*user).copied().unwrap_or(true);
        self.users().get(&self.now(source)).is_some_and(|users| users.iter().filter(|u| used(u)).count() == 1)
    }

    /// Whether each node leads to an output.
    fn live(&self) -> Vec<bool> {
        let mut live = vec![false; self.nodes.len()];
        let mark = |live: &mut Vec<bool>, source: Source| {
            if let Source::Node(i, _) = self.now(source) {
                live[i] = true;
            }
        };
        self.outputs.iter().for_each(|(_, source)| mark(&mut live, *source));
        for i in (0..self.nodes.len()).rev() {
            if live[i] {
                self.nodes[i].inputs.iter().flatten().for_each(|source| mark(&mut live, *source));
            }
        }
        live
    }

    /// The graph with what stands for what, without nodes and weights that nobody uses.
    pub fn graph(mut self) -> Result<Graph> {
        let live = self.live();
        let used = self.users();
        let by_live = |users: &Vec<usize>| users.iter().any(|&user| live.get(user).copied().unwrap_or(true));
        let kept = |keep: &[bool]| -> Vec<usize> {
            keep.iter().scan(0, |next, keep| Some((*next, *next += usize::from(*keep)).0)).collect()
        };
        let weighed: Vec<bool> =
            (0..self.weights.len()).map(|i| used.get(&Source::Weight(i)).is_some_and(by_live)).collect();
        let (node_at, weight_at) = (kept(&live), kept(&weighed));
        let renamed = |source: Source| match self.now(source) {
            Source::Weight(i) => Source::Weight(weight_at[i]),
            Source::Node(i, port) => Source::Node(node_at[i], port),
            input => input,
        };
        let outputs = self.outputs.iter().map(|(name, source)| (name.clone(), renamed(*source))).collect();
        let mut nodes: Vec<Node> = vec![];
        for (node, _) in self.nodes.iter().zip(&live).filter(|(_, live)| **live) {
            let inputs = node.inputs.iter().map(|s| s.map(renamed)).collect();
            nodes.push(Node { inputs, ..node.clone() });
        }
        let weights = std::mem::take(&mut self.weights);
        let weights = weights.into_iter().zip(weighed).filter(|(_, used)| *used).map(|(weight, _)| weight).collect();
        Graph::new(self.inputs, weights, nodes, outputs)
    }
}
