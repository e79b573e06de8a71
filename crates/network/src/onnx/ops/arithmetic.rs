//! Arithmetic, comparison and logic of two and more tensors, choice and bounds.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use base::Result;
use base::graph::{Binary, Element, Op, Source};

/// A row of an operator without attributes that is one function of ours.
macro_rules! same {
    ($op:literal, $binary:expr) => {
        row($op, &[], |r, c| plain(r, c, $binary))
    };
}

pub(super) const ROWS: &[Row] = &[
    same!("Add", Binary::Add),
    same!("Sub", Binary::Sub),
    same!("Mul", Binary::Mul),
    same!("Div", Binary::Div),
    same!("PRelu", Binary::Prelu),
    same!("Equal", Binary::Equal),
    same!("Less", Binary::Less),
    same!("LessOrEqual", Binary::LessOrEqual),
    same!("Greater", Binary::Greater),
    same!("GreaterOrEqual", Binary::GreaterOrEqual),
    same!("And", Binary::And),
    same!("Or", Binary::Or),
    same!("Xor", Binary::Xor),
    row("Pow", &[], pow),
    row("Mod", &["fmod"], |r, c| plain(r, c, if c.flag("fmod", false)? { Binary::Fmod } else { Binary::Mod })),
    row("Max", &[], |r, c| chain(r, c, Binary::Max)),
    row("Min", &[], |r, c| chain(r, c, Binary::Min)),
    row("Sum", &[], |r, c| chain(r, c, Binary::Add)),
    row("Mean", &[], mean),
    row("Where", &[], |r, c| Ok(vec![r.builder.add(Op::Where, &[c.input(0)?, c.input(1)?, c.input(2)?])?])),
    row("Clip", &["min", "max"], clip),
];

fn plain(r: &mut Reading<'_, '_>, c: &Call<'_>, binary: Binary) -> Result<Vec<Source>> {
    Ok(vec![r.builder.binary(binary, c.input(0)?, c.input(1)?)?])
}

/// The exponent may be of another type; the result is of the base's.
fn pow(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (x, y) = (c.input(0)?, c.input(1)?);
    let (base, exponent) = (r.builder.element(x)?, r.builder.element(y)?);
    if base == exponent {
        return plain(r, c, Binary::Pow);
    }
    if base.is_real() {
        let y = r.builder.cast(y, base)?;
        return Ok(vec![r.builder.binary(Binary::Pow, x, y)?]);
    }
    let (wide, y) = (r.builder.cast(x, Element::F64)?, r.builder.cast(y, Element::F64)?);
    let power = r.builder.binary(Binary::Pow, wide, y)?;
    Ok(vec![r.builder.cast(power, base)?])
}

fn chain(r: &mut Reading<'_, '_>, c: &Call<'_>, binary: Binary) -> Result<Vec<Source>> {
    let all = c.all()?;
    let mut result = all[0];
    for &next in &all[1..] {
        result = r.builder.binary(binary, result, next)?;
    }
    Ok(vec![result])
}

fn mean(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let sum = chain(r, c, Binary::Add)?[0];
    let count = r.builder.number_like(c.input(0)?, c.inputs.len() as f64)?;
    Ok(vec![r.builder.binary(Binary::Div, sum, count)?])
}

/// Bounds are attributes up to version 10, inputs later.
fn clip(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    let mut bounds = [c.optional(1), c.optional(2)];
    for (bound, name) in bounds.iter_mut().zip(["min", "max"]) {
        if c.has(name) {
            *bound = Some(r.builder.number_like(x, c.float(name, 0.0)?)?);
        }
    }
    Ok(vec![r.builder.add_with(Op::Clip, vec![Some(x), bounds[0], bounds[1]], 1)?])
}
