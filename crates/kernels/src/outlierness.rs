//! The logarithm of a density g(x) = Σ_j c_j k(x, u_j), finite however far away x is.
//!
//! The sum of each row is that of [`RadialKernel::log_sum_by`], with the largest term taken out; here it is fed with blocks
//! of distances to the centres.
//!
//! **Cost.** One product for the distances, 2·m·d operations a row, and m exponentials; 256 x m numbers.

use crate::expansion::Expansion;
use base::{Error, Points, Result, Run};
use density::RadialKernel;
use numeric::each_chunk_mut;

/// Rows computed in one go.
const ROWS: usize = 256;

/// log g for each row; the kernel must be radial and the coefficients positive.
pub(crate) fn log_density(machine: &Expansion, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
    let (n, m) = (points.len(), machine.centres().len());
    let Some(radial) = machine.kernel().radial() else {
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
            pairs.iter_mut().for_each(|(out, line)| **out = log_sum(radial, &logs, line));
            Ok(())
        })?;
    }
    Ok(out)
}

/// log Σ_j c_j k_j from squared distances, which become the fractions of the terms.
pub(crate) fn log_sum(radial: RadialKernel, logs: &[f64], squares: &mut [f64]) -> f64 {
    radial.log_sum_by(logs, squares, |values| values.iter_mut().for_each(|x| *x = x.ln()))
}
