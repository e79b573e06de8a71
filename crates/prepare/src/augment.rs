//! Augmentation of pictures and series: shifted, turned and mirrored copies.
//!
//! The copies stand behind the original rows, round after round, each with the target, weight and group of its row.
//!
//! - `shift`: by up to d pixels (moments of a series) in any direction. The copies of a row have different shifts, drawn
//!   from all (2d + 1)² − 1 (2d for a series), so as many copies give them all.
//! - `rotate`: pictures turned about their centre by an angle drawn evenly from ± the degrees, bilinear.
//! - `flip`: pictures or series mirrored.
//!
//! The points must know their shape, as pictures and IDX files do: these steps come before those that lose it.
//! O(copies · numbers).
//!
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 8.5.3.

use crate::grow::{CalibrationForm, append, grown};
use crate::noise::{made, sources};
use crate::resample::times;
use crate::{Change, Resample, Resampled};
use base::{Dataset, Error, Result, Run, Shape, Size};
use numeric::{Border, mirror, rotate, shift};

base::settings! {
    /// Settings of shifted copies.
    pub struct Shift {
        /// largest shift, in pixels or time steps
        pub pixels: usize = 1, in Range::Between(1.0, 1000.0);
        /// copies per row, all different
        pub copies: usize = 2, in Range::AtLeast(1.0);
        /// fill beyond the edge
        pub edge: Border = Border::Zero, in Range::Any;
    }
}

base::settings! {
    /// Settings of turned copies.
    pub struct Rotate {
        /// largest angle, to either side
        pub degrees: f64 = 10.0, in Range::Between(0.0, 180.0);
        /// copies per row
        pub copies: usize = 1, in Range::AtLeast(1.0);
        /// fill beyond the edge
        pub edge: Border = Border::Zero, in Range::Any;
    }
}

base::choices! {
    /// Which way pictures are mirrored.
    pub enum Axis {
        /// Left becomes right.
        Horizontal = "horizontal",
        /// Top becomes bottom.
        Vertical = "vertical",
    }
}

base::settings! {
    /// Settings of mirrored copies.
    pub struct Flip {
        /// axis of the flip
        pub axis: Axis = Axis::Horizontal, in Range::Any;
    }
}

impl Resample for Shift {
    const NAME: &'static str = "shift";
    const CLASSES: bool = false;
    const CHANGE: Change = Change::Makes;
    const SHAPES: bool = true;

    fn resample(&self, data: &Dataset, run: &Run<'_>) -> Result<Resampled> {
        let shape = shape(data, Self::NAME)?;
        let side = 2 * self.pixels + 1;
        let ways = match shape {
            Shape::Image { .. } => side * side - 1,
            Shape::Series { .. } => side - 1,
        };
        if self.copies > ways {
            let must = format!("must be at most {ways}, the different shifts by up to {} of {shape}", self.pixels);
            return Err(Error::parameter("copies", self.copies, must));
        }
        let way = |row: usize, copy: usize| {
            // The middle, no shift at all, is left out.
            let pick = distinct(run.seed.at(row), ways, copy);
            let pick = if pick < ways / 2 { pick } else { pick + 1 };
            let centred = |x: usize| x as isize - self.pixels as isize;
            match shape {
                Shape::Image { .. } => (centred(pick / side), centred(pick % side)),
                Shape::Series { .. } => (0, centred(pick)),
            }
        };
        copied(data, Self::NAME, self.copies, CalibrationForm::Kept, run, |row, copy, from, to| {
            shift(shape, way(row, copy), self.edge, from, to)
        })
    }

    fn size(&self, size: &Size) -> Size {
        times(size, self.copies.saturating_add(1))
    }
}

impl Resample for Rotate {
    const NAME: &'static str = "rotate";
    const CLASSES: bool = false;
    const CHANGE: Change = Change::Makes;
    const SHAPES: bool = true;

    fn resample(&self, data: &Dataset, run: &Run<'_>) -> Result<Resampled> {
        let shape = shape(data, Self::NAME)?;
        if matches!(shape, Shape::Series { .. }) {
            return Err(Error::unsupported(shape.to_string(), Self::NAME, "only images can be rotated; use shift"));
        }
        copied(data, Self::NAME, self.copies, CalibrationForm::Doubles, run, |row, copy, from, to| {
            let degrees = self.degrees * (2.0 * run.seed.at(row).at(copy).unit() - 1.0);
            rotate(shape, degrees, self.edge, from, to)
        })
    }

    fn size(&self, size: &Size) -> Size {
        times(size, self.copies.saturating_add(1))
    }

    fn cost(&self, size: &Size) -> f64 {
        20.0 * self.size(size).entries as f64
    }
}

impl Resample for Flip {
    const NAME: &'static str = "flip";
    const CLASSES: bool = false;
    const CHANGE: Change = Change::Makes;
    const SHAPES: bool = true;

    fn resample(&self, data: &Dataset, run: &Run<'_>) -> Result<Resampled> {
        let shape = shape(data, Self::NAME)?;
        if matches!((shape, self.axis), (Shape::Series { .. }, Axis::Vertical)) {
            return Err(Error::parameter("axis", self.axis.word(), "must be horizontal for a time series"));
        }
        copied(data, Self::NAME, 1, CalibrationForm::Kept, run, |_, _, from, to| {
            mirror(shape, self.axis == Axis::Vertical, from, to)
        })
    }

    fn size(&self, size: &Size) -> Size {
        times(size, 2)
    }
}

/// The shape of the points, or an error that says who has one.
fn shape(data: &Dataset, name: &str) -> Result<Shape> {
    data.features.shape().ok_or_else(|| {
        let instead = "read images or an IDX file, and put this step before scaling";
        Error::unsupported("inputs other than images and time series", name, instead)
    })
}

/// Rounds of copies, each written by `change(row, copy, from, to)`.
fn copied(
    data: &Dataset,
    name: &str,
    copies: usize,
    form: CalibrationForm,
    run: &Run<'_>,
    change: impl Fn(usize, usize, &[f64], &mut [f64]) -> Result<()> + Sync,
) -> Result<Resampled> {
    let points = data.points()?;
    let sources = sources(data.len(), copies, run)?;
    let all = append(points, sources.len(), form, run, |i, out| {
        let mut from = vec![0.0; out.len()];
        points.write_row(sources[i], &mut from);
        change(sources[i], i / data.len().max(1), &from, out)
    })?;
    Ok(Resampled { data: grown(data, all, &sources), notes: made(name, sources.len()) })
}

/// The `place`-th of a random order of 0..count: different places give different numbers.
fn distinct(seed: base::Seed, count: usize, place: usize) -> usize {
    // The first places of a shuffle; what was moved away is remembered.
    let mut moved = std::collections::HashMap::new();
    let mut found = 0;
    for i in 0..=place {
        let j = i + crate::balance::draw(seed.at(i), count - i);
        let at = |k: usize| moved.get(&k).copied().unwrap_or(k);
        found = at(j);
        let here = at(i);
        moved.insert(j, here);
    }
    found
}
