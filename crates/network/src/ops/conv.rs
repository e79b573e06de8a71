//! Convolution (correlation, as networks call it) in one, two or three dimensions, with groups.
//!
//! y[n, f, p] = b[f] + Σ W[f, c, k] · x[n, c, p·stride − begin + k·dilation], over the channels c of f's group and the
//! parts k of the window.
//!
//! **Cost.** 2 · elements of y · channels of a group · kernel operations, and as many again for each of
//! the two gradients; matrix products do them, except where each channel has one filter of its own (depthwise).

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use crate::ops::correlate::{self, Sizes};
use crate::ops::sliding::Sliding;
use crate::ops::{depthwise, sums};
use base::graph::{Tensor, Window};
use base::{Error, Result};
use numeric::{Finish, Real};

/// A convolution.
pub(crate) struct Conv<'a> {
    pub window: &'a Window,
    pub groups: usize,
    /// What the results are brought between.
    pub bounds: (f64, f64),
}

/// No bounds.
pub(crate) const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Conv<'_> {
    /// The sizes for inputs and filters of these shapes.
    fn sizes(&self, x: &[usize], w: &[usize]) -> Result<Sizes> {
        let (&[images, channels, ref space @ ..], &[filters, inner, ref kernel @ ..]) = (x, w) else {
            let found = format!("{} and {}", x.len(), w.len());
            return Err(Error::size("axes of inputs and filters", "at least 3 each", found));
        };
        let sliding = Sliding::new(self.window, space)?;
        check_groups(self.groups, filters, "filters")?;
        check_groups(self.groups, channels, "channels")?;
        if kernel != self.window.kernel {
            let (wanted, found) = (format!("{:?}", self.window.kernel), format!("{kernel:?}"));
            return Err(Error::size("sizes of the filters", wanted, found));
        }
        if inner != channels / self.groups {
            return Err(Error::size("channels of the filters", channels / self.groups, inner));
        }
        Sizes { images, groups: self.groups, channels: inner, filters: filters / self.groups, sliding }.checked()
    }
}

/// Makes sure that channels fall into groups of equal size.
pub(crate) fn check_groups(groups: usize, count: usize, what: &str) -> Result<()> {
    match groups > 0 && count.is_multiple_of(groups) {
        true => Ok(()),
        false => Err(Error::parameter("groups", groups, format!("must divide the {count} {what}"))),
    }
}

/// Makes sure that types and a bias for each of `outputs` channels fit.
pub(crate) fn check_parts(inputs: &[Option<&Known>], outputs: usize) -> Result<()> {
    let (x, w) = (&needed(inputs, 0)?.form, &needed(inputs, 1)?.form);
    if x.element != w.element || !x.element.is_real() {
        return Err(Error::size("filters", "f32 or f64, as the inputs", w.element.word()));
    }
    match inputs.get(2) {
        Some(Some(bias)) if bias.form != TensorForm::new(x.element, [outputs]) => {
            Err(Error::size("biases", format!("{outputs} {}", x.element.word()), format!("{:?}", bias.form)))
        }
        _ => Ok(()),
    }
}

/// Whether each channel has one filter of its own.
pub(crate) fn is_depthwise(sizes: &Sizes) -> bool {
    sizes.channels == 1 && sizes.filters == 1 && sizes.groups > 1
}

impl Kernel for Conv<'_> {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let (x, w) = (&needed(inputs, 0)?.form, &needed(inputs, 1)?.form);
        let sizes = self.sizes(&x.shape, &w.shape)?;
        let filters = sizes.groups * sizes.filters;
        check_parts(inputs, filters)?;
        let mut shape = vec![sizes.images, filters];
        shape.extend(sizes.sliding.places());
        Ok(vec![TensorForm::new(x.element, shape)])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(
            op: &Conv<'_>,
            inputs: &Inputs<'_>,
            forms: &[TensorForm],
            context: &Context<'_>,
        ) -> Result<Vec<Tensor>> {
            let (x, w, form) = (needed(inputs, 0)?, needed(inputs, 1)?, needed(&[forms.first()], 0)?.to_owned());
            let sizes = op.sizes(x.shape(), w.shape())?;
            let (x, w) = (numbers::<T>(x)?, numbers::<T>(w)?);
            let bias = inputs.get(2).copied().flatten().map(numbers::<T>).transpose()?;
            let (low, high) = (T::narrow(op.bounds.0), T::narrow(op.bounds.1));
            let (how, mut y) = (Finish { bias, low, high }, context.take::<T>(form.count()?)?);
            match is_depthwise(&sizes) {
                true => depthwise::forward(&sizes.sliding, sizes.groups, x, w, how, &mut y.values, context)?,
                false => correlate::forward(&sizes, x, w, how, &mut y.values, context)?,
            }
            Ok(vec![y.tensor(form.shape.clone())?])
        }
        by_real!(needed(inputs, 0)?.element(), go(self, inputs, forms, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: &Conv<'_>, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
            let mut pulled = vec![None; call.inputs.len()];
            let Some(gradient) = call.gradient() else { return Ok(pulled) };
            let (x, w) = (needed(call.inputs, 0)?, needed(call.inputs, 1)?);
            let sizes = op.sizes(x.shape(), w.shape())?;
            let (sliding, alone) = (&sizes.sliding, is_depthwise(&sizes));
            let (xs, ws, g) = (numbers::<T>(x)?, numbers::<T>(w)?, numbers::<T>(gradient)?);
            if call.wants(0) {
                let mut dx = context.take::<T>(xs.len())?;
                match alone {
                    true => depthwise::to_inputs(sliding, sizes.groups, g, ws, None, &mut dx.values, context)?,
                    false => correlate::to_inputs(&sizes, g, ws, None, &mut dx.values, context)?,
                }
                pulled[0] = Some(dx.tensor(x.shape())?);
            }
            if call.wants(1) {
                let mut dw = context.take::<T>(ws.len())?;
                match alone {
                    true => depthwise::to_filters(sliding, sizes.groups, xs, g, &mut dw.values, context)?,
                    false => correlate::to_filters(&sizes, xs, g, &mut dw.values, context)?,
                }
                pulled[1] = Some(dw.tensor(w.shape())?);
            }
            if call.wants(2) {
                let filters = sizes.groups * sizes.filters;
                let sums = sums::by_channel(g, filters, sliding.place_count(), context)?;
                pulled[2] = Some(Tensor::new([filters], T::shared(sums.into()))?);
            }
            Ok(pulled)
        }
        by_real!(needed(call.inputs, 0)?.element(), go(self, call, context))
    }
}
