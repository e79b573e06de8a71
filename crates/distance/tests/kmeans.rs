//! K-means against the plain iteration, known numbers and its promises.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod common;
use base::*;
use common::{Known, clouds, dense, iris, labels, run, scores, squared};
use pellucid_distance::*;
use testkit::{After, as_sparse, assert_close, check_learner, toy_classes};

/// Lloyd's iteration as defined: every distance, every mean, in the order of the rows; empty clusters take the row
/// farthest from its centre.
fn plain(values: &[f64], weights: &[f64], d: usize, mut centres: Vec<f64>) -> (Vec<f64>, Vec<usize>, usize) {
    let k = centres.len() / d;
    let rows: Vec<&[f64]> = values.chunks_exact(d).collect();
    let mut labels = vec![usize::MAX; rows.len()];
    for step in 0.. {
        let mut next: Vec<usize> = rows
            .iter()
            .map(|x| {
                let distances: Vec<f64> = centres.chunks_exact(d).map(|c| squared(x, c)).collect();
                (0..k).min_by(|&a, &b| distances[a].total_cmp(&distances[b])).unwrap()
            })
            .collect();
        let own = |i: usize, next: &[usize]| squared(rows[i], &centres[next[i] * d..(next[i] + 1) * d]);
        let distances: Vec<f64> = (0..rows.len()).map(|i| own(i, &next)).collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|&a, &b| distances[b].total_cmp(&distances[a]));
        let empty: Vec<usize> = (0..k).filter(|j| !next.contains(j)).collect();
        for j in empty {
            let several = |i: &usize| next.iter().filter(|&&l| l == next[*i]).count() > 1;
            let at = order.iter().position(|i| distances[*i] > 0.0 && several(i));
            let Some(at) = at else { break };
            next[order.remove(at)] = j;
        }
        if next == labels {
            return (centres, labels, step);
        }
        labels = next;
        for j in 0..k {
            let mine: Vec<usize> = (0..rows.len()).filter(|&i| labels[i] == j).collect();
            let total: f64 = mine.iter().map(|&i| weights[i]).sum();
            for c in (0..d).filter(|_| total > 0.0) {
                centres[j * d + c] = mine.iter().map(|&i| weights[i] * rows[i][c]).sum::<f64>() / total;
            }
        }
    }
    unreachable!()
}

fn started(learner: &KMeans, data: &Dataset, centres: Vec<f64>, run: &Run<'_>) -> Fitted {
    let start = Codebook::new(data.features.clone(), centres, Metric::Euclidean, None).unwrap();
    learner.fit(data, Some(&start.record()), run).unwrap()
}

#[test]
fn bounds_change_nothing() {
    for (seed, n, d, k) in [(1, 700, 2, 5), (2, 1500, 7, 12), (3, 900, 20, 9), (4, 2000, 3, 40), (5, 60, 30, 1)] {
        let mut values = clouds(seed, n, d, 6);
        if seed == 4 {
            values.iter_mut().for_each(|v| *v = v.round()); // Ties.
        }
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + Seed(9).at(i).unit()).collect();
        // Rows drawn anywhere are a bad start: many steps, and with a centre far away an empty cluster.
        let mut centres: Vec<f64> = (0..k).flat_map(|j| values[(j * 17 % n) * d..][..d].to_vec()).collect();
        if k > 5 {
            centres[..d].fill(1e4);
        }
        let (expected, expected_labels, steps) = plain(&values, &weights, d, centres.clone());
        let data = Dataset { weights: Some(weights.clone().into()), ..dense(&values, d) };
        let learner = KMeans { k, ..Default::default() };
        let fitted = started(&learner, &data, centres.clone(), &run(1));
        let machine = Codebook::read(&fitted.machine.record()).unwrap();
        assert_close(machine.centres(), &expected, 1e-10, "centres");
        assert_eq!(fitted.certificate.steps as usize, steps, "steps of the plain iteration");
        let found: Vec<usize> = labels(&machine, &data).iter().map(|&l| l as usize).collect();
        assert_eq!(found, expected_labels);
        let sum: f64 =
            (0..n).map(|i| 0.5 * weights[i] * squared(&values[i * d..][..d], &expected[found[i] * d..][..d])).sum();
        assert!((fitted.certificate.objective.unwrap() - sum).abs() < 1e-9 * sum);
        let Some(Fact::Curve(curve)) = fitted.certificate.facts.get("objective") else { panic!("no curve") };
        assert!(curve.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-9)), "the objective rises: {curve:?}");
        assert!((curve.last().unwrap() - sum).abs() < 1e-7 * sum, "the identity about the mean");
        assert_eq!(fitted.certificate.facts["dead units"], Fact::Number(0.0), "empty clusters are filled");
        let four = started(&learner, &data, centres.clone(), &run(4));
        assert_eq!(four.machine.record(), fitted.machine.record(), "threads show");
        let sparse = started(&learner, &as_sparse(&data), centres, &run(2));
        assert_close(&scores(&*sparse.machine, &data), &scores(&machine, &data), 1e-9, "sparse");
    }
}

#[test]
fn a_weight_is_that_many_rows_from_the_same_start() {
    let values = clouds(7, 90, 3, 4);
    let twice: Vec<usize> = (0..90).flat_map(|i| std::iter::repeat_n(i, 1 + usize::from(i % 4 == 0))).collect();
    let data = dense(&values, 3);
    let weights: Vec<f64> = (0..90).map(|i| if i % 4 == 0 { 2.0 } else { 1.0 }).collect();
    let learner = KMeans { k: 5, ..Default::default() };
    let centres = values[..15].to_vec();
    let a = started(&learner, &Dataset { weights: Some(weights.into()), ..data.clone() }, centres.clone(), &run(1));
    let b = started(&learner, &data.select(&twice).unwrap(), centres, &run(1));
    assert_close(&scores(&*a.machine, &data), &scores(&*b.machine, &data), 1e-12, "weights");
    assert_close(&[a.certificate.objective.unwrap()], &[b.certificate.objective.unwrap()], 1e-12, "objective");
}

/// More starts are never worse, sometimes better, and what is kept is the codebook whose H is told.
#[test]
fn of_several_starts_the_best_is_kept() {
    let mut better = 0;
    for seed in testkit::seeds(6) {
        let (n, d) = (240, 2);
        let values = clouds(seed, n, d, 9);
        let data = dense(&values, d);
        for start in [Start::PlusPlus, Start::Random] {
            let ended: Vec<f64> = [1, 2, 5, 12]
                .iter()
                .map(|&restarts| {
                    let learner = KMeans { k: 7, start, restarts, ..Default::default() };
                    let fitted = learner.fit(&data, None, &Run::quiet(seed)).unwrap();
                    let machine = Codebook::read(&fitted.machine.record()).unwrap();
                    let nearest =
                        |x: &[f64]| machine.centres().chunks(d).map(|c| squared(x, c)).fold(f64::INFINITY, f64::min);
                    let sum: f64 = values.chunks(d).map(|x| 0.5 * nearest(x)).sum();
                    let told = fitted.certificate.objective.unwrap();
                    assert!((told - sum).abs() < 1e-9 * sum, "{told} is not {sum} of {restarts} starts");
                    told
                })
                .collect();
            assert!(ended.windows(2).all(|w| w[1] <= w[0]), "{start:?}: {ended:?}");
            better += usize::from(ended[3] < ended[0] * (1.0 - 1e-6));
        }
    }
    assert!(better > 0, "no second start was ever better");
}

#[test]
fn the_elbow_of_iris() {
    let Some(data) = iris() else { return };
    let learner = KMeans { restarts: 400, ..Default::default() };
    let curve = elbow(&learner, &data, &[1, 2, 3, 4, 5, 6, 7, 8], &run(2)).unwrap();
    for (found, expected) in curve.iter().zip([4.539, 1.016, 0.526, 0.382]) {
        assert!((found - expected).abs() < 0.0006, "{found} for {expected}");
    }
    // With more clusters other starts need not have met the best: no worse than these.
    for (found, known) in curve[4..].iter().zip([0.310, 0.260, 0.228, 0.201]) {
        assert!(*found < known + 0.0006 && *found > 0.97 * known, "{found} for {known}");
    }
    assert!((curve[2] * 150.0 - 78.941).abs() < 0.001);
    // Every column with mean 0 and variance 1.
    let mut values = data.points().unwrap().to_dense(&Memory::unlimited()).unwrap().to_vec();
    for c in 0..4 {
        let column = || values.iter().skip(c).step_by(4);
        let mean = column().sum::<f64>() / 150.0;
        let deviation = (column().map(|x| (x - mean).powi(2)).sum::<f64>() / 150.0).sqrt();
        values.iter_mut().skip(c).step_by(4).for_each(|x| *x = (*x - mean) / deviation);
    }
    let curve = elbow(&learner, &dense(&values, 4), &[1, 2, 3, 4, 5, 6, 7, 8], &run(2)).unwrap();
    for (found, expected) in curve.iter().zip([4.0, 1.491, 0.940]) {
        assert!((found - expected).abs() < 0.0006, "{found} for {expected}, columns scaled");
    }
    for (found, known) in curve[3..].iter().zip([0.764, 0.607, 0.535, 0.473, 0.417]) {
        assert!(*found < known + 0.0006 && *found > 0.97 * known, "{found} for {known}, columns scaled");
    }
}

/// X27: elongated clusters are cut across, and a small far cluster has no prototype of its own.
#[test]
fn the_criterion_prefers_balance_to_shape() {
    let mut stream = Seed(27).stream();
    let long: Vec<f64> = (0..200)
        .flat_map(|i| [30.0 * normal(&mut stream), 5.0 * f64::from(i % 2) + 0.3 * normal(&mut stream)])
        .collect();
    let learner = KMeans { k: 2, ..Default::default() };
    let machine = learner.fit(&dense(&long, 2), None, &run(1)).unwrap().machine;
    let centres = Codebook::read(&machine.record()).unwrap().centres().to_vec();
    assert!((centres[1] - 2.5).abs() < 1.0 && (centres[3] - 2.5).abs() < 1.0, "prototypes lie between: {centres:?}");
    // Rescaled columns change the outcome.
    let scaled: Vec<f64> = long.chunks(2).flat_map(|x| [x[0] / 30.0, x[1]]).collect();
    let machine = learner.fit(&dense(&scaled, 2), None, &run(1)).unwrap().machine;
    let found = labels(&*machine, &dense(&scaled, 2));
    assert!((0..200).all(|i| (found[i] == found[0]) == (i % 2 == 0)));
}

#[test]
fn fewer_places_than_centres_leave_dead_units() {
    let data = dense(&[1.0, 1.0, 2.0, 2.0, 2.0], 1);
    for start in [Start::PlusPlus, Start::Random, Start::First] {
        let learner = KMeans { k: 4, start, ..Default::default() };
        let fitted = learner.fit(&data, None, &run(1)).unwrap();
        assert_eq!(fitted.certificate.facts["dead units"], Fact::Number(2.0));
        assert!(fitted.certificate.objective == Some(0.0) && fitted.certificate.warnings[0].contains("2 of 4"));
    }
    let error = KMeans::default().fit(&data, None, &run(1)).err().unwrap().to_string();
    assert!(error.contains("k = 8"), "{error}");
}

/// Weighted draws: the first centre of k-means++ falls on each row as often as its weight says.
#[test]
fn starts_are_drawn_by_weight() {
    let data = Dataset { weights: Some(vec![1.0, 3.0].into()), ..dense(&[0.0, 1.0], 1) };
    for start in [Start::PlusPlus, Start::Random] {
        let learner = KMeans { k: 1, start, restarts: 1, steps: 1 };
        let heavy = (0..4000).filter(|&seed| {
            let stop = After::new(1, Verdict::Enough); // The start itself is kept.
            let fitted = learner.fit(&data, None, &Run { watch: &stop, ..Run::quiet(seed) }).unwrap();
            assert!(fitted.certificate.interrupted);
            Codebook::read(&fitted.machine.record()).unwrap().centres() == [1.0]
        });
        // 3000 expected, deviation 27.
        assert!((heavy.count() as f64 - 3000.0).abs() < 120.0);
    }
}

#[test]
fn promises() {
    for start in [Start::PlusPlus, Start::Random, Start::First] {
        check_learner(&KMeans { k: 4, start, restarts: 3, ..Default::default() }, &toy_classes(1), &Known);
    }
}

#[test]
fn broken_records_are_refused() {
    let data = dense(&clouds(1, 20, 2, 2), 2);
    let good = KMeans { k: 3, ..Default::default() }.fit(&data, None, &run(1)).unwrap().machine.record();
    assert!(Codebook::read(&good).is_ok());
    for bad in [
        good.clone().with("metric", "magic"),
        good.clone().with_array("centres", &[3, 2], vec![f64::NAN; 6]),
        good.clone().with_array("centres", &[2, 2], vec![0.0; 4]),
        good.clone().with("inputs", Features::unnamed(3).record()),
        good.clone().with("rows", vec![1u64]),
    ] {
        assert!(Codebook::read(&bad).is_err());
    }
}
