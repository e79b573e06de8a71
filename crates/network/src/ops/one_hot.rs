//! Indices as rows of `off` with one `on`, along a new axis. An index outside the depth gives a row of `off` alone.

use super::shapes::{given, product, whole};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use crate::number::{Number, by_any, by_real, numbers};
use base::graph::{Element, Tensor};
use base::{Error, Result};
use numeric::Real;

/// indices, depth, values (off, on).
pub(crate) struct OneHot {
    pub axis: i64,
}

impl OneHot {
    /// Calls with each place of the result that is `on`.
    fn each_on(&self, indices: &Tensor, depth: usize, mut f: impl FnMut(usize)) -> Result<()> {
        let along = axis(self.axis, indices.shape().len() + 1)?;
        let inner = product(&indices.shape()[along..]);
        for (at, &index) in numbers::<i64>(indices)?.iter().enumerate() {
            let place = if index < 0 { i128::from(index) + depth as i128 } else { i128::from(index) };
            if let Some(place) = usize::try_from(place).ok().filter(|&p| p < depth) {
                f((at / inner * depth + place) * inner + at % inner);
            }
        }
        Ok(())
    }
}

impl Kernel for OneHot {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let (indices, depth, values) = (&needed(inputs, 0)?.form, needed(inputs, 1)?, &needed(inputs, 2)?.form);
        depth.wholes("a depth")?;
        let depth = depth.value.as_ref().map_or(Ok(0), |d| whole(d, "a depth"))?;
        let size = usize::try_from(depth).map_err(|_| Error::parameter("depth", depth, "must not be negative"))?;
        if values.shape != [2] || indices.element != Element::I64 {
            let found = format!("{indices:?} and {values:?}");
            return Err(Error::size("indices and values of one-hot", "i64 and 2 numbers", found));
        }
        let mut shape = indices.shape.clone();
        shape.insert(axis(self.axis, shape.len() + 1)?, size);
        Ok(vec![TensorForm::new(values.element, shape)])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Number>(op: &OneHot, inputs: &Inputs<'_>, form: &TensorForm, context: &Context<'_>) -> Result<Tensor> {
            let &[off, on] = numbers::<T>(needed(inputs, 2)?)? else {
                return Err(Error::size("values of one-hot", 2, "another number"));
            };
            let mut y = context.take::<T>(form.count()?)?;
            y.values.fill(off);
            let depth = form.shape[axis(op.axis, form.shape.len())?];
            op.each_on(needed(inputs, 0)?, depth, |place| y.values[place] = on)?;
            y.tensor(form.shape.clone())
        }
        Ok(vec![by_any!(forms[0].element, go(self, inputs, &forms[0], context))?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: &OneHot, call: &Call<'_>, g: &Tensor, context: &Context<'_>) -> Result<Tensor> {
            let values = numbers::<T>(g)?;
            let depth = g.shape()[axis(op.axis, g.shape().len())?];
            let mut off = context.take::<T>(values.len())?;
            off.values.copy_from_slice(values);
            let mut on = 0.0;
            op.each_on(needed(call.inputs, 0)?, depth, |place| {
                on += values[place].wide();
                off.values[place] = T::ZERO;
            })?;
            let mut both = context.take::<T>(2)?;
            both.values[0] = T::narrow(off.values.iter().map(|g| g.wide()).sum());
            both.values[1] = T::narrow(on);
            both.tensor([2])
        }
        let mut pulled = vec![None; 3];
        if let Some(g) = call.gradient().filter(|_| call.wants(2) && given(call.inputs, 2).is_some()) {
            pulled[2] = Some(by_real!(g.element(), go(self, call, g, context))?);
        }
        Ok(pulled)
    }
}
