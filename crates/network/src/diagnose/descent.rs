//! Gradient descent with a constant rate, and the three ways it can go.
//!
//! Near a minimum W* with Hessian eigenvalues ρ_i > 0 and eigenvectors u_i the distance is
//! W(t) − W* = Σ c_i (1 − ηρ_i)ᵗ u_i: each component shrinks smoothly if ηρ_i ≤ 1, changes its sign at every step if
//! 1 < ηρ_i < 2, and does not shrink from ηρ_i = 2 on. The largest eigenvalue decides.
//!
//! - M. Biehl: *The Shallow and the Deep.* 2023, sections 5.2.3 and A.5.

use base::{Error, Progress, Result, Run};
use numeric::{Objective, add_scaled, dot};

base::choices! {
    /// What gradient descent does along the steepest direction of a minimum.
    pub enum Regime {
        /// Comes closer from one side: η ≤ 1/ρ.
        Smooth = "smooth",
        /// Comes closer, from side to side: 1/ρ < η < 2/ρ.
        Oscillating = "oscillating",
        /// Does not come closer: η ≥ 2/ρ.
        Divergent = "divergent",
    }
}

impl Regime {
    /// What the theory says of a rate η where the largest eigenvalue is ρ > 0.
    pub fn expected(rate: f64, largest: f64) -> Result<Regime> {
        if !(largest > 0.0 && largest.is_finite()) {
            return Err(Error::parameter("largest eigenvalue", largest, "must be greater than 0, as at a minimum"));
        }
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(Error::parameter("rate", rate, "must be greater than 0"));
        }
        Ok(match rate * largest {
            x if x <= 1.0 => Regime::Smooth,
            x if x < 2.0 => Regime::Oscillating,
            _ => Regime::Divergent,
        })
    }

    /// What a sequence of signed distances shows; none if it is too short or comes so close that rounding rules.
    pub fn seen(offsets: &[f64]) -> Option<Regime> {
        let (first, last) = (*offsets.first()?, *offsets.last()?);
        if offsets.len() < 3 || first == 0.0 {
            return None;
        }
        if !last.is_finite() || last.abs() >= first.abs() {
            return Some(Regime::Divergent);
        }
        let large: Vec<f64> = offsets.iter().copied().take_while(|x| x.abs() > 1e-9 * first.abs()).collect();
        let turns = large.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count();
        match large.len() {
            0 | 1 => None,
            _ if turns == 0 => Some(Regime::Smooth),
            n if 2 * turns >= n - 1 => Some(Regime::Oscillating),
            _ => None,
        }
    }
}

/// The way of a descent.
#[derive(Debug, Clone, PartialEq)]
pub struct Descent {
    /// The cost before each step, and after the last.
    pub costs: Vec<f64>,
    /// The component of W(t) − W* along the direction asked for, at the same times.
    pub offsets: Vec<f64>,
    /// Where it ended.
    pub point: Vec<f64>,
}

/// W ← W − η∇E(W), `steps` times; `along` is a minimum W* and the direction in which the distance to it is measured.
///
/// A descent whose cost is no longer finite ends there.
pub fn descend(
    objective: &mut dyn Objective,
    start: &[f64],
    (rate, steps): (f64, usize),
    along: (&[f64], &[f64]),
    run: &Run<'_>,
) -> Result<Descent> {
    let n = start.len();
    if along.0.len() != n || along.1.len() != n {
        return Err(Error::size("components of the minimum and the direction", n, along.0.len().min(along.1.len())));
    }
    let (mut point, mut gradient) = (start.to_vec(), vec![0.0; n]);
    let (mut costs, mut offsets) = (vec![], vec![]);
    for t in 0..=steps {
        run.report(&Progress::of("descent", t as u64, steps as u64))?;
        costs.push(objective.value_and_gradient(&point, &mut gradient)?);
        offsets.push(dot(along.1, &point) - dot(along.1, along.0));
        if t == steps || !costs[t].is_finite() {
            break;
        }
        add_scaled(&mut point, -rate, &gradient);
    }
    Ok(Descent { costs, offsets, point })
}
