//! Functions of one number, element by element.

use crate::kernel::{Call, Context, Form, Inputs, Kernel, Known, needed};
use crate::number::{Number, by_real, numbers};
use base::Result;
use base::graph::{Tensor, Unary};
use numeric::{Real, each_chunk_mut};

/// Elements one thread takes in one go.
const PIECE: usize = 1 << 14;

/// A function of each element.
pub(crate) struct Each(pub Unary);

impl Kernel for Each {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<Form>> {
        Ok(vec![needed(inputs, 0)?.form.clone()])
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[Form], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(op: Unary, x: &Tensor, context: &Context<'_>) -> Result<Vec<Tensor>> {
            let values = numbers::<T>(x)?;
            let mut y = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut y.values, PIECE, |piece, out| {
                let values = &values[piece * PIECE..][..out.len()];
                match op {
                    Unary::Relu => {
                        out.iter_mut().zip(values).for_each(|(y, &x)| *y = if x > T::ZERO { x } else { T::ZERO })
                    }
                    other => out.iter_mut().zip(values).for_each(|(y, &x)| *y = T::narrow(of(other, x.wide()))),
                }
                Ok(())
            })?;
            Ok(vec![y.tensor(x.shape())?])
        }
        let x = needed(inputs, 0)?;
        by_real!(x.element(), go(self.0, x, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: Unary, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
            let Some(gradient) = call.gradient().filter(|_| call.wants(0)) else { return Ok(vec![None]) };
            let x = needed(call.inputs, 0)?;
            let (values, g) = (numbers::<T>(x)?, numbers::<T>(gradient)?);
            let mut dx = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut dx.values, PIECE, |piece, out| {
                let part = piece * PIECE..piece * PIECE + out.len();
                let pairs = values[part.clone()].iter().zip(&g[part]);
                match op {
                    Unary::Relu => {
                        out.iter_mut().zip(pairs).for_each(|(d, (&x, &g))| *d = if x > T::ZERO { g } else { T::ZERO })
                    }
                    other => {
                        out.iter_mut().zip(pairs).for_each(|(d, (&x, &g))| *d = g * T::narrow(slope(other, x.wide())))
                    }
                }
                Ok(())
            })?;
            Ok(vec![Some(dx.tensor(x.shape())?)])
        }
        by_real!(needed(call.inputs, 0)?.element(), go(self.0, call, context))
    }
}

fn of(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Tanh => x.tanh(),
        _ => todo!(),
    }
}

fn slope(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Tanh => 1.0 - x.tanh() * x.tanh(),
        _ => todo!(),
    }
}
