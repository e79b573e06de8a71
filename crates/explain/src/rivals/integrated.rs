//! Integrated gradients: R_i = (x_i − x̃_i) ∫₀¹ ∂f/∂x_i at x̃ + t (x − x̃) dt, so that Σ R_i = f(x) − f(x̃).
//!
//! The integral is a mean over midpoints of ever more pieces, until what Σ R_i misses of f(x) − f(x̃) is small or the
//! pieces run out; what it still misses is said to be lost.
//!
//! **Cost.** Two gradients a row for each piece of the last round.
//! Source: M. Sundararajan, A. Taly, Q. Yan: *Axiomatic attribution for deep networks.* ICML 2017.

use super::told;
use crate::Scored;
use base::{Balance, Error, Points, Progress, Relevance, Result, Run};

/// How finely is integrated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// What may be missed, as a share of the difference; with 0 there are just as many pieces as there may be.
    pub tolerance: f64,
    /// Pieces at most.
    pub most: usize,
}

impl Default for Steps {
    fn default() -> Self {
        Steps { tolerance: 1e-3, most: 1024 }
    }
}

/// Integrated gradients from `reference`.
pub fn integrated_gradients(
    score: &dyn Scored,
    points: &Points,
    reference: &[f64],
    steps: Steps,
    run: &Run<'_>,
) -> Result<Relevance> {
    let (n, d) = (points.len(), score.columns());
    if reference.len() != d {
        return Err(Error::size("numbers of a reference", d, reference.len()));
    }
    let start = score.values(&Points::dense(reference.to_vec(), 1, d)?, run)?[0];
    let ends = score.values(points, run)?;
    let (mut all, mut balance) = (vec![0.0; n * d], vec![]);
    let mut x = vec![0.0; d];
    for (i, line) in all.chunks_exact_mut(d.max(1)).enumerate() {
        run.report(&Progress::of("integrating", i as u64, n as u64))?;
        points.write_row(i, &mut x);
        let difference = ends[i] - start;
        let mut pieces = if steps.tolerance > 0.0 { 8 } else { steps.most.max(1) };
        let sum = loop {
            let path = |t: usize| {
                let share = (t as f64 + 0.5) / pieces as f64;
                x.iter().zip(reference).map(move |(x, r)| r + share * (x - r))
            };
            let path: Vec<f64> = (0..pieces).flat_map(path).collect();
            let (_, slopes) = score.gradients(&Points::dense(path, pieces, d)?, run)?;
            line.fill(0.0);
            for slope in slopes.chunks_exact(d.max(1)) {
                line.iter_mut().zip(slope).for_each(|(r, s)| *r += s / pieces as f64);
            }
            line.iter_mut().zip(x.iter().zip(reference)).for_each(|(r, (x, x0))| *r *= x - x0);
            let sum: f64 = line.iter().sum();
            if (sum - difference).abs() <= steps.tolerance * difference.abs() || pieces * 2 > steps.most {
                break sum;
            }
            pieces *= 2;
        };
        balance.push(Balance { score: ends[i], sum, absorbed: start, lost: difference - sum });
    }
    told(all, (n, d), Some(balance), "integrated-gradients")
}
