//! A graph: inputs, weights, nodes in order, outputs.

use super::op::Op;
use super::{Element, Tensor};
use crate::{Error, Result};

/// A network as a description.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    inputs: Vec<GraphInput>,
    weights: Vec<Weight>,
    nodes: Vec<Node>,
    outputs: Vec<(String, Source)>,
}

/// What goes into a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphInput {
    /// Its name.
    pub name: String,
    /// The type of its numbers.
    pub element: Element,
    /// Its sizes; none where any will do, as the rows of a batch.
    pub shape: Vec<Option<usize>>,
}

/// Numbers the graph carries.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// Its name.
    pub name: String,
    /// The numbers.
    pub tensor: Tensor,
    /// Whether training may change them.
    pub trained: bool,
}

/// An operation on what comes from elsewhere in the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its name, unique in the graph.
    pub name: String,
    /// What it does.
    pub op: Op,
    /// What goes in, in the order the operation says; none for an optional input that is not there.
    pub inputs: Vec<Option<Source>>,
    /// How many tensors come out.
    pub outputs: usize,
}

/// Where a tensor comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// An input of the graph.
    Input(usize),
    /// A weight.
    Weight(usize),
    /// An output of an earlier node: the node and which of its outputs.
    Node(usize, usize),
}

/// The inputs, weights, nodes and outputs of a graph.
pub type GraphParts = (Vec<GraphInput>, Vec<Weight>, Vec<Node>, Vec<(String, Source)>);

impl Graph {
    /// A graph whose parts fit: every source exists and comes earlier, and operations get as many inputs as they take.
    pub fn new(
        inputs: Vec<GraphInput>,
        weights: Vec<Weight>,
        nodes: Vec<Node>,
        outputs: Vec<(String, Source)>,
    ) -> Result<Self> {
        let graph = Graph { inputs, weights, nodes, outputs };
        let mut names = std::collections::HashSet::new();
        for (i, node) in graph.nodes.iter().enumerate() {
            let wrong =
                |why: String| Err(Error::format("graph", format!("node {:?} ({}): {why}", node.name, node.op.word())));
            if !names.insert(node.name.as_str()) {
                return wrong("there is another node of that name".into());
            }
            let arity = node.op.arity();
            if node.inputs.len() < arity.least || node.inputs.len() > arity.most || node.outputs == 0 {
                return wrong(format!("{} inputs and {} outputs", node.inputs.len(), node.outputs));
            }
            if node.inputs.iter().take(arity.least).any(Option::is_none) {
                return wrong("an input that it needs is absent".into());
            }
            if let Some(source) = node.inputs.iter().flatten().find(|s| !graph.has(**s, i)) {
                return wrong(format!("{source:?} does not exist or comes later"));
            }
        }
        match graph.outputs.iter().find(|(_, source)| !graph.has(*source, graph.nodes.len())) {
            Some((name, source)) => Err(Error::format("graph", format!("output {name:?}: {source:?} does not exist"))),
            None if graph.outputs.is_empty() => Err(Error::size("outputs of a graph", "at least 1", 0)),
            None => Ok(graph),
        }
    }

    /// Whether a source exists and comes before that node.
    fn has(&self, source: Source, before: usize) -> bool {
        match source {
            Source::Input(i) => i < self.inputs.len(),
            Source::Weight(i) => i < self.weights.len(),
            Source::Node(i, port) => i < before && port < self.nodes[i].outputs,
        }
    }

    /// What goes in.
    pub fn inputs(&self) -> &[GraphInput] {
        &self.inputs
    }

    /// The numbers it carries.
    pub fn weights(&self) -> &[Weight] {
        &self.weights
    }

    /// The operations, in order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What comes out.
    pub fn outputs(&self) -> &[(String, Source)] {
        &self.outputs
    }

    /// The same graph with other numbers in a weight of the same shape and type.
    pub fn with_weight(mut self, index: usize, tensor: Tensor) -> Result<Self> {
        let Some(weight) = self.weights.get_mut(index) else {
            return Err(Error::size("weights of a graph", format!("more than {index}"), self.weights.len()));
        };
        if weight.tensor.shape() != tensor.shape() || weight.tensor.element() != tensor.element() {
            let found = format!("{} {:?}", tensor.element().word(), tensor.shape());
            let expected = format!("{} {:?}", weight.tensor.element().word(), weight.tensor.shape());
            return Err(Error::size(format!("weight {:?}", weight.name), expected, found));
        }
        weight.tensor = tensor;
        Ok(self)
    }

    /// The inputs, weights, nodes and outputs, to be changed and put together again.
    pub fn into_parts(self) -> GraphParts {
        (self.inputs, self.weights, self.nodes, self.outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Unary;
    use super::*;

    fn input() -> GraphInput {
        GraphInput { name: "x".into(), element: Element::F32, shape: vec![None, Some(2)] }
    }

    fn node(name: &str, op: Op, inputs: Vec<Option<Source>>) -> Node {
        Node { name: name.into(), op, inputs, outputs: 1 }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let relu = |from: Source| node("r", Op::Unary(Unary::Relu), vec![Some(from)]);
        let build = |nodes: Vec<Node>, out: Source| Graph::new(vec![input()], vec![], nodes, vec![("y".into(), out)]);
        assert!(build(vec![relu(Source::Input(0))], Source::Node(0, 0)).is_ok());
        assert!(build(vec![relu(Source::Input(1))], Source::Node(0, 0)).is_err());
        assert!(build(vec![relu(Source::Node(0, 0))], Source::Node(0, 0)).is_err(), "itself");
        assert!(build(vec![relu(Source::Input(0))], Source::Node(0, 1)).is_err());
        let twice = vec![relu(Source::Input(0)), relu(Source::Node(0, 0))];
        assert!(build(twice, Source::Node(1, 0)).is_err(), "same name");
        let lonely = node("d", Op::Dense { transposed: false }, vec![Some(Source::Input(0))]);
        assert!(build(vec![lonely], Source::Node(0, 0)).is_err());
        let none = node("d", Op::MatMul, vec![Some(Source::Input(0)), None]);
        assert!(build(vec![none], Source::Node(0, 0)).is_err());
        assert!(Graph::new(vec![input()], vec![], vec![], vec![]).is_err());
    }

    #[test]
    fn weights_are_replaced_by_their_like() {
        let weight = Weight { name: "w".into(), tensor: Tensor::f32([2], vec![0.0; 2]).unwrap(), trained: true };
        let graph = Graph::new(vec![], vec![weight], vec![], vec![("w".into(), Source::Weight(0))]).unwrap();
        let new = Tensor::f32([2], vec![1.0; 2]).unwrap();
        assert_eq!(graph.clone().with_weight(0, new.clone()).unwrap().weights()[0].tensor, new);
        assert!(graph.clone().with_weight(0, Tensor::f32([1], vec![1.0]).unwrap()).is_err());
        assert!(graph.with_weight(1, new).is_err());
    }
}
