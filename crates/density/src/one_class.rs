//! Detectors explained in closed form: inlierness by support points, outlierness by support points and by variables.
//!
//! Deep Taylor decomposition: R_j as in `radial.rs`, then R_i = Σ_j w_j (x_i − u_ji)² with w_j = Δ_j / ‖x − u_j‖². All
//! R_i ≥ 0 and Σ R_i = Σ Δ_j ≤ o; what is left, o − Σ Δ_j, is absorbed. A support point that x equals gives nothing.
//!
//! **Cost.** A batch is three products of matrices, 6·m·d operations a row: distances and the two of [`numeric::Centres`].
//! **Limits.** Coordinates whose squares overflow (above 1e150) are refused.
//! Source: Kauffmann, Müller, Montavon 2020 (see `radial.rs`).

use crate::Density;
use base::{Balance, Buffer, Error, Features, Hold, Place, Points, Progress, Relevance, Result, Run, Shared};
use numeric::{CentreSum, Centres, each_chunk_mut};
use std::ops::Range;

/// Numbers of a block: rows x support points.
const BLOCK: usize = 1 << 21;
/// Rows that one thread takes in one go.
const PIECE: usize = 8;

/// A detector made ready to be explained.
pub struct OneClass {
    density: Density,
    centres: Centres,
    /// log α_j.
    logs: Vec<f64>,
}

/// What is gathered of one row.
#[derive(Default, Clone, Copy)]
struct Row {
    score: f64,
    /// Σ_j Δ_j.
    explained: f64,
}

impl OneClass {
    /// The name of outlierness by input variables.
    pub const BY_INPUT: &'static str = "dtd";
    /// The name of outlierness by support points.
    pub const BY_SUPPORT: &'static str = "support";
    /// The name of inlierness by support points.
    pub const INLIER_BY_SUPPORT: &'static str = "inlier-support";

    /// Makes a density ready; copies of dense centres are counted.
    pub fn new(density: &Density, run: &Run<'_>) -> Result<Self> {
        let logs = density.weights().iter().map(|w| w.ln()).collect();
        Ok(OneClass { density: density.clone(), centres: Centres::new(density.centres(), run)?, logs })
    }

    /// The density.
    pub fn density(&self) -> &Density {
        &self.density
    }

    /// How many support points.
    pub fn support(&self) -> usize {
        self.logs.len()
    }

    /// How many variables.
    pub fn columns(&self) -> usize {
        self.centres.columns()
    }

    /// The squared distances to all support points, row after row.
    pub fn squared_distances(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        let mut out = vec![0.0; points.len().saturating_mul(self.support())];
        self.centres.squared_distances(points, &mut out, run)?;
        Ok(out)
    }

    /// log g(x) of each row: finite however far away it is.
    pub fn log_density(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        let mut all = vec![0.0; points.len()];
        self.in_blocks(points, run, |range, squares| {
            let mut lines: Vec<(&mut f64, &mut [f64])> =
                all[range].iter_mut().zip(squares.chunks_exact_mut(self.support())).collect();
            each_chunk_mut(run, &mut lines, PIECE, |_, lines| {
                lines.iter_mut().for_each(|(log, line)| **log = self.shares(line));
                Ok(())
            })
        })?;
        Ok(all)
    }

    /// Inlierness g(x) of each row: between 0 and the kernel's peak, 0 far away.
    pub fn inlierness(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        Ok(self.log_density(points, run)?.into_iter().map(f64::exp).collect())
    }

    /// Outlierness of each row: at least 0, and grows with the q-th power of the distance.
    pub fn outlierness(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        Ok(self.log_density(points, run)?.into_iter().map(|log| self.strangeness(log)).collect())
    }

    /// Outlierness from squared distances to the support points, which become the shares p_j.
    pub fn outlierness_at(&self, squares: &mut [f64]) -> f64 {
        let log = self.shares(squares);
        self.strangeness(log)
    }

    fn shares(&self, squares: &mut [f64]) -> f64 {
        self.density.kernel().log_sum(&self.logs, squares)
    }

    fn strangeness(&self, log_density: f64) -> f64 {
        self.density.kernel().outlierness(self.support(), log_density)
    }

    /// Inlierness by support points: R_j = α_j k(‖x − u_j‖), which sums to g(x).
    pub fn inlier_support(&self, points: &Points, run: &Run<'_>) -> Result<Relevance> {
        self.over_support(points, Self::INLIER_BY_SUPPORT, run, f64::exp)
    }

    /// Outlierness by support points: R_j = p_j · o, which sums to o(x).
    pub fn outlier_support(&self, points: &Points, run: &Run<'_>) -> Result<Relevance> {
        self.over_support(points, Self::BY_SUPPORT, run, |log| self.strangeness(log))
    }

    fn over_support(
        &self,
        points: &Points,
        method: &str,
        run: &Run<'_>,
        score: impl Fn(f64) -> f64 + Sync,
    ) -> Result<Relevance> {
        let (n, m) = (points.len(), self.support());
        let (mut all, hold) = run.memory.filled(n.saturating_mul(m), 0.0, "relevance of support points")?;
        let mut balance = vec![Balance::default(); n];
        self.in_blocks(points, run, |range, squares| {
            let out = &mut all[range.start * m..range.end * m];
            let mut lines: Vec<_> =
                balance[range].iter_mut().zip(out.chunks_exact_mut(m).zip(squares.chunks_exact_mut(m))).collect();
            each_chunk_mut(run, &mut lines, PIECE, |_, lines| {
                for (balance, (out, line)) in lines.iter_mut() {
                    let score = score(self.shares(line));
                    out.iter_mut().zip(line.iter()).for_each(|(r, p)| *r = p * score);
                    let sum: f64 = out.iter().sum();
                    **balance = Balance { score, sum, absorbed: 0.0, lost: score - sum };
                }
                Ok(())
            })
        })?;
        finite(balance.iter().map(|b| b.score))?;
        Ok(Relevance {
            values: Points::dense(Buffer::F64(Shared::counted(all, hold)), n, m)?,
            features: Features::unnamed(m),
            balance: Some(balance),
            method: method.into(),
        })
    }

    /// Outlierness by input variables.
    pub fn by_input(&self, points: &Points, run: &Run<'_>) -> Result<Relevance> {
        let (values, rows, hold) = self.by_variable(points, CentreSum::Squares, run)?;
        let d = self.columns();
        let account = |(i, row): (usize, &Row)| {
            let sum: f64 = values[i * d..(i + 1) * d].iter().sum();
            Balance { score: row.score, sum, absorbed: row.score - row.explained, lost: row.explained - sum }
        };
        let balance = rows.iter().enumerate().map(account).collect();
        Ok(Relevance {
            values: Points::dense(Buffer::F64(Shared::counted(values, hold)), points.len(), d)?,
            features: Features::unnamed(d),
            balance: Some(balance),
            method: Self::BY_INPUT.into(),
        })
    }

    /// Outlierness of each row and its gradient in the variables, row after row.
    pub fn gradient(&self, points: &Points, run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
        let (values, rows, _) = self.by_variable(points, CentreSum::Differences, run)?;
        Ok((rows.iter().map(|r| r.score).collect(), values))
    }

    /// Σ_j w_j (x_i − u_ji)² of relevance or Σ_j w_j (x_i − u_ji) of the gradient, for all rows and variables.
    fn by_variable(&self, points: &Points, sum: CentreSum, run: &Run<'_>) -> Result<(Vec<f64>, Vec<Row>, Hold)> {
        let (n, m, d) = (points.len(), self.support(), self.columns());
        let (mut all, hold) = run.memory.filled(n.saturating_mul(d), 0.0, "relevance of variables")?;
        let mut rows = vec![Row::default(); n];
        let (mut weights, _held) = run.memory.filled(self.block(n).saturating_mul(m), 0.0, "weights of pairs")?;
        self.in_blocks(points, run, |range, squares| {
            let block = points.slice(range.clone());
            let weights = &mut weights[..squares.len()];
            weights.copy_from_slice(squares);
            self.weigh(squares, weights, &mut rows[range.clone()], sum, run)?;
            self.centres.sums(&block, squares, weights, sum, &mut all[range.start * d..range.end * d], run)
        })?;
        finite(rows.iter().map(|r| r.score))?;
        Ok((all, rows, hold))
    }

    /// Squared distances, twice, become the weights of the pairs.
    fn weigh(
        &self,
        squares: &[f64],
        weights: &mut [f64],
        rows: &mut [Row],
        sum: CentreSum,
        run: &Run<'_>,
    ) -> Result<()> {
        let (m, kernel) = (self.support(), self.density.kernel());
        let pairs = weights.chunks_exact_mut(m).zip(squares.chunks_exact(m));
        let mut lines: Vec<_> = rows.iter_mut().zip(pairs).collect();
        each_chunk_mut(run, &mut lines, PIECE, |_, lines| {
            for (row, (weights, squares)) in lines.iter_mut() {
                let score = self.outlierness_at(weights);
                row.score = score;
                for (w, &square) in weights.iter_mut().zip(squares.iter()) {
                    let explained = kernel.explained(*w, score, square);
                    row.explained += explained;
                    *w = match sum {
                        _ if square == 0.0 => 0.0,
                        CentreSum::Squares => explained / square,
                        CentreSum::Differences => kernel.slope(*w, score, square),
                    };
                }
            }
            Ok(())
        })
    }

    fn block(&self, n: usize) -> usize {
        (BLOCK / self.support().max(self.columns()).max(1)).clamp(PIECE, 1024).min(n.max(1))
    }

    /// Calls `f(rows, their squared distances)` for blocks of rows.
    fn in_blocks(
        &self,
        points: &Points,
        run: &Run<'_>,
        mut f: impl FnMut(Range<usize>, &mut [f64]) -> Result<()>,
    ) -> Result<()> {
        if points.columns() != self.columns() {
            return Err(Error::size("columns of the points", self.columns(), points.columns()));
        }
        let (n, m, block) = (points.len(), self.support(), self.block(points.len()));
        let (mut squares, _hold) = run.memory.filled(block.saturating_mul(m), 0.0, "distances")?;
        for start in (0..n).step_by(block) {
            run.report(&Progress::of("explaining", start as u64, n as u64))?;
            let range = start..n.min(start + block);
            let squares = &mut squares[..range.len() * m];
            self.centres.squared_distances(&points.slice(range.clone()), squares, run)?;
            f(range, squares)?;
        }
        Ok(())
    }
}

fn finite(mut scores: impl Iterator<Item = f64>) -> Result<()> {
    match scores.position(|s| !s.is_finite()) {
        Some(row) => {
            let place = Place::Cell { row, column: "*".into() };
            Err(Error::data(place, "is so far from all training data that its distance overflows; rescale the data"))
        }
        None => Ok(()),
    }
}
