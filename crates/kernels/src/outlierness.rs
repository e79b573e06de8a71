//! The logarithm of a density g(x) = Σ_j c_j k(x, u_j), finite however far away x is.
//!
//! For the exponential kernel log g = log Σ_j exp(log c_j − γ‖x − u_j‖^q), with the largest term taken out first. The
//! t-Student kernel falls with a power and needs no such care.

use crate::expansion::Expansion;
use base::{Error, Family, Points, Result, Run};
use numeric::each_chunk_mut;

/// Rows computed in one go.
const ROWS: usize = 256;

/// log g for each row; the kernel must be radial and the coefficients positive.
pub(crate) fn log_density(machine: &Expansion, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
    let (n, m) = (points.len(), machine.centres().len());
    let Some(family) = machine.kernel().radial() else {
        return Err(Error::unsupported("outlierness", "this kernel", "use a radial kernel"));
    };
    let against = machine.against(run)?;
    let logs: Vec<f64> = machine.coefficients().iter().map(|c| c.ln()).collect();
    let rows = ROWS.min(n.max(1));
    let (mut squares, _hold) = run.memory.filled(rows.saturating_mul(m), 0.0, "distances")?;
    let mut out = vec![0.0; n];
    for start in (0..n).step_by(rows) {
        let block = points.slice(start..n.min(start + rows));
        let squares = &mut squares[..block.len() * m];
        against.squared_distances(&block, squares, run)?;
        let out = &mut out[start..start + block.len()];
        let mut pairs: Vec<(&mut f64, &mut [f64])> = out.iter_mut().zip(squares.chunks_exact_mut(m)).collect();
        each_chunk_mut(run, &mut pairs, 16, |_, pairs| {
            pairs.iter_mut().for_each(|(out, line)| **out = log_sum(family, &logs, line));
            Ok(())
        })?;
    }
    Ok(out)
}

/// log Σ_j c_j k_j from squared distances, which become the shares of the terms.
pub(crate) fn log_sum(family: Family, logs: &[f64], squares: &mut [f64]) -> f64 {
    match family {
        Family::Exponential { gamma, q } => {
            for (s, log) in squares.iter_mut().zip(logs) {
                *s = log - gamma * if q == 2.0 { *s } else { s.powf(0.5 * q) };
            }
        }
        Family::Student { a, gamma, q } => {
            for (s, log) in squares.iter_mut().zip(logs) {
                *s = log - (a + gamma * if q == 2.0 { *s } else { s.powf(0.5 * q) }).ln();
            }
        }
    }
    let top = squares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    squares.iter_mut().for_each(|s| *s -= top);
    numeric::exp(squares);
    let sum: f64 = squares.iter().sum();
    squares.iter_mut().for_each(|s| *s /= sum);
    top + sum.ln()
}
