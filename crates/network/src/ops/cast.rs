//! Numbers as another type.
//!
//! Real to whole truncates toward 0, what is too large becomes the largest there is, and NaN becomes 0. Anything but 0
//! is yes, NaN included; yes is 1. The gradient of a real number as another real type is cast back.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, numbers};
use base::Result;
use base::graph::{Element, Tensor};
use numeric::each_chunk_mut;

use super::shapes::PIECE;

/// To that type.
pub(crate) struct Cast(pub Element);

impl Kernel for Cast {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        Ok(vec![TensorForm::new(self.0, needed(inputs, 0)?.form.shape.clone())])
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        Ok(vec![cast(needed(inputs, 0)?, self.0, context)?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        let x = needed(call.inputs, 0)?;
        let g = call.gradient().filter(|_| call.wants(0) && x.element().is_real() && self.0.is_real());
        Ok(vec![g.map(|g| cast(g, x.element(), context)).transpose()?])
    }
}

/// The numbers as another type; of the same type they are shared.
fn cast(x: &Tensor, to: Element, context: &Context<'_>) -> Result<Tensor> {
    fn go<A: Number, B: Number>(x: &Tensor, context: &Context<'_>, f: impl Fn(A) -> B + Sync) -> Result<Tensor> {
        let values = numbers::<A>(x)?;
        let mut y = context.take::<B>(values.len())?;
        each_chunk_mut(context.run, &mut y.values, PIECE, |piece, y| {
            y.iter_mut().zip(&values[piece * PIECE..]).for_each(|(y, &x)| *y = f(x));
            Ok(())
        })?;
        y.tensor(x.shape())
    }
    use Element::{Bool, F32, F64, I64};
    match (x.element(), to) {
        (F32, F64) => go(x, context, |x: f32| f64::from(x)),
        (F32, I64) => go(x, context, |x: f32| x as i64),
        (F32, Bool) => go(x, context, |x: f32| x != 0.0),
        (F64, F32) => go(x, context, |x: f64| x as f32),
        (F64, I64) => go(x, context, |x: f64| x as i64),
        (F64, Bool) => go(x, context, |x: f64| x != 0.0),
        (I64, F32) => go(x, context, |x: i64| x as f32),
        (I64, F64) => go(x, context, |x: i64| x as f64),
        (I64, Bool) => go(x, context, |x: i64| x != 0),
        (Bool, F32) => go(x, context, |x: bool| f32::from(u8::from(x))),
        (Bool, F64) => go(x, context, |x: bool| f64::from(u8::from(x))),
        (Bool, I64) => go(x, context, |x: bool| i64::from(x)),
        (F32, F32) | (F64, F64) | (I64, I64) | (Bool, Bool) => Ok(x.clone()),
    }
}
