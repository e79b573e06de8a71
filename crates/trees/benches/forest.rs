//! How fast and how good a forest of 100 trees is: prints `set threads fit-seconds predict-seconds accuracy`.
//!
//! `benches/forest.sh` runs scikit-learn first, which leaves the data and its folds in a folder, then this.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::{Classes, Dataset, Fitted, Inputs, Learner, Points, Prediction, Run, Targets};
use pellucid_trees::RandomForest;
use std::time::Instant;

fn main() {
    let Some(folder) = std::env::args().skip(1).find(|a| !a.starts_with("--")) else {
        println!("give the folder that benches/peers/forest.py has written");
        return;
    };
    let learner = RandomForest { out_of_bag: false, ..Default::default() };
    for line in std::fs::read_to_string(format!("{folder}/sets")).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, numbers) = (words[0], words[1..].iter().map(|w| w.parse().unwrap()).collect::<Vec<usize>>());
        let bytes = |part: &str| std::fs::read(format!("{folder}/{name}.{part}")).unwrap();
        let x: Vec<f64> = bytes("x").chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
        let y: Vec<u32> = bytes("y").into_iter().map(u32::from).collect();
        let folds = bytes("folds");
        let names: Vec<String> = (0..numbers[2]).map(|c| c.to_string()).collect();
        let points = Points::dense(x, numbers[0], numbers[1]).unwrap();
        let data = Dataset::new(points, Targets::Classes(Classes::new(y, names).unwrap()));
        for threads in [1, 2] {
            let run = Run { threads, ..Run::quiet(1) };
            let (mut fit, mut predict) = (f64::INFINITY, f64::INFINITY);
            for _ in 0..3 {
                let start = Instant::now();
                let fitted = learner.fit(&data, None, &run).unwrap();
                fit = fit.min(start.elapsed().as_secs_f64());
                let start = Instant::now();
                classes(&fitted, &data.inputs, &run);
                predict = predict.min(start.elapsed().as_secs_f64());
            }
            println!("{name} {threads} {fit:.4} {predict:.4} {:.4}", accuracy(&learner, &data, &folds, &run));
        }
    }
}

fn classes(fitted: &Fitted, inputs: &Inputs, run: &Run<'_>) -> Vec<u32> {
    Prediction::of(&*fitted.machine, inputs, run).unwrap().classes(run).unwrap()
}

/// Mean over folds of the share of right answers.
fn accuracy(learner: &RandomForest, data: &Dataset, folds: &[u8], run: &Run<'_>) -> f64 {
    let count = folds.iter().max().map_or(0, |&f| f + 1);
    let score = |fold: u8| {
        let (test, train): (Vec<usize>, Vec<usize>) = (0..data.len()).partition(|&i| folds[i] == fold);
        let fitted = learner.fit(&data.select(&train).unwrap(), None, run).unwrap();
        let found = classes(&fitted, &data.inputs.select(&test).unwrap(), run);
        let Targets::Classes(truth) = &data.targets else { return 0.0 };
        test.iter().zip(found).filter(|&(&i, c)| truth.codes()[i] == c).count() as f64 / test.len() as f64
    };
    (0..count).map(score).sum::<f64>() / f64::from(count)
}
