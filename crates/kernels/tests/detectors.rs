//! Thresholds of detectors by laws that do not know the solver: what ν promises, and ρ by its definition.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Dataset, Fact, Learner, Points, Run, Seed, Targets, Verdict, normal};
use pellucid_kernels::{Against, Expansion, OneClassSvm, Svdd};

fn cloud(n: usize, seed: u64) -> Dataset {
    let mut stream = Seed(seed).stream();
    let values: Vec<f64> = (0..2 * n).map(|_| normal(&mut stream)).collect();
    Dataset::new(Points::dense(values, n, 2).unwrap(), Targets::None)
}

fn learner(sphere: bool, settings: &[(&str, &str)]) -> Box<dyn Learner> {
    let mut learner: Box<dyn Learner> =
        if sphere { Box::new(Svdd::default()) } else { Box::new(OneClassSvm::default()) };
    settings.iter().for_each(|(name, value)| learner.set_text(name, value).unwrap());
    learner
}

/// What a fit must keep: the conditions of the dual's optimum with Σα = 1, at least the fraction ν are support vectors, the
/// fraction called anomalous is ν up to the weight of the free support vectors, and rows between their bounds lie on the
/// threshold.
fn check(sphere: bool, nu: f64, kernel: &str, data: &Dataset) {
    let what = format!("sphere {sphere}, n {}, nu {nu}, {kernel}, weights {}", data.len(), data.weights.is_some());
    let nu_text = nu.to_string();
    let settings = [
        ("nu", &*nu_text),
        ("kernel", kernel),
        ("gamma", "0.7"),
        ("coef0", "1"),
        ("degree", "2"),
        ("tolerance", "1e-9"),
    ];
    let run = Run::quiet(1);
    let n = data.len();
    let fitted = learner(sphere, &settings).fit(data, None, &run).unwrap();
    assert!(fitted.certificate.converged, "{what}");
    let machine = Expansion::read(&fitted.machine.record()).unwrap();
    let weight = |i: usize| data.weight(i);
    let sum: f64 = (0..n).map(weight).sum();
    let points = data.points().unwrap();
    // Coefficients and decisions of a sphere are those of the density times −2.
    let turn = if machine.coefficients()[0] < 0.0 { -0.5 } else { 1.0 };
    let mut alpha = vec![0.0; n];
    for (row, c) in machine.rows().unwrap().iter().zip(machine.coefficients()) {
        alpha[*row as usize] = turn * c;
    }
    assert!((alpha.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{what}");
    let mut matrix = vec![0.0; n * n];
    Against::new(machine.kernel(), points, &run).unwrap().block(points, &mut matrix, &run).unwrap();
    let level = |i: usize| {
        let product: f64 = matrix[i * n..(i + 1) * n].iter().zip(&alpha).map(|(k, a)| k * a).sum();
        product - if turn < 0.0 { 0.5 * matrix[i * n + i] } else { 0.0 }
    };
    let levels: Vec<f64> = (0..n).map(level).collect();
    // Well inside the bounds, so that rounding is no question.
    let bound = |i: usize| weight(i) / (nu * sum);
    let free: Vec<usize> =
        (0..n).filter(|&i| alpha[i] > 1e-6 * bound(i) && alpha[i] < (1.0 - 1e-6) * bound(i)).collect();
    let scale = levels.iter().fold(0.0, |m: f64, l| m.max(l.abs()));
    let rho = match fitted.certificate.facts["rho"] {
        Fact::Number(rho) => rho,
        _ => f64::NAN,
    };
    for &i in &free {
        assert!((levels[i] - rho).abs() < 1e-7 * scale, "{what}: row {i} at {} and rho {rho}", levels[i]);
    }
    // The conditions of the optimum: α within its bounds, 0 only at or above the threshold, at its bound only at or below.
    for i in 0..n {
        assert!(alpha[i] >= 0.0 && alpha[i] <= bound(i) * (1.0 + 1e-9), "{what}: α of row {i} is {}", alpha[i]);
        let (above, below) = (levels[i] >= rho - 1e-7 * scale, levels[i] <= rho + 1e-7 * scale);
        assert!(alpha[i] > 1e-6 * bound(i) || above, "{what}: row {i} at {} and rho {rho} has no weight", levels[i]);
        assert!(alpha[i] < (1.0 - 1e-6) * bound(i) || below, "{what}: row {i} at {} and rho {rho}", levels[i]);
    }
    let support = (0..n).filter(|&i| alpha[i] > 0.0).map(weight).sum::<f64>() / sum;
    assert!(support >= nu - 1e-9, "{what}: {support} are support vectors");
    let rim = (0..n).filter(|&i| (levels[i] - rho).abs() < 1e-7 * scale);
    let rim: f64 = rim.map(weight).sum::<f64>() / sum;
    let Fact::Number(anomalous) = fitted.certificate.facts["fraction of training rows called anomalies"] else {
        panic!("{what}")
    };
    assert!(anomalous <= nu + 1e-9 && anomalous >= nu - rim - 1e-9, "{what}: {anomalous} called, {rim} on the rim");
    let clear = (0..n).filter(|&i| levels[i] < rho - 1e-7 * scale).map(weight).sum::<f64>() / sum;
    assert!((clear - anomalous).abs() <= rim + 1e-9, "{what}");
    // The fraction of rows on the rim is that of free support vectors, so that the law above is not empty.
    if free.is_empty() {
        assert!(rim < 0.01 + 2.0 / n as f64, "{what}: {rim}");
    }
}

#[test]
fn x1_the_fraction_called_anomalous_is_nu_within_the_free_support_vectors() {
    let mut counts: Vec<usize> = (20..300).step_by(7).collect();
    counts.extend([423, 846, 847, 900]);
    let kernels = ["gaussian", "laplacian", "polynomial", "student"];
    for (k, &n) in counts.iter().enumerate() {
        let data = cloud(n, n as u64);
        for (j, nu) in [0.05, 0.1, 0.3, 0.77].into_iter().enumerate() {
            check(k % 2 == 0, nu, kernels[(k + j) % kernels.len()], &data);
        }
        // The case that is told of: nothing was called anomalous.
        if n == 846 {
            kernels.iter().for_each(|kernel| check(false, 0.1, kernel, &data));
        }
    }
}

#[test]
fn x1_weights_are_bounds_of_their_own() {
    for n in [41, 97, 150, 211] {
        for (seed, nu) in [(1, 0.1), (2, 0.25), (3, 0.6)] {
            let mut data = cloud(n, n as u64 + seed);
            let mut stream = Seed(seed).stream();
            data.weights = Some((0..n).map(|_| 0.1 + normal(&mut stream).abs()).collect());
            for kernel in ["gaussian", "polynomial"] {
                check(seed == 2, nu, kernel, &data);
            }
        }
    }
}

#[test]
fn x1_unfinished_work_still_calls_the_fraction_nu_anomalous() {
    let data = cloud(3000, 5);
    let settings = [("nu", "0.2"), ("tolerance", "1e-10")];
    let enough = testkit::After::new(1, Verdict::Enough);
    let fitted = learner(false, &settings).fit(&data, None, &Run { watch: &enough, ..Run::quiet(1) }).unwrap();
    assert!(fitted.certificate.interrupted);
    let Fact::Number(anomalous) = fitted.certificate.facts["fraction of training rows called anomalies"] else {
        panic!()
    };
    assert!((anomalous - 0.2).abs() < 0.01, "{anomalous}");
}
