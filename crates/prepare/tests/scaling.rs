//! Transformations of columns and rows beside their formulas, with numbers of the training rows applied to new ones; and
//! neighbours by Mahalanobis' distance, which are neighbours after whitening.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Classes, Dataset, Learner, Pipeline, Points, Run, Seed, Targets, normal};
use distance::{Knn, Voting};
use pellucid_prepare::{Center, Log, MinMax, Robust, Scale, Symmetric, Unit, Whiten};
use testkit::assert_close;

/// Rows of positive numbers whose columns differ in place and width.
fn positive(rows: usize, columns: usize, seed: Seed) -> Vec<Vec<f64>> {
    let mut stream = seed.stream();
    let mut value = |c: usize| (0.3 * (1 + c) as f64 * normal(&mut stream)).exp() * (1.0 + 3.0 * c as f64);
    (0..rows).map(|_| (0..columns).map(&mut value).collect()).collect()
}

/// The value that a fraction of the sorted ones lies below, halfway between two where the fraction is met exactly.
fn quantile(sorted: &[f64], level: f64) -> f64 {
    let place = level * sorted.len() as f64;
    let at = place.floor() as usize;
    if place == at as f64 { 0.5 * (sorted[at - 1] + sorted[at]) } else { sorted[at] }
}

/// What a step makes of one row, from the columns of the training rows.
type Formula = Box<dyn Fn(&[Vec<f64>], &[f64]) -> Vec<f64>>;

/// Column by column: (x − a) / b with what a column says of a and b.
fn columnwise(of: impl Fn(&[f64]) -> (f64, f64) + 'static) -> Formula {
    let one = move |column: &[f64], x: f64| {
        let (a, b) = of(column);
        (x - a) / b
    };
    Box::new(move |train, x| x.iter().zip(train).map(|(x, column)| one(column, *x)).collect())
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

fn extremes(x: &[f64]) -> (f64, f64) {
    (x.iter().copied().fold(f64::INFINITY, f64::min), x.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

fn steps() -> Vec<(Box<dyn Learner>, Formula)> {
    let deviation = |x: &[f64]| (x.iter().map(|v| (v - mean(x)).powi(2)).sum::<f64>() / x.len() as f64).sqrt();
    let quartiles = |x: &[f64]| {
        let mut sorted = x.to_vec();
        sorted.sort_by(f64::total_cmp);
        (quantile(&sorted, 0.5), quantile(&sorted, 0.75) - quantile(&sorted, 0.25))
    };
    let mut all: Vec<(Box<dyn Learner>, Formula)> = vec![
        (Box::new(Center::default()), columnwise(|x| (mean(x), 1.0))),
        (Box::new(Scale::default()), columnwise(move |x| (mean(x), deviation(x)))),
        (Box::new(Robust::default()), columnwise(quartiles)),
        (Box::new(MinMax::default()), columnwise(|x| (extremes(x).0, extremes(x).1 - extremes(x).0))),
        (
            Box::new(Symmetric::default()),
            columnwise(|x| {
                let (low, high) = extremes(x);
                (0.5 * (low + high), 0.5 * (high - low))
            }),
        ),
    ];
    for epsilon in [0.0, 0.25, 1.0] {
        let log = move |x: &[f64]| x.iter().map(|x| (x + epsilon).ln()).collect::<Vec<f64>>();
        all.push((Box::new(Log { epsilon }), Box::new(move |_, x| log(x))));
    }
    for p in [1.0, 2.0, 3.5] {
        let norm = move |x: &[f64]| x.iter().map(|x| x.abs().powf(p)).sum::<f64>().powf(1.0 / p);
        all.push((Box::new(Unit { p }), Box::new(move |_, x| x.iter().map(|v| v / norm(x)).collect())));
    }
    all
}

#[test]
fn steps_are_their_formulas_and_new_rows_meet_the_numbers_of_training() {
    let run = Run::quiet(1);
    for seed in testkit::seeds(5).into_iter().map(Seed) {
        let (rows, columns) = (9 + (20.0 * seed.fork("rows").unit()) as usize, 4);
        let train = positive(rows, columns, seed.fork("train"));
        let by_column: Vec<Vec<f64>> = (0..columns).map(|c| train.iter().map(|row| row[c]).collect()).collect();
        // New rows lie elsewhere: statistics of their own would show.
        let new: Vec<Vec<f64>> = positive(7, columns, seed.fork("new"))
            .into_iter()
            .map(|row| row.into_iter().map(|x| 1.7 * x + 0.5).collect())
            .collect();
        let data = Dataset::new(Points::from_rows(&train).unwrap(), Targets::None);
        for (step, formula) in steps() {
            let machine = step.fit(&data, None, &run).unwrap().machine;
            for part in [&train, &new] {
                let inputs = Points::from_rows(part).unwrap().into();
                let found = machine.compute(&inputs, &run).unwrap().to_dense(&run.memory).unwrap();
                let expected: Vec<f64> = part.iter().flat_map(|row| formula(&by_column, row)).collect();
                assert_close(&found, &expected, 1e-10, &format!("{step:?} of {rows} rows"));
            }
        }
    }
}

/// The inverse of a small matrix, by Gauss and Jordan with pivots.
fn inverse(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = a.len();
    let unit = |i: usize| (0..n).map(move |j| f64::from(u8::from(i == j)));
    let mut m: Vec<Vec<f64>> = (0..n).map(|i| a[i].iter().copied().chain(unit(i)).collect()).collect();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| m[i][c].abs().total_cmp(&m[j][c].abs())).unwrap();
        m.swap(c, pivot);
        let scale = m[c][c];
        m[c].iter_mut().for_each(|x| *x /= scale);
        let row = m[c].clone();
        for (_, other) in m.iter_mut().enumerate().filter(|(i, _)| *i != c) {
            let factor = other[c];
            other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
        }
    }
    m.into_iter().map(|row| row[n..].to_vec()).collect()
}

/// d² = (x − u)ᵀ C⁻¹ (x − u) with the covariance C of the training rows: whitening makes it Euclid's.
#[test]
fn neighbours_after_whitening_are_those_of_mahalanobis() {
    let run = Run::quiet(1);
    let (n, d, asked) = (80, 3, 25);
    let mut different = 0;
    for seed in testkit::seeds(3) {
        let mut stream = Seed(seed).stream();
        let mut rows = |count: usize| -> Vec<Vec<f64>> {
            let mut row = || {
                let z = [0; 3].map(|_| normal(&mut stream));
                vec![5.0 * z[0], 4.0 * z[0] + z[1], 0.3 * z[2] - 0.2 * z[0]]
            };
            (0..count).map(|_| row()).collect()
        };
        let (train, queries) = (rows(n), rows(asked));
        let codes: Vec<u32> = (0..n).map(|i| (3.0 * Seed(seed).fork("classes").at(i).unit()) as u32 % 3).collect();
        let names: Vec<String> = (0..3).map(|c| format!("c{c}")).collect();
        let targets = Targets::Classes(Classes::new(codes.clone(), names).unwrap());
        let data = Dataset::new(Points::from_rows(&train).unwrap(), targets);
        let means: Vec<f64> = (0..d).map(|c| train.iter().map(|x| x[c]).sum::<f64>() / n as f64).collect();
        let entry =
            |a: usize, b: usize| train.iter().map(|x| (x[a] - means[a]) * (x[b] - means[b])).sum::<f64>() / n as f64;
        let covariance: Vec<Vec<f64>> = (0..d).map(|a| (0..d).map(|b| entry(a, b)).collect()).collect();
        let precision = inverse(&covariance);
        let square = |x: &[f64], u: &[f64], form: &dyn Fn(usize, usize) -> f64| -> f64 {
            let z: Vec<f64> = x.iter().zip(u).map(|(x, u)| x - u).collect();
            (0..d).flat_map(|a| (0..d).map(move |b| (a, b))).map(|(a, b)| z[a] * form(a, b) * z[b]).sum()
        };
        for (k, weighting) in [(1, Voting::Uniform), (5, Voting::Uniform), (5, Voting::Distance)] {
            let knn = Knn { k, weighting, ..Knn::default() };
            let both = Pipeline { steps: vec![Box::new(Whiten::default()), Box::new(knn)] };
            let machine = both.fit(&data, None, &run).unwrap().machine;
            let inputs = Points::from_rows(&queries).unwrap().into();
            let found = machine.compute(&inputs, &run).unwrap().to_dense(&run.memory).unwrap();
            let votes = |x: &[f64], form: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
                let mut order: Vec<(f64, usize)> = train.iter().map(|u| square(x, u, form)).zip(0..).collect();
                order.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut out = vec![0.0; 3];
                for &(square, i) in &order[..k] {
                    let vote = if weighting == Voting::Uniform { 1.0 } else { 1.0 / square.sqrt() };
                    out[codes[i] as usize] += vote;
                }
                let sum: f64 = out.iter().sum();
                out.into_iter().map(|v| v / sum).collect()
            };
            let expected: Vec<f64> = queries.iter().flat_map(|x| votes(x, &|a, b| precision[a][b])).collect();
            assert_close(&found, &expected, 1e-8, &format!("{k} neighbours, {weighting:?}"));
            let plain: Vec<f64> = queries.iter().flat_map(|x| votes(x, &|a, b| f64::from(u8::from(a == b)))).collect();
            different += expected.iter().zip(&plain).filter(|(a, b)| (**a - **b).abs() > 1e-6).count();
        }
    }
    assert!(different > 50, "Euclid's neighbours would be the same: {different}");
}
