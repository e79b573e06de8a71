//! The contract of a learner, executable.

use crate::{After, as_sparse, assert_close, check_slope, most_allocated, toy_points};
use base::{
    Catalog, Dataset, Error, Features, Fitted, Inputs, Learner, Machine, Meaning, Memory, Points, Prediction, Run,
    Seed, Shape, Size, Targets, Verdict, Wanted, Weighting,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Makes sure that a learner keeps every promise on `data`, which must be dense points without gaps and weights.
///
/// Refit equals fit; the record brings the machine back; a row alone equals the row in a batch; 1 thread equals 4 bit
/// for bit; dense, sparse and single-precision forms agree; a wrong width is refused; gaps are refused or handled as
/// declared, infinities always refused; weight 0 is the row removed and weight 2 the row twice, as declared; rows
/// without a target do not count; cancel is obeyed; deadline and interrupt keep the best so far; memory is asked for
/// before it is taken (an allocator counts), given back, and a limit ends in an error that says so; a claimed gradient is
/// measured, sums over support points are the scores; settings describe themselves.
#[track_caller]
pub fn check_learner(learner: &dyn Learner, data: &Dataset, catalog: &dyn Catalog) {
    let run = Run { catalog, ..Run::quiet(7) };
    let fit = |data: &Dataset, run: &Run<'_>| learner.fit(data, None, run);
    let fitted = fit(data, &run).expect("fits ordinary data");
    let machine = fitted.machine.clone();
    let first = scores(&*machine, &data.inputs, &run);

    let again = fit(data, &run).expect("fits twice");
    assert_eq!(machine.record(), again.machine.record(), "fit is not a function of settings, data and seed");
    assert_eq!(fitted.certificate, again.certificate, "the certificate changes from fit to fit");

    let back = catalog.machine(&machine.record()).expect("reads its own record");
    assert_eq!(first, scores(&*back, &data.inputs, &run), "the record forgets something");
    assert_eq!(machine.record(), back.record(), "the record changes when it is read and written");
    assert_eq!((machine.inputs(), machine.outputs()), (back.inputs(), back.outputs()), "the record forgets names");

    let four = Run { threads: 4, ..run.clone() };
    let parallel = fit(data, &four).expect("fits on four threads");
    assert_eq!(machine.record(), parallel.machine.record(), "fit depends on the number of threads");
    assert_eq!(first, scores(&*machine, &data.inputs, &four), "scores depend on the number of threads");

    check_rows(&*machine, data, &first, &run);
    check_forms(learner, data, &first, &run);
    check_widths_and_gaps(learner, &*machine, data, &run);
    check_weights(learner, data, &run);
    check_unknown_targets(learner, data, &run);
    check_odd_sizes(learner, data, &run);
    check_stops(learner, data, &run);
    check_memory(learner, data, &run);
    // Once for each learner: wide data take their time.
    static TRIED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if TRIED.lock().unwrap_or_else(PoisonError::into_inner).insert(learner.name()) {
        let uncounted = uncounted(learner, data, &run);
        assert!(uncounted.is_empty(), "{}", uncounted.join("\n"));
    }
    if machine.facets().support.is_some() {
        check_support(learner, data, &run);
    }
    check_settings(learner, data);

    if let Some(gradient) = machine.facets().gradient {
        // Beside a training row: on one, steps (shares of rows less strange) and kinks have no gradient.
        let mut x = points(data).select(&[0]).unwrap().to_dense(&run.memory).unwrap().to_vec();
        x.iter_mut().enumerate().for_each(|(c, x)| *x += 0.013 * (c + 1) as f64);
        let width = machine.outputs().names.len();
        // All outputs of the row as one block: a row each, which pulls at one of them.
        let block = Points::from_rows(&vec![&x[..]; width]).unwrap();
        let direction: Vec<f64> = (0..width * width).map(|i| f64::from(u8::from(i / width == i % width))).collect();
        let mut all = vec![0.0; width * x.len()];
        gradient.vjp(&block, &direction, &mut all, &run).expect("has the gradient it claims");
        for (output, claimed) in all.chunks_exact(x.len()).enumerate() {
            let f = |x: &[f64]| scores(&*machine, &Points::dense(x.to_vec(), 1, x.len()).unwrap().into(), &run)[output];
            check_slope(f, claimed, &x);
        }
    }
}

fn points(data: &Dataset) -> &Points {
    data.points().expect("check_learner takes points")
}

#[track_caller]
fn scores(machine: &dyn Machine, inputs: &Inputs, run: &Run<'_>) -> Vec<f64> {
    let out = machine.compute(inputs, run).expect("computes");
    assert_eq!(out.len(), inputs.len(), "a row went missing");
    assert_eq!(out.columns(), machine.outputs().names.len(), "columns without a name");
    out.to_dense(&run.memory).unwrap().to_vec()
}

/// The same machine, as far as predictions can tell.
#[track_caller]
fn same(a: &Fitted, b: &Fitted, inputs: &Inputs, run: &Run<'_>, tolerance: f64, what: &str) {
    assert_close(&scores(&*a.machine, inputs, run), &scores(&*b.machine, inputs, run), tolerance, what);
}

fn check_rows(machine: &dyn Machine, data: &Dataset, all: &[f64], run: &Run<'_>) {
    let width = machine.outputs().names.len();
    for row in [0, data.len() / 2, data.len() - 1] {
        let alone = data.inputs.slice(row..row + 1).unwrap();
        let expected = &all[row * width..(row + 1) * width];
        assert_close(&scores(machine, &alone, run), expected, 1e-12, "scores depend on the neighbours");
        if machine.outputs().meaning == Meaning::Classes {
            let class = Prediction::of(machine, &alone, run).unwrap().classes(run).unwrap()[0];
            let main = &expected[..machine.outputs().main()];
            assert_eq!(class, base::argmax(main), "the label depends on the neighbours");
        }
    }
    let none = data.inputs.slice(0..0).unwrap();
    assert_eq!(scores(machine, &none, run), Vec::<f64>::new(), "no rows make no scores");
}

fn check_forms(learner: &dyn Learner, data: &Dataset, dense: &[f64], run: &Run<'_>) {
    let sparse = as_sparse(data);
    let fitted = learner.fit(&sparse, None, run).expect("takes sparse points");
    assert_close(&scores(&*fitted.machine, &sparse.inputs, run), dense, 1e-9, "sparse points give other scores");
    assert_close(&scores(&*fitted.machine, &data.inputs, run), dense, 1e-9, "dense points on a sparse fit differ");
    let values = points(data).to_dense(&run.memory).unwrap();
    let single: Vec<f32> = values.iter().map(|&x| x as f32).collect();
    let single = Points::dense(single, data.len(), points(data).columns()).unwrap();
    let single = Dataset { inputs: single.into(), ..data.clone() };
    let fitted = learner.fit(&single, None, run).expect("takes single precision");
    assert_close(&scores(&*fitted.machine, &single.inputs, run), dense, 1e-9, "single precision gives other scores");
}

fn check_widths_and_gaps(learner: &dyn Learner, machine: &dyn Machine, data: &Dataset, run: &Run<'_>) {
    let columns = points(data).columns();
    for width in [0, columns - 1, columns + 1] {
        let wide = Points::dense(vec![0.0; width], 1, width).unwrap();
        let answer = machine.compute(&wide.into(), run);
        assert!(matches!(answer, Err(Error::Size { .. })), "a wrong width is computed with");
    }
    for (value, name) in [(f64::NAN, "a gap"), (f64::INFINITY, "infinity")] {
        let mut row = vec![0.0; columns];
        row[columns - 1] = value;
        let handled = value.is_nan() && machine.facets().missing.admits;
        let answer = machine.compute(&Points::dense(row, 1, columns).unwrap().into(), run);
        assert_eq!(answer.is_ok(), handled, "prediction: {name} is not treated as declared");
        let mut values = points(data).to_dense(&run.memory).unwrap().to_vec();
        values[columns + 1] = value;
        let holed = Points::dense(values, data.len(), columns).unwrap();
        let answer = learner.fit(&Dataset { inputs: holed.into(), ..data.clone() }, None, run);
        let handled = value.is_nan() && learner.traits().needs.missing;
        assert_eq!(answer.is_ok(), handled, "fit: {name} is not treated as declared");
    }
}

fn check_weights(learner: &dyn Learner, data: &Dataset, run: &Run<'_>) {
    let n = data.len();
    let without: Vec<usize> = (0..n).filter(|i| i % 5 != 1).collect();
    let zeros: Vec<f64> = (0..n).map(|i| if i % 5 == 1 { 0.0 } else { 1.0 }).collect();
    let weighted = Dataset { weights: Some(zeros.into()), ..data.clone() };
    let a = learner.fit(&weighted, None, run).expect("takes weights of 0");
    let removed = Dataset { weights: Some(vec![1.0; without.len()].into()), ..data.select(&without).unwrap() };
    let b = learner.fit(&removed, None, run).expect("fits fewer rows");
    assert_eq!(a.machine.record(), b.machine.record(), "weight 0 is not the same as the row removed");
    assert!(!a.certificate.warnings.is_empty(), "rows left out are not mentioned");

    let twice = |i: usize| i.is_multiple_of(4);
    let doubled: Vec<f64> = (0..n).map(|i| if twice(i) { 2.0 } else { 1.0 }).collect();
    let answer = learner.fit(&Dataset { weights: Some(doubled.into()), ..data.clone() }, None, run);
    match learner.traits().needs.weights {
        Weighting::Exact => {
            let rows: Vec<usize> = (0..n).flat_map(|i| std::iter::repeat_n(i, 1 + usize::from(twice(i)))).collect();
            let repeated = learner.fit(&data.select(&rows).unwrap(), None, run).expect("fits rows twice");
            same(&answer.expect("takes weights"), &repeated, &data.inputs, run, 1e-6, "weight 2 is not the row twice");
        }
        Weighting::Mean => drop(answer.expect("takes weights")),
        Weighting::None => assert!(answer.is_err(), "weights are ignored"),
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let weights: Vec<f64> = (0..n).map(|i| if i == 3 { bad } else { 1.0 }).collect();
        let answer = learner.fit(&Dataset { weights: Some(weights.into()), ..data.clone() }, None, run);
        assert!(matches!(answer, Err(Error::Data { .. })), "a weight of {bad} is accepted");
    }
}

/// Weights that count on average: over seeds, rows of weight 4 must come nearer to what the rows four times do than rows
/// without weights.
///
/// Not for learners that split their rows: copies of a row on both sides of a split tell more than a weight does.
#[track_caller]
pub fn check_mean_weights(learner: &dyn Learner, data: &Dataset, run: &Run<'_>) {
    const SEEDS: u64 = 30;
    let n = data.len();
    // Rows that make a difference: those of one class, of large values, or of one of the clouds.
    let heavy = |i: usize| match &data.targets {
        Targets::Classes(c) => c.codes()[i] == 0,
        Targets::Values(v) => v.values()[i] > v.values().iter().sum::<f64>() / n as f64,
        _ => i.is_multiple_of(3),
    };
    let weights: Vec<f64> = (0..n).map(|i| if heavy(i) { 4.0 } else { 1.0 }).collect();
    let weighted = Dataset { weights: Some(weights.into()), ..data.clone() };
    let rows: Vec<usize> = (0..n).flat_map(|i| std::iter::repeat_n(i, if heavy(i) { 4 } else { 1 })).collect();
    let repeated = data.select(&rows).unwrap();
    // Clusters have no order: what is compared are the sorted scores of a row.
    let unordered = learner.traits().needs.targets == Wanted::Nothing;
    // New rows: trees know those that they were fitted to by heart.
    let asked: Inputs = toy_points(60, points(data).columns(), 77).into();
    // The same seeds, so that networks begin alike.
    let mean = |data_of: &Dataset| -> Vec<f64> {
        let mut sums: Vec<f64> = vec![];
        for seed in 0..SEEDS {
            let run = Run { seed: Seed(seed), ..run.clone() };
            let machine = learner.fit(data_of, None, &run).expect("fits with weights").machine;
            let mut all = scores(&*machine, &asked, &run);
            if unordered {
                all.chunks_mut(machine.outputs().names.len()).for_each(|row| row.sort_by(f64::total_cmp));
            }
            sums.resize(all.len(), 0.0);
            // Some scores have no bounds, and one of them must not decide.
            sums.iter_mut().zip(&all).for_each(|(s, x)| *s += x / (1.0 + x.abs()) / SEEDS as f64);
        }
        sums
    };
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let (plain, by_weights, by_rows) = (mean(data), mean(&weighted), mean(&repeated));
    let (with, without) = (apart(&by_weights, &by_rows), apart(&plain, &by_rows));
    assert!(
        with <= 0.8 * without,
        "{}: the mean with weights is {with} from that of repeated rows, without weights {without}",
        learner.name()
    );
}

fn check_unknown_targets(learner: &dyn Learner, data: &Dataset, run: &Run<'_>) {
    if learner.traits().needs.targets == Wanted::Nothing {
        return;
    }
    let hidden = |i: usize| i % 7 == 2;
    let targets = match &data.targets {
        Targets::Classes(c) => {
            let codes = (0..data.len()).map(|i| if hidden(i) { base::UNKNOWN } else { c.codes()[i] }).collect();
            Targets::Classes(base::Classes::new(codes, c.names().clone()).unwrap())
        }
        Targets::Values(v) => {
            let width = v.names().len();
            let value = |(i, x): (usize, &f64)| if hidden(i / width) { f64::NAN } else { *x };
            let values = v.values().iter().enumerate().map(value).collect();
            Targets::Values(base::Values::several(values, v.names().clone()).unwrap())
        }
        other => panic!("no toy for {}", other.type_name()),
    };
    let a = learner.fit(&Dataset { targets, ..data.clone() }, None, run).expect("takes unknown targets");
    let known: Vec<usize> = (0..data.len()).filter(|&i| !hidden(i)).collect();
    let b = learner.fit(&data.select(&known).unwrap(), None, run).expect("fits the known rows");
    assert_eq!(a.machine.record(), b.machine.record(), "rows without a target leave a trace");
    let nothing = learner.fit(&Dataset { targets: Targets::None, ..data.clone() }, None, run);
    assert!(nothing.is_err(), "fits without targets");
}

/// One row, twins, constant columns, a class without rows: an answer or an error, and finite scores.
fn check_odd_sizes(learner: &dyn Learner, data: &Dataset, run: &Run<'_>) {
    let columns = points(data).columns();
    let constant = Points::dense(vec![2.5; data.len() * columns], data.len(), columns).unwrap();
    let two: Vec<usize> = (0..data.len()).filter(|i| i % 3 != 1).collect();
    for odd in [
        data.select(&[0]).unwrap(),
        data.select(&[0, 0, 0]).unwrap(),
        data.select(&[0, 1, 2]).unwrap(),
        data.select(&two).unwrap(),
        Dataset { inputs: constant.into(), ..data.clone() },
    ] {
        if let Ok(fitted) = learner.fit(&odd, None, run) {
            let all = scores(&*fitted.machine, &data.inputs, run);
            assert!(all.iter().all(|x| x.is_finite()), "scores are not finite after {} rows", odd.len());
        }
    }
    let none = learner.fit(&data.select(&[]).unwrap(), None, run);
    assert!(matches!(none, Err(Error::Size { .. })), "fits no rows at all");
}

fn check_stops(learner: &dyn Learner, data: &Dataset, run: &Run<'_>) {
    for steps in [0, 1] {
        let watch = After::new(steps, Verdict::Cancel);
        match learner.fit(data, None, &Run { watch: &watch, ..run.clone() }) {
            Err(Error::Cancelled) => {}
            Ok(_) if steps > 0 => {} // It was done before it was asked again.
            Ok(_) => panic!("does not listen to its observer"),
            Err(other) => panic!("cancelled, but says: {other}"),
        }
    }
    let enough = After::new(0, Verdict::Enough);
    let late = Run { deadline: Some(Instant::now()), ..run.clone() };
    for run in [Run { watch: &enough, ..run.clone() }, late] {
        let kept = match learner.fit(data, None, &run) {
            // There was nothing to keep yet.
            Err(Error::Stopped { .. }) => continue,
            other => other.expect("keeps the best so far"),
        };
        let c = &kept.certificate;
        assert!(c.converged != c.interrupted, "neither finished nor interrupted, or both");
        let calm = Run { watch: &base::Silent, deadline: None, ..run.clone() };
        assert!(
            scores(&*kept.machine, &data.inputs, &calm).iter().all(|x| x.is_finite()),
            "the best so far is unusable"
        );
    }
}

fn check_memory(learner: &dyn Learner, data: &Dataset, run: &Run<'_>) {
    let tiny = Run { memory: Memory::limited(16), ..run.clone() };
    match learner.fit(data, None, &tiny) {
        Err(Error::Memory { .. }) | Ok(_) => {}
        Err(other) => panic!("out of memory, but says: {other}"),
    }
    assert_eq!(tiny.memory.used(), 0, "memory of a failed fit is not given back");
    let counted = Run { memory: Memory::limited(1 << 30), ..run.clone() };
    let fitted: Arc<dyn Machine> = learner.fit(data, None, &counted).expect("fits in a gigabyte").machine;
    drop(scores(&*fitted, &data.inputs, &counted));
    drop(fitted);
    assert_eq!(counted.memory.used(), 0, "memory is not given back");
}

/// Learners that still take more than they ask for, with the bytes on the data of [`uncounted`] that are not counted. A debt:
/// lines are taken out, never added, and none may be larger than what is owed.
const OWED: &[(&str, u64)] = &[
    ("rbf-network", 1_700_000),
    ("autoencoder", 1_500_000),
    ("impute-mixture", 4_300_000),
    ("one-class-svm", 300_000),
    ("pca", 700_000),
    ("svdd", 300_000),
    ("whiten", 700_000),
];

/// What a learner allocates without asking: on data whose every copy takes more than a megabyte, the largest pieces of a fit
/// and of a prediction together are those that were counted, but for a megabyte. A line for each that are not.
pub fn uncounted(learner: &dyn Learner, data: &Dataset, run: &Run<'_>) -> Vec<String> {
    const ROWS: usize = 400;
    const SIDE: usize = 20;
    const SPARE: u64 = 1 << 20;
    let cycled: Vec<usize> = (0..ROWS).map(|i| i % data.len()).collect();
    let features = match data.features.shape() {
        Some(Shape::Image { .. }) => {
            Features::unnamed(SIDE * SIDE).shaped(Shape::Image { height: SIDE, width: SIDE, channels: 1 }).unwrap()
        }
        _ => Features::unnamed(SIDE * SIDE),
    };
    let targets = data.select(&cycled).unwrap().targets;
    let inputs = toy_points(ROWS, SIDE * SIDE, 3).into();
    let wide = Dataset { inputs, targets, features, weights: None, groups: None, prepared: false };
    let counted = || Run { memory: Memory::limited(1 << 30), threads: 1, ..run.clone() };
    let owed = OWED.iter().find(|(name, _)| *name == learner.name()).map_or(0, |(_, bytes)| *bytes);
    let mut found = vec![];
    let mut compare = |what: &str, taken: u64, run: &Run<'_>| {
        let asked = run.memory.peak();
        if taken > asked + SPARE + owed {
            found.push(format!("{}: {what} takes {taken} bytes in large pieces and asks for {asked}", learner.name()));
        }
    };
    // The first matrix product of a thread makes buffers that are kept for all to come, in the fit or in the prediction.
    if let Ok(first) = learner.fit(&wide, None, &counted()) {
        drop(first.machine.compute(&wide.inputs, &counted()));
    }
    let fitting = counted();
    let (fitted, taken) = most_allocated(|| learner.fit(&wide, None, &fitting));
    // Some sizes do not fit so wide data.
    let Ok(fitted) = fitted else { return found };
    compare("a fit", taken, &fitting);
    let predicting = counted();
    let (out, taken) = most_allocated(|| fitted.machine.compute(&wide.inputs, &predicting));
    out.expect("predicts its training rows");
    compare("a prediction", taken, &predicting);
    found
}

/// A score that is said to be a sum over support points is that sum.
///
/// Of two classes: among more, pairs of them vote, and the parts are those of the margins.
fn check_support(learner: &dyn Learner, data: &Dataset, run: &Run<'_>) {
    let data = match &data.targets {
        Targets::Classes(c) if c.names().len() > 2 => {
            let two: Vec<usize> = (0..data.len()).filter(|&i| c.codes()[i] < 2).collect();
            let codes = two.iter().map(|&i| c.codes()[i]).collect();
            let targets = Targets::Classes(base::Classes::new(codes, c.names()[..2].to_vec()).unwrap());
            Dataset { targets, ..data.select(&two).unwrap() }
        }
        _ => data.clone(),
    };
    let machine = learner.fit(&data, None, run).expect("fits two classes").machine;
    let (machine, data) = (&*machine, &data);
    let Some(sums) = machine.facets().support.and_then(|s| s.sums()) else { return };
    let (all, width) = (scores(machine, &data.inputs, run), machine.outputs().names.len());
    for output in 0..machine.outputs().main() {
        let parts = sums.contributions(points(data), output, run).expect("has the sums it claims");
        let count = parts.values.columns();
        assert_eq!(count, sums.points().len(), "a part for each training point");
        let values = parts.values.to_dense(&run.memory).unwrap();
        let added: Vec<f64> = values.chunks(count.max(1)).map(|row| row.iter().sum::<f64>() + parts.offset).collect();
        let scores: Vec<f64> = all.chunks(width).map(|row| row[output]).collect();
        let name = learner.name();
        if machine.outputs().meaning == Meaning::Outlier {
            // Scores of detectors are increasing functions of the sum: itself, or a logarithm.
            let order = |values: &[f64]| {
                let mut rows: Vec<usize> = (0..values.len()).collect();
                rows.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
                rows
            };
            let falls = |rows: &[usize], values: &[f64]| rows.windows(2).any(|w| values[w[1]] < values[w[0]] - 1e-9);
            let wrong = falls(&order(&added), &scores);
            assert!(!wrong, "{name}: scores do not grow with the sum of the parts of support points");
        } else {
            assert_close(&added, &scores, 1e-9, &format!("{name}: the parts of support points are not the score"));
        }
    }
}

fn check_settings(learner: &dyn Learner, data: &Dataset) {
    let mut copy = learner.boxed();
    let names: Vec<&str> = learner.params().iter().map(|p| p.name).collect();
    for param in learner.params() {
        assert!(!param.help.is_empty(), "setting {} has no help", param.name);
        param.check(&param.default).expect("the default is admitted");
        let value = learner.get(param.name).unwrap();
        copy.set(param.name, value.clone()).expect("takes its own value");
        assert_eq!(copy.get(param.name).unwrap(), value, "setting {} changes when set", param.name);
        copy.set_text(param.name, &value.to_string()).expect("reads what it shows");
        assert_eq!(copy.get(param.name).unwrap(), value, "setting {} changes as text", param.name);
        for other in param.also.iter().chain(param.was) {
            assert!(names.iter().all(|name| name != other), "{other} is a setting and another name of {}", param.name);
            copy.set_text(other, &value.to_string()).expect("answers to its other names");
        }
    }
    assert!(copy.set_text("no such setting", "1").is_err());
    let plan = learner.plan(&Size::of(data));
    assert!(plan.fit >= 0.0 && plan.predict >= 0.0 && plan.bytes >= 0.0, "a plan of less than nothing");
}

/// The gradient of a machine at a row in a direction of its outputs; the machine must have one.
#[track_caller]
pub fn gradient_at(machine: &dyn Machine, x: &[f64], direction: &[f64]) -> Vec<f64> {
    let point = Points::dense(x.to_vec(), 1, x.len()).unwrap();
    let mut out = vec![0.0; x.len()];
    let gradient = machine.facets().gradient.expect("has a gradient");
    gradient.vjp(&point, direction, &mut out, &Run::quiet(0)).expect("computes it");
    out
}
