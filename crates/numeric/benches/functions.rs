//! exp and log over slices beside the standard library: prints `function ours-ns std-ns ratio` per number.
#![allow(clippy::print_stdout, reason = "a benchmark talks to its reader")]

use pellucid_numeric::{exp, expm1, log, log1p};
use std::hint::black_box;
use std::time::Instant;

const COUNT: usize = 4096;

fn main() {
    let draw = |i: usize| 0.01 + 20.0 * base::Seed(1).at(i).unit();
    let double: Vec<f64> = (0..COUNT).map(draw).collect();
    let single: Vec<f32> = double.iter().map(|&x| x as f32).collect();
    compare("exp f64", &double, exp, f64::exp);
    compare("log f64", &double, log, f64::ln);
    compare("expm1 f64", &double, expm1, f64::exp_m1);
    compare("log1p f64", &double, log1p, f64::ln_1p);
    compare("exp f32", &single, exp, f32::exp);
    compare("log f32", &single, log, f32::ln);
    compare("expm1 f32", &single, expm1, f32::exp_m1);
    compare("log1p f32", &single, log1p, f32::ln_1p);
}

fn compare<T: Copy>(name: &str, values: &[T], ours: fn(&mut [T]), library: impl Fn(T) -> T) {
    let us = best(values, ours);
    let them = best(values, |slice| slice.iter_mut().for_each(|x| *x = library(*x)));
    println!("{name} {us:.2} {them:.2} {:.1}", them / us);
}

/// Nanoseconds per number, the best of many rounds.
fn best<T: Copy>(values: &[T], f: impl Fn(&mut [T])) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..2000 {
        let mut copy = values.to_vec();
        let start = Instant::now();
        f(black_box(&mut copy));
        least = least.min(start.elapsed().as_secs_f64());
        black_box(&copy);
    }
    least * 1e9 / values.len() as f64
}
