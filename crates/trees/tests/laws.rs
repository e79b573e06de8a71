//! Laws of trees and forests on drawn data, and slow twins from the definitions.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Classes, Dataset, Fact, Fitted, Inputs, Learner, Machine, Points, Prediction, Run, Seed, Targets, Values};
use pellucid_trees::{Criterion, Forest, GAP_LEFT, RandomForest, Tree};
use testkit::{assert_close, toy_classes, toy_values};

fn drawn(rows: usize, columns: usize, seed: u64) -> Vec<f64> {
    (0..rows * columns).map(|i| Seed(seed).at(i).unit() * 4.0 - 2.0).collect()
}

fn classes(rows: usize, columns: usize, seed: u64) -> Dataset {
    let x = drawn(rows, columns, seed);
    let name = |row: &[f64]| Some(format!("{}", (row[0] * row[1] > 0.3) as u8 + (row[2] > 1.0) as u8));
    let names: Vec<Option<String>> = x.chunks(columns).map(name).collect();
    Dataset::new(Points::dense(x, rows, columns).unwrap(), Targets::Classes(Classes::from_names(&names)))
}

fn values(rows: usize, columns: usize, seed: u64) -> Dataset {
    let x = drawn(rows, columns, seed);
    let y = x.chunks(columns).map(|r| (2.0 * r[0]).sin() + r[1] * r[2]).collect();
    Dataset::new(Points::dense(x, rows, columns).unwrap(), Targets::Values(Values::new(y, "y")))
}

fn scores(fitted: &Fitted, inputs: &Inputs) -> Vec<f64> {
    let run = Run::quiet(1);
    fitted.machine.compute(inputs, &run).unwrap().to_dense(&run.memory).unwrap().to_vec()
}

fn forest(fitted: &Fitted) -> Forest {
    Forest::read(&fitted.machine.record()).unwrap()
}

fn fit(learner: &dyn Learner, data: &Dataset) -> Fitted {
    learner.fit(data, None, &Run::quiet(5)).unwrap()
}

#[test]
fn a_tree_without_limits_knows_its_rows() {
    let data = classes(300, 3, 1);
    for criterion in [Criterion::Gini, Criterion::Entropy] {
        let fitted = fit(&Tree { criterion, ..Default::default() }, &data);
        let run = Run::quiet(1);
        let found = Prediction::of(&*fitted.machine, &data.inputs, &run).unwrap().classes(&run).unwrap();
        let Targets::Classes(c) = &data.targets else { panic!() };
        assert_eq!(found, c.codes());
        assert_eq!(fitted.certificate.objective, Some(0.0));
    }
    let data = values(300, 3, 2);
    let Targets::Values(v) = &data.targets else { panic!() };
    assert_eq!(scores(&fit(&Tree::default(), &data), &data.inputs), v.values());
}

#[test]
fn columns_may_change_places() {
    for data in [classes(200, 4, 3), values(200, 4, 3)] {
        let order = [2, 0, 3, 1];
        let x = data.points().unwrap().to_dense(&Run::quiet(1).memory).unwrap();
        let moved: Vec<f64> = x.chunks(4).flat_map(|r| order.map(|c| r[c])).collect();
        let moved = Dataset { inputs: Points::dense(moved, 200, 4).unwrap().into(), ..data.clone() };
        let limits = Tree { min_leaf: 8.0, ..Default::default() };
        let (a, b) = (fit(&limits, &data), fit(&limits, &moved));
        assert_close(&scores(&a, &data.inputs), &scores(&b, &moved.inputs), 1e-12, "other answers");
        let (a, b) = (forest(&a), forest(&b));
        assert_close(&order.map(|c| a.importance()[c]), b.importance(), 1e-12, "other importance");
        assert!((a.importance().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // A column that is always the same is never asked for, wherever it stands.
        let wider: Vec<f64> = x.chunks(4).flat_map(|r| [7.0, r[0], r[1], r[2], r[3]]).collect();
        let wider = Dataset::new(Points::dense(wider, 200, 5).unwrap(), data.targets.clone());
        let c = fit(&limits, &wider);
        assert_eq!(scores(&c, &wider.inputs), scores(&fit(&limits, &data), &data.inputs));
        assert_eq!(forest(&c).importance()[0], 0.0);
    }
}

#[test]
fn values_far_from_zero_change_nothing() {
    let data = values(200, 3, 4);
    let Targets::Values(v) = &data.targets else { panic!() };
    let far: Vec<f64> = v.values().iter().map(|y| y + 1e8).collect();
    let far = Dataset { targets: Targets::Values(Values::new(far, "y")), ..data.clone() };
    let limits = Tree { min_leaf: 8.0, ..Default::default() };
    let near = scores(&fit(&limits, &data), &data.inputs);
    let found: Vec<f64> = scores(&fit(&limits, &far), &data.inputs).iter().map(|y| y - 1e8).collect();
    assert_close(&found, &near, 1e-6, "the offset matters");
}

/// Impurity of some rows times their weight, from the definition.
fn impurity(rows: &[usize], data: &Dataset, criterion: Criterion) -> f64 {
    let weight = |&r: &usize| data.weight(r);
    let whole: f64 = rows.iter().map(weight).sum();
    match &data.targets {
        Targets::Classes(c) => {
            let mut counts = vec![0.0; c.names().len()];
            rows.iter().for_each(|r| counts[c.codes()[*r] as usize] += weight(r));
            let shares = counts.iter().map(|n| n / whole).filter(|p| *p > 0.0);
            match criterion {
                Criterion::Entropy => whole * shares.map(|p| -p * p.log2()).sum::<f64>(),
                _ => whole * (1.0 - shares.map(|p| p * p).sum::<f64>()),
            }
        }
        Targets::Values(v) => {
            let mean = rows.iter().map(|r| weight(r) * v.values()[*r]).sum::<f64>() / whole;
            rows.iter().map(|r| weight(r) * (v.values()[*r] - mean).powi(2)).sum()
        }
        _ => panic!(),
    }
}

#[test]
fn one_split_is_the_best_of_all() {
    for seed in 0..20 {
        for (mut data, criterion) in [
            (classes(60, 3, seed), Criterion::Gini),
            (classes(60, 3, seed), Criterion::Entropy),
            (values(60, 3, seed), Criterion::Squared),
        ] {
            data.weights = Some((0..60).map(|i| 0.1 + Seed(seed).fork("w").at(i).unit()).collect());
            let fitted = fit(&Tree { criterion, depth: 1, ..Default::default() }, &data);
            let whole: f64 = data.weights.iter().flatten().sum();
            let x = data.points().unwrap().to_dense(&Run::quiet(1).memory).unwrap();
            let mut best = f64::INFINITY;
            for column in 0..3 {
                for cut in 0..60 {
                    let threshold = x[cut * 3 + column];
                    let (left, right): (Vec<usize>, Vec<usize>) = (0..60).partition(|r| x[r * 3 + column] <= threshold);
                    if !right.is_empty() {
                        best = best.min(impurity(&left, &data, criterion) + impurity(&right, &data, criterion));
                    }
                }
            }
            assert_close(&[fitted.certificate.objective.unwrap()], &[best / whole], 1e-10, criterion.word());
        }
    }
}

#[test]
fn gaps_are_sent_to_the_better_side() {
    // The rows with gaps are like those with large values, then like those with small ones.
    for like_large in [true, false] {
        let mut x: Vec<f64> = (0..40).map(f64::from).collect();
        let mut names: Vec<Option<&str>> = (0..40).map(|i| Some(if i < 20 { "small" } else { "large" })).collect();
        x.extend([f64::NAN; 5]);
        names.extend([Some(if like_large { "large" } else { "small" }); 5]);
        let data = Dataset::new(Points::dense(x, 45, 1).unwrap(), Targets::Classes(Classes::from_names(&names)));
        let fitted = fit(&Tree::default(), &data);
        assert_eq!(forest(&fitted).leaves(), 2);
        let asked: Inputs = Points::dense(vec![f64::NAN, 19.4, 19.6], 3, 1).unwrap().into();
        let large = f64::from(u8::from(like_large));
        assert_eq!(scores(&fitted, &asked), [large, 1.0 - large, 0.0, 1.0, 1.0, 0.0]);
    }
    // Gaps alone may make the difference.
    let x: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { f64::NAN } else { f64::from(i) }).collect();
    let y = (0..20).map(|i| f64::from(i % 2)).collect();
    let data = Dataset::new(Points::dense(x, 20, 1).unwrap(), Targets::Values(Values::new(y, "y")));
    let fitted = fit(&Tree::default(), &data);
    let asked: Inputs = Points::dense(vec![f64::NAN, 1e300, -1e300], 3, 1).unwrap().into();
    assert_eq!(scores(&fitted, &asked), [0.0, 1.0, 1.0]);
}

#[test]
fn forests_are_honest_out_of_the_bag() {
    let data = classes(400, 5, 6);
    let fitted = fit(&RandomForest { trees: 60, ..Default::default() }, &data);
    let Fact::Number(oob) = fitted.certificate.facts["out-of-bag accuracy"] else { panic!() };
    let fresh = classes(2000, 5, 7);
    let run = Run::quiet(1);
    let found = Prediction::of(&*fitted.machine, &fresh.inputs, &run).unwrap().classes(&run).unwrap();
    let Targets::Classes(c) = &fresh.targets else { panic!() };
    let accuracy = found.iter().zip(c.codes()).filter(|(a, b)| a == b).count() as f64 / 2000.0;
    // The standard deviation of the out-of-bag share is about 0.015.
    assert!((accuracy - oob).abs() < 0.05 && accuracy > 0.85, "{accuracy} {oob}");

    let data = values(400, 5, 8);
    let fitted = fit(&RandomForest { trees: 60, ..Default::default() }, &data);
    let Fact::Number(r2) = fitted.certificate.facts["out-of-bag r2"] else { panic!() };
    let fresh = values(2000, 5, 12);
    let Targets::Values(v) = &fresh.targets else { panic!() };
    let mean = v.values().iter().sum::<f64>() / 2000.0;
    let left: f64 = scores(&fitted, &fresh.inputs).iter().zip(v.values()).map(|(s, y)| (s - y).powi(2)).sum();
    let all: f64 = v.values().iter().map(|y| (y - mean).powi(2)).sum();
    let honest = 1.0 - left / all;
    assert!((r2 - honest).abs() < 0.06, "{r2} out of the bag, {honest} on fresh rows");
}

#[test]
fn d15_a_forest_keeps_nothing_of_its_training_rows() {
    for data in [classes(400, 5, 6), values(400, 5, 6)] {
        let fitted = fit(&RandomForest::default(), &data);
        assert!(fitted.certificate.facts.keys().any(|name| name.starts_with("out-of-bag")));
        for (name, fact) in &fitted.certificate.facts {
            assert!(matches!(fact, Fact::Number(_)), "{name} has a value for each row");
        }
    }
}

#[test]
fn d45_probabilities_of_a_forest_do_not_exceed_1() {
    for trees in [3, 10, 49, 100, 197] {
        let data = classes(150, 3, trees as u64);
        let fitted = fit(&RandomForest { trees, ..Default::default() }, &data);
        let all = scores(&fitted, &data.inputs);
        assert!(all.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", all.iter().copied().fold(0.0, f64::max));
        for row in all.chunks(fitted.machine.outputs().names.len()) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_forest_of_one_tree_without_draws_is_the_tree() {
    for data in [toy_classes(3), toy_values(3)] {
        let one = RandomForest {
            trees: 1,
            bootstrap: false,
            max_features: base::NumberOr::Number(4.0),
            ..Default::default()
        };
        let (a, b) = (fit(&one, &data), fit(&Tree::default(), &data));
        assert_eq!(a.machine.record(), b.machine.record());
    }
}

#[test]
fn diagnoses_are_those_of_their_definitions() {
    let data = classes(200, 3, 9);
    let fitted = fit(&RandomForest { trees: 12, boxes: true, min_leaf: 4.0, ..Default::default() }, &data);
    let machine = forest(&fitted);
    let run = Run::quiet(1);
    let asked: Inputs =
        Points::dense(drawn(50, 3, 10).iter().map(|x| 1.3 * x).collect::<Vec<_>>(), 50, 3).unwrap().into();
    let found = machine.diagnose(&asked, &run).unwrap();
    assert_eq!(found, machine.diagnose(&asked, &Run { threads: 4, ..run.clone() }).unwrap());

    let record = machine.record();
    let (nodes, roots) = (record.ids("asked").unwrap(), record.ids("roots").unwrap());
    let right = record.ids("right").unwrap();
    let thresholds = record.array_of("thresholds", &[nodes.len()]).unwrap();
    let boxes = record.array_of("boxes", &[nodes.len(), 3, 2]).unwrap();
    let (starts, outputs) = (record.ids("leaf-starts").unwrap(), record.ids("leaf-outputs").unwrap());
    let shares = record.array_of("leaf-values", &[outputs.len()]).unwrap();
    let width = machine.outputs().names.len();
    let mut x = [0.0; 3];
    for (row, diagnosis) in found.iter().enumerate() {
        let Inputs::Points(points) = &asked else { panic!() };
        points.write_row(row, &mut x);
        let (mut said, mut ibs) = (vec![], 0.0);
        for &root in &roots[..roots.len() - 1] {
            let (mut at, mut path) = (root as usize, vec![]);
            loop {
                let sides = &boxes[at * 6..(at + 1) * 6];
                path.push((0..3).all(|c| sides[2 * c] <= x[c] && x[c] <= sides[2 * c + 1]));
                if nodes[at] == u32::MAX {
                    break;
                }
                let column = (nodes[at] & 0x7fff_ffff) as usize;
                at = if x[column] <= thresholds[at] { at + 1 } else { right[at] as usize };
            }
            ibs += path.iter().filter(|p| **p).count() as f64 / path.len() as f64 / 12.0;
            let mut p = vec![0.0; width];
            let leaf = right[at] as usize;
            (starts[leaf] as usize..starts[leaf + 1] as usize).for_each(|e| p[outputs[e] as usize] = shares[e]);
            said.push(p);
        }
        let mut dps = 0.0;
        for s in 0..12 {
            for t in (0..12).filter(|&t| t != s) {
                dps += said[s].iter().zip(&said[t]).map(|(a, b)| a * b).sum::<f64>() / (12.0 * 11.0);
            }
        }
        assert_close(&[diagnosis.dps, diagnosis.ibs.unwrap()], &[dps, ibs], 1e-12, "diagnosis");
    }
}

#[test]
fn boxes_are_those_of_the_rows_that_reach_them() {
    let data = classes(120, 3, 11);
    let fitted = fit(&Tree { boxes: true, depth: 4, ..Default::default() }, &data);
    let machine = forest(&fitted);
    // Every training row lies in every box on its way; a stranger lies in none.
    let known = machine.diagnose(&data.inputs, &Run::quiet(1)).unwrap();
    assert!(known.iter().all(|d| d.ibs == Some(1.0) && d.dps == 1.0));
    let far: Inputs = Points::dense(vec![0.0, 0.0, 9.0], 1, 3).unwrap().into();
    assert_eq!(machine.diagnose(&far, &Run::quiet(1)).unwrap()[0].ibs, Some(0.0));
    let record = machine.record();
    let (nodes, right) = (record.ids("asked").unwrap(), record.ids("right").unwrap());
    let thresholds = record.array_of("thresholds", &[nodes.len()]).unwrap();
    let boxes = record.array_of("boxes", &[nodes.len(), 3, 2]).unwrap();
    let mut expected = vec![[f64::INFINITY, f64::NEG_INFINITY]; nodes.len() * 3];
    let x = data.points().unwrap().to_dense(&Run::quiet(1).memory).unwrap();
    for row in x.chunks(3) {
        let mut at = 0;
        loop {
            for (side, &x) in expected[at * 3..(at + 1) * 3].iter_mut().zip(row) {
                *side = [side[0].min(x), side[1].max(x)];
            }
            if nodes[at] == u32::MAX {
                break;
            }
            let column = (nodes[at] & 0x7fff_ffff) as usize;
            at = if row[column] <= thresholds[at] { at + 1 } else { right[at] as usize };
        }
    }
    assert_eq!(boxes, expected.concat());
    assert!(forest(&fit(&Tree::default(), &toy_values(1))).diagnose(&toy_values(1).inputs, &Run::quiet(1)).is_err());
    let plain = forest(&fit(&Tree::default(), &data)).diagnose(&data.inputs, &Run::quiet(1)).unwrap();
    assert_eq!(plain[0].ibs, None);
}

/// Feature bagging: among m columns tried at each split the best is taken. With one that decides alone it is at the root
/// whenever it is tried, with probability m/4; without it the first of the others is.
#[test]
fn splits_try_so_many_random_columns_and_a_forest_is_the_mean_of_its_trees() {
    let n = 200;
    for seed in testkit::seeds(2) {
        let x = drawn(n, 4, seed);
        let codes = x.chunks(4).map(|r| u32::from(r[2] > 0.1)).collect();
        let names = vec!["no".to_string(), "yes".to_string()];
        let classes = Targets::Classes(Classes::new(codes, names).unwrap());
        let data = Dataset::new(Points::dense(x, n, 4).unwrap(), classes);
        for tried in 1..=4 {
            let learner = RandomForest {
                trees: 400,
                depth: 1,
                bootstrap: false,
                out_of_bag: false,
                max_features: base::NumberOr::Number(f64::from(tried)),
                ..Default::default()
            };
            let fitted = learner.fit(&data, None, &Run::quiet(seed)).unwrap();
            let forest = forest(&fitted);
            assert_eq!(forest.trees(), 400);
            let roots = &forest.roots()[..400];
            let root = |c: u32| {
                let roots = roots.iter();
                roots.filter(|&&r| forest.all_nodes()[r as usize].feature & !GAP_LEFT == c).count() as f64 / 400.0
            };
            let chance = f64::from(tried) / 4.0;
            let spread = (chance * (1.0 - chance) / 400.0).sqrt();
            assert!((root(2) - chance).abs() <= 5.0 * spread, "{tried} tried: {} of {chance}", root(2));
            if tried == 1 {
                for c in [0, 1, 3] {
                    assert!((root(c) - 0.25).abs() <= 5.0 * spread, "column {c}: {}", root(c));
                }
            }
            // The forest is the mean of its trees: a stump says the fraction of "yes" on its side.
            let points = data.points().unwrap().to_dense(&Run::quiet(1).memory).unwrap();
            let Targets::Classes(c) = &data.targets else { panic!() };
            let asked = &points[4 * 7..4 * 8];
            let mut mean = 0.0;
            for &r in roots {
                let node = &forest.all_nodes()[r as usize];
                let column = (node.feature & !GAP_LEFT) as usize;
                let left = |row: &[f64]| row[column] <= node.threshold;
                let side: Vec<usize> = (0..n).filter(|&i| left(&points[4 * i..4 * i + 4]) == left(asked)).collect();
                mean += side.iter().filter(|&&i| c.codes()[i] == 1).count() as f64 / side.len() as f64 / 400.0;
            }
            let scores = scores(&fitted, &data.inputs.slice(7..8).unwrap());
            assert!((scores[1] - mean).abs() < 1e-9, "{} {mean}", scores[1]);
        }
    }
}
