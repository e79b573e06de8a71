//! Least squares and ridge as what is most probable: the likelihood and the posterior, measured around the solutions.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Dataset, Learner, Points, Run, Seed, Targets, Values, normal};
use pellucid_linear::{Linear, LinearRegression, Ridge, log_likelihood};

const COLUMNS: usize = 3;

/// Inputs and values y = 2 x₀ − x₂ + ½ noise.
fn drawn() -> (Vec<[f64; COLUMNS]>, Vec<f64>) {
    let mut stream = Seed(12).stream();
    let rows: Vec<[f64; COLUMNS]> = (0..25).map(|_| [0; COLUMNS].map(|_| normal(&mut stream))).collect();
    let values = rows.iter().map(|x| 2.0 * x[0] - x[2] + 0.5 * normal(&mut stream)).collect();
    (rows, values)
}

/// The weights a learner without an offset finds.
fn weights(learner: &dyn Learner, rows: &[[f64; COLUMNS]], values: &[f64]) -> Vec<f64> {
    let points = Points::from_rows(rows).unwrap();
    let data = Dataset::new(points, Targets::Values(Values::new(values.to_vec(), "y")));
    let fitted = learner.fit(&data, None, &Run::quiet(1)).unwrap();
    Linear::read(&fitted.machine.record()).unwrap().weights().stored().to_vec()
}

/// The density of the normal distribution, by its definition.
fn density(x: f64, variance: f64) -> f64 {
    (-x * x / (2.0 * variance)).exp() / (2.0 * std::f64::consts::PI * variance).sqrt()
}

#[test]
fn least_squares_is_most_likely_and_ridge_most_probable() {
    let (rows, values) = drawn();
    let (noise, prior) = (0.3, 0.8);
    let residuals = |w: &[f64]| -> Vec<f64> {
        rows.iter().zip(&values).map(|(x, y)| y - x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>()).collect()
    };
    let likelihood = |w: &[f64]| log_likelihood(&residuals(w), noise);
    let posterior = |w: &[f64]| likelihood(w) + w.iter().map(|&w| density(w, prior).ln()).sum::<f64>();

    // The likelihood is the product of the densities of the residuals.
    let somewhere = [1.5, 0.2, -0.7];
    let product: f64 = residuals(&somewhere).iter().map(|&r| density(r, noise)).product();
    assert!((likelihood(&somewhere) - product.ln()).abs() < 1e-9 * product.ln().abs());

    let least = weights(&LinearRegression { intercept: false, ..Default::default() }, &rows, &values);
    let ridge = weights(&Ridge { penalty: noise / prior, intercept: false, ..Default::default() }, &rows, &values);
    for (best, value) in [(&least, &likelihood as &dyn Fn(&[f64]) -> f64), (&ridge, &posterior)] {
        for column in 0..COLUMNS {
            for step in [-1e-3, 1e-3] {
                let mut other = best.clone();
                other[column] += step;
                assert!(value(&other) < value(best), "weight {column} moved by {step}");
            }
        }
    }
    assert!(likelihood(&ridge) < likelihood(&least) && posterior(&least) < posterior(&ridge));
}
