//! Explanations of every machine of the catalog: the usual method is there, says something and adds up.
#![allow(clippy::unwrap_used, reason = "tests speak by panicking")]

use pellucid::explain::{Answer, Context, Method, Question, explain_with, fitting, suited};
use pellucid::{
    Catalog, Classes, Dataset, KNOWN, LEARNERS, Learner, Machine, Points, Run, Seed, Shape, Targets, Values, Wanted,
};
use std::sync::Arc;

/// Rows around centres, one for each class, with values that follow the columns.
fn data(rows: usize, columns: usize, classes: usize, seed: u64, values: bool) -> Dataset {
    let draw = Seed(seed).fork("explained");
    let normal = |k: usize| (0..6).map(|j| draw.at(k).at(j).unit() - 0.5).sum::<f64>();
    let mut x = vec![];
    let (mut names, mut targets) = (vec![], vec![]);
    for i in 0..rows {
        let class = i % classes;
        let line: Vec<f64> = (0..columns)
            .map(|c| normal(i * columns + c) + if c % classes == class { 2.0 } else { 0.0 } + c as f64)
            .collect();
        targets.push(line.iter().enumerate().map(|(c, x)| x * (c as f64 - 1.0)).sum::<f64>() + normal(1_000_000 + i));
        names.push(Some(format!("class {class}")));
        x.extend(line);
    }
    let targets = match values {
        true => Targets::Values(Values::new(targets, "y")),
        false => Targets::Classes(Classes::from_names(&names)),
    };
    Dataset::new(Points::dense(x, rows, columns).unwrap(), targets)
}

fn fitted(name: &str, settings: &[(&str, &str)], data: &mut Dataset) -> Arc<dyn Machine> {
    let run = Run { threads: 2, catalog: &KNOWN, ..Run::quiet(1) };
    let mut learner: Box<dyn Learner> = KNOWN.learner(name).unwrap();
    if learner.traits().needs_shape {
        let (height, width) = (2, data.inputs.columns() / 2);
        data.features = data.features.clone().shaped(Shape::Image { height, width, channels: 1 }).unwrap();
    }
    settings.iter().for_each(|(key, value)| learner.set_text(key, value).unwrap());
    learner.fit(data, None, &run).unwrap().machine
}

fn told(machine: &dyn Machine, data: &Dataset, rows: usize, method: Option<Method>) -> pellucid::Result<Answer> {
    let run = Run { threads: 2, catalog: &KNOWN, ..Run::quiet(1) };
    let inputs = data.inputs.select(&(0..rows).collect::<Vec<_>>()).unwrap();
    let context = Context { background: Some(&data.inputs), ..Context::default() };
    explain_with(machine, &inputs, Question { method, output: None }, &context, &run)
}

/// Machines with settings that matter here, beside the catalog's own.
const MORE: &[(&str, &[(&str, &str)])] = &[
    ("svc", &[("kernel", "linear")]),
    ("svc", &[("kernel", "polynomial")]),
    ("svc", &[("kernel", "sigmoid")]),
    ("svc", &[("kernel", "laplacian")]),
    ("nu-svc", &[("nu", "0.2")]),
    ("knn", &[("k", "1")]),
    ("knn", &[("weighting", "distance")]),
    ("nearest-mean", &[("prototypes", "2")]),
    ("gmm", &[("covariance", "full")]),
];

fn cases() -> Vec<(&'static str, &'static [(&'static str, &'static str)])> {
    let own = LEARNERS.iter().filter(|e| e.name != "autoencoder").map(|e| match e.name {
        "cnn" => (e.name, &[("layers", "conv 3 2x2 norm relu, dense 4 tanh"), ("precision", "f64")][..]),
        _ => (e.name, &[][..]),
    });
    own.chain(MORE.iter().copied()).collect()
}

fn tasks(name: &str) -> Vec<bool> {
    match KNOWN.learner(name).unwrap().traits().needs.targets {
        Wanted::Values => vec![true],
        Wanted::Either => vec![false, true],
        _ => vec![false],
    }
}

#[test]
fn x2_x3_the_usual_explanation_of_every_machine_says_something_and_adds_up() {
    let mut wrong = vec![];
    for (name, settings) in cases() {
        for values in tasks(name) {
            for (classes, seed) in [(2, 1), (4, 2), (5, 3)] {
                let mut data = data(120, 4, classes, seed, values);
                let machine = fitted(name, settings, &mut data);
                let what = format!("{name} {settings:?} of {classes} classes");
                let answer = told(&*machine, &data, 12, None).unwrap_or_else(|e| panic!("{what}: {e}"));
                let method = suited(&*machine);
                assert_eq!(answer.relevance.method, method.word(), "{what}");
                let mut line = vec![0.0; answer.direct.values.columns()];
                let zeros = (0..12).filter(|&i| {
                    answer.direct.values.write_row(i, &mut line);
                    line.iter().all(|r| *r == 0.0)
                });
                let (zeros, lost) = (zeros.count(), answer.warnings.iter().find(|w| w.contains("lost")));
                if zeros > 0 || lost.is_some() {
                    wrong.push(format!("{what}: {} {zeros} rows of zeros, {lost:?}", method.word()));
                }
                let fits = fitting(&*machine).into_iter().find(|f| f.method == method).unwrap();
                assert_eq!(fits.why_not, None, "{what}");
                if !fits.adds_up {
                    assert!(fits.about.contains("not conservative"), "{what}: {}", fits.about);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn x8_methods_that_are_said_to_add_up_do() {
    let mut wrong = vec![];
    for (name, settings) in cases() {
        for values in tasks(name) {
            let mut data = data(90, 4, 3, 5, values);
            let machine = fitted(name, settings, &mut data);
            for fits in fitting(&*machine).into_iter().filter(|f| f.why_not.is_none()) {
                let answer = match told(&*machine, &data, 9, Some(fits.method)) {
                    Ok(answer) => answer,
                    // Deep Taylor decomposition refuses scores below 0 by its definition.
                    Err(e) if fits.method.above_zero() => {
                        assert!(e.to_string().contains("above 0"), "{name}: {e}");
                        continue;
                    }
                    Err(e) => panic!("{name} {settings:?} by {}: {e}", fits.method.word()),
                };
                let Some(balance) = &answer.direct.balance else {
                    assert!(!fits.adds_up, "{name}: {} has no accounts", fits.method.word());
                    continue;
                };
                let mut shares: Vec<f64> = balance.iter().map(|b| b.lost_share()).collect();
                shares.sort_by(f64::total_cmp);
                // Single rows may lose: a unit that nothing pulled up has nobody to give its relevance to.
                if fits.adds_up && shares[shares.len() / 2] > 0.01 {
                    wrong.push(format!("{name} {settings:?} {}: {:?}", fits.method.word(), shares));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn x3_gradients_do_not_fit_neighbours() {
    let mut data = data(60, 4, 3, 7, false);
    let machine = fitted("knn", &[], &mut data);
    let all = fitting(&*machine);
    let fit: Vec<&str> = all.iter().filter(|f| f.why_not.is_none()).map(|f| f.method.word()).collect();
    assert_eq!(fit, ["occlusion", "prediction-difference", "lime", "kernel-shap", "shapley", "random"]);
    let why = |m: Method| all.iter().find(|f| f.method == m).unwrap().why_not.clone().unwrap();
    assert!(why(Method::Gradient).contains("is piecewise constant"), "{}", why(Method::Gradient));
    assert!(why(Method::DeepLiftRevealCancel).contains("is piecewise constant"));
}
