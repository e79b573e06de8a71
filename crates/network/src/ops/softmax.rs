//! exp(x) / Σ exp(x) along an axis, and its logarithm.
//!
//! The largest is taken off first, so that nothing overflows; sums are in double precision. Along the last axis pieces of
//! many rows go through the fast exponential at once, along others columns go side by side.
//! Pull backs: y (g − Σ g y), and g − exp(y) Σ g for the logarithm.

use super::shapes::{PIECE, around};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use crate::number::{Number, by_real, numbers};
use base::graph::Tensor;
use base::{Error, Result};
use numeric::{Real, each_chunk_mut, exp};

/// Softmax or its logarithm.
pub(crate) struct Softmax {
    pub axis: i64,
    pub log: bool,
}

impl Kernel for Softmax {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        axis(self.axis, x.shape.len())?;
        match x.element.is_real() {
            true => Ok(vec![x.clone()]),
            false => Err(Error::size("numbers", "f32 or f64", x.element.word())),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(op: &Softmax, x: &Tensor, context: &Context<'_>) -> Result<Tensor> {
            let columns = |n, inner, [x]: [&[T]; 1], y: &mut [T]| match inner <= NARROW {
                true => forward_columns::<T, NARROW>(op.log, n, inner, x, y),
                false => forward_columns::<T, WIDE>(op.log, n, inner, x, y),
            };
            op.along([x], context, |n, [x], y| forward(op.log, n, x, y), columns)
        }
        let x = needed(inputs, 0)?;
        Ok(vec![by_real!(x.element(), go(self, x, context))?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: &Softmax, y: &Tensor, g: &Tensor, context: &Context<'_>) -> Result<Tensor> {
            let columns = |n, inner, [y, g]: [&[T]; 2], dx: &mut [T]| match inner <= NARROW {
                true => backward_columns::<T, NARROW>(op.log, n, inner, y, g, dx),
                false => backward_columns::<T, WIDE>(op.log, n, inner, y, g, dx),
            };
            op.along([y, g], context, |n, [y, g], dx| backward(op.log, n, y, g, dx), columns)
        }
        let Some(g) = call.gradient().filter(|_| call.wants(0)) else { return Ok(vec![None]) };
        Ok(vec![Some(by_real!(g.element(), go(self, &call.outputs[0], g, context))?)])
    }
}

impl Softmax {
    /// A tensor from others of the same shape, by a function of pieces of rows of n numbers that lie along the axis, or
    /// one of n rows that lie across it.
    fn along<T: Real + Number, const N: usize>(
        &self,
        tensors: [&Tensor; N],
        context: &Context<'_>,
        rows: impl Fn(usize, [&[T]; N], &mut [T]) + Sync,
        columns: impl Fn(usize, usize, [&[T]; N], &mut [T]) + Sync,
    ) -> Result<Tensor> {
        let shape = tensors[0].shape();
        let (_, n, inner) = around(shape, axis(self.axis, shape.len())?);
        let mut values = [&[][..]; N];
        for (values, tensor) in values.iter_mut().zip(tensors) {
            *values = numbers::<T>(tensor)?;
        }
        let mut y = context.take::<T>(values[0].len())?;
        let piece = match inner {
            1 => (PIECE / n.max(1)).max(1).saturating_mul(n),
            _ => n.saturating_mul(inner),
        };
        each_chunk_mut(context.run, &mut y.values, piece, |i, y| {
            let values = values.map(|v| &v[i * piece..][..y.len()]);
            match inner {
                1 => rows(n, values, y),
                _ => columns(n, inner, values, y),
            }
            Ok(())
        })?;
        y.tensor(shape)
    }
}

/// Columns that go side by side, if there are many and if there are few; numbers that are exponentiated at once.
const WIDE: usize = 256;
const NARROW: usize = 16;

fn forward<T: Real + Number>(log: bool, n: usize, x: &[T], y: &mut [T]) {
    for (x, y) in x.chunks_exact(n).zip(y.chunks_exact_mut(n)) {
        let most = x.iter().fold(T::narrow(f64::NEG_INFINITY), |m, &x| if x > m { x } else { m });
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = x - most);
    }
    if !log {
        exp(y);
        for y in y.chunks_exact_mut(n) {
            let scale = T::narrow(1.0 / y.iter().map(|y| y.wide()).sum::<f64>());
            y.iter_mut().for_each(|y| *y *= scale);
        }
        return;
    }
    let mut scratch = [T::ZERO; WIDE];
    for y in y.chunks_exact_mut(n) {
        let mut sum = 0.0;
        for part in y.chunks(WIDE) {
            let e = &mut scratch[..part.len()];
            e.copy_from_slice(part);
            exp(e);
            sum += e.iter().map(|e| e.wide()).sum::<f64>();
        }
        let off = T::narrow(sum.ln());
        y.iter_mut().for_each(|y| *y -= off);
    }
}

fn backward<T: Real + Number>(log: bool, n: usize, y: &[T], g: &[T], dx: &mut [T]) {
    if log {
        dx.copy_from_slice(y);
        exp(dx);
    }
    for ((y, g), dx) in y.chunks_exact(n).zip(g.chunks_exact(n)).zip(dx.chunks_exact_mut(n)) {
        if log {
            let sum = T::narrow(g.iter().map(|g| g.wide()).sum());
            dx.iter_mut().zip(g).for_each(|(d, &g)| *d = g - *d * sum);
        } else {
            let sum = T::narrow(g.iter().zip(y).map(|(g, y)| g.wide() * y.wide()).sum());
            dx.iter_mut().zip(g).zip(y).for_each(|((d, &g), &y)| *d = y * (g - sum));
        }
    }
}

fn forward_columns<T: Real + Number, const W: usize>(log: bool, n: usize, inner: usize, x: &[T], y: &mut [T]) {
    for from in (0..inner).step_by(W) {
        let width = W.min(inner - from);
        let row = |i: usize| i * inner + from..i * inner + from + width;
        let (mut most, mut sums, mut scratch) = ([T::narrow(f64::NEG_INFINITY); W], [0.0; W], [T::ZERO; W]);
        for i in 0..n {
            most.iter_mut().zip(&x[row(i)]).for_each(|(m, &x)| *m = if x > *m { x } else { *m });
        }
        for i in 0..n {
            let (y, e) = (&mut y[row(i)], &mut scratch[..width]);
            y.iter_mut().zip(&x[row(i)]).zip(most).for_each(|((y, &x), most)| *y = x - most);
            e.copy_from_slice(y);
            exp(e);
            sums.iter_mut().zip(&*e).for_each(|(sum, e)| *sum += e.wide());
            if !log {
                y.copy_from_slice(e);
            }
        }
        let ends = sums.map(|sum| T::narrow(if log { sum.ln() } else { 1.0 / sum }));
        for i in 0..n {
            let y = y[row(i)].iter_mut().zip(ends);
            if log { y.for_each(|(y, off)| *y -= off) } else { y.for_each(|(y, scale)| *y *= scale) }
        }
    }
}

fn backward_columns<T: Real + Number, const W: usize>(
    log: bool,
    n: usize,
    inner: usize,
    y: &[T],
    g: &[T],
    dx: &mut [T],
) {
    if log {
        dx.copy_from_slice(y);
        exp(dx);
    }
    for from in (0..inner).step_by(W) {
        let width = W.min(inner - from);
        let row = |i: usize| i * inner + from..i * inner + from + width;
        let mut sums = [0.0; W];
        for i in 0..n {
            let pairs = y[row(i)].iter().zip(&g[row(i)]);
            let terms = pairs.map(|(y, g)| if log { g.wide() } else { g.wide() * y.wide() });
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        let sums = sums.map(T::narrow);
        for i in 0..n {
            for (((d, &y), &g), sum) in dx[row(i)].iter_mut().zip(&y[row(i)]).zip(&g[row(i)]).zip(sums) {
                *d = if log { g - *d * sum } else { y * (g - sum) };
            }
        }
    }
}
