//! Sums that gradients need: over broadcast axes, over everything but the channels.
//!
//! Each sum is made by one thread in double precision and in an order that the sizes fix.

use crate::kernel::Context;
use crate::number::{Number, numbers};
use base::Result;
use base::graph::Tensor;
use numeric::{Real, each, each_chunk_mut};

/// Numbers that one thread adds up in one go.
const BLOCK: usize = 1 << 14;

/// Σ x, in eight lanes.
pub(crate) fn total<T: Real>(values: &[T]) -> f64 {
    total_of(values.iter().map(|v| v.wide()))
}

/// Σ of numbers in eight lanes: fast, and in an order that their count alone fixes.
pub fn total_of(mut values: impl Iterator<Item = f64>) -> f64 {
    let mut lanes = [0.0f64; 8];
    'all: loop {
        for lane in &mut lanes {
            match values.next() {
                Some(value) => *lane += value,
                None => break 'all,
            }
        }
    }
    lanes.iter().sum()
}

/// Σ over images and space: x (images, channels, space) to one number for each channel.
pub(crate) fn by_channel<T: Real + Number>(
    x: &[T],
    channels: usize,
    space: usize,
    context: &Context<'_>,
) -> Result<Vec<T>> {
    let sums = each(context.run, channels, |c| {
        let planes = x.chunks_exact(space.max(1)).skip(c).step_by(channels);
        Ok(T::narrow(planes.map(total).sum()))
    });
    if space == 0 { Ok(vec![T::ZERO; channels]) } else { sums }
}

/// A tensor summed over the axes along which a tensor of that shape was broadcast to it.
pub(crate) fn sum_to<T: Real + Number>(tensor: Tensor, shape: &[usize], context: &Context<'_>) -> Result<Tensor> {
    let full = tensor.shape().to_vec();
    if full == shape {
        return Ok(tensor);
    }
    if tensor.numbers().is_empty() {
        let count = crate::kernel::TensorForm::new(T::ELEMENT, shape).count()?;
        return context.zeros::<T>(count)?.tensor(shape);
    }
    // Missing axes come first and count as 1; neighbours of a kind are one axis.
    let ahead = full.len() - shape.len();
    let mut axes: Vec<(usize, bool)> = vec![];
    for (i, &size) in full.iter().enumerate() {
        let summed = i < ahead || (shape[i - ahead] == 1 && size != 1);
        match axes.last_mut() {
            Some((before, same)) if *same == summed || size == 1 => *before *= size,
            _ => axes.push((size, summed)),
        }
    }
    let mut values = tensor;
    while let Some(place) = axes.iter().rposition(|a| a.1) {
        let before = axes[..place].iter().map(|a| a.0).product::<usize>();
        let after = axes[place + 1..].iter().map(|a| a.0).product::<usize>();
        values = sum_axis::<T>(&values, before, axes[place].0, after, context)?;
        axes.remove(place);
    }
    let numbers = numbers::<T>(&values)?;
    let mut out = context.take::<T>(numbers.len())?;
    out.values.copy_from_slice(numbers);
    out.tensor(shape)
}

/// (before, axis, after) to (before, after).
fn sum_axis<T: Real + Number>(
    x: &Tensor,
    before: usize,
    axis: usize,
    after: usize,
    context: &Context<'_>,
) -> Result<Tensor> {
    let x = numbers::<T>(x)?;
    let mut out = context.zeros::<T>(before * after)?;
    if axis == 0 || before * after == 0 {
        return out.tensor([before * after]);
    }
    if after == 1 {
        let blocks = axis.div_ceil(BLOCK);
        let parts = each(context.run, before * blocks, |i| {
            let line = &x[i / blocks * axis..][..axis];
            let start = i % blocks * BLOCK;
            Ok(total(&line[start..axis.min(start + BLOCK)]))
        })?;
        let lines = out.values.iter_mut().zip(parts.chunks_exact(blocks));
        lines.for_each(|(o, parts)| *o = T::narrow(parts.iter().sum()));
        return out.tensor([before]);
    }
    // Columns of 512 numbers by whole lines, so that memory is read in order.
    const WIDTH: usize = 512;
    let mut pieces: Vec<(usize, usize, &mut [T])> = vec![];
    for (i, line) in out.values.chunks_exact_mut(after).enumerate() {
        pieces.extend(line.chunks_mut(WIDTH).enumerate().map(|(j, part)| (i, j * WIDTH, part)));
    }
    each_chunk_mut(
        context.run,
        &mut pieces,
        BLOCK.div_ceil(axis.saturating_mul(after.min(WIDTH))).max(1),
        |_, list| {
            let mut sums = [0.0f64; WIDTH];
            for (i, start, part) in list {
                let sums = &mut sums[..part.len()];
                sums.fill(0.0);
                for k in 0..axis {
                    let line = &x[(*i * axis + k) * after + *start..][..part.len()];
                    sums.iter_mut().zip(line).for_each(|(s, v)| *s += v.wide());
                }
                part.iter_mut().zip(sums).for_each(|(p, s)| *p = T::narrow(*s));
            }
            Ok(())
        },
    )?;
    out.tensor([before * after])
}
