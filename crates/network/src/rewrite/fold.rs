//! Constants computed once and for all.

use super::rebuild::Parts;
use crate::kernel::{Context, Known, TensorForm};
use crate::ops::kernel;
use crate::pool::Pool;
use base::graph::{Graph, Source, Tensor, Weight};
use base::{Result, Run};

/// The graph in which nodes that depend on weights alone are weights.
///
/// A weight made of one that may be trained may be trained too: it stands in its place.
pub fn folded(graph: &Graph, run: &Run<'_>) -> Result<Graph> {
    let mut parts = Parts::of(graph);
    let pool = Pool::default();
    let context = Context { run, pool: &pool, training: None };
    for i in 0..parts.nodes.len() {
        let Some((tensors, trained)) = constant(&parts, i, &context)? else { continue };
        for (port, tensor) in tensors.into_iter().enumerate() {
            let name = parts.nodes[i].name.clone();
            let name = if port == 0 { name } else { format!("{name} {port}") };
            let weight = parts.add(Weight { name, tensor, trained });
            parts.replace(Source::Node(i, port), weight);
        }
    }
    parts.graph()
}

/// What a node gives that depends on weights alone, and whether one of them may be trained.
fn constant(parts: &Parts, i: usize, context: &Context<'_>) -> Result<Option<(Vec<Tensor>, bool)>> {
    let node = &parts.nodes[i];
    let weights: Vec<Option<&Weight>> = (0..node.inputs.len()).map(|k| parts.weight(i, k)).collect();
    let all = weights.iter().zip(&node.inputs).all(|(weight, source)| weight.is_some() == source.is_some());
    if !all {
        return Ok(None);
    }
    let kernel = kernel(&node.op);
    if !kernel.is_steady() {
        return Ok(None);
    }
    let known: Vec<Option<Known>> = weights
        .iter()
        .map(|w| {
            w.map(|w| Known {
                form: TensorForm::new(w.tensor.element(), w.tensor.shape()),
                value: Some(w.tensor.clone()),
            })
        })
        .collect();
    let forms = kernel.forms(&known.iter().map(Option::as_ref).collect::<Vec<_>>(), node.outputs)?;
    forms.iter().try_for_each(|form| form.count().map(|_| ()))?;
    let tensors: Vec<Option<&Tensor>> = weights.iter().map(|w| w.map(|w| &w.tensor)).collect();
    let given = kernel.run(&tensors, &forms, context)?;
    Ok(Some((given, weights.iter().flatten().any(|w| w.trained))))
}
