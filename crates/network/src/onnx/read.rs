//! From the bytes of a model to a graph.

use super::build::Builder;
use super::call::Call;
use super::foreign::OnnxNode;
use super::kind::Kind;
use super::message::{Budget, Model, Node, Size, Type, ValueInfo};
use super::ops::{self, Reading};
use super::sorted::sorted;
use super::tensor::{External, Loader};
use super::trained::mark_trained;
use super::wire::{FILE, damaged};
use base::graph::{Graph, GraphInput, Source, Tensor};
use base::{Error, Progress, Result, Run};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A model read from ONNX.
#[derive(Debug, Clone, PartialEq)]
pub struct Onnx {
    /// What it computes.
    pub graph: Graph,
    /// More about the inputs, in the order of the graph's.
    pub inputs: Vec<OnnxPort>,
    /// More about the outputs, in the order of the graph's.
    pub outputs: Vec<OnnxPort>,
    /// The version of ONNX's operators it was written with.
    pub opset: i64,
    /// The version of the file's layout.
    pub ir: i64,
    /// The program that wrote it, as it says.
    pub producer: String,
    /// What else it says of itself, by name.
    pub metadata: Vec<(String, String)>,
    /// What was changed while reading, in words.
    pub notes: Vec<String>,
}

/// A model cut at an operator that is no part of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct OnnxParts {
    /// What comes before it: the graph gives what goes into the first of the nodes after it. All of the model if there
    /// are none.
    pub before: Onnx,
    /// The operator and all that comes after it, in order.
    pub after: Vec<OnnxNode>,
}

/// What ONNX says of an input or output that a graph has no words for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OnnxPort {
    /// Its name.
    pub name: String,
    /// ONNX's type of its numbers, such as `float` or `int32`; empty where it is no tensor.
    pub kind: String,
    /// The names of axes whose size is not fixed, axis by axis.
    pub axes: Vec<Option<String>>,
    /// The names of its columns (classes), if the model has them.
    pub columns: Option<Vec<String>>,
    /// The texts whose places its whole numbers are, as of predicted labels.
    pub texts: Option<Vec<String>>,
}

/// A model's graph. `name` is how messages call the file; `external` finds the bytes of other files it refers to.
pub fn read_onnx(name: &str, bytes: &[u8], external: &External<'_>, run: &Run<'_>) -> Result<Onnx> {
    read_onnx_with(name, bytes, external, &BTreeMap::new(), run)
}

/// The same with inputs that are fixed: they become constants of the graph, as shapes and axes must be.
pub fn read_onnx_with(
    name: &str,
    bytes: &[u8],
    external: &External<'_>,
    fixed: &BTreeMap<String, Tensor>,
    run: &Run<'_>,
) -> Result<Onnx> {
    Ok(read(bytes, external, fixed, &[], run).map_err(|e| named(name, e))?.before)
}

/// The same up to the first node of one of these operators, which need not be known here.
pub fn read_onnx_up_to(
    name: &str,
    bytes: &[u8],
    external: &External<'_>,
    ends: &[&str],
    run: &Run<'_>,
) -> Result<OnnxParts> {
    read(bytes, external, &BTreeMap::new(), ends, run).map_err(|e| named(name, e))
}

/// Whatever went wrong is a fault of this file.
fn named(name: &str, e: Error) -> Error {
    match e {
        Error::Format { file, why } if file == FILE || file == "graph" => Error::format(name, why),
        other => other,
    }
}

fn read(
    bytes: &[u8],
    external: &External<'_>,
    fixed: &BTreeMap<String, Tensor>,
    ends: &[&str],
    run: &Run<'_>,
) -> Result<OnnxParts> {
    let mut budget = Budget::new(run)?;
    let model = Model::read(bytes, &mut budget)?;
    let Some(graph) = &model.graph else { return Err(damaged("it has no graph")) };
    let opsets = Opsets::new(&model)?;
    if graph.sparse {
        return Err(Error::unsupported("weights stored as sparse", FILE, "store them dense"));
    }
    let mut state = State {
        builder: Builder::new(budget, run),
        loader: Loader::new(external, run),
        found: HashMap::new(),
        columns: HashMap::new(),
    };
    for stored in &graph.initializers {
        let loaded = state.loader.load(stored)?;
        if !loaded.kind.is_native() {
            state.note_kind(loaded.kind)?;
        }
        let source = state.builder.weight(stored.name, loaded.tensor)?;
        state.builder.set_texts(source, loaded.texts);
        state.give(stored.name, source)?;
    }
    let mut inputs = vec![];
    for info in &graph.inputs {
        if state.found.contains_key(info.name) {
            // Files of the first versions list weights among the inputs.
            continue;
        }
        let source = match fixed.get(info.name) {
            Some(tensor) => state.builder.weight(info.name, tensor.clone())?,
            None => {
                let (input, about) = state.input(info)?;
                inputs.push(about);
                state.builder.input(input)
            }
        };
        state.give(info.name, source)?;
    }
    let (mut after, mut beyond) = (vec![], HashSet::new());
    let count = graph.nodes.len() as u64;
    let order = sorted(&graph.nodes, |name| state.found.contains_key(name), &mut state.builder)?;
    for (step, i) in order.into_iter().enumerate() {
        let node = &graph.nodes[i];
        run.report(&Progress::of("read ONNX", step as u64, count))?;
        if ends.contains(&node.op) || node.inputs.iter().any(|name| beyond.contains(name)) {
            beyond.extend(node.outputs.iter().copied());
            let node = OnnxNode::of(node, &mut state.builder, &mut state.loader)?;
            after.push(node);
            continue;
        }
        state.node(i, node, &opsets)?;
    }
    let mut outputs = vec![];
    let mut sources = vec![];
    if let Some(first) = after.first() {
        let name = first.inputs.first().map_or("", String::as_str);
        let Some(&source) = state.found.get(name) else {
            return Err(Error::format(FILE, format!("{name:?}, which goes into {}, is given by no node", first.op)));
        };
        sources.push((name.to_string(), source));
        outputs.push(OnnxPort { name: name.to_string(), ..OnnxPort::default() });
    }
    for info in graph.outputs.iter().filter(|_| after.is_empty()) {
        let Some(&source) = state.found.get(info.name) else {
            return Err(Error::format(FILE, format!("its output {:?} is given by no node", info.name)));
        };
        let texts = state.builder.texts(source).map(|t| t.to_vec());
        let columns = state.columns.get(&source).cloned();
        outputs.push(OnnxPort { columns, texts, ..about(info) });
        sources.push((info.name.to_string(), source));
    }
    let Builder { inputs: graph_inputs, mut weights, nodes, notes, .. } = state.builder;
    mark_trained(&mut weights, &nodes, graph.initializers.len());
    let graph = Graph::new(graph_inputs, weights, nodes, sources)?;
    let (ir, producer) = (model.ir, model.producer.to_string());
    let metadata = model.metadata.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    let before = Onnx { graph, inputs, outputs, opset: opsets.onnx, ir, producer, metadata, notes };
    Ok(OnnxParts { before, after })
}

/// What is known while a graph is read.
struct State<'a> {
    builder: Builder<'a>,
    loader: Loader<'a>,
    /// Where each name's tensor comes from.
    found: HashMap<String, Source>,
    /// The names of columns, of tensors that have them.
    columns: HashMap<Source, Vec<String>>,
}

impl State<'_> {
    fn give(&mut self, name: &str, source: Source) -> Result<()> {
        match self.found.insert(name.to_string(), source) {
            None => Ok(()),
            Some(_) => Err(Error::format(FILE, format!("two tensors are called {name:?}"))),
        }
    }

    fn note_kind(&mut self, kind: Kind) -> Result<()> {
        let (from, to) = (kind.name, kind.element.word());
        match from {
            "string" => Ok(()),
            _ => self.builder.note(format!("numbers of type {from} are computed as {to}")),
        }
    }

    fn input(&mut self, info: &ValueInfo<'_>) -> Result<(GraphInput, OnnxPort)> {
        let named = |e: Error| Error::format(FILE, format!("input {:?}: {e}", info.name));
        let Type::Tensor { element, shape } = &info.kind else {
            let instead = "inputs must be tensors";
            return Err(Error::unsupported(format!("input {:?}, which is not a tensor", info.name), FILE, instead));
        };
        let kind = Kind::of(*element).map_err(named)?;
        if kind.name == "string" {
            let what = format!("input {:?} of strings", info.name);
            return Err(Error::unsupported(what, FILE, "encode strings before the network"));
        }
        if !kind.is_native() {
            self.note_kind(kind)?;
        }
        let Some(shape) = shape else {
            let what = format!("input {:?} without a shape", info.name);
            return Err(Error::unsupported(what, FILE, "export the model with the number of its input's axes"));
        };
        let size = |size: &Size<'_>| match size {
            // Some writers mean "any" by 0 or -1.
            Size::Is(n) if *n > 0 => usize::try_from(*n).map(Some).map_err(|_| damaged(format!("a size of {n}"))),
            _ => Ok(None),
        };
        let shape = shape.iter().map(size).collect::<Result<Vec<_>>>()?;
        Ok((GraphInput { name: info.name.to_string(), element: kind.element, shape }, about(info)))
    }

    fn node(&mut self, i: usize, node: &Node<'_>, opsets: &Opsets) -> Result<()> {
        let name = [node.name, node.outputs.first().unwrap_or(&"")].into_iter().find(|n| !n.is_empty());
        let name = name.map_or_else(|| format!("{}{i}", node.op), str::to_string);
        let about = |e: Error| match e {
            Error::Memory { .. } | Error::Cancelled | Error::File { .. } => e,
            Error::Unsupported { what, by, instead } => {
                let by = if by == FILE { "the ONNX import".to_string() } else { by };
                Error::Unsupported { what: format!("node {name:?} ({}): {what}", node.op), by, instead }
            }
            other => Error::format(FILE, format!("node {name:?} ({}): {other}", node.op)),
        };
        let opset = opsets.of(node).map_err(about)?;
        let reader = ops::find(node, opset).map_err(about)?;
        let mut inputs = vec![];
        for input in &node.inputs {
            inputs.push(match (*input, self.found.get(*input)) {
                ("", _) => None,
                (_, Some(source)) => Some(*source),
                (missing, None) => {
                    let why = format!("its input {missing:?} is given by nothing");
                    return Err(about(Error::format(FILE, why)));
                }
            });
        }
        let call = Call { node, inputs, opset };
        let from = self.builder.nodes.len();
        self.builder.begin(name.clone());
        let mut reading = Reading { builder: &mut self.builder, loader: &mut self.loader, columns: &mut self.columns };
        let outputs = reader(&mut reading, &call).map_err(about)?;
        self.builder.end(outputs.first().copied(), from);
        for (k, output) in node.outputs.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            match outputs.get(k) {
                Some(source) => self.give(output, *source).map_err(about)?,
                None => {
                    let what = format!("its output {k} ({output:?})");
                    let instead = "remove what uses it from the model";
                    return Err(about(Error::unsupported(what, "the ONNX import", instead)));
                }
            }
        }
        Ok(())
    }
}

/// What ONNX says of a value.
fn about(info: &ValueInfo<'_>) -> OnnxPort {
    let name = info.name.to_string();
    let Type::Tensor { element, shape } = &info.kind else { return OnnxPort { name, ..OnnxPort::default() } };
    let kind = Kind::of(*element).map_or(String::new(), |k| k.name.to_string());
    let axis = |size: &Size<'_>| match size {
        Size::Named(name) => Some((*name).to_string()),
        _ => None,
    };
    let axes = shape.iter().flatten().map(axis).collect();
    OnnxPort { name, kind, axes, ..OnnxPort::default() }
}

/// Operators that mean the same since version 1.
const UNCHANGED: [&str; 12] = [
    "Conv",
    "Exp",
    "Flatten",
    "GlobalAveragePool",
    "Identity",
    "MatMul",
    "MaxPool",
    "Not",
    "Relu",
    "Sigmoid",
    "Tanh",
    "Transpose",
];

/// The versions of operators a model asks for.
struct Opsets {
    onnx: i64,
    ml: i64,
}

impl Opsets {
    fn new(model: &Model<'_>) -> Result<Self> {
        if model.functions {
            let instead = "inline the model's functions before it is read";
            return Err(Error::unsupported("operators defined in the file (functions)", FILE, instead));
        }
        let version = |names: &[&str]| model.opsets.iter().rfind(|(d, _)| names.contains(d)).map(|(_, v)| *v);
        // Files of the first layouts do not say.
        let onnx = version(&["", "ai.onnx"]).unwrap_or(if model.ir < 3 { 1 } else { 0 });
        Ok(Opsets { onnx, ml: version(&["ai.onnx.ml"]).unwrap_or(1) })
    }

    fn of(&self, node: &Node<'_>) -> Result<i64> {
        match node.domain {
            "" | "ai.onnx" if (7..=26).contains(&self.onnx) => Ok(self.onnx),
            "" | "ai.onnx" if (1..7).contains(&self.onnx) && UNCHANGED.contains(&node.op) => Ok(self.onnx),
            "" | "ai.onnx" => Err(self.too_old()),
            "ai.onnx.ml" => Ok(self.ml),
            other => {
                let what = format!("an operator of the domain {other:?}");
                Err(Error::unsupported(what, FILE, "use operators of ONNX itself or of ai.onnx.ml"))
            }
        }
    }

    fn too_old(&self) -> Error {
        let instead = "versions 7 to 26 are read; convert the model with onnx.version_converter";
        Error::unsupported(format!("version {} of ONNX's operators", self.onnx), FILE, instead)
    }
}
