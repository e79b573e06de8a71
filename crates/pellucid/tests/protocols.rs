//! How the literature prepares data, by our steps: each by its formula, with what was fitted applied to new rows unchanged.
#![allow(clippy::unwrap_used, reason = "tests speak by panicking")]

use pellucid::{Catalog, Dataset, Inputs, KNOWN, Points, Run, Seed, Spec, Targets, evaluate};

fn run() -> Run<'static> {
    Run { catalog: &KNOWN, ..Run::quiet(1) }
}

/// The rows that steps make of `asked` after a fit to `train`.
fn prepared(steps: &str, train: &Dataset, asked: &Inputs) -> Points {
    let run = run();
    let mut rows = asked.clone();
    let mut data = train.clone();
    for part in steps.split(',').filter(|s| !s.is_empty()) {
        let (name, settings) = part.split_once(':').unwrap_or((part, ""));
        let mut step = KNOWN.learner(name).unwrap();
        settings.split(';').filter_map(|s| s.split_once('=')).for_each(|(n, v)| step.set_text(n, v).unwrap());
        let machine = step.fit(&data, None, &run).unwrap().machine;
        data = Dataset { inputs: machine.compute(&data.inputs, &run).unwrap().into(), ..data };
        rows = machine.compute(&rows, &run).unwrap().into();
    }
    let Inputs::Points(points) = rows else { panic!("points") };
    points
}

fn dense(points: &Points) -> Vec<f64> {
    points.to_dense(&run().memory).unwrap().to_vec()
}

/// Sparse multi-class data as text has them: each row to unit norm, each feature to unit variance, or as they are.
#[test]
fn sparse_classes_are_normalised_by_row_or_by_feature_and_split_nine_to_one() {
    let text: String = (0..400)
        .map(|i| {
            let label = ["10", "25", "7"][i % 3];
            let x = |k: usize| 1.0 + Seed(3).at(10 * i + k).unit();
            format!("{label} {}:{} {}:{} 40:{}\n", 1 + i % 5, x(0), 10 + i % 7, x(1), x(2))
        })
        .collect();
    let data = pellucid::files::read_bytes("a.libsvm", text.into_bytes(), &Default::default(), &run()).unwrap();
    assert_eq!((data.len(), data.points().unwrap().columns()), (400, 40));
    assert!(matches!(data.points().unwrap(), Points::Sparse(_)));
    let (n, d) = (400, 40);
    let raw = dense(data.points().unwrap());

    assert_eq!(dense(&prepared("", &data, &data.inputs)), raw, "nothing is done to raw data");

    let unit = prepared("unit", &data, &data.inputs);
    assert!(matches!(unit, Points::Sparse(_)), "rows of unit norm stay sparse");
    for (row, old) in dense(&unit).chunks(d).zip(raw.chunks(d)) {
        let norm = old.iter().map(|x| x * x).sum::<f64>().sqrt();
        row.iter().zip(old).for_each(|(x, o)| assert!((x - o / norm).abs() < 1e-12));
    }

    let scaled = prepared("scale:center=false", &data, &data.inputs);
    assert!(matches!(scaled, Points::Sparse(_)), "features of unit variance stay sparse");
    let scaled = dense(&scaled);
    for c in 0..d {
        let column = |all: &[f64]| -> Vec<f64> { (0..n).map(|i| all[i * d + c]).collect() };
        let variance = |v: &[f64]| {
            let mean = v.iter().sum::<f64>() / n as f64;
            v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64
        };
        let (before, after) = (variance(&column(&raw)), variance(&column(&scaled)));
        assert!(before == 0.0 && after == 0.0 || (after - 1.0).abs() < 1e-9, "column {c}: {before} {after}");
        for (x, o) in column(&scaled).iter().zip(column(&raw)) {
            assert!(before == 0.0 || (x - o / before.sqrt()).abs() < 1e-9, "zeros stay zeros");
        }
    }

    let split = |seed: u64| evaluate::hold_out(&data, 0.1, Seed(seed)).unwrap();
    let (train, test) = split(7);
    assert!((38..=42).contains(&test.len()), "a tenth of each class: {}", test.len());
    let mut all = [train.clone(), test.clone()].concat();
    all.sort_unstable();
    assert_eq!(all, (0..400).collect::<Vec<_>>(), "each row on one side");
    assert_eq!(split(7), (train.clone(), test.clone()), "the same seed gives the same split");
    assert_ne!(split(8).1, test, "another seed another");
    // By name of a whole specification, too.
    let spec = Spec::parse("unit,logistic:penalty=1", &KNOWN).unwrap();
    assert_eq!(spec.to_string(), "unit,logistic:penalty=1");
}

/// Centred, then each feature to [−1, 1] by the training rows; the validation rows have the size asked for.
#[test]
fn features_are_centred_and_scaled_to_minus_one_and_one_by_the_training_rows() {
    for seed in testkit::seeds(3) {
        let (n, d) = (200, 5);
        let value = |i: usize| 10.0 * Seed(seed).at(i).unit() * (1 + i % d) as f64 + 3.0;
        let points = Points::dense((0..n * d).map(value).collect::<Vec<f64>>(), n, d).unwrap();
        let data = Dataset::new(points, Targets::None);
        for fraction in [0.1, 0.25, 0.5] {
            let (train, held) = evaluate::hold_out(&data, fraction, Seed(seed)).unwrap();
            assert_eq!(held.len(), (fraction * n as f64).round() as usize, "{fraction}");
            let (train, held) = (data.select(&train).unwrap(), data.select(&held).unwrap());
            let (own, new) = (dense(train.points().unwrap()), dense(held.points().unwrap()));
            let found = dense(&prepared("center,symmetric", &train, &train.inputs));
            let on_new = dense(&prepared("center,symmetric", &train, &held.inputs));
            for c in 0..d {
                let column = |all: &[f64]| -> Vec<f64> { all.iter().skip(c).step_by(d).copied().collect() };
                let x = column(&own);
                let low = x.iter().copied().fold(f64::INFINITY, f64::min);
                let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let by_training = |x: f64| 2.0 * (x - low) / (high - low) - 1.0;
                for (new, old) in column(&found).iter().zip(&x).chain(column(&on_new).iter().zip(&column(&new))) {
                    assert!((new - by_training(*old)).abs() < 1e-9, "column {c}: {new} of {old}");
                }
                let scaled = column(&found);
                let edges = |f: fn(f64, f64) -> f64| scaled.iter().copied().reduce(f).unwrap();
                assert!((edges(f64::min) + 1.0).abs() < 1e-9 && (edges(f64::max) - 1.0).abs() < 1e-9);
            }
            let centred = dense(&prepared("center", &train, &train.inputs));
            for c in 0..d {
                let sum: f64 = centred.iter().skip(c).step_by(d).sum();
                assert!(sum.abs() < 1e-9 * n as f64, "column {c} is centred: {sum}");
            }
        }
    }
}
