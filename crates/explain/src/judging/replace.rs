//! What stands where a region was taken away.
//!
//! | word | in place of input i |
//! |---|---|
//! | `mean` | the mean of column i in the data |
//! | `constant` | one number |
//! | `noise` | drawn evenly from the range of the data: of the column, for pictures and series of the channel |
//! | `blur` | the picture or series under a Gaussian of a given deviation, beyond the edge its nearest number |
//! | `neighbours` | the mean of the channel in the pixels or moments around the region |
//! | `other` | what a drawn row of the data has there |
//!
//! Nothing depends on the order in which regions go, so a row with any set of regions away is its own numbers here and
//! these there. What is drawn depends on the seed and the row's place.
//!
//! **Cost.** O(columns) a row; a blur O(columns · deviation). **Limits.** Blur and neighbours need a picture or a series.

use super::RowRegions;
use crate::rows::middle;
use crate::windows::sides;
use base::{Error, Points, Result, Run, Seed, Shape, choices};

choices! {
    /// What regions are replaced by.
    pub enum Replace {
        /// The mean of the data.
        Mean = "mean",
        /// One number.
        Constant = "constant",
        /// Even noise in the range of the data.
        Noise = "noise",
        /// The blurred picture.
        Blur = "blur",
        /// The mean of what surrounds the region.
        Neighbours = "neighbours",
        /// What another row has.
        Other = "other",
    }
}

/// What stands instead of the inputs of any row.
pub struct Instead<'a> {
    what: Replace,
    regions: &'a RowRegions,
    data: &'a Points,
    seed: Seed,
    /// One number a column: the mean, or the constant.
    fixed: Vec<f64>,
    /// The range of each column.
    ranges: Vec<(f64, f64)>,
    /// The weights of a blur, from the middle outwards.
    weights: Vec<f64>,
}

impl<'a> Instead<'a> {
    /// Looks at the data once; `number` is the constant or the deviation of the blur.
    pub fn new(what: Replace, number: f64, regions: &'a RowRegions, data: &'a Points, run: &Run<'_>) -> Result<Self> {
        let d = regions.groups.of.len();
        if data.columns() != d || data.is_empty() {
            return Err(Error::size("data to take replacements from", format!("at least 1 row of {d}"), data.len()));
        }
        if regions.shape.is_none() && matches!(what, Replace::Blur | Replace::Neighbours) {
            let must = "needs an image or a time series; use mean, noise, other or constant for tables";
            return Err(Error::parameter("replace", what.word(), must));
        }
        let fixed = match what {
            Replace::Mean => middle(data),
            Replace::Constant => vec![number; d],
            _ => vec![],
        };
        let ranges = if what == Replace::Noise { ranges(data, regions.shape) } else { vec![] };
        let weights = if what == Replace::Blur { bell(number) } else { vec![] };
        Ok(Instead { what, regions, data, seed: run.seed.fork("replacements"), fixed, ranges, weights })
    }

    /// What stands instead of the numbers of a row at that place among those judged.
    pub fn of(&self, x: &[f64], row: usize) -> Vec<f64> {
        let seed = self.seed.at(row);
        match self.what {
            Replace::Mean | Replace::Constant => self.fixed.clone(),
            Replace::Noise => {
                let drawn = |(c, (low, high)): (usize, &(f64, f64))| low + (high - low) * seed.at(c).unit();
                self.ranges.iter().enumerate().map(drawn).collect()
            }
            Replace::Other => {
                let mut other = vec![0.0; x.len()];
                self.data.write_row((seed.unit() * self.data.len() as f64) as usize, &mut other);
                other
            }
            Replace::Blur => match self.regions.shape {
                Some(shape) => blurred(x, shape, &self.weights),
                None => x.to_vec(),
            },
            Replace::Neighbours => match self.regions.shape {
                Some(shape) => surroundings(x, shape, self.regions),
                None => x.to_vec(),
            },
        }
    }
}

/// The least and the largest number of each column; of each channel where columns make a picture or a series.
fn ranges(data: &Points, shape: Option<Shape>) -> Vec<(f64, f64)> {
    let d = data.columns();
    let alike = shape.map_or(d, channels).max(1);
    let (mut found, mut x) = (vec![(f64::INFINITY, f64::NEG_INFINITY); alike], vec![0.0; d]);
    for i in 0..data.len() {
        data.write_row(i, &mut x);
        for (c, &v) in x.iter().enumerate() {
            let range = &mut found[c % alike];
            *range = (range.0.min(v), range.1.max(v));
        }
    }
    (0..d).map(|c| found[c % alike]).collect()
}

fn channels(shape: Shape) -> usize {
    match shape {
        Shape::Image { channels, .. } | Shape::Series { channels, .. } => channels,
    }
}

/// exp(−k²/2σ²) for k = 0, 1, … 3σ, such that both sides together make 1.
fn bell(deviation: f64) -> Vec<f64> {
    let weight = |k: usize| (-0.5 * (k as f64 / deviation).powi(2)).exp();
    let half: Vec<f64> = (0..=(3.0 * deviation).ceil() as usize).map(weight).collect();
    let sum = half[0] + 2.0 * half[1..].iter().sum::<f64>();
    half.into_iter().map(|w| w / sum).collect()
}

/// The numbers under a bell, down and then across; beyond the edge the nearest number counts.
pub(crate) fn blurred(x: &[f64], shape: Shape, weights: &[f64]) -> Vec<f64> {
    let ((height, width), channels) = (sides(shape), channels(shape));
    let along = |x: &[f64], length: usize, step: usize| -> Vec<f64> {
        (0..x.len())
            .map(|i| {
                let at = i / step % length;
                let number = |to: usize| x[i - at * step + to * step];
                let pair =
                    |(k, w): (usize, &f64)| w * (number(at.saturating_sub(k)) + number((at + k).min(length - 1)));
                weights[0] * x[i] + weights.iter().enumerate().skip(1).map(pair).sum::<f64>()
            })
            .collect()
    };
    let down = along(x, height.max(1), width * channels);
    if width > 1 { along(&down, width, channels) } else { down }
}

/// For each number the mean of its channel in the ring of pixels around its region.
fn surroundings(x: &[f64], shape: Shape, regions: &RowRegions) -> Vec<f64> {
    let ((height, width), channels, of) = (sides(shape), channels(shape), &regions.groups.of);
    let mut corners = vec![(usize::MAX, usize::MAX, 0, 0); regions.groups.count];
    for place in 0..height * width {
        let (y, z, c) = (place / width, place % width, &mut corners[of[place * channels]]);
        *c = (c.0.min(y), c.1.min(z), c.2.max(y), c.3.max(z));
    }
    let mut means = vec![0.0; regions.groups.count * channels];
    for (g, &(top, left, bottom, right)) in corners.iter().enumerate() {
        let mut count = 0.0f64;
        for y in top.saturating_sub(1)..(bottom + 2).min(height) {
            for z in left.saturating_sub(1)..(right + 2).min(width) {
                let at = (y * width + z) * channels;
                if of[at] != g {
                    count += 1.0;
                    (0..channels).for_each(|c| means[g * channels + c] += x[at + c]);
                }
            }
        }
        means[g * channels..(g + 1) * channels].iter_mut().for_each(|m| *m /= count.max(1.0));
    }
    (0..x.len()).map(|i| means[of[i] * channels + i % channels]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instead(what: Replace, number: f64, regions: &RowRegions, data: &Points, x: &[f64]) -> Vec<f64> {
        Instead::new(what, number, regions, data, &Run::quiet(3)).unwrap().of(x, 0)
    }

    #[test]
    fn every_replacement_is_what_it_says() {
        let shape = Shape::Image { height: 4, width: 4, channels: 2 };
        let regions = RowRegions::new(32, Some(shape), 2).unwrap();
        let x: Vec<f64> = (0..32).map(|i| f64::from(i * i % 7)).collect();
        let data = Points::dense([vec![1.0; 32], (0..32).map(f64::from).collect()].concat(), 2, 32).unwrap();
        assert_eq!(instead(Replace::Mean, 0.0, &regions, &data, &x)[5], 3.0);
        assert_eq!(instead(Replace::Constant, -2.5, &regions, &data, &x), vec![-2.5; 32]);
        let noise = instead(Replace::Noise, 0.0, &regions, &data, &x);
        // Channels lie between 0 and 30, and between 1 and 31.
        assert!(noise.iter().enumerate().all(|(c, v)| (c % 2) as f64 <= *v && *v <= 30.0 + (c % 2) as f64));
        assert!(noise[0] != noise[2] && noise.iter().any(|v| *v > 20.0));
        let other = instead(Replace::Other, 0.0, &regions, &data, &x);
        assert!(other == vec![1.0; 32] || other[7] == 7.0, "{other:?}");
        // By hand: around the patch at the top left lie row 2 (columns 0 to 2) and column 2 (rows 0 and 1).
        let around = instead(Replace::Neighbours, 0.0, &regions, &data, &x);
        let pixel = |y: usize, z: usize, c: usize| x[(y * 4 + z) * 2 + c];
        for c in 0..2 {
            let ring = [(2, 0), (2, 1), (2, 2), (0, 2), (1, 2)];
            let mean = ring.iter().map(|&(y, z)| pixel(y, z, c)).sum::<f64>() / 5.0;
            assert!((around[c] - mean).abs() < 1e-12 && (around[(4 + 1) * 2 + c] - mean).abs() < 1e-12);
        }
    }

    #[test]
    fn a_blur_keeps_plains_and_spreads_a_point_like_a_bell() {
        let shape = Shape::Image { height: 15, width: 15, channels: 1 };
        assert!(blurred(&vec![2.0; 225], shape, &bell(1.5)).iter().all(|v| (v - 2.0).abs() < 1e-12));
        let mut point = vec![0.0; 225];
        point[7 * 15 + 7] = 1.0;
        let spread = blurred(&point, shape, &bell(1.0));
        assert!((spread.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let at = |dy: usize, dx: usize| spread[(7 + dy) * 15 + 7 + dx];
        assert!((at(1, 0) / at(0, 0) - (-0.5f64).exp()).abs() < 1e-12);
        assert!((at(1, 2) / at(0, 0) - (-2.5f64).exp()).abs() < 1e-12, "the product of two bells is round");
        let line = Shape::Series { length: 15, channels: 1 };
        let series = blurred(&point[105..120], line, &bell(1.0));
        assert!((series[8] / series[7] - (-0.5f64).exp()).abs() < 1e-12);
    }

    #[test]
    fn tables_have_neither_blur_nor_neighbours() {
        let regions = RowRegions::new(3, None, 1).unwrap();
        let data = Points::dense(vec![1.0, 2.0, 3.0], 1, 3).unwrap();
        for what in [Replace::Blur, Replace::Neighbours] {
            let error = Instead::new(what, 1.0, &regions, &data, &Run::quiet(1)).err().unwrap().to_string();
            assert!(error.contains("needs an image"), "{error}");
        }
        assert!(Instead::new(Replace::Mean, 0.0, &regions, &data.slice(0..0), &Run::quiet(1)).is_err());
    }
}
