//! Correlation of channels with filters by matrix products: forward, back to the inputs, back to the filters.
//!
//! With U the panel of elements under the window (channels · kernel, places), one image and group gives y = W · U,
//! gradients G pull back as W ᵀ · G folded onto the image, and as G · Uᵀ to the filters. Panels hold as many places as
//! fit the second-level cache and live no longer than one product; a window of one element needs none. Convolution and
//! its transpose are made of these three.
//!
//! **Threads.** Work is cut by image, group, and then by places (forward) or channels (back), from the sizes alone;
//! filters' gradients are summed over runs of images whose number is fixed, then added up in order.

use crate::kernel::Context;
use crate::number::Number;
use crate::ops::sliding::{Axis, Sliding};
use crate::ops::unfold::{fold, unfold};
use base::{Error, Result, Run};
use numeric::{Mat, MatMut, Real, each, each_chunk_mut, product};
use std::ops::Range;

/// Bytes of a panel.
const PANEL: usize = 1 << 20;
/// Places of a panel at most and, unless there are fewer, at least.
const PLACES: (usize, usize) = (64, 1024);
/// Rows of a panel that is cut by channels, about.
const ROWS: usize = 320;
/// Runs of images whose filter gradients are summed apart.
const RUNS: usize = 8;

/// The sizes of a correlation.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    /// Images of the batch.
    pub images: usize,
    /// Groups of channels.
    pub groups: usize,
    /// Channels of the larger-resolution side in each group: the inputs of a convolution.
    pub channels: usize,
    /// Filters in each group: the outputs of a convolution.
    pub filters: usize,
    /// Where the window goes.
    pub sliding: Sliding,
}

impl Sizes {
    /// The same, if every product of sizes can be counted; an empty batch may hide any number.
    pub fn checked(self) -> Result<Self> {
        match self.fits() {
            true => Ok(self),
            false => {
                let found = format!("{:?}", self.sliding.axes);
                Err(Error::size("sizes of a convolution", "numbers one can count to", found))
            }
        }
    }

    /// Whether the numbers of an image, a map, the filters and a panel can be counted.
    fn fits(&self) -> bool {
        let count = |numbers: &[usize]| {
            let product = numbers.iter().try_fold(self.groups, |product, &n| product.checked_mul(n.max(1)));
            product.is_some_and(|n| n < isize::MAX as usize)
        };
        let [size, kernel, places] = [|a: &Axis| a.size, |a: &Axis| a.kernel, |a: &Axis| a.places]
            .map(|f| self.sliding.axes.iter().try_fold(1usize, |n, a| n.checked_mul(f(a).max(1))));
        match (size, kernel, places) {
            (Some(size), Some(kernel), Some(places)) => {
                count(&[self.channels, size])
                    && count(&[self.filters, places])
                    && count(&[self.filters, self.channels, kernel])
            }
            _ => false,
        }
    }

    /// Elements of one group of one image.
    fn image(&self) -> usize {
        self.channels * self.sliding.space()
    }

    /// Rows of a panel of all channels.
    fn depth(&self) -> usize {
        self.channels * self.sliding.kernel()
    }

    /// Elements of what comes out for one group of one image.
    fn map(&self) -> usize {
        self.filters * self.sliding.place_count()
    }

    /// Places in parts whose panels of `rows` rows fit the cache.
    fn tiles<T>(&self, rows: usize) -> Vec<Range<usize>> {
        let most = (PANEL / size_of::<T>() / rows.max(1)).clamp(PLACES.0, PLACES.1);
        even(self.sliding.place_count(), most, 16)
    }

    /// Channels in parts whose panels have about [`ROWS`] rows.
    fn channel_parts(&self) -> Vec<Range<usize>> {
        even(self.channels, ROWS.div_ceil(self.sliding.kernel().max(1)), 1)
    }
}

/// 0..n in parts of at most `most`, nearly equal, at multiples of `step`.
fn even(n: usize, most: usize, step: usize) -> Vec<Range<usize>> {
    let parts = n.div_ceil(most.max(1));
    let size = n.div_ceil(parts.max(1)).next_multiple_of(step);
    (0..n).step_by(size.max(1)).map(|start| start..n.min(start + size)).collect()
}

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

/// The places of one image and group that one thread computes: a row of the result for each filter.
struct Part<'a, T> {
    block: usize,
    places: Range<usize>,
    rows: Vec<&'a mut [T]>,
}

/// The result cut into parts.
fn parts<'a, T>(y: &'a mut [T], sizes: &Sizes, tiles: &[Range<usize>]) -> Vec<Part<'a, T>> {
    let count = sizes.sliding.place_count();
    let mut list = Vec::with_capacity(sizes.images * sizes.groups * tiles.len());
    for (block, map) in y.chunks_exact_mut(sizes.map().max(1)).enumerate() {
        let first = list.len();
        list.extend(tiles.iter().map(|t| Part { block, places: t.clone(), rows: Vec::with_capacity(sizes.filters) }));
        for row in map.chunks_exact_mut(count.max(1)) {
            let mut rest = row;
            for (part, tile) in list[first..].iter_mut().zip(tiles) {
                let (head, tail) = rest.split_at_mut(tile.len());
                part.rows.push(head);
                rest = tail;
            }
        }
    }
    list
}

/// y = W ⋆ x (+ bias): x (images, groups · channels, space), W (groups · filters, channels · kernel), bias one for each
/// filter.
pub(crate) fn forward<T: Real + Number>(
    sizes: &Sizes,
    x: &[T],
    w: &[T],
    bias: Option<&[T]>,
    y: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    let (depth, filters) = (sizes.depth(), sizes.filters);
    let alone = Run { threads: 1, ..context.run.clone() };
    let tiles = sizes.tiles::<T>(depth);
    let widest = tiles.iter().map(Range::len).max().unwrap_or(0);
    each_chunk_mut(context.run, &mut parts(y, sizes, &tiles), 1, |_, part| {
        let mut panel = room::<T>(sizes, depth, &tiles, context)?;
        let mut out = context.take::<T>(filters * widest)?;
        for Part { block, places, rows } in part {
            let group = *block % sizes.groups;
            let image = &x[*block * sizes.image()..][..sizes.image()];
            let own = Mat::new(&w[group * filters * depth..][..filters * depth], filters, depth)?;
            let out = &mut out.values[..filters * places.len()];
            let right = right(sizes, image, sizes.channels, places.clone(), &mut panel.values)?;
            product(&alone, own, right, MatMut::new(out, filters, places.len())?, T::ONE, false)?;
            for (i, (row, from)) in rows.iter_mut().zip(out.chunks_exact(places.len().max(1))).enumerate() {
                match bias {
                    Some(bias) => {
                        let b = bias[group * filters + i];
                        row.iter_mut().zip(from).for_each(|(y, &v)| *y = v + b);
                    }
                    None => row.copy_from_slice(from),
                }
            }
        }
        Ok(())
    })
}

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
