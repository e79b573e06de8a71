//! Kernels that fall with the distance r = ‖x − u‖, and what one row of squared distances to support points becomes: log g,
//! outlierness, and what each support point has of it.
//!
//! With h_j the strangeness seen from support point j and p = softmax(−h) or h⁻¹/Σh⁻¹, outlierness is the soft minimum
//!
//! | kernel | h_j | o | what comes from the distance, Δ_j |
//! |---|---|---|---|
//! | exp(−γ r^q) | γ r_j^q − log α_j | −log Σ exp(−h) | p_j · min(o, γ r_j^q) |
//! | 1/(a + γ r^q) | (a + γ r_j^q) / α_j | m / Σ 1/h | p_j · o · γ r_j^q / (a + γ r_j^q) |
//!
//! and R_j = p_j · o. Everything is in logarithms: terms log(α_j k_j) with the largest taken out, so that nothing
//! vanishes far away.
//!
//! **Cost.** One power and one exponential a support point.
//! Source: J. Kauffmann, K.-R. Müller, G. Montavon: *Towards explaining anomalies: a deep Taylor decomposition of
//! one-class models.* Pattern Recognition 101, 2020.

use base::{Error, Result};

/// A kernel that falls with the distance r = ‖x − u‖.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RadialKernel {
    /// exp(−γ r^q).
    Exponential {
        /// γ.
        gamma: f64,
        /// q.
        q: f64,
    },
    /// 1 / (a + γ r^q).
    Student {
        /// a.
        a: f64,
        /// γ.
        gamma: f64,
        /// q.
        q: f64,
    },
}

/// s^(q/2) of a squared distance s.
fn power(square: f64, q: f64) -> f64 {
    match q {
        2.0 => square,
        1.0 => square.sqrt(),
        4.0 => square * square,
        q => square.powf(0.5 * q),
    }
}

impl RadialKernel {
    /// The power of the distance.
    pub fn q(self) -> f64 {
        match self {
            RadialKernel::Exponential { q, .. } | RadialKernel::Student { q, .. } => q,
        }
    }

    /// The factor of the distance's power.
    pub fn gamma(self) -> f64 {
        match self {
            RadialKernel::Exponential { gamma, .. } | RadialKernel::Student { gamma, .. } => gamma,
        }
    }

    /// Refuses numbers that are not above 0 and finite.
    pub(crate) fn check(self) -> Result<()> {
        let numbers = match self {
            RadialKernel::Exponential { gamma, q } => [gamma, q, 1.0],
            RadialKernel::Student { a, gamma, q } => [gamma, q, a],
        };
        match numbers.iter().all(|x| *x > 0.0 && x.is_finite()) {
            true => Ok(()),
            false => Err(Error::parameter("kernel", format!("{self:?}"), "its numbers must be above 0 and finite")),
        }
    }

    /// Squared distances become the fractions p_j that the terms have of g; answers with log g. `logs` are log α_j.
    pub fn log_sum(self, logs: &[f64], squares: &mut [f64]) -> f64 {
        self.log_sum_by(logs, squares, numeric::log)
    }

    /// The same with another logarithm: scores of stored detectors are made with the standard one, and keep their bits.
    pub fn log_sum_by(self, logs: &[f64], squares: &mut [f64], logarithm: impl Fn(&mut [f64])) -> f64 {
        let pairs = squares.iter_mut().zip(logs);
        match self {
            RadialKernel::Exponential { gamma, q } => pairs.for_each(|(s, log)| *s = log - gamma * power(*s, q)),
            RadialKernel::Student { a, gamma, q } => {
                squares.iter_mut().for_each(|s| *s = a + gamma * power(*s, q));
                logarithm(squares);
                squares.iter_mut().zip(logs).for_each(|(s, log)| *s = log - *s);
            }
        }
        let top = squares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        squares.iter_mut().for_each(|s| *s -= top);
        numeric::exp(squares);
        let sum: f64 = squares.iter().sum();
        squares.iter_mut().for_each(|s| *s /= sum);
        top + sum.ln()
    }

    /// Outlierness of log g; `m` is the number of support points.
    pub(crate) fn outlierness(self, m: usize, log_density: f64) -> f64 {
        match self {
            // g is at most 1; rounding may say a little more. What is not a number stays so, to be refused.
            RadialKernel::Exponential { .. } if log_density > 0.0 => 0.0,
            RadialKernel::Exponential { .. } => -log_density,
            RadialKernel::Student { .. } => ((m as f64).ln() - log_density).exp(),
        }
    }

    /// What of R_j = p_j · o comes from the distance: Δ_j.
    pub(crate) fn explained(self, fraction: f64, outlierness: f64, square: f64) -> f64 {
        match self {
            RadialKernel::Exponential { gamma, q } => fraction * outlierness.min(gamma * power(square, q)),
            RadialKernel::Student { a, gamma, q } => {
                let far = gamma * power(square, q);
                fraction * outlierness * (far / (a + far))
            }
        }
    }

    /// The factor of (x − u_j) in the gradient of outlierness; 0 at the support point itself.
    pub(crate) fn slope(self, fraction: f64, outlierness: f64, square: f64) -> f64 {
        if square == 0.0 {
            return 0.0;
        }
        let far = power(square, self.q());
        match self {
            RadialKernel::Exponential { gamma, q } => fraction * gamma * q * (far / square),
            RadialKernel::Student { a, gamma, q } => {
                fraction * outlierness * gamma * q * (far / square) / (a + gamma * far)
            }
        }
    }
}
