//! From a model to an ONNX file.

use super::{names, svm, trees};
use crate::{KNOWN, Model};
use base::graph::{Draft, Element, Graph, Op, Source};
use base::{Catalog, Chain, Error, Link, Machine, Meaning, Outputs, Record, Result, Run};
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
    let mut machines = pieces(&model.machine.record())?;
    let mut notes = vec![];
    let mut before = None;
    if machines[0].inputs().table().is_some() {
        let encoder = machines.remove(0);
        if machines.is_empty() {
            return Err(Error::unsupported("an encoding of tables alone", "ONNX files", "export a model that uses it"));
        }
        if encoder.to_graph()?.is_none() {
            let count = encoder.outputs().names.len();
            notes.push(format!("the file takes the {count} columns that the encoding makes, listed in its metadata"));
        }
        before = Some(encoder);
    }
    let body: Arc<dyn Machine> = match &machines[..] {
        [only] => only.clone(),
        _ => Arc::new(Chain::new(machines.clone())?),
    };
    let (inputs, outputs) = (body.inputs(), body.outputs());
    let metadata = names::metadata(inputs, outputs, model.target.as_deref());
    let last = machines[machines.len() - 1].record();
    let bytes = if last.kind() == ::trees::Forest::KIND {
        machines.pop();
        let start = Draft::rows(inputs.count()).graph(Draft::INPUT)?;
        let graph = machines.iter().try_fold(start, |graph, next| graph.then(graph_of(&**next)?))?;
        let precision = precision.unwrap_or(Element::F32);
        let graph = rewrite::in_precision(&graph, precision)?;
        let (node, outputs) = trees::written(&last, "y", precision == Element::F32)?;
        write_onnx_with(&graph, &OnnxBeside { metadata, after: vec![node], outputs }, run)?
    } else if precision != Some(Element::F64) && svm::is_written(&last) {
        machines.pop();
        let start = Draft::rows(inputs.count()).graph(Draft::INPUT)?;
        let graph = machines.iter().try_fold(start, |graph, next| graph.then(graph_of(&**next)?))?;
        let graph = rewrite::in_precision(&graph, Element::F32)?;
        let (after, outputs) = svm::written(&last, "y")?;
        write_onnx_with(&graph, &OnnxBeside { metadata, after, outputs }, run)?
    } else {
        let (graph, usual) = match (&machines[..], last.kind()) {
            ([_], NetworkMachine::KIND) => (Graph::read(last.part("graph")?)?, None),
            _ => (graph_of(&*body)?, Some(Element::F32)),
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
pub(crate) fn pieces(record: &Record) -> Result<Vec<Arc<dyn Machine>>> {
    if record.kind() != Chain::KIND {
        return Ok(vec![KNOWN.machine(record)?]);
    }
    let mut all = vec![];
    for part in record.parts("machines")? {
        all.extend(pieces(part)?);
    }
    Ok(all)
}

fn graph_of(machine: &dyn Machine) -> Result<Graph> {
    if let Some(graph) = machine.to_graph()? {
        return Ok(graph);
    }
    // Of a chain, say which part has none.
    let record = machine.record();
    let parts = pieces(&record)?;
    let lacks = |m: &&Arc<dyn Machine>| !matches!(m.to_graph(), Ok(Some(_)));
    let kind = parts.iter().find(lacks).map_or(record.kind().to_string(), |m| m.record().kind().to_string());
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
