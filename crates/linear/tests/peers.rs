//! Regression, posterior and logistic results against SciPy and scikit-learn.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Classes, Dataset, Learner, Machine, Memory, Points, Prediction, Run, Targets, Values};
use std::sync::Arc;
use testkit::{assert_close, check_golden};

use linear::{LinearRegression, Logistic, Method, Ridge, RidgeSolver, Solver};
use pellucid_linear as linear;

fn golden(name: &str) -> String {
    let path = format!("{}/../../golden/linear/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Points, weights and target as the script wrote them.
fn data(name: &str, columns: usize) -> (Points, Vec<f64>, Vec<f64>) {
    let text = golden(name);
    let numbers: Vec<f64> = text.lines().skip(1).map(|l| l.parse().unwrap()).collect();
    let rows: Vec<&[f64]> = numbers.chunks(columns + 2).collect();
    let points = Points::from_rows(&rows.iter().map(|r| &r[..columns]).collect::<Vec<_>>()).unwrap();
    (points, rows.iter().map(|r| r[columns]).collect(), rows.iter().map(|r| r[columns + 1]).collect())
}

fn values(name: &str, columns: usize) -> (Dataset, Dataset) {
    let (points, weights, target) = data(name, columns);
    let plain = Dataset::new(points, Targets::Values(Values::new(target, "y")));
    (plain.clone(), Dataset { weights: Some(weights.into()), ..plain })
}

fn fit(learner: &dyn Learner, data: &Dataset) -> Arc<dyn Machine> {
    let fitted = learner.fit(data, None, &Run::quiet(1)).unwrap();
    assert!(fitted.certificate.converged, "{:?}", fitted.certificate);
    fitted.machine
}

/// Weights, then offsets.
fn parts(machine: &dyn Machine) -> Vec<f64> {
    let m = linear::Linear::read(&machine.record()).unwrap();
    [m.weights().stored(), m.offsets()].concat()
}

fn weights(machine: &dyn Machine) -> Vec<f64> {
    linear::Linear::read(&machine.record()).unwrap().weights().stored().to_vec()
}

const METHODS: [Method; 5] = [Method::Auto, Method::Left, Method::Right, Method::Unified, Method::Iterative];

#[test]
fn pseudo_inverses_are_those_of_scipy() {
    for (name, columns, wrong) in [("tall", 6, Method::Right), ("wide", 20, Method::Left)] {
        let (plain, weighted) = values(name, columns);
        for method in METHODS.into_iter().filter(|m| *m != wrong) {
            let learner = LinearRegression { method, intercept: false, ..Default::default() };
            check_golden(&golden(&format!("{name}_pinv")), &weights(&*fit(&learner, &plain)), 1e-9);
            let learner = LinearRegression { method, ..Default::default() };
            check_golden(&golden(&format!("{name}_regression")), &parts(&*fit(&learner, &weighted)), 1e-8);
        }
        let refused = LinearRegression { method: wrong, intercept: false, ..Default::default() };
        let error = refused.fit(&plain, None, &Run::quiet(1)).err().map(|e| e.to_string());
        assert!(error.is_some_and(|e| e.contains("use method=unified")), "{wrong:?} cannot exist");
    }
}

#[test]
fn the_unified_limit_exists_where_columns_depend_on_one_another() {
    let (points, _, target) = data("deficient", 5);
    let memory = Memory::unlimited();
    let mut numbers = points.to_dense(&memory).unwrap().to_vec();
    numbers.chunks_mut(5).for_each(|row| row[3] = row[0] + row[1]);
    let points = Points::dense(numbers, 30, 5).unwrap();
    let data = Dataset::new(points, Targets::Values(Values::new(target, "y")));
    for method in [Method::Auto, Method::Unified, Method::Iterative] {
        let learner = LinearRegression { method, intercept: false, ..Default::default() };
        let fitted = learner.fit(&data, None, &Run::quiet(1)).unwrap();
        check_golden(&golden("deficient_pinv"), &weights(&*fitted.machine), 1e-8);
        assert_eq!(method != Method::Iterative, !fitted.certificate.warnings.is_empty());
    }
    // The ridge solution tends to the same limit.
    let small = Ridge { penalty: 1e-7, intercept: false, ..Default::default() };
    check_golden(&golden("deficient_pinv"), &weights(&*fit(&small, &data)), 1e-6);
}

#[test]
fn ridge_is_that_of_scikit_learn() {
    for (name, columns) in [("tall", 6), ("wide", 20)] {
        let (_, weighted) = values(name, columns);
        for (penalty, text) in [(0.01, "0.01"), (1.0, "1"), (100.0, "100")] {
            for solver in [RidgeSolver::Auto, RidgeSolver::Direct, RidgeSolver::Iterative] {
                let learner = Ridge { penalty, solver, ..Default::default() };
                check_golden(&golden(&format!("{name}_ridge_{text}")), &parts(&*fit(&learner, &weighted)), 1e-9);
            }
        }
    }
}

#[test]
fn ridge_minimises_its_objective() {
    for (name, columns) in [("tall", 6), ("wide", 20)] {
        let (_, data) = values(name, columns);
        let (penalty, run) = (0.7, Run::quiet(1));
        let fitted = Ridge { penalty, ..Default::default() }.fit(&data, None, &run).unwrap();
        let best = parts(&*fitted.machine);
        let Targets::Values(target) = &data.targets else { panic!() };
        let objective = |p: &[f64]| {
            let mut x = vec![0.0; columns];
            let squares: f64 = (0..data.len())
                .map(|i| {
                    data.points().unwrap().write_row(i, &mut x);
                    let predicted = p[columns] + x.iter().zip(p).map(|(x, w)| x * w).sum::<f64>();
                    data.weights.as_ref().unwrap()[i] * (target.values()[i] - predicted).powi(2)
                })
                .sum();
            0.5 * squares + 0.5 * penalty * p[..columns].iter().map(|w| w * w).sum::<f64>()
        };
        assert_close(&[fitted.certificate.objective.unwrap()], &[objective(&best)], 1e-12, "objective");
        for i in 0..=columns {
            for step in [-1e-4, 1e-4] {
                let mut other = best.clone();
                other[i] += step;
                assert!(objective(&other) > objective(&best), "{name}: moving parameter {i} by {step} helps");
            }
        }
    }
}

#[test]
fn the_posterior_is_that_of_a_gaussian_process() {
    for (name, columns) in [("tall", 6), ("wide", 20)] {
        let (plain, _) = values(name, columns);
        let learner = Ridge { penalty: 2.0, noise: 0.25, posterior: true, intercept: false, ..Default::default() };
        let machine = fit(&learner, &plain);
        let run = Run::quiet(1);
        let scores = machine.compute(&plain.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        let (means, variances): (Vec<f64>, Vec<f64>) = scores.chunks(2).map(|s| (s[0], s[1])).unzip();
        check_golden(&golden(&format!("{name}_posterior")), &[means, variances].concat(), 1e-7);
    }
}

#[test]
fn the_noise_is_estimated_without_bias() {
    // Σ r² / (n − d − 1) for γ = 0 is the textbook's unbiased estimate.
    let (plain, _) = values("tall", 6);
    let run = Run::quiet(1);
    let learner = Ridge { penalty: 0.0, posterior: true, ..Default::default() };
    let fitted = learner.fit(&plain, None, &run).unwrap();
    let prediction = Prediction::of(&*fitted.machine, &plain.inputs, &run).unwrap();
    let scores = prediction.scores.to_dense(&run.memory).unwrap();
    let Targets::Values(target) = &plain.targets else { panic!() };
    let squares: f64 = scores.chunks(2).zip(target.values()).map(|(s, y)| (s[0] - y).powi(2)).sum();
    let base::Fact::Number(noise) = fitted.certificate.facts["noise variance"] else { panic!() };
    assert_close(&[noise], &[squares / (40.0 - 7.0)], 1e-9, "noise");
    let too_few = data_of(&plain, 7);
    assert!(learner.fit(&too_few, None, &run).is_err(), "seven rows leave nothing to estimate noise from");
}

fn data_of(data: &Dataset, rows: usize) -> Dataset {
    data.select(&(0..rows).collect::<Vec<_>>()).unwrap()
}

#[test]
fn logistic_probabilities_are_those_of_scikit_learn() {
    for (name, columns) in [("two", 4), ("four", 5)] {
        let (points, sample_weights, target) = data(name, columns);
        let names: Vec<Option<String>> = target.iter().map(|t| Some(t.to_string())).collect();
        let plain = Dataset::new(points, Targets::Classes(Classes::from_names(&names)));
        let weighted = Dataset { weights: Some(sample_weights.into()), ..plain.clone() };
        for (penalty, text) in [(0.01, "0.01"), (1.0, "1"), (30.0, "30")] {
            for (data, mark) in [(&plain, ""), (&weighted, "_weighted")] {
                for solver in [Solver::Newton, Solver::Lbfgs] {
                    let run = Run::quiet(1);
                    let machine = fit(&Logistic { penalty, solver, ..Default::default() }, data);
                    let prediction = Prediction::of(&*machine, &data.inputs, &run).unwrap();
                    let p = prediction.probabilities(&run).unwrap().unwrap();
                    check_golden(&golden(&format!("{name}_logistic_{text}{mark}")), &p, 2e-6);
                }
            }
        }
    }
}
