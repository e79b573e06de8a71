//! The extreme learning machine beside the conditions of its optimum, and the promises of every learner.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{
    Catalog, Classes, Dataset, EmptyCatalog, Fitted, Gap, Learner, Machine, Memory, Points, Prediction, Record, Result,
    Run, Seed, Targets, Values, normal,
};
use pellucid_network::{Activation, Elm, NetworkMachine};
use std::sync::Arc;
use testkit::{assert_close, check_learner, toy_classes, toy_values};

/// Knows networks.
struct Networks;

impl Catalog for Networks {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        EmptyCatalog.learner(name)
    }

    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        Ok(Arc::new(NetworkMachine::read(record)?))
    }
}

fn fit(learner: &Elm, data: &Dataset) -> Fitted {
    learner.fit(data, None, &Run::quiet(3)).unwrap()
}

fn scores(fitted: &Fitted, data: &Dataset) -> Vec<f64> {
    fitted.machine.compute(&data.inputs, &Run::quiet(1)).unwrap().to_dense(&Memory::unlimited()).unwrap().to_vec()
}

/// The numbers of the weights of that name.
fn weights(fitted: &Fitted, name: &str) -> Vec<f64> {
    let machine = NetworkMachine::read(&fitted.machine.record()).unwrap();
    machine.graph().weights().iter().find(|w| w.name == name).unwrap().tensor.to_f64()
}

/// Rows, with the hidden layer computed unit by unit from the drawn weights.
fn hidden(fitted: &Fitted, data: &Dataset, g: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    let (a, b) = (weights(fitted, "drawn weights"), weights(fitted, "drawn thresholds"));
    let points = data.points().unwrap();
    let mut x = vec![0.0; points.columns()];
    let mut row = |i: usize| {
        points.write_row(i, &mut x);
        let field = |j: usize| x.iter().enumerate().map(|(c, x)| x * a[c * b.len() + j]).sum::<f64>() + b[j];
        (0..b.len()).map(|j| g(field(j))).collect()
    };
    (0..data.len()).map(&mut row).collect()
}

/// Checks that the gradient of ½ Σ w ‖y − Vᵀh − c‖² + ½γ‖V‖² is 0, and the objective the one told.
fn check_optimum(fitted: &Fitted, h: &[Vec<f64>], y: &[f64], w: &[f64], penalty: f64) {
    let (v, c) = (weights(fitted, "readout weights"), weights(fitted, "readout offsets"));
    let (m, k) = (h[0].len(), c.len());
    let miss = |i: usize, o: usize| y[i * k + o] - c[o] - (0..m).map(|j| v[j * k + o] * h[i][j]).sum::<f64>();
    let n = h.len();
    let misses: Vec<Vec<f64>> = (0..n).map(|i| (0..k).map(|o| miss(i, o)).collect()).collect();
    for o in 0..k {
        let pull: f64 = (0..n).map(|i| w[i] * misses[i][o]).sum();
        assert!(pull.abs() < 1e-9 * n as f64, "offset {o}: {pull}");
        for j in 0..m {
            let pull: f64 = (0..n).map(|i| w[i] * misses[i][o] * h[i][j]).sum::<f64>() - penalty * v[j * k + o];
            assert!(pull.abs() < 1e-8 * n as f64, "weight {j} of {o}: {pull}");
        }
    }
    let squares: f64 = (0..n).map(|i| w[i] * misses[i].iter().map(|m| m * m).sum::<f64>()).sum();
    let objective = 0.5 * (squares + penalty * v.iter().map(|v| v * v).sum::<f64>());
    assert_close(&[fitted.certificate.objective.unwrap()], &[objective], 1e-7, "objective");
    assert!(matches!(fitted.certificate.gap, Gap::Residual(r) if r < 1e-9));
}

/// An activation by its definition.
type Function = (Activation, fn(f64) -> f64);

#[test]
fn the_readout_is_the_minimum_of_its_objective() {
    let functions: [Function; 4] = [
        (Activation::Tanh, f64::tanh),
        (Activation::Logistic, |x| 1.0 / (1.0 + (-x).exp())),
        (Activation::Relu, |x| x.max(0.0)),
        (Activation::Softplus, |x| x.exp().ln_1p()),
    ];
    for (activation, g) in functions {
        let learner = Elm { units: 12, activation, penalty: 0.3, scale: 1.5 };
        let mut data = toy_values(2);
        let w: Vec<f64> = (0..data.len()).map(|i| 0.5 + (i % 3) as f64).collect();
        data.weights = Some(w.clone().into());
        let fitted = fit(&learner, &data);
        let y = base::values_of(&data).unwrap().values().to_vec();
        check_optimum(&fitted, &hidden(&fitted, &data, g), &y, &w, 0.3);

        let data = toy_classes(2);
        let fitted = fit(&learner, &data);
        let classes = base::classes_of(&data).unwrap();
        let y: Vec<f64> = (0..data.len())
            .flat_map(|i| (0..3).map(move |c| if classes.get(i) == Some(c) { 1.0 } else { -1.0 }))
            .collect();
        check_optimum(&fitted, &hidden(&fitted, &data, g), &y, &vec![1.0; data.len()], 0.3);
    }
}

#[test]
fn many_rows_are_the_sum_of_their_blocks() {
    // More rows than a block holds; the optimum is that of all of them.
    let mut stream = Seed(4).stream();
    let mut rows: Vec<Vec<f64>> = (0..2500).map(|_| (0..3).map(|_| normal(&mut stream)).collect()).collect();
    // In order, so that the first block is not like the others.
    rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let y: Vec<f64> = rows.iter().map(|x| x[0] * x[1] + x[2]).collect();
    let targets = Targets::Values(Values::new(y.clone(), "y"));
    let data = Dataset::new(Points::from_rows(&rows).unwrap(), targets);
    let fitted = fit(&Elm { units: 20, ..Default::default() }, &data);
    check_optimum(&fitted, &hidden(&fitted, &data, f64::tanh), &y, &vec![1.0; 2500], 0.1);
}

#[test]
fn without_a_penalty_the_shortest_solution_goes_through_all_rows() {
    let data = toy_values(1).select(&(0..20).collect::<Vec<_>>()).unwrap();
    let y = base::values_of(&data).unwrap().values().to_vec();
    let free = Elm { units: 60, penalty: 0.0, ..Default::default() };
    let fitted = fit(&free, &data);
    assert_close(&scores(&fitted, &data), &y, 1e-9, "interpolates");
    // The limit of small penalties is the shortest of all exact solutions.
    let near = fit(&Elm { penalty: 1e-9, ..free }, &data);
    assert_close(&weights(&fitted, "readout weights"), &weights(&near, "readout weights"), 1e-4, "limit");
}

#[test]
fn units_see_what_a_line_cannot() {
    // Exclusive or: sign(x y).
    let mut stream = Seed(8).stream();
    let rows: Vec<Vec<f64>> = (0..600).map(|_| (0..2).map(|_| normal(&mut stream)).collect()).collect();
    let names: Vec<Option<&str>> =
        rows.iter().map(|x| Some(if x[0] * x[1] > 0.0 { "same" } else { "other" })).collect();
    let targets = Targets::Classes(Classes::from_names(&names));
    let data = Dataset::new(Points::from_rows(&rows).unwrap(), targets);
    let (train, test): (Vec<usize>, Vec<usize>) = (0..600).partition(|i| i % 2 == 0);
    let fitted = fit(&Elm::default(), &data.select(&train).unwrap());
    let test = data.select(&test).unwrap();
    let run = Run::quiet(1);
    let found = Prediction::of(&*fitted.machine, &test.inputs, &run).unwrap().classes(&run).unwrap();
    let right = found.iter().zip(base::classes_of(&test).unwrap().codes()).filter(|(a, b)| a == b).count();
    assert!(right >= 280, "{right} of 300");
}

#[test]
fn keeps_the_promises() {
    for penalty in [0.1, 0.0] {
        let learner = Elm { units: 15, penalty, ..Default::default() };
        check_learner(&learner, &toy_classes(3), &Networks);
        check_learner(&learner, &toy_values(3), &Networks);
    }
    check_learner(&Elm { units: 15, activation: Activation::Erf, ..Default::default() }, &toy_values(4), &Networks);
}
