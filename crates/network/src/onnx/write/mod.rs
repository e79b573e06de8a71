//! From a graph to the bytes of a model.
//!
//! Every operation is written as the operator it is, or composed of those there are (distances, soft pools, Swish), in
//! version 21 of ONNX's operators. Sizes that only the data decide are named, the rows of a batch `N`. The same graph
//! gives the same bytes. Numbers are held twice while they are written, which is counted.

mod ops;

use super::facts::{Fact, Facts};
use super::foreign::OnnxNode;
use super::kind::Kind;
use super::wire::Message;
use crate::Network;
use base::graph::{Element, Graph, GraphInput, Numbers, Source, Tensor};
use base::{Error, Result, Run};
use std::collections::{HashMap, HashSet};

/// The version of operators that is written.
const OPSET: i64 = 21;
/// Operators of machine learning, and the version of them that is written.
const ML: &str = "ai.onnx.ml";
const ML_OPSET: i64 = 3;
/// The version of the file's layout, the first that knows those operators.
const IR: i64 = 10;

/// What an ONNX file says besides a graph.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OnnxBeside {
    /// What it says of itself, by name.
    pub metadata: Vec<(String, String)>,
    /// Nodes that come after the graph and take what it gives.
    pub after: Vec<OnnxNode>,
    /// What comes out of those nodes, and with it of the model.
    pub outputs: Vec<OnnxOutput>,
}

/// What comes out of a node that is no part of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct OnnxOutput {
    /// Its name.
    pub name: String,
    /// The type of its numbers as ONNX calls it, such as `float`, `int64` or `string`.
    pub kind: &'static str,
    /// Its sizes; none for the rows.
    pub shape: Vec<Option<usize>>,
}

/// The bytes of an ONNX model that computes what the graph says.
pub fn write_onnx(graph: &Graph, run: &Run<'_>) -> Result<Vec<u8>> {
    write_onnx_with(graph, &OnnxBeside::default(), run)
}

/// The same with more to say; nodes that come after the graph take its outputs by their names.
pub fn write_onnx_with(graph: &Graph, beside: &OnnxBeside, run: &Run<'_>) -> Result<Vec<u8>> {
    let weights = graph.weights().iter().map(|w| w.tensor.numbers().len() as u64 * w.tensor.element().bytes());
    let _hold = run.memory.take(2 * weights.sum::<u64>(), "an ONNX model")?;
    let mut writer = Writer::new(graph, run)?;
    for (i, weight) in graph.weights().iter().enumerate() {
        let name = writer.name(Source::Weight(i))?;
        writer.initializer(&name, &weight.tensor);
    }
    for (i, node) in graph.nodes().iter().enumerate() {
        ops::write(&mut writer, i, node)?;
    }
    // An output that is an input, a weight or another output already has a name: it is passed on.
    for (name, source) in graph.outputs() {
        let from = writer.name(*source)?;
        if from != *name {
            writer.node("Identity", &[&from], &[name], &[]);
        }
    }
    beside.after.iter().for_each(|node| writer.message.message(1, node.message()));
    writer.finish(beside)
}

/// The largest difference between what two graphs give for the same inputs.
///
/// With a graph and what became of it in an ONNX file this is the error of the way there and back. Numbers that are no
/// number on both sides do not differ, on one side they differ by infinity.
pub fn largest_difference(one: &Graph, other: &Graph, inputs: &[Tensor], run: &Run<'_>) -> Result<f64> {
    let (a, b) = (Network::new(one.clone()).run(inputs, run)?, Network::new(other.clone()).run(inputs, run)?);
    if a.len() != b.len() {
        return Err(Error::size("outputs", a.len(), b.len()));
    }
    let mut largest = 0.0f64;
    for ((a, b), (name, _)) in a.iter().zip(&b).zip(one.outputs()) {
        if a.shape() != b.shape() {
            return Err(Error::size(
                format!("output {name:?}"),
                format!("{:?}", a.shape()),
                format!("{:?}", b.shape()),
            ));
        }
        for (a, b) in a.to_f64().into_iter().zip(b.to_f64()) {
            let same = a == b || a.is_nan() && b.is_nan();
            let difference = (a - b).abs();
            largest = largest.max(if same {
                0.0
            } else if difference.is_nan() {
                f64::INFINITY
            } else {
                difference
            });
        }
    }
    Ok(largest)
}

/// An attribute of a node.
enum Attribute<'a> {
    Int(&'a str, i64),
    Float(&'a str, f64),
    Text(&'a str, &'a str),
    Ints(&'a str, Vec<i64>),
}

/// A model being written.
struct Writer<'a> {
    graph: &'a Graph,
    facts: Facts<'a>,
    /// The graph as a message.
    message: Message,
    names: HashMap<Source, String>,
    taken: HashSet<String>,
    /// Constants that operations bring along.
    constants: usize,
}

impl<'a> Writer<'a> {
    fn new(graph: &'a Graph, run: &'a Run<'a>) -> Result<Self> {
        let facts = Facts::of(graph, run)?;
        let (message, names, taken) = (Message::default(), HashMap::new(), HashSet::new());
        let mut writer = Writer { graph, facts, message, names, taken, constants: 0 };
        for (i, input) in graph.inputs().iter().enumerate() {
            // The interface keeps its names, whatever else is called so.
            if !writer.taken.insert(input.name.clone()) {
                return Err(Error::format("graph", format!("two inputs are called {:?}", input.name)));
            }
            writer.names.insert(Source::Input(i), input.name.clone());
        }
        for (name, source) in graph.outputs() {
            if !writer.taken.insert(name.clone()) {
                return Err(Error::format("graph", format!("two inputs or outputs are called {name:?}")));
            }
            if let Source::Node(..) = source {
                writer.names.entry(*source).or_insert_with(|| name.clone());
            }
        }
        Ok(writer)
    }

    /// A name that nothing else has.
    fn fresh(&mut self, wish: &str) -> String {
        let mut name = wish.to_string();
        let mut k = 1;
        while name.is_empty() || !self.taken.insert(name.clone()) {
            name = format!("{wish}#{k}");
            k += 1;
        }
        name
    }

    /// The name of a tensor.
    fn name(&mut self, source: Source) -> Result<String> {
        if let Some(name) = self.names.get(&source) {
            return Ok(name.clone());
        }
        let graph = self.graph;
        let missing = || Error::format("graph", format!("{source:?} does not exist"));
        let wish = match source {
            Source::Input(i) => graph.inputs().get(i).ok_or_else(missing)?.name.clone(),
            Source::Weight(i) => graph.weights().get(i).ok_or_else(missing)?.name.clone(),
            Source::Node(i, 0) => graph.nodes().get(i).ok_or_else(missing)?.name.clone(),
            Source::Node(i, port) => format!("{}:{port}", graph.nodes().get(i).ok_or_else(missing)?.name),
        };
        let name = self.fresh(&wish);
        self.names.insert(source, name.clone());
        Ok(name)
    }

    /// The type of a tensor.
    fn element(&self, source: Source) -> Result<Element> {
        self.facts.get(source).and_then(Fact::element).ok_or_else(|| {
            let instead = "its shapes must fit together";
            Error::unsupported(format!("{source:?} of unknown type"), "ONNX files", instead)
        })
    }

    fn rank(&self, source: Source) -> Option<usize> {
        self.facts.get(source).and_then(Fact::rank)
    }

    /// A node from names to names.
    fn node(&mut self, op: &str, inputs: &[&str], outputs: &[&str], attributes: &[Attribute<'_>]) {
        let mut node = Message::default();
        let last = inputs.iter().rposition(|name| !name.is_empty()).map_or(0, |i| i + 1);
        inputs[..last].iter().for_each(|name| node.text(1, name));
        outputs.iter().for_each(|name| node.text(2, name));
        node.text(3, outputs.first().unwrap_or(&""));
        node.text(4, op);
        for attribute in attributes {
            let mut message = Message::default();
            match attribute {
                Attribute::Int(name, value) => {
                    message.text(1, name);
                    message.int(3, *value);
                    message.int(20, 2);
                }
                Attribute::Float(name, value) => {
                    message.text(1, name);
                    message.float(2, *value as f32);
                    message.int(20, 1);
                }
                Attribute::Text(name, value) => {
                    message.text(1, name);
                    message.text(4, value);
                    message.int(20, 3);
                }
                Attribute::Ints(name, values) => {
                    message.text(1, name);
                    values.iter().for_each(|&value| message.int(8, value));
                    message.int(20, 7);
                }
            }
            node.message(5, message);
        }
        self.message.message(1, node);
    }

    /// A node whose attribute `value` is a tensor.
    fn node_with_tensor(&mut self, op: &str, input: &str, output: &str, value: &Tensor) {
        let mut attribute = Message::default();
        attribute.text(1, "value");
        put_tensor(&mut attribute, 5, "", value);
        attribute.int(20, 4);
        let mut node = Message::default();
        node.text(1, input);
        node.text(2, output);
        node.text(3, output);
        node.text(4, op);
        node.message(5, attribute);
        self.message.message(1, node);
    }

    /// One operator with inputs and a new name for what comes out.
    fn step(&mut self, op: &str, inputs: &[&str], wish: &str, attributes: &[Attribute<'_>]) -> String {
        let name = self.fresh(wish);
        self.node(op, inputs, &[&name], attributes);
        name
    }

    fn initializer(&mut self, name: &str, tensor: &Tensor) {
        put_tensor(&mut self.message, 5, name, tensor);
    }

    /// A constant that an operation brings along.
    fn constant(&mut self, tensor: &Tensor) -> String {
        let name = self.fresh(&format!("constant{}", self.constants));
        self.constants += 1;
        self.initializer(&name, tensor);
        name
    }

    fn wholes(&mut self, values: &[i64]) -> Result<String> {
        Ok(self.constant(&Tensor::i64([values.len()], values.to_vec())?))
    }

    /// One real number of that type.
    fn number(&mut self, element: Element, value: f64) -> Result<String> {
        Ok(self.constant(&match element {
            Element::F64 => Tensor::f64([], vec![value])?,
            Element::F32 => Tensor::f32([], vec![value as f32])?,
            Element::I64 => Tensor::i64([], vec![value as i64])?,
            Element::Bool => Tensor::bool([], vec![value != 0.0])?,
        }))
    }

    fn finish(mut self, beside: &OnnxBeside) -> Result<Vec<u8>> {
        self.message.text(2, "pellucid");
        for input in self.graph.inputs() {
            let info = value_info(&input.name, Kind::native(input.element).code, Some(&axes(input)));
            self.message.message(11, info);
        }
        for output in &beside.outputs {
            let axis = |(i, n): (usize, &Option<usize>)| n.map_or_else(|| Axis::named(&output.name, i), Axis::Is);
            let shape: Vec<Axis> = output.shape.iter().enumerate().map(axis).collect();
            let info = value_info(&output.name, Kind::named(output.kind)?.code, Some(&shape));
            self.message.message(12, info);
        }
        for (name, source) in self.graph.outputs().iter().filter(|_| beside.after.is_empty()) {
            let element = self.element(*source)?;
            let fact = self.facts.get(*source);
            // Sizes are told only where they are the same for all data; the first axis is rows by convention.
            let sizes = |shape: &[usize], firm: bool| -> Vec<Axis> {
                let axis = |(i, &n): (usize, &usize)| if firm { Axis::Is(n) } else { Axis::named(name, i) };
                shape.iter().enumerate().map(axis).collect()
            };
            let shape = fact.and_then(|f| f.likely().map(|s| sizes(s, f.shape().is_some())));
            let info = value_info(name, Kind::native(element).code, shape.as_deref());
            self.message.message(12, info);
        }
        let mut opset = Message::default();
        opset.text(1, "");
        opset.int(2, OPSET);
        let mut model = Message::default();
        model.int(1, IR);
        model.text(2, "pellucid");
        model.text(3, env!("CARGO_PKG_VERSION"));
        model.message(7, self.message);
        model.message(8, opset);
        if beside.after.iter().any(|node| node.domain == ML) {
            let mut opset = Message::default();
            opset.text(1, ML);
            opset.int(2, ML_OPSET);
            model.message(8, opset);
        }
        for (key, value) in &beside.metadata {
            let mut entry = Message::default();
            entry.text(1, key);
            entry.text(2, value);
            model.message(14, entry);
        }
        Ok(model.into_bytes())
    }
}

/// The size of an axis, or its name.
enum Axis {
    Is(usize),
    Named(String),
}

impl Axis {
    fn named(tensor: &str, axis: usize) -> Self {
        Axis::Named(if axis == 0 { "N".to_string() } else { format!("{tensor}_{axis}") })
    }
}

fn axes(input: &GraphInput) -> Vec<Axis> {
    let axis = |(i, size): (usize, &Option<usize>)| size.map_or_else(|| Axis::named(&input.name, i), Axis::Is);
    input.shape.iter().enumerate().map(axis).collect()
}

fn value_info(name: &str, kind: i64, shape: Option<&[Axis]>) -> Message {
    let mut tensor = Message::default();
    tensor.int(1, kind);
    if let Some(shape) = shape {
        let mut sizes = Message::default();
        for axis in shape {
            let mut size = Message::default();
            match axis {
                Axis::Is(n) => size.int(1, *n as i64),
                Axis::Named(name) => size.text(2, name),
            }
            sizes.message(1, size);
        }
        tensor.message(2, sizes);
    }
    let mut kind = Message::default();
    kind.message(1, tensor);
    let mut info = Message::default();
    info.text(1, name);
    info.message(2, kind);
    info
}

/// Appends a tensor as a field; its numbers are written where they go, not copied around.
pub(super) fn put_tensor(message: &mut Message, field: u32, name: &str, tensor: &Tensor) {
    let mut head = Message::default();
    tensor.shape().iter().for_each(|&n| head.int(1, n as i64));
    head.int(2, Kind::native(tensor.element()).code);
    if !name.is_empty() {
        head.text(8, name);
    }
    let length = tensor.numbers().len() * tensor.element().bytes() as usize;
    message.message_with_tail(field, head, 9, length, |out| match tensor.numbers() {
        Numbers::F32(v) => v.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
        Numbers::F64(v) => v.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
        Numbers::I64(v) => v.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
        Numbers::Bool(v) => v.iter().for_each(|&x| out.push(u8::from(x))),
    });
}
