//! Batch normalisation while training: each channel by its own mean and variance over the batch.
//!
//! y = x̂ s + b with x̂ = (x − m) / √(v + ε), m and v the channel's mean and (biased) variance over rows and space. With
//! h = g s the gradient is (h − mean h − x̂ mean(h x̂)) / √(v + ε); those of s and b are Σ g x̂ and Σ g. Predicting, running
//! means take the place of m and v: a tenth of each batch's, the variance unbiased.
//!
//! - S. Ioffe, C. Szegedy: Batch normalization. ICML 2015.

use crate::kernel::{Call, Context, Inputs, needed};
use crate::number::{Number, by_real, numbers};
use crate::ops::norms::channels;
use crate::ops::sums::total_of;
use base::Result;
use base::graph::Tensor;
use numeric::{Real, each, each_chunk_mut};

/// The share of a batch in the running statistics.
const SHARE: f64 = 0.1;

/// Planes of one channel: its values row by row.
fn planes<T>(values: &[T], channel: usize, channels: usize, space: usize) -> impl Iterator<Item = &[T]> {
    values.chunks_exact(space.max(1)).skip(channel).step_by(channels.max(1))
}

/// Mean and biased variance of each channel, and how many numbers they are of.
fn moments<T: Real + Number>(x: &Tensor, context: &Context<'_>) -> Result<(Vec<(f64, f64)>, f64)> {
    let values = numbers::<T>(x)?;
    let (channels, space) = channels(x.shape())?;
    let count = (values.len() / channels.max(1)).max(1) as f64;
    let found = each(context.run, channels, |c| {
        let mean =
            planes(values, c, channels, space).map(|p| total_of(p.iter().map(|x| x.wide()))).sum::<f64>() / count;
        let off = |x: &T| (x.wide() - mean) * (x.wide() - mean);
        let sum: f64 = planes(values, c, channels, space).map(|p| total_of(p.iter().map(off))).sum();
        Ok((mean, sum / count))
    })?;
    Ok((found, count))
}

/// The batch normalised by itself.
pub(crate) fn normalised<T: Real + Number>(inputs: &Inputs<'_>, epsilon: f64, context: &Context<'_>) -> Result<Tensor> {
    let x = needed(inputs, 0)?;
    let (values, scale, bias) =
        (numbers::<T>(x)?, numbers::<T>(needed(inputs, 1)?)?, numbers::<T>(needed(inputs, 2)?)?);
    let (channels, space) = channels(x.shape())?;
    let (moments, _) = moments::<T>(x, context)?;
    let line = |(c, (mean, variance)): (usize, &(f64, f64))| {
        let factor = scale[c].wide() / (variance + epsilon).sqrt();
        (T::narrow(factor), T::narrow(bias[c].wide() - mean * factor))
    };
    let lines: Vec<(T, T)> = moments.iter().enumerate().map(line).collect();
    let mut y = context.take::<T>(values.len())?;
    each_chunk_mut(context.run, &mut y.values, (space * channels).max(1), |row, out| {
        let from = &values[row * space * channels..];
        for ((c, out), x) in out.chunks_mut(space.max(1)).enumerate().zip(from.chunks(space.max(1))) {
            let (a, b) = lines[c];
            out.iter_mut().zip(x).for_each(|(y, &x)| *y = a * x + b);
        }
        Ok(())
    })?;
    y.tensor(x.shape())
}

/// The gradients of inputs, scale and bias.
pub(crate) fn pulled<T: Real + Number>(
    call: &Call<'_>,
    gradient: &Tensor,
    epsilon: f64,
    context: &Context<'_>,
) -> Result<Vec<Option<Tensor>>> {
    let x = needed(call.inputs, 0)?;
    let (values, scale, g) = (numbers::<T>(x)?, numbers::<T>(needed(call.inputs, 1)?)?, numbers::<T>(gradient)?);
    let (channels, space) = channels(x.shape())?;
    let (moments, count) = moments::<T>(x, context)?;
    // Σ g and Σ g x̂ of each channel.
    let sums = each(context.run, channels, |c| {
        let (mean, inverse) = (moments[c].0, 1.0 / (moments[c].1 + epsilon).sqrt());
        let mut sums = (0.0, 0.0);
        for (x, g) in planes(values, c, channels, space).zip(planes(g, c, channels, space)) {
            sums.0 += total_of(g.iter().map(|g| g.wide()));
            sums.1 += total_of(x.iter().zip(g).map(|(x, g)| (x.wide() - mean) * inverse * g.wide()));
        }
        Ok(sums)
    })?;
    let mut pulled = vec![None; call.inputs.len()];
    if call.wants(0) {
        let mut dx = context.take::<T>(values.len())?;
        each_chunk_mut(context.run, &mut dx.values, (space * channels).max(1), |row, out| {
            let start = row * space * channels;
            for (c, out) in out.chunks_mut(space.max(1)).enumerate() {
                let (mean, inverse) = (moments[c].0, 1.0 / (moments[c].1 + epsilon).sqrt());
                // s/√(v+ε) · (g − Σg/n − x̂ Σ(g x̂)/n), as a line in g and x.
                let factor = scale[c].wide() * inverse;
                let along = factor * sums[c].1 / count * inverse;
                let (a, b, d) =
                    (T::narrow(factor), T::narrow(-along), T::narrow(along * mean - factor * sums[c].0 / count));
                let range = start + c * space..start + (c + 1) * space;
                let pairs = values[range.clone()].iter().zip(&g[range]);
                out.iter_mut().zip(pairs).for_each(|(y, (&x, &g))| *y = a * g + b * x + d);
            }
            Ok(())
        })?;
        pulled[0] = Some(dx.tensor(x.shape())?);
    }
    let whole = |f: &dyn Fn(&(f64, f64)) -> f64| {
        Tensor::new([channels], T::shared(sums.iter().map(|s| T::narrow(f(s))).collect::<Vec<T>>().into()))
    };
    if call.wants(1) {
        pulled[1] = Some(whole(&|s| s.1)?);
    }
    if call.wants(2) {
        pulled[2] = Some(whole(&|s| s.0)?);
    }
    Ok(pulled)
}

/// The running mean and variance after a batch.
pub(crate) fn running(inputs: &Inputs<'_>, context: &Context<'_>) -> Result<(Tensor, Tensor)> {
    fn go<T: Real + Number>(inputs: &Inputs<'_>, context: &Context<'_>) -> Result<(Tensor, Tensor)> {
        let (moments, count) = moments::<T>(needed(inputs, 0)?, context)?;
        let unbiased = count / (count - 1.0).max(1.0);
        let after = |i: usize, f: &dyn Fn(&(f64, f64)) -> f64| {
            let before = numbers::<T>(needed(inputs, i)?)?;
            let next = |(b, m): (&T, &(f64, f64))| T::narrow((1.0 - SHARE) * b.wide() + SHARE * f(m));
            Tensor::new([before.len()], T::shared(before.iter().zip(&moments).map(next).collect::<Vec<T>>().into()))
        };
        Ok((after(3, &|m| m.0)?, after(4, &|m| m.1 * unbiased)?))
    }
    by_real!(needed(inputs, 0)?.element(), go(inputs, context))
}
