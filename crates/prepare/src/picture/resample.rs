//! Pictures brought to another size, one axis after the other.
//!
//! An axis that shrinks takes the mean over the area each new pixel covers, parts of pixels by their part: nothing is
//! skipped, so there is no aliasing, a constant stays constant and the mean is kept. An axis that grows is
//! interpolated linearly between the centres of pixels, the border repeated. Both are linear maps, so relevance can go
//! back through them.
//!
//! **Cost.** O(height · width · channels) to shrink, O of the new size to grow.

use std::borrow::Cow;

/// A change of size from one (height, width) to another, for pictures with that many channels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Resample {
    rows: Axis,
    columns: Axis,
    channels: usize,
}

/// For each new place the first old place it is made of, and the weights from there on.
#[derive(Debug, Clone, PartialEq)]
struct Axis {
    from: usize,
    places: Vec<(usize, Vec<f64>)>,
}

impl Axis {
    /// Both sizes are at least 1.
    fn new(from: usize, to: usize) -> Axis {
        let place = |i: usize| if to <= from { covered(i, from, to) } else { between(i, from, to) };
        Axis { from, places: (0..to).map(place).collect() }
    }
}

/// Old places that new place `i` covers, in parts of 1/`to`, with the share of each.
fn covered(i: usize, from: usize, to: usize) -> (usize, Vec<f64>) {
    let (low, high) = (i as u128 * from as u128, (i as u128 + 1) * from as u128);
    let to = to as u128;
    let (first, last) = (low / to, high.div_ceil(to));
    let part = |j: u128| (high.min((j + 1) * to) - low.max(j * to)) as f64 / from as f64;
    (first as usize, (first..last).map(part).collect())
}

/// The two old places whose centres are around the centre of new place `i`.
fn between(i: usize, from: usize, to: usize) -> (usize, Vec<f64>) {
    let centre = (i as f64 + 0.5) * from as f64 / to as f64 - 0.5;
    match centre {
        c if c <= 0.0 => (0, vec![1.0]),
        c if c >= (from - 1) as f64 => (from - 1, vec![1.0]),
        c => (c as usize, vec![1.0 - c.fract(), c.fract()]),
    }
}

impl Resample {
    /// Sizes are (height, width), all at least 1.
    pub fn new(from: (usize, usize), to: (usize, usize), channels: usize) -> Self {
        Resample { rows: Axis::new(from.0, to.0), columns: Axis::new(from.1, to.1), channels }
    }

    /// Calls `f(new, old, weight)` for each weight of an axis times each of `inner` numbers and each of `outer` lines:
    /// the places of numbers in the new and the old array.
    fn each(axis: &Axis, outer: usize, inner: usize, mut f: impl FnMut(usize, usize, f64)) {
        for line in 0..outer {
            for (i, (first, weights)) in axis.places.iter().enumerate() {
                let new = (line * axis.places.len() + i) * inner;
                for (k, &weight) in weights.iter().enumerate() {
                    let old = (line * axis.from + first + k) * inner;
                    (0..inner).for_each(|c| f(new + c, old + c, weight));
                }
            }
        }
    }

    /// The picture in its new size.
    pub fn apply(&self, picture: &[f64]) -> Vec<f64> {
        let (height, width) = (self.rows.from, self.columns.places.len());
        let mut wide = vec![0.0; height * width * self.channels];
        Self::each(&self.columns, height, self.channels, |new, old, w| wide[new] += w * picture[old]);
        let line = width * self.channels;
        let mut out = vec![0.0; self.rows.places.len() * line];
        Self::each(&self.rows, 1, line, |new, old, w| out[new] += w * wide[old]);
        out
    }

    /// The transposed map: a direction in the new picture pulled back to the old one.
    pub fn pull(&self, direction: &[f64], out: &mut [f64]) {
        let (height, width) = (self.rows.from, self.columns.places.len());
        let line = width * self.channels;
        let mut wide = vec![0.0; height * line];
        Self::each(&self.rows, 1, line, |new, old, w| wide[old] += w * direction[new]);
        out.fill(0.0);
        Self::each(&self.columns, height, self.channels, |new, old, w| out[old] += w * wide[new]);
    }
}

/// Pixels with another number of channels: gray is repeated or made of red, green and blue (0.299, 0.587, 0.114);
/// opacity is left out, or full where it was not known.
pub(crate) fn recolour(pixels: Cow<'_, [f64]>, from: usize, to: usize) -> Cow<'_, [f64]> {
    let colours = |p: &[f64]| if from >= 3 { [p[0], p[1], p[2]] } else { [p[0]; 3] };
    let gray = |p: &[f64]| if from >= 3 { 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2] } else { p[0] };
    match to {
        _ if from == to || from == 0 => pixels,
        1 => pixels.chunks_exact(from).map(gray).collect(),
        3 => pixels.chunks_exact(from).flat_map(colours).collect(),
        _ => {
            let with = |p: &[f64]| {
                let [r, g, b] = colours(p);
                [r, g, b, 255.0]
            };
            pixels.chunks_exact(from).flat_map(with).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;
    use testkit::assert_close;

    fn drawn(count: usize, seed: u64) -> Vec<f64> {
        (0..count).map(|i| 255.0 * Seed(seed).at(i).unit()).collect()
    }

    /// Sizes to go from and to, some of them shrinking in one axis and growing in the other.
    const SIZES: [(usize, usize, usize, usize); 6] =
        [(7, 5, 3, 2), (8, 12, 4, 3), (3, 4, 7, 9), (5, 9, 8, 2), (1, 1, 4, 4), (6, 6, 6, 6)];

    /// From the definition: each new pixel integrates the old picture, constant on pixels, over its area, point by point.
    #[test]
    fn shrinking_is_the_mean_over_the_area() {
        for (h, w, h2, w2) in SIZES.into_iter().filter(|s| s.2 <= s.0 && s.3 <= s.1) {
            let picture = drawn(h * w, 1);
            let found = Resample::new((h, w), (h2, w2), 1).apply(&picture);
            // A grid that divides both pictures makes the integral a finite mean.
            for y in 0..h2 {
                for x in 0..w2 {
                    let mut sum = 0.0;
                    for v in y * h..(y + 1) * h {
                        for u in x * w..(x + 1) * w {
                            sum += picture[(v / h2) * w + u / w2];
                        }
                    }
                    assert_close(&[found[y * w2 + x]], &[sum / (h * w) as f64], 1e-13, "mean over the area");
                }
            }
            let mean = |p: &[f64]| p.iter().sum::<f64>() / p.len() as f64;
            assert_close(&[mean(&found)], &[mean(&picture)], 1e-13, "the mean is kept");
        }
    }

    #[test]
    fn constants_stay_and_maps_are_transposed() {
        for (h, w, h2, w2) in SIZES {
            for channels in [1, 3] {
                let map = Resample::new((h, w), (h2, w2), channels);
                let flat = map.apply(&vec![9.0; h * w * channels]);
                assert_close(&flat, &vec![9.0; h2 * w2 * channels], 1e-14, "a constant picture");
                let (x, y) = (drawn(h * w * channels, 2), drawn(h2 * w2 * channels, 3));
                let mut back = vec![1.0; x.len()];
                map.pull(&y, &mut back);
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                assert_close(&[dot(&map.apply(&x), &y)], &[dot(&x, &back)], 1e-12, "<Ax, y> = <x, A'y>");
            }
        }
        assert_eq!(Resample::new((2, 3), (2, 3), 1).apply(&drawn(6, 4)), drawn(6, 4));
    }

    #[test]
    fn channels_are_kept_apart() {
        let (a, b) = (drawn(20, 5), drawn(20, 6));
        let both: Vec<f64> = a.iter().zip(&b).flat_map(|(a, b)| [*a, *b]).collect();
        let found = Resample::new((4, 5), (3, 7), 2).apply(&both);
        let alone = |p: &[f64]| Resample::new((4, 5), (3, 7), 1).apply(p);
        assert_eq!(found.iter().step_by(2).copied().collect::<Vec<_>>(), alone(&a));
        assert_eq!(found.iter().skip(1).step_by(2).copied().collect::<Vec<_>>(), alone(&b));
    }

    #[test]
    fn colours_change() {
        let of = |pixels: &[f64], from, to| recolour(Cow::Borrowed(pixels), from, to).into_owned();
        assert_eq!(of(&[7.0], 1, 3), [7.0, 7.0, 7.0]);
        assert_eq!(of(&[7.0], 1, 4), [7.0, 7.0, 7.0, 255.0]);
        assert_close(&of(&[10.0, 20.0, 30.0, 0.0], 4, 1), &[2.99 + 11.74 + 3.42], 1e-14, "gray");
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0], 4, 3), [1.0, 2.0, 3.0]);
        assert_eq!(of(&[1.0, 2.0], 2, 2), [1.0, 2.0]);
    }
}
