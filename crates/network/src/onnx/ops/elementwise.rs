//! Functions of one number.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use base::graph::{Binary, Op, Source, Unary};
use base::{Error, Result};

/// A row of an operator without attributes that is one function of ours.
macro_rules! same {
    ($op:literal, $unary:expr) => {
        row($op, &[], |r, c| plain(r, c, $unary))
    };
}

pub(super) const ROWS: &[Row] = &[
    same!("Relu", Unary::Relu),
    same!("Softplus", Unary::Softplus),
    same!("Softsign", Unary::Softsign),
    same!("Sigmoid", Unary::Sigmoid),
    same!("HardSwish", Unary::HardSwish),
    same!("Mish", Unary::Mish),
    same!("Tanh", Unary::Tanh),
    same!("Erf", Unary::Erf),
    same!("Exp", Unary::Exp),
    same!("Log", Unary::Log),
    same!("Sqrt", Unary::Sqrt),
    same!("Abs", Unary::Abs),
    same!("Neg", Unary::Neg),
    same!("Reciprocal", Unary::Reciprocal),
    same!("Floor", Unary::Floor),
    same!("Ceil", Unary::Ceil),
    same!("Round", Unary::Round),
    same!("Sign", Unary::Sign),
    same!("Sin", Unary::Sin),
    same!("Cos", Unary::Cos),
    same!("Tan", Unary::Tan),
    same!("Asin", Unary::Asin),
    same!("Acos", Unary::Acos),
    same!("Atan", Unary::Atan),
    same!("Sinh", Unary::Sinh),
    same!("Cosh", Unary::Cosh),
    same!("Not", Unary::Not),
    same!("IsNaN", Unary::IsNan),
    row("LeakyRelu", &["alpha"], |r, c| plain(r, c, Unary::LeakyRelu(c.float("alpha", 0.01)?))),
    row("ThresholdedRelu", &["alpha"], |r, c| plain(r, c, Unary::ThresholdedRelu(c.float("alpha", 1.0)?))),
    row("Elu", &["alpha"], |r, c| plain(r, c, Unary::Elu(c.float("alpha", 1.0)?))),
    row("Celu", &["alpha"], |r, c| plain(r, c, Unary::Celu(c.float("alpha", 1.0)?))),
    row("Selu", &["alpha", "gamma"], selu),
    row("Gelu", &["approximate"], gelu),
    row("HardSigmoid", &["alpha", "beta"], |r, c| {
        plain(r, c, Unary::HardSigmoid(c.float("alpha", 0.2f32.into())?, c.float("beta", 0.5)?))
    }),
    row("Swish", &["alpha"], |r, c| plain(r, c, Unary::Swish(c.float("alpha", 1.0)?))),
    row("IsInf", &["detect_negative", "detect_positive"], is_inf),
    row("Asinh", &[], asinh),
    row("Acosh", &[], acosh),
    row("Atanh", &[], atanh),
    row("Shrink", &["bias", "lambd"], shrink),
    row("ImageScaler", &["bias", "scale"], image_scaler),
];

fn plain(r: &mut Reading<'_, '_>, c: &Call<'_>, unary: Unary) -> Result<Vec<Source>> {
    Ok(vec![r.builder.unary(unary, c.input(0)?)?])
}

fn selu(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    // The constants of Klambauer et al. (2017) in single precision, as the operator's definition has them.
    let (alpha, gamma) = (c.float("alpha", 1.673_263_2f32.into())?, c.float("gamma", 1.050_701f32.into())?);
    plain(r, c, Unary::Selu(alpha, gamma))
}

fn gelu(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    match c.text("approximate", "none")? {
        "none" => plain(r, c, Unary::Gelu(false)),
        "tanh" => plain(r, c, Unary::Gelu(true)),
        other => Err(Error::parameter("approximate", other, "must be none or tanh")),
    }
}

fn is_inf(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (negative, positive) = (c.flag("detect_negative", true)?, c.flag("detect_positive", true)?);
    let x = c.input(0)?;
    let infinite = r.builder.unary(Unary::IsInf, x)?;
    let side = match (negative, positive) {
        (true, true) => return Ok(vec![infinite]),
        (true, false) => Binary::Less,
        (false, true) => Binary::Greater,
        // Neither: nothing is both above and below.
        (false, false) => {
            let finite = r.builder.unary(Unary::Not, infinite)?;
            return Ok(vec![r.builder.binary(Binary::And, infinite, finite)?]);
        }
    };
    let zero = r.builder.number_like(x, 0.0)?;
    let side = r.builder.binary(side, x, zero)?;
    Ok(vec![r.builder.binary(Binary::And, infinite, side)?])
}

/// sign x · log(|x| + √(x² + 1)); near 0 exact to the rounding of 1, not of x.
fn asinh(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let b = &mut r.builder;
    let x = c.input(0)?;
    let (one, size, sign) = (b.number_like(x, 1.0)?, b.unary(Unary::Abs, x)?, b.unary(Unary::Sign, x)?);
    let square = b.binary(Binary::Mul, x, x)?;
    let more = b.binary(Binary::Add, square, one)?;
    let root = b.unary(Unary::Sqrt, more)?;
    let sum = b.binary(Binary::Add, size, root)?;
    let log = b.unary(Unary::Log, sum)?;
    Ok(vec![b.binary(Binary::Mul, sign, log)?])
}

/// log(x + √(x² − 1)).
fn acosh(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let b = &mut r.builder;
    let x = c.input(0)?;
    let (one, square) = (b.number_like(x, 1.0)?, b.binary(Binary::Mul, x, x)?);
    let less = b.binary(Binary::Sub, square, one)?;
    let root = b.unary(Unary::Sqrt, less)?;
    let sum = b.binary(Binary::Add, x, root)?;
    Ok(vec![b.unary(Unary::Log, sum)?])
}

/// ½ log((1 + x) / (1 − x)).
fn atanh(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let b = &mut r.builder;
    let x = c.input(0)?;
    let (one, half) = (b.number_like(x, 1.0)?, b.number_like(x, 0.5)?);
    let (above, below) = (b.binary(Binary::Add, one, x)?, b.binary(Binary::Sub, one, x)?);
    let ratio = b.binary(Binary::Div, above, below)?;
    let log = b.unary(Unary::Log, ratio)?;
    Ok(vec![b.binary(Binary::Mul, half, log)?])
}

/// x + bias below −λ, x − bias above λ, 0 between.
fn shrink(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (bias, lambda) = (c.float("bias", 0.0)?, c.float("lambd", 0.5)?);
    let b = &mut r.builder;
    let x = c.input(0)?;
    let (zero, bias) = (b.number_like(x, 0.0)?, b.number_like(x, bias)?);
    let (low, high) = (b.number_like(x, -lambda)?, b.number_like(x, lambda)?);
    let (below, above) = (b.binary(Binary::Less, x, low)?, b.binary(Binary::Greater, x, high)?);
    let (up, down) = (b.binary(Binary::Add, x, bias)?, b.binary(Binary::Sub, x, bias)?);
    let rest = b.add(Op::Where, &[above, down, zero])?;
    Ok(vec![b.add(Op::Where, &[below, up, rest])?])
}

/// scale · x + bias, a bias for each channel: an experimental operator of early converters.
fn image_scaler(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let bias = c.floats("bias")?.unwrap_or(&[]);
    let x = c.input(0)?;
    let scale = r.builder.number_like(x, c.float("scale", 1.0)?)?;
    let y = r.builder.binary(Binary::Mul, x, scale)?;
    if bias.is_empty() {
        return Ok(vec![y]);
    }
    let bias = r.builder.numbers_like(x, &[bias.len(), 1, 1], bias)?;
    Ok(vec![r.builder.binary(Binary::Add, y, bias)?])
}
