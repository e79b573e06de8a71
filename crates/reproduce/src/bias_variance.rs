//! Polynomials of degree 1, 3 and 7 through eleven noisy values of a cubic.
//!
//! For f(x) = x³ on an equidistant grid of P points and noise of variance ρ², least squares has no bias from degree 3 on,
//! mean variance ρ²(K + 1)/P over the grid at any degree K, and at K = 1 the slope Σx⁴/Σx².

use super::{Finding, Outcome};
use base::{Dataset, Inputs, Points, Result, Run, Seed, Targets, Values, normal};
use pellucid::evaluate::{BiasVariance, bias_variance};
use pellucid::linear::{LinearRegression, Method, powers};
use pellucid::picture::{LinePlot, Reference, Series};

const POINTS: usize = 11;
const NOISE: f64 = 0.2;
const REPLICAS: usize = 4000;
const DEGREES: [usize; 3] = [1, 3, 7];

fn cubic(x: f64) -> f64 {
    x * x * x
}

/// The grid of the data.
fn grid() -> Vec<f64> {
    (0..POINTS).map(|i| 2.0 * i as f64 / (POINTS - 1) as f64 - 1.0).collect()
}

/// Where polynomials are looked at: from −1.1 to 1.1.
fn places() -> Vec<f64> {
    (0..=88).map(|i| -1.1 + f64::from(i) / 40.0).collect()
}

fn as_powers(x: &[f64], degree: usize) -> Result<Points> {
    powers(&Points::dense(x.to_vec(), x.len(), 1)?, degree, &Run::quiet(0))
}

fn learner() -> LinearRegression {
    LinearRegression { method: Method::Unified, ..Default::default() }
}

/// Bias and variance of polynomials of one degree at `x`, with this much noise.
fn parts(degree: usize, x: &[f64], (noise, replicas): (f64, usize), run: &Run<'_>) -> Result<BiasVariance> {
    let inputs = as_powers(&grid(), degree)?;
    let draw = |seed: Seed| {
        let mut stream = seed.stream();
        let values = grid().into_iter().map(|x| cubic(x) + noise * normal(&mut stream)).collect();
        Ok(Dataset::new(inputs.clone(), Targets::Values(Values::new(values, "y"))))
    };
    let truth: Vec<f64> = x.iter().map(|x| cubic(*x)).collect();
    let at = Inputs::Points(as_powers(x, degree)?);
    bias_variance(&learner(), &draw, (&at, &truth), replicas, &run.fork("bias-variance"))
}

/// Does the experiment.
pub(super) fn run(run: &Run<'_>) -> Result<Outcome> {
    let mut outcome = Outcome {
        about: format!(
            "f(x) = x³ at {POINTS} equidistant points in [-1, 1] with Gaussian noise of standard deviation \
                 {NOISE}; {REPLICAS} data sets. The references are exact: without noise the fitted line has the \
                 slope Σx⁴/Σx², and the mean variance over the grid is ρ²(K + 1)/P. Tolerances are four standard \
                 errors."
        ),
        ..Outcome::default()
    };
    let x = grid();
    let power = |p: i32| x.iter().map(|x| x.powi(p)).sum::<f64>();
    let slope = power(4) / power(2);
    let exact = parts(1, &[0.0, 1.0, -1.0], (0.0, 1), run)?;
    outcome.findings.push(Finding::beside("K = 1: slope without noise", exact.mean[1] - exact.mean[0], slope, 1e-9));
    let square = (1.0 - slope).powi(2);
    outcome.findings.push(Finding::beside("K = 1: bias² at x = 1 without noise", exact.bias[1], square, 1e-9));
    outcome.findings.push(Finding::beside("K = 1: bias² at x = -1 without noise", exact.bias[2], square, 1e-9));
    let mut curves = [vec![], vec![]];
    for degree in DEGREES {
        let found = parts(degree, &x, (NOISE, REPLICAS), run)?;
        let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
        let variance = NOISE * NOISE * (degree + 1) as f64 / POINTS as f64;
        // P times the mean variance of one data set is ρ² times a χ² with K + 1 degrees of freedom.
        let spread = variance * (2.0 / ((degree + 1) as f64 * REPLICAS as f64)).sqrt();
        let name = |what: &str| format!("K = {degree}: {what}");
        outcome.findings.push(Finding::beside(name("mean variance"), mean(&found.variance), variance, 4.0 * spread));
        let line: Vec<f64> = x.iter().map(|x| (slope * x - cubic(*x)).powi(2)).collect();
        let bias = if degree == 1 { mean(&line) } else { 0.0 };
        // The mean prediction misses its limit by about variance / replicas in the square, and beside a bias b by 2b/√R.
        let grace = variance / REPLICAS as f64 * 4.0 + 8.0 * (bias * variance / REPLICAS as f64).sqrt();
        outcome.findings.push(Finding::beside(name("mean bias²"), mean(&found.bias), bias, grace));
        let gap = mean(&found.total) - mean(&found.bias) - mean(&found.variance);
        outcome.findings.push(Finding::beside(name("total - bias² - variance"), gap, 0.0, 1e-12));
        let wide = parts(degree, &places(), (NOISE, REPLICAS), run)?;
        outcome.findings.push(Finding::alone(name("total error at x = 1.1"), wide.total[wide.total.len() - 1]));
        for (curve, y) in curves.iter_mut().zip([&wide.bias, &wide.variance]) {
            curve.push(Series { name: format!("K = {degree}"), x: places(), y: y.clone(), ..Series::default() });
        }
        outcome.pictures.push(Box::new(three(degree, run)?));
    }
    for (series, (what, y_log)) in curves.into_iter().zip([("Squared bias", false), ("Variance", true)]) {
        let lines = LinePlot { title: what.into(), x_label: "x".into(), series, y_log, ..LinePlot::default() };
        outcome.pictures.push(Box::new(lines));
    }
    Ok(outcome)
}

/// The polynomials of three data sets, beside the truth.
fn three(degree: usize, run: &Run<'_>) -> Result<LinePlot> {
    let mut series = vec![Series {
        name: "x³".into(),
        x: places(),
        y: places().into_iter().map(cubic).collect(),
        ..Series::default()
    }];
    for i in 0..3 {
        let own = Run { seed: run.seed.fork("three").at(i), ..run.clone() };
        let found = parts(degree, &places(), (NOISE, 1), &own)?;
        series.push(Series { name: format!("set {}", i + 1), x: places(), y: found.mean, ..Series::default() });
    }
    Ok(LinePlot {
        title: format!("Polynomials of degree {degree}"),
        x_label: "x".into(),
        series,
        y_range: Some((-2.0, 2.0)),
        reference: Reference::None,
        ..LinePlot::default()
    })
}
