//! Broadcast to a shape, and repeated along axes: every element stands at several places. Pull back: sums over them.

use super::moved::{moved, pull_moved};
use super::places::Places;
use super::shapes::{broadcast, constants, sizes, strides, wholes};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use base::graph::Tensor;
use base::{Error, Result, Run};

/// x and a shape to broadcast to, or how often to repeat along each axis.
#[derive(Clone, Copy)]
pub(crate) enum Repeat {
    /// Broadcast.
    Expand,
    /// Repeated.
    Tile,
}

impl Repeat {
    fn shape(self, x: &[usize], inputs: &Inputs<'_>) -> Result<Vec<usize>> {
        let what = match self {
            Repeat::Expand => "a shape to expand to",
            Repeat::Tile => "repeats",
        };
        let asked = sizes(wholes(inputs, 1, what)?.unwrap_or(&[]), what)?;
        match self {
            Repeat::Expand => broadcast(x, &asked),
            Repeat::Tile if asked.len() != x.len() => Err(Error::size(what, x.len(), asked.len())),
            Repeat::Tile => {
                let times = |(&n, &m): (&usize, &usize)| {
                    n.checked_mul(m).ok_or_else(|| Error::parameter(what, m, "too often to count"))
                };
                x.iter().zip(&asked).map(times).collect()
            }
        }
    }

    fn places(self, x: &[usize], inputs: &Inputs<'_>, run: &Run<'_>) -> Result<Places> {
        let (shape, strides) = (self.shape(x, inputs)?, strides(x));
        let new = shape.len() - x.len();
        Places::new(&shape, run, |a, i| a.checked_sub(new).map_or(0, |a| i % x[a] * strides[a]))
    }
}

impl Kernel for Repeat {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        Ok(vec![TensorForm::new(x.element, self.shape(&x.shape, &constants(inputs, "a shape")?)?)])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        let x = needed(inputs, 0)?;
        Ok(vec![moved(x, &self.places(x.shape(), inputs, context.run)?, None, &forms[0], context)?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        pull_moved(call, context, |x| self.places(x.shape(), call.inputs, context.run))
    }
}
