//! Where label sets are cut: thresholds are the best there are, and conformal sets keep their promise over many draws.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod echo;

use base::{Dataset, LabelSets, Memory, Points, Run, Seed, Targets, normal};
use echo::Echo;
use pellucid_evaluate::{
    Decision, HeldScores, LabelCounts, Promise, conformal_cut, judge_machine, threshold_for_all, threshold_for_each,
};
use rand::RngExt;

/// Rows whose labels are drawn with probability `share`, true ones with larger scores; scores are multiples of `grid`.
fn drawn(rows: usize, labels: usize, share: f64, grid: f64, seed: Seed) -> Dataset {
    let mut stream = seed.stream();
    let (mut scores, mut starts, mut sets) = (vec![], vec![0], vec![]);
    for _ in 0..rows {
        for label in 0..labels {
            let is_true = stream.random::<f64>() < share;
            let score = normal(&mut stream) + if is_true { 1.0 } else { -1.0 };
            scores.push(if grid > 0.0 { (score / grid).round() * grid } else { score });
            if is_true {
                sets.push(label as u32);
            }
        }
        starts.push(sets.len());
    }
    let sets = LabelSets::new(starts, sets, names(labels), vec![]).unwrap();
    Dataset::new(Points::dense(scores, rows, labels).unwrap(), Targets::Sets(sets))
}

fn names(labels: usize) -> Vec<String> {
    (0..labels).map(|l| l.to_string()).collect()
}

/// Label by label what a threshold on all scores gives.
fn counted(data: &Dataset, labels: usize, threshold: f64) -> LabelCounts {
    let decision = Decision { positive: None, threshold };
    judge_machine(&Echo::new(&names(labels)), Some(&decision), data, None, &Run::quiet(1)).unwrap().labels.unwrap()
}

fn held(data: &Dataset, labels: usize) -> HeldScores {
    HeldScores::new(&Echo::new(&names(labels)), data, &Run::quiet(1)).unwrap()
}

/// Thresholds that tell all sets apart: below all scores, between neighbours, above all.
fn candidates(data: &Dataset) -> Vec<f64> {
    let mut scores = data.points().unwrap().to_dense(&Memory::unlimited()).unwrap().to_vec();
    scores.sort_by(f64::total_cmp);
    scores.dedup();
    let mut all: Vec<f64> = scores.windows(2).map(|w| 0.5 * (w[0] + w[1])).collect();
    all.extend([scores[0] - 1.0, scores[scores.len() - 1]]);
    all
}

#[test]
fn no_threshold_has_a_better_f1() {
    for case in 0..40 {
        let (rows, labels) = (1 + case * 7 % 23, 1 + case % 9);
        let weights: Vec<f64> =
            (0..rows).map(|i| f64::from((i * 5 % 3) as u32) + f64::from(u8::from(i == 0))).collect();
        let data = drawn(rows, labels, 0.3, 0.25, Seed(1).at(case));
        let data = Dataset { weights: Some(weights.into()), ..data };
        let held = held(&data, labels);
        let all = threshold_for_all(&held);
        let micro = |t: f64| counted(&data, labels, t).f1_of(0..labels).0;
        assert!((micro(all.threshold) - all.f1).abs() < 1e-12, "case {case}");
        let each = threshold_for_each(&held, labels, 1.0);
        let candidates = candidates(&data);
        for &t in &candidates {
            assert!(micro(t) <= all.f1 + 1e-12, "case {case}: {t} has {}, {all:?}", micro(t));
        }
        for (label, &own) in each.iter().enumerate() {
            let f1 = |t: f64| counted(&data, labels, t).f1(label);
            let best = candidates.iter().map(|&t| f1(t)).fold(0.0, f64::max);
            assert!(f1(own) >= best - 1e-12, "case {case}, label {label}: {} of {best}", f1(own));
        }
        // Labels with too few rows take the threshold for all.
        assert!(threshold_for_each(&held, labels, 1e9).iter().all(|&t| t == all.threshold));
    }
}

#[test]
fn of_many_labels_what_is_kept_is_exact_above_its_floor() {
    for case in 0..4 {
        let labels = 150 + 40 * case;
        let data = drawn(30, labels, 0.02, 0.0, Seed(2).at(case));
        let held = held(&data, labels);
        assert!(held.floor > -2.0 && held.rows.iter().all(|r| r.pairs.len() < 100 + labels / 5));
        let all = threshold_for_all(&held);
        assert!(all.threshold >= held.floor);
        assert!((counted(&data, labels, all.threshold).f1_of(0..labels).0 - all.f1).abs() < 1e-12);
        let best = candidates(&data).into_iter().filter(|t| *t >= held.floor);
        let best = best.map(|t| counted(&data, labels, t).f1_of(0..labels).0).fold(0.0, f64::max);
        assert!((best - all.f1).abs() < 1e-12, "{best} {all:?}");
    }
}

/// What fraction of its true labels each row misses when labels from the cut on are in its set.
fn missed(data: &Dataset, cut: f64) -> Vec<f64> {
    let Targets::Sets(sets) = &data.targets else { panic!() };
    let scores = data.points().unwrap().to_dense(&Memory::unlimited()).unwrap();
    let k = sets.names().len();
    let row = |i: usize| {
        let labels = sets.get(i).unwrap();
        let missed = labels.iter().filter(|&&l| scores[i * k + l as usize] < cut).count();
        missed as f64 / labels.len().max(1) as f64
    };
    (0..sets.len()).map(row).collect()
}

#[test]
fn the_cut_is_the_largest_that_the_definition_admits() {
    for case in 0..60 {
        let (rows, labels) = (12 + case % 31, 2 + case % 5);
        let data = drawn(rows, labels, 0.4, 0.25, Seed(3).at(case));
        let alpha = [0.1, 0.25, 0.5][case % 3];
        let n = rows as f64;
        for promise in [Promise::All, Promise::Missed] {
            let cut = conformal_cut(&held(&data, labels), promise, alpha).unwrap();
            let risk = |cut: f64| {
                let rows = missed(&data, cut);
                let loss = |m: &f64| if promise == Promise::All { m.ceil() } else { *m };
                (rows.iter().map(loss).sum::<f64>() + 1.0) / (n + 1.0)
            };
            assert!(risk(cut) <= alpha + 1e-9, "case {case}: {}", risk(cut));
            let scores = data.points().unwrap().to_dense(&Memory::unlimited()).unwrap().to_vec();
            let Targets::Sets(sets) = &data.targets else { panic!() };
            let truths = (0..rows).flat_map(|i| sets.get(i).unwrap().iter().map(move |&l| i * labels + l as usize));
            let larger = truths.map(|at| scores[at]).filter(|s| *s > cut);
            for other in larger {
                assert!(risk(other) > alpha - 1e-9, "case {case}: {other} above {cut} does as well");
            }
        }
    }
}

#[test]
fn conformal_sets_keep_their_promise_over_many_draws() {
    // Each draw has held-out rows and one new row of its own, so the outcomes are independent.
    let (draws, n, labels, alpha) = (3000, 60, 6, 0.2);
    let mut covered = 0.0;
    let (mut sum, mut squares) = (0.0, 0.0);
    for draw in 0..draws {
        let data = drawn(n + 1, labels, 0.4, 0.0, Seed(4).at(draw));
        let before = data.select(&(0..n).collect::<Vec<_>>()).unwrap();
        let new = data.select(&[n]).unwrap();
        let held = held(&before, labels);
        let all = conformal_cut(&held, Promise::All, alpha).unwrap();
        covered += f64::from(u8::from(missed(&new, all)[0] == 0.0));
        let loss = missed(&new, conformal_cut(&held, Promise::Missed, alpha).unwrap())[0];
        sum += loss;
        squares += loss * loss;
    }
    let count = draws as f64;
    let coverage = covered / count;
    // Four standard deviations of a binomial share. Rows without labels are always covered, all others lie between
    // 1 − α and 1 − α + 1/(n + 1).
    let noise = 4.0 * (alpha * (1.0 - alpha) / count).sqrt();
    assert!(coverage >= 1.0 - alpha - noise, "{coverage}");
    assert!(coverage <= 1.0 - alpha + 1.0 / (n as f64 + 1.0) + noise, "{coverage}: sets are larger than need be");
    let mean = sum / count;
    let noise = 4.0 * ((squares / count - mean * mean) / count).sqrt();
    assert!(mean <= alpha + noise, "{mean}");
    assert!(mean >= alpha - 2.0 / (n as f64 + 1.0) - noise, "{mean}: sets are larger than need be");
}

#[test]
fn too_few_rows_promise_nothing_and_unknown_labels_are_missed() {
    let data = drawn(8, 3, 0.5, 0.0, Seed(5));
    // 1/α − 1 = 9 rows are needed.
    assert_eq!(conformal_cut(&held(&data, 3), Promise::All, 0.1).unwrap(), f64::NEG_INFINITY);
    assert!(conformal_cut(&held(&data, 3), Promise::All, 0.2).unwrap().is_finite());
    for alpha in [0.0, 1.0, f64::NAN] {
        assert!(conformal_cut(&held(&data, 3), Promise::All, alpha).unwrap_err().to_string().contains("alpha"));
    }
    // A machine that knows one of two labels: rows with the other are missed whatever the cut.
    let sets = LabelSets::new((0..=20).collect(), [0, 1].repeat(10), names(2), vec![]).unwrap();
    let rows: Vec<[f64; 1]> = (0..20).map(|i| [f64::from(i)]).collect();
    let data = Dataset::new(Points::from_rows(&rows).unwrap(), Targets::Sets(sets));
    assert_eq!(conformal_cut(&held(&data, 1), Promise::All, 0.4).unwrap(), f64::NEG_INFINITY);
    assert!(conformal_cut(&held(&data, 1), Promise::All, 0.6).unwrap().is_finite());
    let tight = Run { memory: Memory::limited(64), ..Run::quiet(1) };
    assert!(HeldScores::new(&Echo::new(&names(1)), &data, &tight).is_err());
}
