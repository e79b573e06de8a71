//! Measures against scikit-learn's on drawn targets and scores.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Classes, Dataset, Link, Outputs, Points, Prediction, Run, Targets, Values};
use pellucid_evaluate::{Measures, judge};

struct Golden {
    rows: Vec<Vec<f64>>,
    columns: usize,
    answers: Vec<(String, f64)>,
}

fn golden(name: &str) -> Golden {
    let path = format!("{}/../../golden/measures/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("# scikit-learn"));
    let sizes: Vec<usize> = lines.next().unwrap().split(' ').map(|w| w.parse().unwrap()).collect();
    let numbers = |l: &str| l.split(' ').map(|w| w.parse().unwrap()).collect();
    let rows = lines.by_ref().take(sizes[0]).map(numbers).collect();
    let answer = |l: &str| l.split_once(' ').map(|(n, v)| (n.to_string(), v.parse().unwrap())).unwrap();
    Golden { rows, columns: sizes[1], answers: lines.map(answer).collect() }
}

fn check(name: &str, measures: &Measures, golden: &Golden) {
    assert!(golden.answers.len() >= 3);
    for (measure, theirs) in &golden.answers {
        let ours = measures.get(measure).unwrap_or_else(|| panic!("{name}: no {measure}"));
        assert!((ours - theirs).abs() <= 1e-12 * theirs.abs().max(1.0), "{name}: {measure} {ours}, expected {theirs}");
    }
}

#[test]
fn classes_are_judged_as_scikit_learn_does() {
    for i in 0..4 {
        let name = format!("classes{i}");
        let golden = golden(&name);
        let names: Vec<String> = (0..golden.columns).map(|c| c.to_string()).collect();
        let codes = golden.rows.iter().map(|r| r[0] as u32).collect();
        let scores = Points::from_rows(&golden.rows.iter().map(|r| &r[2..]).collect::<Vec<_>>()).unwrap();
        let classes = Classes::new(codes, names.clone()).unwrap().with_positive("1").unwrap();
        let targets = Targets::Classes(classes);
        let weights = Some(golden.rows.iter().map(|r| r[1]).collect());
        let data = Dataset { weights, ..Dataset::new(scores.clone(), targets) };
        let outputs = Outputs::classes(names.into(), Link::Identity);
        check(&name, &judge(&Prediction { scores, outputs }, &data, &Run::quiet(1)).unwrap(), &golden);
    }
}

#[test]
fn values_are_judged_as_scikit_learn_does() {
    for i in 0..2 {
        let name = format!("values{i}");
        let golden = golden(&name);
        let k = golden.columns;
        let names: Vec<String> = (0..k).map(|c| format!("y{c}")).collect();
        let truth = golden.rows.iter().flat_map(|r| &r[..k]).copied().collect();
        let scores = Points::from_rows(&golden.rows.iter().map(|r| &r[k + 1..]).collect::<Vec<_>>()).unwrap();
        let targets = Targets::Values(Values::several(truth, names.clone()).unwrap());
        let weights = Some(golden.rows.iter().map(|r| r[k]).collect());
        let data = Dataset { weights, ..Dataset::new(scores.clone(), targets) };
        let outputs = Outputs::values(names.into());
        check(&name, &judge(&Prediction { scores, outputs }, &data, &Run::quiet(1)).unwrap(), &golden);
    }
}
