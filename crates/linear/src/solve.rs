//! The two ways to write the solution of a least-squares problem with penalty γ ≥ 0, by Cholesky.
//!
//! (XᵀX + γI)⁻¹ XᵀY = Xᵀ (X Xᵀ + γI)⁻¹ Y: the first system is as large as there are columns, the second as there are
//! rows. With γ = 0 they are the left and the right pseudo-inverse, where these exist.

use crate::design::{Design, transposed};
use base::{Result, Run};
use numeric::{Cholesky, Mat, MatMut, gram, product};

/// (XᵀX + γI)⁻¹ XᵀY as values x columns, with the factor.
pub fn primal(design: &Design, gamma: f64, run: &Run<'_>) -> Result<(Vec<f64>, Cholesky<f64>)> {
    let (n, d, k) = (design.n, design.d, design.k);
    let x = Mat::new(&design.x, n, d)?;
    let (mut squares, _hold) = run.memory.filled(d.saturating_mul(d), 0.0, "XᵀX")?;
    gram(run, x, MatMut::new(&mut squares, d, d)?)?;
    (0..d).for_each(|i| squares[i * d + i] += gamma);
    let factor = Cholesky::new(run, Mat::new(&squares, d, d)?)?;
    let mut solution = vec![0.0; d * k];
    product(run, x.transposed(), Mat::new(&design.y, n, k)?, MatMut::new(&mut solution, d, k)?, 1.0, false)?;
    factor.solve(run, MatMut::new(&mut solution, d, k)?)?;
    Ok((transposed(&solution, d, k), factor))
}

/// Xᵀ (X Xᵀ + γI)⁻¹ Y as values x columns.
pub fn dual(design: &Design, gamma: f64, run: &Run<'_>) -> Result<Vec<f64>> {
    let (n, d, k) = (design.n, design.d, design.k);
    let x = Mat::new(&design.x, n, d)?;
    let (mut squares, _hold) = run.memory.filled(n.saturating_mul(n), 0.0, "XXᵀ")?;
    gram(run, x.transposed(), MatMut::new(&mut squares, n, n)?)?;
    if gamma == 0.0 {
        design.fill_mean_direction(&mut squares);
    }
    (0..n).for_each(|i| squares[i * n + i] += gamma);
    let factor = Cholesky::new(run, Mat::new(&squares, n, n)?)?;
    let mut multipliers = design.y.clone();
    factor.solve(run, MatMut::new(&mut multipliers, n, k)?)?;
    let mut solution = vec![0.0; d * k];
    product(run, x.transposed(), Mat::new(&multipliers, n, k)?, MatMut::new(&mut solution, d, k)?, 1.0, false)?;
    Ok(transposed(&solution, d, k))
}
