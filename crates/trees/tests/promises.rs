//! Every variant of the trees keeps the promises of a learner.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Catalog, EmptyCatalog, Error, Learner, Machine, NumberOr, Record, Result, Run, Verdict};
use pellucid_trees::{Criterion, Forest, MaxFeatures, RandomForest, Tree};
use std::sync::Arc;
use testkit::{After, check_learner, toy_classes, toy_values};

struct Known;
impl Catalog for Known {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        EmptyCatalog.learner(name)
    }
    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        Ok(Arc::new(Forest::read(record)?))
    }
}

#[test]
fn trees_of_classes() {
    for (seed, criterion) in [(1, Criterion::Auto), (2, Criterion::Gini), (3, Criterion::Entropy)] {
        check_learner(&Tree { criterion, ..Default::default() }, &toy_classes(seed), &Known);
        let limited = Tree { criterion, depth: 3, min_leaf: 2.0, min_split: 6.0, ..Default::default() };
        check_learner(&limited, &toy_classes(seed + 10), &Known);
    }
    check_learner(&Tree { penalty: 0.02, boxes: true, ..Default::default() }, &toy_classes(4), &Known);
}

#[test]
fn trees_of_values() {
    check_learner(&Tree::default(), &toy_values(5), &Known);
    let limited = Tree { depth: 4, min_leaf: 3.0, min_decrease: 0.01, ..Default::default() };
    check_learner(&limited, &toy_values(6), &Known);
    check_learner(&Tree { penalty: 0.05, ..Default::default() }, &toy_values(7), &Known);
}

#[test]
fn forests() {
    let few = RandomForest { trees: 7, ..Default::default() };
    check_learner(&few, &toy_classes(8), &Known);
    check_learner(&few, &toy_values(9), &Known);
    check_learner(&RandomForest { bootstrap: false, boxes: true, ..few.clone() }, &toy_classes(10), &Known);
    let entropy =
        RandomForest { criterion: Criterion::Entropy, max_features: NumberOr::Word(MaxFeatures::Log2), ..few.clone() };
    check_learner(&entropy, &toy_classes(11), &Known);
    check_learner(
        &RandomForest { max_features: NumberOr::Number(2.0), depth: 4, min_leaf: 2.0, ..few },
        &toy_values(12),
        &Known,
    );
}

#[test]
fn a_stopped_forest_keeps_its_trees() {
    let data = toy_classes(13);
    let watch = After::new(9, Verdict::Enough);
    let run = Run { watch: &watch, ..Run::quiet(1) };
    let fitted = RandomForest::default().fit(&data, None, &run).unwrap();
    assert!(fitted.certificate.interrupted && !fitted.certificate.converged);
    let kept = Forest::read(&fitted.machine.record()).unwrap();
    assert!(kept.trees() > 1 && kept.trees() < 100, "{} trees", kept.trees());
    assert_eq!(kept.trees() as u64, fitted.certificate.steps);
    // They are the first trees of the whole forest.
    let same = RandomForest { trees: kept.trees(), ..Default::default() }.fit(&data, None, &Run::quiet(1)).unwrap();
    assert_eq!(same.machine.record(), fitted.machine.record());
}

#[test]
fn measures_for_other_targets_are_refused() {
    let run = Run::quiet(1);
    let squared = Tree { criterion: Criterion::Squared, ..Default::default() };
    assert!(matches!(squared.fit(&toy_classes(1), None, &run), Err(Error::Parameter { .. })));
    let gini = RandomForest { criterion: Criterion::Gini, ..Default::default() };
    assert!(matches!(gini.fit(&toy_values(1), None, &run), Err(Error::Parameter { .. })));
}

#[test]
fn spoiled_records_are_refused() {
    let learner = Tree { boxes: true, ..Default::default() };
    let record = learner.fit(&toy_classes(2), None, &Run::quiet(1)).unwrap().machine.record();
    assert!(Forest::read(&record).is_ok());
    let ids = |name: &str| record.ids(name).unwrap().to_vec();
    let with = |name: &str, change: &dyn Fn(&mut Vec<u32>)| {
        let mut list = ids(name);
        change(&mut list);
        record.clone().with(name, list)
    };
    for spoiled in [
        with("right", &|r| r[0] = 0),
        with("right", &|r| r[0] = 1),
        with("right", &|r| r[0] = r.len() as u32),
        with("right", &|r| *r.last_mut().unwrap() = u32::MAX),
        with("right", &|r| r.truncate(3)),
        with("asked", &|a| a[0] = 4),
        with("asked", &|a| *a.last_mut().unwrap() = 0),
        with("roots", &|r| r[0] = 1),
        with("roots", &|r| r.insert(1, 0)),
        with("roots", &|r| r.clear()),
        with("leaf-starts", &|s| s[1] = u32::MAX),
        with("leaf-starts", &|s| s.clear()),
        with("leaf-outputs", &|o| o[0] = 3),
        with("leaf-outputs", &|o| o.truncate(1)),
        record.clone().with_array("boxes", &[1, 4, 2], vec![0.0; 8]),
        record.clone().with_array("importance", &[4], vec![f64::NAN; 4]),
    ] {
        assert!(Forest::read(&spoiled).is_err());
    }
}

#[test]
fn tried_columns_are_a_word_a_number_or_a_share() {
    use base::Settings;
    let data = toy_classes(3);
    let fit = |text: &str| {
        let mut forest = RandomForest { trees: 3, ..Default::default() };
        forest.set_text("max_features", text).map(|()| forest.fit(&data, None, &Run::quiet(1)))
    };
    let same = |a: &str, b: &str| {
        let record = |text: &str| fit(text).unwrap().unwrap().machine.record();
        assert_eq!(record(a), record(b), "{a} and {b}");
    };
    // Four columns.
    same("sqrt", "2");
    same("sqrt", "0.5");
    same("all", "4");
    same("all", "100");
    same("third", "0.0001");
    same("auto", "sqrt");
    assert!(fit("0").is_err() && fit("-1").is_err() && fit("some").is_err());
    let wrong = fit("2.5").unwrap().err().unwrap().to_string();
    assert_eq!(wrong, "max_features = 2.5: must be a whole number or a fraction below 1");
    let mut earlier = Tree::default();
    earlier.set_text("features", "3").unwrap();
    assert_eq!(earlier.max_features, NumberOr::Number(3.0));
}
