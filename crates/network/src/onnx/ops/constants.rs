//! Constants, types, and operators that do nothing at prediction.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use crate::onnx::kind::Kind;
use base::graph::{Binary, Element, Op, Source, Tensor, Unary};
use base::{Error, Result};

pub(super) const ROWS: &[Row] = &[
    row(
        "Constant",
        &["value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings"],
        constant,
    ),
    row("ConstantOfShape", &["value"], constant_of_shape),
    row("Range", &[], |r, c| Ok(vec![r.builder.add(Op::Range, &[c.input(0)?, c.input(1)?, c.input(2)?])?])),
    row("Cast", &["round_mode", "saturate", "to"], |r, c| {
        let kind = Kind::of(c.int("to", 0)?)?;
        cast(r, c.input(0)?, kind)
    }),
    row("CastLike", &["round_mode", "saturate"], |r, c| {
        let element = r.builder.element(c.input(1)?)?;
        cast(r, c.input(0)?, Kind::native(element))
    }),
    row("Identity", &[], identity),
    row("Dropout", &["ratio", "seed"], dropout),
];

fn constant(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let name = c.node.outputs.first().copied().unwrap_or("");
    let tensor = if let Some(stored) = c.tensor("value")? {
        let loaded = r.loader.load(stored)?;
        let source = r.builder.weight(name, loaded.tensor)?;
        r.builder.set_texts(source, loaded.texts);
        return Ok(vec![source]);
    } else if c.has("value_float") {
        Tensor::f32([], vec![c.float("value_float", 0.0)? as f32])?
    } else if let Some(values) = c.floats("value_floats")? {
        Tensor::f32([values.len()], values.to_vec())?
    } else if c.has("value_int") {
        Tensor::i64([], vec![c.int("value_int", 0)?])?
    } else if let Some(values) = c.ints("value_ints")? {
        Tensor::i64([values.len()], values.to_vec())?
    } else {
        return Err(Error::unsupported("a constant of strings or without a value", "the ONNX import", "use numbers"));
    };
    Ok(vec![r.builder.weight(name, tensor)?])
}

fn constant_of_shape(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let value = match c.tensor("value")? {
        Some(stored) => r.loader.load(stored)?.tensor,
        None => Tensor::f32([1], vec![0.0])?,
    };
    if value.numbers().len() != 1 {
        return Err(Error::size("value", "1 number", value.numbers().len()));
    }
    Ok(vec![r.builder.add(Op::ConstantOfShape { value }, &[c.input(0)?])?])
}

/// A cast; to whole numbers of 8 or 16 bits it wraps around as those do.
fn cast(r: &mut Reading<'_, '_>, x: Source, kind: Kind) -> Result<Vec<Source>> {
    if kind.name == "string" {
        return Err(Error::unsupported("a cast to strings", "the ONNX import", "only numbers are supported"));
    }
    let texts = r.builder.texts(x);
    let y = r.builder.add(Op::Cast { to: kind.element }, &[x])?;
    r.builder.set_texts(y, texts);
    if kind.is_native() {
        return Ok(vec![y]);
    }
    let (from, to) = (kind.name, kind.element.word());
    r.builder.note(format!("numbers of type {from} are computed as {to}"))?;
    match kind.wraps() {
        Some((low, count)) if count <= 1 << 16 => {
            let b = &mut r.builder;
            let (low, count) = (b.constant(Tensor::i64([], vec![low])?)?, b.constant(Tensor::i64([], vec![count])?)?);
            let above = b.binary(Binary::Sub, y, low)?;
            let within = b.binary(Binary::Mod, above, count)?;
            Ok(vec![b.binary(Binary::Add, within, low)?])
        }
        _ => Ok(vec![y]),
    }
}

fn identity(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    let texts = r.builder.texts(x);
    let y = r.builder.unary(Unary::Identity, x)?;
    r.builder.set_texts(y, texts);
    if let Some(columns) = r.columns.get(&x).cloned() {
        r.columns.insert(y, columns);
    }
    Ok(vec![y])
}

/// Nothing is dropped at prediction: the mask says yes everywhere.
fn dropout(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    let rate = match c.optional(1) {
        Some(rate) => r.builder.known(rate, "the ratio of a dropout")?.to_f64().first().copied().unwrap_or(0.5),
        None => c.float("ratio", 0.5)?,
    };
    if !(0.0..1.0).contains(&rate) {
        return Err(Error::parameter("ratio", rate, "must lie in [0, 1)"));
    }
    if let Some(training) = c.optional(2) {
        let training = r.builder.known(training, "the mode of a dropout")?.to_f64();
        if training.first().is_some_and(|&t| t != 0.0) && rate > 0.0 {
            let instead = "export the model for inference; training drops by the rate anyway";
            return Err(Error::unsupported("training_mode = true", "the ONNX import", instead));
        }
    }
    let y = r.builder.add(Op::Dropout { rate }, &[x])?;
    if c.outputs() < 2 {
        return Ok(vec![y]);
    }
    let shape = r.builder.shape_of(x, 0, None)?;
    let mask = r.builder.add(Op::ConstantOfShape { value: Tensor::bool([1], vec![true])? }, &[shape])?;
    // Up to version 9 the mask has the type of x.
    let element = if c.opset < 10 { r.builder.element(x)? } else { Element::Bool };
    let mask = r.builder.cast(mask, element)?;
    Ok(vec![y, mask])
}
