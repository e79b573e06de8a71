//! Small problems to train on.

use base::*;
use pellucid_network::train::{Optimizer, Precision, Schedule, Training};

/// A run with a seed.
pub fn run(seed: u64) -> Run<'static> {
    Run::quiet(seed)
}

/// Settings in double precision that never stop before the last epoch.
pub fn training(rule: Optimizer, rate: f64, epochs: usize) -> Training {
    let schedule = Schedule::Constant;
    Training {
        optimizer: rule,
        rate,
        schedule,
        epochs,
        batch: 0,
        patience: 0,
        precision: Precision::F64,
        ..Training::default()
    }
}

/// Rows with these values as targets.
pub fn values(x: Vec<f64>, columns: usize, y: Vec<f64>) -> Dataset {
    let points = Points::dense(x, y.len(), columns).unwrap();
    Dataset::new(points, Targets::Values(Values::new(y, "y")))
}

/// Numbers from a seed, between −1 and 1.
pub fn drawn(seed: u64, count: usize) -> Vec<f64> {
    (0..count).map(|i| 2.0 * Seed(seed).at(i).unit() - 1.0).collect()
}

/// The curve of that name.
pub fn curve<'a>(certificate: &'a Certificate, name: &str) -> &'a [f64] {
    match &certificate.facts[name] {
        Fact::Curve(curve) => curve,
        Fact::Number(_) => panic!("a curve is expected"),
    }
}
