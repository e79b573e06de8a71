//! Correlation of channels with filters: forward, back to the inputs, back to the filters.
//!
//! One image and group gives y = W · U, where row (c, k) of U holds the elements of channel c under the k-th part of the
//! window. U is never written out: channels are laid out so that each of its rows is a shift of them ([`Padded`]), or
//! are taken as they are where the window is one element, and tiles of y are computed in registers. With a stride of 1
//! the way back to the inputs is a correlation of the gradients with the filters turned round; other ways back go by
//! [`panels`], and back to the filters by [`turned`]. Windows of 3 x 3 in single precision go by [`winograd`].
//! Convolution and its transpose are made of these.
//!
//! **Threads.** Work is cut by image, group, lines and filters, from the sizes alone. Each element is one sum in a fixed
//! order, whatever the cut.

use crate::kernel::Context;
use crate::number::Number;
use crate::ops::padded::Padded;
use crate::ops::sliding::{Axis, Sliding};
use crate::ops::unfold::unfold;
use crate::ops::{panels, turned, winograd};
use base::{Error, Result};
use numeric::{Finish, Left, Piece, Real, Steps, each_chunk_mut, finish, tile, tile_columns, tile_lanes, tile_rows};
use std::ops::Range;

/// Bytes of the channels of one part, about: half of a second-level cache.
const PART: usize = 1 << 19;
/// Parts that are made if there is enough to do, so that several threads have some.
pub(crate) const ITEMS: usize = 8;
/// Operations below which nothing is cut for the threads' sake.
pub(crate) const SMALL: usize = 1 << 21;
/// Terms of a sum computed in one go: what they touch of the channels fits the first-level cache.
const TERMS: usize = 192;
/// Bytes of the channels that a group of tiles touches, about.
const GROUP: usize = 1 << 18;
/// Filters that are computed for a group of tiles before they are written.
const BLOCK: usize = 64;
/// Bytes of a panel.
const PANEL: usize = 1 << 20;
/// Places of a panel at most and, unless there are fewer, at least.
const PLACES: (usize, usize) = (64, 1024);
/// Rows of a panel that is cut by channels, about.
const ROWS: usize = 320;
/// Channels of a group from which on the filters' gradients have enough to fill vectors with.
const CHANNELS: usize = 6;

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
    pub fn image(&self) -> usize {
        self.channels * self.sliding.space()
    }

    /// Rows of a panel of all channels.
    pub fn depth(&self) -> usize {
        self.channels * self.sliding.kernel()
    }

    /// Elements of what comes out for one group of one image.
    pub fn map(&self) -> usize {
        self.filters * self.sliding.place_count()
    }

    /// The correlation of gradients with the filters turned round that leads back to the inputs, if there is one.
    fn turned(&self) -> Option<Sizes> {
        let mut axes = self.sliding.axes;
        for axis in &mut axes {
            let before = ((axis.kernel - 1) * axis.dilation).checked_sub(axis.begin)?;
            if axis.stride != 1 || axis.size == 0 {
                return None;
            }
            *axis = Axis { size: axis.places, places: axis.size, begin: before, ..*axis };
        }
        Some(Sizes { channels: self.filters, filters: self.channels, sliding: Sliding::of(&axes), ..self.clone() })
    }

    /// Places in parts whose panels of `rows` rows fit the cache.
    pub fn tiles<T>(&self, rows: usize) -> Vec<Range<usize>> {
        let most = (PANEL / size_of::<T>() / rows.max(1)).clamp(PLACES.0, PLACES.1);
        even(self.sliding.place_count(), most, 16)
    }

    /// Channels in parts whose panels have about [`ROWS`] rows.
    pub fn channel_parts(&self) -> Vec<Range<usize>> {
        even(self.channels, ROWS.div_ceil(self.sliding.kernel().max(1)), 1)
    }
}

/// 0..n in parts of at most `most`, nearly equal, at multiples of `step`.
pub(crate) fn even(n: usize, most: usize, step: usize) -> Vec<Range<usize>> {
    let parts = n.div_ceil(most.max(1));
    let size = n.div_ceil(parts.max(1)).next_multiple_of(step);
    (0..n).step_by(size.max(1)).map(|start| start..n.min(start + size)).collect()
}

/// How the result of one image and group is cut: parts of each filter's line, and filters.
struct Cut {
    way: Way,
    /// Parts of a filter's line.
    parts: Vec<Range<usize>>,
    filters: Vec<Range<usize>>,
}

/// Where the right factor is.
enum Way {
    /// The channels as they are.
    Flat,
    /// One layout for each part.
    Padded(Vec<Padded>),
    /// Elements under the window written out, as a layout would be mostly padding.
    Unfolded,
}

impl Cut {
    fn new<T: Real>(sizes: &Sizes) -> Result<Self> {
        let blocks = (sizes.images * sizes.groups).max(1);
        let work = sizes.map().saturating_mul(sizes.depth()).saturating_mul(blocks);
        let wanted = if work < SMALL { 1 } else { ITEMS.div_ceil(blocks) };
        let (way, parts) = if sizes.sliding.is_point() {
            let count = sizes.sliding.place_count();
            let parts = even(count, count.div_ceil(wanted), tile_columns::<T>());
            (Way::Flat, parts)
        } else {
            let axes = &sizes.sliding.axes;
            let along = usize::from(axes[0].places == 1);
            let lines = axes[along].places;
            let unit: usize = axes[along + 1..].iter().map(|a| a.places).product();
            // A part needs lines beyond its own, so that it should not be much thinner than the window.
            let least = (2 * axes[along].kernel / axes[along].stride).max(1);
            let whole = Padded::new(&sizes.sliding, along, 0..lines)?;
            if !whole.is_thrifty(&sizes.sliding) {
                let filters = vec![0..sizes.filters; usize::from(sizes.filters > 0)];
                return Ok(Cut { way: Way::Unfolded, parts: sizes.tiles::<T>(sizes.depth()), filters });
            }
            let bytes = whole.channel.saturating_mul(sizes.channels).saturating_mul(size_of::<T>());
            let count = bytes.div_ceil(PART).max(wanted).min(lines.div_ceil(least)).max(1);
            let ranges = even(lines, lines.div_ceil(count), 1);
            let layouts =
                ranges.iter().map(|r| Padded::new(&sizes.sliding, along, r.clone())).collect::<Result<_>>()?;
            (Way::Padded(layouts), ranges.iter().map(|r| r.start * unit..r.end * unit).collect::<Vec<_>>())
        };
        let more = wanted.div_ceil(parts.len().max(1));
        let filters = even(sizes.filters, sizes.filters.div_ceil(more), tile_rows::<T>());
        Ok(Cut { way, parts, filters })
    }
}

/// What one thread computes at a time: a part of the lines of some filters.
pub(crate) struct Item<'a, T> {
    /// Image and group.
    pub block: usize,
    /// Which part of the lines.
    pub part: usize,
    /// Filters of the group.
    pub filters: Range<usize>,
    /// The part of each filter's line.
    pub lines: Vec<&'a mut [T]>,
}

/// The result cut into items: parts of each filter's line, and filters.
pub(crate) fn items<'a, T>(
    y: &'a mut [T],
    sizes: &Sizes,
    parts: &[Range<usize>],
    filters: &[Range<usize>],
) -> Vec<Item<'a, T>> {
    let count = sizes.sliding.place_count();
    let mut list = Vec::with_capacity(sizes.images * sizes.groups * parts.len() * filters.len());
    for (block, map) in y.chunks_exact_mut(sizes.map().max(1)).enumerate() {
        let mut lines = map.chunks_exact_mut(count.max(1));
        for filters in filters {
            let first = list.len();
            let item = |part| Item { block, part, filters: filters.clone(), lines: Vec::with_capacity(filters.len()) };
            list.extend((0..parts.len()).map(item));
            for line in lines.by_ref().take(filters.len()) {
                let mut rest = line;
                for (item, part) in list[first..].iter_mut().zip(parts) {
                    let (head, tail) = rest.split_at_mut(part.len());
                    item.lines.push(head);
                    rest = tail;
                }
            }
        }
    }
    list
}

/// y = W ⋆ x, finished: x (images, groups · channels, space), W (groups · filters, channels · kernel), bias one for each
/// filter.
pub(crate) fn forward<T: Real + Number>(
    sizes: &Sizes,
    x: &[T],
    w: &[T],
    how: Finish<'_, T>,
    y: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    if winograd::serves::<T>(sizes) {
        return winograd::forward(sizes, x, w, how, y, context);
    }
    let (space, channels) = (sizes.sliding.space(), sizes.channels);
    let cut = Cut::new::<T>(sizes)?;
    let _hold = context.run.memory.take_for::<usize>(sizes.depth(), "places under a window")?;
    let all_steps: Vec<Steps> = match &cut.way {
        Way::Flat => vec![Steps::even(channels, space)],
        Way::Padded(layouts) => layouts.iter().map(|layout| steps(layout, channels)).collect(),
        Way::Unfolded => cut.parts.iter().map(|part| Steps::even(sizes.depth(), part.len())).collect(),
    };
    let all = |columns: Range<usize>| vec![Piece { from: 0, to: columns.start, count: columns.len() }];
    each_chunk_mut(context.run, &mut items(y, sizes, &cut.parts, &cut.filters), 1, |_, items| {
        for item in items {
            let image = &x[item.block * sizes.image()..];
            match &cut.way {
                Way::Flat => {
                    // What follows the image may be read, and is left out.
                    let from = &image[cut.parts[item.part].start..];
                    let reach = cut.parts[item.part].len();
                    multiply(sizes, w, item, (from, &all_steps[0], reach), &all, how, context)?;
                }
                Way::Unfolded => {
                    let places = &cut.parts[item.part];
                    let mut panel = context.take::<T>(sizes.depth() * places.len())?;
                    unfold(&sizes.sliding, &image[..sizes.image()], places.clone(), &mut panel.values);
                    let right = (&panel.values[..], &all_steps[item.part], places.len());
                    multiply(sizes, w, item, right, &all, how, context)?;
                }
                Way::Padded(layouts) => {
                    let layout = &layouts[item.part];
                    let mut padded = context.take::<T>(channels * layout.channel + layout.slack::<T>())?;
                    let (planes, slack) = padded.values.split_at_mut(channels * layout.channel);
                    slack.fill(T::ZERO);
                    for (c, plane) in planes.chunks_exact_mut(layout.channel).enumerate() {
                        layout.fill(&image[c * space..][..space], plane);
                    }
                    let pieces = |c: Range<usize>| layout.pieces(c);
                    let right = (&padded.values[..], &all_steps[item.part], layout.reach);
                    multiply(sizes, w, item, right, &pieces, how, context)?;
                }
            }
        }
        Ok(())
    })
}

/// The places of all rows of U: each part of the window for each channel.
fn steps(layout: &Padded, channels: usize) -> Steps {
    let shifts = layout.shifts();
    Steps::new((0..channels).flat_map(|c| shifts.iter().map(move |s| c * layout.channel + s)).collect())
}

/// One item: tiles of W · U for the places in a row, finished.
fn multiply<T: Real + Number>(
    sizes: &Sizes,
    w: &[T],
    item: &mut Item<'_, T>,
    (right, steps, reach): (&[T], &Steps, usize),
    pieces: &dyn Fn(Range<usize>) -> Vec<Piece>,
    how: Finish<'_, T>,
    context: &Context<'_>,
) -> Result<()> {
    let (depth, width, high) = (sizes.depth(), tile_columns::<T>(), tile_rows::<T>());
    let first = item.block % sizes.groups * sizes.filters + item.filters.start;
    let count = item.filters.len();
    let lanes = tile_lanes::<T>();
    let chunks = even(depth, TERMS, 1);
    // As many columns as keep what they touch of the channels in the second-level cache, so that filters, which may be
    // many, come from memory once for all of them; tiles of nearly equal width, in whole vectors.
    let touched = sizes.channels * sizes.sliding.axes[1].kernel * size_of::<T>();
    let most = (GROUP / touched.max(1)).clamp(width, 16 * width);
    let groups = even(reach, most, width);
    let widest = groups.iter().map(Range::len).max().unwrap_or(0).next_multiple_of(lanes);
    // Zeros, as without channels there is nothing to compute.
    let mut out = context.zeros::<T>(BLOCK.min(count) * widest)?;
    for group in groups {
        let pieces = pieces(group.clone());
        let tiles = even(group.len(), group.len().div_ceil(group.len().div_ceil(width).max(1)), lanes);
        for (block, lines) in item.lines.chunks_mut(BLOCK).enumerate() {
            let filter = first + block * BLOCK;
            for terms in &chunks {
                for columns in &tiles {
                    let right = &right[group.start + columns.start..];
                    for row in (0..lines.len()).step_by(high) {
                        let left = Left { data: &w[(filter + row) * depth + terms.start..], row: depth, step: 1 };
                        let out = &mut out.values[row * widest + columns.start..];
                        let size = (high.min(lines.len() - row), columns.len());
                        tile(left, (right, steps, terms.clone()), out, widest, size, terms.start > 0)?;
                    }
                }
            }
            finish(&out.values, widest, &pieces, lines, how.part(filter..filter + lines.len()));
        }
    }
    Ok(())
}

/// dx = Wᵀ · g folded, finished with a bias for each channel: the transpose of [`forward`] applied to g.
pub(crate) fn to_inputs<T: Real + Number>(
    sizes: &Sizes,
    g: &[T],
    w: &[T],
    bias: Option<&[T]>,
    dx: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    let Some(back) = sizes.turned() else { return panels::to_inputs(sizes, g, w, bias, dx, context) };
    let (kernel, channels, filters) = (sizes.sliding.kernel(), sizes.channels, sizes.filters);
    let mut turned = context.take::<T>(w.len())?;
    let size = (filters * channels * kernel).max(1);
    for (from, to) in w.chunks_exact(size).zip(turned.values.chunks_exact_mut(size)) {
        for (i, window) in from.chunks_exact(kernel.max(1)).enumerate() {
            let (f, c) = (i / channels, i % channels);
            let to = &mut to[(c * filters + f) * kernel..][..kernel];
            to.iter_mut().rev().zip(window).for_each(|(t, &v)| *t = v);
        }
    }
    forward(&back, g, &turned.values, Finish::biased(bias), dx, context)
}

/// dW = Σ over images of g · Uᵀ.
pub(crate) fn to_filters<T: Real + Number>(
    sizes: &Sizes,
    x: &[T],
    g: &[T],
    dw: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    if winograd::serves::<T>(sizes) {
        return winograd::to_filters(sizes, x, g, dw, context);
    }
    match sizes.channels < CHANNELS {
        true => panels::to_filters(sizes, x, g, dw, context),
        false => turned::to_filters(sizes, x, g, dw, context),
    }
}
