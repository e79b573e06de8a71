//! One soft minimum or maximum for each row.
//!
//! Log-sum-exp is shifted by the row's extreme, so that nothing overflows; its slope is a softmax. The harmonic mean
//! y = m / Σ 1/h has the slope y² / (m h²); where k elements are 0 it is 0, and the slope there is the limit from equal
//! small ones, m / k².

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use base::graph::{SoftPooling, Tensor};
use base::{Error, Result};
use numeric::{Real, each_chunk_mut};

/// Rows that one thread takes in one go.
const ROWS: usize = 64;

/// A soft pooling over the columns.
pub(crate) struct SoftPool(pub SoftPooling);

impl Kernel for SoftPool {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        match x.shape[..] {
            [rows, columns] if columns > 0 && x.element.is_real() => Ok(vec![TensorForm::new(x.element, [rows, 1])]),
            _ => Err(Error::size("inputs", "a table of f32 or f64 with at least 1 column", format!("{x:?}"))),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(
            op: SoftPooling,
            h: &Tensor,
            form: &TensorForm,
            context: &Context<'_>,
        ) -> Result<Vec<Tensor>> {
            let (values, mut y) = (numbers::<T>(h)?, context.take::<T>(form.count()?)?);
            let columns = h.shape()[1];
            each_chunk_mut(context.run, &mut y.values, ROWS, |block, out| {
                let rows = values[block * ROWS * columns..].chunks_exact(columns);
                out.iter_mut().zip(rows).for_each(|(y, row)| *y = T::narrow(pooled(op, row)));
                Ok(())
            })?;
            Ok(vec![y.tensor(form.shape.clone())?])
        }
        let (h, form) = (needed(inputs, 0)?, needed(&[forms.first()], 0)?.to_owned());
        by_real!(h.element(), go(self.0, h, form, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(
            op: SoftPooling,
            call: &Call<'_>,
            context: &Context<'_>,
        ) -> Result<Vec<Option<Tensor>>> {
            let (Some(gradient), true) = (call.gradient(), call.wants(0)) else { return Ok(vec![None]) };
            let h = needed(call.inputs, 0)?;
            let (values, g, columns) = (numbers::<T>(h)?, numbers::<T>(gradient)?, h.shape()[1]);
            let mut dh = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut dh.values, ROWS * columns, |block, out| {
                let rows = values[block * ROWS * columns..].chunks_exact(columns);
                for ((out, row), &g) in out.chunks_exact_mut(columns).zip(rows).zip(&g[block * ROWS..]) {
                    slope(op, row, g, out);
                }
                Ok(())
            })?;
            Ok(vec![Some(dh.tensor(h.shape())?)])
        }
        by_real!(needed(call.inputs, 0)?.element(), go(self.0, call, context))
    }
}

/// The sign with which elements go into exp.
fn sign(op: SoftPooling) -> f64 {
    if op == SoftPooling::MinLogSumExp { -1.0 } else { 1.0 }
}

/// The largest of the signed elements, kept finite so that differences from it are numbers.
fn shift<T: Real>(row: &[T], sign: f64) -> f64 {
    row.iter().map(|h| sign * h.wide()).fold(f64::NEG_INFINITY, f64::max).clamp(f64::MIN, f64::MAX)
}

fn pooled<T: Real>(op: SoftPooling, row: &[T]) -> f64 {
    match op {
        SoftPooling::Harmonic => row.len() as f64 / row.iter().map(|h| 1.0 / h.wide()).sum::<f64>(),
        SoftPooling::MinLogSumExp | SoftPooling::MaxLogSumExp => {
            let sign = sign(op);
            let top = shift(row, sign);
            sign * (top + row.iter().map(|h| (sign * h.wide() - top).exp()).sum::<f64>().ln())
        }
    }
}

fn slope<T: Real>(op: SoftPooling, row: &[T], g: T, out: &mut [T]) {
    let pairs = out.iter_mut().zip(row);
    match op {
        SoftPooling::Harmonic => {
            let (m, zeros) = (row.len() as f64, row.iter().filter(|h| **h == T::ZERO).count());
            let y = pooled(op, row);
            pairs.for_each(|(d, &h)| {
                let share = match zeros {
                    0 => (y / h.wide()).powi(2) / m,
                    k if h == T::ZERO => m / (k * k) as f64,
                    _ => 0.0,
                };
                *d = T::narrow(g.wide() * share);
            });
        }
        SoftPooling::MinLogSumExp | SoftPooling::MaxLogSumExp => {
            let sign = sign(op);
            let top = shift(row, sign);
            let all: f64 = row.iter().map(|h| (sign * h.wide() - top).exp()).sum();
            pairs.for_each(|(d, h)| *d = T::narrow(g.wide() * (sign * h.wide() - top).exp() / all));
        }
    }
}
