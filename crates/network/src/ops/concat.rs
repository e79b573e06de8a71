//! Tensors one after the other along an axis.

use super::shapes::{around, product};
use super::split::cut;
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use crate::number::{Number, by_any, by_real, numbers};
use crate::pool::Fresh;
use base::graph::Tensor;
use base::{Error, Result};
use numeric::each_chunk_mut;

/// Joins its inputs along an axis.
pub(crate) struct Concat {
    pub axis: i64,
}

impl Kernel for Concat {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let mut form = needed(inputs, 0)?.form.clone();
        let along = axis(self.axis, form.shape.len())?;
        for i in 1..inputs.len() {
            let next = &needed(inputs, i)?.form;
            let alike = next.element == form.element
                && next.shape.len() == form.shape.len()
                && next.shape.iter().zip(&form.shape).enumerate().all(|(a, (m, n))| a == along || m == n);
            if !alike {
                return Err(Error::size(
                    format!("input {i} to join at axis {along}"),
                    format!("{form:?}"),
                    format!("{next:?}"),
                ));
            }
            let sum = form.shape[along].checked_add(next.shape[along]);
            form.shape[along] = sum.ok_or_else(|| Error::size("size of the joined axis", "fewer", "too many"))?;
        }
        Ok(vec![form])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Number>(
            inputs: &Inputs<'_>,
            along: usize,
            form: &TensorForm,
            context: &Context<'_>,
        ) -> Result<Tensor> {
            let parts: Vec<(usize, Option<&[T]>)> = (0..inputs.len())
                .map(|i| needed(inputs, i).and_then(|x| Ok((product(&x.shape()[along..]), Some(numbers::<T>(x)?)))))
                .collect::<Result<_>>()?;
            join(&parts, form.count()?, context)?.tensor(form.shape.clone())
        }
        let along = axis(self.axis, forms[0].shape.len())?;
        Ok(vec![by_any!(forms[0].element, go(inputs, along, &forms[0], context))?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        let mut pulled = vec![None; call.inputs.len()];
        let Some(g) = call.gradient() else { return Ok(pulled) };
        let along = axis(self.axis, g.shape().len())?;
        let mut offset = 0;
        for (i, pulled) in pulled.iter_mut().enumerate() {
            let x = needed(call.inputs, i)?;
            if call.wants(i) {
                *pulled = Some(by_real!(x.element(), cut(g, along, offset, x.shape(), context))?);
            }
            offset += around(x.shape(), along).1;
        }
        Ok(pulled)
    }
}

/// Parts laid side by side, row by row: how many numbers each has in a row, and which; zeros for none.
pub(super) fn join<T: Number>(
    parts: &[(usize, Option<&[T]>)],
    count: usize,
    context: &Context<'_>,
) -> Result<Fresh<T>> {
    let mut y = context.take::<T>(count)?;
    if count == 0 {
        return Ok(y);
    }
    let width: usize = parts.iter().map(|(width, _)| width).sum();
    each_chunk_mut(context.run, &mut y.values, width, |row, y| {
        let mut rest = y;
        for &(width, part) in parts {
            let (own, next) = rest.split_at_mut(width);
            match part {
                Some(part) => own.copy_from_slice(&part[row * width..][..width]),
                None => own.fill(T::default()),
            }
            rest = next;
        }
        Ok(())
    })?;
    Ok(y)
}
