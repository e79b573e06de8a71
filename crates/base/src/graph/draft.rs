//! A graph put together step by step, and graphs put one after the other.

use super::{Element, Graph, GraphInput, Node, Op, Source, Tensor, Weight};
use crate::{Error, Result};
use std::collections::HashSet;

/// A graph being put together, each part used only after it was added; with [`Draft::rows`] one input of rows in double
/// precision is there from the start.
///
/// ```
/// use pellucid_base::graph::{Binary, Draft, Op};
/// let mut draft = Draft::rows(2);
/// let weight = draft.weight("factor", &[2], vec![2.0, 3.0])?;
/// let y = draft.node("scaled", Op::Binary(Binary::Mul), &[Draft::INPUT, weight]);
/// assert_eq!(draft.graph(y)?.nodes().len(), 1);
/// # Ok::<(), pellucid_base::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Draft {
    inputs: Vec<GraphInput>,
    weights: Vec<Weight>,
    nodes: Vec<Node>,
}

impl Draft {
    /// The rows that go in.
    pub const INPUT: Source = Source::Input(0);

    /// Nothing yet but an input `x` of (rows, columns).
    pub fn rows(columns: usize) -> Self {
        let input = GraphInput { name: "x".into(), element: Element::F64, shape: vec![None, Some(columns)] };
        Draft { inputs: vec![input], weights: vec![], nodes: vec![] }
    }

    /// An input of these sizes; none where any will do.
    pub fn input(&mut self, name: &str, element: Element, shape: Vec<Option<usize>>) -> Source {
        self.inputs.push(GraphInput { name: name.into(), element, shape });
        Source::Input(self.inputs.len() - 1)
    }

    /// A tensor that training may change.
    pub fn trained(&mut self, name: &str, tensor: Tensor) -> Source {
        self.put(name, tensor, true)
    }

    /// A tensor that stays.
    pub fn constant(&mut self, name: &str, tensor: Tensor) -> Source {
        self.put(name, tensor, false)
    }

    /// Numbers the graph carries, which training may change.
    pub fn weight(&mut self, name: &str, shape: &[usize], values: Vec<f64>) -> Result<Source> {
        Ok(self.put(name, Tensor::f64(shape, values)?, true))
    }

    /// A number that stays.
    pub fn number(&mut self, name: &str, value: f64) -> Result<Source> {
        Ok(self.put(name, Tensor::f64([], vec![value])?, false))
    }

    /// Numbers that stay.
    pub fn numbers(&mut self, name: &str, values: Vec<f64>) -> Result<Source> {
        Ok(self.put(name, Tensor::f64([values.len()], values)?, false))
    }

    /// Whole numbers that stay: places, shapes.
    pub fn wholes(&mut self, name: &str, shape: &[usize], values: Vec<i64>) -> Result<Source> {
        Ok(self.put(name, Tensor::i64(shape, values)?, false))
    }

    fn put(&mut self, name: &str, tensor: Tensor, trained: bool) -> Source {
        self.weights.push(Weight { name: name.into(), tensor, trained });
        Source::Weight(self.weights.len() - 1)
    }

    /// An operation; answers where its first output is.
    pub fn node(&mut self, name: &str, op: Op, inputs: &[Source]) -> Source {
        self.node_with(name, op, inputs, 1)
    }

    /// The same with several outputs, which follow at the next ports.
    pub fn node_with(&mut self, name: &str, op: Op, inputs: &[Source], outputs: usize) -> Source {
        let inputs = inputs.iter().map(|s| Some(*s)).collect();
        self.nodes.push(Node { name: name.into(), op, inputs, outputs });
        Source::Node(self.nodes.len() - 1, 0)
    }

    /// The graph that gives what is there, by the name `y`.
    pub fn graph(self, output: Source) -> Result<Graph> {
        self.named("y", output)
    }

    /// The graph that gives what is there, by that name.
    pub fn named(self, name: &str, output: Source) -> Result<Graph> {
        Graph::new(self.inputs, self.weights, self.nodes, vec![(name.into(), output)])
    }
}

impl Graph {
    /// This graph and then another: what comes out of this one, its first output, goes into the other's only input.
    ///
    /// Names that both have get a number in the second.
    pub fn then(self, next: Graph) -> Result<Graph> {
        let [input] = next.inputs() else {
            return Err(Error::size("inputs of a graph that follows another", 1, next.inputs().len()));
        };
        let (mut inputs, mut weights, mut nodes, outputs) = self.into_parts();
        let Some((_, middle)) = outputs.first().cloned() else {
            return Err(Error::size("outputs of a graph", "at least 1", 0));
        };
        if let (Source::Input(i), [_]) = (middle, &inputs[..]) {
            // Nothing is computed before: the second graph may know more of the input.
            inputs[i] = input.clone();
        }
        let (_, more_weights, more_nodes, outputs) = next.into_parts();
        let (first_weight, first_node) = (weights.len(), nodes.len());
        let moved = |source: Source| match source {
            Source::Input(_) => middle,
            Source::Weight(i) => Source::Weight(i + first_weight),
            Source::Node(i, port) => Source::Node(i + first_node, port),
        };
        let mut names: HashSet<String> = nodes.iter().map(|n| n.name.clone()).collect();
        let mut titles: HashSet<String> = weights.iter().map(|w| w.name.clone()).collect();
        weights.extend(more_weights.into_iter().map(|w| Weight { name: fresh(w.name, &mut titles), ..w }));
        for node in more_nodes {
            let inputs = node.inputs.into_iter().map(|s| s.map(moved)).collect();
            nodes.push(Node { name: fresh(node.name, &mut names), inputs, ..node });
        }
        let outputs = outputs.into_iter().map(|(name, source)| (name, moved(source))).collect();
        Graph::new(inputs, weights, nodes, outputs)
    }
}

/// A name that is not taken yet.
fn fresh(name: String, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|k: usize| format!("{name} {k}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|n| taken.insert(n.clone()));
    free.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::super::{Binary, Unary};
    use super::*;

    #[test]
    fn graphs_follow_each_other() {
        let scaled = |factor: f64| {
            let mut draft = Draft::rows(2);
            let factor = draft.number("factor", factor).unwrap();
            let y = draft.node("scaled", Op::Binary(Binary::Mul), &[Draft::INPUT, factor]);
            draft.graph(y).unwrap()
        };
        let both = scaled(2.0).then(scaled(3.0)).unwrap().then(scaled(4.0)).unwrap();
        let names: Vec<&str> = both.nodes().iter().map(|n| n.name.as_str()).collect();
        assert_eq!(names, ["scaled", "scaled 2", "scaled 3"]);
        assert_eq!(both.nodes()[2].inputs, [Some(Source::Node(1, 0)), Some(Source::Weight(2))]);
        assert_eq!(both.outputs(), [("y".to_string(), Source::Node(2, 0))]);
        assert_eq!(both.weights()[1].name, "factor 2");
        let nothing = Draft::rows(2).graph(Draft::INPUT).unwrap();
        assert_eq!(nothing.clone().then(scaled(2.0)).unwrap(), scaled(2.0));
        assert_eq!(scaled(2.0).then(nothing).unwrap(), scaled(2.0));
        let mut draft = Draft::rows(1);
        let y = draft.node("n", Op::Unary(Unary::Neg), &[Draft::INPUT]);
        let (_, weights, nodes, outputs) = draft.graph(y).unwrap().into_parts();
        let input = |name: &str| GraphInput { name: name.into(), element: Element::F64, shape: vec![None, Some(1)] };
        let two = Graph::new(vec![input("a"), input("b")], weights, nodes, outputs).unwrap();
        assert!(scaled(1.0).then(two).is_err());
    }
}
