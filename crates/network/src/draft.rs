//! A graph in the making: sources come back as parts are added.

use base::Result;
use base::graph::{Element, Graph, GraphInput, Node, Op, Source, Tensor, Weight};

/// A graph that grows part by part, each used only after it was added.
#[derive(Debug, Default)]
pub struct Draft {
    inputs: Vec<GraphInput>,
    weights: Vec<Weight>,
    nodes: Vec<Node>,
}

impl Draft {
    /// An input of rows of so many numbers.
    pub fn rows(&mut self, name: &str, element: Element, columns: usize) -> Source {
        self.input(name, element, vec![None, Some(columns)])
    }

    /// An input of these sizes; none where any will do.
    pub fn input(&mut self, name: &str, element: Element, shape: Vec<Option<usize>>) -> Source {
        self.inputs.push(GraphInput { name: name.into(), element, shape });
        Source::Input(self.inputs.len() - 1)
    }

    /// Numbers that training may change.
    pub fn weight(&mut self, name: &str, tensor: Tensor) -> Source {
        self.put(name, tensor, true)
    }

    /// Numbers that stay.
    pub fn constant(&mut self, name: &str, tensor: Tensor) -> Source {
        self.put(name, tensor, false)
    }

    /// An operation of one output on what was added before.
    pub fn node(&mut self, name: &str, op: Op, inputs: &[Source]) -> Source {
        let inputs = inputs.iter().copied().map(Some).collect();
        self.nodes.push(Node { name: name.into(), op, inputs, outputs: 1 });
        Source::Node(self.nodes.len() - 1, 0)
    }

    /// The graph with this one output.
    pub fn graph(self, name: &str, output: Source) -> Result<Graph> {
        Graph::new(self.inputs, self.weights, self.nodes, vec![(name.into(), output)])
    }

    fn put(&mut self, name: &str, tensor: Tensor, trained: bool) -> Source {
        self.weights.push(Weight { name: name.into(), tensor, trained });
        Source::Weight(self.weights.len() - 1)
    }
}
