//! One row of squared distances becomes outlierness and what each support point has of it.
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
//! Source: J. Kauffmann, K.-R. Müller, G. Montavon: *Towards explaining anomalies: a deep Taylor decomposition of
//! one-class models.* Pattern Recognition 101, 2020.

use base::Family;

/// s^(q/2) of a squared distance s.
pub(crate) fn power(square: f64, q: f64) -> f64 {
    match q {
        2.0 => square,
        1.0 => square.sqrt(),
        4.0 => square * square,
        q => square.powf(0.5 * q),
    }
}

/// Squared distances become the shares p_j; answers with log g.
pub(crate) fn shares(family: Family, logs: &[f64], squares: &mut [f64]) -> f64 {
    let pairs = squares.iter_mut().zip(logs);
    match family {
        Family::Exponential { gamma, q } => pairs.for_each(|(s, log)| *s = log - gamma * power(*s, q)),
        Family::Student { a, gamma, q } => {
            squares.iter_mut().for_each(|s| *s = a + gamma * power(*s, q));
            numeric::log(squares);
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
pub(crate) fn outlierness(family: Family, m: usize, log_density: f64) -> f64 {
    match family {
        // g is at most 1; rounding may say a little more. What is no number stays so, to be refused.
        Family::Exponential { .. } if log_density > 0.0 => 0.0,
        Family::Exponential { .. } => -log_density,
        Family::Student { .. } => ((m as f64).ln() - log_density).exp(),
    }
}

/// What of R_j = p_j · o comes from the distance: Δ_j.
pub(crate) fn from_distance(family: Family, share: f64, outlierness: f64, square: f64) -> f64 {
    match family {
        Family::Exponential { gamma, q } => share * outlierness.min(gamma * power(square, q)),
        Family::Student { a, gamma, q } => {
            let far = gamma * power(square, q);
            share * outlierness * (far / (a + far))
        }
    }
}

/// The factor of (x − u_j) in the gradient of outlierness; 0 at the support point itself.
pub(crate) fn slope(family: Family, share: f64, outlierness: f64, square: f64) -> f64 {
    if square == 0.0 {
        return 0.0;
    }
    let far = power(square, family.q());
    match family {
        Family::Exponential { gamma, q } => share * gamma * q * (far / square),
        Family::Student { a, gamma, q } => share * outlierness * gamma * q * (far / square) / (a + gamma * far),
    }
}
