//! Whether the scores of a file agree with the label it gives.
//!
//! Some files give a label beside their scores, and not always is it the class with the largest: scikit-learn's K-means
//! gives distances, a linear classifier without probabilities 1 − s and s, or s alone. Both are computed on drawn rows, and where the
//! smallest score wins, or the sign of the second decides, the scores are turned so that the largest wins. What agrees with
//! neither is refused: every prediction would be wrong.

use base::graph::{Graph, Node, Op, Source, Tensor, Unary, Weight};
use base::{Error, Features, Inputs, Machine, Outputs, Points, Result, Run, Seed, argmax, normal};
use network::{NetworkMachine, Onnx, rewrite};

/// Rows that are drawn.
const ROWS: usize = 64;
/// Numbers of a row beyond which fewer rows are drawn.
const MANY: usize = 1 << 12;

/// The graph of the output that is chosen, turned where the label says so.
pub(super) fn agreeing(onnx: &Onnx, chosen: usize, features: &Features, run: &Run<'_>) -> Result<Graph> {
    let graph = rewrite::only_output(&onnx.graph, chosen)?;
    let width = NetworkMachine::width_of(&graph, features)?;
    let Some((place, labels)) = labels(onnx, chosen, features) else { return Ok(graph) };
    if !graph.inputs()[0].element.is_real() {
        return Ok(graph);
    }
    let rows = drawn(features)?;
    let count = rows.len();
    let compute = |machine: &NetworkMachine| -> Result<Vec<f64>> {
        Ok(machine.compute(&Inputs::Points(rows.clone()), run)?.to_dense(&run.memory)?.to_vec())
    };
    // What cannot be run, or gives no number, cannot be compared here; whoever predicts will hear why.
    let _names = run.memory.take_for::<[u64; 8]>(width, "outputs of a network")?;
    let named = (0..width).map(|i| i.to_string()).collect();
    let scores = match NetworkMachine::new(graph.clone(), features.clone(), Outputs::values(named)) {
        Ok(machine) => compute(&machine),
        Err(other) => Err(other),
    };
    let (scores, said) = match (scores, compute(&labels)) {
        (Ok(scores), Ok(said)) => (scores, said),
        (Err(Error::Cancelled), _) | (_, Err(Error::Cancelled)) => return Err(Error::Cancelled),
        _ => return Ok(graph),
    };
    let columns = onnx.outputs.get(chosen).and_then(|port| port.columns.clone());
    let texts = onnx.outputs.get(place).and_then(|port| port.texts.clone());
    // A label is a class's name, or its number.
    let class = |label: f64| match (&texts, &columns) {
        (Some(texts), Some(columns)) => {
            let name = texts.get(label as usize)?;
            columns.iter().position(|c| c == name)
        }
        (None, Some(columns)) if columns.iter().any(|c| *c == (label as i64).to_string()) => {
            columns.iter().position(|c| *c == (label as i64).to_string())
        }
        _ => Some(label as usize),
    };
    let classes: Option<Vec<usize>> = said.iter().map(|label| class(*label)).collect();
    let Some(classes) = classes.filter(|c| c.iter().all(|c| *c < width.max(2))) else { return Ok(graph) };
    if width == 1 {
        // One number beside labels of two classes: the sign decides, if anything does.
        let signed = scores.iter().zip(&classes).all(|(s, class)| *s == 0.0 || usize::from(*s > 0.0) == *class);
        let both = classes.contains(&0) && classes.contains(&1);
        return if signed && both { turned(graph, 1.0, Some(0)) } else { Ok(graph) };
    }
    let lines = || scores.chunks_exact(width).zip(&classes);
    // Of equal scores either may be meant.
    let wins = |sign: f64| {
        let own = |(line, class): &(&[f64], &usize)| line.iter().all(|s| sign * s <= sign * line[**class]);
        lines().filter(own).count()
    };
    if scores.iter().any(|s| s.is_nan()) || wins(1.0) == count {
        return Ok(graph);
    }
    if wins(-1.0) == count {
        return turned(graph, -1.0, None);
    }
    let by_sign = lines().all(|(line, class)| line[1] == 0.0 || usize::from(line[1] > 0.0) == *class);
    if width == 2 && by_sign {
        return turned(graph, 1.0, Some(1));
    }
    let agreed = lines().filter(|(line, class)| argmax(line) as usize == **class).count();
    let (scores, label) = (&onnx.outputs[chosen].name, &onnx.outputs[place].name);
    let what = format!("the output {scores:?}, whose largest entry is {label:?} in {agreed} of {count} random rows,");
    Err(Error::unsupported(what, "the ONNX import", "cut the file at the scores that its label is taken from"))
}

/// The output that gives one whole number a row, and its machine.
fn labels(onnx: &Onnx, chosen: usize, features: &Features) -> Option<(usize, NetworkMachine)> {
    let whole = |kind: &str| matches!(kind, "int64" | "int32" | "string");
    let mut all = onnx.outputs.iter().enumerate().filter(|(i, port)| *i != chosen && whole(&port.kind));
    all.find_map(|(i, _)| {
        let graph = rewrite::only_output(&onnx.graph, i).ok()?;
        if NetworkMachine::width_of(&graph, features).ok()? != 1 {
            return None;
        }
        let outputs = Outputs::values(vec!["label".to_string()].into());
        Some((i, NetworkMachine::new(graph, features.clone(), outputs).ok()?))
    })
}

/// Rows of several scales, so that all classes have a chance.
fn drawn(features: &Features) -> Result<Points> {
    let d = features.count();
    let count = if d > MANY { 8 } else { ROWS };
    let mut stream = Seed(7).fork("rows to compare with labels").stream();
    let scales = [0.3, 1.0, 5.0, 100.0];
    let values =
        (0..count * d).map(|i| scales[i / d.max(1) % scales.len()] * normal(&mut stream)).collect::<Vec<f64>>();
    Points::dense(values, count, d)
}

/// The graph with its scores times `factor`; with the place of a score, that score with both signs.
fn turned(graph: Graph, factor: f64, place: Option<i64>) -> Result<Graph> {
    let (inputs, mut weights, mut nodes, mut outputs) = graph.into_parts();
    let mut at = outputs[0].1;
    let mut add = |name: &str, op: Op, inputs: Vec<Source>| {
        let inputs = inputs.into_iter().map(Some).collect();
        nodes.push(Node { name: format!("{name} of the scores"), op, inputs, outputs: 1 });
        Source::Node(nodes.len() - 1, 0)
    };
    let mut constant = |name: &str, tensor: Tensor| {
        weights.push(Weight { name: format!("{name} of the scores"), tensor, trained: false });
        Source::Weight(weights.len() - 1)
    };
    if factor < 0.0 {
        at = add("opposite", Op::Unary(Unary::Neg), vec![at]);
    }
    if let Some(place) = place {
        let places = constant("places", Tensor::i64([2], vec![place; 2])?);
        at = add("twice one", Op::Gather { axis: 1 }, vec![at, places]);
        at = add("double precision", Op::Cast { to: base::graph::Element::F64 }, vec![at]);
        let signs = constant("signs", Tensor::f64([2], vec![-1.0, 1.0])?);
        at = add("signed", Op::Binary(base::graph::Binary::Mul), vec![at, signs]);
    }
    outputs[0].1 = at;
    Graph::new(inputs, weights, nodes, outputs)
}
