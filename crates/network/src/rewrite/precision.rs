//! A graph computed in another precision.

use super::rebuild::Parts;
use base::Result;
use base::graph::{Element, Graph, Op, Tensor};

/// The graph with all real numbers in that precision: inputs, weights, constants and casts.
///
/// Whole numbers and flags stay. Numbers too large for single precision become its largest, so that a bound stays one.
pub fn in_precision(graph: &Graph, precision: Element) -> Result<Graph> {
    let mut parts = Parts::of(graph);
    for input in parts.inputs.iter_mut().filter(|i| i.element.is_real()) {
        input.element = precision;
    }
    for weight in &mut parts.weights {
        weight.tensor = tensor(&weight.tensor, precision)?;
    }
    for node in &mut parts.nodes {
        match &mut node.op {
            Op::Cast { to } if to.is_real() => *to = precision,
            Op::ConstantOfShape { value } => *value = tensor(value, precision)?,
            _ => {}
        }
    }
    parts.graph()
}

fn tensor(tensor: &Tensor, precision: Element) -> Result<Tensor> {
    let single =
        |x: f64| if x.is_finite() { x.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32 } else { x as f32 };
    match (tensor.element(), precision) {
        (Element::F64, Element::F32) => Tensor::f32(tensor.shape(), tensor.to_f64().into_iter().map(single).collect()),
        (Element::F32, Element::F64) => Tensor::f64(tensor.shape(), tensor.to_f64()),
        _ => Ok(tensor.clone()),
    }
}
