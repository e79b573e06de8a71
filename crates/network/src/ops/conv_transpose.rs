//! The transpose of a convolution: each element of the input adds a multiple of the filter to the output.
//!
//! x (n, c, space…), W (c, m/groups, kernel…): the output has the size of which a convolution with this window would
//! have made x, (size − 1)·stride − begin − end + span + extra. Running it is a convolution's pull back to its inputs,
//! its pull back is a convolution.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use crate::ops::conv::{check_groups, check_parts, is_depthwise};
use crate::ops::correlate::{self, Sizes};
use crate::ops::sliding::{Axis, Sliding, check_window};
use crate::ops::{depthwise, sums};
use base::graph::{Padding, Tensor, Window};
use base::{Error, Result};
use numeric::{Finish, Real};

/// A transposed convolution.
pub(crate) struct ConvTranspose<'a> {
    pub window: &'a Window,
    pub groups: usize,
    pub extra: &'a [usize],
}

impl ConvTranspose<'_> {
    /// The sizes of the convolution this is the transpose of: its inputs are our outputs.
    fn sizes(&self, x: &[usize], w: &[usize]) -> Result<Sizes> {
        let (&[images, filters, ref space @ ..], &[rows, channels, ref kernel @ ..]) = (x, w) else {
            let found = format!("{} and {}", x.len(), w.len());
            return Err(Error::size("axes of inputs and filters", "at least 3 each", found));
        };
        check_window(self.window, space.len())?;
        check_groups(self.groups, filters, "channels")?;
        if rows != filters {
            return Err(Error::size("filters", format!("{filters}, one for each channel"), rows));
        }
        if kernel != self.window.kernel {
            let (wanted, found) = (format!("{:?}", self.window.kernel), format!("{kernel:?}"));
            return Err(Error::size("sizes of the filters", wanted, found));
        }
        if !self.extra.is_empty() && self.extra.len() != space.len() {
            return Err(Error::size("extra sizes", space.len(), self.extra.len()));
        }
        let axes = space.iter().enumerate().map(|(i, &size)| self.axis(i, size)).collect::<Result<Vec<_>>>()?;
        let sliding = Sliding::of(&axes);
        Sizes { images, groups: self.groups, channels, filters: filters / self.groups, sliding }.checked()
    }

    /// The axis of the convolution whose places are our elements.
    fn axis(&self, i: usize, places: usize) -> Result<Axis> {
        let (kernel, stride, dilation) = (self.window.kernel[i], self.window.strides[i], self.window.dilations[i]);
        let extra = self.extra.get(i).copied().unwrap_or(0);
        let span = (kernel - 1) * dilation + 1;
        let wrong = |why: &str| Error::size(format!("elements along space axis {i}"), why, places);
        let reach = places.checked_sub(1).and_then(|steps| steps.checked_mul(stride)).and_then(|n| n.checked_add(span));
        let full = reach.and_then(|n| n.checked_add(extra)).ok_or_else(|| wrong("at least 1, and countable"))?;
        // With "same" padding the size is that of the inputs times the stride; what is too much is cut at both ends.
        let wide = places.saturating_mul(stride);
        let too_much = full.saturating_sub(wide);
        let (size, begin) = match &self.window.padding {
            Padding::Explicit { up: true, .. } => {
                let instead = "give the extra sizes";
                return Err(Error::unsupported("rounding up", "a transposed convolution", instead));
            }
            Padding::Explicit { begin, end, .. } => (full.saturating_sub(begin[i] + end[i]), begin[i]),
            Padding::SameUpper => (wide, too_much / 2),
            Padding::SameLower => (wide, too_much.div_ceil(2)),
        };
        if size == 0 || size > 1 << 30 {
            return Err(wrong("larger than what the padding cuts off"));
        }
        Ok(Axis { size, kernel, stride, dilation, begin, places })
    }
}

impl Kernel for ConvTranspose<'_> {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let (x, w) = (&needed(inputs, 0)?.form, &needed(inputs, 1)?.form);
        let sizes = self.sizes(&x.shape, &w.shape)?;
        let channels = sizes.groups * sizes.channels;
        check_parts(inputs, channels)?;
        let mut shape = vec![sizes.images, channels];
        shape.extend(sizes.sliding.sizes());
        Ok(vec![TensorForm::new(x.element, shape)])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(
            op: &ConvTranspose<'_>,
            inputs: &Inputs<'_>,
            forms: &[TensorForm],
            context: &Context<'_>,
        ) -> Result<Vec<Tensor>> {
            let (x, w, form) = (needed(inputs, 0)?, needed(inputs, 1)?, needed(&[forms.first()], 0)?.to_owned());
            let sizes = op.sizes(x.shape(), w.shape())?;
            let (x, w) = (numbers::<T>(x)?, numbers::<T>(w)?);
            let bias = inputs.get(2).copied().flatten().map(numbers::<T>).transpose()?;
            let mut y = context.take::<T>(form.count()?)?;
            match is_depthwise(&sizes) {
                true => depthwise::to_inputs(&sizes.sliding, sizes.groups, x, w, bias, &mut y.values, context)?,
                false => correlate::to_inputs(&sizes, x, w, bias, &mut y.values, context)?,
            }
            Ok(vec![y.tensor(form.shape.clone())?])
        }
        by_real!(needed(inputs, 0)?.element(), go(self, inputs, forms, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(
            op: &ConvTranspose<'_>,
            call: &Call<'_>,
            context: &Context<'_>,
        ) -> Result<Vec<Option<Tensor>>> {
            let mut pulled = vec![None; call.inputs.len()];
            let Some(gradient) = call.gradient() else { return Ok(pulled) };
            let (x, w) = (needed(call.inputs, 0)?, needed(call.inputs, 1)?);
            let sizes = op.sizes(x.shape(), w.shape())?;
            let (sliding, alone) = (&sizes.sliding, is_depthwise(&sizes));
            let (xs, ws, g) = (numbers::<T>(x)?, numbers::<T>(w)?, numbers::<T>(gradient)?);
            if call.wants(0) {
                let mut dx = context.take::<T>(xs.len())?;
                match alone {
                    true => {
                        depthwise::forward(sliding, sizes.groups, g, ws, Finish::biased(None), &mut dx.values, context)?
                    }
                    false => correlate::forward(&sizes, g, ws, Finish::biased(None), &mut dx.values, context)?,
                }
                pulled[0] = Some(dx.tensor(x.shape())?);
            }
            if call.wants(1) {
                let mut dw = context.take::<T>(ws.len())?;
                match alone {
                    true => depthwise::to_filters(sliding, sizes.groups, g, xs, &mut dw.values, context)?,
                    false => correlate::to_filters(&sizes, g, xs, &mut dw.values, context)?,
                }
                pulled[1] = Some(dw.tensor(w.shape())?);
            }
            if call.wants(2) {
                let channels = sizes.groups * sizes.channels;
                let sums = sums::by_channel(g, channels, sliding.space(), context)?;
                pulled[2] = Some(Tensor::new([channels], T::shared(sums.into()))?);
            }
            Ok(pulled)
        }
        by_real!(needed(call.inputs, 0)?.element(), go(self, call, context))
    }
}
