//! Lasso and elastic net against scikit-learn, a slow twin and the conditions of the optimum.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{
    Catalog, Dataset, EmptyCatalog, Fitted, Gap, Learner, Machine, Points, Record, Result, Run, Seed, Targets, Values,
};
use pellucid_linear::{ElasticNet, Lasso, Linear, largest_penalty, net_path};
use std::sync::Arc;
use testkit::{as_sparse, assert_close, check_golden, check_learner, toy_values};

struct Known;
impl Catalog for Known {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        EmptyCatalog.learner(name)
    }
    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        Ok(Arc::new(Linear::read(record)?))
    }
}

fn golden(name: &str) -> String {
    let path = format!("{}/../../golden/linear/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn problem(name: &str, d: usize, weighted: bool) -> Dataset {
    let numbers: Vec<f64> = golden(name).lines().skip(1).map(|l| l.parse().unwrap()).collect();
    let rows: Vec<&[f64]> = numbers.chunks(d + 2).collect();
    let points = Points::from_rows(&rows.iter().map(|r| &r[..d]).collect::<Vec<_>>()).unwrap();
    let values = Values::new(rows.iter().map(|r| r[d + 1]).collect(), "y");
    let weights = weighted.then(|| rows.iter().map(|r| r[d]).collect());
    Dataset { weights, ..Dataset::new(points, Targets::Values(values)) }
}

fn fit(learner: &dyn Learner, data: &Dataset) -> Fitted {
    let fitted = learner.fit(data, None, &Run::quiet(1)).unwrap();
    assert!(fitted.certificate.converged, "{:?}", fitted.certificate);
    fitted
}

fn parts(fitted: &Fitted) -> Vec<f64> {
    let machine = Linear::read(&fitted.machine.record()).unwrap();
    [machine.weights().stored(), machine.offsets()].concat()
}

#[test]
fn promises() {
    for penalty in [0.01, 0.3] {
        check_learner(&Lasso { penalty, ..Default::default() }, &toy_values(1), &Known);
        check_learner(&ElasticNet { penalty, ..Default::default() }, &toy_values(2), &Known);
    }
    check_learner(&Lasso { penalty: 0.1, intercept: false, ..Default::default() }, &toy_values(3), &Known);
}

#[test]
fn weights_are_those_of_scikit_learn() {
    for (name, d) in [("tall", 6), ("wide", 20)] {
        for (penalty, text) in [(0.05, "0.05"), (0.5, "0.5")] {
            for (weighted, mark) in [(false, ""), (true, "_weighted")] {
                let dense = problem(name, d, weighted);
                for data in [as_sparse(&dense), dense] {
                    let lasso = fit(&Lasso { penalty, ..Default::default() }, &data);
                    check_golden(&golden(&format!("{name}_lasso_{text}{mark}")), &parts(&lasso), 1e-6);
                    let net = fit(&ElasticNet { penalty, l1_ratio: 0.3, ..Default::default() }, &data);
                    check_golden(&golden(&format!("{name}_net_{text}{mark}")), &parts(&net), 1e-6);
                }
            }
        }
        let plain = Lasso { penalty: 0.5, intercept: false, ..Default::default() };
        let found = parts(&fit(&plain, &problem(name, d, false)));
        check_golden(&golden(&format!("{name}_lasso_plain")), &found[..d], 1e-6);
        let net = ElasticNet { l1_ratio: 0.7, ..Default::default() };
        let path = net_path(&net, &problem(name, d, false), 8, 1e-2, &Run::quiet(1)).unwrap();
        assert!(path.converged);
        check_golden(&golden(&format!("{name}_net_path")), &[path.alphas, path.weights.concat()].concat(), 1e-6);
    }
}

/// Rows of correlated columns with a target of few of them, two values, and weights.
fn drawn(n: usize, d: usize, seed: u64) -> (Vec<f64>, Dataset) {
    let unit = |i: usize| Seed(seed).at(i).unit() - 0.5;
    let mut x = vec![0.0; n * d];
    for i in 0..n {
        for j in 0..d {
            let own = unit(i * d + j);
            x[i * d + j] = if j == 0 { own + 1.0 } else { 0.6 * x[i * d + j - 1] + own };
        }
    }
    let y = (0..n).flat_map(|i| {
        let row = &x[i * d..(i + 1) * d];
        let noise = 0.1 * unit(n * d + i);
        [3.0 * row[0] - 2.0 * row[d / 2] + noise + 5.0, row[d - 1] + noise]
    });
    let values = Values::several(y.collect(), vec!["a".to_string(), "b".to_string()]).unwrap();
    let weights: Vec<f64> = (0..n).map(|i| 0.2 + Seed(seed).fork("w").at(i).unit()).collect();
    let data = Dataset::new(Points::dense(x.clone(), n, d).unwrap(), Targets::Values(values));
    (x, Dataset { weights: Some(weights.into()), ..data })
}

/// Objective and gradient of the squares at weights and offset, from the definition.
fn squares(x: &[f64], data: &Dataset, value: usize, w: &[f64], b: f64) -> (f64, Vec<f64>, f64) {
    let (d, Targets::Values(y)) = (w.len(), &data.targets) else { panic!() };
    let weights = data.weights.as_ref().unwrap();
    let whole: f64 = weights.iter().sum();
    let (mut loss, mut slope, mut mean) = (0.0, vec![0.0; d], 0.0);
    for (i, row) in x.chunks(d).enumerate() {
        let r = y.row(i)[value] - b - row.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
        loss += weights[i] * r * r / (2.0 * whole);
        slope.iter_mut().zip(row).for_each(|(s, x)| *s -= weights[i] * r * x / whole);
        mean -= weights[i] * r / whole;
    }
    (loss, slope, mean)
}

#[test]
fn conditions_of_the_optimum_hold() {
    // More rows than columns, more columns than rows; residual, covariance and sparse updates.
    for (n, d, seed) in [(200, 12, 1), (30, 50, 2), (60, 40, 3)] {
        let (x, dense) = drawn(n, d, seed);
        let top = largest_penalty(&ElasticNet { l1_ratio: 1.0, ..Default::default() }, &dense, &Run::quiet(1)).unwrap();
        for (share, ratio) in [(0.5, 1.0), (0.05, 1.0), (0.05, 0.4), (0.01, 0.9)] {
            let penalty = share * top;
            for data in [as_sparse(&dense), dense.clone()] {
                let fitted =
                    fit(&ElasticNet { penalty, l1_ratio: ratio, tolerance: 1e-12, ..Default::default() }, &data);
                let found = parts(&fitted);
                let mut objective = 0.0;
                for value in 0..2 {
                    let (w, b) = (&found[value * d..(value + 1) * d], found[2 * d + value]);
                    let (loss, slope, mean) = squares(&x, &dense, value, w, b);
                    assert!(mean.abs() < 1e-10 * top, "the offset is not the best: {mean}");
                    objective += loss;
                    for (w, s) in w.iter().zip(slope) {
                        let (l1, l2) = (penalty * ratio, penalty * (1.0 - ratio));
                        objective += l1 * w.abs() + 0.5 * l2 * w * w;
                        match *w == 0.0 {
                            true => assert!(s.abs() <= l1 * (1.0 + 1e-5), "a weight of 0 with slope {s}, {l1}"),
                            false => assert!((s + l2 * w + l1 * w.signum()).abs() < 1e-5 * top, "weight {w} slope {s}"),
                        }
                    }
                }
                assert_close(&[fitted.certificate.objective.unwrap()], &[objective], 1e-10, "objective");
                let Gap::Duality(gap) = fitted.certificate.gap else { panic!() };
                assert!((0.0..1e-8).contains(&gap));
            }
        }
        let nothing = fit(&Lasso { penalty: top * (1.0 + 1e-9), ..Default::default() }, &dense);
        assert!(parts(&nothing)[..2 * d].iter().all(|w| *w == 0.0));
        let something = fit(&Lasso { penalty: top * 0.999, ..Default::default() }, &dense);
        assert!(parts(&something)[..2 * d].iter().any(|w| *w != 0.0));
    }
}

#[test]
fn a_slow_twin_agrees() {
    // Proximal gradient on the definition, with the offset as one more coordinate that is not penalised.
    let (x, data) = drawn(50, 8, 5);
    let (penalty, ratio, d) = (0.02, 0.6, 8);
    let found = parts(&fit(&ElasticNet { penalty, l1_ratio: ratio, ..Default::default() }, &data));
    let step = 1.0 / x.chunks(d).map(|r| 1.0 + r.iter().map(|x| x * x).sum::<f64>()).fold(0.0, f64::max);
    for value in 0..2 {
        let (mut w, mut b) = (vec![0.0; d], 0.0);
        for _ in 0..200_000 {
            let (_, slope, mean) = squares(&x, &data, value, &w, b);
            b -= step * mean;
            for (w, s) in w.iter_mut().zip(slope) {
                let z = *w - step * (s + penalty * (1.0 - ratio) * *w);
                *w = z.signum() * (z.abs() - step * penalty * ratio).max(0.0);
            }
        }
        assert_close(&found[value * d..(value + 1) * d], &w, 1e-5, "weights");
        assert_close(&[found[2 * d + value]], &[b], 1e-5, "offset");
    }
}

#[test]
fn gaps_bound_the_distance_and_starts_are_used() {
    let (_, data) = drawn(80, 30, 6);
    let learner = Lasso { penalty: 0.005, ..Default::default() };
    let best = fit(&learner, &data);
    let few = Lasso { steps: 1, ..learner.clone() }.fit(&data, None, &Run::quiet(1)).unwrap();
    assert!(!few.certificate.converged && !few.certificate.warnings.is_empty());
    let Gap::Duality(gap) = few.certificate.gap else { panic!() };
    let distance = few.certificate.objective.unwrap() - best.certificate.objective.unwrap();
    assert!(distance > 0.0 && distance <= gap, "{distance} {gap}");
    let warm = learner.fit(&data, Some(&best.machine.record()), &Run::quiet(1)).unwrap();
    assert!(warm.certificate.converged && warm.certificate.steps == 0);
    let (_, other) = drawn(80, 29, 6);
    assert!(learner.fit(&other, Some(&best.machine.record()), &Run::quiet(1)).is_err());
}

#[test]
fn paths_refuse_what_makes_no_sense() {
    let (run, net) = (Run::quiet(1), ElasticNet::default());
    let (_, data) = drawn(20, 4, 7);
    assert!(net_path(&net, &data, 0, 0.1, &run).is_err());
    assert!(net_path(&net, &data, 3, 1.5, &run).is_err());
    let flat = Dataset::new(
        Points::dense(vec![1.0; 8], 4, 2).unwrap(),
        Targets::Values(Values::new(vec![1.0, 2.0, 3.0, 4.0], "y")),
    );
    assert!(net_path(&net, &flat, 3, 0.1, &run).is_err());
}
