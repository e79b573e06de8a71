//! Trees against scikit-learn's.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Classes, Dataset, Learner, Points, Run, Targets, Values};
use pellucid_trees::{Criterion, Forest, Tree, pruning_path};
use testkit::check_golden;

const ROWS: usize = 150;

fn golden(name: &str) -> String {
    let path = format!("{}/../../golden/trees/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn numbers(name: &str) -> Vec<f64> {
    golden(name).lines().skip(1).map(|l| l.parse().unwrap()).collect()
}

struct Problem {
    points: Points,
    weights: Vec<f64>,
    values: Vec<f64>,
    classes: Vec<Option<String>>,
}

fn problem(gaps: bool) -> Problem {
    let all = numbers("data");
    let rows: Vec<&[f64]> = all.chunks(7).collect();
    let points = match gaps {
        true => Points::dense(numbers("gaps"), rows.len(), 4).unwrap(),
        false => Points::from_rows(&rows.iter().map(|r| &r[..4]).collect::<Vec<_>>()).unwrap(),
    };
    Problem {
        points,
        weights: rows.iter().map(|r| r[4]).collect(),
        values: rows.iter().map(|r| r[5]).collect(),
        classes: rows.iter().map(|r| Some(r[6].to_string())).collect(),
    }
}

impl Problem {
    fn data(&self, classes: bool, weighted: bool) -> Dataset {
        let targets = match classes {
            true => Targets::Classes(Classes::from_names(&self.classes)),
            false => Targets::Values(Values::new(self.values.clone(), "y")),
        };
        let weights = weighted.then(|| self.weights.clone().into());
        Dataset { weights, ..Dataset::new(self.points.clone(), targets) }
    }
}

/// Fits on the first rows and answers the others.
fn ask(learner: &Tree, data: &Dataset) -> (Vec<f64>, Vec<f64>) {
    let run = Run::quiet(1);
    let train: Vec<usize> = (0..ROWS).collect();
    let fitted = learner.fit(&data.select(&train).unwrap(), None, &run).unwrap();
    let rest = data.inputs.slice(ROWS..data.len()).unwrap();
    let answers = fitted.machine.compute(&rest, &run).unwrap().to_dense(&run.memory).unwrap().to_vec();
    (answers, Forest::read(&fitted.machine.record()).unwrap().importance().to_vec())
}

/// Compares answers and importance.
fn compare(name: &str, learner: &Tree, data: &Dataset) {
    let (answers, importance) = ask(learner, data);
    check_golden(&golden(name), &answers, 1e-12);
    check_golden(&golden(&format!("{name}_importance")), &importance, 1e-10);
}

fn leaf5() -> Tree {
    Tree { min_leaf: 5.0, ..Default::default() }
}

fn shallow() -> Tree {
    Tree { depth: 4, min_leaf: 10.0, ..Default::default() }
}

#[test]
fn classes_are_those_of_scikit_learn() {
    let problem = problem(false);
    for (criterion, name) in [(Criterion::Gini, "gini"), (Criterion::Entropy, "entropy")] {
        compare(name, &Tree { criterion, ..shallow() }, &problem.data(true, false));
        let weighted = Tree { criterion, min_leaf: 6.0, ..shallow() };
        compare(&format!("{name}_weighted"), &weighted, &problem.data(true, true));
    }
}

#[test]
fn values_are_those_of_scikit_learn() {
    let problem = problem(false);
    compare("squared", &leaf5(), &problem.data(false, false));
    compare("squared_weighted", &Tree { min_leaf: 6.0, ..leaf5() }, &problem.data(false, true));
    let least = Tree { min_decrease: 0.02, ..Default::default() };
    compare("squared_decrease", &least, &problem.data(false, false));
    let mut x = [0.0; 4];
    let pair = |i: usize| {
        problem.points.write_row(i, &mut x);
        [problem.values[i], x[3] - x[0]]
    };
    let two: Vec<f64> = (0..problem.points.len()).flat_map(pair).collect();
    let targets = Targets::Values(Values::several(two, vec!["a".to_string(), "b".to_string()]).unwrap());
    compare("squared_two", &leaf5(), &Dataset { targets, ..problem.data(false, false) });
}

#[test]
fn gaps_go_where_scikit_learn_sends_them() {
    let problem = problem(true);
    compare("squared_gaps", &leaf5(), &problem.data(false, false));
    compare("gini_gaps", &Tree { depth: 3, ..shallow() }, &problem.data(true, false));
}

#[test]
fn pruning_is_that_of_scikit_learn() {
    let problem = problem(false);
    let train: Vec<usize> = (0..ROWS).collect();
    for (name, classes, limits) in [("gini", true, shallow()), ("squared", false, leaf5())] {
        let data = problem.data(classes, false);
        let path = pruning_path(&limits, &data.select(&train).unwrap(), &Run::quiet(1)).unwrap();
        check_golden(&golden(&format!("{name}_path")), &[path.alphas, path.impurities].concat(), 1e-9);
        compare(&format!("{name}_pruned"), &Tree { penalty: 0.02, ..limits }, &data);
    }
}
