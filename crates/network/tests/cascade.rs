//! Cascade correlation: growth that helps, units that follow the error, and the promises of every learner.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{
    Catalog, Classes, Dataset, EmptyCatalog, Fact, Fitted, Learner, Machine, Points, Prediction, Record, Result, Run,
    Seed, Targets, Values, normal, values_of,
};
use pellucid_network::{Cascade, NetworkMachine};
use std::sync::Arc;
use testkit::{check_learner, toy_classes, toy_values};

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

fn fit(learner: &Cascade, data: &Dataset) -> Fitted {
    learner.fit(data, None, &Run::quiet(2)).unwrap()
}

fn curve(fitted: &Fitted) -> Vec<f64> {
    match &fitted.certificate.facts["squared error by units"] {
        Fact::Curve(curve) => curve.clone(),
        other => panic!("{other:?}"),
    }
}

fn weights(fitted: &Fitted, name: &str) -> Vec<f64> {
    let machine = NetworkMachine::read(&fitted.machine.record()).unwrap();
    machine.graph().weights().iter().find(|w| w.name == name).unwrap().tensor.to_f64()
}

/// x0 x1 on a drawn square.
fn product(rows: usize) -> Dataset {
    let mut stream = Seed(3).stream();
    let x: Vec<f64> = (0..2 * rows).map(|_| normal(&mut stream)).collect();
    let y = x.chunks(2).map(|x| x[0] * x[1]).collect();
    Dataset::new(Points::dense(x, rows, 2).unwrap(), Targets::Values(Values::new(y, "y")))
}

#[test]
fn units_are_added_while_the_error_falls() {
    let data = product(300);
    let fitted = fit(&Cascade { units: 8, penalty: 1e-4, ..Default::default() }, &data);
    let errors = curve(&fitted);
    assert_eq!(errors.len(), 9, "{errors:?}");
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{errors:?}");
    assert!(errors[8] < 0.1 * errors[0], "{errors:?}");
    // The curve ends with the error of the machine.
    let run = Run::quiet(1);
    let found = fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
    let truth = values_of(&data).unwrap().values();
    let squares: f64 = found.iter().zip(truth).map(|(f, t)| 0.5 * (f - t) * (f - t)).sum();
    assert!((squares - errors[8]).abs() < 1e-9 * errors[0], "{squares} {errors:?}");
    // A linear target needs no units.
    let line = toy_values(1);
    assert_eq!(curve(&fit(&Cascade { tolerance: 0.01, ..Default::default() }, &line)).len(), 1);
    assert_eq!(curve(&fit(&Cascade { units: 0, ..Default::default() }, &data)).len(), 1);
}

#[test]
fn the_first_unit_follows_the_error_of_the_line_and_stays() {
    let data = product(200);
    let linear = fit(&Cascade { units: 0, ..Default::default() }, &data);
    let grown = fit(&Cascade { units: 1, steps: 1000, ..Default::default() }, &data);
    let run = Run::quiet(1);
    let found = linear.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
    let x = data.points().unwrap().to_dense(&run.memory).unwrap();
    let missed: Vec<f64> = found.iter().zip(values_of(&data).unwrap().values()).map(|(f, t)| t - f).collect();
    // The squared correlation with what the line misses, from the definition.
    let correlation = |u: &[f64]| {
        let v: Vec<f64> = x.chunks(2).map(|x| (u[0] * x[0] + u[1] * x[1] + u[2]).tanh()).collect();
        let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
        let (a, b) = (mean(&v), mean(&missed));
        let sum = |f: &dyn Fn(f64, f64) -> f64| v.iter().zip(&missed).map(|(v, m)| f(v - a, m - b)).sum::<f64>();
        sum(&|v, m| v * m).powi(2) / (sum(&|v, _| v * v) * sum(&|_, m| m * m))
    };
    let mut unit = weights(&grown, "unit 0 weights");
    unit.extend(weights(&grown, "unit 0 threshold"));
    let best = correlation(&unit);
    // No small change of any weight does better: a maximum.
    for i in 0..3 {
        for step in [-1e-2, 1e-2] {
            let mut near = unit.clone();
            near[i] += step;
            assert!(correlation(&near) <= best + 1e-7, "{i} {step}: {} {best}", correlation(&near));
        }
    }
    // Better than drawn units.
    let mut stream = Seed(5).stream();
    for _ in 0..50 {
        let drawn: Vec<f64> = (0..3).map(|_| normal(&mut stream)).collect();
        assert!(correlation(&drawn) < best);
    }
    // Frozen: the next unit leaves it as it is.
    let two = fit(&Cascade { units: 2, steps: 1000, ..Default::default() }, &data);
    assert_eq!(weights(&two, "unit 0 weights"), weights(&grown, "unit 0 weights"));
    assert_eq!(weights(&two, "unit 1 weights").len(), 3, "it sees two inputs and the first unit");
}

#[test]
fn two_spirals_are_told_apart() {
    let mut stream = Seed(1).stream();
    let mut rows = vec![];
    let mut names = vec![];
    for i in 0..400 {
        let t = f64::from(i) / 400.0 * 3.0 + 0.5;
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        rows.push([
            side * t * (2.0 * t).cos() + 0.1 * normal(&mut stream),
            side * t * (2.0 * t).sin() + 0.1 * normal(&mut stream),
        ]);
        names.push(Some(if i % 2 == 0 { "a" } else { "b" }));
    }
    let data = Dataset::new(Points::from_rows(&rows).unwrap(), Targets::Classes(Classes::from_names(&names)));
    let (train, test): (Vec<usize>, Vec<usize>) = (0..400).partition(|i| i % 4 < 2);
    let run = Run::quiet(1);
    let test = data.select(&test).unwrap();
    let right = |units: usize| {
        let fitted = fit(&Cascade { units, penalty: 1e-3, ..Default::default() }, &data.select(&train).unwrap());
        let found = Prediction::of(&*fitted.machine, &test.inputs, &run).unwrap().classes(&run).unwrap();
        found.iter().zip(base::classes_of(&test).unwrap().codes()).filter(|(a, b)| a == b).count()
    };
    let (line, grown) = (right(0), right(12));
    assert!(grown >= 190 && grown > line + 30, "{line} {grown} of 200");
}

#[test]
fn keeps_the_promises() {
    let learner = Cascade { units: 3, candidates: 2, steps: 20, ..Default::default() };
    check_learner(&learner, &toy_classes(3), &Networks);
    check_learner(&learner, &toy_values(3), &Networks);
}
