//! Correlation with 3 x 3 windows by Winograd's minimal filtering: fewer than half of the products.
//!
//! The places of a map are cut into squares of 2 x 2. Each of the 16 numbers of a transformed square meets one of the 16
//! of a transformed window, so that the sum over channels is 16 matrix products, U_ξ (filters, channels) times V_ξ
//! (channels, squares), with 16/36 of the operations of the plain sum. Back to the filters the products are
//! Ĝ_ξ (filters, squares) times V_ξᵀ. The transforms are in `numeric`.
//!
//! Only single precision takes this way, whose rounding errors are a few times those of the plain sum; double precision
//! stays with the sum of the definition. Windows move by one without dilation; both sides have some channels, or the
//! transforms would cost more than is saved.
//!
//! **Threads.** Work is cut by image, group, lines of squares and filters, and each number is one sum in a fixed order.

use crate::kernel::Context;
use crate::number::Number;
use crate::ops::correlate::{ITEMS, Item, SMALL, Sizes, even, items};
use crate::ops::sliding::Axis;
use crate::ops::turned::{RUNS, turn};
use base::Result;
use base::graph::Element;
use numeric::{
    Finish, Left, Real, Steps, WINOGRAD_LANES as LANES, each, each_chunk_mut, tile, tile_columns, tile_lanes,
    tile_rows, unzip, winograd_beside, winograd_gradients, winograd_inputs, winograd_outputs, winograd_window,
    winograd_window_back,
};
use std::ops::Range;

/// Numbers of a transformed square.
const SQUARE: usize = 16;
/// Bytes of transformed squares that exist at once, about: what the second-level cache and some of the third hold.
const BYTES: usize = 3 << 18;
/// Channels and filters from which on the transforms pay.
const LEAST: usize = 16;
/// Terms of a sum computed in one go.
const TERMS: usize = 256;

/// Whether this way is taken.
pub(crate) fn serves<T: Number>(sizes: &Sizes) -> bool {
    let [first, middle, last] = &sizes.sliding.axes;
    let three = |a: &Axis| a.kernel == 3 && a.stride == 1 && a.dilation == 1 && a.places >= 4;
    let flat = first.kernel == 1 && first.size == 1 && first.places == 1 && first.begin == 0;
    let (few, many) = (sizes.channels.min(sizes.filters), sizes.channels.max(sizes.filters));
    T::ELEMENT == Element::F32 && flat && three(middle) && three(last) && few >= LEAST && many >= 2 * LEAST
}

/// Squares of a map: so many lines of so many.
struct Squares {
    high: usize,
    wide: usize,
    middle: Axis,
    last: Axis,
}

impl Squares {
    fn new(sizes: &Sizes) -> Self {
        let [_, middle, last] = sizes.sliding.axes;
        Squares { high: middle.places.div_ceil(2), wide: last.places.div_ceil(2), middle, last }
    }

    /// Lines of squares in parts of which `channels` lines of transformed numbers fit the cache, at least `wanted`.
    fn parts<T>(&self, channels: usize, wanted: usize) -> Vec<Range<usize>> {
        let line = self.wide * channels * SQUARE * size_of::<T>();
        let most = (BYTES / line.max(1)).clamp(1, self.high);
        even(self.high, most.min(self.high.div_ceil(wanted.max(1))).max(1), 1)
    }

    /// Numbers of a line of transformed squares of that many lines, with room for whole lanes and vectors.
    fn stride(&self, lines: usize) -> usize {
        ((lines.max(1) - 1) * self.wide + self.wide.next_multiple_of(LANES)).next_multiple_of(16)
    }

    /// Numbers of the even or odd elements of a line of inputs.
    fn half(&self) -> usize {
        self.wide.next_multiple_of(LANES) + LANES
    }

    /// Writes the even and odd elements of the line of padded inputs that many lines on.
    fn halves<T: Real>(&self, plane: &[T], line: usize, out: &mut [T]) {
        out.fill(T::ZERO);
        let Some(at) = line.checked_sub(self.middle.begin).filter(|&at| at < self.middle.size) else { return };
        let (even, odd) = out.split_at_mut(self.half());
        // Element i of the line is padded element i + begin.
        let (from, begin) = (&plane[at * self.last.size..][..self.last.size], self.last.begin);
        let (first, second) = match begin % 2 {
            0 => (even.get_mut(begin / 2..), odd.get_mut(begin / 2..)),
            _ => (odd.get_mut(begin / 2..), even.get_mut(begin.div_ceil(2)..)),
        };
        unzip(from, first.unwrap_or(&mut []), second.unwrap_or(&mut []));
    }
}

/// The transformed windows: U_ξ (filters, channels) for each ξ, group after group.
fn windows<T: Real + Number>(sizes: &Sizes, w: &[T], out: &mut [T]) {
    let (channels, filters) = (sizes.channels, sizes.filters);
    let plane = filters * channels;
    for (group, all) in out.chunks_exact_mut((SQUARE * plane).max(1)).enumerate() {
        for (i, window) in w[group * plane * 9..].as_chunks::<9>().0.iter().take(plane).enumerate() {
            for (x, &u) in winograd_window(window).iter().enumerate() {
                all[x * plane + i] = u;
            }
        }
    }
}

/// y = W ⋆ x, finished, as `correlate::forward`.
pub(crate) fn forward<T: Real + Number>(
    sizes: &Sizes,
    x: &[T],
    w: &[T],
    how: Finish<'_, T>,
    y: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    let squares = Squares::new(sizes);
    let blocks = (sizes.images * sizes.groups).max(1);
    let work = sizes.map().saturating_mul(sizes.depth()).saturating_mul(blocks);
    let wanted = if work < SMALL { 1 } else { ITEMS.div_ceil(blocks) };
    let parts = squares.parts::<T>(sizes.channels + sizes.filters, wanted);
    let more = wanted.div_ceil(parts.len().max(1));
    let filters = even(sizes.filters, sizes.filters.div_ceil(more), tile_rows::<T>());
    let longest = parts.iter().map(Range::len).max().unwrap_or(0);
    let most = filters.iter().map(Range::len).max().unwrap_or(0);
    let stride = squares.stride(longest);
    let mut turned = context.take::<T>(sizes.groups * SQUARE * sizes.filters * sizes.channels)?;
    windows(sizes, w, &mut turned.values);
    let steps = Steps::even(sizes.channels, stride);
    let width = sizes.sliding.axes[2].places;
    let places: Vec<Range<usize>> =
        parts.iter().map(|p| p.start * 2 * width..(p.end * 2).min(squares.middle.places) * width).collect();
    each_chunk_mut(context.run, &mut items(y, sizes, &places, &filters), 1, |_, items| {
        let slack = tile_columns::<T>();
        let mut inputs = context.take::<T>(SQUARE * sizes.channels * stride + slack)?;
        let mut sums = context.take::<T>(SQUARE * most * stride + slack)?;
        let mut lines = context.take::<T>((2 * longest + 2) * 2 * squares.half())?;
        let mut ends = context.take::<T>(4 * squares.wide.next_multiple_of(LANES))?;
        for item in items {
            let part = &parts[item.part];
            let image = &x[item.block * sizes.image()..][..sizes.image()];
            let space = sizes.sliding.space();
            for (c, plane) in image.chunks_exact(space.max(1)).enumerate() {
                spread(
                    &squares,
                    plane,
                    part,
                    &mut lines.values,
                    &mut inputs.values[c * stride..],
                    sizes.channels * stride,
                );
            }
            let group = item.block % sizes.groups;
            let count = part.len() * squares.wide;
            let u = &turned.values[group * SQUARE * sizes.filters * sizes.channels..];
            for xi in 0..SQUARE {
                let u = &u[(xi * sizes.filters + item.filters.start) * sizes.channels..];
                let v = &inputs.values[xi * sizes.channels * stride..];
                let out = &mut sums.values[xi * most * stride..];
                multiply((u, sizes.channels), (v, &steps), (out, stride), (item.filters.len(), count))?;
            }
            finish(
                &squares,
                &sums.values,
                (stride, most * stride),
                item,
                part.len(),
                how.part(first_of(sizes, item)),
                &mut ends.values,
            );
        }
        Ok(())
    })
}

/// The filters of an item, counted over all groups.
fn first_of<T>(sizes: &Sizes, item: &Item<'_, T>) -> Range<usize> {
    let first = item.block % sizes.groups * sizes.filters + item.filters.start;
    first..first + item.filters.len()
}

/// Transformed squares of a channel, some lines of them.
fn spread<T: Real>(squares: &Squares, plane: &[T], part: &Range<usize>, lines: &mut [T], out: &mut [T], step: usize) {
    let (half, count) = (squares.half(), 2 * part.len() + 2);
    for (i, line) in lines.chunks_exact_mut(2 * half).take(count).enumerate() {
        squares.halves(plane, 2 * part.start + i, line);
    }
    for i in 0..part.len() {
        let four: [&[T]; 8] = std::array::from_fn(|j| &lines[(4 * i + j) * half..][..half]);
        winograd_inputs(four, &mut out[i * squares.wide..], step, squares.wide);
    }
}

/// out (rows, columns) = left (rows, terms) · right, in tiles.
fn multiply<T: Real>(
    (left, terms): (&[T], usize),
    (right, steps): (&[T], &Steps),
    (out, stride): (&mut [T], usize),
    (rows, columns): (usize, usize),
) -> Result<()> {
    let (width, high) = (tile_columns::<T>(), tile_rows::<T>());
    let tiles = even(columns, columns.div_ceil(columns.div_ceil(width).max(1)), tile_lanes::<T>());
    for chunk in even(terms, TERMS, 1) {
        for columns in &tiles {
            for row in (0..rows).step_by(high) {
                let left = Left { data: &left[row * terms + chunk.start..], row: terms, step: 1 };
                let out = &mut out[row * stride + columns.start..];
                let size = (high.min(rows - row), columns.len());
                tile(left, (&right[columns.start..], steps, chunk.clone()), out, stride, size, chunk.start > 0)?;
            }
        }
    }
    Ok(())
}

/// Sums of an item back to places.
fn finish<T: Real>(
    squares: &Squares,
    sums: &[T],
    (stride, plane): (usize, usize),
    item: &mut Item<'_, T>,
    lines: usize,
    how: Finish<'_, T>,
    ends: &mut [T],
) {
    let width = squares.last.places;
    let (top, bottom) = ends.split_at_mut(ends.len() / 2);
    for (f, out) in item.lines.iter_mut().enumerate() {
        let end = (how.bias.map_or(T::ZERO, |b| b[f]), how.low, how.high);
        let mut rows = out.chunks_exact_mut(width);
        for i in 0..lines {
            let m = &sums[f * stride + i * squares.wide..];
            winograd_outputs(m, plane, squares.wide, end, top, bottom);
            for from in [&*top, &*bottom] {
                if let Some(row) = rows.next() {
                    row.copy_from_slice(&from[..width]);
                }
            }
        }
    }
}

/// dW = Σ over images, as `correlate::to_filters`.
pub(crate) fn to_filters<T: Real + Number>(
    sizes: &Sizes,
    x: &[T],
    g: &[T],
    dw: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    let squares = Squares::new(sizes);
    let (channels, filters) = (sizes.channels, sizes.filters);
    let parts = squares.parts::<T>(channels + filters, 1);
    let longest = parts.iter().map(Range::len).max().unwrap_or(0);
    let (space, places) = (sizes.sliding.space(), sizes.sliding.place_count());
    let (wide, high) = (tile_columns::<T>(), tile_rows::<T>());
    // Channels side by side, in whole lanes and vectors.
    let beside = channels.next_multiple_of(16);
    let (stride, count) = (squares.stride(longest), longest * squares.wide);
    let steps = Steps::even(count, beside);
    let tiles = even(channels, channels.div_ceil(channels.div_ceil(wide).max(1)), tile_lanes::<T>());
    let runs = even(sizes.images, sizes.images.div_ceil(RUNS), 1);
    let partial = each(context.run, runs.len() * sizes.groups, |item| {
        let (run, group) = (item / sizes.groups, item % sizes.groups);
        let mut pixels = Pixels::new(&squares, longest, beside, context)?;
        let mut inputs = context.take::<T>(SQUARE * count * beside + wide)?;
        let mut gradients = context.take::<T>(SQUARE * filters * stride)?;
        let mut lines = context.take::<T>(4 * squares.half())?;
        let mut sums = context.zeros::<T>(SQUARE * filters * beside)?;
        for image in runs[run].clone() {
            let block = image * sizes.groups + group;
            let planes = &x[block * sizes.image()..][..sizes.image()];
            let own = &g[block * sizes.map()..][..sizes.map()];
            for part in &parts {
                pixels.fill(&squares, planes, space, part);
                pixels.spread(&squares, part.len(), &mut inputs.values, count * beside);
                for (f, map) in own.chunks_exact(places.max(1)).enumerate() {
                    let out = &mut gradients.values[f * stride..];
                    widen(&squares, map, part, &mut lines.values, out, filters * stride);
                }
                let terms = part.len() * squares.wide;
                for (xi, sums) in sums.values.chunks_exact_mut(filters * beside).enumerate() {
                    let (v, g) = (&inputs.values[xi * count * beside..], &gradients.values[xi * filters * stride..]);
                    for columns in &tiles {
                        for row in (0..filters).step_by(high) {
                            let left = Left { data: &g[row * stride..], row: stride, step: 1 };
                            let out = &mut sums[row * beside + columns.start..];
                            let size = (high.min(filters - row), columns.len());
                            tile(left, (&v[columns.start..], &steps, 0..terms), out, beside, size, true)?;
                        }
                    }
                }
            }
        }
        Ok(sums)
    })?;
    dw.fill(T::ZERO);
    for (item, sums) in partial.iter().enumerate() {
        let own = &mut dw[item % sizes.groups * filters * channels * 9..][..filters * channels * 9];
        for (i, window) in own.as_chunks_mut::<9>().0.iter_mut().enumerate() {
            let at = i / channels * beside + i % channels;
            let u: [T; SQUARE] = std::array::from_fn(|xi| sums.values[xi * filters * beside + at]);
            window.iter_mut().zip(winograd_window_back(&u)).for_each(|(w, d)| *w += d);
        }
    }
    Ok(())
}

/// Transformed squares of a map's gradients, some lines of them.
fn widen<T: Real>(squares: &Squares, map: &[T], part: &Range<usize>, lines: &mut [T], out: &mut [T], step: usize) {
    let (half, width) = (squares.half(), squares.last.places);
    for (i, line) in part.clone().enumerate() {
        for (j, both) in lines.chunks_exact_mut(2 * half).enumerate() {
            let (even, odd) = both.split_at_mut(half);
            let from = map.get((2 * line + j) * width..).map_or(&[][..], |m| &m[..width.min(m.len())]);
            // Where the last square reaches past the map there is no gradient.
            even[from.len().div_ceil(2)..].fill(T::ZERO);
            odd[from.len() / 2..].fill(T::ZERO);
            unzip(from, even, odd);
        }
        let four: [&[T]; 4] = std::array::from_fn(|j| &lines[j * half..][..half]);
        winograd_gradients(four, &mut out[i * squares.wide..], step, squares.wide);
    }
}

/// Padded pixels of some lines, the channels of each side by side.
struct Pixels<T: Number> {
    values: crate::pool::Fresh<T>,
    /// Some channels before they are turned.
    planes: crate::pool::Fresh<T>,
    /// Pixels of a line.
    line: usize,
    beside: usize,
}

/// Channels that are turned at once.
const SIDE: usize = 16;

impl<T: Real + Number> Pixels<T> {
    fn new(squares: &Squares, longest: usize, beside: usize, context: &Context<'_>) -> Result<Self> {
        let line = 2 * squares.wide + 2;
        let count = (2 * longest + 2) * line;
        let (values, planes) = (context.zeros::<T>(count * beside)?, context.zeros::<T>(SIDE * count)?);
        Ok(Pixels { values, planes, line, beside })
    }

    /// The pixels under these lines of squares.
    fn fill(&mut self, squares: &Squares, x: &[T], space: usize, part: &Range<usize>) {
        let (count, begin, size) = ((2 * part.len() + 2) * self.line, squares.last.begin, squares.last.size);
        let held = begin.min(self.line)..(begin + size).min(self.line);
        for (block, channels) in x.chunks(SIDE * space.max(1)).enumerate() {
            for (channel, plane) in channels.chunks_exact(space.max(1)).zip(self.planes.values.chunks_exact_mut(count))
            {
                for (i, line) in plane.chunks_exact_mut(self.line).enumerate() {
                    let at = (2 * part.start + i).checked_sub(squares.middle.begin);
                    match at.filter(|&at| at < squares.middle.size) {
                        Some(at) => {
                            line[..held.start].fill(T::ZERO);
                            line[held.end..].fill(T::ZERO);
                            line[held.clone()].copy_from_slice(&channel[at * size..][..held.len()]);
                        }
                        None => line.fill(T::ZERO),
                    }
                }
            }
            let out = &mut self.values.values[block * SIDE..];
            turn(&self.planes.values, count, out, self.beside, channels.len() / space.max(1));
        }
    }

    /// Their transformed squares: number ξ of square t at ξ · plane + t · channels.
    fn spread(&self, squares: &Squares, lines: usize, out: &mut [T], plane: usize) {
        for i in 0..lines {
            for t in 0..squares.wide {
                let from = &self.values.values[(2 * i * self.line + 2 * t) * self.beside..];
                let to = &mut out[(i * squares.wide + t) * self.beside..];
                winograd_beside(from, (self.line * self.beside, self.beside), to, plane, self.beside);
            }
        }
    }
}
