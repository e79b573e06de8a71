//! Linear support vector machines of several classes beside plain dual coordinate ascent, and what a fit promises: which class
//! is predicted, when it ends, that rows are shuffled, and that weights are stored sparsely.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Classes, Dataset, Fact, Fitted, Gap, Learner, Machine, Memory, Points, Prediction, Run, Seed, Targets};
use pellucid_linear::{Linear, LinearSvm, Multiclass};
use std::collections::HashSet;

/// Rows of several classes.
struct Data {
    x: Vec<Vec<f64>>,
    y: Vec<u32>,
    classes: usize,
}

impl Data {
    /// A problem of random size; three numbers out of ten are 0, and the last column always is.
    fn random(seed: Seed) -> Self {
        let whole = |i: usize, low: usize, high: usize| low + (seed.at(i).unit() * (high - low + 1) as f64) as usize;
        let (d, classes, n) = (whole(0, 2, 8), whole(1, 3, 6), whole(2, 10, 36));
        let y: Vec<u32> = (0..n).map(|i| if i < classes { i } else { whole(100 + i, 0, classes - 1) } as u32).collect();
        let at = |i: usize, j: usize| {
            let own = seed.fork("row").at(i).at(j);
            let centre = seed.fork("centre").at(y[i] as usize).at(j).unit() - 0.5;
            if j + 1 == d || own.fork("zero").unit() < 0.3 { 0.0 } else { centre + own.unit() - 0.5 }
        };
        let x = (0..n).map(|i| (0..d).map(|j| at(i, j)).collect()).collect();
        Data { x, y, classes }
    }

    fn set(&self) -> Dataset {
        let names: Vec<String> = (0..self.classes).map(|c| format!("c{c}")).collect();
        let classes = Classes::new(self.y.clone(), names).unwrap();
        Dataset::new(Points::from_rows(&self.x).unwrap(), Targets::Classes(classes))
    }

    fn scores(&self, w: &[Vec<f64>], i: usize) -> Vec<f64> {
        w.iter().map(|w| dot(w, &self.x[i])).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The weights of each class.
fn weights(fitted: &Fitted) -> Vec<Vec<f64>> {
    let machine: &Linear = fitted.machine.expect::<Linear>().unwrap();
    let all = machine.weights().to_dense(&Memory::unlimited()).unwrap().to_vec();
    all.chunks(machine.inputs().count()).map(<[f64]>::to_vec).collect()
}

fn fact(fitted: &Fitted, name: &str) -> f64 {
    match fitted.certificate.facts[name] {
        Fact::Number(x) => x,
        Fact::Curve(_) => panic!("{name} is a curve"),
    }
}

fn duality_gap(fitted: &Fitted) -> f64 {
    match fitted.certificate.gap {
        Gap::Duality(gap) => gap,
        other => panic!("{other:?}"),
    }
}

/// The two largest of some scores, the first of equals first, and the place of the largest.
fn best(scores: &[f64]) -> (usize, f64) {
    let place = (0..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best });
    let second = (0..scores.len()).filter(|&c| c != place).map(|c| scores[c]).fold(f64::NEG_INFINITY, f64::max);
    (place, scores[place] - second)
}

fn predicted(fitted: &Fitted, data: &Dataset) -> Vec<u32> {
    let run = Run::quiet(1);
    Prediction::of(&*fitted.machine, &data.inputs, &run).unwrap().classes(&run).unwrap()
}

#[test]
fn the_class_with_the_largest_product_of_weights_and_row_is_predicted() {
    for seed in testkit::seeds(8) {
        let (data, other) = (Data::random(Seed(seed)), Data::random(Seed(seed).fork("rows never seen")));
        let d = data.x[0].len();
        for multiclass in [Multiclass::WestonWatkins, Multiclass::LeeLinWahba, Multiclass::OneVsRest] {
            let learner = LinearSvm { multiclass, intercept: false, ..LinearSvm::default() };
            let fitted = learner.fit(&data.set(), None, &Run::quiet(1)).unwrap();
            assert!(fitted.machine.expect::<Linear>().unwrap().offsets().iter().all(|b| *b == 0.0), "seed {seed}");
            let w = weights(&fitted);
            assert_eq!(w.len(), data.classes);
            // Rows of the fit, and others brought to its width.
            let fresh = other.x.iter().map(|x| x.iter().copied().cycle().take(d).collect()).collect();
            for x in [data.x.clone(), fresh] {
                let rows = Data { y: vec![0; x.len()], x, classes: data.classes };
                for (i, class) in predicted(&fitted, &rows.set()).into_iter().enumerate() {
                    let (largest, margin) = best(&rows.scores(&w, i));
                    assert!(class as usize == largest || margin < 1e-9, "seed {seed}, {multiclass:?}, row {i}");
                }
            }
        }
    }
}

/// Weights with their primal and dual objective.
struct Plain {
    w: Vec<Vec<f64>>,
    primal: f64,
    dual: f64,
}

/// Plain dual coordinate ascent, one variable after the other in the order of the rows, as the algorithms are written down.
///
/// Weston and Watkins: v = 1 − (w_y − w_c)·x, step v / 2‖x‖² within 0 ≤ α ≤ C; w_y gains the step times x, w_c loses it.
/// Lee, Lin and Wahba: v = 1 + w_c·x, step v / ‖x‖² within 0 ≤ α ≤ C; w_c loses it, and after each epoch the mean of all
/// weights is taken from them.
fn plain(data: &Data, c: f64, relative: bool, epochs: usize) -> Plain {
    let (n, k, d) = (data.x.len(), data.classes, data.x[0].len());
    let (mut w, mut alpha) = (vec![vec![0.0; d]; k], vec![vec![0.0; k]; n]);
    let violation = |f: &[f64], y: usize, c: usize| if relative { 1.0 - (f[y] - f[c]) } else { 1.0 + f[c] };
    let mut found = Plain { w: vec![], primal: f64::INFINITY, dual: 0.0 };
    for epoch in 1..=epochs {
        for (i, alpha) in alpha.iter_mut().enumerate() {
            let (x, y) = (&data.x[i], data.y[i] as usize);
            let norm = dot(x, x);
            for other in (0..k).filter(|&other| other != y) {
                let v = violation(&data.scores(&w, i), y, other);
                let curvature = if relative { 2.0 * norm } else { norm };
                let target = if curvature > 0.0 { alpha[other] + v / curvature } else { v * f64::INFINITY };
                let step = target.clamp(0.0, c) - alpha[other];
                alpha[other] += step;
                w[other].iter_mut().zip(x).for_each(|(w, x)| *w -= step * x);
                if relative {
                    w[y].iter_mut().zip(x).for_each(|(w, x)| *w += step * x);
                }
            }
        }
        if !relative {
            for j in 0..d {
                let mean = w.iter().map(|w| w[j]).sum::<f64>() / k as f64;
                w.iter_mut().for_each(|w| w[j] -= mean);
            }
        }
        if epoch % 50 == 0 || epoch == epochs {
            let half = 0.5 * w.iter().map(|w| dot(w, w)).sum::<f64>();
            let loss = |i: usize| {
                let (f, y) = (data.scores(&w, i), data.y[i] as usize);
                (0..k).filter(|&other| other != y).map(|other| violation(&f, y, other).max(0.0)).sum::<f64>()
            };
            let primal = half + c * (0..n).map(loss).sum::<f64>();
            found = Plain { w: w.clone(), primal, dual: alpha.iter().flatten().sum::<f64>() - half };
            if found.primal - found.dual <= 1e-11 * found.primal {
                break;
            }
        }
    }
    found
}

/// Objectives are strongly convex, ½‖w − w*‖² ≤ P(w) − P*: how far apart two weights may be whose duality gaps are known.
fn apart(gaps: [f64; 2]) -> f64 {
    gaps.iter().map(|gap| (2.0 * gap.max(0.0)).sqrt()).sum::<f64>() + 1e-9
}

#[test]
fn two_solvers_agree_on_weights_errors_and_density() {
    for case in 0..24 {
        let seed = Seed(case).fork("two solvers");
        let data = Data::random(seed);
        let c = 10f64.powf(2.0 * seed.at(9).unit() - 1.0);
        for (multiclass, relative) in [(Multiclass::WestonWatkins, true), (Multiclass::LeeLinWahba, false)] {
            let what = format!("case {case}, {multiclass:?}, c {c}");
            let learner =
                LinearSvm { c, multiclass, intercept: false, gap: 1e-10, steps: 200_000, ..LinearSvm::default() };
            let fitted = learner.fit(&data.set(), None, &Run::quiet(case)).unwrap();
            assert!(fitted.certificate.converged, "{what}");
            let theirs = plain(&data, c, relative, 20_000);
            let rest = theirs.primal - theirs.dual;
            assert!(rest <= 1e-6 * theirs.primal, "{what}: plain coordinate ascent is {rest} from its optimum");
            let near = apart([duality_gap(&fitted), rest]);
            let ours = weights(&fitted);
            let distance: f64 =
                ours.iter().flatten().zip(theirs.w.iter().flatten()).map(|(a, b)| (a - b).powi(2)).sum();
            assert!(distance.sqrt() <= near, "{what}: weights {} apart, at most {near}", distance.sqrt());
            // Rows whose class is not a matter of rounding are right or wrong by both.
            let classes = predicted(&fitted, &data.set());
            let mut compared = 0;
            for (i, own) in classes.into_iter().enumerate() {
                let (class, margin) = best(&data.scores(&theirs.w, i));
                if margin > 4.0 * near * dot(&data.x[i], &data.x[i]).sqrt() {
                    assert_eq!(own as usize, class, "{what}, row {i}");
                    compared += 1;
                }
            }
            assert!(compared * 2 > data.x.len(), "{what}: {compared} rows only");
            // What is not 0 for one is not 0 for the other, and columns without entries have no weights.
            let density = fact(&fitted, "fraction of weights that are not 0");
            let cells = (data.classes * data.x[0].len()) as f64;
            let above = |least: f64| theirs.w.iter().flatten().filter(|w| w.abs() > least).count() as f64 / cells;
            let touched = (0..data.x[0].len()).filter(|&j| data.x.iter().any(|x| x[j] != 0.0)).count();
            let most = (touched * data.classes) as f64 / cells;
            assert!(density >= above(near) && density <= most + 1e-12, "{what}: {density}, {} to {most}", above(near));
            assert!(most < 1.0 && above(near) > 0.3, "{what}");
        }
    }
}

#[test]
fn a_fit_ends_with_the_first_epoch_that_finds_no_violation_above_the_tolerance() {
    let mut epochs = [0; 4];
    for case in 0..24 {
        let seed = Seed(case).fork("tolerance");
        let data = Data::random(seed);
        let c = 10f64.powf(2.0 * seed.at(9).unit() - 1.0);
        for (multiclass, others) in [
            (Multiclass::WestonWatkins, data.classes - 1),
            (Multiclass::LeeLinWahba, data.classes - 1),
            (Multiclass::CrammerSinger, 1),
        ] {
            for (place, tolerance) in [0.3, 0.03, 1e-3, 1e-6].into_iter().enumerate() {
                let what = format!("case {case}, {multiclass:?}, tolerance {tolerance}");
                let learner =
                    LinearSvm { c, multiclass, tolerance, intercept: false, steps: 200_000, ..LinearSvm::default() };
                let fitted = learner.fit(&data.set(), None, &Run::quiet(case)).unwrap();
                let certificate = &fitted.certificate;
                assert!(certificate.converged && certificate.warnings.is_empty(), "{what}");
                // A variable whose violation is at most ε adds at most C ε to the duality gap. The last epoch itself still
                // mends violations below the tolerance, which may raise some that it has seen.
                let most = 2.0 * tolerance * c * (data.x.len() * others) as f64;
                assert!(
                    duality_gap(&fitted) <= most,
                    "{what}: a duality gap of {}, at most {most}",
                    duality_gap(&fitted)
                );
                epochs[place] += certificate.steps;
                // One epoch fewer is not enough.
                if certificate.steps > 1 {
                    let short = LinearSvm { steps: certificate.steps as usize - 1, ..learner };
                    let short = short.fit(&data.set(), None, &Run::quiet(case)).unwrap().certificate;
                    assert!(!short.converged && short.warnings.len() == 1, "{what}");
                }
            }
        }
    }
    assert!(epochs.windows(2).all(|e| e[0] < e[1]), "sharper tolerances take more epochs: {epochs:?}");
}

/// After an epoch the row that was visited last has a margin of exactly 1, and the other has not: which it is shows the order.
fn last_visited(multiclass: Multiclass, seed: u64, epochs: usize) -> usize {
    let data = Data { x: vec![vec![1.0, 0.0], vec![0.9, 0.19f64.sqrt()]], y: vec![0, 1], classes: 2 };
    let learner =
        LinearSvm { c: 1e4, multiclass, intercept: false, tolerance: 1e-13, steps: epochs, ..LinearSvm::default() };
    let fitted = learner.fit(&data.set(), None, &Run::quiet(seed)).unwrap();
    assert!(!fitted.certificate.converged);
    let w = weights(&fitted);
    let margin = |i: usize| {
        let (f, y) = (data.scores(&w, i), data.y[i] as usize);
        // One-vs-rest of two classes has one machine for both, whose scores are opposite.
        if multiclass == Multiclass::OneVsRest { f[y] } else { f[y] - f[1 - y] }
    };
    let at: Vec<usize> = (0..2).filter(|&i| (margin(i) - 1.0).abs() < 1e-9).collect();
    assert_eq!(at.len(), 1, "{multiclass:?}, seed {seed}, {epochs} epochs: margins {} {}", margin(0), margin(1));
    at[0]
}

#[test]
fn rows_are_shuffled_anew_every_epoch_and_any_order_ends_in_the_same_predictions() {
    for multiclass in [Multiclass::OneVsRest, Multiclass::WestonWatkins] {
        let orders: Vec<Vec<usize>> =
            (0..12).map(|seed| (1..=12).map(|epochs| last_visited(multiclass, seed, epochs)).collect()).collect();
        assert!(orders.iter().all(|o| o.contains(&0) && o.contains(&1)), "one order for all epochs: {orders:?}");
        assert!(orders.iter().collect::<HashSet<_>>().len() > 8, "seeds do not change the order: {orders:?}");
        assert_eq!(last_visited(multiclass, 3, 7), orders[3][6], "the same seed, the same order");
    }
    for seed in testkit::seeds(6) {
        let data = Data::random(Seed(seed));
        let order = Seed(seed).fork("other order").permutation(data.x.len());
        let moved = Data {
            x: order.iter().map(|&i| data.x[i].clone()).collect(),
            y: order.iter().map(|&i| data.y[i]).collect(),
            classes: data.classes,
        };
        for multiclass in [Multiclass::WestonWatkins, Multiclass::LeeLinWahba, Multiclass::CrammerSinger] {
            let learner = LinearSvm { multiclass, intercept: false, gap: 1e-9, steps: 200_000, ..LinearSvm::default() };
            let fits =
                [(&data, 1), (&moved, 2)].map(|(d, seed)| learner.fit(&d.set(), None, &Run::quiet(seed)).unwrap());
            let near = apart(fits.each_ref().map(duality_gap));
            let classes = fits.each_ref().map(|fitted| predicted(fitted, &data.set()));
            let w = fits.each_ref().map(weights);
            for (i, x) in data.x.iter().enumerate() {
                let (a, b) = (data.scores(&w[0], i), data.scores(&w[1], i));
                let length = dot(x, x).sqrt();
                assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= near * length + 1e-12), "seed {seed}, row {i}");
                assert!(
                    classes[0][i] == classes[1][i] || best(&a).1 <= 4.0 * near * length + 1e-12,
                    "seed {seed}, row {i}"
                );
            }
        }
    }
}

#[test]
fn many_classes_are_learned_in_far_less_memory_than_dense_weights_take() {
    let (n, d, k) = (900, 20_000, 450);
    let data = testkit::toy_texts(Seed(6), n, d, k);
    let dense = (8 * d * k) as u64;
    for multiclass in [Multiclass::WestonWatkins, Multiclass::CrammerSinger] {
        let learner = LinearSvm { multiclass, tolerance: 0.1, intercept: false, ..LinearSvm::default() };
        let free = learner.fit(&data, None, &Run::quiet(1)).unwrap();
        assert!(free.certificate.converged);
        let tight = Run { memory: Memory::limited(dense / 8), ..Run::quiet(1) };
        let fitted = learner.fit(&data, None, &tight).unwrap();
        assert!(tight.memory.peak() > 0);
        assert_eq!(fitted.machine.record(), free.machine.record(), "{multiclass:?}: the budget shows");
        let right = predicted(&fitted, &data).iter().enumerate().filter(|(i, c)| i % k == **c as usize).count();
        assert!(right * 10 > 9 * n, "{multiclass:?}: {right} of {n} rows are right");
    }
}
