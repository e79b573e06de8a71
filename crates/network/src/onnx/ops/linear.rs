//! Products of matrices.

use super::{Reading, Row, row};
use crate::onnx::call::Call;
use crate::onnx::facts::Fact;
use base::graph::{Binary, Op, Source};
use base::{Error, Result};

pub(super) const ROWS: &[Row] =
    &[row("MatMul", &[], mat_mul), row("Gemm", &["alpha", "beta", "transA", "transB"], gemm)];

/// A dense layer if a row goes into each product and the other side is fixed, else a product of two tensors.
fn mat_mul(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (x, w) = (c.input(0)?, c.input(1)?);
    let rank = |s: Source| r.builder.fact(s).and_then(Fact::rank);
    let real = r.builder.element(x).is_ok_and(|e| e.is_real());
    let dense = rank(x) == Some(2) && rank(w) == Some(2) && matches!(w, Source::Weight(_)) && real;
    let op = if dense { Op::Dense { transposed: false } } else { Op::MatMul };
    Ok(vec![r.builder.add(op, &[x, w])?])
}

/// α A′ B′ + β C: a dense layer where it is one.
fn gemm(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (alpha, beta) = (c.float("alpha", 1.0)?, c.float("beta", 1.0)?);
    let (trans_a, trans_b) = (c.flag("transA", false)?, c.flag("transB", false)?);
    let (mut a, mut b, bias) = (c.input(0)?, c.input(1)?, c.optional(2));
    let bias = bias.filter(|_| beta != 0.0);
    let real = r.builder.element(a)?.is_real();
    if trans_a {
        a = r.builder.add(Op::Transpose { order: vec![1, 0] }, &[a])?;
    }
    let scaled = alpha != 1.0;
    if real {
        let fitting = match bias {
            Some(bias) if beta == 1.0 && !scaled => as_bias(r, b, trans_b, bias)?,
            _ => None,
        };
        let product = r.builder.add_with(Op::Dense { transposed: trans_b }, vec![Some(a), Some(b), fitting], 1)?;
        return finish(r, product, scaled.then_some(alpha), bias.filter(|_| fitting.is_none()), beta);
    }
    if trans_b {
        b = r.builder.add(Op::Transpose { order: vec![1, 0] }, &[b])?;
    }
    let whole = |x: f64| x.fract() == 0.0;
    if !whole(alpha) || !whole(beta) {
        return Err(Error::unsupported("alpha or beta with a fraction", "whole numbers", "use float or double"));
    }
    let product = r.builder.add(Op::MatMul, &[a, b])?;
    finish(r, product, scaled.then_some(alpha), bias, beta)
}

fn finish(
    r: &mut Reading<'_, '_>,
    mut product: Source,
    alpha: Option<f64>,
    bias: Option<Source>,
    beta: f64,
) -> Result<Vec<Source>> {
    let b = &mut r.builder;
    if let Some(alpha) = alpha {
        let alpha = b.number_like(product, alpha)?;
        product = b.binary(Binary::Mul, product, alpha)?;
    }
    if let Some(mut bias) = bias {
        if beta != 1.0 {
            let beta = b.number_like(bias, beta)?;
            bias = b.binary(Binary::Mul, bias, beta)?;
        }
        product = b.binary(Binary::Add, product, bias)?;
    }
    Ok(vec![product])
}

/// The bias as one number for each output, if it is that.
fn as_bias(r: &mut Reading<'_, '_>, b: Source, transposed: bool, bias: Source) -> Result<Option<Source>> {
    let shape = |s: Source| r.builder.fact(s).and_then(Fact::shape).map(<[usize]>::to_vec);
    let (Some(weights), Some(found)) = (shape(b), shape(bias)) else { return Ok(None) };
    let &[rows, columns] = &weights[..] else { return Ok(None) };
    let outputs = if transposed { rows } else { columns };
    match &found[..] {
        [n] if *n == outputs => Ok(Some(bias)),
        [1, n] if *n == outputs && matches!(bias, Source::Weight(_)) => {
            Ok(Some(r.builder.add(Op::Squeeze { axes: vec![0] }, &[bias])?))
        }
        _ => Ok(None),
    }
}
