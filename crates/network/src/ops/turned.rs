//! Gradients of a correlation's filters, vectors of channels at a time.
//!
//! dW[f, c, k] = Σ over places p of g[f, p] · x[c, p shifted by k]. With the channels of each element side by side, the
//! sum over places is a product of g with x as it lies, from another element on for each part k of the window: nothing
//! is written out once for each part. Places that belong to nobody ([`Padded`]) have gradient 0.
//!
//! **Cost.** Two passes over x and one over g beside the arithmetic. **Threads.** Work is cut into runs of images whose
//! number is fixed, and groups; the runs' sums are added up in order.

use crate::kernel::Context;
use crate::number::Number;
use crate::ops::correlate::{Sizes, even};
use crate::ops::padded::Padded;
use crate::ops::panels;
use base::Result;
use numeric::{Left, Real, Steps, each, tile, tile_columns, tile_lanes, tile_rows};

/// Runs of images whose filter gradients are summed apart.
pub(crate) const RUNS: usize = 8;
/// Places summed in one go.
const TERMS: usize = 256;
/// Numbers of a square that is turned in the first-level cache.
const SIDE: usize = 16;

/// dW = Σ over images of g · Uᵀ.
pub(crate) fn to_filters<T: Real + Number>(
    sizes: &Sizes,
    x: &[T],
    g: &[T],
    dw: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    let (kernel, filters, channels) = (sizes.sliding.kernel(), sizes.filters, sizes.channels);
    let (space, places) = (sizes.sliding.space(), sizes.sliding.place_count());
    let along = usize::from(sizes.sliding.axes[0].places == 1);
    let layout = Padded::new(&sizes.sliding, along, 0..sizes.sliding.axes[along].places)?;
    if !layout.is_thrifty(&sizes.sliding) {
        return panels::to_filters(sizes, x, g, dw, context);
    }
    let (shifts, pieces, reach) = (layout.shifts(), layout.pieces(0..layout.reach), layout.reach);
    let (width, high) = (tile_columns::<T>(), tile_rows::<T>());
    let tiles = even(channels, channels.div_ceil(channels.div_ceil(width).max(1)), tile_lanes::<T>());
    // A line of the sums for each part of the window and filter, with room for whole vectors.
    let stride = channels.next_multiple_of(tile_lanes::<T>());
    let steps = Steps::even(TERMS.min(reach), channels);
    let runs = even(sizes.images, sizes.images.div_ceil(RUNS), 1);
    let partial = each(context.run, runs.len() * sizes.groups, |item| {
        let (run, group) = (item / sizes.groups, item % sizes.groups);
        let mut channel = context.take::<T>(SIDE * layout.channel)?;
        let mut beside = context.take::<T>((layout.channel + layout.slack::<T>()) * channels + 3 * width)?;
        let mut gradient = context.zeros::<T>(filters * reach)?;
        let mut sums = context.zeros::<T>(kernel * filters * stride)?;
        beside.values[layout.channel * channels..].fill(T::ZERO);
        for image in runs[run].clone() {
            let block = image * sizes.groups + group;
            for first in (0..channels).step_by(SIDE) {
                let count = SIDE.min(channels - first);
                for (i, plane) in channel.values.chunks_exact_mut(layout.channel).take(count).enumerate() {
                    layout.fill(&x[block * sizes.image() + (first + i) * space..][..space], plane);
                }
                turn(&channel.values, layout.channel, &mut beside.values[first..], channels, count);
            }
            let own = &g[block * sizes.map()..][..sizes.map()];
            for (line, from) in gradient.values.chunks_exact_mut(reach).zip(own.chunks_exact(places)) {
                for piece in &pieces {
                    line[piece.from..][..piece.count].copy_from_slice(&from[piece.to..][..piece.count]);
                }
            }
            for start in (0..reach).step_by(TERMS) {
                let terms = 0..TERMS.min(reach - start);
                for (shift, sums) in shifts.iter().zip(sums.values.chunks_exact_mut(filters * stride)) {
                    for columns in &tiles {
                        let right = &beside.values[(start + shift) * channels + columns.start..];
                        for row in (0..filters).step_by(high) {
                            let left = Left { data: &gradient.values[row * reach + start..], row: reach, step: 1 };
                            let out = &mut sums[row * stride + columns.start..];
                            let size = (high.min(filters - row), columns.len());
                            tile(left, (right, &steps, terms.clone()), out, stride, size, true)?;
                        }
                    }
                }
            }
        }
        Ok(sums)
    })?;
    dw.fill(T::ZERO);
    for (item, sums) in partial.iter().enumerate() {
        let own = &mut dw[item % sizes.groups * filters * channels * kernel..][..filters * channels * kernel];
        for (k, sums) in sums.values.chunks_exact(filters * stride).enumerate() {
            for (f, line) in sums.chunks_exact(stride).enumerate() {
                let own = own[f * channels * kernel..].iter_mut().skip(k).step_by(kernel);
                own.zip(&line[..channels]).for_each(|(d, &s)| *d += s);
            }
        }
    }
    Ok(())
}

/// Writes `count` lines of `length` numbers as columns of `out`, whose lines are `stride` long.
pub(crate) fn turn<T: Real>(lines: &[T], length: usize, out: &mut [T], stride: usize, count: usize) {
    for start in (0..length).step_by(SIDE) {
        let width = SIDE.min(length - start);
        if count == SIDE && width == SIDE {
            let mut square = [[T::ZERO; SIDE]; SIDE];
            for (i, line) in lines.chunks_exact(length).take(SIDE).enumerate() {
                for (j, &v) in line[start..start + SIDE].iter().enumerate() {
                    square[j][i] = v;
                }
            }
            for (j, column) in square.iter().enumerate() {
                out[(start + j) * stride..][..SIDE].copy_from_slice(column);
            }
        } else {
            for (i, line) in lines.chunks_exact(length).take(count).enumerate() {
                line[start..start + width].iter().enumerate().for_each(|(j, &v)| out[(start + j) * stride + i] = v);
            }
        }
    }
}
