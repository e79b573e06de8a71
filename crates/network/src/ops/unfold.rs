//! Elements under a window, written out one row for each part of the window, and added back.
//!
//! For channels c and the places of a range, row (c, k) of the panel holds the element of channel c under the k-th part
//! of the window at each place, 0 in the padding. A convolution is then a product of matrices. Neighbouring places of a
//! line of the space are copied in one go.

use crate::ops::sliding::Sliding;
use numeric::Real;
use std::ops::Range;

/// Neighbouring places along the last axis.
struct Stretch {
    /// Places along the first two axes.
    outer: [usize; 2],
    /// Places along the last axis.
    inner: Range<usize>,
    /// Where they stand in the panel's rows.
    offset: usize,
}

/// The places of a range, line by line.
fn stretches(sliding: &Sliding, places: Range<usize>) -> Vec<Stretch> {
    let [_, middle, last] = &sliding.axes;
    let mut list = vec![];
    let mut at = places.start;
    while at < places.end {
        let (line, inner) = (at / last.places, at % last.places);
        let end = last.places.min(inner + places.end - at);
        let outer = [line / middle.places, line % middle.places];
        list.push(Stretch { outer, inner: inner..end, offset: at - places.start });
        at += end - inner;
    }
    list
}

/// One line of elements that meets one line of the panel: the piece of the panel's row, the first element's place in
/// the channels, and how many there are; `None` where all is padding.
fn each_line(
    sliding: &Sliding,
    channels: usize,
    places: Range<usize>,
    mut f: impl FnMut(Range<usize>, Option<(Range<usize>, usize)>),
) {
    let list = stretches(sliding, places.clone());
    let ([first, middle, last], width, space) = (&sliding.axes, places.len(), sliding.space());
    let mut row = 0;
    for channel in 0..channels {
        for k in 0..first.kernel {
            for l in 0..middle.kernel {
                for m in 0..last.kernel {
                    let valid = last.places_of(m);
                    for stretch in &list {
                        let piece = row + stretch.offset..row + stretch.offset + stretch.inner.len();
                        let (low, high) = (valid.start.max(stretch.inner.start), valid.end.min(stretch.inner.end));
                        let (i, j) = (first.element(stretch.outer[0], k), middle.element(stretch.outer[1], l));
                        match (i, j, low < high, last.element(low, m)) {
                            (Some(i), Some(j), true, Some(at)) => {
                                let start = channel * space + (i * middle.size + j) * last.size + at;
                                let filled = low - stretch.inner.start..high - stretch.inner.start;
                                f(piece, Some((filled, start)));
                            }
                            _ => f(piece, None),
                        }
                    }
                    row += width;
                }
            }
        }
    }
}

/// Writes the panel (channels · kernel, places) of these channels; its length says how many there are.
pub(crate) fn unfold<T: Real>(sliding: &Sliding, channels: &[T], places: Range<usize>, panel: &mut [T]) {
    let stride = sliding.axes[2].stride;
    let count = panel.len() / (sliding.kernel() * places.len()).max(1);
    each_line(sliding, count, places, |piece, found| {
        let out = &mut panel[piece];
        let Some((filled, start)) = found else { return out.fill(T::ZERO) };
        out[..filled.start].fill(T::ZERO);
        out[filled.end..].fill(T::ZERO);
        let out = &mut out[filled];
        match stride {
            1 => out.copy_from_slice(&channels[start..start + out.len()]),
            _ => out.iter_mut().zip(channels[start..].iter().step_by(stride)).for_each(|(o, &x)| *o = x),
        }
    });
}

/// Adds a panel back to the channels its elements came from: the transpose of [`unfold`].
pub(crate) fn fold<T: Real>(sliding: &Sliding, panel: &[T], places: Range<usize>, channels: &mut [T]) {
    let stride = sliding.axes[2].stride;
    let count = panel.len() / (sliding.kernel() * places.len()).max(1);
    each_line(sliding, count, places, |piece, found| {
        let Some((filled, start)) = found else { return };
        let from = &panel[piece][filled];
        match stride {
            1 => channels[start..start + from.len()].iter_mut().zip(from).for_each(|(o, &x)| *o += x),
            _ => channels[start..].iter_mut().step_by(stride).zip(from).for_each(|(o, &x)| *o += x),
        }
    });
}
