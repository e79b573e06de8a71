//! K-medoids against all choices of rows, all single swaps, and its promises.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod common;
use base::*;
use common::{Known, clouds, dense, run};
use pellucid_distance::*;
use testkit::{check_learner, toy_classes};

const METRICS: [Metric; 3] = [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev];

fn cost(values: &[f64], weights: &[f64], d: usize, metric: Metric, medoids: &[usize]) -> f64 {
    let row = |i: usize| &values[i * d..(i + 1) * d];
    let nearest = |i: usize| medoids.iter().map(|&m| metric.between(row(i), row(m))).fold(f64::INFINITY, f64::min);
    (0..weights.len()).map(|i| weights[i] * nearest(i)).sum()
}

#[test]
fn no_single_swap_is_better_and_the_sum_is_right() {
    for (seed, n, d, k) in [(1, 60, 2, 4), (2, 50, 3, 1), (3, 70, 5, 7), (4, 30, 1, 2)] {
        let values = clouds(seed, n, d, 5);
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + Seed(seed).at(i).unit()).collect();
        let data = Dataset { weights: Some(weights.clone().into()), ..dense(&values, d) };
        for metric in METRICS {
            let fitted = KMedoids { k, metric, ..Default::default() }.fit(&data, None, &run(1)).unwrap();
            assert!(fitted.certificate.converged);
            let support = fitted.machine.support().unwrap();
            let medoids: Vec<usize> = support.rows.unwrap().iter().map(|&r| r as usize).collect();
            assert_eq!((support.points, medoids.len()), (k, k));
            let codebook = Codebook::read(&fitted.machine.record()).unwrap();
            let rows = data.points().unwrap().select(&medoids).unwrap().to_dense(&Memory::unlimited()).unwrap();
            assert_eq!(codebook.centres(), &rows[..], "medoids are rows");
            let found = fitted.certificate.objective.unwrap();
            assert!((found - cost(&values, &weights, d, metric, &medoids)).abs() < 1e-9 * found);
            for place in 0..k {
                for other in (0..n).filter(|i| !medoids.contains(i)) {
                    let mut swapped = medoids.clone();
                    swapped[place] = other;
                    let there = cost(&values, &weights, d, metric, &swapped);
                    assert!(there > found * (1.0 - 1e-9), "{metric:?}: {there} below {found}");
                }
            }
        }
    }
}

#[test]
fn clear_clusters_are_found_and_the_best_of_all_pairs() {
    let values = clouds(9, 40, 2, 2);
    let data = dense(&values, 2);
    for metric in METRICS {
        let fitted = KMedoids { k: 2, metric, ..Default::default() }.fit(&data, None, &run(1)).unwrap();
        let pairs = (0..40).flat_map(|b| (0..b).map(move |a| [a, b]));
        let best = pairs.map(|p| cost(&values, &[1.0; 40], 2, metric, &p)).fold(f64::INFINITY, f64::min);
        assert!((fitted.certificate.objective.unwrap() - best).abs() < 1e-9 * best);
    }
}

#[test]
fn a_table_that_does_not_fit_is_refused_with_its_size() {
    let poor = Run { memory: Memory::limited(1 << 20), ..run(1) };
    let error = KMedoids::default().fit(&dense(&vec![0.5; 1000], 1), None, &poor).err().unwrap();
    assert!(matches!(error, Error::Memory { asked: 8_000_000, .. }), "{error}");
}

#[test]
fn promises() {
    for metric in METRICS {
        check_learner(&KMedoids { k: 4, metric, ..Default::default() }, &toy_classes(1), &Known);
    }
}
