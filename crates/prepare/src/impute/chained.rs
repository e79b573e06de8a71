//! Gaps filled by regressions one after the other.
//!
//! A row is brought to standard units with its gaps at 0, the mean; then each regression, in the order of its fit, puts
//! z_j = offset + weights·z (+ deviation · noise) into gap j. Chained regressions read what those before have written,
//! others read the means; the last sweep may be repeated, which brings new rows to the fixed point that training rows
//! have reached. Noise comes from the row's own seed. d operations for each regression of a gap.

use super::equations::Step;
use super::gaps;
use base::{
    Facets, Features, Inputs, Machine, Missing, Outputs, Points, PreparationStep, Progress, Record, Result, Run, Seed,
    normal,
};
use numeric::{dot, each_chunk_mut};

/// Rows looked at in one go.
const BLOCK: usize = 256;

/// Regressions that fill gaps.
pub struct ChainedFiller {
    features: Features,
    outputs: Outputs,
    pub(super) mean: Vec<f64>,
    pub(super) scale: Vec<f64>,
    steps: Vec<Step>,
    /// Whether a regression reads what those before it have written.
    chained: bool,
    /// How often the last sweep is made again.
    repeats: usize,
    seed: Seed,
}

impl ChainedFiller {
    /// The kind of its record.
    pub const KIND: &'static str = "chained-filler";

    /// A machine of regressions in standard units of the given means and scales.
    pub(super) fn new(
        features: Features,
        (mean, scale): (Vec<f64>, Vec<f64>),
        steps: Vec<Step>,
        chained: bool,
        repeats: usize,
        seed: Seed,
    ) -> Self {
        ChainedFiller { outputs: Outputs::same(&features), features, mean, scale, steps, chained, repeats, seed }
    }

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = gaps::read_features(record)?;
        let d = features.count();
        let columns = record.ids("columns")?;
        let count = columns.len();
        if columns.iter().any(|&c| c as usize >= d) {
            return Err(record.broken(format!("a regression of a column beyond {d}")));
        }
        let weights = gaps::read_finite(record, "weights", &[count, d])?;
        let offsets = gaps::read_finite(record, "offsets", &[count])?;
        let deviations = gaps::read_finite(record, "deviations", &[count])?;
        let steps = columns.iter().zip(weights.chunks_exact(d)).zip(offsets.iter().zip(&deviations));
        let steps = steps.map(|((&column, weights), (&offset, &deviation))| Step {
            column: column as usize,
            weights: weights.to_vec(),
            offset,
            deviation,
        });
        let steps: Vec<Step> = steps.collect();
        let mean = gaps::read_finite(record, "means", &[d])?;
        let scale = gaps::read_finite(record, "scale", &[d])?;
        let repeats = record.count("repeats")?;
        if scale.iter().any(|s| *s <= 0.0) || repeats > super::mice::MOST_SWEEPS || (repeats > 0 && count < d) {
            return Err(record.broken("positive scales and no more repeats than sweeps are expected"));
        }
        let (chained, seed) = (record.flag("chained")?, gaps::read_seed(record)?);
        Ok(Self::new(features, (mean, scale), steps, chained, repeats, seed))
    }

    /// The noise of a row at a regression.
    pub(super) fn noise(row: Seed, step: usize) -> f64 {
        normal(&mut row.at(step).stream())
    }

    fn fill(&self, row: &mut [f64], z: &mut [f64], out: &mut [f64]) {
        let d = row.len();
        let seed = gaps::row_seed(self.seed, row);
        for (c, z) in z.iter_mut().enumerate() {
            *z = if row[c].is_nan() { 0.0 } else { (row[c] - self.mean[c]) / self.scale[c] };
        }
        out.copy_from_slice(z);
        let last = self.steps.len().saturating_sub(d)..self.steps.len();
        let again = (0..self.repeats).flat_map(|_| last.clone());
        for t in (0..self.steps.len()).chain(again) {
            let step = &self.steps[t];
            if row[step.column].is_nan() {
                let noise = if step.deviation > 0.0 { step.deviation * Self::noise(seed, t) } else { 0.0 };
                out[step.column] = step.offset + dot(&step.weights, z) + noise;
                if self.chained {
                    z[step.column] = out[step.column];
                }
            }
        }
        for (c, x) in row.iter_mut().enumerate().filter(|(_, x)| x.is_nan()) {
            *x = self.mean[c] + self.scale[c] * out[c];
        }
    }
}

impl Machine for ChainedFiller {
    fn inputs(&self) -> &Features {
        &self.features
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let d = self.features.count();
        gaps::filled(inputs, run, |values| {
            let rows = (values.len() / d) as u64;
            each_chunk_mut(run, values, BLOCK * d, |block, rows_of| {
                run.report(&Progress::of("filling", (block * BLOCK) as u64, rows))?;
                let (mut z, mut out) = (vec![0.0; d], vec![0.0; d]);
                for row in rows_of.chunks_exact_mut(d).filter(|row| row.iter().any(|x| x.is_nan())) {
                    self.fill(row, &mut z, &mut out);
                }
                Ok(())
            })
        })
    }

    fn record(&self) -> Record {
        let (d, count) = (self.features.count(), self.steps.len());
        let numbers = |f: fn(&Step) -> f64| self.steps.iter().map(f).collect::<Vec<f64>>();
        Record::new(Self::KIND, 2)
            .with("inputs", self.features.record())
            .with_array("means", &[d], self.mean.clone())
            .with_array("scale", &[d], self.scale.clone())
            .with("columns", self.steps.iter().map(|s| s.column as u32).collect::<Vec<u32>>())
            .with_array("weights", &[count, d], self.steps.iter().flat_map(|s| s.weights.clone()).collect::<Vec<f64>>())
            .with_array("offsets", &[count], numbers(|s| s.offset))
            .with_array("deviations", &[count], numbers(|s| s.deviation))
            .with("chained", self.chained)
            .with("repeats", self.repeats)
            .with("seed", gaps::seed_field(self.seed))
    }

    fn facets(&self) -> Facets<'_> {
        Facets { missing: Missing::HANDLED, step: Some(self), ..Facets::default() }
    }
}

impl PreparationStep for ChainedFiller {
    fn origin(&self) -> Option<base::Origin> {
        Some(base::Origin::same(&self.features))
    }

    fn restore(&self, outputs: &Points, _run: &Run<'_>) -> Result<Option<Inputs>> {
        Ok(Some(Inputs::Points(outputs.clone())))
    }
}
