//! How fast k nearest neighbours are on MNIST: prints `threads seconds labels-that-differ` for k = 5.
//!
//! `benches/run knn` runs scikit-learn first, which leaves the data and its labels in a folder, then this.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::{Classes, Dataset, Inputs, Learner, Points, Prediction, Run, Targets};
use pellucid_distance::Knn;
use std::time::Instant;

fn main() {
    let Some(folder) = std::env::args().skip(1).find(|a| !a.starts_with("--")) else {
        println!("give the folder that benches/peers/knn.py has written");
        return;
    };
    let bytes = |name: &str| std::fs::read(format!("{folder}/{name}")).unwrap();
    let points = |name: &str| {
        let values: Vec<f64> = bytes(name).into_iter().map(f64::from).collect();
        let rows = values.len() / 784;
        Points::dense(values, rows, 784).unwrap()
    };
    let (train, test) = (points("train"), Inputs::Points(points("test")));
    let names: Vec<String> = (0..10).map(|c| c.to_string()).collect();
    let codes = bytes("train-labels").into_iter().map(u32::from).collect();
    let data = Dataset::new(train, Targets::Classes(Classes::new(codes, names).unwrap()));
    let theirs: Vec<u32> = bytes("labels").into_iter().map(u32::from).collect();
    for threads in [1, 2] {
        let run = Run { threads, ..Run::quiet(1) };
        let mut best = f64::INFINITY;
        let mut differ = 0;
        for _ in 0..3 {
            let start = Instant::now();
            let fitted = Knn::default().fit(&data, None, &run).unwrap();
            let labels = Prediction::of(&*fitted.machine, &test, &run).unwrap().classes(&run).unwrap();
            best = best.min(start.elapsed().as_secs_f64());
            differ = labels.iter().zip(&theirs).filter(|(a, b)| a != b).count();
        }
        println!("{threads} {best:.2} {differ}");
    }
}
