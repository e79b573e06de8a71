//! Elements and slices chosen by indices: along an axis, one by one, or by whole index vectors.
//!
//! Indices are checked before anything is copied. Pull back: gradients add up where an element was chosen often.

use super::index::{Vectors, along, check_elements, elements};
use super::moved::{moved, moved_back};
use super::places::Places;
use super::shapes::around;
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use base::graph::{Element, Tensor};
use base::{Error, Result, Run};

/// How indices choose.
#[derive(Clone, Copy)]
pub(crate) enum Gather {
    /// Slices of an axis.
    Slices { axis: i64 },
    /// Single elements along an axis.
    Elements { axis: i64 },
    /// By index vectors.
    Nd { batch: usize },
}

impl Gather {
    fn shape(self, x: &[usize], indices: &[usize]) -> Result<Vec<usize>> {
        Ok(match self {
            Gather::Slices { axis: a } => {
                let a = axis(a, x.len())?;
                [&x[..a], indices, &x[a + 1..]].concat()
            }
            Gather::Elements { axis: a } => {
                check_elements(indices, x, axis(a, x.len())?)?;
                indices.to_vec()
            }
            Gather::Nd { batch } => Vectors::new(indices, x, batch)?.chosen(indices, x),
        })
    }

    /// Places of the result seen as (before, chosen, after).
    fn places(self, x: &Tensor, indices: &Tensor, run: &Run<'_>) -> Result<Places> {
        let shape = x.shape();
        match self {
            Gather::Slices { axis: a } => {
                let (outer, n, inner) = around(shape, axis(a, shape.len())?);
                let chosen = along(indices, n, run)?.places;
                Places::new(&[outer, chosen.len(), inner], run, |a, i| match a {
                    0 => i * n * inner,
                    1 => chosen[i] * inner,
                    _ => i,
                })
            }
            Gather::Elements { axis: a } => {
                let chosen = elements(indices, shape, axis(a, shape.len())?, run)?.places;
                Places::new(&[chosen.len()], run, |_, i| chosen[i])
            }
            Gather::Nd { batch } => {
                let (chosen, length) = Vectors::new(indices.shape(), shape, batch)?.slices(indices, shape, run)?;
                Places::new(&[chosen.places.len(), length], run, |a, i| if a == 0 { chosen.places[i] } else { i })
            }
        }
    }
}

impl Kernel for Gather {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let (x, indices) = (&needed(inputs, 0)?.form, &needed(inputs, 1)?.form);
        match indices.element {
            Element::I64 => Ok(vec![TensorForm::new(x.element, self.shape(&x.shape, &indices.shape)?)]),
            other => Err(Error::size("indices", "i64", other.word())),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        let (x, indices) = (needed(inputs, 0)?, needed(inputs, 1)?);
        Ok(vec![moved(x, &self.places(x, indices, context.run)?, None, &forms[0], context)?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        let Some(g) = call.gradient().filter(|_| call.wants(0)) else { return Ok(vec![None, None]) };
        let (x, indices) = (needed(call.inputs, 0)?, needed(call.inputs, 1)?);
        Ok(vec![Some(moved_back(x, &self.places(x, indices, context.run)?, g, context)?.0), None])
    }
}
