//! Normalisations.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use base::graph::{Binary, Op, Reduction, Source, Unary};
use base::{Error, Result};

/// The usual ε, as the file would store it.
const EPSILON: f32 = 1e-5;

pub(super) const ROWS: &[Row] = &[
    row("BatchNormalization", &["epsilon", "momentum", "spatial", "training_mode"], batch),
    row("InstanceNormalization", &["epsilon"], |r, c| group(r, c, 0)),
    row("GroupNormalization", &["epsilon", "num_groups", "stash_type"], |r, c| {
        if c.opset < 21 {
            let instead = "convert the model to version 21, where scale and bias are for each channel";
            return Err(Error::unsupported(
                "scale and bias for each group (before version 21)",
                "the ONNX import",
                instead,
            ));
        }
        let groups = c.size("num_groups", 0)?;
        match groups {
            0 => Err(Error::parameter("num_groups", groups, "must be at least 1")),
            _ => group(r, c, groups),
        }
    }),
    row("LayerNormalization", &["axis", "epsilon", "stash_type"], layer),
    row("RMSNormalization", &["axis", "epsilon", "stash_type"], rms),
    row("LRN", &["alpha", "beta", "bias", "size"], |r, c| {
        let (alpha, beta) = (c.float("alpha", 1e-4f32.into())?, c.float("beta", 0.75)?);
        let op = Op::LocalResponse { size: c.size("size", 0)?, alpha, beta, bias: c.float("bias", 1.0)? };
        Ok(vec![r.builder.add(op, &[c.input(0)?])?])
    }),
    row("MeanVarianceNormalization", &["axes"], mean_variance),
    row("LpNormalization", &["axis", "p"], lp),
];

fn epsilon(c: &Call<'_>) -> Result<f64> {
    c.float("epsilon", EPSILON.into())
}

fn batch(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    if c.flag("training_mode", false)? || !c.flag("spatial", true)? {
        let instead = "export the model for inference, one mean for each channel";
        return Err(Error::unsupported("training_mode = 1 or spatial = 0", "the ONNX import", instead));
    }
    c.at_most(1)?;
    let inputs = (0..5).map(|i| c.input(i)).collect::<Result<Vec<_>>>()?;
    Ok(vec![r.builder.add(Op::BatchNorm { epsilon: epsilon(c)? }, &inputs)?])
}

fn group(r: &mut Reading<'_, '_>, c: &Call<'_>, groups: usize) -> Result<Vec<Source>> {
    let op = Op::GroupNorm { groups, epsilon: epsilon(c)? };
    Ok(vec![r.builder.add(op, &[c.input(0)?, c.input(1)?, c.input(2)?])?])
}

/// The axes from `axis` on.
fn from_axis(r: &Reading<'_, '_>, c: &Call<'_>, x: Source) -> Result<Vec<i64>> {
    let rank = r.builder.rank(x)?;
    let first = crate::kernel::axis(c.int("axis", -1)?, rank)?;
    Ok((first as i64..rank as i64).collect())
}

fn layer(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    let (axis, epsilon) = (c.int("axis", -1)?, epsilon(c)?);
    let inputs = vec![Some(x), Some(c.input(1)?), c.optional(2)];
    let y = r.builder.add_with(Op::LayerNorm { axis, epsilon }, inputs, 1)?;
    let mut outputs = vec![y];
    if c.outputs() > 1 {
        let axes = from_axis(r, c, x)?;
        let b = &mut r.builder;
        let mean = b.reduce(Reduction::Mean, &axes, true, x)?;
        let centred = b.binary(Binary::Sub, x, mean)?;
        let squares = b.binary(Binary::Mul, centred, centred)?;
        let variance = b.reduce(Reduction::Mean, &axes, true, squares)?;
        outputs.extend([mean, inverse_root(r, variance, epsilon)?]);
    }
    Ok(outputs)
}

/// 1 / √(x + ε).
fn inverse_root(r: &mut Reading<'_, '_>, x: Source, epsilon: f64) -> Result<Source> {
    let epsilon = r.builder.number_like(x, epsilon)?;
    let sum = r.builder.binary(Binary::Add, x, epsilon)?;
    let root = r.builder.unary(Unary::Sqrt, sum)?;
    r.builder.unary(Unary::Reciprocal, root)
}

/// x / √(mean x² + ε) · scale.
fn rms(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (x, scale) = (c.input(0)?, c.input(1)?);
    let axes = from_axis(r, c, x)?;
    let squares = r.builder.binary(Binary::Mul, x, x)?;
    let mean = r.builder.reduce(Reduction::Mean, &axes, true, squares)?;
    let factor = inverse_root(r, mean, epsilon(c)?)?;
    let y = r.builder.binary(Binary::Mul, x, factor)?;
    Ok(vec![r.builder.binary(Binary::Mul, y, scale)?])
}

/// (x − mean) / (standard deviation + 10⁻⁹).
fn mean_variance(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let axes = c.ints("axes")?.unwrap_or(&[0, 2, 3]);
    let b = &mut r.builder;
    let x = c.input(0)?;
    let tiny = b.number_like(x, 1e-9)?;
    let mean = b.reduce(Reduction::Mean, axes, true, x)?;
    let centred = b.binary(Binary::Sub, x, mean)?;
    let squares = b.binary(Binary::Mul, centred, centred)?;
    let variance = b.reduce(Reduction::Mean, axes, true, squares)?;
    let deviation = b.unary(Unary::Sqrt, variance)?;
    let deviation = b.binary(Binary::Add, deviation, tiny)?;
    Ok(vec![b.binary(Binary::Div, centred, deviation)?])
}

/// x divided by its norm along an axis; what is all 0 stays 0.
fn lp(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let reduction = match c.int("p", 2)? {
        1 => Reduction::L1,
        2 => Reduction::L2,
        other => return Err(Error::parameter("p", other, "must be 1 or 2")),
    };
    let x = c.input(0)?;
    let norm = r.builder.reduce(reduction, &[c.int("axis", -1)?], true, x)?;
    Ok(vec![divided(r, x, norm)?])
}

/// x / norm, and x itself where the norm is 0.
pub(super) fn divided(r: &mut Reading<'_, '_>, x: Source, norm: Source) -> Result<Source> {
    let b = &mut r.builder;
    let (zero, one) = (b.number_like(x, 0.0)?, b.number_like(x, 1.0)?);
    let nothing = b.binary(Binary::Equal, norm, zero)?;
    let norm = b.add(Op::Where, &[nothing, one, norm])?;
    b.binary(Binary::Div, x, norm)
}
