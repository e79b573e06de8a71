//! exp(x) / Σ exp(x) along an axis, and its logarithm.
//!
//! The largest is taken off first, so that nothing overflows; sums are in double precision. Pieces of rows go through
//! the fast exponential at once; an axis that is not the last is turned to the end and back.
//! Pull backs: y (g − Σ g y), and g − exp(y) Σ g for the logarithm.

use super::shapes::{PIECE, around};
use super::transpose::transpose;
use crate::kernel::{Call, Context, Form, Inputs, Kernel, Known, axis, needed};
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
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<Form>> {
        let x = &needed(inputs, 0)?.form;
        axis(self.axis, x.shape.len())?;
        match x.element.is_real() {
            true => Ok(vec![x.clone()]),
            false => Err(Error::size("numbers", "f32 or f64", x.element.word())),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[Form], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(op: &Softmax, x: &Tensor, context: &Context<'_>) -> Result<Tensor> {
            op.by_rows::<T, 1>([x], context, |n, [x], y| forward(op.log, n, x, y))
        }
        let x = needed(inputs, 0)?;
        Ok(vec![by_real!(x.element(), go(self, x, context))?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: &Softmax, y: &Tensor, g: &Tensor, context: &Context<'_>) -> Result<Tensor> {
            op.by_rows::<T, 2>([y, g], context, |n, [y, g], dx| backward(op.log, n, y, g, dx))
        }
        let Some(g) = call.gradient().filter(|_| call.wants(0)) else { return Ok(vec![None]) };
        Ok(vec![Some(by_real!(g.element(), go(self, &call.outputs[0], g, context))?)])
    }
}

impl Softmax {
    /// A tensor from others of the same shape, by a function of pieces of rows of n numbers that lie along the axis.
    fn by_rows<T: Real + Number, const N: usize>(
        &self,
        tensors: [&Tensor; N],
        context: &Context<'_>,
        f: impl Fn(usize, [&[T]; N], &mut [T]) + Sync,
    ) -> Result<Tensor> {
        let shape = tensors[0].shape();
        let (outer, n, inner) = around(shape, axis(self.axis, shape.len())?);
        let count = tensors[0].numbers().len();
        let mut turned = Vec::with_capacity(N);
        if inner > 1 {
            for tensor in tensors {
                let mut rows = context.take::<T>(count)?;
                transpose(numbers::<T>(tensor)?, &[outer, n, inner], &[0, 2, 1], &mut rows.values, context.run)?;
                turned.push(rows);
            }
        }
        let mut values = [&[][..]; N];
        for (i, values) in values.iter_mut().enumerate() {
            *values = match turned.get(i) {
                Some(rows) => &rows.values,
                None => numbers::<T>(tensors[i])?,
            };
        }
        let mut y = context.take::<T>(count)?;
        let piece = (PIECE / n.max(1)).max(1).saturating_mul(n);
        each_chunk_mut(context.run, &mut y.values, piece, |i, y| {
            f(n, values.map(|v| &v[i * piece..][..y.len()]), y);
            Ok(())
        })?;
        if inner > 1 {
            let mut back = context.take::<T>(count)?;
            transpose(&y.values, &[outer, inner, n], &[0, 2, 1], &mut back.values, context.run)?;
            y = back;
        }
        y.tensor(shape)
    }
}

fn forward<T: Real + Number>(log: bool, n: usize, x: &[T], y: &mut [T]) {
    for (x, y) in x.chunks_exact(n).zip(y.chunks_exact_mut(n)) {
        let most = x.iter().fold(T::narrow(f64::NEG_INFINITY), |m, &x| if x > m { x } else { m });
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = x - most);
    }
    if !log {
        exp(y);
        for y in y.chunks_exact_mut(n) {
            let scale = T::narrow(1.0 / y.iter().map(|y| y.wide()).sum::<f64>());
            y.iter_mut().for_each(|y| *y = *y * scale);
        }
        return;
    }
    const WIDE: usize = 256;
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
        y.iter_mut().for_each(|y| *y = *y - off);
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
