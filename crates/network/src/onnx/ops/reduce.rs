//! Axes brought together: sums, means, extremes, their places, the k largest, sums so far.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use base::graph::{Binary, Element, Op, Reduction, Source, Unary};
use base::{Error, Result};

macro_rules! same {
    ($op:literal, $reduction:expr) => {
        row($op, &["axes", "keepdims", "noop_with_empty_axes"], |r, c| reduce(r, c, $reduction))
    };
}

pub(super) const ROWS: &[Row] = &[
    same!("ReduceSum", Reduction::Sum),
    same!("ReduceMean", Reduction::Mean),
    same!("ReduceMax", Reduction::Max),
    same!("ReduceMin", Reduction::Min),
    same!("ReduceProd", Reduction::Product),
    same!("ReduceL1", Reduction::L1),
    same!("ReduceL2", Reduction::L2),
    same!("ReduceSumSquare", Reduction::SumSquare),
    same!("ReduceLogSum", Reduction::LogSum),
    same!("ReduceLogSumExp", Reduction::LogSumExp),
    row("ArgMax", &["axis", "keepdims", "select_last_index"], |r, c| place(r, c, false)),
    row("ArgMin", &["axis", "keepdims", "select_last_index"], |r, c| place(r, c, true)),
    row("TopK", &["axis", "k", "largest", "sorted"], top_k),
    row("CumSum", &["exclusive", "reverse"], |r, c| {
        let op = Op::CumSum { exclusive: c.flag("exclusive", false)?, reverse: c.flag("reverse", false)? };
        Ok(vec![r.builder.add(op, &[c.input(0)?, c.input(1)?])?])
    }),
];

/// Axes are an attribute in older versions, an input in newer ones; none means all, or nothing if so asked.
fn reduce(r: &mut Reading<'_, '_>, c: &Call<'_>, reduction: Reduction) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    let axes = match (c.ints("axes")?, c.optional(1)) {
        (Some(axes), _) => axes.to_vec(),
        (None, Some(axes)) => r.builder.known_wholes(axes, "axes")?,
        (None, None) => vec![],
    };
    if axes.is_empty() && c.flag("noop_with_empty_axes", false)? {
        return Ok(vec![each_alone(r, x, reduction)?]);
    }
    let keep = c.flag("keepdims", true)?;
    if r.builder.element(x)? == Element::Bool {
        let wide = r.builder.cast(x, Element::I64)?;
        let y = r.builder.reduce(reduction, &axes, keep, wide)?;
        return Ok(vec![r.builder.cast(y, Element::Bool)?]);
    }
    Ok(vec![r.builder.reduce(reduction, &axes, keep, x)?])
}

/// Over no axes, each element is brought together with nothing but itself.
fn each_alone(r: &mut Reading<'_, '_>, x: Source, reduction: Reduction) -> Result<Source> {
    match reduction {
        Reduction::L1 | Reduction::L2 => r.builder.unary(Unary::Abs, x),
        Reduction::SumSquare => r.builder.binary(Binary::Mul, x, x),
        Reduction::LogSum => r.builder.unary(Unary::Log, x),
        _ => r.builder.unary(Unary::Identity, x),
    }
}

fn place(r: &mut Reading<'_, '_>, c: &Call<'_>, smallest: bool) -> Result<Vec<Source>> {
    let (keep, last) = (c.flag("keepdims", true)?, c.flag("select_last_index", false)?);
    let op = Op::ArgMax { axis: c.int("axis", 0)?, keep, last, smallest };
    Ok(vec![r.builder.add(op, &[c.input(0)?])?])
}

/// The number of them is an attribute up to version 9, an input later. They always come in order.
fn top_k(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let k = match (c.optional(1), c.has("k")) {
        (Some(k), _) => k,
        (None, true) => r.builder.wholes(&[c.int("k", 0)?])?,
        (None, false) => return Err(Error::parameter("k", "absent", "is required")),
    };
    let op = Op::TopK { axis: c.int("axis", -1)?, largest: c.flag("largest", true)? };
    let Source::Node(node, _) = r.builder.add_with(op, vec![Some(c.input(0)?), Some(k)], 2)? else { return Ok(vec![]) };
    Ok(vec![Source::Node(node, 0), Source::Node(node, 1)])
}
