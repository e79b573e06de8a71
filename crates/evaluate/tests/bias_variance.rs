//! Bias and variance beside what theory says of nearest neighbours on a fixed grid.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Dataset, Error, Inputs, Memory, Points, Result, Run, Seed, Targets, Values, normal};
use distance::Knn;
use pellucid_evaluate::{BiasVariance, bias_variance};
use testkit::assert_close;

const NOISE: f64 = 0.5;

fn f(x: f64) -> f64 {
    x * x
}

fn grid() -> Vec<f64> {
    (0..21).map(|i| f64::from(i) / 10.0 - 1.0).collect()
}

fn draw(seed: Seed) -> Result<Dataset> {
    let mut stream = seed.stream();
    let values = grid().into_iter().map(|x| f(x) + NOISE * normal(&mut stream)).collect();
    Ok(Dataset::new(Points::dense(grid(), 21, 1)?, Targets::Values(Values::new(values, "y"))))
}

fn of_knn(k: usize, replicas: usize, run: &Run<'_>) -> BiasVariance {
    let at = [-0.52, 0.01, 0.73];
    let truth = at.map(f);
    let inputs = Inputs::Points(Points::dense(at.to_vec(), 3, 1).unwrap());
    bias_variance(&Knn { k, ..Default::default() }, &draw, (&inputs, &truth), replicas, run).unwrap()
}

#[test]
fn neighbours_have_the_bias_and_variance_of_a_mean() {
    // On a fixed grid the answer is the mean of k values: variance ρ²/k, and the mean of f over the k nearest places.
    let replicas = 3000;
    for k in [1, 3, 7] {
        let found = of_knn(k, replicas, &Run::quiet(1));
        for (i, x) in [-0.52, 0.01, 0.73].into_iter().enumerate() {
            let mut near = grid();
            near.sort_by(|a, b| (a - x).abs().total_cmp(&(b - x).abs()));
            let mean = near[..k].iter().map(|x| f(*x)).sum::<f64>() / k as f64;
            let variance = NOISE * NOISE / k as f64;
            // Four standard errors.
            let slack = 4.0 * (variance / replicas as f64).sqrt();
            assert!((found.mean[i] - mean).abs() < slack, "{k} {x}: {} {mean}", found.mean[i]);
            let slack = 4.0 * variance * (2.0 / replicas as f64).sqrt();
            assert!((found.variance[i] - variance).abs() < slack, "{k} {x}: {} {variance}", found.variance[i]);
            assert_close(&[found.bias[i]], &[(found.mean[i] - f(x)).powi(2)], 1e-12, "bias");
        }
    }
}

#[test]
fn total_is_bias_and_variance() {
    for (seed, replicas) in [(1, 1), (2, 2), (3, 50)] {
        let run = Run::quiet(seed);
        let found = of_knn(2, replicas, &run);
        let sum: Vec<f64> = found.bias.iter().zip(&found.variance).map(|(b, v)| b + v).collect();
        assert_close(&found.total, &sum, 1e-12, "identity");
        assert_eq!(found.replicas, replicas);
        assert_eq!(found, of_knn(2, replicas, &Run { threads: 4, ..run.clone() }), "threads");
        if replicas == 1 {
            assert_eq!(found.variance, [0.0; 3]);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let inputs = Inputs::Points(Points::dense(vec![0.0; 2], 2, 1).unwrap());
    let of = |truth: &[f64], replicas: usize, run: &Run<'_>| {
        bias_variance(&Knn::default(), &draw, (&inputs, truth), replicas, run)
    };
    let run = Run::quiet(1);
    assert!(matches!(of(&[0.0; 3], 2, &run), Err(Error::Size { .. })));
    assert!(matches!(of(&[0.0; 2], 0, &run), Err(Error::Parameter { .. })));
    let tiny = Run { memory: Memory::limited(100), ..Run::quiet(1) };
    assert!(matches!(of(&[0.0; 2], 1000, &tiny), Err(Error::Memory { .. })));
}
