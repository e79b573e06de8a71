//! From an ONNX file to a model.

use super::names::Said;
use super::{ENDS, ensemble, svm, trees};
use crate::{Model, Task};
use base::graph::{Element, Graph, GraphInput, Node, Op, Source, Unary};
use base::{Certificate, Chain, Error, Features, Fitted, Link, Machine, Meaning, Outputs, Result, Run, Shape, Spec};
use network::{External, ExternalBytes, NetworkMachine, Onnx, OnnxNode, OnnxParts, rewrite};
use prepare::Affine;
use std::path::Path;
use std::sync::Arc;

/// How an ONNX file is to be taken as a machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OnnxReading {
    /// Taken off every number before the network: one number, one for each channel, or one for each column.
    pub shift: Vec<f64>,
    /// What the rest is multiplied by: as many.
    pub factor: Vec<f64>,
    /// The node whose activations come out, instead of the network's output.
    pub node: Option<String>,
    /// Whether the outputs are classes or values, where the file does not say.
    pub task: Option<Task>,
    /// What the outputs of a network are called, where the file does not say; empty: as it says, or by number.
    pub names: Vec<String>,
    /// Whether scores become probabilities by a softmax, where the network does not end in one.
    pub softmax: bool,
}

impl OnnxReading {
    /// Whether numbers go in and come out as the file says.
    pub fn is_plain(&self) -> bool {
        let OnnxReading { shift, factor, node, task: _, names, softmax } = self;
        shift.is_empty() && factor.is_empty() && node.is_none() && names.is_empty() && !softmax
    }
}

/// The parts of an ONNX file: a graph, and trees or a support vector machine if it ends in some.
pub fn open_onnx(path: &Path, run: &Run<'_>) -> Result<OnnxParts> {
    let beside = |name: &str| files::open_beside(path, name, run).map(|b| Arc::new(b) as ExternalBytes);
    let bytes = files::open(path, run)?;
    network::read_onnx_up_to(&path.display().to_string(), &bytes, &beside, &ENDS, run)
}

/// The model of an ONNX file; `name` is how messages call it and `external` finds other files it refers to.
pub fn read_onnx_model(
    name: &str,
    bytes: &[u8],
    external: &External<'_>,
    how: &OnnxReading,
    run: &Run<'_>,
) -> Result<Model> {
    let parts = network::read_onnx_up_to(name, bytes, external, &ENDS, run)?;
    let file = |e: Error| match e {
        Error::Format { why, .. } => Error::format(name, why),
        other => other,
    };
    let onnx = parts.before;
    let said = Said(&onnx.metadata);
    let (graph, columns) = joined_inputs(onnx.graph.clone())?;
    let features = features_of(&graph.inputs()[0], columns.or_else(|| said_features(&said, &graph)))?;
    // Sizes come from the file: what is kept for each column is asked for before any of it is made.
    let _columns = run.memory.take_for::<[u64; 2]>(features.count(), "columns of a network")?;
    let whole_network = parts.after.is_empty() && how.node.is_none();
    if !whole_network && (!how.names.is_empty() || how.softmax) {
        let must = "are for outputs of a whole network; those of trees, support vectors and single nodes are known";
        return Err(Error::parameter("names or softmax", name, must));
    }
    let machine = match (parts.after.first(), &how.node) {
        (None, Some(node)) => activations(&graph, node, features.clone(), run)?,
        (None, None) => scores(&Onnx { graph, ..onnx.clone() }, &said, features.clone(), how, run)?,
        (Some(_), Some(node)) => {
            let must = "this model is made of trees or support vectors, which have no activations";
            return Err(Error::parameter("node", node, must));
        }
        (Some(first), None) if svm::OPERATORS.contains(&first.op.as_str()) => {
            support_vectors(graph, &parts.after, &said, features.clone(), run).map_err(file)?
        }
        (Some(first), None) => {
            only_names(&parts.after[1..])?;
            forest(graph, first, &said, features.clone(), run).map_err(file)?
        }
    };
    let machine = scaled(machine, &features, how)?;
    let outputs = machine.outputs();
    let task = match outputs.meaning {
        Meaning::Classes => Some(Task::Classify),
        Meaning::Values => Some(Task::Regress),
        _ => None,
    };
    let mut certificate = Certificate::direct();
    certificate.warn("read from an ONNX file, without information on how it was fitted");
    onnx.notes.iter().for_each(|note| certificate.warn(note.clone()));
    let short = name.rsplit(['/', '\\']).next().unwrap_or(name).to_string();
    let learner = match parts.after.first() {
        None => "network",
        Some(first) if first.op == svm::OPERATORS[0] => "svc",
        Some(first) if first.op == svm::OPERATORS[1] => "svr",
        Some(_) => "forest",
    };
    let target = said.target();
    Ok(Model { data: short, target, task, ..Model::of(Fitted { machine, certificate }, Spec::named(learner)) })
}

fn said_features(said: &Said<'_>, graph: &Graph) -> Option<Vec<String>> {
    match graph.inputs()[0].shape[..] {
        [_, Some(count)] => said.features(count),
        _ => None,
    }
}

/// A graph of several inputs of one column each as a graph of one input of as many columns, and their names.
fn joined_inputs(graph: Graph) -> Result<(Graph, Option<Vec<String>>)> {
    let count = graph.inputs().len();
    if count == 1 {
        return Ok((graph, None));
    }
    let column = |i: &GraphInput| i.shape.len() == 2 && i.shape[1] == Some(1) && i.element != Element::Bool;
    if count == 0 || !graph.inputs().iter().all(column) {
        let names: Vec<&str> = graph.inputs().iter().map(|i| i.name.as_str()).collect();
        let what = format!("a network of {count} inputs ({})", names.join(", "));
        return Err(Error::unsupported(what, "the ONNX import", "one input, or inputs of one column each, are"));
    }
    let names: Vec<String> = graph.inputs().iter().map(|i| i.name.clone()).collect();
    let (inputs, weights, nodes, outputs) = graph.into_parts();
    let real = if inputs.iter().any(|i| i.element == Element::F32) { Element::F32 } else { Element::F64 };
    let shape = vec![inputs[0].shape[0], Some(count)];
    let all = GraphInput { name: "columns".into(), element: real, shape };
    let node =
        |name: String, op: Op, source: Source, outputs: usize| Node { name, op, inputs: vec![Some(source)], outputs };
    let split = Op::Split { axis: 1, sizes: vec![1; count] };
    let mut before = vec![node("columns one by one".into(), split, Source::Input(0), count)];
    for (i, input) in inputs.iter().enumerate() {
        let op = match input.element == real {
            true => Op::Unary(Unary::Identity),
            false => Op::Cast { to: input.element },
        };
        before.push(node(format!("column {}", input.name), op, Source::Node(0, i), 1));
    }
    let moved = |source: Source| match source {
        Source::Input(i) => Source::Node(1 + i, 0),
        Source::Node(i, port) => Source::Node(1 + count + i, port),
        weight => weight,
    };
    let nodes = nodes.into_iter().map(|n| Node { inputs: n.inputs.iter().map(|s| s.map(moved)).collect(), ..n });
    let nodes = before.into_iter().chain(nodes).collect();
    let outputs = outputs.into_iter().map(|(name, source)| (name, moved(source))).collect();
    Ok((Graph::new(vec![all], weights, nodes, outputs)?, Some(names)))
}

/// The columns that go into a network: numbers, or a picture with the channels first or last.
fn features_of(input: &GraphInput, names: Option<Vec<String>>) -> Result<Features> {
    let sizes: Option<Vec<usize>> = input.shape.iter().skip(1).copied().collect();
    let open = || {
        let shape: Vec<String> = input.shape.iter().map(|n| n.map_or("any".into(), |n| n.to_string())).collect();
        let what = format!("the input {:?} of shape {}", input.name, shape.join(" x "));
        Error::unsupported(what, "the ONNX import", "all sizes but that of the first axis, the rows, must be fixed")
    };
    let count = sizes.as_ref().and_then(|s| s.iter().try_fold(1usize, |n, &s| n.checked_mul(s))).ok_or_else(open)?;
    let plain = || names.clone().map_or(Features::unnamed(count), Features::named);
    // Few channels first is what most networks want; few channels last and many first is the other custom.
    let colour = |n: usize| n <= 4;
    match sizes.ok_or_else(open)?[..] {
        [] => Err(open()),
        [_] => Ok(plain()),
        [height, width] => plain().shaped(Shape::Image { height, width, channels: 1 }),
        [height, width, channels] if colour(channels) && !colour(height) => {
            plain().shaped(Shape::Image { height, width, channels })
        }
        [channels, height, width] => plain().shaped(Shape::Image { height, width, channels }),
        _ => Err(Error::size(format!("axes of input {:?}", input.name), "2 to 4", input.shape.len())),
    }
}

/// The machine of what comes out of a node.
fn activations(graph: &Graph, node: &str, features: Features, run: &Run<'_>) -> Result<Arc<dyn Machine>> {
    let graph = rewrite::only_output(&rewrite::cut(graph, node)?, 0)?;
    let width = NetworkMachine::width_of(&graph, &features)?;
    let _names = run.memory.take_for::<[u64; 8]>(width, "outputs of a network")?;
    let names = (0..width).map(|i| format!("{node} {i}")).collect();
    Ok(Arc::new(NetworkMachine::new(graph, features, Outputs::features(names))?))
}

/// The machine of a whole network.
fn scores(
    onnx: &Onnx,
    said: &Said<'_>,
    features: Features,
    how: &OnnxReading,
    run: &Run<'_>,
) -> Result<Arc<dyn Machine>> {
    let chosen = chosen_output(onnx);
    let graph = super::agree::agreeing(onnx, chosen, &features, run)?;
    let width = NetworkMachine::width_of(&graph, &features)?;
    let _names = run.memory.take_for::<[u64; 8]>(width, "outputs of a network")?;
    let columns = onnx.outputs.get(chosen).and_then(|port| port.columns.clone()).filter(|c| c.len() == width);
    let given = (!how.names.is_empty()).then(|| how.names.clone());
    if given.as_ref().is_some_and(|names| names.len() != width) {
        return Err(Error::size("names of outputs", width, how.names.len()));
    }
    let named = columns.is_some() || said.speaks_of_classes();
    let names = given.or(columns).or_else(|| said.outputs(width));
    let meaning = match (said.meaning(), how.task) {
        (_, Some(Task::Classify)) => Meaning::Classes,
        (_, Some(Task::Regress)) => Meaning::Values,
        (Some(meaning), None) => meaning,
        (None, None) if named || width > 1 => Meaning::Classes,
        (None, None) => Meaning::Values,
    };
    let names = names.unwrap_or_else(|| match meaning {
        Meaning::Classes => (0..width).map(|i| i.to_string()).collect(),
        _ if width == 1 => vec!["y".into()],
        _ => (0..width).map(|i| format!("y{i}")).collect(),
    });
    let link = match meaning {
        Meaning::Classes => said.link().unwrap_or_else(|| rewrite::final_link(&graph)),
        _ => Link::None,
    };
    let link = match (how.softmax, meaning, link) {
        (false, ..) => link,
        (true, Meaning::Classes, Link::None | Link::Softmax) => Link::Softmax,
        _ => {
            return Err(Error::parameter(
                "softmax",
                true,
                "must not follow probabilities or outputs that are not classes",
            ));
        }
    };
    let outputs = Outputs { meaning, ..Outputs::classes(names.into(), link) };
    let fills = graph.nodes().iter().any(|n| n.op == Op::Unary(Unary::IsNan));
    let machine = NetworkMachine::new(graph, features, outputs)?;
    Ok(Arc::new(if fills { machine.with_gaps() } else { machine }))
}

/// Which output is the machine's: the one called scores, else one with names for its columns, else the first of real
/// numbers.
fn chosen_output(onnx: &Onnx) -> usize {
    let named = onnx.outputs.iter().position(|o| o.name == "scores");
    let columned = || onnx.outputs.iter().position(|o| o.columns.is_some());
    let real = || onnx.outputs.iter().position(|o| matches!(o.kind.as_str(), "float" | "double" | "float16"));
    named.or_else(columned).or_else(real).unwrap_or(0)
}

/// Makes sure that nothing but names comes after trees.
fn only_names(after: &[OnnxNode]) -> Result<()> {
    match after.iter().find(|n| !["ZipMap", "Identity", "Cast"].contains(&n.op.as_str())) {
        None => Ok(()),
        Some(node) => {
            let what = format!("the operator {} after trees", node.op);
            Err(Error::unsupported(what, "the ONNX import", "trees must come last, but for names"))
        }
    }
}

/// Trees, after what comes before them.
fn forest(
    graph: Graph,
    node: &OnnxNode,
    said: &Said<'_>,
    features: Features,
    run: &Run<'_>,
) -> Result<Arc<dyn Machine>> {
    if node.op == trees::OPERATORS[2] {
        return forest(graph, &ensemble::as_regressor(node)?, said, features, run);
    }
    let graph = rewrite::only_output(&graph, 0)?;
    let width = NetworkMachine::width_of(&graph, &features)?;
    let _names = run.memory.take_for::<[u64; 8]>(width, "columns of trees")?;
    // Every leaf has a number for each output, and how many those are is one number of the file.
    let labels = node.texts("classlabels_strings")?.len().max(node.ints("classlabels_int64s")?.len()) as u64;
    let outputs = u64::try_from(node.int("n_targets", 1)?).unwrap_or(0).max(labels);
    let leaves = node.ints("nodes_treeids")?.len() as u64 + 1;
    let _leaves = run.memory.take(outputs.saturating_mul(leaves).saturating_mul(16), "leaves of trees")?;
    let idle = graph.outputs()[0].1 == Source::Input(0);
    let names = said.outputs(node.int("n_targets", 1).map_or(1, |n| n.max(1) as usize));
    let names = if node.op == trees::OPERATORS[1] { names } else { None };
    if idle && graph.inputs()[0].element == Element::F64 {
        return Ok(Arc::new(trees::read(node, features, names)?));
    }
    // Whatever the precision of the rows, trees ask what the network gives: single precision stays single.
    let middle = match idle {
        true => Outputs::same(&features),
        false => Outputs::features((0..width).map(|i| i.to_string()).collect()),
    };
    let trees = trees::read(node, middle.as_features(), names)?;
    // Gaps are for the trees to judge.
    let before = NetworkMachine::new(graph, features, middle)?.with_gaps();
    Ok(Arc::new(Chain::new(vec![Arc::new(before), Arc::new(trees)])?))
}

/// A support vector machine, after what comes before it.
fn support_vectors(
    graph: Graph,
    nodes: &[OnnxNode],
    said: &Said<'_>,
    features: Features,
    run: &Run<'_>,
) -> Result<Arc<dyn Machine>> {
    let graph = rewrite::only_output(&graph, 0)?;
    let width = NetworkMachine::width_of(&graph, &features)?;
    let _names = run.memory.take_for::<[u64; 8]>(width, "columns of support vectors")?;
    if graph.outputs()[0].1 == Source::Input(0) {
        return svm::read(nodes, features, said.outputs(1));
    }
    let middle = Outputs::features((0..width).map(|i| i.to_string()).collect());
    let machine = svm::read(nodes, middle.as_features(), said.outputs(1))?;
    let before = NetworkMachine::new(graph, features, middle)?;
    Ok(Arc::new(Chain::new(vec![Arc::new(before), machine])?))
}

/// The machine after shift and factor, where there are any.
fn scaled(machine: Arc<dyn Machine>, features: &Features, how: &OnnxReading) -> Result<Arc<dyn Machine>> {
    if how.shift.is_empty() && how.factor.is_empty() {
        return Ok(machine);
    }
    let channels = match features.shape() {
        Some(Shape::Image { channels, .. } | Shape::Series { channels, .. }) => channels,
        None => features.count(),
    };
    let spread = |name: &str, list: &[f64], usual: f64| match list.len() {
        0 => Ok(vec![usual; features.count()]),
        n if n == 1 || n == channels || n == features.count() => {
            Ok((0..features.count()).map(|i| list[i % n]).collect())
        }
        n => Err(Error::size(format!("numbers of {name}"), format!("1 or {channels}"), n)),
    };
    let affine = Affine::new(features.clone(), spread("shift", &how.shift, 0.0)?, spread("factor", &how.factor, 1.0)?)?;
    Ok(Arc::new(Chain::new(vec![Arc::new(affine), machine])?))
}
