//! Ways of filling gaps: against scikit-learn, against slow twins, and the laws they all keep.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{
    Catalog, Certificate, Dataset, EmptyCatalog, Error, Fact, Inputs, Learner, Machine, Points, Record, Result, Run,
    Seed, Targets, Values, Verdict, Weighting, normal,
};
use distance::{Covariance, Voting};
use pellucid_prepare as prepare;
use prepare::{
    ChainedFiller, Deck, Fill, Filler, Impute, ImputeHotDeck, ImputeKnn, ImputeMice, ImputeMixture, ImputeRegression,
    MixtureFiller,
};
use std::sync::Arc;
use testkit::{After, assert_close, check_golden};

struct Known;
impl Catalog for Known {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        EmptyCatalog.learner(name)
    }
    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        Ok(match record.kind() {
            Filler::KIND => Arc::new(Filler::read(record)?),
            Deck::KIND => Arc::new(Deck::read(record)?),
            ChainedFiller::KIND => Arc::new(ChainedFiller::read(record)?),
            _ => Arc::new(MixtureFiller::read(record)?),
        })
    }
}

/// Every way of filling, with draws and without.
fn all() -> Vec<Box<dyn Learner>> {
    let mice = |draw| ImputeMice { sample: draw, sweeps: 4, ..ImputeMice::default() };
    let mixture =
        |k, covariance, draw| ImputeMixture { k, covariance, sample: draw, restarts: 1, ..ImputeMixture::default() };
    vec![
        Box::new(Impute { strategy: Fill::MostFrequent, ..Impute::default() }),
        Box::new(ImputeKnn::default()),
        Box::new(ImputeKnn { k: 3, weighting: Voting::Distance }),
        Box::new(ImputeHotDeck::default()),
        Box::new(ImputeRegression::default()),
        Box::new(ImputeRegression { sample: true, ..ImputeRegression::default() }),
        Box::new(mice(false)),
        Box::new(mice(true)),
        Box::new(mixture(2, Covariance::Full, false)),
        Box::new(mixture(2, Covariance::Full, true)),
        Box::new(mixture(2, Covariance::Diagonal, true)),
    ]
}

/// Rows of a normal distribution with strong correlation, complete and with a share of gaps.
fn correlated(n: usize, d: usize, share: f64, seed: u64) -> (Vec<f64>, Dataset) {
    let mut stream = Seed(seed).fork("rows").stream();
    let mut values = Vec::with_capacity(n * d);
    for _ in 0..n {
        let common = normal(&mut stream);
        let second = normal(&mut stream);
        for c in 0..d {
            let sign = if c % 2 == 0 { 1.0 } else { -1.0 };
            let mixed = common + 0.6 * sign * second + 0.25 * normal(&mut stream);
            values.push(10.0 * c as f64 + (1.0 + c as f64) * mixed);
        }
    }
    let gap = |(i, x): (usize, &f64)| if Seed(seed).fork("gaps").at(i).unit() < share { f64::NAN } else { *x };
    let holed: Vec<f64> = values.iter().enumerate().map(gap).collect();
    (values, Dataset::new(Points::dense(holed, n, d).unwrap(), Targets::None))
}

fn compute(machine: &dyn Machine, inputs: &Inputs, run: &Run<'_>) -> Vec<f64> {
    machine.compute(inputs, run).unwrap().to_dense(&run.memory).unwrap().to_vec()
}

fn fill(learner: &dyn Learner, data: &Dataset) -> (Vec<f64>, Certificate) {
    let run = Run::quiet(3);
    let fitted = learner.fit(data, None, &run).unwrap();
    (compute(&*fitted.machine, &data.inputs, &run), fitted.certificate)
}

fn golden(name: &str) -> String {
    let path = format!("{}/../../golden/imputers/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn rows(name: &str) -> Dataset {
    let values: Vec<f64> = golden(name).lines().skip(1).map(|l| l.parse().unwrap()).collect();
    Dataset::new(Points::dense(values.clone(), values.len() / 6, 6).unwrap(), Targets::None)
}

/// Both files of the golden rows, filled by a machine fitted on the first.
fn both(learner: &dyn Learner) -> Vec<f64> {
    let run = Run::quiet(1);
    let machine = learner.fit(&rows("train"), None, &run).unwrap().machine;
    [rows("train"), rows("new")].iter().flat_map(|data| compute(&*machine, &data.inputs, &run)).collect()
}

#[test]
fn promises_are_kept() {
    for learner in all() {
        testkit::check_learner(&*learner, &testkit::toy_classes(2), &Known);
    }
}

#[test]
fn neighbours_fill_as_scikit_learn_does() {
    for (weighting, word) in [(Voting::Uniform, "uniform"), (Voting::Distance, "distance")] {
        for k in [1, 4, 200] {
            let ours = both(&ImputeKnn { k, weighting });
            check_golden(&golden(&format!("knn_{word}_{k}_exact")), &ours, 1e-12);
            // Its own distances come from products, which cancel; as weights they are good to fewer digits.
            let digits = if weighting == Voting::Uniform { 1e-12 } else { 1e-9 };
            check_golden(&golden(&format!("knn_{word}_{k}")), &ours, digits);
        }
    }
}

#[test]
fn chained_equations_are_those_of_scikit_learn() {
    for sweeps in [1, 6] {
        let mice = ImputeMice { sweeps, penalty: 0.7, tolerance: 0.0, sample: false };
        check_golden(&golden(&format!("chained_{sweeps}")), &both(&mice), 1e-9);
    }
}

/// What is there stays; gaps become finite; threads, batches and the record change nothing; weight 2 is the row twice.
#[test]
fn laws_of_all_imputers_on_rows_with_gaps() {
    for seed in 0..2 {
        let (_, data) = correlated(70, 5, 0.25, seed);
        let (_, new) = correlated(300, 5, 0.4, seed + 100);
        for learner in all() {
            let name = format!("{learner:?}");
            let run = Run::quiet(9);
            let fitted = learner.fit(&data, None, &run).unwrap();
            let machine = &*fitted.machine;
            let out = compute(machine, &new.inputs, &run);
            let before = new.points().unwrap().to_dense(&run.memory).unwrap();
            for (x, filled) in before.iter().zip(&out) {
                assert!(filled.is_finite(), "{name}: {filled}");
                assert!(x.is_nan() || x == filled, "{name}: a value that was there changed");
            }
            let four = Run { threads: 4, ..run.clone() };
            let other = learner.fit(&data, None, &four).unwrap();
            assert_eq!(machine.record().fields().len(), other.machine.record().fields().len());
            assert_eq!(out, compute(&*other.machine, &new.inputs, &four), "{name}: threads matter");
            let back = Known.machine(&machine.record()).unwrap();
            assert_eq!(out, compute(&*back, &new.inputs, &run), "{name}: the record forgets something");
            for (start, end) in [(0, 1), (17, 18), (40, 300)] {
                let part = compute(machine, &new.inputs.slice(start..end).unwrap(), &run);
                assert_eq!(part, out[start * 5..end * 5], "{name}: the batch matters");
            }
            let Fact::Curve(gaps) = &fitted.certificate.facts["missing values by column"] else { panic!("a curve") };
            let holes = data.points().unwrap().to_dense(&run.memory).unwrap();
            assert_eq!(gaps.iter().sum::<f64>(), holes.iter().filter(|x| x.is_nan()).count() as f64);
            if learner.traits().needs.weights == Weighting::Exact {
                let weights: Vec<f64> = (0..70).map(|i| if i % 3 == 0 { 2.0 } else { 1.0 }).collect();
                let twice: Vec<usize> = (0..70).flat_map(|i| vec![i; if i % 3 == 0 { 2 } else { 1 }]).collect();
                let weighted = Dataset { weights: Some(weights.into()), ..data.clone() };
                let a = learner.fit(&weighted, None, &run).unwrap().machine;
                let b = learner.fit(&data.select(&twice).unwrap(), None, &run).unwrap().machine;
                let (a, b) = (compute(&*a, &new.inputs, &run), compute(&*b, &new.inputs, &run));
                assert_close(&a, &b, 1e-8, &format!("{name}: weight 2 is not the row twice"));
            }
        }
    }
}

/// Draws change with the seed, expectations do not.
#[test]
fn only_draws_depend_on_the_seed() {
    let (_, data) = correlated(60, 4, 0.3, 8);
    for learner in all() {
        let filled = |seed| {
            let run = Run::quiet(seed);
            compute(&*learner.fit(&data, None, &run).unwrap().machine, &data.inputs, &run)
        };
        let draws = learner.name() == "impute-hot-deck" || learner.get("sample") == Ok(base::Value::Flag(true));
        if learner.name() != "impute-mixture" || draws {
            assert_eq!(filled(1) != filled(2), draws, "{learner:?}");
        }
    }
}

/// Columns without a value, rows without a value, a single column, cancelling: an answer or a clear error.
#[test]
fn odd_gaps_are_survived() {
    let nan = f64::NAN;
    let run = Run::quiet(1);
    let empty_column = Points::from_rows(&[[1.0, nan], [2.0, nan], [4.0, nan], [nan, nan], [3.0, nan]]).unwrap();
    let one_column = Points::from_rows(&[[1.0], [nan], [2.0], [4.0]]).unwrap();
    let disjoint = Points::from_rows(&[[1.0, nan], [nan, 2.0], [3.0, nan], [nan, 4.0]]).unwrap();
    let nothing = Points::from_rows(&[[nan, nan], [nan, nan], [nan, nan]]).unwrap();
    for points in [empty_column, one_column, disjoint, nothing] {
        let data = Dataset::new(points, Targets::None);
        for learner in all() {
            let fitted = learner.fit(&data, None, &run).unwrap_or_else(|e| panic!("{learner:?}: {e}"));
            let out = compute(&*fitted.machine, &data.inputs, &run);
            assert!(out.iter().all(|x| x.is_finite()), "{learner:?}: {out:?}");
        }
    }
    let (_, data) = correlated(200, 6, 0.3, 1);
    for learner in all() {
        for steps in 0..6 {
            let watch = After::new(steps, Verdict::Cancel);
            match learner.fit(&data, None, &Run { watch: &watch, ..run.clone() }) {
                Ok(_) | Err(Error::Cancelled) => {}
                Err(other) => panic!("{learner:?}: cancelled, but says {other}"),
            }
        }
        let machine = learner.fit(&data, None, &run).unwrap().machine;
        let watch = After::new(0, Verdict::Cancel);
        let answer = machine.compute(&data.inputs, &Run { watch: &watch, ..run.clone() });
        assert!(learner.name() == "impute" || answer == Err(Error::Cancelled), "{learner:?} does not listen");
    }
    let values = correlated(50, 3, 0.2, 1).1.points().unwrap().to_dense(&run.memory).unwrap().to_vec();
    let wide = Dataset::new(Points::dense(values, 5, 30).unwrap(), Targets::None);
    for learner in all() {
        let fitted = learner.fit(&wide, None, &run).unwrap_or_else(|e| panic!("{learner:?}: {e}"));
        assert!(compute(&*fitted.machine, &wide.inputs, &run).iter().all(|x| x.is_finite()), "{learner:?}");
    }
}

/// Column by column: ridge on the rows that have it, the others' gaps at their means.
#[test]
fn regression_is_ridge_on_the_other_columns() {
    let run = Run::quiet(1);
    let (_, data) = correlated(80, 4, 0.2, 3);
    let data = Dataset { weights: Some((0..80).map(|i| 0.5 + (i % 4) as f64).collect()), ..data };
    let weights = data.weights.clone().unwrap();
    let x = data.points().unwrap().to_dense(&run.memory).unwrap().to_vec();
    let there = |c: usize| (0..80).filter(|&i| !x[i * 4 + c].is_nan()).collect::<Vec<_>>();
    let mean_of = |c: usize, f: &dyn Fn(f64) -> f64| {
        let total: f64 = there(c).iter().map(|&i| weights[i]).sum();
        there(c).iter().map(|&i| weights[i] * f(x[i * 4 + c])).sum::<f64>() / total
    };
    let means: Vec<f64> = (0..4).map(|c| mean_of(c, &|x| x)).collect();
    let scales: Vec<f64> = (0..4).map(|c| mean_of(c, &|x| (x - means[c]).powi(2)).sqrt()).collect();
    let z = |i: usize, c: usize| if x[i * 4 + c].is_nan() { 0.0 } else { (x[i * 4 + c] - means[c]) / scales[c] };
    let (ours, _) = fill(&ImputeRegression { penalty: 2.5, sample: false }, &data);
    for c in 0..4 {
        let others: Vec<usize> = (0..4).filter(|&o| o != c).collect();
        let inputs = |rows: &[usize]| {
            let rows: Vec<Vec<f64>> = rows.iter().map(|&i| others.iter().map(|&o| z(i, o)).collect()).collect();
            Points::from_rows(&rows).unwrap()
        };
        let rows = there(c);
        let target = Targets::Values(Values::new(rows.iter().map(|&i| z(i, c)).collect(), "z"));
        let known = Dataset {
            weights: Some(rows.iter().map(|&i| weights[i]).collect()),
            ..Dataset::new(inputs(&rows), target)
        };
        let ridge = linear::Ridge { penalty: 2.5, ..linear::Ridge::default() }.fit(&known, None, &run).unwrap().machine;
        let gaps: Vec<usize> = (0..80).filter(|i| x[i * 4 + c].is_nan()).collect();
        assert!(gaps.len() > 5);
        let theirs = compute(&*ridge, &inputs(&gaps).into(), &run);
        let theirs: Vec<f64> = theirs.iter().map(|z| means[c] + scales[c] * z).collect();
        assert_close(&gaps.iter().map(|i| ours[i * 4 + c]).collect::<Vec<_>>(), &theirs, 1e-10, "regression");
    }
}

/// A column complete in training is regressed by the shared inverse; the answer is that of its own ridge.
#[test]
fn complete_columns_are_regressed_too() {
    let run = Run::quiet(1);
    let (values, data) = correlated(60, 4, 0.0, 4);
    let machine = ImputeRegression { penalty: 0.3, sample: false }.fit(&data, None, &run).unwrap().machine;
    let mut row = values[..4].to_vec();
    row[2] = f64::NAN;
    let ours = compute(&*machine, &Points::dense(row, 1, 4).unwrap().into(), &run)[2];
    let column = |c: usize| values.iter().skip(c).step_by(4).copied().collect::<Vec<f64>>();
    let unit = |c: usize| {
        let x = column(c);
        let mean = x.iter().sum::<f64>() / 60.0;
        let scale = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 60.0).sqrt();
        (x.iter().map(|x| (x - mean) / scale).collect::<Vec<f64>>(), mean, scale)
    };
    let others: Vec<Vec<f64>> = (0..60).map(|i| [0, 1, 3].map(|c| unit(c).0[i]).to_vec()).collect();
    let (target, mean, scale) = unit(2);
    let known = Dataset::new(Points::from_rows(&others).unwrap(), Targets::Values(Values::new(target, "z")));
    let ridge = linear::Ridge { penalty: 0.3, ..linear::Ridge::default() }.fit(&known, None, &run).unwrap().machine;
    let theirs = compute(&*ridge, &known.inputs.slice(0..1).unwrap(), &run)[0];
    assert_close(&[ours], &[mean + scale * theirs], 1e-11, "a complete column");
}

/// All ways on the same data, where one column has missing values and every answer can be written down: what is deleted, mean
/// and median, the mean of the nearest rows, the nearest row of the same data (hot) and of others (cold), least squares on
/// the other columns, to which chained equations and the expectation of a Gaussian come too, what is sampled around it, and
/// several imputations pooled.
#[test]
fn every_way_of_filling_is_that_of_its_definition() {
    const D: usize = 4;
    let (n, hole) = (200, 1);
    for seed in testkit::seeds(3) {
        let run = Run::quiet(seed);
        let (values, _) = correlated(n, D, 0.0, seed);
        let lacks = |i: usize| Seed(seed).fork("holes").at(i).unit() < 0.25;
        let holed: Vec<f64> =
            (0..n * D).map(|e| if e % D == hole && lacks(e / D) { f64::NAN } else { values[e] }).collect();
        let data = Dataset::new(Points::dense(holed.clone(), n, D).unwrap(), Targets::None);
        let (gaps, there): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| lacks(i));
        let row = |i: usize| &values[i * D..(i + 1) * D];
        let others = |x: &[f64]| -> Vec<f64> { (0..D).filter(|&c| c != hole).map(|c| x[c]).collect() };
        // What a fit on some data puts into the gaps.
        let filled = |learner: &dyn Learner, fitted_on: &Dataset| -> Vec<f64> {
            let machine = learner.fit(fitted_on, None, &run).unwrap().machine;
            let out = compute(&*machine, &data.inputs, &run);
            assert!(
                (0..n * D).all(|e| holed[e].is_nan() || out[e] == holed[e]),
                "{} changes what is there",
                learner.name()
            );
            gaps.iter().map(|i| out[i * D + hole]).collect()
        };

        let (kept, left_out) = prepare::complete_rows(&data).unwrap();
        let expected: Vec<f64> = there.iter().flat_map(|&i| row(i).to_vec()).collect();
        assert_eq!(kept.points().unwrap().to_dense(&run.memory).unwrap().to_vec(), expected, "rows are deleted");
        assert_eq!(left_out, gaps.len());
        let columns = prepare::SparseColumns { share: 0.5 * gaps.len() as f64 / n as f64 };
        let machine = columns.fit(&data, None, &run).unwrap().machine;
        let expected: Vec<f64> = (0..n).flat_map(|i| others(row(i))).collect();
        assert_eq!(compute(&*machine, &data.inputs, &run), expected, "the column is deleted");

        let mut sorted: Vec<f64> = there.iter().map(|&i| row(i)[hole]).collect();
        sorted.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        let median = 0.5 * (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]);
        for (with, expected) in [(Fill::Mean, mean), (Fill::Median, median)] {
            let found = filled(&Impute { strategy: with, ..Impute::default() }, &data);
            assert_close(&found, &vec![expected; gaps.len()], 1e-12, &format!("{with:?}"));
        }

        // The values of the rows nearest in the other columns, among rows that have one.
        let near = |deck: &[f64], from: &[usize], i: usize, k: usize| -> Vec<f64> {
            let far = |j: usize| -> f64 {
                others(row(i)).iter().zip(others(&deck[j * D..(j + 1) * D])).map(|(a, b)| (a - b).powi(2)).sum()
            };
            let mut order: Vec<usize> = from.to_vec();
            order.sort_by(|&a, &b| far(a).total_cmp(&far(b)));
            order[..k].iter().map(|&j| deck[j * D + hole]).collect()
        };
        for k in [1, 4] {
            let mean_of = |i: &usize| near(&values, &there, *i, k).iter().sum::<f64>() / k as f64;
            let expected: Vec<f64> = gaps.iter().map(mean_of).collect();
            let found = filled(&ImputeKnn { k, weighting: Voting::Uniform }, &data);
            assert_close(&found, &expected, 1e-12, "the mean of the nearest");
        }
        let (other, cold) = correlated(90, D, 0.0, seed.wrapping_add(1));
        let all: Vec<usize> = (0..90).collect();
        let hot: Vec<f64> = gaps.iter().map(|&i| near(&values, &there, i, 1)[0]).collect();
        assert_eq!(filled(&ImputeHotDeck { k: 1 }, &data), hot, "the nearest row of the same data");
        let elsewhere: Vec<f64> = gaps.iter().map(|&i| near(&other, &all, i, 1)[0]).collect();
        assert_eq!(filled(&ImputeHotDeck { k: 1 }, &cold), elsewhere, "the nearest row of other data");

        let inputs =
            |rows: &[usize]| Points::from_rows(&rows.iter().map(|&i| others(row(i))).collect::<Vec<_>>()).unwrap();
        let known = Targets::Values(Values::new(there.iter().map(|&i| row(i)[hole]).collect(), "x"));
        let known = Dataset::new(inputs(&there), known);
        let least = linear::LinearRegression::default().fit(&known, None, &run).unwrap().machine;
        let expected = compute(&*least, &inputs(&gaps).into(), &run);
        let ends = compute(&*least, &inputs(&there).into(), &run);
        let rest = there.iter().zip(&ends).map(|(&i, y)| (row(i)[hole] - y).powi(2)).sum::<f64>() / there.len() as f64;
        let mixture = ImputeMixture { k: 1, floor: 1e-12, tolerance: 1e-14, ..ImputeMixture::default() };
        for (learner, digits) in [
            (Box::new(ImputeRegression { penalty: 1e-9, sample: false }) as Box<dyn Learner>, 1e-7),
            (Box::new(ImputeMice { penalty: 1e-9, ..ImputeMice::default() }), 1e-7),
            (Box::new(mixture.clone()), 1e-4),
        ] {
            assert_close(&filled(&*learner, &data), &expected, digits, &format!("{learner:?}"));
        }
        let sampled = filled(&ImputeMixture { sample: true, ..mixture }, &data);
        let squares: Vec<f64> = sampled.iter().zip(&expected).map(|(a, b)| (a - b).powi(2) / rest).collect();
        let spread = squares.iter().sum::<f64>() / squares.len() as f64;
        // A mean of some fifty squares of normal numbers of variance 1.
        assert!(gaps.len() > 25 && spread > 0.2 && spread < 2.8, "{spread} of {}", gaps.len());

        let target = Targets::Values(Values::new((0..n).map(|i| row(i).iter().sum()).collect(), "y"));
        let wrapped = prepare::Wrapped {
            step: Box::new(prepare::Multiple { imputations: 4, ..prepare::Multiple::default() }),
            learner: Box::new(linear::Ridge::default()),
        };
        let pooled = wrapped.fit(&Dataset { targets: target, ..data.clone() }, None, &run).unwrap().machine;
        let parts = pooled.expect::<prepare::Pooled>().unwrap().machines();
        let parts: Vec<Vec<f64>> = parts.iter().map(|m| compute(&**m, &data.inputs, &run)).collect();
        let out = compute(&*pooled, &data.inputs, &run);
        for i in 0..n {
            let mean = parts.iter().map(|p| p[i]).sum::<f64>() / 4.0;
            let between = parts.iter().map(|p| (p[i] - mean).powi(2)).sum::<f64>() / 3.0;
            assert_close(&out[2 * i..2 * i + 2], &[mean, between], 1e-9, "pooled imputations");
        }
        assert!(gaps.iter().all(|i| out[2 * i + 1] > 0.0), "what is imputed is uncertain");
    }
}

/// A hot deck gives values of one row, among the nearest that have all that is missing.
#[test]
fn a_hot_deck_gives_what_one_near_row_has() {
    let run = Run::quiet(5);
    let (values, data) = correlated(50, 4, 0.0, 6);
    let machine = ImputeHotDeck { k: 3 }.fit(&data, None, &run).unwrap().machine;
    let (_, new) = correlated(200, 4, 0.45, 7);
    let out = compute(&*machine, &new.inputs, &run);
    let before = new.points().unwrap().to_dense(&run.memory).unwrap();
    let mut ranks = [0; 3];
    for (row, filled) in before.chunks(4).zip(out.chunks(4)) {
        let (gaps, there): (Vec<usize>, Vec<usize>) = (0..4).partition(|&c| row[c].is_nan());
        if gaps.is_empty() {
            continue;
        }
        let donor = values.chunks(4).position(|v| gaps.iter().all(|&c| v[c] == filled[c])).expect("one row gives all");
        if !there.is_empty() {
            let near = |v: &[f64]| there.iter().map(|&c| (v[c] - row[c]).powi(2)).sum::<f64>();
            let nearer = values.chunks(4).filter(|v| near(v) < near(&values[donor * 4..donor * 4 + 4])).count();
            assert!(nearer < 3, "a donor of rank {nearer}");
            ranks[nearer] += 1;
        }
    }
    assert!(ranks.iter().all(|&r| r > 20), "the k nearest are drawn alike: {ranks:?}");
}

/// Noise and posterior draws have the spread of the residuals: over many rows that lack one column the mean square about
/// the expectation is the conditional variance.
#[test]
fn draws_have_the_conditional_variance() {
    let run = Run::quiet(2);
    let (values, data) = correlated(600, 4, 0.0, 11);
    let holed: Vec<f64> = values.iter().enumerate().map(|(i, &x)| if i % 4 == 1 { f64::NAN } else { x }).collect();
    let new: Inputs = Points::dense(holed, 600, 4).unwrap().into();
    let mean = compute(
        &*ImputeRegression { penalty: 1e-6, sample: false }.fit(&data, None, &run).unwrap().machine,
        &new,
        &run,
    );
    let residual: f64 = (0..600).map(|i| (values[i * 4 + 1] - mean[i * 4 + 1]).powi(2)).sum::<f64>() / 596.0;
    let draws: Vec<Box<dyn Learner>> = vec![
        Box::new(ImputeRegression { penalty: 1e-6, sample: true }),
        Box::new(ImputeMice { penalty: 1e-6, sample: true, sweeps: 2, ..ImputeMice::default() }),
        Box::new(ImputeMixture { k: 1, sample: true, ..ImputeMixture::default() }),
    ];
    for learner in draws {
        let out = compute(&*learner.fit(&data, None, &run).unwrap().machine, &new, &run);
        let spread: f64 = (0..600).map(|i| (out[i * 4 + 1] - mean[i * 4 + 1]).powi(2)).sum::<f64>() / 600.0;
        // The deviation of a mean of 600 squares is 6 %, that of a posterior draw of the variance as much again.
        assert!((spread / residual - 1.0).abs() < 0.25, "{learner:?}: {spread} for {residual}");
    }
}

/// Regressions of draws scatter as their posterior says.
#[test]
fn posterior_draws_scatter_about_the_best_regression() {
    let (_, data) = correlated(40, 3, 0.0, 12);
    let weights_of = |draw: bool, seed: u64| {
        let learner = ImputeMice { penalty: 1e-9, sample: draw, sweeps: 1, ..ImputeMice::default() };
        let record = learner.fit(&data, None, &Run::quiet(seed)).unwrap().machine.record();
        record.array_of("weights", &[3, 3]).unwrap()
    };
    let best = weights_of(false, 0);
    let draws: Vec<Vec<f64>> = (0..400).map(|seed| weights_of(true, seed)).collect();
    // Ridge's posterior over the same standard units: variance of weight j is σ² (C⁻¹)_jj, C = Σ z zᵀ over 40 rows.
    let run = Run::quiet(1);
    let record = ImputeMice::default().fit(&data, None, &run).unwrap().machine.record();
    let (mean, scale) = (record.array_of("means", &[3]).unwrap(), record.array_of("scale", &[3]).unwrap());
    let x = data.points().unwrap().to_dense(&run.memory).unwrap();
    let z = |i: usize, c: usize| (x[i * 3 + c] - mean[c]) / scale[c];
    let c = |a: usize, b: usize| (0..40).map(|i| z(i, a) * z(i, b)).sum::<f64>();
    let determinant = c(1, 1) * c(2, 2) - c(1, 2) * c(1, 2);
    let rest = (0..40).map(|i| (z(i, 0) - best[1] * z(i, 1) - best[2] * z(i, 2)).powi(2)).sum::<f64>();
    // E σ² = RSS / (f − 2) with f = 40 − 3.
    let expected = [rest / 35.0 * c(2, 2) / determinant, rest / 35.0 * c(1, 1) / determinant];
    for (j, expected) in [1, 2].into_iter().zip(expected) {
        let centre = draws.iter().map(|d| d[j]).sum::<f64>() / 400.0;
        let variance = draws.iter().map(|d| (d[j] - best[j]).powi(2)).sum::<f64>() / 400.0;
        assert!((centre - best[j]).abs() < 4.0 * (expected / 400.0).sqrt(), "{centre} for {}", best[j]);
        assert!((variance / expected - 1.0).abs() < 0.35, "{variance} for {expected}");
    }
}

/// Where columns are strongly correlated, whoever looks at the others is far better than the mean.
#[test]
fn looking_at_other_columns_beats_the_mean() {
    let (truth, data) = correlated(400, 5, 0.2, 21);
    let error = |learner: &dyn Learner| {
        let (out, _) = fill(learner, &data);
        let run = Run::quiet(1);
        let holed = data.points().unwrap().to_dense(&run.memory).unwrap();
        let gaps: Vec<usize> = (0..truth.len()).filter(|&i| holed[i].is_nan()).collect();
        let square = |&i: &usize| ((out[i] - truth[i]) / (1 + i % 5) as f64).powi(2);
        (gaps.iter().map(square).sum::<f64>() / gaps.len() as f64).sqrt()
    };
    let mean = error(&Impute::default());
    assert!((1.0..1.4).contains(&mean), "the columns' deviation is 1.19: {mean}");
    let learners: [(Box<dyn Learner>, f64); 5] = [
        (Box::new(ImputeKnn::default()), 0.8),
        (Box::new(ImputeRegression::default()), 0.6),
        (Box::new(ImputeMice::default()), 0.5),
        (Box::new(ImputeMixture { k: 1, ..ImputeMixture::default() }), 0.5),
        // A draw carries noise of its own: one from the column alone would be off by √2 times the mean's error.
        (Box::new(ImputeHotDeck::default()), 1.0),
    ];
    for (learner, share) in learners {
        let own = error(&*learner);
        assert!(own < share * mean, "{learner:?}: {own}, the mean {mean}");
    }
}

/// Sweeps end where nothing moves any more, and say so; new rows are taken to the same place.
#[test]
fn sweeps_converge_and_say_so() {
    let run = Run::quiet(1);
    let (_, data) = correlated(150, 4, 0.2, 31);
    let mice = ImputeMice { sweeps: 200, tolerance: 1e-9, ..ImputeMice::default() };
    let fitted = mice.fit(&data, None, &run).unwrap();
    assert!(fitted.certificate.converged && fitted.certificate.steps < 200, "{:?}", fitted.certificate.steps);
    let Fact::Curve(curve) = &fitted.certificate.facts["largest change by sweep"] else { panic!("a curve") };
    assert!(curve[curve.len() - 1] <= 1e-9 && curve[0] > 0.1);
    let few = ImputeMice { sweeps: 1, tolerance: 1e-9, ..ImputeMice::default() }.fit(&data, None, &run).unwrap();
    assert!(!few.certificate.converged && few.certificate.warnings[0].contains("still changing"));
    // Without gaps in training one sweep says it all, and is repeated for new rows until they settle.
    let (_, complete) = correlated(150, 4, 0.0, 31);
    let machine = mice.fit(&complete, None, &run).unwrap().machine;
    let out = compute(&*machine, &data.inputs, &run);
    let expected =
        compute(&*ImputeMice { sweeps: 400, ..mice }.fit(&complete, None, &run).unwrap().machine, &data.inputs, &run);
    assert_close(&out, &expected, 1e-6, "a fixed point");
}

/// Damaged records are refused, never obeyed.
#[test]
fn damaged_records_are_refused() {
    let (_, data) = correlated(30, 3, 0.2, 1);
    for learner in all() {
        let record = learner.fit(&data, None, &Run::quiet(1)).unwrap().machine.record();
        for name in record.fields().keys() {
            let wrong = record.clone().with(name, "a text that means nothing");
            assert!(Known.machine(&wrong).is_err(), "{}: {name} may be anything", record.kind());
        }
    }
    let mice = ImputeMice::default().fit(&data, None, &Run::quiet(1)).unwrap().machine.record();
    let columns = mice.ids("columns").unwrap().len();
    for wrong in [
        mice.clone().with("columns", vec![9u32; columns]),
        mice.clone().with_array("scale", &[3], vec![0.0; 3]),
        mice.clone().with_array("offsets", &[columns], vec![f64::NAN; columns]),
        mice.clone().with("repeats", 1_000_000usize),
    ] {
        assert!(ChainedFiller::read(&wrong).is_err());
    }
    let points = |values: Vec<f64>| Points::dense(values.clone(), 1, values.len()).unwrap().record();
    let deck = ImputeKnn::default().fit(&data, None, &Run::quiet(1)).unwrap().machine.record();
    assert!(Deck::read(&deck.clone().with("k", 0usize)).is_err());
    assert!(Deck::read(&deck.clone().with("points", points(vec![1.0, f64::INFINITY, 0.0]))).is_err());
    assert!(Deck::read(&deck.with("points", points(vec![1.0, 0.0]))).is_err());
}
