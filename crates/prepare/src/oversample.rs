//! Every class brought up to the largest by copies: as they are, or with a little noise.
//!
//! Rows are drawn with replacement from their class and stand behind the original rows, which all stay, in order. Copies
//! carry the weight of their row. Noise is Gaussian with a given share of each column's deviation (over all rows), so
//! that a copy is a neighbour of its row rather than the row again. O(made rows · columns); noisy rows are dense.
//!
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 8.5.2.

use crate::balance::{Balance, draw};
use crate::grow::{CalibrationForm, append, grown};
use crate::noise::Jitter;
use crate::resample::{room_for, times};
use crate::{Change, Resample, Resampled};
use base::{Certificate, Dataset, Result, Run, Size};

base::settings! {
    /// Settings of oversampling.
    pub struct Oversample {
        /// how far towards balance: 1 makes all classes as large as the largest
        pub ratio: f64 = 1.0, in Range::Share, as "sampling_strategy";
    }
}

base::settings! {
    /// Settings of oversampling with noise.
    pub struct NoisyCopies {
        /// standard deviation of the noise, as a fraction of each column's
        pub noise: f64 = 0.1, in Range::AtLeast(0.0);
        /// how far towards balance: 1 makes all classes as large as the largest
        pub ratio: f64 = 1.0, in Range::Share, as "sampling_strategy";
    }
}

impl Resample for Oversample {
    const NAME: &'static str = "oversample";
    const CLASSES: bool = true;
    const CHANGE: Change = Change::Copies;

    fn resample(&self, data: &Dataset, run: &Run<'_>) -> Result<Resampled> {
        let (sources, notes) = copies(data, self.ratio, Self::NAME, run)?;
        let rows: Vec<usize> = (0..data.len()).chain(sources).collect();
        room_for(rows.len(), data, run)?;
        Ok(Resampled { data: Dataset { prepared: true, ..data.select(&rows)? }, notes })
    }

    fn size(&self, size: &Size) -> Size {
        times(size, 2)
    }
}

impl Resample for NoisyCopies {
    const NAME: &'static str = "noisy-copies";
    const CLASSES: bool = true;
    const CHANGE: Change = Change::Makes;

    fn resample(&self, data: &Dataset, run: &Run<'_>) -> Result<Resampled> {
        let points = data.points()?;
        let (sources, notes) = copies(data, self.ratio, Self::NAME, run)?;
        let jitter = Jitter::of(data, self.noise, run.seed.fork("noise"))?;
        let all = append(points, sources.len(), CalibrationForm::Doubles, run, |i, out| {
            points.write_row(sources[i], out);
            jitter.add(i, out);
            Ok(())
        })?;
        Ok(Resampled { data: grown(data, all, &sources), notes })
    }

    fn size(&self, size: &Size) -> Size {
        times(size, 2)
    }
}

/// The rows to be copied, class by class.
fn copies(data: &Dataset, ratio: f64, name: &str, run: &Run<'_>) -> Result<(Vec<usize>, Certificate)> {
    let balance = Balance::of(data)?;
    let made = balance.to_make(ratio);
    let total = made.iter().fold(0usize, |sum, m| sum.saturating_add(*m));
    let _hold = run.memory.take_for::<usize>(total.saturating_mul(2), "rows to be copied")?;
    let mut sources = Vec::with_capacity(total);
    for (class, rows) in balance.rows.iter().enumerate() {
        let seed = run.seed.at(class);
        sources.extend((0..made[class]).map(|i| rows[draw(seed.at(i), rows.len())]));
    }
    let mut notes = Certificate::default();
    balance.note(&format!("{name}: rows made of"), &made, &mut notes);
    Ok((sources, notes))
}
