//! Softmax and its like.
//!
//! Up to version 12 they see a matrix: the axes before `axis` are its rows, the others its columns. From version 13 on
//! they go along one axis.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use crate::onnx::facts::Fact;
use base::Result;
use base::graph::{Element, Op, Source, Tensor};

pub(super) const ROWS: &[Row] = &[
    row("Softmax", &["axis"], |r, c| along(r, c, |r, axis, x| r.builder.add(Op::Softmax { axis, log: false }, &[x]))),
    row("LogSoftmax", &["axis"], |r, c| along(r, c, |r, axis, x| r.builder.add(Op::Softmax { axis, log: true }, &[x]))),
    row("Hardmax", &["axis"], |r, c| along(r, c, hardmax)),
];

type Along = fn(&mut Reading<'_, '_>, i64, Source) -> Result<Source>;

fn along(r: &mut Reading<'_, '_>, c: &Call<'_>, function: Along) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    if c.opset >= 13 {
        return Ok(vec![function(r, c.int("axis", -1)?, x)?]);
    }
    let axis = c.int("axis", 1)?;
    let rank = r.builder.fact(x).and_then(Fact::rank);
    if rank.is_some_and(|n| axis == n as i64 - 1) || axis == -1 {
        // One axis of columns: the matrix is what it is.
        return Ok(vec![function(r, axis, x)?]);
    }
    let shape = r.builder.shape_of(x, 0, None)?;
    let matrix = r.builder.add(Op::Flatten { axis }, &[x])?;
    let y = function(r, 1, matrix)?;
    Ok(vec![r.builder.reshape(y, shape)?])
}

/// 1 at the first of the largest along an axis, else 0.
fn hardmax(r: &mut Reading<'_, '_>, axis: i64, x: Source) -> Result<Source> {
    let element = r.builder.element(x)?;
    let places = r.builder.add(Op::ArgMax { axis, keep: false, last: false, smallest: false }, &[x])?;
    let depth = r.builder.shape_of(x, axis, if axis == -1 { None } else { Some(axis + 1) })?;
    let values = r.builder.constant(match element {
        Element::F64 => Tensor::f64([2], vec![0.0, 1.0])?,
        _ => Tensor::f32([2], vec![0.0, 1.0])?,
    })?;
    r.builder.add(Op::OneHot { axis }, &[places, depth, values])
}
