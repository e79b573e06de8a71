//! A tensor with elements or slices replaced. Where several updates fall on one place, the last stays.
//!
//! Pull back: x keeps the gradient where nothing was replaced, an update gets it where it stayed.

use super::index::{Vectors, check_elements, elements};
use super::shapes::product;
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use crate::number::{Number, by_any, by_real, numbers};
use base::graph::{Element, Scatter, Tensor};
use base::{Error, Result, Run};
use numeric::Real;

/// x, indices, updates.
pub(crate) struct Replace(pub Scatter);

impl Replace {
    /// The shape the updates must have.
    fn updates(&self, x: &[usize], indices: &[usize]) -> Result<Vec<usize>> {
        match self.0 {
            Scatter::Elements { axis: a } => {
                check_elements(indices, x, axis(a, x.len())?)?;
                Ok(indices.to_vec())
            }
            Scatter::Nd => Ok(Vectors::new(indices, x, 0)?.chosen(indices, x)),
        }
    }

    /// Where each slice of the updates goes, and how long they are.
    fn slices(&self, x: &[usize], indices: &Tensor, run: &Run<'_>) -> Result<(super::index::Indices, usize)> {
        match self.0 {
            Scatter::Elements { axis: a } => Ok((elements(indices, x, axis(a, x.len())?, run)?, 1)),
            Scatter::Nd => Vectors::new(indices.shape(), x, 0)?.slices(indices, x, run),
        }
    }
}

impl Kernel for Replace {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let (x, indices) = (&needed(inputs, 0)?.form, &needed(inputs, 1)?.form);
        let updates = &needed(inputs, 2)?.form;
        let expected = TensorForm::new(x.element, self.updates(&x.shape, &indices.shape)?);
        if indices.element != Element::I64 {
            return Err(Error::size("indices", "i64", indices.element.word()));
        }
        match *updates == expected {
            true => Ok(vec![x.clone()]),
            false => Err(Error::size("updates", format!("{expected:?}"), format!("{updates:?}"))),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Number>(op: &Replace, inputs: &Inputs<'_>, context: &Context<'_>) -> Result<Tensor> {
            let x = needed(inputs, 0)?;
            let (slices, length) = op.slices(x.shape(), needed(inputs, 1)?, context.run)?;
            let updates = numbers::<T>(needed(inputs, 2)?)?;
            let mut y = context.take::<T>(product(x.shape()))?;
            y.values.copy_from_slice(numbers::<T>(x)?);
            for (&place, update) in slices.places.iter().zip(updates.chunks_exact(length.max(1))) {
                y.values[place..place + length].copy_from_slice(update);
            }
            y.tensor(x.shape())
        }
        Ok(vec![by_any!(needed(inputs, 0)?.element(), go(self, inputs, context))?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(
            op: &Replace,
            call: &Call<'_>,
            g: &Tensor,
            context: &Context<'_>,
        ) -> Result<Vec<Option<Tensor>>> {
            let (x, updates) = (needed(call.inputs, 0)?, needed(call.inputs, 2)?);
            let (slices, length) = op.slices(x.shape(), needed(call.inputs, 1)?, context.run)?;
            let mut dx = context.take::<T>(product(x.shape()))?;
            dx.values.copy_from_slice(numbers::<T>(g)?);
            let mut du = context.zeros::<T>(product(updates.shape()))?;
            // From the last on: who comes first here was the one that stayed, and takes the gradient along.
            let pairs = slices.places.iter().zip(du.values.chunks_exact_mut(length.max(1)));
            for (&place, du) in pairs.rev() {
                du.copy_from_slice(&dx.values[place..place + length]);
                dx.values[place..place + length].fill(T::ZERO);
            }
            Ok(vec![Some(dx.tensor(x.shape())?), None, Some(du.tensor(updates.shape())?)])
        }
        let Some(g) = call.gradient() else { return Ok(vec![None; 3]) };
        by_real!(needed(call.inputs, 0)?.element(), go(self, call, g, context))
    }
}
