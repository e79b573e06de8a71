//! Small data of shapes nobody plans for, and learners that must not take minutes over them.

use base::{Classes, Dataset, Learner, Points, Run, Seed, Sparse, Targets, normal};
use std::time::{Duration, Instant};

/// Rows of fifty entries in fifty thousand columns, of three classes.
pub fn wide_sparse() -> Dataset {
    let (n, each, columns) = (300, 50, 50_000);
    let mut stream = Seed(6).stream();
    let starts: Vec<usize> = (0..=n).map(|i| i * each).collect();
    // One entry in every thousandth part of the columns, so that they ascend.
    let ids: Vec<u32> =
        (0..n * each).map(|i| (i % each * (columns / each) + i * 37 % (columns / each)) as u32).collect();
    let values: Vec<f64> = (0..n * each).map(|_| normal(&mut stream)).collect();
    let names: Vec<Option<String>> = (0..n).map(|i| Some(format!("{}", i % 3))).collect();
    let points = Points::Sparse(Sparse::new(starts, ids, values, columns).unwrap());
    Dataset::new(points, Targets::Classes(Classes::from_names(&names)))
}

/// Makes sure that a learner fits and predicts these data within so many seconds.
#[track_caller]
pub fn ends_within(seconds: u64, learner: &dyn Learner, data: &Dataset) {
    let begun = Instant::now();
    let fitted = learner.fit(data, None, &Run { threads: 2, ..Run::quiet(1) }).unwrap();
    let scores = fitted.machine.compute(&data.inputs, &Run::quiet(1)).unwrap();
    assert_eq!(scores.len(), data.len());
    assert!(begun.elapsed() < Duration::from_secs(seconds), "{}: {:?}", learner.name(), begun.elapsed());
}
