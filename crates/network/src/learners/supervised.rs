//! What learners of networks share: outputs for classes or values, training, the machine.
//!
//! Classes without rows get no output, unless rows come in portions. Values are brought to mean 0 and deviation 1 for training if the last layer is
//! linear, and the layer then takes that back, so that the machine speaks in the units of the data.

use super::pruned::{Prune, pruned};
use crate::train::{Ask, BLOCK, Cost, Examples, Trained, Training, train};
use crate::{Network, NetworkMachine};
use base::graph::{Element, Graph, Numbers, Tensor};
use base::{Dataset, Error, Fitted, Link, Machine, Outputs, Plan, Record, Result, Run, Size, Targets, UNKNOWN};
use numeric::Moments;
use std::sync::Arc;

/// How a network is trained.
pub(crate) struct Way<'a> {
    /// Costs, rules and limits.
    pub training: &'a Training,
    /// Which weights go afterwards, and the share that stays.
    pub prune: (Prune, f64),
    /// Whether the last layer has no activation.
    pub linear: bool,
    /// Whether rows come in portions: every class named gets an output.
    pub portion: bool,
}

/// What a network is trained for.
struct Aim {
    ask: Ask,
    outputs: Outputs,
    warnings: Vec<String>,
}

/// Trains the graph that `build` makes for a number of outputs.
pub(crate) fn fit(
    data: &Dataset,
    start: Option<&Record>,
    way: &Way<'_>,
    build: &dyn Fn(usize) -> Result<Graph>,
    run: &Run<'_>,
) -> Result<Fitted> {
    let Aim { ask, outputs, warnings } = aim(data, way)?;
    let training = way.training;
    let scale = match &ask {
        Ask::Values(scale) => scale.clone(),
        _ => vec![(0.0, 1.0); outputs.names.len()],
    };
    let graph = match start.filter(|record| !record.has("training")) {
        Some(record) => started(build(outputs.names.len())?, record, &scale)?,
        None => build(outputs.names.len())?,
    };
    let machine =
        |graph: Graph| NetworkMachine::new(rescaled(graph, &scale, true)?, data.features.clone(), outputs.clone());
    let Trained { graph, mut certificate } = train_graph(graph, data, ask.clone(), start, training, &machine, run)?;
    certificate.warnings.splice(0..0, warnings);
    let graph = pruned(graph, (data, ask), way.prune, training, &mut certificate, run)?;
    Ok(Fitted { machine: Arc::new(machine(graph)?), certificate })
}

/// Trains a graph, from its weights or from where a checkpoint was made; `machine` makes what a checkpoint stores of it.
pub(crate) fn train_graph(
    graph: Graph,
    data: &Dataset,
    ask: Ask,
    start: Option<&Record>,
    training: &Training,
    machine: &dyn Fn(Graph) -> Result<NetworkMachine>,
    run: &Run<'_>,
) -> Result<Trained> {
    let examples = Examples::new(&graph, &data.features, data, ask)?;
    let keep = |graph: Graph| Ok(machine(graph)?.record());
    let resumed = start.filter(|record| record.has("training")).map(|record| record.part("training")).transpose()?;
    train(graph, &examples, training, &vec![], resumed, &keep, run)
}

/// What the outputs stand for.
fn aim(data: &Dataset, way: &Way<'_>) -> Result<Aim> {
    let training = way.training;
    match &data.targets {
        Targets::Classes(classes) => {
            let (counts, names) = (classes.counts(), classes.names());
            let mut place = vec![UNKNOWN; counts.len()];
            let (mut kept, mut warnings) = (vec![], vec![]);
            for (class, &count) in counts.iter().enumerate() {
                if count == 0 && !way.portion {
                    warnings.push(format!("class {:?} has no rows and cannot be predicted", names[class]));
                } else {
                    place[class] = kept.len() as u32;
                    kept.push(names[class].clone());
                }
            }
            if kept.len() < 2 {
                return Err(base::too_few_classes("rows for a network", 2, kept.len()));
            }
            let (low, link) = match training.cost {
                Cost::Auto | Cost::CrossEntropy => (0.0, Link::Softmax),
                Cost::BinaryCrossEntropy => (0.0, Link::None),
                _ => (-1.0, Link::None),
            };
            let ask = Ask::Classes { place, count: kept.len(), low, high: 1.0 };
            Ok(Aim { ask, outputs: Outputs::classes(kept.into(), link), warnings })
        }
        Targets::Values(values) => {
            if matches!(training.cost, Cost::CrossEntropy | Cost::BinaryCrossEntropy) {
                return Err(Error::parameter("cost", training.cost.word(), "is for classes, not for values"));
            }
            let names = values.names().clone();
            // Makram-Ebeid's cost looks at signs, which must stay.
            let scaled = way.linear && training.cost != Cost::MakramEbeid;
            let scale = match scaled {
                true => units(values.values(), names.len(), data.weights.as_deref()),
                false => vec![(0.0, 1.0); names.len()],
            };
            Ok(Aim { ask: Ask::Values(scale), outputs: Outputs::values(names), warnings: vec![] })
        }
        other => Err(Error::size("targets", "classes or values", other.type_name())),
    }
}

/// Mean and deviation of each column of values; the deviation of a constant one is 1.
fn units(values: &[f64], width: usize, weights: Option<&[f64]>) -> Vec<(f64, f64)> {
    let moments = Moments::of_rows(values, width, weights);
    let unit = |(mean, deviation): (f64, f64)| (mean, if deviation > 1e-12 * mean.abs() { deviation } else { 1.0 });
    let deviations = moments.deviations();
    moments.mean.into_iter().zip(deviations).map(unit).collect()
}

/// The graph with its last layer brought from scaled values to values, or back.
fn rescaled(graph: Graph, scale: &[(f64, f64)], to_values: bool) -> Result<Graph> {
    if scale.iter().all(|s| *s == (0.0, 1.0)) {
        return Ok(graph);
    }
    let place = |name: &str| graph.weights().iter().position(|w| w.name == name);
    let (Some(weights), Some(offsets)) = (place("output weights"), place("output offsets")) else {
        return Err(Error::format("graph", "its last layer is missing"));
    };
    let inputs = graph.weights()[weights].tensor.shape().get(1).copied().unwrap_or(1).max(1);
    let changed = |i: usize, f: &dyn Fn(usize, f64) -> f64| {
        let tensor = &graph.weights()[i].tensor;
        let values = tensor.to_f64().into_iter().enumerate().map(|(k, x)| f(k, x));
        match tensor.numbers() {
            Numbers::F32(_) => Tensor::f32(tensor.shape(), values.map(|x| x as f32).collect()),
            _ => Tensor::f64(tensor.shape(), values.collect()),
        }
    };
    let (weight, offset) = match to_values {
        true => {
            (changed(weights, &|k, x| x * scale[k / inputs].1)?, changed(offsets, &|k, x| x * scale[k].1 + scale[k].0)?)
        }
        false => (
            changed(weights, &|k, x| x / scale[k / inputs].1)?,
            changed(offsets, &|k, x| (x - scale[k].0) / scale[k].1)?,
        ),
    };
    graph.clone().with_weight(weights, weight)?.with_weight(offsets, offset)
}

/// The graph with the weights of an earlier machine of the same form.
fn started(graph: Graph, record: &Record, scale: &[(f64, f64)]) -> Result<Graph> {
    record.expect_within(NetworkMachine::KIND, 2..=2)?;
    let earlier = rescaled(Graph::read(record.part("graph")?)?, scale, false)?;
    let same = earlier.nodes() == graph.nodes() && earlier.weights().len() == graph.weights().len();
    let fits = |(a, b): (&base::graph::Weight, &base::graph::Weight)| {
        a.name == b.name && a.tensor.shape() == b.tensor.shape() && a.tensor.element() == b.tensor.element()
    };
    if !same || !earlier.weights().iter().zip(graph.weights()).all(fits) {
        return Err(record.broken("the network to warm-start from has other layers, columns, classes or precision"));
    }
    let put = |graph: Graph, (i, weight): (usize, &base::graph::Weight)| graph.with_weight(i, weight.tensor.clone());
    earlier.weights().iter().enumerate().try_fold(graph, put)
}

/// The work of training a graph: forward and backward passes over all rows in every epoch.
pub(crate) fn plan(graph: Result<Graph>, training: &Training, size: &Size) -> Plan {
    let idle = Plan { fit: 0.0, predict: 0.0, bytes: 0.0, advice: None };
    let Ok(graph) = graph else { return idle };
    let network = Network::new(graph);
    let weights: f64 = network.weights().iter().map(|w| w.numbers().len() as f64).sum();
    let predict = passes(&network);
    let (rows, epochs) = (size.rows as f64, training.epochs as f64);
    let batch = if training.batch == 0 { 1024 } else { training.batch.min(size.rows) } as f64;
    let bytes = if training.precision.element() == Element::F32 { 4.0 } else { 8.0 };
    // Weights, gradients and what the rule remembers. All activations of a batch, forward and backward; at the end, for
    // the certificate's gradient, those of a block of rows, with buffers that wait to be used again.
    let passed = (3.0 * batch).max(2.6 * rows.min(BLOCK as f64));
    let memory = bytes * (5.0 * weights + passed * activations(&network));
    Plan { fit: 3.0 * predict * rows * epochs, predict, bytes: memory, advice: None }
}

/// Floating-point operations of a row: two for each weight and each place it is used at.
fn passes(network: &Network) -> f64 {
    let plan = one_row(network);
    let mut sum = 0.0;
    for (i, node) in network.graph().nodes().iter().enumerate() {
        let of = node.inputs.get(1).copied().flatten();
        let numbers = match of {
            Some(base::graph::Source::Weight(w)) => network.weights()[w].numbers().len() as f64,
            _ => 0.0,
        };
        let places = match (&node.op, plan.as_ref().and_then(|p| p.form(i, 0))) {
            (base::graph::Op::Conv { .. }, Some(form)) => form.shape.iter().skip(2).product::<usize>() as f64,
            _ => 1.0,
        };
        sum += 2.0 * numbers * places;
    }
    sum
}

/// Numbers that all nodes give for a row.
fn activations(network: &Network) -> f64 {
    let Some(plan) = one_row(network) else { return 0.0 };
    let count = |i: usize| plan.form(i, 0).and_then(|f| f.count().ok()).unwrap_or(0) as f64;
    (0..network.graph().nodes().len()).map(count).sum()
}

fn one_row(network: &Network) -> Option<Arc<crate::ShapePlan>> {
    let input = network.graph().inputs().first()?;
    let shape: Vec<usize> = input.shape.iter().map(|n| n.unwrap_or(1)).collect();
    network.plan(&[crate::TensorForm::new(input.element, shape)], &Run::quiet(0)).ok()
}
