//! How far an exported file is from its model.

use super::{Exported, OnnxReading, read_onnx_model};
use base::{Error, Inputs, Meaning, Points, Prediction, Result, Run, Shape, argmax, normal};

/// Rows that are drawn where no data are given.
const DRAWN: usize = 256;

/// What became of a model on its way to a file and back.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Rows that were compared.
    pub rows: usize,
    /// The largest difference of two scores.
    pub largest: f64,
    /// The largest score, which the difference is to be measured by.
    pub scale: f64,
    /// Rows whose predicted class is another, for classes.
    pub flips: Option<usize>,
}

/// Reads an exported file back and compares it with its model on these inputs, in the model's own form; without any, on
/// drawn rows: numbers of a standard normal, for pictures whole numbers from 0 to 255.
pub fn check_export(exported: &Exported, inputs: Option<&Inputs>, run: &Run<'_>) -> Result<Checked> {
    let nowhere = |name: &str| Err(Error::format(name, "does not exist"));
    let back = read_onnx_model("the exported file", &exported.bytes, &nowhere, &OnnxReading::default(), run)?;
    let points = match (inputs, &exported.before) {
        (Some(inputs), Some(before)) => Inputs::Points(before.compute(inputs, run)?),
        (Some(inputs), None) => inputs.clone(),
        (None, _) => Inputs::Points(drawn(exported, run)?),
    };
    let ours = Prediction::of(&*exported.body, &points, run)?;
    let theirs = Prediction::of(&*back.machine, &points, run)?;
    let (width, main) = (ours.outputs.names.len(), ours.outputs.main());
    let (a, b) = (ours.scores.to_dense(&run.memory)?, theirs.scores.to_dense(&run.memory)?);
    if a.len() != b.len() {
        return Err(Error::size("scores of the exported file", a.len(), b.len()));
    }
    // The lowest of all scores stands for "never" in either precision.
    let lowest = |x: f64| x <= f64::from(f32::MIN);
    let differs = |a: f64, b: f64| if a == b || (lowest(a) && lowest(b)) { 0.0 } else { (a - b).abs() };
    let pairs = || a.iter().copied().zip(b.iter().copied());
    let largest =
        pairs().map(|(a, b)| differs(a, b)).fold(0.0, |m, x| if x.is_nan() { f64::INFINITY } else { m.max(x) });
    let scale = a.iter().filter(|x| !lowest(**x)).fold(0.0, |m: f64, x| m.max(x.abs()));
    let flips = (ours.outputs.meaning == Meaning::Classes).then(|| {
        let rows = a.chunks_exact(width.max(1)).zip(b.chunks_exact(width.max(1)));
        rows.filter(|(a, b)| argmax(&a[..main]) != argmax(&b[..main])).count()
    });
    Ok(Checked { rows: points.len(), largest, scale, flips })
}

fn drawn(exported: &Exported, run: &Run<'_>) -> Result<Points> {
    let features = exported.body.inputs();
    let pixels = matches!(features.shape(), Some(Shape::Image { .. }));
    let count = DRAWN.saturating_mul(features.count());
    let (mut values, hold) = run.memory.filled(count, 0.0, "random rows")?;
    let mut stream = run.seed.fork("rows to compare on").stream();
    for value in &mut values {
        let x = normal(&mut stream);
        *value = if pixels { (127.5 + 64.0 * x).clamp(0.0, 255.0).round() } else { x };
    }
    Points::dense(base::Buffer::F64(base::Shared::counted(values, hold)), DRAWN, features.count())
}
