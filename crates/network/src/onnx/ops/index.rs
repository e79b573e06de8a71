//! Parts of tensors: cut out, gathered, scattered, padded, masked.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use crate::onnx::kind::Kind;
use base::graph::{Binary, Element, Filling, Op, Scatter, Source, Tensor};
use base::{Error, Result};

pub(super) const ROWS: &[Row] = &[
    row("Slice", &["axes", "ends", "starts"], slice),
    row("Gather", &["axis"], |r, c| {
        Ok(vec![r.builder.add(Op::Gather { axis: c.int("axis", 0)? }, &[c.input(0)?, c.input(1)?])?])
    }),
    row("GatherElements", &["axis"], |r, c| {
        Ok(vec![r.builder.add(Op::GatherElements { axis: c.int("axis", 0)? }, &[c.input(0)?, c.input(1)?])?])
    }),
    row("GatherND", &["batch_dims"], |r, c| {
        let op = Op::GatherNd { batch: c.size("batch_dims", 0)? };
        Ok(vec![r.builder.add(op, &[c.input(0)?, c.input(1)?])?])
    }),
    row("Scatter", &["axis"], scatter_elements),
    row("ScatterElements", &["axis", "reduction"], scatter_elements),
    row("ScatterND", &["reduction"], |r, c| scatter(r, c, Scatter::Nd)),
    row("Pad", &["mode", "pads", "value"], pad),
    row("OneHot", &["axis"], one_hot),
    row("Trilu", &["upper"], trilu),
    row("EyeLike", &["dtype", "k"], eye_like),
];

/// Places are attributes up to version 9, inputs later.
fn slice(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let mut inputs = vec![Some(c.input(0)?)];
    if c.opset < 10 {
        for name in ["starts", "ends", "axes"] {
            let values = c.ints(name)?;
            inputs.push(values.map(|v| r.builder.wholes(v)).transpose()?);
        }
    } else {
        inputs.extend((1..5).map(|i| c.optional(i)));
    }
    if inputs[1].is_none() || inputs[2].is_none() {
        return Err(Error::parameter("starts and ends", "absent", "is required"));
    }
    Ok(vec![r.builder.add_with(Op::Slice, inputs, 1)?])
}

fn scatter_elements(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    scatter(r, c, Scatter::Elements { axis: c.int("axis", 0)? })
}

fn scatter(r: &mut Reading<'_, '_>, c: &Call<'_>, how: Scatter) -> Result<Vec<Source>> {
    match c.text("reduction", "none")? {
        "none" => Ok(vec![r.builder.add(Op::Scatter(how), &[c.input(0)?, c.input(1)?, c.input(2)?])?]),
        other => {
            let what = format!("reduction = {other}");
            Err(Error::unsupported(what, "the ONNX import", "only reduction=none is supported"))
        }
    }
}

/// How much is an attribute up to version 10, an input later.
fn pad(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let filling = match c.text("mode", "constant")? {
        "constant" => Filling::Constant,
        "reflect" => Filling::Reflect,
        "edge" => Filling::Edge,
        "wrap" => Filling::Wrap,
        other => return Err(Error::parameter("mode", other, "must be constant, reflect, edge or wrap")),
    };
    let x = c.input(0)?;
    let inputs = match c.ints("pads")? {
        Some(pads) => {
            let pads = r.builder.wholes(pads)?;
            vec![Some(x), Some(pads), Some(r.builder.number_like(x, c.float("value", 0.0)?)?)]
        }
        None => vec![Some(x), Some(c.input(1)?), c.optional(2), c.optional(3)],
    };
    Ok(vec![r.builder.add_with(Op::Pad { filling }, inputs, 1)?])
}

/// Indices and depth may be of any type.
fn one_hot(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (places, depth) = (r.builder.cast(c.input(0)?, Element::I64)?, r.builder.cast(c.input(1)?, Element::I64)?);
    Ok(vec![r.builder.add(Op::OneHot { axis: c.int("axis", -1)? }, &[places, depth, c.input(2)?])?])
}

/// How far each element of the last two axes lies to the right of the diagonal: column − row.
fn beyond_diagonal(r: &mut Reading<'_, '_>, x: Source) -> Result<Source> {
    let (rows, columns) = (r.counting(x, -2)?, r.counting(x, -1)?);
    let rows = r.builder.add(Op::Unsqueeze { axes: vec![1] }, &[rows])?;
    r.builder.binary(Binary::Sub, columns, rows)
}

/// One side of the diagonal, 0 on the other.
fn trilu(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    let side = if c.flag("upper", true)? { Binary::GreaterOrEqual } else { Binary::LessOrEqual };
    let distance = beyond_diagonal(r, x)?;
    let offset = match c.optional(1) {
        Some(k) => k,
        None => r.builder.constant(Tensor::i64([], vec![0])?)?,
    };
    let kept = r.builder.binary(side, distance, offset)?;
    let zero = r.builder.number_like(x, 0.0)?;
    Ok(vec![r.builder.add(Op::Where, &[kept, x, zero])?])
}

/// 1 on a diagonal, else 0.
fn eye_like(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    let element = match c.has("dtype") {
        true => Kind::of(c.int("dtype", 1)?)?.element,
        false => r.builder.element(x)?,
    };
    let distance = beyond_diagonal(r, x)?;
    let offset = r.builder.constant(Tensor::i64([], vec![c.int("k", 0)?])?)?;
    let on = r.builder.binary(Binary::Equal, distance, offset)?;
    Ok(vec![r.builder.cast(on, element)?])
}
