//! One-vs-rest for many labels that few rows have each: the optimum of every label alone, whatever the threads.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{
    ClassWeight, Classes, Dataset, Fact, Fitted, LabelSets, Learner, Memory, Points, Progress, Run, Seed, Size, Sparse,
    Targets, Verdict, Watch,
};
use pellucid_linear::{Linear, LinearSvm, Loss};
use std::sync::Mutex;

/// Rows of a few words; every label has words of its own, and each row one to three labels.
fn texts(seed: Seed, n: usize, d: usize, k: usize) -> (Sparse, Vec<Vec<u32>>) {
    let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
    let draw = |s: Seed, i: usize, below: usize| (s.at(i).unit() * below as f64) as u32;
    let mut sets = vec![];
    for i in 0..n {
        let own = seed.at(i);
        let mut labels: Vec<u32> = (0..1 + i % 3).map(|l| draw(own.fork("label"), l, k)).collect();
        if i < k {
            labels[0] = i as u32;
        }
        labels.sort_unstable();
        labels.dedup();
        let topic =
            |l: u32, j: usize| draw(seed.fork("topic").at(l as usize), draw(own.fork("word"), j, 6) as usize, d);
        let common = |j: usize| (own.fork("common").at(j).unit().powi(3) * d as f64) as u32;
        let mut words: Vec<u32> =
            labels.iter().flat_map(|&l| (0..3).map(move |j| (l, j))).map(|(l, j)| topic(l, j)).collect();
        words.extend((0..4).map(common));
        words.sort_unstable();
        words.dedup();
        let x = 1.0 / (words.len() as f64).sqrt();
        values.extend(words.iter().map(|&w| if w % 5 == 0 { -x } else { x }));
        ids.extend(words);
        starts.push(ids.len());
        sets.push(labels);
    }
    (Sparse::new(starts, ids, values, d).unwrap(), sets)
}

fn labelled(points: &Sparse, sets: &[Vec<u32>], k: usize) -> Dataset {
    let mut starts = vec![0];
    starts.extend(sets.iter().scan(0, |sum, s| {
        *sum += s.len();
        Some(*sum)
    }));
    let names: Vec<String> = (0..k).map(|l| format!("l{l}")).collect();
    let sets = LabelSets::new(starts, sets.concat(), names, vec![]).unwrap();
    Dataset::new(Points::Sparse(points.clone()), Targets::Sets(sets))
}

fn parts(fitted: &Fitted) -> (Vec<f64>, Vec<f64>) {
    let machine: &Linear = fitted.machine.expect::<Linear>().unwrap();
    (machine.weights().to_dense(&Memory::unlimited()).unwrap().to_vec(), machine.offsets().to_vec())
}

fn fact(fitted: &Fitted, name: &str) -> f64 {
    match fitted.certificate.facts[name] {
        Fact::Number(x) => x,
        Fact::Curve(_) => panic!("{name} is a curve"),
    }
}

/// The objective of the definition: ½(‖w_c‖² + b_c²) + Σ_i C_i loss, summed over the labels.
fn by_definition(
    fitted: &Fitted,
    data: &Dataset,
    has: impl Fn(usize, usize) -> bool,
    cost: impl Fn(usize, usize) -> f64,
    loss: Loss,
) -> f64 {
    let (w, b) = parts(fitted);
    let scores = fitted.machine.compute(&data.inputs, &Run::quiet(1)).unwrap().to_dense(&Memory::unlimited()).unwrap();
    let mut sum = 0.5 * w.iter().chain(&b).map(|w| w * w).sum::<f64>();
    for (i, row) in scores.chunks(b.len()).enumerate() {
        for (c, s) in row.iter().enumerate() {
            let violation = (1.0 - if has(i, c) { *s } else { -s }).max(0.0);
            sum += cost(i, c) * if loss == Loss::Hinge { violation } else { violation * violation };
        }
    }
    sum
}

#[test]
fn the_optimum_is_that_of_every_label_alone() {
    for case in 0..8 {
        let seed = Seed(case).fork("many");
        let (n, d, k) = (300 + 150 * case as usize, 80 + 60 * (case as usize % 4), 70 + 12 * case as usize);
        let (points, sets) = texts(seed, n, d, k);
        let plain = labelled(&points, &sets, k);
        let weights: Vec<f64> = (0..n).map(|i| 0.3 + 2.0 * seed.fork("weight").at(i).unit()).collect();
        let data = if case % 2 == 0 { plain } else { Dataset { weights: Some(weights.clone().into()), ..plain } };
        let loss = if case % 3 == 0 { Loss::Hinge } else { Loss::SquaredHinge };
        let c = [0.1, 1.0, 8.0][case as usize % 3];
        let learner = LinearSvm { c, loss, tolerance: 1e-3, steps: 100_000, ..LinearSvm::default() };
        let fitted = learner.fit(&data, None, &Run::quiet(case)).unwrap();
        // A gap is only reached by the solver that takes all rows of each label.
        let exact = LinearSvm { gap: 1e-7, ..learner.clone() }.fit(&data, None, &Run::quiet(case)).unwrap();
        assert!(fitted.certificate.converged && exact.certificate.converged);
        let best = fact(&exact, "primal objective");
        let (primal, dual) = (fact(&fitted, "primal objective"), fact(&fitted, "dual objective"));
        assert!(dual <= best * (1.0 + 1e-6) && best <= primal * (1.0 + 1e-6), "case {case}: {dual} {best} {primal}");
        assert!(primal - dual < 2e-3 * best, "case {case}: {dual} {best} {primal}");
        let cost = |i: usize, _: usize| if case % 2 == 0 { c } else { c * weights[i] };
        let defined = by_definition(&fitted, &data, |i, l| sets[i].contains(&(l as u32)), cost, loss);
        assert!((primal - defined).abs() < 1e-5 * defined, "case {case}: {primal}, by definition {defined}");
        // ½‖w − w*‖² ≤ P(w) − P* over all labels together.
        let ((w, b), (we, be)) = (parts(&fitted), parts(&exact));
        let apart: f64 = w.iter().chain(&b).zip(we.iter().chain(&be)).map(|(a, b)| (a - b) * (a - b)).sum();
        assert!(apart <= 2.1 * (primal - best + 1e-6 * best).max(0.0) + 1e-6 * best, "case {case}: {apart} apart");
    }
}

#[test]
fn weights_of_classes_count_for_their_own_rows() {
    let (n, d, k) = (600, 150, 90);
    let (points, sets) = texts(Seed(4), n, d, k);
    let codes: Vec<u32> = sets.iter().enumerate().map(|(i, s)| if i < k { i as u32 } else { s[0] }).collect();
    let names = (0..k).map(|c| format!("c{c}")).collect::<Vec<String>>();
    let data = Dataset::new(Points::Sparse(points), Targets::Classes(Classes::new(codes.clone(), names).unwrap()));
    let learner = LinearSvm {
        multiclass: pellucid_linear::Multiclass::OneVsRest,
        loss: Loss::SquaredHinge,
        tolerance: 1e-3,
        class_weight: ClassWeight::Balanced,
        ..LinearSvm::default()
    };
    let fitted = learner.fit(&data, None, &Run::quiet(1)).unwrap();
    let counts: Vec<usize> = (0..k).map(|c| codes.iter().filter(|code| **code as usize == c).count()).collect();
    assert!(counts.iter().all(|c| *c > 0), "every class has rows");
    let own = |i: usize, c: usize| if codes[i] as usize == c { n as f64 / (k * counts[c]) as f64 } else { 1.0 };
    let defined = by_definition(&fitted, &data, |i, c| codes[i] as usize == c, own, Loss::SquaredHinge);
    let (primal, dual) = (fact(&fitted, "primal objective"), fact(&fitted, "dual objective"));
    assert!((primal - defined).abs() < 1e-5 * defined, "{primal}, by definition {defined}");
    assert!(dual <= primal && primal - dual < 2e-3 * primal, "{dual} {primal}");
}

#[test]
fn threads_change_nothing_and_pruning_only_leaves_out() {
    let (points, sets) = texts(Seed(6), 1400, 300, 600);
    let data = labelled(&points, &sets, 600);
    let learner = LinearSvm { loss: Loss::SquaredHinge, tolerance: 0.05, ..LinearSvm::default() };
    let fit =
        |learner: &LinearSvm, threads: usize| learner.fit(&data, None, &Run { threads, ..Run::quiet(1) }).unwrap();
    let pruned = LinearSvm { prune: 0.1, ..learner.clone() };
    for learner in [&learner, &pruned] {
        let one = fit(learner, 1);
        for threads in [2, 3] {
            let more = fit(learner, threads);
            assert_eq!(one.machine.record(), more.machine.record(), "{threads} threads");
            assert_eq!(one.certificate, more.certificate);
        }
    }
    let ((all, b), (kept, bk)) = (parts(&fit(&learner, 2)), parts(&fit(&pruned, 2)));
    assert_eq!(b, bk);
    let mut gone = 0;
    for (w, k) in all.iter().zip(&kept) {
        assert_eq!(*k, if w.abs() < 0.1 { 0.0 } else { *w });
        gone += usize::from(*w != 0.0 && *k == 0.0);
    }
    let fitted = fit(&pruned, 1);
    assert!(gone > 0 && fact(&fitted, "pruned weights") == gone as f64);
    for (name, fitted) in [("before", fit(&learner, 1)), ("after", fit(&pruned, 1))] {
        let scores =
            fitted.machine.compute(&data.inputs, &Run::quiet(1)).unwrap().to_dense(&Memory::unlimited()).unwrap();
        let right = scores.chunks(600).zip(&sets).filter(|(s, own)| own.contains(&base::argmax(s))).count();
        let told =
            fact(&pruned.fit(&data, None, &Run::quiet(1)).unwrap(), &format!("training rows right {name} pruning"));
        assert_eq!(told, right as f64 / 1400.0, "{name}");
    }
}

/// Says enough after some steps.
struct Enough(Mutex<usize>);

impl Watch for Enough {
    fn step(&self, _: &Progress<'_>) -> Verdict {
        let mut left = self.0.lock().unwrap();
        *left = left.saturating_sub(1);
        if *left == 0 { Verdict::Enough } else { Verdict::GoOn }
    }
}

#[test]
fn a_fit_that_is_ended_early_gives_all_labels_and_says_so() {
    let (points, sets) = texts(Seed(7), 900, 200, 300);
    let data = labelled(&points, &sets, 300);
    let watch = Enough(Mutex::new(3));
    let fitted = LinearSvm::default().fit(&data, None, &Run { watch: &watch, ..Run::quiet(1) }).unwrap();
    assert!(fitted.certificate.interrupted && !fitted.certificate.converged);
    assert_eq!(fitted.machine.outputs().names.len(), 300);
    assert!(fact(&fitted, "dual objective") <= fact(&fitted, "primal objective"));
}

#[test]
fn memory_is_asked_for() {
    let (points, sets) = texts(Seed(8), 900, 200, 300);
    let data = labelled(&points, &sets, 300);
    let error = LinearSvm::default().fit(&data, None, &Run { memory: Memory::limited(100_000), ..Run::quiet(1) });
    assert!(matches!(error, Err(base::Error::Memory { .. })), "{:?}", error.err());
}

#[test]
fn the_plan_foretells_the_memory_from_the_size() {
    for (case, (n, d, k)) in
        [(2000, 3000, 300), (4000, 1500, 900), (1500, 8000, 500), (6000, 4000, 2000)].into_iter().enumerate()
    {
        let (points, sets) = texts(Seed(case as u64).fork("plan"), n, d, k);
        let data = labelled(&points, &sets, k);
        for prune in [0.0, 0.05] {
            let learner = LinearSvm { loss: Loss::SquaredHinge, tolerance: 0.1, prune, ..LinearSvm::default() };
            let run = Run { threads: 1, ..Run::quiet(1) };
            learner.fit(&data, None, &run).unwrap();
            let (told, asked) = (learner.plan(&Size::of(&data)).bytes, run.memory.peak() as f64);
            let ratio = told / asked;
            assert!(
                (1.0 / 1.5..1.5).contains(&ratio),
                "{n} x {d}, {k} labels, prune {prune}: {told} told, {asked} asked"
            );
        }
    }
}
