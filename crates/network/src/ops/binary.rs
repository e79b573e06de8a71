//! Functions of two numbers, element by element, shapes broadcast.

use crate::kernel::{Call, Context, Form, Inputs, Kernel, Known};
use crate::number::{Number, by_real, numbers};
use base::graph::{Binary, Tensor};
use base::{Error, Result};
use numeric::Real;

/// A function of the elements of two tensors.
pub(crate) struct Both(pub Binary);

impl Kernel for Both {
    fn forms(&self, _inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<Form>> {
        todo!("{:?}", self.0)
    }

    fn run(&self, _inputs: &Inputs<'_>, _forms: &[Form], _context: &Context<'_>) -> Result<Vec<Tensor>> {
        todo!()
    }

    fn pull(&self, _call: &Call<'_>, _context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        todo!()
    }
}

/// The sum of two tensors of the same form.
pub(crate) fn sum(a: &Tensor, b: &Tensor, context: &Context<'_>) -> Result<Tensor> {
    fn go<T: Real + Number>(a: &Tensor, b: &Tensor, context: &Context<'_>) -> Result<Tensor> {
        if a.shape() != b.shape() {
            return Err(Error::size("gradients that meet", format!("{:?}", a.shape()), format!("{:?}", b.shape())));
        }
        let mut out = context.take::<T>(numbers::<T>(a)?.len())?;
        let pairs = numbers::<T>(a)?.iter().zip(numbers::<T>(b)?);
        out.values.iter_mut().zip(pairs).for_each(|(out, (&a, &b))| *out = a + b);
        out.tensor(a.shape())
    }
    by_real!(a.element(), go(a, b, context))
}
