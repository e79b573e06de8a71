//! The kernel matrix of a fit, in the precision that serves.

use crate::function::Digits;
use crate::kernel::Kernel;
use crate::rows::Rows;
use crate::settings::{Precision, SolverSettings};
use crate::solve::{Problem, Solution, Until, solve};
use crate::source::{Source, single_will_do};
use base::{Certificate, Gap, Points, Result, Run};
use std::ops::Range;

/// Up to so many rows the kernel is held in double precision unless asked otherwise.
const FEW: usize = 4096;

/// A duality gap beyond this fraction of the objective is worth a warning.
const LOOSE: f64 = 0.1;
/// Objectives below this fraction of the sizes of their parts are 0 for most purposes.
const NOTHING: f64 = 1e-5;

/// Rows of kernel values, in single or double precision.
pub(crate) enum Matrix {
    Single(Rows<f32>),
    Double(Rows<f64>),
}

impl Matrix {
    /// The kernel between training rows, whose columns are cut into segments; `order` says which row of the data each
    /// was, for kernels that come as a matrix.
    pub fn new(
        kernel: &Kernel,
        points: &Points,
        segments: Vec<Range<usize>>,
        order: &[usize],
        settings: &SolverSettings,
        run: &Run<'_>,
    ) -> Result<Self> {
        let asked = (settings.cache as u64).saturating_mul(1 << 20);
        let double = match settings.precision {
            Precision::Auto => points.len() <= FEW || !single_will_do(kernel, points),
            Precision::Single => false,
            Precision::Double => true,
        };
        // Some memory stays for what is being computed.
        let budget = asked.min(run.memory.free() / 2);
        Ok(match double {
            true => {
                Matrix::Double(Rows::new(Source::new(kernel, points, segments, order, run)?, budget).for_many(run)?)
            }
            false => {
                Matrix::Single(Rows::new(Source::new(kernel, points, segments, order, run)?, budget).for_many(run)?)
            }
        })
    }

    /// k(x_i, x_i) of all rows.
    pub fn diagonal(&self) -> &[f64] {
        match self {
            Matrix::Single(rows) => rows.diagonal(),
            Matrix::Double(rows) => rows.diagonal(),
        }
    }

    /// The mean of some rows of a matrix whose columns are one segment; nothing is kept.
    pub fn mean_of(&self, ids: &[u32], run: &Run<'_>) -> Result<Vec<f64>> {
        match self {
            Matrix::Single(rows) => mean_of(rows, ids, run),
            Matrix::Double(rows) => mean_of(rows, ids, run),
        }
    }

    /// Solves a problem over these rows.
    pub fn solve(&self, problem: &Problem, until: Until, run: &Run<'_>) -> Result<Solution> {
        match self {
            Matrix::Single(rows) => solve(rows, problem, until, run),
            Matrix::Double(rows) => solve(rows, problem, until, run),
        }
    }
}

fn mean_of<T: Digits>(rows: &Rows<T>, ids: &[u32], run: &Run<'_>) -> Result<Vec<f64>> {
    let columns: Vec<u32> = (0..rows.diagonal().len() as u32).collect();
    let _hold = run.memory.take_for::<T>(ids.len().saturating_mul(columns.len()), "kernel values of a few rows")?;
    let mut mean = vec![0.0; columns.len()];
    for row in rows.among(ids, &columns, run)? {
        mean.iter_mut().zip(&row).for_each(|(m, k)| *m += k.wide() / ids.len() as f64);
    }
    Ok(mean)
}

/// All columns as one segment.
pub(crate) fn whole(rows: usize) -> Vec<Range<usize>> {
    std::iter::once(0..rows).collect()
}

impl SolverSettings {
    /// When to stop.
    pub(crate) fn until(&self) -> Until {
        Until { tolerance: self.tolerance, steps: self.steps as u64 }
    }
}

/// What solutions say of themselves, together.
pub(crate) fn certificate(solutions: &[&Solution], kernel: &Kernel) -> Certificate {
    let sum = |f: fn(&Solution) -> f64| solutions.iter().map(|s| f(s)).sum::<f64>();
    let violation = solutions.iter().map(|s| s.violation).fold(0.0, f64::max);
    let interrupted = solutions.iter().any(|s| s.interrupted);
    let mut certificate = Certificate {
        converged: solutions.iter().all(|s| s.converged),
        interrupted,
        steps: solutions.iter().map(|s| s.steps).sum(),
        objective: Some(sum(|s| s.objective)),
        gap: match kernel.positive_definite() {
            true if !sum(|s| s.gap).is_finite() => Gap::Unknown,
            true => Gap::Duality(sum(|s| s.gap)),
            false => Gap::Stationary(violation),
        },
        ..Default::default()
    };
    certificate.fact("largest violation", violation);
    if certificate.gap == Gap::Unknown && certificate.converged {
        certificate.converged = false;
        certificate.warn("the duality gap overflows: scale the columns, the weights and c");
    }
    if let Gap::Duality(gap) = certificate.gap {
        // An optimum of 0 is possible (a hull around the origin): then rounding is measured by the parts of the sum.
        let scale = sum(|s| s.objective).abs().max(NOTHING * sum(|s| s.energy));
        let relative = if gap <= 0.0 { 0.0 } else { gap / scale };
        if relative.is_finite() {
            certificate.fact("relative duality gap", relative);
        }
        // Small violations of many rows with large bounds add up: the stopping rule alone would not tell.
        if certificate.converged && (relative > LOOSE || relative.is_nan()) {
            certificate.converged = relative <= 1.0;
            let beside =
                if relative < 10.0 { format!("{:.0} % of", 100.0 * relative) } else { format!("{relative:.1e} times") };
            certificate.warn(format!(
                "no row violates the conditions by more than {violation:.1e}, but the duality gap of {gap:.1e} is {beside} \
                 the objective: lower tolerance, or scale the columns, the weights and c"
            ));
        }
    }
    if !solutions.iter().all(|s| s.converged) && !interrupted {
        certificate.warn(format!(
            "stopped at a violation of {violation:.3e}, above the tolerance: raise steps, or scale the columns"
        ));
    }
    certificate
}
