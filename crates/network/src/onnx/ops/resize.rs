//! Resampling along axes.

use super::{Reading, Row, row};
use crate::kernel::axis;
use crate::onnx::call::Call;
use crate::onnx::facts::Fact;
use base::graph::{Op, Resizing, Source, Tensor};
use base::{Error, Result};

pub(super) const ROWS: &[Row] = &[
    row(
        "Resize",
        &[
            "antialias",
            "axes",
            "coordinate_transformation_mode",
            "cubic_coeff_a",
            "exclude_outside",
            "extrapolation_value",
            "keep_aspect_ratio_policy",
            "mode",
            "nearest_mode",
        ],
        resize,
    ),
    row("Upsample", &["mode", "scales"], upsample),
];

fn mode(c: &Call<'_>) -> Result<Resizing> {
    match c.text("mode", "nearest")? {
        "nearest" => Ok(Resizing::Nearest),
        "linear" | "bilinear" => Ok(Resizing::Linear),
        "cubic" => Ok(Resizing::Cubic),
        other => Err(Error::parameter("mode", other, "must be nearest, linear or cubic")),
    }
}

/// As versions before 11 mean it: places by division, rounded down.
fn plain(r: &mut Reading<'_, '_>, c: &Call<'_>, scales: Source) -> Result<Vec<Source>> {
    let (places, rounding) = ("asymmetric".to_string(), "floor".to_string());
    let op = Op::Resize { resizing: mode(c)?, places, rounding, cubic: -0.75, exclude: false, smooth: false };
    Ok(vec![r.builder.add_with(op, vec![Some(c.input(0)?), None, Some(scales)], 1)?])
}

fn upsample(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let scales = match c.floats("scales")? {
        Some(scales) => r.builder.constant(Tensor::f32([scales.len()], scales.to_vec())?)?,
        None => c.input(1)?,
    };
    plain(r, c, scales)
}

fn resize(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    if c.opset < 11 {
        return plain(r, c, c.input(1)?);
    }
    let places = c.text("coordinate_transformation_mode", "half_pixel")?;
    let rounding = c.text("nearest_mode", "round_prefer_floor")?;
    let policy = c.text("keep_aspect_ratio_policy", "stretch")?;
    let unsupported = |what: String, instead: &str| Err(Error::unsupported(what, "the ONNX import", instead));
    if !matches!(places, "half_pixel" | "align_corners" | "asymmetric" | "pytorch_half_pixel") {
        let instead = "use half_pixel, align_corners, asymmetric or pytorch_half_pixel";
        return unsupported(format!("coordinate_transformation_mode = {places}"), instead);
    }
    if !matches!(rounding, "round_prefer_floor" | "round_prefer_ceil" | "floor" | "ceil") {
        return Err(Error::parameter("nearest_mode", rounding, "must be one that ONNX knows"));
    }
    if !matches!(policy, "stretch" | "not_larger" | "not_smaller") {
        return Err(Error::parameter("keep_aspect_ratio_policy", policy, "must be one that ONNX knows"));
    }
    let x = c.input(0)?;
    // Versions 11 and 12 have an empty tensor where later ones have none.
    let there = |i: usize| c.optional(i).filter(|&s| !r.builder.fact(s).and_then(Fact::likely).is_some_and(is_empty));
    let (mut scales, mut sizes) = (there(2), there(3));
    let axes = match c.ints("axes")? {
        None => None,
        Some(axes) => {
            let rank = r.builder.rank(x)?;
            Some(axes.iter().map(|&a| axis(a, rank)).collect::<Result<Vec<_>>>()?)
        }
    };
    if policy != "stretch"
        && let Some(wanted) = sizes
    {
        sizes = Some(alike(r, x, wanted, axes.as_deref(), policy == "not_larger")?);
    } else if let Some(axes) = axes {
        let rank = r.builder.rank(x)?;
        scales = scales.map(|s| all_scales(r, s, &axes, rank)).transpose()?;
        sizes = sizes.map(|s| all_sizes(r, x, s, &axes, rank)).transpose()?;
    }
    let op = Op::Resize {
        resizing: mode(c)?,
        places: places.to_string(),
        rounding: rounding.to_string(),
        cubic: c.float("cubic_coeff_a", -0.75)?,
        exclude: c.flag("exclude_outside", false)?,
        smooth: c.flag("antialias", false)?,
    };
    Ok(vec![r.builder.add_with(op, vec![Some(x), None, scales, sizes], 1)?])
}

fn is_empty(shape: &[usize]) -> bool {
    shape.contains(&0)
}

/// Scales of some axes, with 1 for the others.
fn all_scales(r: &mut Reading<'_, '_>, scales: Source, axes: &[usize], rank: usize) -> Result<Source> {
    let some = r.builder.known(scales, "scales")?.to_f64();
    if some.len() != axes.len() {
        return Err(Error::size("scales", axes.len(), some.len()));
    }
    let mut all = vec![1.0f32; rank];
    axes.iter().zip(some).for_each(|(&axis, scale)| all[axis] = scale as f32);
    r.builder.constant(Tensor::f32([rank], all)?)
}

/// Sizes of some axes, with those of x for the others.
fn all_sizes(r: &mut Reading<'_, '_>, x: Source, sizes: Source, axes: &[usize], rank: usize) -> Result<Source> {
    let some = r.builder.known_wholes(sizes, "sizes")?;
    if some.len() != axes.len() {
        return Err(Error::size("sizes", axes.len(), some.len()));
    }
    let mut parts = vec![];
    for i in 0..rank {
        parts.push(match axes.iter().position(|&a| a == i) {
            Some(k) => r.builder.wholes(&some[k..=k])?,
            None => r.builder.shape_of(x, i as i64, Some(i as i64 + 1))?,
        });
    }
    r.builder.concat(0, &parts)
}

/// Sizes that keep the proportions of x along some axes: as large as fits into those wanted, or as small as covers them.
fn alike(r: &mut Reading<'_, '_>, x: Source, wanted: Source, axes: Option<&[usize]>, inside: bool) -> Result<Source> {
    let wanted = r.builder.known_wholes(wanted, "sizes")?;
    let Some(shape) = r.builder.fact(x).and_then(Fact::shape).map(<[usize]>::to_vec) else {
        let what = "keep_aspect_ratio_policy where the input's size is not fixed";
        return Err(Error::unsupported(what, "the ONNX import", "give the sizes explicitly"));
    };
    let all: Vec<usize> = (0..shape.len()).collect();
    let axes = axes.unwrap_or(&all);
    if wanted.len() != axes.len() {
        return Err(Error::size("sizes", axes.len(), wanted.len()));
    }
    let scales = axes.iter().zip(&wanted).map(|(&a, &n)| n as f64 / shape[a] as f64);
    let scale = if inside { scales.fold(f64::INFINITY, f64::min) } else { scales.fold(0.0, f64::max) };
    let mut sizes: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    axes.iter().for_each(|&a| sizes[a] = (scale * shape[a] as f64).round() as i64);
    r.builder.wholes(&sizes)
}
