//! n rows of `inner` numbers brought together into one row.

use crate::number::Number;
use base::graph::Reduction;
use numeric::{Real, exp};

/// Numbers to be brought together: n rows of `inner`.
#[derive(Clone, Copy)]
pub(super) struct Block<'a, T> {
    pub x: &'a [T],
    pub n: usize,
    pub inner: usize,
}

/// Columns that are folded side by side, if there are many and if there are few.
const WIDE: usize = 1024;
const NARROW: usize = 16;
/// Partial results along a single column.
const LANES: usize = 16;

/// Folds each column: begins with `start`, takes `step`s, joins lanes and makes a number of the result.
pub(super) fn fold<T: Number, A: Copy>(
    block: Block<'_, T>,
    out: &mut [T],
    start: impl Fn() -> A,
    step: impl Fn(A, T) -> A,
    join: impl Fn(A, A) -> A,
    finish: impl Fn(A) -> T,
) {
    if block.inner == 1 {
        // One column lies in one piece: lanes keep several sums under way at a time.
        let mut lanes = [start(); LANES];
        let (full, rest) = block.x.as_chunks::<LANES>();
        for chunk in full {
            lanes.iter_mut().zip(chunk).for_each(|(lane, &x)| *lane = step(*lane, x));
        }
        lanes.iter_mut().zip(rest).for_each(|(lane, &x)| *lane = step(*lane, x));
        out[0] = finish(lanes[1..].iter().fold(lanes[0], |a, &b| join(a, b)));
        return;
    }
    match block.inner <= NARROW {
        true => columns::<T, A, NARROW>(block, out, start, step, finish),
        false => columns::<T, A, WIDE>(block, out, start, step, finish),
    }
}

fn columns<T: Number, A: Copy, const W: usize>(
    block: Block<'_, T>,
    out: &mut [T],
    start: impl Fn() -> A,
    step: impl Fn(A, T) -> A,
    finish: impl Fn(A) -> T,
) {
    for (piece, out) in out.chunks_mut(W).enumerate() {
        let mut columns = [start(); W];
        for row in block.x.chunks_exact(block.inner) {
            let row = &row[piece * W..][..out.len()];
            columns.iter_mut().zip(row).for_each(|(column, &x)| *column = step(*column, x));
        }
        out.iter_mut().zip(columns).for_each(|(out, column)| *out = finish(column));
    }
}

/// Any reduction of real numbers.
pub(super) fn real<T: Real + Number>(reduction: Reduction, block: Block<'_, T>, out: &mut [T]) {
    let (zero, n) = (|| 0.0, block.n as f64);
    let add = |a: f64, b: f64| a + b;
    match reduction {
        Reduction::Sum => fold(block, out, zero, |a, x| a + x.wide(), add, T::narrow),
        Reduction::Mean => fold(block, out, zero, |a, x| a + x.wide(), add, |a| T::narrow(a / n)),
        Reduction::LogSum => fold(block, out, zero, |a, x| a + x.wide(), add, |a| T::narrow(a.ln())),
        Reduction::L1 => fold(block, out, zero, |a, x| a + x.wide().abs(), add, T::narrow),
        Reduction::SumSquare => fold(block, out, zero, |a, x| a + x.wide() * x.wide(), add, T::narrow),
        Reduction::L2 => fold(block, out, zero, |a, x| a + x.wide() * x.wide(), add, |a| T::narrow(a.sqrt())),
        Reduction::Product => fold(block, out, || 1.0, |a, x| a * x.wide(), |a, b| a * b, T::narrow),
        Reduction::Max => {
            let larger = |a: T, x: T| if x > a || x.wide().is_nan() { x } else { a };
            fold(block, out, || T::narrow(f64::NEG_INFINITY), larger, larger, |a| a);
        }
        Reduction::Min => {
            let smaller = |a: T, x: T| if x < a || x.wide().is_nan() { x } else { a };
            fold(block, out, || T::narrow(f64::INFINITY), smaller, smaller, |a| a);
        }
        Reduction::LogSumExp if (2..=NARROW).contains(&block.inner) => log_sum_exp::<T, NARROW>(block, out),
        Reduction::LogSumExp => log_sum_exp::<T, WIDE>(block, out),
    }
}

/// log Σ exp(x − m) + m with m the largest, so that nothing overflows.
fn log_sum_exp<T: Real + Number, const W: usize>(block: Block<'_, T>, out: &mut [T]) {
    real(Reduction::Max, block, out);
    // Where the largest is infinite there is nothing to take off.
    let off = |m: T| if m.wide().is_finite() { m } else { T::ZERO };
    let mut scratch = [T::ZERO; W];
    let end = |m: T, sum: f64| T::narrow(m.wide() + sum.ln());
    if block.inner == 1 {
        let (m, mut sum) = (off(out[0]), 0.0);
        for x in block.x.chunks(W) {
            let part = &mut scratch[..x.len()];
            part.iter_mut().zip(x).for_each(|(e, &x)| *e = x - m);
            exp(part);
            sum += part.iter().map(|e| e.wide()).sum::<f64>();
        }
        out[0] = end(m, sum);
        return;
    }
    for (piece, out) in out.chunks_mut(W).enumerate() {
        let mut sums = [0.0; W];
        for row in block.x.chunks_exact(block.inner) {
            let part = &mut scratch[..out.len()];
            let row = &row[piece * W..][..out.len()];
            part.iter_mut().zip(row).zip(&*out).for_each(|((e, &x), &m)| *e = x - off(m));
            exp(part);
            sums.iter_mut().zip(part).for_each(|(sum, e)| *sum += e.wide());
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = end(off(*out), sum));
    }
}

/// Reductions of whole numbers; those that would not give a whole number are refused before.
pub(super) fn wholes(reduction: Reduction, block: Block<'_, i64>, out: &mut [i64]) {
    let add = i64::wrapping_add;
    let n = block.n.max(1) as i64;
    match reduction {
        Reduction::Product => fold(block, out, || 1, i64::wrapping_mul, i64::wrapping_mul, |a| a),
        Reduction::Max => fold(block, out, || i64::MIN, i64::max, i64::max, |a| a),
        Reduction::Min => fold(block, out, || i64::MAX, i64::min, i64::min, |a| a),
        Reduction::L1 => fold(block, out, || 0, |a, x| add(a, x.wrapping_abs()), add, |a| a),
        Reduction::SumSquare => fold(block, out, || 0, |a, x| add(a, x.wrapping_mul(x)), add, |a| a),
        Reduction::Mean => fold(block, out, || 0, add, add, |a| a.wrapping_div(n)),
        _ => fold(block, out, || 0, add, add, |a| a),
    }
}
