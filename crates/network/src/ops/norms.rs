//! Normalisation: with given means and variances, over the last axes, over groups of channels.
//!
//! Batch: y = (x − μ) / √(σ² + ε) · s + b with numbers given for each channel (in training: `batch`). Layer and group: x̂ has mean 0 and
//! variance 1 over a row (the axes from one on, or a group of channels with their space) and y = x̂ · s + b. With
//! h = g · s the gradient of a row is (h − mean h − x̂ · mean(h x̂)) / √(σ² + ε). Means are taken in double precision.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use crate::number::{Number, by_real, numbers};
use crate::ops::batch;
use crate::ops::sums::{total, total_of};
use base::graph::Tensor;
use base::{Error, Result};
use numeric::{Real, each, each_chunk_mut};

/// Normalisation by given numbers.
pub(crate) struct BatchNorm {
    pub epsilon: f64,
}

/// Normalisation over rows.
pub(crate) enum RowNorm {
    /// Over the axes from this one on; scale and bias have their shape.
    Layer { axis: i64, epsilon: f64 },
    /// Over groups of channels (0: each channel) and space; scale and bias are given for each channel.
    Group { groups: usize, epsilon: f64 },
}

/// Channels and space of a tensor (n, c, space…).
pub(crate) fn channels(x: &[usize]) -> Result<(usize, usize)> {
    match x {
        [_, channels, space @ ..] => {
            let product = space.iter().try_fold(1usize, |n, &s| n.checked_mul(s));
            product.map(|space| (*channels, space)).ok_or_else(|| Error::size("space", "countable", format!("{x:?}")))
        }
        _ => Err(Error::size("axes of the inputs", "at least 2", x.len())),
    }
}

impl Kernel for BatchNorm {
    fn is_steady(&self) -> bool {
        // In training it is by the batch, so nothing of it can be computed before.
        false
    }

    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        let (channels, _) = channels(&x.shape)?;
        for (i, what) in [(1, "scale"), (2, "bias"), (3, "mean"), (4, "variance")] {
            let form = &needed(inputs, i)?.form;
            if *form != TensorForm::new(x.element, [channels]) {
                return Err(Error::size(what, format!("{channels} {}", x.element.word()), format!("{form:?}")));
            }
        }
        real(x)
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(op: &BatchNorm, inputs: &Inputs<'_>, context: &Context<'_>) -> Result<Vec<Tensor>> {
            let x = needed(inputs, 0)?;
            if context.training.is_some() {
                return Ok(vec![batch::normalised::<T>(inputs, op.epsilon, context)?]);
            }
            let (channels, space) = channels(x.shape())?;
            let part = |i: usize| numbers::<T>(needed(inputs, i)?);
            let (values, scale, bias, mean, variance) = (part(0)?, part(1)?, part(2)?, part(3)?, part(4)?);
            // One factor and one summand for each channel.
            let factor = |c: usize| scale[c].wide() / (variance[c].wide() + op.epsilon).sqrt();
            let lines: Vec<(T, T)> = (0..channels)
                .map(|c| (T::narrow(factor(c)), T::narrow(bias[c].wide() - mean[c].wide() * factor(c))))
                .collect();
            let mut y = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut y.values, space, |plane, out| {
                let (a, b) = lines[plane % channels];
                out.iter_mut().zip(&values[plane * space.max(1)..]).for_each(|(y, &x)| *y = a * x + b);
                Ok(())
            })?;
            Ok(vec![y.tensor(x.shape())?])
        }
        by_real!(needed(inputs, 0)?.element(), go(self, inputs, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: &BatchNorm, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
            let mut pulled = vec![None; call.inputs.len()];
            let Some(gradient) = call.gradient() else { return Ok(pulled) };
            if context.training.is_some() {
                return batch::pulled::<T>(call, gradient, op.epsilon, context);
            }
            let x = needed(call.inputs, 0)?;
            let (channels, space) = channels(x.shape())?;
            let part = |i: usize| numbers::<T>(needed(call.inputs, i)?);
            let (values, scale, mean, variance) = (part(0)?, part(1)?, part(3)?, part(4)?);
            let g = numbers::<T>(gradient)?;
            let inverse = |c: usize| 1.0 / (variance[c].wide() + op.epsilon).sqrt();
            if call.wants(0) {
                let mut dx = context.take::<T>(values.len())?;
                each_chunk_mut(context.run, &mut dx.values, space, |plane, out| {
                    let c = plane % channels;
                    let a = T::narrow(scale[c].wide() * inverse(c));
                    out.iter_mut().zip(&g[plane * space.max(1)..]).for_each(|(d, &g)| *d = a * g);
                    Ok(())
                })?;
                pulled[0] = Some(dx.tensor(x.shape())?);
            }
            if !(1..5).any(|i| call.wants(i)) {
                return Ok(pulled);
            }
            // Σ g and Σ g (x − μ) / √(σ² + ε), channel by channel.
            let sums = each(context.run, channels, |c| {
                let (m, inverse) = (mean[c].wide(), inverse(c));
                let mut sums = (0.0, 0.0);
                for (x, g) in
                    values.chunks_exact(space.max(1)).zip(g.chunks_exact(space.max(1))).skip(c).step_by(channels)
                {
                    sums.0 += total(g);
                    sums.1 += total_of(x.iter().zip(g).map(|(x, g)| (x.wide() - m) * inverse * g.wide()));
                }
                Ok(sums)
            })?;
            let slope = |i: usize, c: usize, (plain, scaled): (f64, f64)| match i {
                1 => scaled,
                2 => plain,
                3 => -plain * scale[c].wide() * inverse(c),
                _ => -0.5 * scaled * scale[c].wide() * inverse(c) * inverse(c),
            };
            for (i, pulled) in pulled.iter_mut().enumerate().skip(1) {
                if call.wants(i) {
                    let values: Vec<T> = sums.iter().enumerate().map(|(c, &s)| T::narrow(slope(i, c, s))).collect();
                    *pulled = Some(Tensor::new([channels], T::shared(values.into()))?);
                }
            }
            Ok(pulled)
        }
        by_real!(needed(call.inputs, 0)?.element(), go(self, call, context))
    }
}

/// How x falls into rows, and where each element finds its scale.
struct Rows {
    length: usize,
    /// Elements that share a scale.
    shared: usize,
    /// Rows after which the scales repeat.
    period: usize,
    scales: usize,
    epsilon: f64,
}

impl Rows {
    /// The scale of an element of a row.
    fn scale(&self, row: usize, i: usize) -> usize {
        row % self.period * (self.scales / self.period) + i / self.shared
    }

    /// Mean and 1 / √(variance + ε) of a row.
    fn moments<T: Real>(&self, row: &[T]) -> (f64, f64) {
        let n = row.len().max(1) as f64;
        let mean = total(row) / n;
        let variance = total_of(row.iter().map(|x| (x.wide() - mean).powi(2))) / n;
        (mean, 1.0 / (variance + self.epsilon).sqrt())
    }
}

impl RowNorm {
    /// The rows of x, and the shape that scale and bias must have.
    fn rows(&self, x: &[usize]) -> Result<(Rows, Vec<usize>)> {
        match *self {
            RowNorm::Layer { axis: first, epsilon } => {
                let shape = x[axis(first, x.len())?..].to_vec();
                let length = shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s));
                let length = length.ok_or_else(|| Error::size("elements of a row", "countable", format!("{x:?}")))?;
                Ok((Rows { length, shared: 1, period: 1, scales: length, epsilon }, shape))
            }
            RowNorm::Group { groups, epsilon } => {
                let (channels, space) = channels(x)?;
                let groups = if groups == 0 { channels.max(1) } else { groups };
                crate::ops::conv::check_groups(groups, channels, "channels")?;
                let length = (channels / groups).checked_mul(space);
                let length = length.ok_or_else(|| Error::size("elements of a group", "countable", format!("{x:?}")))?;
                Ok((Rows { length, shared: space.max(1), period: groups, scales: channels, epsilon }, vec![channels]))
            }
        }
    }
}

impl Kernel for RowNorm {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        let (_, shape) = self.rows(&x.shape)?;
        for (form, what) in inputs.iter().skip(1).zip(["scale", "bias"]).filter_map(|(k, w)| k.map(|k| (&k.form, w))) {
            if form.shape != shape || form.element != x.element {
                return Err(Error::size(what, format!("{} {shape:?}", x.element.word()), format!("{form:?}")));
            }
        }
        real(x)
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(op: &RowNorm, inputs: &Inputs<'_>, context: &Context<'_>) -> Result<Vec<Tensor>> {
            let x = needed(inputs, 0)?;
            let (rows, _) = op.rows(x.shape())?;
            let (values, scale) = (numbers::<T>(x)?, numbers::<T>(needed(inputs, 1)?)?);
            let bias = inputs.get(2).copied().flatten().map(numbers::<T>).transpose()?;
            let mut y = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut y.values, rows.length, |row, out| {
                let x = &values[row * rows.length..][..out.len()];
                let (mean, inverse) = rows.moments(x);
                for (i, (y, x)) in out.iter_mut().zip(x).enumerate() {
                    let s = rows.scale(row, i);
                    let b = bias.map_or(0.0, |b| b[s].wide());
                    *y = T::narrow((x.wide() - mean) * inverse * scale[s].wide() + b);
                }
                Ok(())
            })?;
            Ok(vec![y.tensor(x.shape())?])
        }
        by_real!(needed(inputs, 0)?.element(), go(self, inputs, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: &RowNorm, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
            let mut pulled = vec![None; call.inputs.len()];
            let Some(gradient) = call.gradient() else { return Ok(pulled) };
            let x = needed(call.inputs, 0)?;
            let (rows, shape) = op.rows(x.shape())?;
            let (values, scale) = (numbers::<T>(x)?, numbers::<T>(needed(call.inputs, 1)?)?);
            let g = numbers::<T>(gradient)?;
            if call.wants(0) {
                let mut dx = context.take::<T>(values.len())?;
                each_chunk_mut(context.run, &mut dx.values, rows.length, |row, out| {
                    let part = row * rows.length..row * rows.length + out.len();
                    let (x, g) = (&values[part.clone()], &g[part]);
                    let (mean, inverse) = rows.moments(x);
                    let n = x.len().max(1) as f64;
                    let h = |i: usize| g[i].wide() * scale[rows.scale(row, i)].wide();
                    let hat = |i: usize| (x[i].wide() - mean) * inverse;
                    let plain = total_of((0..x.len()).map(h)) / n;
                    let along = total_of((0..x.len()).map(|i| h(i) * hat(i))) / n;
                    let slope = |i: usize| inverse * (h(i) - plain - hat(i) * along);
                    out.iter_mut().enumerate().for_each(|(i, d)| *d = T::narrow(slope(i)));
                    Ok(())
                })?;
                pulled[0] = Some(dx.tensor(x.shape())?);
            }
            if call.wants(1) || call.wants(2) {
                let (scales, biases) = scale_slopes(&rows, values, g, context)?;
                for (i, sums) in [(1, scales), (2, biases)] {
                    if call.wants(i) {
                        let sums: Vec<T> = sums.into_iter().map(T::narrow).collect();
                        pulled[i] = Some(Tensor::new(shape.clone(), T::shared(sums.into()))?);
                    }
                }
            }
            Ok(pulled)
        }
        by_real!(needed(call.inputs, 0)?.element(), go(self, call, context))
    }
}

/// Σ g x̂ and Σ g for each scale: rows in runs of fixed number, whose sums are added in order.
fn scale_slopes<T: Real>(rows: &Rows, x: &[T], g: &[T], context: &Context<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
    const RUNS: usize = 16;
    let count = x.len().checked_div(rows.length).unwrap_or(0);
    let sums = numeric::sum_blocks(context.run, count, count.div_ceil(RUNS), 2 * rows.scales, |range, sums| {
        let (scales, biases) = sums.split_at_mut(rows.scales);
        for row in range {
            let part = row * rows.length..(row + 1) * rows.length;
            let (x, g) = (&x[part.clone()], &g[part]);
            let (mean, inverse) = rows.moments(x);
            for (i, (x, g)) in x.iter().zip(g).enumerate() {
                let s = rows.scale(row, i);
                scales[s] += g.wide() * (x.wide() - mean) * inverse;
                biases[s] += g.wide();
            }
        }
        Ok(())
    })?;
    let (scales, biases) = sums.split_at(rows.scales);
    Ok((scales.to_vec(), biases.to_vec()))
}

/// The form of x for what comes out, if it has slopes.
fn real(x: &TensorForm) -> Result<Vec<TensorForm>> {
    match x.element.is_real() {
        true => Ok(vec![x.clone()]),
        false => Err(Error::size("inputs", "f32 or f64", x.element.word())),
    }
}
