//! Second derivatives of a cost, by differences of its gradients.
//!
//! H v = (8 (g(W + hv) − g(W − hv)) − (g(W + 2hv) − g(W − 2hv))) / 12h, whose error is O(h⁴) in the function and ε/h in
//! the arithmetic; h = ε^(1/5) of the scale of W balances them, and leaves some twelve digits where the cost is smooth.
//! At kinks (ReLU) there is no second derivative; away from them the formula sees the smooth piece if no kink lies
//! within 2h.
//!
//! **Cost.** Four gradients for a product, 4n for the full matrix of n² numbers or its diagonal.

use base::{Error, Hold, Progress, Result, Run};
use numeric::Objective;

/// H v at `at`, written to `out`.
pub fn hessian_times(objective: &mut dyn Objective, at: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
    let n = at.len();
    if v.len() != n || out.len() != n {
        return Err(Error::size("components of a direction", n, v.len().min(out.len())));
    }
    let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let length = largest(v);
    out.fill(0.0);
    if length == 0.0 {
        return Ok(());
    }
    let h = f64::EPSILON.powf(0.2) * largest(at).max(1.0) / length;
    let (mut point, mut gradient) = (vec![0.0; n], vec![0.0; n]);
    for (step, weight) in [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)] {
        point.iter_mut().zip(at).zip(v).for_each(|((p, a), v)| *p = a + step * h * v);
        objective.value_and_gradient(&point, &mut gradient)?;
        numeric::add_scaled(out, weight / (12.0 * h), &gradient);
    }
    Ok(())
}

/// The full matrix of second derivatives, n x n, made exactly symmetric; counted while the hold lives.
pub fn hessian(objective: &mut dyn Objective, at: &[f64], run: &Run<'_>) -> Result<(Vec<f64>, Hold)> {
    let n = at.len();
    let (mut matrix, hold) = run.memory.filled(n.saturating_mul(n), 0.0, "second derivatives")?;
    for (i, row) in matrix.chunks_exact_mut(n.max(1)).enumerate() {
        unit(objective, at, i, row, run)?;
    }
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (matrix[i * n + j] + matrix[j * n + i]);
            (matrix[i * n + j], matrix[j * n + i]) = (mean, mean);
        }
    }
    Ok((matrix, hold))
}

/// The diagonal alone, in O(n) memory.
pub fn hessian_diagonal(objective: &mut dyn Objective, at: &[f64], run: &Run<'_>) -> Result<Vec<f64>> {
    let mut row = vec![0.0; at.len()];
    let element = |i: usize| unit(objective, at, i, &mut row, run).map(|()| row[i]);
    (0..at.len()).map(element).collect()
}

/// The i-th row.
fn unit(objective: &mut dyn Objective, at: &[f64], i: usize, out: &mut [f64], run: &Run<'_>) -> Result<()> {
    run.report(&Progress::of("curvature", i as u64, at.len() as u64))?;
    let mut direction = vec![0.0; at.len()];
    direction[i] = 1.0;
    hessian_times(objective, at, &direction, out)
}
