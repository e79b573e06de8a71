//! How fast matrix products are: prints `precision size threads GFLOP/s`, the best of several runs.
//!
//! `benches/run product` runs this beside NumPy and prints the ratio.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::Run;
use pellucid_numeric::{Mat, MatMut, Real, product};
use std::time::Instant;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![2048, 4096] } else { sizes };
    for &n in &sizes {
        for threads in [1, 2] {
            measure::<f32>("f32", n, threads);
            measure::<f64>("f64", n, threads);
        }
    }
}

fn measure<T: Real>(name: &str, n: usize, threads: usize) {
    let run = Run { threads, ..Run::quiet(1) };
    let numbers = |seed: u64| (0..n * n).map(|i| T::narrow(base::Seed(seed).at(i).unit())).collect::<Vec<_>>();
    let (a, b, mut out) = (numbers(1), numbers(2), vec![T::ZERO; n * n]);
    let (a, b) = (Mat::new(&a, n, n).unwrap(), Mat::new(&b, n, n).unwrap());
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    for round in 0..200 {
        let start = Instant::now();
        product(&run, a, b, MatMut::new(&mut out, n, n).unwrap(), T::ONE, false).unwrap();
        best = best.min(start.elapsed().as_secs_f64());
        if round >= 4 && begin.elapsed().as_secs_f64() > 4.0 {
            break;
        }
    }
    println!("{name} {n} {threads} {:.1}", 2.0 * (n as f64).powi(3) / best * 1e-9);
}
