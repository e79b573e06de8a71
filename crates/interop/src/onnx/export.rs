//! From a model to an ONNX file.

use super::{names, svm, trees};
use crate::Model;
use base::graph::{Draft, Element, Graph, Op, Source};
use base::{Chain, Error, Link, Machine, Meaning, Outputs, Result, Run};
use network::{NetworkMachine, OnnxBeside, rewrite, write_onnx_with};
use std::sync::Arc;

/// An ONNX file of a model.
pub struct Exported {
    /// The file.
    pub bytes: Vec<u8>,
    /// What is different from the model, in words.
    pub notes: Vec<String>,
    /// What was exported: all of the model, or what comes after an encoding that only tables know.
    pub body: Arc<dyn Machine>,
    /// What comes before it, if it could not be exported.
    pub before: Option<Arc<dyn Machine>>,
}

/// The ONNX file of a model, in single or double precision; as it is in a network of one piece, else single, if not said.
///
/// Out come `scores`, and for classes `label`, the place of the largest, and `probabilities` where a softmax of the
/// scores gives them. Trees and support vector machines give `label` as a text; the latter are nodes of ai.onnx.ml in
/// single precision, and networks in double.
pub fn export_onnx(model: &Model, precision: Option<Element>, run: &Run<'_>) -> Result<Exported> {
    let mut machines = pieces(&model.machine);
    let mut notes = vec![];
    let mut before = None;
    if machines[0].inputs().table().is_some() {
        let encoder = machines.remove(0);
        if machines.is_empty() {
            return Err(Error::unsupported(
                "a table encoding without a model",
                "ONNX files",
                "export a model that uses it",
            ));
        }
        if encoder.to_graph(run)?.is_none() {
            let count = encoder.outputs().names.len();
            notes.push(format!("the file takes the {count} encoded columns, listed in its metadata"));
        }
        before = Some(encoder);
    }
    let body: Arc<dyn Machine> = match &machines[..] {
        [only] => only.clone(),
        _ => Arc::new(Chain::new(machines.clone())?),
    };
    let (inputs, outputs) = (body.inputs(), body.outputs());
    let metadata = names::metadata(inputs, outputs, model.target.as_deref());
    let last = machines[machines.len() - 1].clone();
    let before_last = || {
        let start = Draft::rows(inputs.count()).graph(Draft::INPUT)?;
        machines[..machines.len() - 1].iter().try_fold(start, |graph, next| graph.then(graph_of(next, run)?))
    };
    let bytes = if let Some(forest) = last.downcast::<::trees::Forest>() {
        let graph = before_last()?;
        let precision = precision.unwrap_or(Element::F32);
        let graph = rewrite::in_precision(&graph, precision)?;
        let (node, outputs) = trees::written(forest, "y", precision == Element::F32)?;
        write_onnx_with(&graph, &OnnxBeside { metadata, after: vec![node], outputs }, run)?
    } else if precision != Some(Element::F64) && svm::is_written(&*last) {
        let graph = rewrite::in_precision(&before_last()?, Element::F32)?;
        let (after, outputs) = svm::written(&*last, "y", run)?;
        write_onnx_with(&graph, &OnnxBeside { metadata, after, outputs }, run)?
    } else {
        let (graph, usual) = match (&machines[..], last.downcast::<NetworkMachine>()) {
            ([_], Some(network)) => ((**network.graph()).clone(), None),
            _ => (graph_of(&body, run)?, Some(Element::F32)),
        };
        let graph = match precision.or(usual) {
            Some(precision) => rewrite::in_precision(&graph, precision)?,
            None => graph,
        };
        let graph = with_answers(graph, outputs)?;
        write_onnx_with(&graph, &OnnxBeside { metadata, ..OnnxBeside::default() }, run)?
    };
    Ok(Exported { bytes, notes, body, before })
}

/// The machines of a chain, chains inside it included, in order.
pub(crate) fn pieces(machine: &Arc<dyn Machine>) -> Vec<Arc<dyn Machine>> {
    match machine.downcast::<Chain>() {
        Some(chain) => chain.machines().iter().flat_map(pieces).collect(),
        None => vec![machine.clone()],
    }
}

fn graph_of(machine: &Arc<dyn Machine>, run: &Run<'_>) -> Result<Graph> {
    if let Some(graph) = machine.to_graph(run)? {
        return Ok(graph);
    }
    // Of a chain, say which part has none.
    let parts = pieces(machine);
    let lacks = |m: &&Arc<dyn Machine>| !matches!(m.to_graph(run), Ok(Some(_)));
    let kind = parts.iter().find(lacks).unwrap_or(machine).kind();
    let what = format!("a machine of kind {kind:?}");
    Err(Error::unsupported(
        what,
        "ONNX files",
        "linear, distance, kernel, tree and network machines and scaling steps are",
    ))
}

/// The graph with its output called `scores`, and for classes with `label` and perhaps `probabilities`.
fn with_answers(graph: Graph, outputs: &Outputs) -> Result<Graph> {
    let (inputs, weights, mut nodes, ports) = graph.into_parts();
    let scores = ports[0].1;
    let mut ports = vec![("scores".to_string(), scores)];
    let taken = |name: &str| inputs.iter().any(|i| i.name == name);
    if outputs.meaning == Meaning::Classes && outputs.extra == 0 && !taken("label") && !taken("probabilities") {
        let mut add = |name: &str, op: Op| {
            let name = format!("{name} of the scores");
            nodes.push(base::graph::Node { name, op, inputs: vec![Some(scores)], outputs: 1 });
            Source::Node(nodes.len() - 1, 0)
        };
        let label = add("label", Op::ArgMax { axis: 1, keep: false, last: false, smallest: false });
        ports.push(("label".into(), label));
        if outputs.link == Link::Softmax {
            ports.push(("probabilities".into(), add("softmax", Op::Softmax { axis: 1, log: false })));
        }
    }
    Graph::new(inputs, weights, nodes, ports)
}
