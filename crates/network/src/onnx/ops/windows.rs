//! Convolutions and pools.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use crate::onnx::facts::Fact;
use base::graph::{Op, Padding, Pooling, Reduction, Source, Window};
use base::{Error, Result};

pub(super) const ROWS: &[Row] = &[
    row("Conv", &["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"], conv),
    row(
        "ConvTranspose",
        &["auto_pad", "dilations", "group", "kernel_shape", "output_padding", "output_shape", "pads", "strides"],
        conv_transpose,
    ),
    row(
        "MaxPool",
        &["auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"],
        max_pool,
    ),
    row(
        "AveragePool",
        &["auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"],
        average_pool,
    ),
    row("LpPool", &["auto_pad", "ceil_mode", "dilations", "kernel_shape", "p", "pads", "strides"], lp_pool),
    row("GlobalAveragePool", &[], |r, c| over_space(r, c, Reduction::Mean)),
    row("GlobalMaxPool", &[], |r, c| over_space(r, c, Reduction::Max)),
    row("GlobalLpPool", &["p"], |r, c| match c.int("p", 2)? {
        1 => over_space(r, c, Reduction::L1),
        2 => over_space(r, c, Reduction::L2),
        other => Err(Error::parameter("p", other, "must be 1 or 2")),
    }),
];

/// The size of the window: said, or that of the weights.
fn kernel(r: &Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<usize>> {
    if let Some(kernel) = c.sizes("kernel_shape")? {
        return Ok(kernel);
    }
    let weights = c.optional(1).and_then(|w| r.builder.fact(w)).and_then(Fact::shape);
    match weights {
        Some([_, _, kernel @ ..]) => Ok(kernel.to_vec()),
        _ => Err(Error::unsupported("an unspecified kernel_shape", "weights of unknown shape", "give kernel_shape")),
    }
}

fn window(c: &Call<'_>, kernel: Vec<usize>) -> Result<Window> {
    let n = kernel.len();
    let fitting = |name: &str, list: Vec<usize>, count: usize| match list.len() == count {
        true => Ok(list),
        false => Err(Error::size(name, format!("{count} numbers"), list.len())),
    };
    let each = |name: &str| fitting(name, c.sizes(name)?.unwrap_or_else(|| vec![1; n]), n);
    let padding = match c.text("auto_pad", "NOTSET")? {
        "SAME_UPPER" => Padding::SameUpper,
        "SAME_LOWER" => Padding::SameLower,
        how @ ("NOTSET" | "VALID") => {
            let pads = c.sizes("pads")?.filter(|_| how == "NOTSET").unwrap_or_else(|| vec![0; 2 * n]);
            let pads = fitting("pads", pads, 2 * n)?;
            Padding::Explicit { begin: pads[..n].to_vec(), end: pads[n..].to_vec(), up: c.flag("ceil_mode", false)? }
        }
        other => return Err(Error::parameter("auto_pad", other, "must be NOTSET, VALID, SAME_UPPER or SAME_LOWER")),
    };
    Ok(Window { kernel, strides: each("strides")?, dilations: each("dilations")?, padding })
}

fn conv(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let window = window(c, kernel(r, c)?)?;
    let inputs = vec![Some(c.input(0)?), Some(c.input(1)?), c.optional(2)];
    Ok(vec![r.builder.add_with(Op::Conv { window, groups: c.size("group", 1)? }, inputs, 1)?])
}

fn conv_transpose(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let mut window = window(c, kernel(r, c)?)?;
    let n = window.kernel.len();
    let mut extra = c.sizes("output_padding")?.unwrap_or_else(|| vec![0; n]);
    if extra.len() != n {
        return Err(Error::size("output_padding", format!("{n} numbers"), extra.len()));
    }
    // How much of the full size is cut off: by the size that is asked for, or by size · stride.
    let wanted = c.sizes("output_shape")?;
    let upper = c.text("auto_pad", "NOTSET")? != "SAME_LOWER";
    let same = !matches!(window.padding, Padding::Explicit { .. });
    if wanted.is_some() || same {
        let sizes = match &wanted {
            None => None,
            Some(_) => {
                let fact = r.builder.fact(c.input(0)?).and_then(Fact::shape);
                let sizes = fact.filter(|s| s.len() == n + 2).map(|s| s[2..].to_vec());
                let what = "output_shape where the input's size is not fixed";
                Some(sizes.ok_or_else(|| Error::unsupported(what, "the ONNX import", "use pads and output_padding"))?)
            }
        };
        // Of those, the last are the space axes.
        let wanted = wanted.map(|w| w[w.len().saturating_sub(n)..].to_vec());
        let (mut begin, mut end) = (vec![0; n], vec![0; n]);
        for i in 0..n {
            let too_large = || Error::size("size of a window", "one that can be counted", format!("{window:?}"));
            let reach = (|| (window.kernel[i].checked_sub(1)?).checked_mul(window.dilations[i])?.checked_add(1))();
            let reach = reach.and_then(|k| k.checked_add(extra[i])).ok_or_else(too_large)?;
            let cut = match (&wanted, &sizes) {
                (Some(wanted), Some(sizes)) if wanted.len() == n => {
                    let steps = sizes[i].saturating_sub(1).checked_mul(window.strides[i]);
                    let full = steps.and_then(|s| s.checked_add(reach)).ok_or_else(too_large)?;
                    i64::try_from(full).unwrap_or(i64::MAX) - i64::try_from(wanted[i]).unwrap_or(i64::MAX)
                }
                (Some(wanted), _) => return Err(Error::size("output_shape", format!("{n} numbers"), wanted.len())),
                _ => i64::try_from(reach).unwrap_or(i64::MAX) - i64::try_from(window.strides[i]).unwrap_or(i64::MAX),
            };
            // More than there is: the rest is added at the end.
            extra[i] += usize::try_from(-cut).unwrap_or(0);
            let cut = usize::try_from(cut).unwrap_or(0);
            let (less, more) = (cut / 2, cut - cut / 2);
            // An odd one is cut at the end for SAME_UPPER, at the beginning else.
            let at_end = upper && same;
            (begin[i], end[i]) = if at_end { (less, more) } else { (more, less) };
        }
        window.padding = Padding::Explicit { begin, end, up: false };
    }
    let inputs = vec![Some(c.input(0)?), Some(c.input(1)?), c.optional(2)];
    let op = Op::ConvTranspose { window, groups: c.size("group", 1)?, extra };
    Ok(vec![r.builder.add_with(op, inputs, 1)?])
}

fn pool(r: &mut Reading<'_, '_>, c: &Call<'_>, pooling: Pooling) -> Result<Vec<Source>> {
    let kernel = c.sizes("kernel_shape")?;
    let kernel = kernel.ok_or_else(|| Error::parameter("kernel_shape", "absent", "is required"))?;
    Ok(vec![r.builder.add(Op::Pool { pooling, window: window(c, kernel)? }, &[c.input(0)?])?])
}

fn max_pool(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    c.at_most(1)?;
    pool(r, c, Pooling::Max)
}

fn average_pool(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let padded = c.flag("count_include_pad", false)?;
    pool(r, c, if padded { Pooling::AveragePadded } else { Pooling::Average })
}

fn lp_pool(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    pool(r, c, Pooling::Lp(c.int("p", 2)? as f64))
}

fn over_space(r: &mut Reading<'_, '_>, c: &Call<'_>, reduction: Reduction) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    let axes: Vec<i64> = (2..r.builder.rank(x)? as i64).collect();
    match axes.is_empty() {
        true => Err(Error::size("axes of the input", "3 or more", 2)),
        false => Ok(vec![r.builder.reduce(reduction, &axes, true, x)?]),
    }
}
