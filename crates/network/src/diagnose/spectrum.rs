//! The largest and the smallest eigenvalue of the Hessian of a cost, by Lanczos' iteration.
//!
//! Products H v build an orthonormal basis of the Krylov space in which H is tridiagonal, T = QᵀHQ; the extreme
//! eigenvalues θ of T approach those of H from inside, usually long before the space is full. Each new vector is made
//! orthogonal to all others twice, so that no eigenvalue appears as its own ghost. For a symmetric H an eigenvalue lies
//! within ‖Hu − θu‖ of θ; this residual is measured with a product of its own and returned.
//!
//! **Cost.** One product and O(n m) arithmetic a step, m n numbers, m steps.
//! **Limits.** A start that is exactly orthogonal to an eigenvector does not see it; the start is drawn, so that happens
//! with probability 0 and multiplicities are not counted.
//!
//! - C. Lanczos: *An iteration method for the solution of the eigenvalue problem.* J. Res. Nat. Bur. Stand. 45 (1950).

use super::hessian_times;
use base::{Error, Progress, Result, Run, normal};
use numeric::{Mat, Objective, add_scaled, dot, eigen};

/// An eigenvalue at the edge of the spectrum.
#[derive(Debug, Clone, PartialEq)]
pub struct SpectrumEdge {
    /// The eigenvalue.
    pub value: f64,
    /// Its eigenvector, of unit length.
    pub vector: Vec<f64>,
    /// ‖Hu − θu‖: an eigenvalue is at most so far away.
    pub residual: f64,
}

/// Both edges of a spectrum.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// The largest eigenvalue, ρ_max.
    pub largest: SpectrumEdge,
    /// The smallest; negative where the point is no minimum.
    pub smallest: SpectrumEdge,
    /// Products used, besides those that measure the residuals.
    pub steps: usize,
    /// Whether both residuals are at most the tolerance times the largest size of an eigenvalue.
    pub converged: bool,
}

/// The edges of the Hessian's spectrum at a point, in `steps` products at most; the start is drawn from the run's seed.
pub fn spectrum(
    objective: &mut dyn Objective,
    at: &[f64],
    (tolerance, steps): (f64, usize),
    run: &Run<'_>,
) -> Result<Spectrum> {
    let n = at.len();
    let most = steps.min(n);
    if most == 0 {
        return Err(Error::size("parameters and steps", "at least 1", 0));
    }
    let _hold = run.memory.take_for::<f64>(n.saturating_mul(most.saturating_add(4)), "a Krylov space")?;
    let mut stream = run.seed.fork("lanczos").stream();
    let mut next: Vec<f64> = (0..n).map(|_| normal(&mut stream)).collect();
    let mut norm = dot(&next, &next).sqrt();
    let mut basis: Vec<Vec<f64>> = vec![];
    let (mut diagonal, mut beside) = (vec![], vec![]);
    let mut edges = (vec![], vec![]);
    while basis.len() < most {
        run.report(&Progress::of("spectrum", basis.len() as u64, most as u64))?;
        next.iter_mut().for_each(|x| *x /= norm);
        basis.push(next);
        let last = &basis[basis.len() - 1];
        next = vec![0.0; n];
        hessian_times(objective, at, last, &mut next)?;
        diagonal.push(dot(last, &next));
        for _ in 0..2 {
            for q in &basis {
                let along = dot(q, &next);
                add_scaled(&mut next, -along, q);
            }
        }
        norm = dot(&next, &next).sqrt();
        let (values, low, high) = tridiagonal(&diagonal, &beside, run)?;
        let scale = values[0].abs().max(values[values.len() - 1].abs());
        let left = norm * low[low.len() - 1].abs().max(high[high.len() - 1].abs());
        edges = (low, high);
        // Rounding of the products leaves this much even where the space is complete.
        if left <= tolerance * scale || norm <= 1e-13 * scale {
            break;
        }
        beside.push(norm);
    }
    let mut edge = |weights: &[f64]| -> Result<SpectrumEdge> {
        let mut vector = vec![0.0; n];
        basis.iter().zip(weights).for_each(|(q, w)| add_scaled(&mut vector, *w, q));
        let mut image = vec![0.0; n];
        hessian_times(objective, at, &vector, &mut image)?;
        let value = dot(&vector, &image) / dot(&vector, &vector);
        add_scaled(&mut image, -value, &vector);
        Ok(SpectrumEdge { value, residual: dot(&image, &image).sqrt(), vector })
    };
    let (smallest, largest) = (edge(&edges.0)?, edge(&edges.1)?);
    let scale = smallest.value.abs().max(largest.value.abs());
    let worst = smallest.residual.max(largest.residual);
    Ok(Spectrum { converged: worst <= tolerance * scale, steps: basis.len(), largest, smallest })
}

/// Eigenvalues of a tridiagonal matrix, ascending, and the eigenvectors of the first and the last.
fn tridiagonal(diagonal: &[f64], beside: &[f64], run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>, Vec<f64>)> {
    let m = diagonal.len();
    let mut matrix = vec![0.0; m * m];
    (0..m).for_each(|i| matrix[i * m + i] = diagonal[i]);
    (1..m).for_each(|i| matrix[i * m + i - 1] = beside[i - 1]);
    let found = eigen(run, Mat::new(&matrix, m, m)?)?;
    let column = |c: usize| (0..m).map(|i| found.vectors[i * m + c]).collect();
    Ok((found.values.clone(), column(0), column(m - 1)))
}
