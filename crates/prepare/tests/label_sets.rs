//! Steps that cut label sets, around a machine that learns: no row judges what it has chosen, and promises hold on new rows.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Chain, Dataset, Fact, Fitted, LabelSets, Learner, Points, Run, Seed, Targets, normal};
use evaluate::{Measures, Promise, judge_machine};
use linear::LinearSvm;
use pellucid_prepare::{Conformal, For, LabelCuts, Thresholds, Wrap, Wrapped};
use rand::RngExt;

const LABELS: usize = 5;

/// Rows of six numbers; each label is set on one side of a plane, with noise, label 4 rarely.
fn drawn(rows: usize, seed: Seed) -> Dataset {
    let mut stream = Seed(77).fork("planes").stream();
    let planes: Vec<Vec<f64>> = (0..LABELS).map(|_| (0..6).map(|_| normal(&mut stream)).collect()).collect();
    let mut stream = seed.stream();
    let (mut values, mut starts, mut labels) = (vec![], vec![0], vec![]);
    for _ in 0..rows {
        let x: Vec<f64> = (0..6).map(|_| normal(&mut stream)).collect();
        for (label, plane) in planes.iter().enumerate() {
            let side: f64 = plane.iter().zip(&x).map(|(w, x)| w * x).sum();
            let border = if label == 4 { 3.5 } else { 1.0 };
            if side + 1.5 * normal(&mut stream) > border {
                labels.push(label as u32);
            }
        }
        values.extend(x);
        starts.push(labels.len());
    }
    let names: Vec<String> = (0..LABELS).map(|l| format!("label {l}")).collect();
    let sets = LabelSets::new(starts, labels, names, vec![]).unwrap();
    Dataset::new(Points::dense(values, rows, 6).unwrap(), Targets::Sets(sets))
}

fn fitted(step: impl Wrap + 'static, data: &Dataset) -> Fitted {
    let learner = Wrapped { step: Box::new(step), learner: Box::new(LinearSvm::default()) };
    learner.fit(data, None, &Run::quiet(3)).unwrap()
}

fn judged(fitted: &Fitted, data: &Dataset) -> Measures {
    judge_machine(&*fitted.machine, None, data, None, &Run::quiet(1)).unwrap()
}

#[test]
fn thresholds_raise_f1_on_new_rows_and_leave_the_ranking() {
    let (data, new) = (drawn(1500, Seed(1)), drawn(4000, Seed(2)));
    let plain = LinearSvm::default().fit(&data, None, &Run::quiet(3)).unwrap();
    let all = fitted(Thresholds { labels: For::All, share: 0.3, ..Thresholds::default() }, &data);
    let each = fitted(Thresholds { labels: For::Each, share: 0.3, ..Thresholds::default() }, &data);
    let f1 = |fitted: &Fitted, name: &str| judged(fitted, &new).get(name).unwrap();
    assert!(f1(&all, "f1_micro") > f1(&plain, "f1_micro") + 0.01);
    assert!(f1(&each, "f1_macro") > f1(&plain, "f1_macro") + 0.02);
    // One threshold moves all scores alike.
    assert_eq!(f1(&all, "precision_at_1"), f1(&plain, "precision_at_1"));
    let cuts = all.machine.downcast::<Chain>().unwrap().machines()[1].clone();
    let cuts = cuts.downcast::<LabelCuts>().unwrap().cuts().to_vec();
    assert_eq!(all.certificate.facts["thresholds: threshold for all labels"], Fact::Number(cuts[0]));
}

#[test]
fn thresholds_are_chosen_on_rows_that_the_machine_has_not_seen() {
    // Of many features and few rows a machine knows its own rows perfectly: thresholds of these would be near 0 and the F1
    // told near 1.
    let mut stream = Seed(5).stream();
    let values: Vec<f64> = (0..60 * 200).map(|_| normal(&mut stream)).collect();
    let (mut starts, mut labels) = (vec![0], vec![]);
    for _ in 0..60 {
        (0..LABELS as u32).filter(|_| stream.random::<f64>() < 0.4).for_each(|l| labels.push(l));
        starts.push(labels.len());
    }
    let names: Vec<String> = (0..LABELS).map(|l| l.to_string()).collect();
    let sets = LabelSets::new(starts, labels, names, vec![]).unwrap();
    let data = Dataset::new(Points::dense(values, 60, 200).unwrap(), Targets::Sets(sets));
    let fit = fitted(Thresholds { share: 0.4, ..Thresholds::default() }, &data);
    let Fact::Number(f1) = fit.certificate.facts["thresholds: micro F1 there, optimistic"] else { panic!() };
    assert!(f1 < 0.8, "{f1}: labels are random, so that no machine can know those of rows it has not seen");
}

#[test]
fn conformal_sets_keep_their_promise_on_new_rows() {
    let new = drawn(2000, Seed(9));
    let (mut all, mut missed) = (0.0, 0.0);
    let fits = 20;
    for fit in 0..fits {
        let data = drawn(300, Seed(10).at(fit));
        let covering = fitted(Conformal { share: 0.4, alpha: 0.2, guarantee: Promise::All }, &data);
        all += judged(&covering, &new).get("label_coverage").unwrap() / fits as f64;
        let few = fitted(Conformal { share: 0.4, alpha: 0.1, guarantee: Promise::Missed }, &data);
        missed += mean_missed(&few, &new) / fits as f64;
    }
    // Over the draw of 120 held-out rows the coverage has a standard deviation of 0.037, over 20 fits 0.008.
    assert!((0.77..0.85).contains(&all), "{all}");
    assert!((0.06..0.12).contains(&missed), "{missed}");
}

/// The mean fraction of true labels that are not in the set.
fn mean_missed(fitted: &Fitted, data: &Dataset) -> f64 {
    let run = Run::quiet(1);
    let names = fitted.machine.outputs().names.clone();
    let scores = fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
    let Targets::Sets(sets) = &data.targets else { panic!() };
    let place: Vec<usize> = sets.names().iter().map(|n| names.iter().position(|m| m == n).unwrap()).collect();
    let row = |i: usize| {
        let labels = sets.get(i).unwrap();
        let missed = labels.iter().filter(|&&l| scores[i * names.len() + place[l as usize]] <= 0.0).count();
        missed as f64 / labels.len().max(1) as f64
    };
    (0..sets.len()).map(row).sum::<f64>() / sets.len() as f64
}

#[test]
fn what_cannot_be_cut_is_said() {
    let fails = |step: Box<dyn Wrap>, data: &Dataset| {
        let learner = Wrapped { step, learner: Box::new(LinearSvm::default()) };
        learner.fit(data, None, &Run::quiet(3)).err().unwrap().to_string()
    };
    let classes = testkit::toy_classes(1);
    assert!(fails(Box::<Thresholds>::default(), &classes).contains("it is for label sets"));
    assert!(fails(Box::<Conformal>::default(), &classes).contains("detectors"));
    let few = fails(Box::new(Conformal { alpha: 0.01, ..Conformal::default() }), &drawn(100, Seed(1)));
    assert!(few.contains("20 held-out rows cannot promise alpha = 0.01"), "{few}");
    let none = fails(Box::new(Conformal { alpha: 0.0, ..Conformal::default() }), &drawn(100, Seed(1)));
    assert!(none.contains("alpha"), "{none}");
}
