//! Gradients of a correlation by matrix products, where the window moves by more than one or channels are few.
//!
//! With U the panel of elements under the window (channels · kernel, places), gradients G pull back to an image as
//! Wᵀ · G folded onto it, and to the filters as G · Uᵀ. Panels hold as many places as fit the second-level cache and
//! live no longer than one product; a window of one element needs none.
//!
//! **Threads.** Work is cut by image, group and channels, from the sizes alone; filters' gradients are summed over runs
//! of images whose number is fixed, then added up in order.

use crate::kernel::Context;
use crate::number::Number;
use crate::ops::correlate::{Sizes, even};
use crate::ops::unfold::{fold, unfold};
use base::{Result, Run};
use numeric::{Mat, MatMut, Real, each, each_chunk_mut, product};
use std::ops::Range;

/// Runs of images whose filter gradients are summed apart.
const RUNS: usize = 8;

/// The right factor of a product: the panel of these `count` channels, or the channels themselves.
fn right<'a, T: Real>(
    sizes: &Sizes,
    channels: &'a [T],
    count: usize,
    places: Range<usize>,
    panel: &'a mut [T],
) -> Result<Mat<'a, T>> {
    if sizes.sliding.is_point() {
        return Mat::new(channels, count, sizes.sliding.space())?.part(0..count, places);
    }
    let rows = count * sizes.sliding.kernel();
    let panel = &mut panel[..rows * places.len()];
    unfold(&sizes.sliding, channels, places.clone(), panel);
    Mat::new(panel, rows, places.len())
}

/// Room for a panel of `rows` rows, none where no panel is needed.
fn room<T: Number>(sizes: &Sizes, rows: usize, tiles: &[Range<usize>], context: &Context<'_>) -> Result<Room<T>> {
    let widest = tiles.iter().map(Range::len).max().unwrap_or(0);
    context.take::<T>(if sizes.sliding.is_point() { 0 } else { rows * widest })
}

type Room<T> = crate::pool::Fresh<T>;

/// dx = Wᵀ · g folded, (+ bias, one for each channel): the transpose of [`forward`] applied to g.
pub(crate) fn to_inputs<T: Real + Number>(
    sizes: &Sizes,
    g: &[T],
    w: &[T],
    bias: Option<&[T]>,
    dx: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    let (kernel, filters, depth) = (sizes.sliding.kernel(), sizes.filters, sizes.depth());
    let (space, places) = (sizes.sliding.space(), sizes.sliding.place_count());
    let alone = Run { threads: 1, ..context.run.clone() };
    // Rows of the left factor must lie together for speed.
    let mut turned = context.take::<T>(w.len())?;
    for (from, to) in
        w.chunks_exact((filters * depth).max(1)).zip(turned.values.chunks_exact_mut((filters * depth).max(1)))
    {
        for (i, row) in from.chunks_exact(depth.max(1)).enumerate() {
            row.iter().enumerate().for_each(|(j, &v)| to[j * filters + i] = v);
        }
    }
    let channel_parts = sizes.channel_parts();
    let mut pieces: Vec<(usize, Range<usize>, &mut [T])> = vec![];
    for (block, image) in dx.chunks_exact_mut(sizes.image().max(1)).enumerate() {
        let mut rest = image;
        for part in &channel_parts {
            let (head, tail) = rest.split_at_mut(part.len() * space);
            pieces.push((block, part.clone(), head));
            rest = tail;
        }
    }
    let widest = channel_parts.iter().map(Range::len).max().unwrap_or(0);
    let tiles = sizes.tiles::<T>(widest * kernel);
    each_chunk_mut(context.run, &mut pieces, 1, |_, pieces| {
        let mut panel = room::<T>(sizes, widest * kernel, &tiles, context)?;
        for (block, part, out) in pieces {
            let group = *block % sizes.groups;
            let rows = part.len() * kernel;
            let left = &turned.values[(group * depth + part.start * kernel) * filters..][..rows * filters];
            let left = Mat::new(left, rows, filters)?;
            let gradient = Mat::new(&g[*block * sizes.map()..][..sizes.map()], filters, places)?;
            for (channel, plane) in out.chunks_exact_mut(space.max(1)).enumerate() {
                plane.fill(bias.map_or(T::ZERO, |b| b[group * sizes.channels + part.start + channel]));
            }
            for tile in &tiles {
                let right = gradient.part(0..filters, tile.clone())?;
                if sizes.sliding.is_point() {
                    let into = MatMut::new(out, rows, space)?.part(0..rows, tile.clone())?;
                    product(&alone, left, right, into, T::ONE, true)?;
                } else {
                    let panel = &mut panel.values[..rows * tile.len()];
                    product(&alone, left, right, MatMut::new(panel, rows, tile.len())?, T::ONE, false)?;
                    fold(&sizes.sliding, panel, tile.clone(), out);
                }
            }
        }
        Ok(())
    })
}

/// dW = Σ over images of g · Uᵀ.
pub(crate) fn to_filters<T: Real + Number>(
    sizes: &Sizes,
    x: &[T],
    g: &[T],
    dw: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    let (kernel, filters, depth) = (sizes.sliding.kernel(), sizes.filters, sizes.depth());
    let (space, places) = (sizes.sliding.space(), sizes.sliding.place_count());
    let alone = Run { threads: 1, ..context.run.clone() };
    let runs = even(sizes.images, sizes.images.div_ceil(RUNS), 1);
    let channel_parts = sizes.channel_parts();
    let widest = channel_parts.iter().map(Range::len).max().unwrap_or(0);
    let tiles = sizes.tiles::<T>(widest * kernel);
    let per_run = sizes.groups * channel_parts.len();
    let partial = each(context.run, runs.len() * per_run, |item| {
        let (run, group, part) = (item / per_run, item % per_run / channel_parts.len(), item % channel_parts.len());
        let part = &channel_parts[part];
        let rows = part.len() * kernel;
        let mut panel = room::<T>(sizes, widest * kernel, &tiles, context)?;
        let mut sum = context.zeros::<T>(filters * rows)?;
        for image in runs[run].clone() {
            let block = image * sizes.groups + group;
            let channels = &x[block * sizes.image() + part.start * space..][..part.len() * space];
            let gradient = Mat::new(&g[block * sizes.map()..][..sizes.map()], filters, places)?;
            for tile in &tiles {
                let left = gradient.part(0..filters, tile.clone())?;
                let right = right(sizes, channels, part.len(), tile.clone(), &mut panel.values)?.transposed();
                product(&alone, left, right, MatMut::new(&mut sum.values, filters, rows)?, T::ONE, true)?;
            }
        }
        Ok(sum)
    })?;
    dw.fill(T::ZERO);
    for (item, sum) in partial.iter().enumerate() {
        let (group, part) = (item % per_run / channel_parts.len(), &channel_parts[item % channel_parts.len()]);
        let rows = part.len() * kernel;
        let own = &mut dw[group * filters * depth..][..filters * depth];
        for (to, from) in own.chunks_exact_mut(depth.max(1)).zip(sum.values.chunks_exact(rows.max(1))) {
            to[part.start * kernel..][..rows].iter_mut().zip(from).for_each(|(t, &f)| *t += f);
        }
    }
    Ok(())
}
