//! Linear support vector machines: a library's numbers, duality, and the definition of every loss.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Classes, Dataset, Fact, Fitted, Gap, Learner, Machine, Points, Run, Seed, Sparse, Targets, Values};
use pellucid_linear::{Linear, LinearSvm, LinearSvr, Loss, Multiclass, TubeLoss};
use testkit::{as_sparse, assert_close};

const ALL: [Multiclass; 8] = [
    Multiclass::OneVsRest,
    Multiclass::WestonWatkins,
    Multiclass::CrammerSinger,
    Multiclass::LeeLinWahba,
    Multiclass::Mmr,
    Multiclass::Adm,
    Multiclass::Ats,
    Multiclass::Atm,
];

fn classes(points: Points, codes: &[u32]) -> Dataset {
    let count = codes.iter().max().unwrap() + 1;
    let names: Vec<String> = (0..count).map(|c| format!("c{c}")).collect();
    Dataset::new(points, Targets::Classes(Classes::new(codes.to_vec(), names).unwrap()))
}

fn weights(fitted: &Fitted) -> Vec<f64> {
    let machine: &Linear = fitted.machine.expect::<Linear>().unwrap();
    machine.weights().to_dense(&base::Memory::unlimited()).unwrap().to_vec()
}

fn fact(fitted: &Fitted, name: &str) -> f64 {
    match fitted.certificate.facts[name] {
        Fact::Number(x) => x,
        Fact::Curve(_) => panic!("{name} is a curve"),
    }
}

/// A form, its least objective, and its coefficients where they are unique.
type Case = (Multiclass, f64, Option<[[f64; 3]; 5]>);

/// Shark 4's unit tests of its multi-class trainers: five points, three classes, C = 0.5, no offset; relative margins of 2.
/// The coefficients α_ic make w_c = Σ_i α_ic x_i, moved to sum 0 over the classes where the form asks for it.
#[test]
fn five_points_of_shark() {
    let x = [[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0], [0.0, 2.0], [0.0, 99.0]];
    let data = classes(Points::from_rows(&x).unwrap(), &[0, 1, 2, 2, 2]);
    let llw = [[0.0, -0.5, -0.5], [-0.5, 0.0, -0.5], [-0.5, -0.5, 0.0], [-0.25, -0.25, 0.0], [0.0; 3]];
    let adm = [[0.0, -0.4375, -0.0625], [-0.4375, 0.0, -0.0625], [0.0, -0.5, 0.0], [-0.375, -0.125, 0.0], [0.0; 3]];
    let cases: [Case; 8] = [
        (Multiclass::OneVsRest, 2.5, None),
        (Multiclass::Mmr, 0.916667, Some([[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5], [0.0; 3], [0.0; 3]])),
        (
            Multiclass::WestonWatkins,
            1.703125,
            Some([[0.4375, -0.25, -0.1875], [-0.25, 0.4375, -0.1875], [-0.25, -0.25, 0.5], [0.0; 3], [0.0; 3]]),
        ),
        (
            Multiclass::CrammerSinger,
            1.333333,
            Some([
                [0.25, -0.25, 0.0],
                [-0.25, 0.25, 0.0],
                [-0.000163, -0.25, 0.250163],
                [-0.1666, -0.04166, 0.2083],
                [0.0; 3],
            ]),
        ),
        (Multiclass::LeeLinWahba, 2.5, Some(llw)),
        (Multiclass::Adm, 1.744792, Some(adm)),
        (
            Multiclass::Ats,
            2.5,
            Some([[0.0, -0.5, 0.0], [-0.5, 0.0, 0.0], [-0.5, -0.5, 0.5], [-0.5, -0.5, 0.0], [0.0; 3]]),
        ),
        (Multiclass::Atm, 1.744792, Some(adm)),
    ];
    for (multiclass, objective, alpha) in cases {
        let learner =
            LinearSvm { c: 0.5, multiclass, margin: 2.0, intercept: false, gap: 1e-9, ..LinearSvm::default() };
        let fitted = learner.fit(&data, None, &Run::quiet(1)).unwrap();
        let found = fitted.certificate.objective.unwrap();
        assert!((found - objective).abs() < 2e-6, "{multiclass:?}: {found}, not {objective}");
        let Some(alpha) = alpha else { continue };
        let mut expected = vec![0.0; 6];
        for (row, x) in alpha.iter().zip(&x) {
            (0..3).for_each(|c| (0..2).for_each(|j| expected[2 * c + j] += row[c] * x[j]));
        }
        for j in 0..2 {
            let mean = (0..3).map(|c| expected[2 * c + j]).sum::<f64>() / 3.0;
            (0..3).for_each(|c| expected[2 * c + j] -= mean);
        }
        // Shark's coefficients are only as good as its stopping rule and their last printed digit.
        for (a, b) in weights(&fitted).iter().zip(&expected) {
            assert!((a - b).abs() < 5e-4, "{multiclass:?}: {:?}, not {expected:?}", weights(&fitted));
        }
    }
}

/// A problem of random size: rows around the centre of their class, with as much noise as distance.
fn random(seed: Seed, most: f64) -> Dataset {
    let size = |i: usize, low: f64, high: f64| (low + seed.at(i).unit() * (high - low)) as usize;
    let (d, k) = (size(0, 1.0, 12.0), size(1, 2.0, 9.0));
    let n = size(2, k as f64, most);
    let codes: Vec<u32> = (0..n).map(|i| (if i < k { i } else { size(1000 + i, 0.0, k as f64) }) as u32).collect();
    let rows: Vec<Vec<f64>> = codes
        .iter()
        .enumerate()
        .map(|(i, &c)| {
            let at = |s: Seed, j: usize| s.at(j).unit() - 0.5;
            let row = (0..d).map(|j| at(seed.fork("centre").at(c as usize), j) + at(seed.fork("noise").at(i), j));
            row.map(|x| if x.abs() < 0.1 { 0.0 } else { x }).collect()
        })
        .collect();
    classes(Points::from_rows(&rows).unwrap(), &codes)
}

/// The objective as the table in `scheme.rs` says it.
fn by_definition(learner: &LinearSvm, data: &Dataset, fitted: &Fitted) -> f64 {
    let run = Run::quiet(1);
    let machine: &Linear = fitted.machine.expect::<Linear>().unwrap();
    let k = machine.outputs().names.len();
    let scores = fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
    let squares = |v: &[f64]| v.iter().map(|w| w * w).sum::<f64>();
    // Offsets are weights of a feature of value 1.
    let mut norm = squares(&weights(fitted)) + squares(machine.offsets());
    let codes = base::classes_of(data).unwrap().codes();
    let h = |z: f64| if learner.loss == Loss::SquaredHinge { z.max(0.0).powi(2) } else { z.max(0.0) };
    let mut loss = 0.0;
    for (f, &y) in scores.chunks(k).zip(codes) {
        let y = y as usize;
        let others = || (0..k).filter(move |&c| c != y);
        let relative = || others().map(|c| h(1.0 - (f[y] - f[c]) / learner.margin));
        let below = || others().map(|c| h(1.0 + f[c]));
        let most = |it: &mut dyn Iterator<Item = f64>| it.fold(0.0, f64::max);
        loss += match learner.multiclass {
            Multiclass::WestonWatkins => relative().sum::<f64>(),
            Multiclass::CrammerSinger => most(&mut relative()),
            Multiclass::LeeLinWahba => below().sum(),
            Multiclass::Mmr => h(1.0 - f[y]),
            Multiclass::Adm => most(&mut below()),
            Multiclass::Ats => h(1.0 - f[y]) + below().sum::<f64>(),
            Multiclass::Atm => most(&mut below().chain([h(1.0 - f[y])])),
            _ if learner.loss == Loss::Logistic => {
                let l = |z: f64| (1.0 + (-z).exp()).ln();
                if k == 2 {
                    l(if y == 1 { f[1] } else { f[0] })
                } else {
                    l(f[y]) + others().map(|c| l(-f[c])).sum::<f64>()
                }
            }
            _ if k == 2 => h(1.0 - f[y]),
            _ => h(1.0 - f[y]) + below().sum::<f64>(),
        };
    }
    if k == 2 && learner.multiclass == Multiclass::OneVsRest {
        norm *= 0.5;
    }
    0.5 * norm + learner.c * loss
}

#[test]
fn gaps_close_and_bound_the_objective_of_the_definition() {
    for case in 0..60 {
        let seed = Seed(case).fork("svm");
        let data = random(seed, 60.0);
        for multiclass in ALL {
            let loss = match (multiclass, case % 3) {
                (Multiclass::CrammerSinger | Multiclass::Adm | Multiclass::Atm, _) | (_, 0) => Loss::Hinge,
                (Multiclass::OneVsRest, 2) => Loss::Logistic,
                _ => Loss::SquaredHinge,
            };
            let learner = LinearSvm {
                c: 10f64.powf(3.0 * seed.at(7).unit() - 2.0),
                multiclass,
                loss,
                margin: [1.0, 2.0][case as usize % 2],
                intercept: case % 4 != 0,
                gap: 1e-6,
                steps: 200_000,
                ..LinearSvm::default()
            };
            let data = if case % 5 == 0 { as_sparse(&data) } else { data.clone() };
            let fitted = learner.fit(&data, None, &Run::quiet(case)).unwrap();
            let what = format!("case {case}, {multiclass:?}, {loss:?}, c {}", learner.c);
            assert!(fitted.certificate.converged, "{what}: not converged");
            let (primal, dual) = (fact(&fitted, "primal objective"), fact(&fitted, "dual objective"));
            let Gap::Duality(gap) = fitted.certificate.gap else { panic!("no gap") };
            assert!(gap <= 1.01e-6 * primal && dual <= primal * (1.0 + 1e-12), "{what}: {primal} {dual}");
            let defined = by_definition(&learner, &data, &fitted);
            assert!((defined - primal).abs() < 1e-9 * primal, "{what}: {primal}, but by definition {defined}");
            if !matches!(multiclass, Multiclass::OneVsRest) {
                let machine: &Linear = fitted.machine.expect::<Linear>().unwrap();
                let (w, d) = (weights(&fitted), machine.inputs().count());
                let size = w.iter().map(|w| w.abs()).fold(0.0, f64::max);
                for j in 0..d {
                    let sum: f64 = w.iter().skip(j).step_by(d).sum();
                    assert!(sum.abs() < 1e-9 * (1.0 + size), "{what}: weights of feature {j} sum to {sum}");
                }
            }
        }
    }
}

#[test]
fn no_small_move_of_the_weights_lowers_the_objective() {
    // The minimum is looked at from outside: random moves of the weights raise the objective of the definition.
    for case in 0..20 {
        let seed = Seed(case).fork("moves");
        let data = random(seed, 40.0);
        for multiclass in ALL {
            let learner = LinearSvm { multiclass, intercept: false, gap: 1e-9, steps: 500_000, ..LinearSvm::default() };
            let fitted = learner.fit(&data, None, &Run::quiet(case)).unwrap();
            let machine: &Linear = fitted.machine.expect::<Linear>().unwrap();
            let (k, d) = (machine.outputs().names.len(), machine.inputs().count());
            let (w, least) = (weights(&fitted), by_definition(&learner, &data, &fitted));
            for trial in 0..30 {
                let own = seed.fork("trial").at(trial);
                let mut moved: Vec<f64> =
                    w.iter().enumerate().map(|(i, w)| w + 0.02 * (own.at(i).unit() - 0.5)).collect();
                let pairs = k == 2 && multiclass == Multiclass::OneVsRest;
                for j in 0..d {
                    // Only moves that keep the constraints count.
                    if pairs {
                        moved[j] = -moved[d + j];
                    } else if multiclass != Multiclass::OneVsRest {
                        let mean = (0..k).map(|c| moved[c * d + j]).sum::<f64>() / k as f64;
                        (0..k).for_each(|c| moved[c * d + j] -= mean);
                    }
                }
                let machine = Linear::new(
                    machine.inputs().clone(),
                    machine.outputs().clone(),
                    moved,
                    machine.offsets().to_vec(),
                    None,
                )
                .unwrap();
                let other = Fitted { machine: std::sync::Arc::new(machine), ..fitted.clone() };
                let value = by_definition(&learner, &data, &other);
                assert!(value >= least * (1.0 - 1e-8), "case {case}, {multiclass:?}: {value} is below {least}");
            }
        }
    }
}

/// Sparse rows of many classes, as texts are: every class has words of its own, and all share some.
fn texts(seed: Seed, n: usize, d: usize, k: usize) -> Dataset {
    let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
    let codes: Vec<u32> = (0..n).map(|i| (i % k) as u32).collect();
    for (i, &c) in codes.iter().enumerate() {
        let own = seed.at(i);
        let word = |j: usize| {
            let u = own.at(j).unit();
            if j.is_multiple_of(3) {
                (seed.fork("topic").at(c as usize).at(j % 7).unit() * d as f64) as u32
            } else {
                (u * u * u * d as f64) as u32
            }
        };
        let mut words: Vec<u32> = (0..12).map(word).collect();
        words.sort_unstable();
        words.dedup();
        let x = 1.0 / (words.len() as f64).sqrt();
        values.extend(words.iter().map(|_| x));
        ids.extend(words);
        starts.push(ids.len());
    }
    classes(Points::Sparse(Sparse::new(starts, ids, values, d).unwrap()), &codes)
}

#[test]
fn many_classes_give_the_same_bytes_on_any_number_of_threads() {
    let data = texts(Seed(3), 900, 500, 90);
    for multiclass in
        [Multiclass::WestonWatkins, Multiclass::CrammerSinger, Multiclass::OneVsRest, Multiclass::LeeLinWahba]
    {
        let learner = LinearSvm { multiclass, tolerance: 0.05, ..LinearSvm::default() };
        let fit = |threads: usize| learner.fit(&data, None, &Run { threads, ..Run::quiet(1) }).unwrap();
        let one = fit(1);
        assert!(one.certificate.converged);
        for threads in [2, 3, 5] {
            let more = fit(threads);
            assert_eq!(one.machine.record(), more.machine.record(), "{multiclass:?} on {threads} threads");
            assert_eq!(one.certificate, more.certificate);
        }
    }
}

#[test]
fn batches_of_many_classes_reach_the_optimum() {
    let data = texts(Seed(5), 500, 300, 80);
    let run = Run::quiet(2);
    for multiclass in [Multiclass::WestonWatkins, Multiclass::CrammerSinger] {
        let learner = LinearSvm { multiclass, gap: 1e-6, intercept: false, steps: 100_000, ..LinearSvm::default() };
        let sparse = learner.fit(&data, None, &run).unwrap();
        assert!(sparse.certificate.converged && sparse.certificate.gap != Gap::Unknown);
        assert_close(
            &[by_definition(&learner, &data, &sparse)],
            &[sparse.certificate.objective.unwrap()],
            1e-9,
            "objective",
        );
        // Dense rows are visited one by one, without batches.
        let values = data.points().unwrap().to_dense(&run.memory).unwrap().to_vec();
        let shifted: Vec<f64> = values.iter().map(|x| if *x == 0.0 { 1e-9 } else { *x }).collect();
        let dense = Dataset { inputs: Points::dense(shifted, data.len(), 300).unwrap().into(), ..data.clone() };
        let dense = learner.fit(&dense, None, &run).unwrap();
        let objective = |f: &Fitted| f.certificate.objective.unwrap();
        assert_close(&[objective(&dense)], &[objective(&sparse)], 3e-6, "with and without batches");
    }
}

#[test]
fn regression_reaches_its_optimum() {
    for case in 0..40 {
        let seed = Seed(case).fork("svr");
        let data = random(seed, 60.0);
        let n = data.len();
        let targets = Values::new((0..n).map(|i| 4.0 * seed.fork("y").at(i).unit() - 1.0).collect(), "y");
        let data = Dataset { targets: Targets::Values(targets.clone()), ..data };
        for loss in [TubeLoss::Absolute, TubeLoss::Squared] {
            let learner = LinearSvr {
                c: 10f64.powf(2.0 * seed.at(8).unit() - 1.0),
                epsilon: 0.3 * (case % 3) as f64,
                loss,
                intercept: case % 2 == 0,
                gap: 1e-6,
                steps: 200_000,
                ..LinearSvr::default()
            };
            let fitted = learner.fit(&data, None, &Run::quiet(1)).unwrap();
            let primal = fact(&fitted, "primal objective");
            let Gap::Duality(gap) = fitted.certificate.gap else { panic!("no gap") };
            assert!(fitted.certificate.converged && gap <= 1.01e-6 * primal, "case {case}: {gap} of {primal}");
            let run = Run::quiet(1);
            let scores = fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
            let error = |i: usize| ((scores[i] - targets.values()[i]).abs() - learner.epsilon).max(0.0);
            let cost = |e: f64| if loss == TubeLoss::Squared { e * e } else { e };
            let machine: &Linear = fitted.machine.expect::<Linear>().unwrap();
            let norm: f64 = weights(&fitted).iter().chain(machine.offsets()).map(|w| w * w).sum();
            let defined = 0.5 * norm + learner.c * (0..n).map(|i| cost(error(i))).sum::<f64>();
            assert_close(&[primal], &[defined], 1e-9, "objective of regression");
        }
    }
}

#[test]
fn ranks_reach_the_optimum_of_one_and_the_same_bytes_however_many() {
    let data = texts(Seed(8), 600, 400, 100);
    let learner = LinearSvm { multiclass: Multiclass::WestonWatkins, gap: 1e-4, steps: 5000, ..LinearSvm::default() };
    let alone = learner.fit(&data, None, &Run::quiet(1)).unwrap();
    let fit = |count: usize| {
        let fitted = ranks::within(count, |ranks| {
            let fitted = learner.fit(&data, None, &Run { ranks, ..Run::quiet(1) })?;
            Ok((fitted, ranks.traffic().sent))
        });
        fitted.unwrap()
    };
    let two = fit(2);
    let objective = |f: &Fitted| f.certificate.objective.unwrap();
    assert_close(&[objective(&two[0].0)], &[objective(&alone)], 2e-4, "objective of two ranks");
    assert!(two[0].0.certificate.converged && two.iter().all(|(_, sent)| *sent > 0));
    for (other, _) in two.iter().chain(&fit(4)).chain(&fit(3)) {
        assert_eq!(other.machine.record(), two[0].0.machine.record());
        assert_eq!(other.certificate, two[0].0.certificate);
    }
}

#[test]
fn other_orders_of_the_rows_end_in_the_same_predictions() {
    let data = texts(Seed(11), 400, 300, 70);
    let run = Run::quiet(1);
    for multiclass in [Multiclass::WestonWatkins, Multiclass::CrammerSinger] {
        let learner = LinearSvm { multiclass, tolerance: 1e-6, steps: 20_000, ..LinearSvm::default() };
        let scores = |seed: u64| {
            let fitted = learner.fit(&data, None, &Run::quiet(seed)).unwrap();
            assert!(fitted.certificate.converged);
            fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap().to_vec()
        };
        let first = scores(1);
        for seed in 2..5 {
            let gap = first.iter().zip(scores(seed)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-4, "{multiclass:?}, seed {seed}: scores {gap} apart");
        }
    }
}

#[test]
fn label_sets_minimise_the_sum_over_pairs_of_labels() {
    for case in 0..12 {
        let seed = Seed(case).fork("sets");
        let single = random(seed, 50.0);
        let k = base::classes_of(&single).unwrap().names().len();
        let names: Vec<String> = (0..k).map(|c| format!("l{c}")).collect();
        let (mut starts, mut labels) = (vec![0], vec![]);
        for i in 0..single.len() {
            // None, one or several labels; every label somewhere.
            labels.extend((0..k as u32).filter(|&l| i == l as usize || seed.at(i).at(l as usize).unit() < 0.3));
            starts.push(labels.len());
        }
        let sets = base::LabelSets::new(starts, labels, names, vec![]).unwrap();
        let data = Dataset { targets: Targets::Sets(sets.clone()), ..single };
        let learner = LinearSvm {
            multiclass: Multiclass::WestonWatkins,
            intercept: false,
            gap: 1e-7,
            steps: 200_000,
            ..LinearSvm::default()
        };
        let run = Run::quiet(case);
        let fitted = learner.fit(&data, None, &run).unwrap();
        assert!(fitted.certificate.converged, "case {case}");
        let machine: &Linear = fitted.machine.expect::<Linear>().unwrap();
        // A common offset moves no difference.
        assert!(machine.offsets().windows(2).all(|b| b[0] == b[1]));
        let scores = fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        let mut loss = 0.0;
        for (i, f) in scores.chunks(k).enumerate() {
            let own = sets.get(i).unwrap();
            let lacks = |c: &usize| !own.contains(&(*c as u32));
            for &y in own {
                loss += (0..k).filter(lacks).map(|c| (1.0 - (f[y as usize] - f[c])).max(0.0)).sum::<f64>();
            }
        }
        let norm: f64 = weights(&fitted).iter().map(|w| w * w).sum();
        assert_close(&[fact(&fitted, "primal objective")], &[0.5 * norm + loss], 1e-9, "objective of label sets");
        // One-vs-rest fits a machine for each label, as if it were alone.
        let each = LinearSvm { multiclass: Multiclass::OneVsRest, gap: 1e-9, steps: 200_000, ..LinearSvm::default() };
        let all = weights(&each.fit(&data, None, &run).unwrap());
        let d = all.len() / k;
        for label in 0..k {
            let codes: Vec<u32> =
                (0..data.len()).map(|i| u32::from(sets.get(i).unwrap().contains(&(label as u32)))).collect();
            if codes.iter().all(|c| *c == codes[0]) {
                continue;
            }
            let alone = each.fit(&classes(data.points().unwrap().clone(), &codes), None, &run).unwrap();
            let alone = weights(&alone)[d..].to_vec();
            for (a, b) in all[label * d..(label + 1) * d].iter().zip(&alone) {
                assert!((a - b).abs() < 2e-3, "case {case}, label {label}: {a} and {b}");
            }
        }
    }
}

#[test]
fn ranks_may_share_fewer_classes_than_there_are_bundles() {
    for case in 0..4 {
        let data = random(Seed(case).fork("few"), 40.0);
        let learner =
            LinearSvm { multiclass: Multiclass::WestonWatkins, gap: 1e-4, steps: 5000, ..LinearSvm::default() };
        let alone = learner.fit(&data, None, &Run::quiet(1)).unwrap();
        let two = ranks::within(2, |ranks| learner.fit(&data, None, &Run { ranks, ..Run::quiet(1) })).unwrap();
        let objective = |f: &Fitted| f.certificate.objective.unwrap();
        assert!(two[0].certificate.converged);
        assert_close(&[objective(&two[0])], &[objective(&alone)], 2e-4, "few classes on two ranks");
    }
}
