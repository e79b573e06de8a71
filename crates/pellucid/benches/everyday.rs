//! How fast and how good tree, lasso, K-means and mixture are on ten sets: prints `set machine threads seconds result`.
//!
//! `benches/everyday.sh` runs scikit-learn first, which leaves the data and its folds in a folder, then this.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use pellucid::distance::{GaussianMixture, KMeans};
use pellucid::linear::Lasso;
use pellucid::trees::Tree;
use pellucid::{Classes, Dataset, Fact, Fitted, Learner, Points, Prediction, Run, Targets, Values};
use std::time::Instant;

fn main() {
    let Some(folder) = std::env::args().skip(1).find(|a| !a.starts_with("--")) else {
        println!("give the folder that benches/peers/everyday.py has written");
        return;
    };
    for line in std::fs::read_to_string(format!("{folder}/sets")).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, penalty) = (words[0], words[4].parse().unwrap());
        let sizes: Vec<usize> = words[1..4].iter().map(|w| w.parse().unwrap()).collect();
        let bytes = |part: &str| std::fs::read(format!("{folder}/{name}.{part}")).unwrap();
        let x: Vec<f64> = bytes("x").chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
        let y: Vec<u32> = bytes("y").into_iter().map(u32::from).collect();
        let (folds, k) = (bytes("folds"), sizes[2]);
        let names: Vec<String> = (0..k).map(|c| c.to_string()).collect();
        let points = Points::dense(x, sizes[0], sizes[1]).unwrap();
        let codes = y.iter().map(|&c| f64::from(c)).collect();
        let classes = Dataset::new(points.clone(), Targets::Classes(Classes::new(y, names).unwrap()));
        let values = Dataset::new(points.clone(), Targets::Values(Values::new(codes, "y")));
        let plain = Dataset::new(points, Targets::None);
        for threads in [1, 2] {
            let run = Run { threads, ..Run::quiet(1) };
            if threads == 1 {
                let tree = Tree::default();
                let (seconds, _) = timed(&tree, &classes, 3, &run);
                println!("{name} tree 1 {seconds:.5} {:.6}", accuracy(&tree, &classes, &folds, &run));
                // scikit-learn's tolerance is relative to |y|², ours to half of it.
                let lasso = Lasso { penalty, tolerance: 2e-8, ..Default::default() };
                let (seconds, fitted) = timed(&lasso, &values, 3, &run);
                println!("{name} lasso 1 {seconds:.5} {:.6}", fitted.certificate.objective.unwrap());
            }
            let (seconds, fitted) = timed(&KMeans { k, ..Default::default() }, &plain, 3, &run);
            println!("{name} kmeans {threads} {seconds:.5} {:.6}", 2.0 * fitted.certificate.objective.unwrap());
            let mixture = GaussianMixture { k, tolerance: 1e-5, ..Default::default() };
            let (seconds, fitted) = timed(&mixture, &plain, 1, &run);
            let Some(Fact::Number(total)) = fitted.certificate.facts.get("log-likelihood") else { continue };
            println!("{name} gmm {threads} {seconds:.5} {:.6}", total / plain.len() as f64);
        }
    }
}

/// The shortest of several fits, and the last machine.
fn timed(learner: &dyn Learner, data: &Dataset, times: usize, run: &Run<'_>) -> (f64, Fitted) {
    let fit = || {
        let start = Instant::now();
        let fitted = learner.fit(data, None, run).unwrap();
        (start.elapsed().as_secs_f64(), fitted)
    };
    (1..times).fold(fit(), |best, _| {
        let next = fit();
        (best.0.min(next.0), next.1)
    })
}

/// Mean over folds of the share of right answers.
fn accuracy(learner: &dyn Learner, data: &Dataset, folds: &[u8], run: &Run<'_>) -> f64 {
    let Targets::Classes(truth) = &data.targets else { return f64::NAN };
    let count = folds.iter().max().map_or(0, |&f| f + 1);
    let score = |fold: u8| {
        let (test, train): (Vec<usize>, Vec<usize>) = (0..data.len()).partition(|&i| folds[i] == fold);
        let fitted = learner.fit(&data.select(&train).unwrap(), None, run).unwrap();
        let inputs = data.inputs.select(&test).unwrap();
        let found = Prediction::of(&*fitted.machine, &inputs, run).unwrap().classes(run).unwrap();
        test.iter().zip(found).filter(|&(&i, c)| truth.codes()[i] == c).count() as f64 / test.len() as f64
    };
    (0..count).map(score).sum::<f64>() / f64::from(count)
}
