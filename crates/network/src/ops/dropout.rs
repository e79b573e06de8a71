//! Dropout: while training, each element is 0 with a given chance and the others are divided by 1 − rate.
//!
//! Whether an element is dropped is a hash of the seed and its index, so that threads do not matter and the pull back
//! finds the same elements without keeping them. Predicting, it does nothing.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use base::graph::Tensor;
use base::{Error, Result};
use numeric::{Real, each_chunk_mut};

/// Elements that one thread takes in one go.
const PIECE: usize = 1 << 14;

/// The chance with which an element is dropped.
pub(crate) struct Dropout {
    pub rate: f64,
}

impl Dropout {
    /// The tensor with what is dropped set to 0; itself unless training.
    fn masked(&self, x: &Tensor, context: &Context<'_>) -> Result<Tensor> {
        fn go<T: Real + Number>(rate: f64, x: &Tensor, context: &Context<'_>) -> Result<Tensor> {
            let Some(seed) = context.training else { return Ok(x.clone()) };
            let (values, keep) = (numbers::<T>(x)?, T::narrow(1.0 / (1.0 - rate)));
            let mut y = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut y.values, PIECE, |piece, out| {
                for (i, (y, &x)) in out.iter_mut().zip(&values[piece * PIECE..]).enumerate() {
                    let dropped = seed.at(piece * PIECE + i).unit() < rate;
                    *y = if dropped { T::ZERO } else { x * keep };
                }
                Ok(())
            })?;
            y.tensor(x.shape())
        }
        by_real!(x.element(), go(self.rate, x, context))
    }
}

impl Kernel for Dropout {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        if !(0.0..1.0).contains(&self.rate) {
            return Err(Error::parameter("rate", self.rate, "must lie in [0, 1)"));
        }
        match x.element.is_real() {
            true => Ok(vec![x.clone()]),
            false => Err(Error::size("inputs", "f32 or f64", x.element.word())),
        }
    }

    fn is_steady(&self) -> bool {
        false
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        Ok(vec![self.masked(needed(inputs, 0)?, context)?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        match call.gradient().filter(|_| call.wants(0)) {
            Some(gradient) => Ok(vec![Some(self.masked(gradient, context)?)]),
            None => Ok(vec![None]),
        }
    }
}
