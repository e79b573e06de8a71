//! Sums so far along an axis; real ones in double precision, whole ones wrap around. Pull back: the same from the end.

use super::shapes::{around, constants, given, whole};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use crate::number::{Number, numbers};
use base::graph::{Element, Tensor};
use base::{Error, Result};
use numeric::each_chunk_mut;

/// x, axis.
#[derive(Clone, Copy)]
pub(crate) struct CumSum {
    pub exclusive: bool,
    pub reverse: bool,
}

impl Kernel for CumSum {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        along(&constants(inputs, "an axis")?, x.shape.len())?;
        match x.element {
            Element::Bool => Err(Error::size("numbers", "f32, f64 or i64", "bool")),
            _ => Ok(vec![x.clone()]),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        let x = needed(inputs, 0)?;
        Ok(vec![self.sums(x, along(inputs, x.shape().len())?, context)?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        let Some(g) = call.gradient().filter(|_| call.wants(0)) else { return Ok(vec![None, None]) };
        let back = CumSum { reverse: !self.reverse, ..*self };
        Ok(vec![Some(back.sums(g, along(call.inputs, g.shape().len())?, context)?), None])
    }
}

fn along(inputs: &Inputs<'_>, rank: usize) -> Result<usize> {
    let given = given(inputs, 1).map_or(Ok(0), |a| whole(a, "an axis"))?;
    axis(given, rank)
}

impl CumSum {
    fn sums(self, x: &Tensor, along: usize, context: &Context<'_>) -> Result<Tensor> {
        match x.element() {
            Element::F32 => self.go(x, along, context, |a: f64, x: f32| a + f64::from(x), |a| a as f32),
            Element::F64 => self.go(x, along, context, |a: f64, x: f64| a + x, |a| a),
            _ => self.go(x, along, context, |a: i64, x: i64| a.wrapping_add(x), |a| a),
        }
    }

    fn go<T: Number, A: Copy + Default + Send>(
        self,
        x: &Tensor,
        along: usize,
        context: &Context<'_>,
        add: impl Fn(A, T) -> A + Sync,
        narrow: impl Fn(A) -> T + Sync,
    ) -> Result<Tensor> {
        let (_, n, inner) = around(x.shape(), along);
        let (values, row) = (numbers::<T>(x)?, n.saturating_mul(inner));
        let mut y = context.take::<T>(values.len())?;
        each_chunk_mut(context.run, &mut y.values, row, |o, y| {
            let (mut sums, _hold) = context.run.memory.filled(inner, A::default(), "sums so far")?;
            for i in 0..n {
                let i = if self.reverse { n - 1 - i } else { i };
                let x = &values[o * row + i * inner..][..inner];
                for ((sum, y), &x) in sums.iter_mut().zip(&mut y[i * inner..][..inner]).zip(x) {
                    let after = add(*sum, x);
                    *y = narrow(if self.exclusive { *sum } else { after });
                    *sum = after;
                }
            }
            Ok(())
        })?;
        y.tensor(x.shape())
    }
}
