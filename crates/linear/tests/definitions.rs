//! Several values at a time, the facts of a certificate and the posterior, each beside its definition.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Dataset, Fact, Fitted, Learner, Points, Run, Seed, Targets, Values, normal};
use pellucid_linear::{Linear, LinearRegression, Method, Ridge, RidgeSolver};
use testkit::assert_close;

const COLUMNS: usize = 4;
const ROWS: usize = 30;

/// Rows, weights and two values a row.
fn drawn() -> (Vec<Vec<f64>>, Vec<f64>, Vec<[f64; 2]>) {
    let mut stream = Seed(3).stream();
    let mut draw = || normal(&mut stream);
    let rows: Vec<Vec<f64>> =
        (0..ROWS).map(|_| (0..COLUMNS).map(|j| draw() * (1.0 + j as f64) + 2.0).collect()).collect();
    let weights = (0..ROWS).map(|i| 0.5 + (i % 4) as f64).collect();
    let values = rows.iter().map(|x| [1.0 + x[0] - 0.5 * x[2] + draw(), 3.0 - x[3] + 2.0 * draw()]).collect();
    (rows, weights, values)
}

fn data(rows: &[Vec<f64>], weights: &[f64], values: Vec<f64>, names: &[&str]) -> Dataset {
    let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
    let targets = Targets::Values(Values::several(values, names).unwrap());
    Dataset { weights: Some(weights.to_vec().into()), ..Dataset::new(Points::from_rows(rows).unwrap(), targets) }
}

fn fit(learner: &dyn Learner, data: &Dataset) -> Fitted {
    learner.fit(data, None, &Run::quiet(1)).unwrap()
}

fn number(fitted: &Fitted, name: &str) -> f64 {
    match fitted.certificate.facts.get(name) {
        Some(Fact::Number(x)) => *x,
        _ => panic!("no fact {name:?}"),
    }
}

/// The inverse of a small matrix, by Gauss and Jordan with pivots.
fn inverse(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = a.len();
    let unit = |i: usize| (0..n).map(move |j| f64::from(u8::from(i == j)));
    let mut m: Vec<Vec<f64>> = (0..n).map(|i| a[i].iter().copied().chain(unit(i)).collect()).collect();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| m[i][c].abs().total_cmp(&m[j][c].abs())).unwrap();
        m.swap(c, pivot);
        let scale = m[c][c];
        m[c].iter_mut().for_each(|x| *x /= scale);
        let row = m[c].clone();
        for (_, other) in m.iter_mut().enumerate().filter(|(i, _)| *i != c) {
            let factor = other[c];
            other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
        }
    }
    m.into_iter().map(|row| row[n..].to_vec()).collect()
}

#[test]
fn several_values_are_each_as_alone_and_facts_by_definition() {
    let (rows, weights, values) = drawn();
    let both = data(&rows, &weights, values.concat(), &["a", "b"]);
    let alone: Vec<Dataset> =
        (0..2).map(|k| data(&rows, &weights, values.iter().map(|v| v[k]).collect(), &["a"])).collect();
    let total: f64 = 2.0 * weights.iter().sum::<f64>();
    let methods = [Method::Left, Method::Unified, Method::Iterative];
    let regressions =
        methods.map(|method| Box::new(LinearRegression { method, ..Default::default() }) as Box<dyn Learner>);
    let ridges = [RidgeSolver::Direct, RidgeSolver::Iterative]
        .map(|solver| Box::new(Ridge { solver, ..Default::default() }) as _);
    for learner in regressions.into_iter().chain(ridges) {
        let fitted = fit(&*learner, &both);
        let machine = Linear::read(&fitted.machine.record()).unwrap();
        let parts: Vec<Linear> =
            alone.iter().map(|d| Linear::read(&fit(&*learner, d).machine.record()).unwrap()).collect();
        assert_close(
            machine.weights().stored(),
            &[parts[0].weights().stored(), parts[1].weights().stored()].concat(),
            1e-9,
            "weights",
        );
        assert_close(machine.offsets(), &[parts[0].offsets(), parts[1].offsets()].concat(), 1e-9, "offsets");

        let residual = |i: usize, k: usize| {
            let w = &machine.weights().stored()[k * COLUMNS..(k + 1) * COLUMNS];
            values[i][k] - machine.offsets()[k] - rows[i].iter().zip(w).map(|(x, w)| x * w).sum::<f64>()
        };
        let squares: f64 = (0..ROWS).map(|i| weights[i] * (residual(i, 0).powi(2) + residual(i, 1).powi(2))).sum();
        let mse = squares / total;
        // Every residual under its normal density of variance mse, as often as its weight says.
        let density = |r: f64| -0.5 * (2.0 * std::f64::consts::PI * mse).ln() - r * r / (2.0 * mse);
        let likelihood: f64 = (0..ROWS).map(|i| weights[i] * (density(residual(i, 0)) + density(residual(i, 1)))).sum();
        assert_close(&[number(&fitted, "training mse")], &[mse], 1e-9, "mse");
        assert_close(&[number(&fitted, "log-likelihood")], &[likelihood], 1e-9, "log-likelihood");
    }
}

#[test]
fn several_values_are_each_as_alone_where_rows_are_few() {
    let (rows, weights, values) = drawn();
    let few = 3;
    let part = |values: Vec<f64>, names: &[&str]| data(&rows[..few], &weights[..few], values, names);
    let both = part(values[..few].concat(), &["a", "b"]);
    let right = LinearRegression { method: Method::Right, ..Default::default() };
    for learner in [&right as &dyn Learner, &Ridge::default()] {
        let weights =
            |data: &Dataset| Linear::read(&fit(learner, data).machine.record()).unwrap().weights().stored().to_vec();
        let alone = |k: usize| weights(&part(values[..few].iter().map(|v| v[k]).collect(), &["a"]));
        assert_close(&weights(&both), &[alone(0), alone(1)].concat(), 1e-9, learner.name());
    }
}

#[test]
fn the_predictive_variance_is_that_of_the_definition() {
    // With x̃ = (x, 1) and A = Σ ω x̃x̃ᵀ + γ diag(1, ..., 1, 0): the mean is A⁻¹ Σ ω x̃y, the variance σ²(1 + x̃ᵀA⁻¹x̃), and
    // σ² = Σ ω r² / (Σω − tr A⁻¹ Σ ω x̃x̃ᵀ). The penalty is the default, 1.
    let (rows, weights, values) = drawn();
    let run = Run::quiet(1);
    for (intercept, noise) in [(true, 0.0), (true, 0.4), (false, 0.0), (false, 0.4)] {
        let width = COLUMNS + usize::from(intercept);
        let wide: Vec<Vec<f64>> = rows.iter().map(|x| x.iter().copied().chain([1.0]).take(width).collect()).collect();
        let sum = |i: usize, j: usize| (0..ROWS).map(|r| weights[r] * wide[r][i] * wide[r][j]).sum::<f64>();
        let squares: Vec<Vec<f64>> = (0..width).map(|i| (0..width).map(|j| sum(i, j)).collect()).collect();
        let mut a = squares.clone();
        (0..COLUMNS).for_each(|i| a[i][i] += 1.0);
        let inverse = inverse(&a);
        let used: f64 =
            (0..width).flat_map(|i| (0..width).map(move |j| (i, j))).map(|(i, j)| inverse[i][j] * squares[j][i]).sum();

        let learner = Ridge { posterior: true, intercept, noise, ..Default::default() };
        let both = data(&rows, &weights, values.concat(), &["a", "b"]);
        let scores = fit(&learner, &both).machine.compute(&both.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        for k in 0..2 {
            let right: Vec<f64> =
                (0..width).map(|i| (0..ROWS).map(|r| weights[r] * wide[r][i] * values[r][k]).sum()).collect();
            let w: Vec<f64> = inverse.iter().map(|row| row.iter().zip(&right).map(|(a, b)| a * b).sum()).collect();
            let mean = |x: &[f64]| x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>();
            let misses: f64 = (0..ROWS).map(|r| weights[r] * (values[r][k] - mean(&wide[r])).powi(2)).sum();
            let sigma = if noise > 0.0 { noise } else { misses / (weights.iter().sum::<f64>() - used) };
            for (x, row) in wide.iter().zip(scores.chunks(4)) {
                let spread: f64 =
                    (0..width).map(|i| (0..width).map(|j| x[i] * inverse[i][j] * x[j]).sum::<f64>()).sum();
                assert_close(&[row[k], row[2 + k]], &[mean(x), sigma * (1.0 + spread)], 1e-9, "mean and variance");
            }
        }
    }
}
