//! Columns taken away together: patches or segments of a picture, stretches of a series, else each column by itself; and
//! scores of rows with some of them replaced.

use crate::{Scored, Segments};
use base::{Points, Progress, Result, Run, Shape};

/// Rows that are scored at once, at most.
const AT_ONCE: usize = 256;
/// Numbers of these rows, about.
const NUMBERS: usize = 1 << 22;

/// Which group each column belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// The group of each column.
    pub of: Vec<usize>,
    /// How many groups.
    pub count: usize,
}

impl Groups {
    /// Patches of `side` x `side` pixels with all their channels, or `side` places of a series; columns by themselves
    /// where no shape is known.
    pub fn new(columns: usize, shape: Option<Shape>, side: usize) -> Self {
        let side = side.max(1);
        match shape {
            Some(Shape::Image { height, width, channels }) if height * width * channels == columns => {
                let across = width.div_ceil(side);
                let patch = |c: usize| {
                    let place = c / channels;
                    (place / width) / side * across + (place % width) / side
                };
                Groups { of: (0..columns).map(patch).collect(), count: across * height.div_ceil(side) }
            }
            Some(Shape::Series { length, channels }) if length * channels == columns => {
                let of = (0..columns).map(|c| c / channels / side).collect();
                Groups { of, count: length.div_ceil(side) }
            }
            _ => Groups { of: (0..columns).collect(), count: columns },
        }
    }

    /// Segments of a picture, with all the channels of their pixels.
    pub fn of_segments(segments: &Segments, channels: usize) -> Self {
        let of = segments.of.iter().flat_map(|&s| std::iter::repeat_n(s, channels)).collect();
        Groups { of, count: segments.count }
    }

    /// A number for each group told to its columns: `whole` as it is, else in equal shares.
    pub fn spread(&self, values: &[f64], whole: bool) -> Vec<f64> {
        let mut sizes = vec![0.0f64; self.count];
        self.of.iter().for_each(|&g| sizes[g] += 1.0);
        self.of.iter().map(|&g| if whole { values[g] } else { values[g] / sizes[g] }).collect()
    }

    /// How many rows of that many columns are scored at once.
    pub(super) fn at_once(columns: usize) -> usize {
        (NUMBERS / columns.max(1)).clamp(1, AT_ONCE)
    }

    /// The score of a row with the groups of each set kept and the others replaced by `instead`.
    pub fn scores(
        &self,
        score: &dyn Scored,
        x: &[f64],
        instead: &[f64],
        kept: &[Vec<bool>],
        run: &Run<'_>,
    ) -> Result<Vec<f64>> {
        let mut all = vec![];
        for (k, sets) in kept.chunks(Self::at_once(x.len())).enumerate() {
            run.report(&Progress::of("hiding parts", (k * sets.len()) as u64, kept.len() as u64))?;
            let place = |set: &Vec<bool>| {
                let set = set.clone();
                (0..x.len()).map(move |c| if set[self.of[c]] { x[c] } else { instead[c] })
            };
            let rows: Vec<f64> = sets.iter().flat_map(place).collect();
            all.extend(score.values(&Points::dense(rows, sets.len(), x.len())?, run)?);
        }
        Ok(all)
    }
}
