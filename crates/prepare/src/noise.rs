//! Noisy copies of all rows: the simplest augmentation, and a regulariser.
//!
//! Each copy is its row plus independent Gaussian noise whose deviation is a given share of the column's (weighted, over
//! the training rows); columns that never change stay as they are. Sparse points are written out, for noise is nowhere 0.
//! O(copies · rows · columns).
//!
//! - C. M. Bishop: *Training with noise is equivalent to Tikhonov regularization.* Neural Computation 7 (1995) 108–116.

use crate::grow::{CalibrationForm, append, grown};
use crate::resample::times;
use crate::{Change, Resample, Resampled};
use base::{Certificate, Dataset, Result, Run, Seed, Size, normal};
use numeric::Moments;

base::settings! {
    /// Settings of noisy copies.
    pub struct Noise {
        /// standard deviation of the noise, as a fraction of each column's
        pub noise: f64 = 0.1, in Range::AtLeast(0.0);
        /// copies per row
        pub copies: usize = 1, in Range::AtLeast(1.0);
    }
}

impl Resample for Noise {
    const NAME: &'static str = "noise";
    const CLASSES: bool = false;
    const CHANGE: Change = Change::Makes;

    fn resample(&self, data: &Dataset, run: &Run<'_>) -> Result<Resampled> {
        let points = data.points()?;
        let jitter = Jitter::of(data, self.noise, run.seed)?;
        let sources = sources(data.len(), self.copies, run)?;
        let all = append(points, sources.len(), CalibrationForm::Doubles, run, |i, out| {
            points.write_row(sources[i], out);
            jitter.add(i, out);
            Ok(())
        })?;
        Ok(Resampled { data: grown(data, all, &sources), notes: made(Self::NAME, sources.len()) })
    }

    fn size(&self, size: &Size) -> Size {
        let dense = Size { entries: size.rows.saturating_mul(size.columns), ..*size };
        times(&dense, self.copies.saturating_add(1))
    }
}

/// Gaussian noise for each column.
pub(crate) struct Jitter {
    deviations: Vec<f64>,
    seed: Seed,
}

impl Jitter {
    /// Noise of that share of each column's deviation.
    pub fn of(data: &Dataset, share: f64, seed: Seed) -> Result<Self> {
        let moments = Moments::of(data.points()?, data.weights.as_deref());
        Ok(Jitter { deviations: moments.variance.iter().map(|v| share * v.sqrt()).collect(), seed })
    }

    /// Adds the noise of the i-th made row.
    pub fn add(&self, i: usize, row: &mut [f64]) {
        let mut stream = self.seed.at(i).stream();
        row.iter_mut().zip(&self.deviations).for_each(|(x, d)| *x += d * normal(&mut stream));
    }
}

/// The row each of `copies` rounds of copies is made from; counted while it is made.
pub(crate) fn sources(rows: usize, copies: usize, run: &Run<'_>) -> Result<Vec<usize>> {
    let _hold = run.memory.take_for::<usize>(rows.saturating_mul(copies), "rows to be copied")?;
    Ok((0..rows * copies).map(|i| i % rows.max(1)).collect())
}

/// Says how many rows were made.
pub(crate) fn made(name: &str, rows: usize) -> Certificate {
    let mut notes = Certificate::default();
    notes.fact(&format!("{name}: rows made"), rows as f64);
    notes
}
