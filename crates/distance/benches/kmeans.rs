//! How fast K-means is on MNIST and on clouds: prints `data k threads seconds steps 2H` from the peer's start centres.
//!
//! `benches/kmeans.sh` runs scikit-learn first, which leaves data and start centres in a folder, then this.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::{Dataset, Features, Learner, Machine, Points, Run, Targets};
use pellucid_distance::{Codebook, KMeans, Metric};
use std::time::Instant;

fn main() {
    let Some(folder) = std::env::args().skip(1).find(|a| !a.starts_with("--")) else {
        println!("give the folder that benches/peers/kmeans.py has written");
        return;
    };
    let read = |name: &str| {
        let bytes = std::fs::read(format!("{folder}/{name}")).unwrap();
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect::<Vec<f64>>()
    };
    for (name, d) in [("mnist", 784), ("clouds", 10)] {
        let values = read(name);
        let rows = values.len() / d;
        let data = Dataset::new(Points::dense(values, rows, d).unwrap(), Targets::None);
        for k in [10, 100] {
            let centres = read(&format!("{name}-{k}"));
            let start = Codebook::new(Features::unnamed(d), centres, Metric::Euclidean, None).unwrap().record();
            for threads in [1, 2] {
                let run = Run { threads, ..Run::quiet(1) };
                let learner = KMeans { k, steps: 50, ..Default::default() };
                let (mut best, mut steps, mut sum) = (f64::INFINITY, 0, 0.0);
                for _ in 0..2 {
                    let begin = Instant::now();
                    let fitted = learner.fit(&data, Some(&start), &run).unwrap();
                    best = best.min(begin.elapsed().as_secs_f64());
                    (steps, sum) = (fitted.certificate.steps, 2.0 * fitted.certificate.objective.unwrap());
                }
                println!("{name} {k} {threads} {best:.2} {steps} {sum:.6e}");
            }
        }
    }
}
