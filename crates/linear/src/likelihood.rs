//! How probable values are under normal noise of variance σ².
//!
//! log p = −(P/2) log(2πσ²) − Σ (y − ŷ)² / (2σ²). For fixed σ² it is largest where the sum of squares is smallest, so
//! least squares is maximum likelihood; a normal prior of variance τ² on the weights makes it ridge regression with
//! γ = σ²/τ².

/// The logarithm of the probability density of these residuals under normal noise of variance `noise`.
pub fn log_likelihood(residuals: &[f64], noise: f64) -> f64 {
    let squares: f64 = residuals.iter().map(|r| r * r).sum();
    -0.5 * residuals.len() as f64 * (std::f64::consts::TAU * noise).ln() - squares / (2.0 * noise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_sum_of_the_logarithms_of_normal_densities() {
        let residuals = [0.3, -1.2, 0.0, 2.0];
        let noise = 0.7;
        let density = |r: f64| (-r * r / (2.0 * noise)).exp() / (std::f64::consts::TAU * noise).sqrt();
        let expected: f64 = residuals.iter().map(|&r| density(r).ln()).sum();
        assert!((log_likelihood(&residuals, noise) - expected).abs() < 1e-12);
    }

    #[test]
    fn the_best_variance_is_the_mean_square() {
        let residuals = [0.3, -1.2, 0.5, 2.0];
        let best = residuals.iter().map(|r| r * r).sum::<f64>() / 4.0;
        for other in [0.5 * best, 0.9 * best, 1.1 * best, 2.0 * best] {
            assert!(log_likelihood(&residuals, best) > log_likelihood(&residuals, other));
        }
    }
}
