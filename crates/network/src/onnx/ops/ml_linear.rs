//! Linear classifiers and regressions of ai.onnx.ml.
//!
//! Scores are x · Wᵀ + b, one row of W for each class. A single row with two classes is the score of the second:
//! it becomes 1 − s and s (by the logistic function if so asked), and the second class is meant where s > 0. What the
//! definition leaves open is done as onnxruntime does it.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use base::graph::{Binary, Element, Op, Source, Unary};
use base::{Error, Result};
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[
    row(
        "LinearClassifier",
        &["classlabels_ints", "classlabels_strings", "coefficients", "intercepts", "multi_class", "post_transform"],
        classifier,
    ),
    row("LinearRegressor", &["coefficients", "intercepts", "post_transform", "targets"], regressor),
];

fn regressor(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let targets = c.size("targets", 1)?;
    let transform = c.text("post_transform", "NONE")?;
    if targets == 1 && transform != "NONE" {
        // The definition asks for it, onnxruntime leaves the number as it is.
        let what = format!("post_transform = {transform} of a single target");
        return Err(Error::unsupported(
            what,
            "the ONNX import",
            "runtimes disagree on it: use NONE and a node of its own",
        ));
    }
    let scores = scores(r, c, targets)?;
    Ok(vec![transformed(r, c, scores)?])
}

fn classifier(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (texts, ints) = (c.texts("classlabels_strings")?.filter(|t| !t.is_empty()), c.ints("classlabels_ints")?);
    let classes = texts.as_ref().map(Vec::len).or(ints.map(<[i64]>::len)).unwrap_or(0);
    if classes == 0 {
        return Err(Error::parameter("classlabels_ints", "absent", "is required"));
    }
    let rows = match c.floats("intercepts")?.map(<[f32]>::len) {
        Some(rows) if rows > 0 => rows,
        _ => classes,
    };
    if rows != classes && !(rows == 1 && classes == 2) {
        return Err(Error::size("intercepts", classes, rows));
    }
    let scores = scores(r, c, rows)?;
    let place = if rows == 1 && classes == 2 {
        let zero = r.builder.number_like(scores, 0.0)?;
        let second = r.builder.binary(Binary::Greater, scores, zero)?;
        let second = r.builder.add(Op::Squeeze { axes: vec![1] }, &[second])?;
        r.builder.cast(second, Element::I64)?
    } else {
        r.builder.add(Op::ArgMax { axis: 1, keep: false, last: false, smallest: false }, &[scores])?
    };
    let label = match ints.filter(|_| texts.is_none()) {
        Some(ints) => {
            let labels = r.builder.wholes(ints)?;
            r.builder.add(Op::Gather { axis: 0 }, &[labels, place])?
        }
        None => place,
    };
    if let Some(texts) = texts.clone() {
        r.builder.set_texts(label, Some(Arc::from(texts)));
    }
    let scores = match rows == 1 && classes == 2 {
        true => both(r, c, scores)?,
        false => transformed(r, c, scores)?,
    };
    let names = texts.unwrap_or_else(|| ints.unwrap_or(&[]).iter().map(i64::to_string).collect());
    r.columns.insert(scores, names);
    Ok(vec![label, scores])
}

/// x · Wᵀ + b with as many rows of W.
fn scores(r: &mut Reading<'_, '_>, c: &Call<'_>, rows: usize) -> Result<Source> {
    let x = c.input(0)?;
    let x = if r.builder.element(x)?.is_real() { x } else { r.builder.cast(x, Element::F32)? };
    let weights = c.floats("coefficients")?.unwrap_or(&[]);
    if rows == 0 || weights.is_empty() || !weights.len().is_multiple_of(rows) {
        return Err(Error::size("coefficients", format!("as many for each of {rows} outputs"), weights.len()));
    }
    let (mut features, intercepts) = (weights.len() / rows, c.floats("intercepts")?.unwrap_or(&[]));
    let mut weights = weights;
    // Some converters wrote more coefficients than the input has columns; runtimes read as many as they need.
    if let Some(&[_, columns]) = r.builder.fact(x).and_then(|f| f.shape())
        && columns < features
    {
        let note =
            format!("{} coefficients for {rows} outputs of {columns} columns: the first are used", weights.len());
        r.builder.note(note)?;
        (weights, features) = (&weights[..rows * columns], columns);
    }
    let weights = r.builder.numbers_like(x, &[rows, features], weights)?;
    let bias = match intercepts.len() {
        0 => None,
        n if n == rows => Some(r.builder.numbers_like(x, &[rows], intercepts)?),
        n => return Err(Error::size("intercepts", rows, n)),
    };
    r.builder.add_with(Op::Dense { transposed: true }, vec![Some(x), Some(weights), bias], 1)
}

/// Both columns of a single score.
fn both(r: &mut Reading<'_, '_>, c: &Call<'_>, score: Source) -> Result<Source> {
    let score = match c.text("post_transform", "NONE")? {
        "LOGISTIC" => r.builder.unary(Unary::Sigmoid, score)?,
        "NONE" | "SOFTMAX" | "SOFTMAX_ZERO" => score,
        other => return Err(not_transformed(other)),
    };
    let one = r.builder.number_like(score, 1.0)?;
    let first = r.builder.binary(Binary::Sub, one, score)?;
    r.builder.concat(1, &[first, score])
}

fn transformed(r: &mut Reading<'_, '_>, c: &Call<'_>, scores: Source) -> Result<Source> {
    match c.text("post_transform", "NONE")? {
        "NONE" => Ok(scores),
        "LOGISTIC" => r.builder.unary(Unary::Sigmoid, scores),
        "SOFTMAX" => r.builder.add(Op::Softmax { axis: 1, log: false }, &[scores]),
        other => Err(not_transformed(other)),
    }
}

fn not_transformed(name: &str) -> Error {
    let what = format!("post_transform = {name}");
    Error::unsupported(what, "the ONNX import", "NONE, LOGISTIC and SOFTMAX are")
}
