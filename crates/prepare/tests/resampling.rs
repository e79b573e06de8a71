//! Resampling keeps its laws: counts, places of made rows, weights, and rows held out stay as they are.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{
    Certificate, Classes, Dataset, Fact, Learner, Memory, Points, Result, Run, Seed, Size, Targets, Values, normal,
};
use distance::{Hierarchical, Knn};
use evaluate::{Splitting, cross_validate, hold_out, judge};
use linear::Logistic;
use pellucid_prepare::{
    Change, ClassWeights, NoisyCopies, Oversample, Resample, Resampled, Smote, Undersample, Wrap, Wrapped,
};
use std::sync::Mutex;
use testkit::{as_sparse, assert_close, toy_classes, toy_values};

/// Two overlapping normal clouds of `large` and `small` rows in `columns` columns, mixed.
fn clouds(large: usize, small: usize, columns: usize, seed: u64) -> Dataset {
    let n = large + small;
    let mut stream = Seed(seed).stream();
    let mut codes = vec![0u32; n];
    Seed(seed).permutation(n).iter().take(small).for_each(|&i| codes[i] = 1);
    let values = (0..n * columns).map(|e| f64::from(codes[e / columns]) + normal(&mut stream)).collect::<Vec<_>>();
    let classes = Classes::new(codes, ["many", "few"].map(String::from).to_vec()).unwrap();
    Dataset::new(Points::dense(values, n, columns).unwrap(), Targets::Classes(classes))
}

fn codes(data: &Dataset) -> &[u32] {
    base::classes_of(data).unwrap().codes()
}

fn counts(data: &Dataset) -> Vec<usize> {
    base::classes_of(data).unwrap().counts()
}

fn rows(data: &Dataset) -> Vec<Vec<f64>> {
    let points = data.points().unwrap();
    let mut row = vec![0.0; points.columns()];
    (0..points.len())
        .map(|i| {
            points.write_row(i, &mut row);
            row.clone()
        })
        .collect()
}

fn wrapped(step: impl Wrap, learner: impl Learner) -> Wrapped {
    Wrapped { step: step.boxed(), learner: learner.boxed() }
}

/// All ways to make rows, with their share of the way to balance.
fn makers(data: &Dataset, ratio: f64, run: &Run<'_>) -> [Resampled; 3] {
    [
        Oversample { ratio }.resample(data, run).unwrap(),
        NoisyCopies { ratio, ..Default::default() }.resample(data, run).unwrap(),
        Smote { ratio, ..Default::default() }.resample(data, run).unwrap(),
    ]
}

#[test]
fn classes_have_the_rows_they_should_and_the_old_ones_come_first() {
    let data = clouds(50, 12, 3, 1);
    let run = Run::quiet(1);
    for (ratio, few) in [(1.0, 50), (0.5, 31)] {
        for made in makers(&data, ratio, &run) {
            assert_eq!(counts(&made.data), [50, few]);
            assert_eq!(rows(&made.data)[..62], rows(&data));
            assert_eq!(codes(&made.data)[..62], *codes(&data));
            assert!(made.data.prepared, "made rows have kin and must not be split");
            let facts: Vec<&Fact> = made.notes.facts.values().collect();
            assert_eq!(facts, [&Fact::Number((few - 12) as f64)], "{:?}", made.notes.facts);
        }
        let fewer = Undersample { ratio }.resample(&data, &run).unwrap();
        assert_eq!(counts(&fewer.data), [if ratio == 1.0 { 12 } else { 31 }, 12]);
        // What stays is in order and each row at most once.
        let all = rows(&data);
        let mut left = all.iter();
        assert!(rows(&fewer.data).iter().all(|row| left.any(|x| x == row)));
    }
    // Copies are rows of their class; noisy ones are near one.
    let [copies, noisy, _] = makers(&data, 1.0, &run);
    let few: Vec<Vec<f64>> =
        rows(&data).into_iter().zip(codes(&data)).filter(|(_, c)| **c == 1).map(|(row, _)| row).collect();
    assert!(rows(&copies.data)[62..].iter().all(|row| few.contains(row)));
    let near = |row: &Vec<f64>| few.iter().any(|x| x.iter().zip(row).all(|(a, b)| (a - b).abs() < 0.6));
    assert!(rows(&noisy.data)[62..].iter().all(|row| !few.contains(row) && near(row)));
}

#[test]
fn drawing_again_differs_by_seed_but_not_by_threads() {
    let data = clouds(600, 90, 14, 2);
    let all = |seed: u64, threads: usize| {
        let run = Run { threads, ..Run::quiet(seed) };
        let fewer = Undersample::default().resample(&data, &run).unwrap().data;
        makers(&data, 1.0, &run).map(|made| made.data).into_iter().chain([fewer]).collect::<Vec<_>>()
    };
    assert_eq!(all(1, 1), all(1, 4));
    for (a, b) in all(1, 1).iter().zip(&all(2, 1)) {
        assert_ne!(a, b);
    }
}

/// Every made row lies between two rows of its class, the second among the k nearest of the first: by trying all pairs.
#[test]
fn smote_rows_lie_between_neighbours_of_their_class() {
    for (data, k) in [(clouds(40, 11, 3, 3), 3), (clouds(40, 4, 2, 4), 5), (toy_classes(5), 4)] {
        let run = Run::quiet(9);
        let made = Smote { k, ..Default::default() }.resample(&data, &run).unwrap();
        let (old, new) = (rows(&data), rows(&made.data));
        let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        let mut used = std::collections::BTreeSet::new();
        let mut places = vec![];
        for (row, code) in new.iter().zip(codes(&made.data)).skip(old.len()) {
            let class: Vec<usize> = (0..old.len()).filter(|&i| codes(&data)[i] == *code).collect();
            let found = class.iter().find_map(|&a| {
                let mut others: Vec<usize> = class.iter().copied().filter(|&b| b != a).collect();
                others.sort_by(|&x, &y| square(&old[a], &old[x]).total_cmp(&square(&old[a], &old[y])));
                // Equal distances: whoever is as near as the k-th counts.
                let limit = square(&old[a], &old[others[k.min(others.len()) - 1]]);
                others.iter().filter(|&&b| square(&old[a], &old[b]) <= limit).find_map(|&b| {
                    let whole = square(&old[a], &old[b]);
                    let along: f64 = old[a].iter().zip(&old[b]).zip(row).map(|((a, b), x)| (x - a) * (b - a)).sum();
                    let u = if whole > 0.0 { along / whole } else { 0.0 };
                    let at: Vec<f64> = old[a].iter().zip(&old[b]).map(|(a, b)| a + u * (b - a)).collect();
                    (square(&at, row) < 1e-20 && (-1e-12..=1.0 + 1e-12).contains(&u)).then_some((a, b, u))
                })
            });
            let (a, b, u) = found.expect("a made row lies on no segment");
            used.insert((a, b));
            places.push(u);
        }
        // The second data have but six segments, seen from either end.
        assert!(used.len() >= 5, "the same segments again and again");
        let mean = places.iter().sum::<f64>() / places.len() as f64;
        assert!((mean - 0.5).abs() < 0.25, "positions are not even: {mean}");
    }
}

#[test]
fn sparse_rows_give_the_same_and_stay_sparse() {
    let data = toy_classes(4);
    let run = Run::quiet(3);
    for (dense, sparse) in makers(&data, 1.0, &run).into_iter().zip(makers(&as_sparse(&data), 1.0, &run)) {
        // Means are summed in another order, which noise can tell.
        assert_close(&rows(&dense.data).concat(), &rows(&sparse.data).concat(), 1e-12, "sparse");
    }
    let [copies, noisy, smote] = makers(&as_sparse(&data), 1.0, &run).map(|m| m.data.points().unwrap().is_sparse());
    assert_eq!((copies, noisy, smote), (true, false, true));
}

#[test]
fn small_classes_use_what_there_is_and_say_so() {
    let run = Run::quiet(1);
    let one = Smote::default().resample(&clouds(9, 1, 2, 1), &run).unwrap();
    assert_eq!(counts(&one.data), [9, 9]);
    assert!(one.notes.warnings[0].contains("few has one row"), "{:?}", one.notes.warnings);
    let few: Vec<Vec<f64>> = rows(&one.data)[10..].to_vec();
    assert!(few.iter().all(|row| *row == few[0] && rows(&one.data)[..10].contains(row)));
    let three = Smote::default().resample(&clouds(9, 3, 2, 1), &run).unwrap();
    assert!(three.notes.warnings[0].contains("so k is 2 instead of 5"), "{:?}", three.notes.warnings);
    // Balanced already: nothing to do. A class without rows gets none.
    assert_eq!(Smote::default().resample(&clouds(9, 9, 2, 1), &run).unwrap().data.len(), 18);
    let single = clouds(9, 0, 2, 1);
    assert!(makers(&single, 1.0, &run).iter().all(|m| m.data.len() == 9));
}

#[test]
fn weights_are_carried_and_count_as_rows() {
    let mut data = clouds(30, 10, 2, 1);
    // The small class weighs 2 a row: it lacks 30 − 20, which five rows of weight 2 bring.
    data.weights = Some(codes(&data).iter().map(|&c| f64::from(c + 1)).collect());
    let run = Run::quiet(1);
    for made in makers(&data, 1.0, &run) {
        assert_eq!(counts(&made.data), [30, 15]);
        assert_eq!(made.data.weights.unwrap()[40..], [2.0; 5]);
    }
    let grouped = Dataset { groups: Some((0..40).collect()), ..data };
    for made in makers(&grouped, 1.0, &run) {
        let groups = made.data.groups.clone().unwrap();
        assert!((40..45).all(|i| groups[i] < 40 && codes(&made.data)[groups[i] as usize] == 1));
    }
}

/// (8.46): with classes of 30 and 10 rows weights are 2/3 and 2, so that the cost is 2/3 of that with every row of the
/// small class three times; the penalty has to shrink with it.
#[test]
fn the_balanced_cost_is_that_of_exact_copies() {
    let data = clouds(30, 10, 3, 5);
    let run = Run::quiet(1);
    let weights = ClassWeights::default().resample(&data, &run).unwrap().data.weights.unwrap();
    let expected: Vec<f64> = codes(&data).iter().map(|&c| [2.0 / 3.0, 2.0][c as usize]).collect();
    assert_close(&weights, &expected, 1e-15, "P / (C P_j)");
    let thrice: Vec<usize> =
        (0..40).flat_map(|i| std::iter::repeat_n(i, if codes(&data)[i] == 1 { 3 } else { 1 })).collect();
    let scores = |learner: &dyn Learner, train: &Dataset| {
        let machine = learner.fit(train, None, &run).unwrap().machine;
        machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap().to_vec()
    };
    let balanced = wrapped(ClassWeights::default(), Logistic { penalty: 1.0, ..Default::default() });
    let copied = Logistic { penalty: 1.5, ..Default::default() };
    let copies = scores(&copied, &data.select(&thrice).unwrap());
    assert_close(&scores(&balanced, &data), &copies, 1e-6, "weights are not copies");
    let plain = scores(&Logistic::default(), &data);
    assert!(copies.iter().zip(&plain).any(|(a, b)| (a - b).abs() > 0.1), "the test could not fail");
}

/// What the spy has seen: the first column of its rows, call by call.
static SEEN: Mutex<Vec<Vec<f64>>> = Mutex::new(vec![]);

base::settings! {
    /// Triples every row, and remembers which.
    pub struct Spy {
    }
}

impl Resample for Spy {
    const NAME: &'static str = "spy";
    const CLASSES: bool = false;
    const CHANGE: Change = Change::Copies;

    fn resample(&self, data: &Dataset, _: &Run<'_>) -> Result<Resampled> {
        SEEN.lock().unwrap().push(rows(data).iter().map(|row| row[0]).collect());
        let all: Vec<usize> = (0..3 * data.len()).map(|i| i % data.len()).collect();
        Ok(Resampled { data: data.select(&all)?, notes: Certificate::default() })
    }

    fn size(&self, size: &Size) -> Size {
        *size
    }
}

#[test]
fn rows_held_out_are_neither_seen_nor_changed() {
    let n = 40;
    let values: Vec<f64> = (0..n).flat_map(|i| [f64::from(i), f64::from(i % 4 / 3)]).collect();
    let classes = Classes::new((0..n).map(|i| i % 4 / 3).collect(), ["a", "b"].map(String::from).to_vec());
    let data = Dataset::new(Points::dense(values, n as usize, 2).unwrap(), Targets::Classes(classes.unwrap()));
    let run = Run::quiet(1);
    let splits = Splitting::Folds { n: 4, repeats: 1, stratified: true }.of(&data, Seed(1)).unwrap();
    let found = cross_validate(&wrapped(Spy {}, Knn { k: 1, ..Default::default() }), &data, &splits, &run).unwrap();
    let seen = SEEN.lock().unwrap();
    assert_eq!(seen.len(), splits.len());
    for ((split, seen), judged) in splits.iter().zip(&*seen).zip(&found.folds) {
        let expected: Vec<f64> = split.train.iter().map(|&i| i as f64).collect();
        assert_eq!(*seen, expected, "the step saw other rows than those to learn from");
        let truth = counts(&data.select(&split.test).unwrap());
        assert_eq!(judged.rows, split.test.len());
        let confusion = judged.confusion.as_ref().unwrap();
        let judged: Vec<f64> = confusion.counts.iter().map(|row| row.iter().sum()).collect();
        assert_eq!(judged, truth.iter().map(|&c| c as f64).collect::<Vec<_>>(), "judged under another distribution");
    }
}

/// Nineteen rows of one class for one of the other: accuracy likes to forget the small one, BAC does not (an answer
/// that is always the large class has error 0.05 and BAC 0.5). Judged on rows as they come.
#[test]
fn balance_helps_the_small_class_on_rows_as_they_come() {
    let data = clouds(1900, 100, 2, 7);
    let run = Run::quiet(1);
    let (train, test) = hold_out(&data, 0.5, run.seed).unwrap();
    let (train, test) = (data.select(&train).unwrap(), data.select(&test).unwrap());
    assert_eq!(counts(&test), [950, 50]);
    let judged = |learner: &dyn Learner| {
        let machine = learner.fit(&train, None, &run).unwrap().machine;
        let measures = judge(&base::Prediction::of(&*machine, &test.inputs, &run).unwrap(), &test, &run).unwrap();
        (measures.get("balanced_accuracy").unwrap(), measures.get("error").unwrap())
    };
    let plain = Logistic::default();
    let (bac, error) = judged(&plain);
    assert!(bac < 0.6 && error < 0.06, "{bac} {error}");
    for step in [
        ClassWeights::default().boxed(),
        Undersample::default().boxed(),
        Oversample::default().boxed(),
        NoisyCopies::default().boxed(),
        Smote::default().boxed(),
    ] {
        let name = step.name();
        // The best rule for equal classes, x + y > 1, is right with Φ(1/√2) = 0.76 of both.
        let (balanced, price) = judged(&Wrapped { step, learner: Box::new(plain.clone()) });
        assert!(balanced > 0.70 && price > error, "{name}: {balanced} {price}");
    }
}

#[test]
fn many_rows_are_resampled_in_little_memory() {
    let data = clouds(16_000, 4_000, 20, 1);
    // All distances within the small class alone would take 122 MB.
    let run = Run { memory: Memory::limited(40 << 20), threads: 2, ..Run::quiet(1) };
    let made = Smote::default().resample(&data, &run).unwrap();
    assert_eq!(counts(&made.data), [16_000, 16_000]);
    assert!(run.memory.peak() <= 40 << 20);
    drop(made);
    assert_eq!(run.memory.used(), 0);
    let tight = Run { memory: Memory::limited(1 << 20), ..run };
    assert!(matches!(Smote::default().resample(&data, &tight), Err(base::Error::Memory { .. })));
    // Sparse rows take what they store, however wide they are.
    let wide = base::Sparse::new(vec![0, 1, 2, 2, 3], vec![0, 1_999_999_999, 7], vec![1.0; 3], 2_000_000_000).unwrap();
    let targets = Targets::Classes(Classes::new(vec![0, 0, 0, 1], ["a", "b"].map(String::from).to_vec()).unwrap());
    let wide = Dataset::new(Points::Sparse(wide), targets);
    let small = Run { memory: Memory::limited(1 << 16), ..Run::quiet(1) };
    assert_eq!(counts(&Undersample::default().resample(&wide, &small).unwrap().data), [1, 1]);
    assert_eq!(counts(&Oversample::default().resample(&wide, &small).unwrap().data), [3, 3]);
    assert_eq!(counts(&Smote::default().resample(&wide, &small).unwrap().data), [3, 3]);
    // Weights a world apart ask for more rows than there can be: an error, no attempt.
    let mut absurd = clouds(20, 5, 2, 1);
    absurd.weights = Some(codes(&absurd).iter().map(|&c| if c == 1 { 1e-200 } else { 1.0 }).collect());
    let limited = Run { memory: Memory::limited(1 << 30), ..Run::quiet(1) };
    for step in [Oversample::default().boxed(), NoisyCopies::default().boxed(), Smote::default().boxed()] {
        let answer = Wrapped { step, learner: Box::new(Knn::default()) }.fit(&absurd, None, &limited);
        assert!(matches!(answer, Err(base::Error::Memory { .. })));
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_way_out() {
    let says = |step: &dyn Wrap, data: &Dataset, learner: &dyn Learner| {
        let wrapped = Wrapped { step: step.boxed(), learner: learner.boxed() };
        wrapped.fit(data, None, &Run::quiet(1)).err().unwrap().to_string()
    };
    let (smote, knn) = (Smote::default(), Knn::default());
    let text = says(&smote, &toy_values(1), &knn);
    assert!(text.contains("a target of values: not supported by smote") && text.contains("task classify"), "{text}");
    let none = Dataset { targets: Targets::None, ..toy_values(1) };
    assert!(says(&smote, &none, &knn).contains("no targets"));
    let unknown = Dataset { targets: Targets::Values(Values::new(vec![f64::NAN; 60], "y")), ..toy_values(1) };
    assert!(says(&smote, &unknown, &knn).contains("at least 1"));
    let text = says(&ClassWeights::default(), &toy_classes(1), &Hierarchical::default());
    assert!(text.contains("class-weights: not supported by hierarchical") && text.contains("oversample"), "{text}");
    assert!(says(&Smote { ratio: 2.0, ..smote }, &toy_classes(1), &knn).contains("at most 1"));
}
