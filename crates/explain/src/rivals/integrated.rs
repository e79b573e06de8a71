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

/// Numbers of all ways that go through the machine at once.
const AT_ONCE: usize = 1 << 23;

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
    let x = points.to_dense(&run.memory)?;
    let (mut all, mut balance) = (vec![0.0; n * d], vec![Balance::default(); n]);
    let mut pieces = if steps.tolerance > 0.0 { 8 } else { steps.most.max(1) };
    let mut open: Vec<usize> = (0..n).collect();
    while !open.is_empty() {
        // Ways of several rows go through the machine side by side.
        let together = (AT_ONCE / (pieces * d.max(1))).max(1);
        let mut left = vec![];
        for rows in open.chunks(together) {
            run.report(&Progress::of("integrating", rows[0] as u64, n as u64))?;
            let mut path = Vec::with_capacity(rows.len() * pieces * d);
            for &i in rows {
                for t in 0..pieces {
                    let share = (t as f64 + 0.5) / pieces as f64;
                    path.extend(x[i * d..(i + 1) * d].iter().zip(reference).map(|(x, r)| r + share * (x - r)));
                }
            }
            let (_, slopes) = score.gradients(&Points::dense(path, rows.len() * pieces, d)?, run)?;
            for (&i, slopes) in rows.iter().zip(slopes.chunks_exact((pieces * d).max(1))) {
                let (line, x) = (&mut all[i * d..(i + 1) * d], &x[i * d..(i + 1) * d]);
                line.fill(0.0);
                for slope in slopes.chunks_exact(d.max(1)) {
                    line.iter_mut().zip(slope).for_each(|(r, s)| *r += s / pieces as f64);
                }
                line.iter_mut().zip(x.iter().zip(reference)).for_each(|(r, (x, x0))| *r *= x - x0);
                let (sum, difference) = (line.iter().sum::<f64>(), ends[i] - start);
                balance[i] = Balance { score: ends[i], sum, absorbed: start, lost: difference - sum };
                if (sum - difference).abs() > steps.tolerance * difference.abs() && pieces * 2 <= steps.most {
                    left.push(i);
                }
            }
        }
        open = left;
        pieces *= 2;
    }
    told(all, (n, d), Some(balance), "integrated-gradients")
}
