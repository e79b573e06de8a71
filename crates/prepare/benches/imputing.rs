//! How fast gaps are filled: prints `method threads seconds largest-difference` for neighbours and chained equations.
//!
//! `benches/run imputing` runs scikit-learn first, which leaves the rows and its answers in a folder, then this.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::{Dataset, Learner, Points, Run, Targets};
use pellucid_prepare::{ImputeKnn, ImputeMice};
use std::time::Instant;

const COLUMNS: usize = 20;

fn main() {
    let Some(folder) = std::env::args().skip(1).find(|a| !a.starts_with("--")) else {
        println!("give the folder that benches/peers/imputing.py has written");
        return;
    };
    let numbers = |name: &str| -> Vec<f64> {
        let bytes = std::fs::read(format!("{folder}/{name}")).unwrap();
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let rows = numbers("rows");
    let data = Dataset::new(Points::dense(rows.clone(), rows.len() / COLUMNS, COLUMNS).unwrap(), Targets::None);
    let mice = ImputeMice { sweeps: 5, tolerance: 0.0, ..ImputeMice::default() };
    let methods: [(&str, Box<dyn Learner>); 2] = [("knn", Box::new(ImputeKnn::default())), ("mice", Box::new(mice))];
    for (name, learner) in methods {
        let theirs = numbers(name);
        for threads in [1, 2] {
            let run = Run { threads, ..Run::quiet(1) };
            let (mut best, mut differ) = (f64::INFINITY, 0.0);
            for _ in 0..3 {
                let start = Instant::now();
                let machine = learner.fit(&data, None, &run).unwrap().machine;
                let ours = machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
                best = best.min(start.elapsed().as_secs_f64());
                differ = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            }
            println!("{name} {threads} {best:.3} {differ:.1e}");
        }
    }
}
