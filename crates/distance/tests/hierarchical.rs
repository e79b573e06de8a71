//! Agglomerative clustering against SciPy, the greedy definition and its promises.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod common;
use base::*;
use common::{Known, dense, golden, golden_numbers, labels, run, squared};
use pellucid_distance::*;
use testkit::{as_sparse, assert_close, check_golden, check_learner, toy_classes};

const ALL: [Linkage; 4] = [Linkage::Single, Linkage::Average, Linkage::Complete, Linkage::Ward];

fn fit(learner: &Hierarchical, data: &Dataset, run: &Run<'_>) -> Hierarchy {
    Hierarchy::read(&learner.fit(data, None, run).unwrap().machine.record()).unwrap()
}

fn numbers(merges: &[Merge]) -> Vec<f64> {
    merges.iter().flat_map(|m| [m.left as f64, m.right as f64, m.height, m.size as f64]).collect()
}

/// Clusters renamed by their first rows.
fn renamed(clusters: &[f64]) -> Vec<u32> {
    let mut seen: Vec<f64> = vec![];
    let mut name = |c: &f64| {
        seen.iter().position(|s| s == c).unwrap_or_else(|| {
            seen.push(*c);
            seen.len() - 1
        }) as u32
    };
    clusters.iter().map(&mut name).collect()
}

#[test]
fn trees_and_cuts_are_those_of_scipy() {
    let data = dense(&golden_numbers("data"), 3);
    for linkage in ALL {
        let learner = Hierarchical { k: 5, linkage, ..Default::default() };
        let machine = fit(&learner, &data, &run(1));
        check_golden(&golden(&format!("{}_merges", linkage.word())), &numbers(machine.merges()), 1e-10);
        let expected = renamed(&golden_numbers(&format!("{}_cut", linkage.word())));
        assert_eq!(machine.labels(), expected);
        assert_eq!(machine.cut(5), expected);
        // Between the heights of the merges that make five and four clusters.
        let n = data.len();
        let height = 0.5 * (machine.merges()[n - 6].height + machine.merges()[n - 5].height);
        let by_height = fit(&Hierarchical { height, ..learner.clone() }, &data, &run(2));
        assert_eq!(by_height.labels(), expected);
        assert_eq!(fit(&learner, &data, &run(4)).record(), machine.record(), "threads show");
        let sparse = fit(&learner, &as_sparse(&data), &run(1));
        assert_close(&numbers(sparse.merges()), &numbers(machine.merges()), 1e-9, "sparse");
    }
}

/// Merges the nearest pair by the definition of the distance, over all pairs of rows.
fn greedy(values: &[f64], d: usize, linkage: Linkage, metric: Metric) -> Vec<f64> {
    let rows: Vec<&[f64]> = values.chunks_exact(d).collect();
    let mut clusters: Vec<Vec<usize>> = (0..rows.len()).map(|i| vec![i]).collect();
    let mut heights = vec![];
    let mean = |c: &[usize]| -> Vec<f64> {
        (0..d).map(|k| c.iter().map(|&i| rows[i][k]).sum::<f64>() / c.len() as f64).collect()
    };
    let distance = |a: &[usize], b: &[usize]| {
        let pairs =
            a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j))).map(|(i, j)| metric.between(rows[i], rows[j]));
        let (m, n) = (a.len() as f64, b.len() as f64);
        match linkage {
            Linkage::Single => pairs.fold(f64::INFINITY, f64::min),
            Linkage::Complete => pairs.fold(0.0, f64::max),
            Linkage::Average => pairs.sum::<f64>() / (m * n),
            Linkage::Ward => (2.0 * m * n / (m + n) * squared(&mean(a), &mean(b))).sqrt(),
        }
    };
    while clusters.len() > 1 {
        let pairs = (0..clusters.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let all = pairs.map(|(a, b)| (distance(&clusters[a], &clusters[b]), a, b));
        let (height, a, b) = all.min_by(|x, y| x.0.total_cmp(&y.0)).unwrap();
        heights.push(height);
        let gone = clusters.remove(b);
        clusters[a].extend(gone);
    }
    heights
}

#[test]
fn heights_follow_the_definition() {
    let values: Vec<f64> = (0..40 * 3).map(|i| Seed(4).at(i).unit()).collect();
    for linkage in ALL {
        for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev] {
            if linkage == Linkage::Ward && metric != Metric::Euclidean {
                let learner = Hierarchical { metric, ..Default::default() };
                assert!(learner.fit(&dense(&values, 3), None, &run(1)).is_err());
                continue;
            }
            let machine = fit(&Hierarchical { linkage, metric, ..Default::default() }, &dense(&values, 3), &run(1));
            let heights: Vec<f64> = machine.merges().iter().map(|m| m.height).collect();
            assert_close(&heights, &greedy(&values, 3, linkage, metric), 1e-10, linkage.word());
        }
    }
}

#[test]
fn single_linkage_finds_rings_and_says_that_means_do_not() {
    let ring = |i: usize, radius: f64| {
        let angle = std::f64::consts::TAU * i as f64 / 60.0;
        [radius * angle.cos(), radius * angle.sin()]
    };
    let values: Vec<f64> = (0..120).flat_map(|i| ring(i, if i % 2 == 0 { 1.0 } else { 5.0 })).collect();
    let data = dense(&values, 2);
    let learner = Hierarchical { linkage: Linkage::Single, ..Default::default() };
    let fitted = learner.fit(&data, None, &run(1)).unwrap();
    let machine = Hierarchy::read(&fitted.machine.record()).unwrap();
    assert!((0..120).all(|i| machine.labels()[i] == (i % 2) as u32));
    let differ = labels(&machine, &data).iter().zip(machine.labels()).filter(|(a, b)| a != b).count();
    assert_eq!(fitted.certificate.facts["rows nearer to another mean"], Fact::Number(differ as f64));
    assert!(differ > 0);
}

#[test]
fn a_table_that_does_not_fit_is_refused_with_its_size() {
    let data = dense(&vec![0.5; 2000], 1);
    let poor = Run { memory: Memory::limited(1 << 20), ..run(1) };
    let error = Hierarchical::default().fit(&data, None, &poor).err().unwrap();
    assert!(matches!(error, Error::Memory { asked: 15_992_000, .. }), "{error}");
    let single = Hierarchical { linkage: Linkage::Single, ..Default::default() };
    assert!(single.fit(&data, None, &poor).is_ok(), "single linkage needs no table");
}

#[test]
fn promises() {
    for linkage in ALL {
        check_learner(&Hierarchical { k: 3, linkage, ..Default::default() }, &toy_classes(1), &Known);
    }
    let far = Hierarchical { linkage: Linkage::Average, metric: Metric::Manhattan, height: 4.0, ..Default::default() };
    check_learner(&far, &toy_classes(2), &Known);
}

#[test]
fn broken_records_are_refused() {
    let good = fit(&Hierarchical::default(), &dense(&[0.0, 1.0, 5.0], 1), &run(1)).record();
    assert!(Hierarchy::read(&good).is_ok());
    let table = |t: [f64; 8]| good.clone().with_array("merges", &[2, 4], t.to_vec());
    for bad in [
        table([0.0, 1.0, 1.0, 2.0, 0.0, 3.0, 2.0, 3.0]),
        table([0.0, 4.0, 1.0, 2.0, 2.0, 3.0, 2.0, 3.0]),
        table([0.0, 1.0, 1.0, 3.0, 2.0, 3.0, 2.0, 3.0]),
        table([0.0, 1.0, f64::NAN, 2.0, 2.0, 3.0, 2.0, 3.0]),
        good.clone().with("labels", vec![0u32, 0, 9]),
        good.clone().with("labels", vec![0u32, 0]),
    ] {
        assert!(Hierarchy::read(&bad).is_err());
    }
}
