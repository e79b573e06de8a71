//! Local response normalisation: each element divided by a power of what its neighbouring channels hold.
//!
//! y_c = x_c · s_c^−β with s_c = bias + α/size · Σ x², over the channels from c − ⌊(size − 1)/2⌋ to c + ⌈(size − 1)/2⌉.
//! ∂: dx_c = g_c s_c^−β − 2αβ/size · x_c · Σ g_k x_k s_k^(−β−1) over the channels k whose neighbours c is among.
//!
//! - A. Krizhevsky, I. Sutskever, G. Hinton: *ImageNet classification with deep convolutional neural networks.* 2012.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use crate::ops::norms::channels;
use base::graph::Tensor;
use base::{Error, Result};
use numeric::{Real, each_chunk_mut};

/// The normalisation's numbers.
pub(crate) struct LocalResponse {
    pub size: usize,
    pub alpha: f64,
    pub beta: f64,
    pub bias: f64,
}

impl LocalResponse {
    /// s for every channel at one place of the space; `x` holds the channels `space` apart.
    fn sums<T: Real>(&self, x: &[T], space: usize, place: usize, out: &mut [f64]) {
        let count = out.len();
        let (before, after) = ((self.size - 1) / 2, self.size / 2);
        for (c, s) in out.iter_mut().enumerate() {
            let around = c.saturating_sub(before)..count.min(c.saturating_add(after).saturating_add(1));
            let squares: f64 = around.map(|k| x[k * space + place].wide().powi(2)).sum();
            *s = self.bias + self.alpha / self.size as f64 * squares;
        }
    }
}

impl Kernel for LocalResponse {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        channels(&x.shape)?;
        if self.size == 0 {
            return Err(Error::parameter("size", 0, "must be at least 1"));
        }
        match x.element.is_real() {
            true => Ok(vec![x.clone()]),
            false => Err(Error::size("inputs", "f32 or f64", x.element.word())),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(op: &LocalResponse, x: &Tensor, context: &Context<'_>) -> Result<Vec<Tensor>> {
            let ((channels, space), values) = (channels(x.shape())?, numbers::<T>(x)?);
            let mut y = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut y.values, channels.saturating_mul(space), |image, out| {
                let x = &values[image * channels * space..][..out.len()];
                let mut sums = vec![0.0; channels];
                for place in 0..space {
                    op.sums(x, space, place, &mut sums);
                    for (c, s) in sums.iter().enumerate() {
                        let i = c * space + place;
                        out[i] = T::narrow(x[i].wide() * s.powf(-op.beta));
                    }
                }
                Ok(())
            })?;
            Ok(vec![y.tensor(x.shape())?])
        }
        let x = needed(inputs, 0)?;
        by_real!(x.element(), go(self, x, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(
            op: &LocalResponse,
            call: &Call<'_>,
            context: &Context<'_>,
        ) -> Result<Vec<Option<Tensor>>> {
            let (Some(gradient), true) = (call.gradient(), call.wants(0)) else { return Ok(vec![None]) };
            let x = needed(call.inputs, 0)?;
            let ((channels, space), values, g) = (channels(x.shape())?, numbers::<T>(x)?, numbers::<T>(gradient)?);
            let (before, after) = ((op.size - 1) / 2, op.size / 2);
            let mut dx = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut dx.values, channels.saturating_mul(space), |image, out| {
                let part = image * channels * space..image * channels * space + out.len();
                let (x, g) = (&values[part.clone()], &g[part]);
                let (mut sums, mut shares) = (vec![0.0; channels], vec![0.0; channels]);
                for place in 0..space {
                    let at = |c: usize| c * space + place;
                    op.sums(x, space, place, &mut sums);
                    for (c, share) in shares.iter_mut().enumerate() {
                        *share = g[at(c)].wide() * x[at(c)].wide() * sums[c].powf(-op.beta - 1.0);
                    }
                    for c in 0..channels {
                        // c is a neighbour of k where k is from c − after to c + before.
                        let seen = c.saturating_sub(after)..channels.min(c.saturating_add(before).saturating_add(1));
                        let seen: f64 = shares[seen].iter().sum();
                        let factor = 2.0 * op.alpha * op.beta / op.size as f64;
                        let slope = g[at(c)].wide() * sums[c].powf(-op.beta) - factor * x[at(c)].wide() * seen;
                        out[at(c)] = T::narrow(slope);
                    }
                }
                Ok(())
            })?;
            Ok(vec![Some(dx.tensor(x.shape())?)])
        }
        by_real!(needed(call.inputs, 0)?.element(), go(self, call, context))
    }
}
