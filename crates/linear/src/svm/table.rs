//! Weights of sixteen classes side by side, in single precision, and one pass over all rows with them.
//!
//! **Cost.** A cache line for each entry of the rows, whatever number of the sixteen is looked at.

use super::rare::Rare;
use base::{Result, Run};
use numeric::{SIXTEEN, dots_of_rows};

/// Weights of up to sixteen classes; in lanes that nobody uses they are the common ones.
pub(super) struct Table {
    weights: Vec<[f32; SIXTEEN]>,
    /// The constant feature times its weight.
    first: [f32; SIXTEEN],
    scores: Vec<[f32; SIXTEEN]>,
}

impl Table {
    /// Rows scored at once.
    pub const ROWS: usize = 256;

    /// Bytes of a table for this many columns.
    pub fn bytes(columns: usize) -> u64 {
        ((columns + Self::ROWS) * size_of::<[f32; SIXTEEN]>()) as u64
    }

    /// Sixteen times the common weights.
    pub fn new(problem: &Rare<'_>) -> Self {
        let columns = problem.samples.columns();
        let mut table = Table {
            weights: problem.common.weights[..columns].iter().map(|&w| [w as f32; SIXTEEN]).collect(),
            first: [0.0; SIXTEEN],
            scores: vec![[0.0; SIXTEEN]; Self::ROWS],
        };
        (0..SIXTEEN).for_each(|lane| table.set_first(problem, lane, &problem.common.weights));
        table
    }

    /// Takes over the weights of these features, and of the constant one.
    pub fn set(&mut self, problem: &Rare<'_>, lane: usize, features: &[u32], weights: &[f64]) {
        features.iter().for_each(|&j| self.weights[j as usize][lane] = weights[j as usize] as f32);
        self.set_first(problem, lane, weights);
    }

    fn set_first(&mut self, problem: &Rare<'_>, lane: usize, weights: &[f64]) {
        let columns = problem.samples.columns();
        self.first[lane] = weights.get(columns).map_or(0.0, |w| w * problem.samples.bias()) as f32;
    }

    /// Scores all rows and calls `f` with the first row of each block and the block's scores.
    pub fn pass(
        &mut self,
        problem: &Rare<'_>,
        run: &Run<'_>,
        mut f: impl FnMut(usize, &[[f32; SIXTEEN]]),
    ) -> Result<()> {
        let rows = problem.rows;
        for start in (0..rows.len()).step_by(Self::ROWS) {
            if start % (64 * Self::ROWS) == 0 {
                run.check()?;
            }
            let end = rows.len().min(start + Self::ROWS);
            let scores = &mut self.scores[..end - start];
            dots_of_rows(&rows.starts()[start..=end], rows.ids(), &problem.values, &self.weights, &self.first, scores);
            f(start, scores);
        }
        Ok(())
    }
}
