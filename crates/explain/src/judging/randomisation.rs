//! Does an explanation look at what the network has learned? Its rank correlation with explanations of the same network
//! whose weights are drawn anew.
//!
//! Layers are the nodes with weights of their own (dense, convolutions, products with a weight, distances). Cascading,
//! they lose what they learned one after the other from the output to the input; independently, one at a time. Each
//! weight is drawn from a normal law with the mean and deviation that its numbers had, so that activations keep their size. Both explanations
//! are of the network's form (normalisations within their layers) and of the same output. Correlations near 1 say that
//! the explanation does not depend on the weights.
//!
//! **Cost.** One explanation of all rows a layer, of at most `MOST` layers, evenly chosen. **Limits.** Deep Taylor explains
//! scores above 0, so rows that fall below have no number there. Source: J. Adebayo, J. Gilmer, M. Muelly, I. Goodfellow,
//! M. Hardt, B. Kim: *Sanity checks for saliency maps.* NeurIPS 2018.

use super::EvalContext;
use super::statistics::rank_correlation;
use crate::machine::ScoreOf;
use crate::method::Method;
use crate::rules::BatchNormWay;
use crate::subject::Subject;
use crate::tuning::Tuning;
use base::graph::{Element, Graph, Op, Source, Tensor};
use base::{Error, Features, Progress, Relevance, Result, Run, Seed, choices, normal};
use network::NetworkMachine;

choices! {
    /// Which layers are drawn anew.
    pub enum Layers {
        /// From the output on, one more at each step.
        Cascading = "cascading",
        /// One at a time.
        Independent = "independent",
    }
}

/// Networks with drawn weights that are explained, at the most.
const MOST: usize = 12;

/// Rank correlations of each row with explanations of the drawn networks.
#[derive(Debug, Clone, PartialEq)]
pub struct Correlations {
    /// The names of the layers, from the output on, up to which (or of which) weights were drawn.
    pub layers: Vec<String>,
    /// For each row, one correlation a layer; not a number where the method has nothing to say.
    pub rows: Vec<Vec<f64>>,
}

/// Explains the rows with drawn weights and compares.
pub fn correlations(
    scene: &EvalContext<'_>,
    (method, tuning): (Method, &Tuning),
    run: &Run<'_>,
) -> Result<Correlations> {
    let fuse = tuning.batch_norm == BatchNormWay::Fused;
    let lent = match scene.subject.lent(fuse, run) {
        Ok(lent) if !scene.is_own() => lent,
        Ok(_) | Err(Error::Unsupported { .. }) => {
            let instead = "randomisation is for networks: choose another measure";
            return Err(Error::unsupported("randomisation", "this machine", instead));
        }
        Err(other) => return Err(other),
    };
    let graph = lent.net.network.graph();
    let layers = layers(graph);
    if layers.is_empty() {
        return Err(Error::unsupported("randomisation", "this machine", "its network has no layer with weights"));
    }
    let before = explained(scene, graph.clone(), (method, tuning), run)?.1;
    let before = scene.numbers(&before, run)?;
    let count = layers.len().min(MOST);
    let stops: Vec<usize> = (1..=count).map(|k| k * layers.len() / count).collect();
    let mut found = Correlations { layers: vec![], rows: vec![vec![]; scene.points.len()] };
    let seed = run.seed.fork("drawn weights");
    for (k, &stop) in stops.iter().enumerate() {
        run.report(&Progress::of("randomising weights", k as u64, count as u64))?;
        let first = if scene.how.layers == Layers::Cascading { 0 } else { stop - 1 };
        let drawn = layers[first..stop].iter().try_fold(graph.clone(), |graph, &node| redrawn(graph, node, seed))?;
        // Relevance that is drawn is drawn anew, or it would seem never to change.
        let own = if method.entry().drawn { run.fork(&format!("drawn anew {k}")) } else { run.clone() };
        let (kept, after) = explained(scene, drawn, (method, tuning), &own)?;
        let after = after.values.to_dense(&run.memory)?;
        let columns = scene.points.columns().max(1);
        found.rows.iter_mut().for_each(|row| row.push(f64::NAN));
        for (&i, after) in kept.iter().zip(after.chunks_exact(columns)) {
            found.rows[i][k] = rank_correlation(&before[i], after);
        }
        found.layers.push(graph.nodes()[layers[stop - 1]].name.clone());
    }
    Ok(found)
}

/// The nodes with weights of their own, the last first.
fn layers(graph: &Graph) -> Vec<usize> {
    let has = |i: &usize| !weights_of(graph, *i).is_empty();
    (0..graph.nodes().len()).rev().filter(has).collect()
}

/// The real weights that go into a linear layer or a distance.
fn weights_of(graph: &Graph, node: usize) -> Vec<usize> {
    let node = &graph.nodes()[node];
    match node.op {
        Op::Dense { .. } | Op::Conv { .. } | Op::ConvTranspose { .. } | Op::MatMul | Op::Distance { .. } => {
            let weight = |source: &Source| match source {
                Source::Weight(i) if graph.weights()[*i].tensor.element().is_real() => Some(*i),
                _ => None,
            };
            node.inputs.iter().flatten().filter_map(weight).collect()
        }
        _ => vec![],
    }
}

/// The graph with the weights of a node drawn anew.
fn redrawn(graph: Graph, node: usize, seed: Seed) -> Result<Graph> {
    weights_of(&graph, node).into_iter().try_fold(graph, |graph, i| {
        let old = &graph.weights()[i].tensor;
        let (numbers, shape) = (old.to_f64(), old.shape().to_vec());
        let n = numbers.len().max(1) as f64;
        let mean = numbers.iter().sum::<f64>() / n;
        let deviation = (numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
        let mut stream = seed.at(i).stream();
        let drawn: Vec<f64> = numbers.iter().map(|_| mean + deviation * normal(&mut stream)).collect();
        let tensor = match old.element() {
            Element::F32 => Tensor::f32(shape, drawn.into_iter().map(|x| x as f32).collect())?,
            _ => Tensor::f64(shape, drawn)?,
        };
        graph.with_weight(i, tensor)
    })
}

/// What the method says of the rows under this graph, and which rows these are.
fn explained(
    scene: &EvalContext<'_>,
    graph: Graph,
    (method, tuning): (Method, &Tuning),
    run: &Run<'_>,
) -> Result<(Vec<usize>, Relevance)> {
    let inner = scene.subject.machine();
    let features = Features::unnamed(inner.inputs().count());
    let features = match scene.subject.shape() {
        Some(shape) => features.shaped(shape)?,
        None => features,
    };
    let machine = NetworkMachine::new(graph, features, inner.outputs().clone())?;
    let mut kept: Vec<usize> = (0..scene.points.len()).collect();
    if method.above_zero() {
        let scores = ScoreOf::without_gradient(&machine, 0, run)?.values_of(&scene.points, &scene.outputs, run)?;
        kept.retain(|&i| scores[i] > 0.0);
    }
    if kept.is_empty() {
        return Ok((kept, crate::attribution::relevance_of(vec![], (0, scene.points.columns()), None, method.word())?));
    }
    let some = scene.with_rows(scene.points.select(&kept)?, kept.iter().map(|&i| scene.outputs[i]).collect(), run)?;
    let relevance =
        some.explained_at(&Subject::of(scene.subject.parts().with(&machine)), &some.points, (method, tuning), run)?;
    Ok((kept, relevance))
}
