//! The same numbers in other shapes and orders.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use base::graph::{Binary, Op, Reduction, Source};
use base::{Error, Result};

pub(super) const ROWS: &[Row] = &[
    row("Reshape", &["allowzero"], |r, c| {
        let op = Op::Reshape { zero: c.flag("allowzero", false)? };
        Ok(vec![r.builder.add(op, &[c.input(0)?, c.input(1)?])?])
    }),
    row("Flatten", &["axis"], |r, c| Ok(vec![r.builder.add(Op::Flatten { axis: c.int("axis", 1)? }, &[c.input(0)?])?])),
    row("Squeeze", &["axes"], |r, c| {
        let axes = axes(r, c)?.unwrap_or_default();
        Ok(vec![r.builder.add(Op::Squeeze { axes }, &[c.input(0)?])?])
    }),
    row("Unsqueeze", &["axes"], |r, c| {
        let axes = axes(r, c)?.ok_or_else(|| Error::parameter("axes", "absent", "is required"))?;
        Ok(vec![r.builder.add(Op::Unsqueeze { axes }, &[c.input(0)?])?])
    }),
    row("Transpose", &["perm"], |r, c| {
        let order = c.sizes("perm")?.unwrap_or_default();
        Ok(vec![r.builder.add(Op::Transpose { order }, &[c.input(0)?])?])
    }),
    row("Concat", &["axis"], |r, c| Ok(vec![r.builder.concat(c.int("axis", 1)?, &c.all()?)?])),
    row("Split", &["axis", "num_outputs", "split"], split),
    row("Expand", &[], |r, c| Ok(vec![r.builder.add(Op::Expand, &[c.input(0)?, c.input(1)?])?])),
    row("Tile", &[], |r, c| Ok(vec![r.builder.add(Op::Tile, &[c.input(0)?, c.input(1)?])?])),
    row("Shape", &["start", "end"], |r, c| {
        let end = if c.has("end") { Some(c.int("end", 0)?) } else { None };
        Ok(vec![r.builder.shape_of(c.input(0)?, c.int("start", 0)?, end)?])
    }),
    row("Size", &[], |r, c| {
        let shape = r.builder.shape_of(c.input(0)?, 0, None)?;
        Ok(vec![r.builder.reduce(Reduction::Product, &[0], false, shape)?])
    }),
    row("DepthToSpace", &["blocksize", "mode"], depth_to_space),
    row("SpaceToDepth", &["blocksize"], space_to_depth),
];

/// Axes: an attribute up to version 12, an input later.
fn axes(r: &Reading<'_, '_>, c: &Call<'_>) -> Result<Option<Vec<i64>>> {
    match (c.ints("axes")?, c.optional(1)) {
        (Some(axes), _) => Ok(Some(axes.to_vec())),
        (None, Some(axes)) => r.builder.known_wholes(axes, "axes").map(Some),
        (None, None) => Ok(None),
    }
}

fn split(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let sizes = match (c.sizes("split")?, c.optional(1)) {
        (Some(sizes), _) => sizes,
        (None, Some(sizes)) => {
            let sizes = r.builder.known_wholes(sizes, "sizes of parts")?;
            let counts: Option<Vec<usize>> = sizes.iter().map(|&n| usize::try_from(n).ok()).collect();
            counts.ok_or_else(|| Error::parameter("split", format!("{sizes:?}"), "must not be negative"))?
        }
        (None, None) => vec![],
    };
    let outputs = c.outputs();
    let said = c.size("num_outputs", outputs)?;
    if said != outputs {
        return Err(Error::size("outputs", said, outputs));
    }
    let op = Op::Split { axis: c.int("axis", 0)?, sizes };
    let Source::Node(node, _) = r.builder.add_with(op, vec![Some(c.input(0)?)], outputs)? else { return Ok(vec![]) };
    Ok((0..outputs).map(|port| Source::Node(node, port)).collect())
}

fn block(c: &Call<'_>) -> Result<i64> {
    match c.int("blocksize", 0)? {
        size @ 1..=0xffff => Ok(size),
        other => Err(Error::parameter("blocksize", other, "must lie between 1 and 65535")),
    }
}

/// (n, c·b·b, h, w) to (n, c, h·b, w·b).
fn depth_to_space(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (x, size) = (c.input(0)?, block(c)?);
    let depth_first = match c.text("mode", "DCR")? {
        "DCR" => true,
        "CRD" => false,
        other => return Err(Error::parameter("mode", other, "must be DCR or CRD")),
    };
    let b = &mut r.builder;
    let (rows, space) = (b.shape_of(x, 0, Some(1))?, b.shape_of(x, 2, None)?);
    let inner = if depth_first { b.wholes(&[size, size, -1])? } else { b.wholes(&[-1, size, size])? };
    let apart = b.concat(0, &[rows, inner, space])?;
    let apart = b.reshape(x, apart)?;
    let order = if depth_first { vec![0, 3, 4, 1, 5, 2] } else { vec![0, 1, 4, 2, 5, 3] };
    let mixed = b.add(Op::Transpose { order }, &[apart])?;
    let (factor, channels) = (b.wholes(&[size])?, b.wholes(&[-1])?);
    let space = b.binary(Binary::Mul, space, factor)?;
    let shape = b.concat(0, &[rows, channels, space])?;
    Ok(vec![b.reshape(mixed, shape)?])
}

/// (n, c, h·b, w·b) to (n, b·b·c, h, w).
fn space_to_depth(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (x, size) = (c.input(0)?, block(c)?);
    let b = &mut r.builder;
    let (front, factor) = (b.shape_of(x, 0, Some(2))?, b.wholes(&[size])?);
    let (height, width) = (b.shape_of(x, 2, Some(3))?, b.shape_of(x, 3, Some(4))?);
    let (height, width) = (b.binary(Binary::Div, height, factor)?, b.binary(Binary::Div, width, factor)?);
    let apart = b.concat(0, &[front, height, factor, width, factor])?;
    let apart = b.reshape(x, apart)?;
    let mixed = b.add(Op::Transpose { order: vec![0, 3, 5, 1, 2, 4] }, &[apart])?;
    let (rows, channels) = (b.shape_of(x, 0, Some(1))?, b.wholes(&[-1])?);
    let shape = b.concat(0, &[rows, channels, height, width])?;
    Ok(vec![b.reshape(mixed, shape)?])
}
