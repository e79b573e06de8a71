//! Where a window stands: the geometry of convolutions and pools.
//!
//! A place p of the window covers the elements p·stride − begin + k·dilation for k < kernel, as far as they are inside.
//! The number of places is ⌊(size + begin + end − span) / stride⌋ + 1 with span = (kernel − 1)·dilation + 1; rounded up
//! where the window may reach past the end, but then the last window must still start inside or in the padding before
//! it. One, two or three axes are seen as three: what is missing has size 1.

use base::graph::{Padding, Window};
use base::{Error, Result};
use std::ops::Range;

/// Sizes beyond this are refused, so that no sum or product of them overflows.
const MOST: usize = 1 << 30;

/// A window over one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    pub size: usize,
    pub kernel: usize,
    pub stride: usize,
    pub dilation: usize,
    /// Elements added before the first.
    pub begin: usize,
    pub places: usize,
}

const POINT: Axis = Axis { size: 1, kernel: 1, stride: 1, dilation: 1, begin: 0, places: 1 };

impl Axis {
    /// The element under the k-th part of the window at a place, if it is inside.
    pub fn element(&self, place: usize, k: usize) -> Option<usize> {
        (place * self.stride + k * self.dilation).checked_sub(self.begin).filter(|&i| i < self.size)
    }

    /// The parts of the window at a place that are inside.
    pub fn parts(&self, place: usize) -> Range<usize> {
        let start = place * self.stride;
        let first = self.begin.saturating_sub(start).div_ceil(self.dilation);
        let end = (self.size + self.begin).saturating_sub(start).div_ceil(self.dilation).min(self.kernel);
        first.min(end)..end
    }

    /// The places at which the k-th part of the window is inside.
    pub fn places_of(&self, k: usize) -> Range<usize> {
        let ahead = k * self.dilation;
        let first = self.begin.saturating_sub(ahead).div_ceil(self.stride);
        let end = (self.size + self.begin).saturating_sub(ahead).div_ceil(self.stride).min(self.places);
        first.min(end)..end
    }
}

/// A window over up to three axes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sliding {
    /// Always three; the first ones are points where there are fewer.
    pub axes: [Axis; 3],
    rank: usize,
}

impl Sliding {
    /// A window over axes of these sizes; the kernel's own sizes are checked too.
    pub fn new(window: &Window, space: &[usize]) -> Result<Self> {
        check_window(window, space.len())?;
        let mut axes = vec![];
        for (i, &size) in space.iter().enumerate() {
            let span = span(window, i);
            let (kernel, stride, dilation) = (window.kernel[i], window.strides[i], window.dilations[i]);
            if size > MOST {
                return Err(Error::size("elements along an axis of the space", format!("at most {MOST}"), size));
            }
            let same = |odd: usize| {
                let places = size.div_ceil(stride);
                let total = (places.saturating_sub(1) * stride + span).saturating_sub(size);
                (places, (total + odd) / 2)
            };
            let (places, begin) = match &window.padding {
                Padding::Explicit { begin, end, up } => (counted(size, span, stride, begin[i], end[i], *up), begin[i]),
                Padding::SameUpper => same(0),
                Padding::SameLower => same(1),
            };
            if places == 0 {
                let wanted = format!("at least {span}, the window's");
                return Err(Error::size(format!("elements along space axis {i}, padding included"), wanted, size));
            }
            axes.push(Axis { size, kernel, stride, dilation, begin, places });
        }
        let count = |f: fn(&Axis) -> usize| axes.iter().try_fold(1usize, |n, a| n.checked_mul(f(a).max(1)));
        match (count(|a| a.size), count(|a| a.kernel), count(|a| a.places)) {
            (Some(_), Some(_), Some(_)) => Ok(Sliding::of(&axes)),
            _ => {
                Err(Error::size("sizes of the space and the window", "numbers one can count to", format!("{space:?}")))
            }
        }
    }

    /// A window over these axes, at most three.
    pub fn of(axes: &[Axis]) -> Self {
        let mut all = [POINT; 3];
        all.iter_mut().rev().zip(axes.iter().rev()).for_each(|(to, from)| *to = *from);
        Sliding { axes: all, rank: axes.len().min(3) }
    }

    /// The sizes of the space, axis by axis.
    pub fn sizes(&self) -> Vec<usize> {
        self.axes[3 - self.rank..].iter().map(|a| a.size).collect()
    }

    /// The numbers of places, axis by axis.
    pub fn places(&self) -> Vec<usize> {
        self.axes[3 - self.rank..].iter().map(|a| a.places).collect()
    }

    /// How many places there are in all; their product must have been checked with the form.
    pub fn place_count(&self) -> usize {
        self.axes.iter().map(|a| a.places).product()
    }

    /// Elements of the space.
    pub fn space(&self) -> usize {
        self.axes.iter().map(|a| a.size).product()
    }

    /// Elements of the window.
    pub fn kernel(&self) -> usize {
        self.axes.iter().map(|a| a.kernel).product()
    }

    /// Whether each place covers exactly the element of the same number.
    pub fn is_point(&self) -> bool {
        self.axes.iter().all(|a| a.kernel == 1 && a.stride == 1 && a.begin == 0 && a.places == a.size)
    }
}

/// How many elements the window spans along an axis.
fn span(window: &Window, axis: usize) -> usize {
    (window.kernel[axis] - 1) * window.dilations[axis] + 1
}

/// The number of places along an axis; 0 where the window does not fit.
fn counted(size: usize, span: usize, stride: usize, begin: usize, end: usize, up: bool) -> usize {
    let padded = size + begin + end;
    let room = (padded + if up { stride - 1 } else { 0 }).checked_sub(span);
    let places = room.map_or(0, |room| room / stride + 1);
    let starts_outside = up && places > 1 && (places - 1) * stride >= size + begin;
    if starts_outside { places - 1 } else { places }
}

/// Makes sure that a window has one sensible number for each of `rank` axes.
pub(crate) fn check_window(window: &Window, rank: usize) -> Result<()> {
    if rank == 0 || rank > 3 {
        return Err(Error::size("axes of the space", "1, 2 or 3", rank));
    }
    let numbers = |what: &str, values: &[usize], least: usize| {
        if values.len() != rank {
            return Err(Error::size(format!("{what} of the window"), rank, values.len()));
        }
        match values.iter().find(|&&v| v < least || v > MOST) {
            Some(v) => Err(Error::parameter(what, v, format!("must lie between {least} and {MOST}"))),
            None => Ok(()),
        }
    };
    numbers("kernel", &window.kernel, 1)?;
    numbers("strides", &window.strides, 1)?;
    numbers("dilations", &window.dilations, 1)?;
    if let Padding::Explicit { begin, end, .. } = &window.padding {
        numbers("padding before", begin, 0)?;
        numbers("padding after", end, 0)?;
    }
    if (0..rank).any(|i| span(window, i) > MOST) {
        return Err(Error::parameter("dilations", format!("{:?}", window.dilations), "make the window too wide"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_parts_are_those_of_the_definition() {
        let mut tried = 0;
        for code in 0..20_000usize {
            let mut rest = code;
            let mut draw = |n: usize| {
                let value = rest % n;
                rest /= n;
                value
            };
            let (size, kernel, stride, dilation) = (draw(8), 1 + draw(4), 1 + draw(4), 1 + draw(3));
            let (begin, end, up) = (draw(4), draw(4), draw(2) == 1);
            let padding = Padding::Explicit { begin: vec![begin], end: vec![end], up };
            let window = Window { kernel: vec![kernel], strides: vec![stride], dilations: vec![dilation], padding };
            let span = (kernel - 1) * dilation + 1;
            // The window stays inside the padded elements, or reaches past them by less than a step; a last one that
            // starts past the elements is then left out.
            let reach = size + begin + end + if up { stride - 1 } else { 0 };
            let places = (0..100).take_while(|&p| p * stride + span <= reach).count();
            let last_outside = up && places > 1 && (places - 1) * stride >= size + begin;
            let places = places - usize::from(last_outside);
            let Ok(sliding) = Sliding::new(&window, &[size]) else {
                assert_eq!(places, 0, "{window:?} {size}");
                continue;
            };
            tried += 1;
            let axis = sliding.axes[2];
            assert_eq!(axis.places, places, "{window:?} {size}");
            for place in 0..places {
                for k in 0..kernel {
                    let at = (place * stride + k * dilation) as i64 - begin as i64;
                    let inside = at >= 0 && at < size as i64;
                    assert_eq!(axis.element(place, k), inside.then_some(at as usize));
                    assert_eq!(axis.parts(place).contains(&k), inside, "{axis:?} {place} {k}");
                    assert_eq!(axis.places_of(k).contains(&place), inside, "{axis:?} {place} {k}");
                }
            }
        }
        assert!(tried > 5000);
    }

    #[test]
    fn same_padding_gives_size_over_stride_places() {
        for (padding, size, kernel, stride, begin) in [
            (Padding::SameUpper, 5, 3, 2, 1),
            (Padding::SameLower, 6, 3, 2, 1),
            (Padding::SameUpper, 6, 3, 2, 0),
            (Padding::SameUpper, 4, 1, 3, 0),
        ] {
            let window = Window { padding, ..Window::new([kernel]).strides([stride]) };
            let axis = Sliding::new(&window, &[size]).unwrap().axes[2];
            assert_eq!((axis.places, axis.begin), (size.div_ceil(stride), begin), "{window:?}");
        }
    }
}
