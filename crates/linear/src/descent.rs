//! Coordinate descent for least squares with an L1 and an L2 penalty.
//!
//! Minimises P(w) = ½‖y − Xw‖² + λ₁‖w‖₁ + ½λ₂‖w‖², one coordinate after the other:
//! w_j ← S(x_j·r + ‖x_j‖² w_j, λ₁) / (‖x_j‖² + λ₂) with r = y − Xw and S(z, λ) = sign(z) max(|z| − λ, 0).
//! Sweeps over all coordinates alternate with sweeps over those that are not 0. Stops by the duality gap: with
//! g = Xᵀr − λ₂w and c = min(1, λ₁/max|g|) the point c·r is feasible in the dual of the problem with λ₂ written as
//! further rows, and P exceeds its minimum by at most ½(1 + c²)‖r‖² − c r·y + λ₁‖w‖₁ + ½λ₂(1 + c²)‖w‖².
//! The same gap shows coordinates that are 0 in every solution; they are left out from then on. Once signs have settled the
//! solution is written down exactly: (X_AᵀX_A + λ₂I) w_A = X_Aᵀy − λ₁ sign(w_A) over the coordinates A that are not 0.
//!
//! **Cost.** O(rows) a coordinate, or O(columns) where XᵀX is written out.
//!
//! - J. Friedman, T. Hastie, R. Tibshirani: *Regularization paths for generalized linear models via coordinate
//!   descent.* J. Stat. Softw. 33 (2010).
//! - E. Ndiaye, O. Fercoq, A. Gramfort, J. Salmon: *Gap safe screening rules for sparsity enforcing penalties.*
//!   JMLR 18 (2017).

use crate::equations::Equations;
use base::{Error, Progress, Result, Run};
use numeric::{Cholesky, Mat, MatMut};

/// The penalties, and when to stop.
#[derive(Debug, Clone, Copy)]
pub struct Aim {
    /// λ₁ > 0.
    pub l1: f64,
    /// λ₂ ≥ 0.
    pub l2: f64,
    /// Largest gap, relative to P(0) = ½‖y‖².
    pub tolerance: f64,
    /// Sweeps at most.
    pub sweeps: usize,
}

/// Where the descent ended.
pub struct Ended {
    /// P(w).
    pub objective: f64,
    /// How far P(w) is from its minimum at most.
    pub gap: f64,
    /// Sweeps taken.
    pub sweeps: usize,
    /// Whether the gap is as small as asked.
    pub converged: bool,
    /// Whether the observer or time ended it.
    pub interrupted: bool,
}

/// Sweeps over coordinates that are not 0 before all are looked at again.
const INNER: usize = 50;
/// Numbers passed over between two looks at the watch.
const LOOK: usize = 1 << 24;

/// Minimises from `w` on, in place.
pub fn descend(equations: &mut Equations, w: &mut [f64], aim: &Aim, run: &Run<'_>) -> Result<Ended> {
    let d = w.len();
    equations.start(w);
    let target = aim.tolerance * 0.5 * equations.target_square();
    let mut candidates: Vec<usize> = (0..d).filter(|&j| equations.square(j) > 0.0).collect();
    (0..d).filter(|&j| equations.square(j) <= 0.0).for_each(|j| w[j] = 0.0);
    let mut tried: Vec<(usize, bool)> = vec![];
    let mut sweeps = 0;
    loop {
        let (objective, gap, slopes) = judge(equations, w, aim);
        let ended = |converged: bool, interrupted: bool| Ended { objective, gap, sweeps, converged, interrupted };
        if gap <= target {
            return Ok(ended(true, false));
        }
        let progress = Progress { value: Some(gap), ..Progress::of("sweeps", sweeps as u64, aim.sweeps as u64) };
        if run.step(&progress)? {
            return Ok(ended(false, true));
        }
        if sweeps >= aim.sweeps {
            return Ok(ended(false, false));
        }
        screen(equations, w, &mut candidates, &slopes, gap, aim);

        let signs: Vec<(usize, bool)> = (0..d).filter(|&j| w[j] != 0.0).map(|j| (j, w[j] > 0.0)).collect();
        let quick = signs.len() * signs.len() <= 100 * d + 4096;
        if sweeps > 0 && quick && !signs.is_empty() && signs != tried && finish(equations, w, &signs, aim, run)? {
            tried = signs;
            // All coordinates get a chance to answer before the gap is taken again.
            sweep(equations, w, &candidates, aim, run)?;
            sweeps += 1;
            continue;
        }
        let first = sweep(equations, w, &candidates, aim, run)?;
        sweeps += 1;
        let active: Vec<usize> = candidates.iter().copied().filter(|&j| w[j] != 0.0).collect();
        for _ in 0..INNER {
            let change = sweep(equations, w, &active, aim, run)?;
            sweeps += 1;
            if change <= 0.01 * first || sweeps >= aim.sweeps || run.is_enough()? {
                break;
            }
        }
    }
}

/// One pass over some coordinates, or less if it is enough; the largest ‖x_j‖ |change of w_j|.
fn sweep(equations: &mut Equations, w: &mut [f64], coordinates: &[usize], aim: &Aim, run: &Run<'_>) -> Result<f64> {
    let mut largest = 0.0f64;
    let every = (LOOK / equations.rows().max(1)).max(1);
    for (at, &j) in coordinates.iter().enumerate() {
        if at % every == every - 1 && run.is_enough()? {
            break;
        }
        let square = equations.square(j);
        let pull = equations.slope(j) + square * w[j];
        let next = shrink(pull, aim.l1) / (square + aim.l2);
        let change = next - w[j];
        if change != 0.0 {
            equations.step(j, change);
            w[j] = next;
            largest = largest.max(change.abs() * square.sqrt());
        }
    }
    Ok(largest)
}

/// S(z, λ).
fn shrink(z: f64, lambda: f64) -> f64 {
    if z > lambda {
        z - lambda
    } else if z < -lambda {
        z + lambda
    } else {
        0.0
    }
}

/// P(w), the gap and c·g, the slopes of the dual point.
fn judge(equations: &Equations, w: &[f64], aim: &Aim) -> (f64, f64, Vec<f64>) {
    let (residual, along) = equations.residual(w);
    let mut slopes: Vec<f64> = (0..w.len()).map(|j| equations.slope(j) - aim.l2 * w[j]).collect();
    let steepest = slopes.iter().fold(0.0f64, |m, g| m.max(g.abs()));
    let c = if steepest > aim.l1 { aim.l1 / steepest } else { 1.0 };
    let (ones, squares) = w.iter().fold((0.0, 0.0), |(a, b), w| (a + w.abs(), b + w * w));
    let objective = 0.5 * residual + aim.l1 * ones + 0.5 * aim.l2 * squares;
    let gap = 0.5 * (1.0 + c * c) * residual - c * along + aim.l1 * ones + 0.5 * aim.l2 * (1.0 + c * c) * squares;
    slopes.iter_mut().for_each(|g| *g *= c);
    (objective, gap.max(0.0), slopes)
}

/// Leaves out coordinates that are 0 in every solution: |c g_j| + ‖x_j‖ √(2 gap) < λ₁.
fn screen(equations: &mut Equations, w: &mut [f64], rest: &mut Vec<usize>, slopes: &[f64], gap: f64, aim: &Aim) {
    let radius = (2.0 * gap).sqrt();
    rest.retain(|&j| {
        // The bound is widened a little, for rounding.
        let stays = slopes[j].abs() + (equations.square(j) + aim.l2).sqrt() * radius >= aim.l1 * (1.0 - 1e-9);
        if !stays && w[j] != 0.0 {
            equations.step(j, -w[j]);
            w[j] = 0.0;
        }
        stays
    });
}

/// Writes down the minimum over weights of these signs, if the equations have one that keeps them.
fn finish(equations: &mut Equations, w: &mut [f64], signs: &[(usize, bool)], aim: &Aim, run: &Run<'_>) -> Result<bool> {
    let (a, ids) = (signs.len(), signs.iter().map(|s| s.0).collect::<Vec<_>>());
    let (mut squares, _hold) = run.memory.filled(a.saturating_mul(a), 0.0, "XᵀX of the active columns")?;
    match equations.products(&ids, &mut squares, run) {
        // The sweeps so far are kept.
        Err(Error::Stopped { .. }) => return Ok(false),
        other => other?,
    }
    (0..a).for_each(|i| squares[i * a + i] += aim.l2);
    let factor = match Cholesky::new(run, Mat::new(&squares, a, a)?) {
        Err(Error::Data { .. } | Error::Stopped { .. }) => return Ok(false),
        other => other?,
    };
    // Newton's step from here: the equations of the minimum are linear while signs stay.
    let sign = |positive: bool| if positive { aim.l1 } else { -aim.l1 };
    let mut step: Vec<f64> =
        signs.iter().map(|&(j, positive)| equations.slope(j) - aim.l2 * w[j] - sign(positive)).collect();
    factor.solve(&run.finishing(), MatMut::new(&mut step, a, 1)?)?;
    if signs.iter().zip(&step).any(|(&(j, positive), s)| !(w[j] + s).is_finite() || (w[j] + s > 0.0) != positive) {
        return Ok(false);
    }
    for (&j, &s) in ids.iter().zip(&step) {
        equations.step(j, s);
        w[j] += s;
    }
    Ok(true)
}
