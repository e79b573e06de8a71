//! Parts of a tensor along an axis. Parts along the outermost axis share the numbers.

use super::concat::join;
use super::shapes::{around, product, stretch};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use crate::number::{Number, by_any, by_real, numbers};
use base::graph::Tensor;
use base::{Error, Result};
use numeric::{Real, each_chunk_mut};

/// Cuts an axis into parts; without sizes into as many equal ones as there are outputs, the last possibly smaller.
pub(crate) struct Split<'a> {
    pub axis: i64,
    pub sizes: &'a [usize],
}

impl Kernel for Split<'_> {
    fn forms(&self, inputs: &[Option<&Known>], outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        let along = axis(self.axis, x.shape.len())?;
        let n = x.shape[along];
        let sizes = match self.sizes {
            [] => {
                let part = n.div_ceil(outputs.max(1));
                (0..outputs).map(|i| part.min(n.saturating_sub(i.saturating_mul(part)))).collect()
            }
            given => given.to_vec(),
        };
        let sum = sizes.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
        if sum != Some(n) || sizes.len() != outputs {
            let expected = format!("{outputs} that sum to {n}");
            return Err(Error::size("sizes of parts", expected, format!("{sizes:?}")));
        }
        let form = |size: usize| {
            let mut shape = x.shape.clone();
            shape[along] = size;
            TensorForm::new(x.element, shape)
        };
        Ok(sizes.into_iter().map(form).collect())
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        let x = needed(inputs, 0)?;
        let along = axis(self.axis, x.shape().len())?;
        let mut offset = 0;
        let part = |form: &TensorForm| {
            let start = offset;
            offset += form.shape[along];
            by_any!(x.element(), cut(x, along, start, &form.shape, context))
        };
        forms.iter().map(part).collect()
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(call: &Call<'_>, x: &Tensor, along: usize, context: &Context<'_>) -> Result<Tensor> {
            let mut parts: Vec<(usize, Option<&[T]>)> = Vec::with_capacity(call.outputs.len());
            for (y, g) in call.outputs.iter().zip(call.gradients) {
                parts.push((product(&y.shape()[along..]), g.as_ref().map(numbers::<T>).transpose()?));
            }
            join(&parts, product(x.shape()), context)?.tensor(x.shape())
        }
        if !call.wants(0) || call.gradients.iter().all(Option::is_none) {
            return Ok(vec![None]);
        }
        let x = needed(call.inputs, 0)?;
        let along = axis(self.axis, x.shape().len())?;
        Ok(vec![Some(by_real!(x.element(), go(call, x, along, context))?)])
    }
}

/// The part of that shape that begins at an index of an axis.
pub(super) fn cut<T: Number>(
    x: &Tensor,
    along: usize,
    start: usize,
    shape: &[usize],
    context: &Context<'_>,
) -> Result<Tensor> {
    let (outer, n, inner) = around(x.shape(), along);
    if outer == 1 {
        return stretch(x, start.saturating_mul(inner), shape.to_vec());
    }
    let mut y = context.take::<T>(product(shape))?;
    let (values, width) = (numbers::<T>(x)?, shape[along].saturating_mul(inner));
    each_chunk_mut(context.run, &mut y.values, width, |row, y| {
        y.copy_from_slice(&values[(row * n + start) * inner..][..width]);
        Ok(())
    })?;
    y.tensor(shape)
}
