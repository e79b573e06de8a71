//! How fast the lasso is at a given gap: prints `set seconds relative-gap columns-used objective`.
//!
//! `benches/lasso.sh` runs scikit-learn first, which leaves the data in a folder, then this.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::{Dataset, Fact, Gap, Learner, Points, Run, Sparse, Targets, Values};
use pellucid_linear::Lasso;
use std::time::Instant;

fn main() {
    let Some(folder) = std::env::args().skip(1).find(|a| !a.starts_with("--")) else {
        println!("give the folder that benches/peers/lasso.py has written");
        return;
    };
    for line in std::fs::read_to_string(format!("{folder}/sets")).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, n, d) = (words[0], words[1].parse().unwrap(), words[2].parse().unwrap());
        let (penalty, tolerance) = (words[3].parse().unwrap(), words[4].parse::<f64>().unwrap());
        let bytes = |part: &str| std::fs::read(format!("{folder}/{name}.{part}"));
        let numbers = |part: &str| -> Vec<f64> {
            bytes(part).unwrap().chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
        };
        let points = match bytes("starts") {
            Ok(_) => {
                let starts = numbers("starts").into_iter().map(|s| s as usize).collect::<Vec<_>>();
                let ids = numbers("ids").into_iter().map(|i| i as u32).collect::<Vec<_>>();
                Points::Sparse(Sparse::new(starts, ids, numbers("x"), d).unwrap())
            }
            Err(_) => Points::dense(numbers("x"), n, d).unwrap(),
        };
        let y = numbers("y");
        let mean = y.iter().sum::<f64>() / n as f64;
        let zero = y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (2.0 * n as f64);
        let data = Dataset::new(points, Targets::Values(Values::new(y, "y")));
        // scikit-learn's tolerance is relative to |y|², ours to half of it.
        let learner = Lasso { penalty, tolerance: 2.0 * tolerance, ..Default::default() };
        let mut best = f64::INFINITY;
        let mut certificate = Default::default();
        for _ in 0..3 {
            let start = Instant::now();
            certificate = learner.fit(&data, None, &Run::quiet(1)).unwrap().certificate;
            best = best.min(start.elapsed().as_secs_f64());
        }
        let (Gap::Duality(gap), Fact::Number(used)) = (certificate.gap, &certificate.facts["columns used"]) else {
            continue;
        };
        println!("{name} {best:.4} {:.1e} {used} {:.9}", gap / zero, certificate.objective.unwrap());
    }
}
