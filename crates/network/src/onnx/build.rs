//! A graph being built from ONNX's nodes: ours are appended, with names, and what is known of tensors is kept.

use super::facts::{Fact, Facts};
use super::message::Budget;
use super::wire::FILE;
use base::graph::{Binary, Element, GraphInput, Node, Op, Reduction, Source, Tensor, Unary, Weight};
use base::{Error, Result, Run};
use std::collections::HashSet;
use std::sync::Arc;

/// A graph being built.
pub(super) struct Builder<'r> {
    pub inputs: Vec<GraphInput>,
    pub weights: Vec<Weight>,
    pub nodes: Vec<Node>,
    /// What was changed or left out, in words.
    pub notes: Vec<String>,
    facts: Facts<'r>,
    names: HashSet<String>,
    /// The name of the ONNX node that is being read.
    current: String,
    budget: Budget,
}

impl<'r> Builder<'r> {
    pub fn new(budget: Budget, run: &'r Run<'r>) -> Self {
        Builder {
            inputs: vec![],
            weights: vec![],
            nodes: vec![],
            notes: vec![],
            facts: Facts::new(run),
            names: HashSet::new(),
            current: String::new(),
            budget,
        }
    }

    /// Counts bytes that are kept beside the graph.
    pub fn count(&mut self, bytes: usize) -> Result<()> {
        self.budget.count(bytes)
    }

    pub fn input(&mut self, input: GraphInput) -> Source {
        let i = self.inputs.len();
        self.facts.input(i, &input);
        self.inputs.push(input);
        Source::Input(i)
    }

    /// Numbers the graph carries.
    pub fn weight(&mut self, name: &str, tensor: Tensor) -> Result<Source> {
        self.budget.count(2 * (size_of::<Weight>() + size_of::<Fact>()) + name.len())?;
        let i = self.weights.len();
        self.facts.weight(i, &tensor);
        self.weights.push(Weight { name: name.to_string(), tensor, trained: false });
        Ok(Source::Weight(i))
    }

    /// A constant that the node being read brings along.
    pub fn constant(&mut self, tensor: Tensor) -> Result<Source> {
        let name = format!("{}/constant{}", self.current, self.weights.len());
        self.weight(&name, tensor)
    }

    pub fn wholes(&mut self, values: &[i64]) -> Result<Source> {
        self.constant(Tensor::i64([values.len()], values.to_vec())?)
    }

    /// One number of the type of another tensor.
    pub fn number_like(&mut self, like: Source, value: f64) -> Result<Source> {
        let element = self.element(like)?;
        self.constant(match element {
            Element::F32 => Tensor::f32([], vec![value as f32]),
            Element::F64 => Tensor::f64([], vec![value]),
            Element::I64 => Tensor::i64([], vec![value as i64]),
            Element::Bool => Tensor::bool([], vec![value != 0.0]),
        }?)
    }

    /// Numbers in the type of another tensor, which must be real.
    pub fn numbers_like(&mut self, like: Source, shape: &[usize], values: &[f32]) -> Result<Source> {
        let element = self.element(like)?;
        self.constant(match element {
            Element::F64 => Tensor::f64(shape, values.iter().map(|&x| f64::from(x)).collect()),
            _ => Tensor::f32(shape, values.to_vec()),
        }?)
    }

    /// Begins a node of ONNX; its parts get names after it.
    pub fn begin(&mut self, name: String) {
        self.current = name;
    }

    /// Ends it: the part that gives the first output has the name itself.
    pub fn end(&mut self, first: Option<Source>, from: usize) {
        if let Some(Source::Node(i, _)) = first
            && i >= from
            && self.names.insert(self.current.clone())
        {
            self.nodes[i].name = std::mem::take(&mut self.current);
        }
    }

    /// Appends an operation and answers where its first output is.
    pub fn add(&mut self, op: Op, inputs: &[Source]) -> Result<Source> {
        let inputs = inputs.iter().map(|&s| Some(s)).collect();
        self.add_with(op, inputs, 1)
    }

    /// The same with inputs that may be absent and several outputs, which follow at the next ports.
    pub fn add_with(&mut self, op: Op, mut inputs: Vec<Option<Source>>, outputs: usize) -> Result<Source> {
        while inputs.last().is_some_and(Option::is_none) {
            inputs.pop();
        }
        let i = self.nodes.len();
        let mut name = format!("{}/{}{i}", self.current, op.word());
        // A node of the file may be called just so.
        while !self.names.insert(name.clone()) {
            name.push('\'');
        }
        let per_output = 2 * (size_of::<Fact>() + size_of::<Source>());
        let room = 2 * size_of::<Node>() + 3 * name.len() + inputs.len() * size_of::<Option<Source>>();
        self.budget.count(room.saturating_add(outputs.saturating_mul(per_output)))?;
        self.facts.node(i, &op, &inputs, outputs)?;
        self.nodes.push(Node { name, op, inputs, outputs });
        Ok(Source::Node(i, 0))
    }

    pub fn unary(&mut self, unary: Unary, x: Source) -> Result<Source> {
        self.add(Op::Unary(unary), &[x])
    }

    pub fn binary(&mut self, binary: Binary, a: Source, b: Source) -> Result<Source> {
        self.add(Op::Binary(binary), &[a, b])
    }

    pub fn reduce(&mut self, reduction: Reduction, axes: &[i64], keep: bool, x: Source) -> Result<Source> {
        self.add(Op::Reduce { reduction, axes: axes.to_vec(), keep }, &[x])
    }

    pub fn reshape(&mut self, x: Source, shape: Source) -> Result<Source> {
        self.add(Op::Reshape { zero: true }, &[x, shape])
    }

    /// The sizes of some axes, as whole numbers.
    pub fn shape_of(&mut self, x: Source, start: i64, end: Option<i64>) -> Result<Source> {
        self.add(Op::Shape { start, end }, &[x])
    }

    pub fn concat(&mut self, axis: i64, parts: &[Source]) -> Result<Source> {
        self.add(Op::Concat { axis }, parts)
    }

    /// As another type; nothing to do if it is that already.
    pub fn cast(&mut self, x: Source, to: Element) -> Result<Source> {
        match self.fact(x).and_then(Fact::element) == Some(to) {
            true => Ok(x),
            false => self.add(Op::Cast { to }, &[x]),
        }
    }

    pub fn fact(&self, source: Source) -> Option<&Fact> {
        self.facts.get(source)
    }

    /// The type of a tensor, where it must be known.
    pub fn element(&self, source: Source) -> Result<Element> {
        self.fact(source).and_then(Fact::element).ok_or_else(|| unknown("the type of an input"))
    }

    /// The number of axes of a tensor, where it must be known.
    pub fn rank(&self, source: Source) -> Result<usize> {
        self.fact(source).and_then(Fact::rank).ok_or_else(|| unknown("the number of axes of an input"))
    }

    /// The numbers of an input that must be the same for all data.
    pub fn known(&self, source: Source, what: &str) -> Result<&Tensor> {
        self.fact(source).and_then(Fact::constant).ok_or_else(|| {
            let instead = "it must be a constant of the model, or be given when the model is read";
            Error::unsupported(format!("{what} that depends on the data"), FILE, instead)
        })
    }

    /// Whole numbers that must be the same for all data.
    pub fn known_wholes(&self, source: Source, what: &str) -> Result<Vec<i64>> {
        let tensor = self.known(source, what)?;
        let wholes = tensor.wholes().ok_or_else(|| Error::size(what, "whole numbers", tensor.element().word()))?;
        Ok(wholes.to_vec())
    }

    pub fn texts(&self, source: Source) -> Option<Arc<[String]>> {
        self.fact(source).and_then(|f| f.texts.clone())
    }

    pub fn set_texts(&mut self, source: Source, texts: Option<Arc<[String]>>) {
        self.facts.set_texts(source, texts);
    }

    /// Says what is changed, once.
    pub fn note(&mut self, note: String) -> Result<()> {
        if !self.notes.contains(&note) {
            self.budget.count(2 * size_of::<String>() + note.len())?;
            self.notes.push(note);
        }
        Ok(())
    }
}

fn unknown(what: &str) -> Error {
    let instead = "the shapes of the model's inputs must give the number of their axes";
    Error::unsupported(format!("an unspecified {what}"), "this operator", instead)
}
