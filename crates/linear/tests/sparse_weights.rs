//! Linear machines with sparse weights are those with the same weights written out.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Features, Inputs, Link, Machine, Memory, Outputs, Points, Record, Run, Seed, Sparse};
use pellucid_linear::{Linear, Weights};

/// A drawn machine, sparse and dense, with rows for it.
fn drawn(case: u64) -> (Linear, Linear, Points) {
    let seed = Seed(case).fork("sparse linear");
    let size = |i: usize, most: f64| 1 + (seed.at(i).unit() * most) as usize;
    let (n, d, k) = (size(0, 80.0), size(1, 50.0), size(2, 300.0));
    let fraction = [0.0, 0.02, 0.3, 1.0][case as usize % 4];
    let some = |rows: usize, columns: usize, fraction: f64, seed: Seed| {
        let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
        for i in 0..rows {
            for j in (0..columns).filter(|j| seed.at(i * columns + j).unit() < fraction) {
                ids.push(j as u32);
                values.push(seed.at(i).at(j).unit() - 0.5);
            }
            starts.push(ids.len());
        }
        Sparse::new(starts, ids, values, columns).unwrap()
    };
    let weights = some(d, k, fraction, seed.fork("weights"));
    let offsets: Vec<f64> = (0..k).map(|j| (seed.at(9).at(j).unit() * 4.0).round()).collect();
    let names = (0..k).map(|j| j.to_string()).collect();
    let outputs = Outputs::classes(names, Link::None);
    let sparse = Linear::new(Features::unnamed(d), outputs.clone(), weights, offsets.clone(), None).unwrap();
    let all = sparse.weights().to_dense(&Memory::unlimited()).unwrap().to_vec();
    let dense = Linear::new(Features::unnamed(d), outputs, all, offsets, None).unwrap();
    (sparse, dense, Points::Sparse(some(n, d, 0.3, seed.fork("points"))))
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs()))
}

#[test]
fn sparse_weights_give_the_scores_and_gradients_of_dense_ones() {
    for case in 0..40 {
        let (sparse, dense, points) = drawn(case);
        let (n, d, k) = (points.len(), points.columns(), sparse.outputs().names.len());
        let (run, memory) = (Run::quiet(case), Memory::unlimited());
        let scores = |m: &Linear, points: &Points| {
            m.compute(&Inputs::Points(points.clone()), &run).unwrap().to_dense(&memory).unwrap().to_vec()
        };
        let full = Points::dense(points.to_dense(&memory).unwrap().to_vec(), n, d).unwrap();
        assert!(close(&scores(&sparse, &points), &scores(&dense, &points)), "case {case}");
        assert_eq!(scores(&sparse, &points), scores(&sparse, &full), "case {case}");
        let direction: Vec<f64> = (0..n * k).map(|i| Seed(case).at(i).unit() - 0.5).collect();
        let gradient = |m: &Linear| {
            let mut out = vec![f64::NAN; n * d];
            m.facets().gradient.unwrap().vjp(&points, &direction, &mut out, &run).unwrap();
            out
        };
        assert!(close(&gradient(&sparse), &gradient(&dense)), "case {case}");
        assert_eq!(sparse.weights().nonzero(), dense.weights().nonzero());
        let (a, b) = ((&sparse as &dyn Machine).to_graph(&run), (&dense as &dyn Machine).to_graph(&run));
        assert_eq!(a.unwrap().unwrap().record(), b.unwrap().unwrap().record(), "case {case}");
    }
}

#[test]
fn best_outputs_are_the_best_of_all_scores() {
    for case in 0..40 {
        let (sparse, dense, points) = drawn(case);
        let (run, inputs) = (Run::quiet(1), Inputs::Points(points.clone()));
        for machine in [&sparse as &dyn Machine, &dense] {
            let width = machine.outputs().names.len();
            let scores = machine.compute(&inputs, &run).unwrap().to_dense(&run.memory).unwrap();
            for k in [1, 3, width, width + 5] {
                let top = machine.top(&inputs, k, &run).unwrap();
                assert_eq!((top.k, top.outputs.len()), (k.min(width), points.len() * k.min(width)));
                for (i, all) in scores.chunks_exact(width).enumerate() {
                    let mut order: Vec<usize> = (0..width).collect();
                    order.sort_by(|&a, &b| all[b].partial_cmp(&all[a]).unwrap());
                    let (outputs, best) = top.row(i);
                    assert!(outputs.iter().zip(&order).all(|(&a, &b)| a as usize == b), "case {case}, row {i}");
                    assert!(outputs.iter().zip(best).all(|(&o, s)| all[o as usize] == *s));
                }
            }
            assert!(machine.top(&inputs, 0, &run).is_err());
        }
    }
}

#[test]
fn records_keep_the_form_and_broken_ones_are_refused() {
    let (sparse, dense, _) = drawn(2);
    assert_eq!(Linear::read(&sparse.record()), Ok(sparse.clone()));
    assert_eq!(Linear::read(&dense.record()), Ok(dense.clone()));
    assert!(matches!(Linear::read(&sparse.record()).unwrap().weights(), Weights::Sparse(_)));
    let part = sparse.record().part("sparse-weights").unwrap().clone();
    let with = |field: &str, value: base::Field| {
        let record: Record = part.clone().with(field, value);
        Linear::read(&sparse.record().with("sparse-weights", record))
    };
    let (starts, columns) = (part.wholes("starts").unwrap().to_vec(), part.count("columns").unwrap());
    assert!(with("columns", (columns + 1).into()).is_err());
    assert!(with("columns", 0usize.into()).is_err());
    assert!(with("starts", starts[1..].to_vec().into()).is_err());
    assert!(with("starts", starts.iter().map(|s| s + 1).collect::<Vec<u64>>().into()).is_err());
    assert!(with("starts", vec![u64::MAX; starts.len()].into()).is_err());
}

#[test]
fn weights_of_another_size_or_not_finite_are_refused() {
    let weights = |values: Vec<f64>, columns| Sparse::new(vec![0, 1, 2], vec![0, 0], values, columns).unwrap();
    let make = |weights: Sparse| {
        let outputs = Outputs::classes(vec!["a".to_string(), "b".to_string()].into(), Link::None);
        Linear::new(Features::unnamed(2), outputs, weights, vec![0.0; 2], None)
    };
    assert!(make(weights(vec![1.0, 2.0], 2)).is_ok());
    assert!(make(weights(vec![1.0, 2.0], 3)).is_err());
    assert!(make(weights(vec![1.0, f64::NAN], 2)).is_err());
}
