//! Heat maps of a batch against the literal loop over pairs: 3,000 support points, 784 variables.
//!
//! All are checked to be equal. One loop goes pair by pair as the formula reads (for each variable a sum over support
//! points), the other support point by support point along memory, so that the compiler can vectorise; both on one
//! thread.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints and may stop")]

use base::{Memory, Points, Run, Seed};
use density::{Density, OneClass, RadialKernel};
use std::time::Instant;

const M: usize = 3000;
const D: usize = 784;

fn drawn(n: usize, seed: u64) -> Vec<f64> {
    (0..n * D).map(|i| Seed(seed).at(i).unit()).collect()
}

/// R_i = Σ_j ((x_i − u_ji) / ‖x − u_j‖)² p_j min(o, d_j), as it is written.
fn literally(u: &[f64], x: &[f64], gamma: f64, along: bool) -> Vec<f64> {
    let alpha = 1.0 / M as f64;
    let square = |j: usize| x.iter().zip(&u[j * D..(j + 1) * D]).map(|(x, u)| (x - u) * (x - u)).sum::<f64>();
    let squares: Vec<f64> = (0..M).map(square).collect();
    let h: Vec<f64> = squares.iter().map(|s| gamma * s - f64::ln(alpha)).collect();
    let least = h.iter().copied().fold(f64::INFINITY, f64::min);
    let sum: f64 = h.iter().map(|h| (least - h).exp()).sum();
    let o = least - sum.ln();
    let explained = |j: usize| (least - h[j]).exp() / sum * o.min(gamma * squares[j]);
    let mut relevance = vec![0.0; D];
    if along {
        for j in 0..M {
            let (distance, explained) = (squares[j].sqrt(), explained(j));
            for i in 0..D {
                relevance[i] += ((x[i] - u[j * D + i]) / distance).powi(2) * explained;
            }
        }
        return relevance;
    }
    for (i, r) in relevance.iter_mut().enumerate() {
        for j in 0..M {
            *r += ((x[i] - u[j * D + i]) / squares[j].sqrt()).powi(2) * explained(j);
        }
    }
    relevance
}

fn main() {
    let (u, rows, slow_rows) = (drawn(M, 1), 1000, 20);
    let x = drawn(rows, 2);
    let gamma = 0.05;
    let centres = Points::dense(u.clone(), M, D).unwrap();
    let density = Density::new(centres, vec![1.0; M], RadialKernel::Exponential { gamma, q: 2.0 }).unwrap();
    let points = Points::dense(x.clone(), rows, D).unwrap();
    let timed = |along: bool| {
        let begin = Instant::now();
        let told: Vec<Vec<f64>> = (0..slow_rows).map(|i| literally(&u, &x[i * D..(i + 1) * D], gamma, along)).collect();
        (told, begin.elapsed().as_secs_f64() * 1e3 / slow_rows as f64)
    };
    let ((slow, pairs_ms), (_, loop_ms)) = (timed(false), timed(true));
    println!("loop pair by pair: {pairs_ms:.3} ms a row; along memory: {loop_ms:.3} ms a row");
    for threads in [1, 2] {
        let run = Run { threads, ..Run::quiet(1) };
        let detector = OneClass::new(&density, &run).unwrap();
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let begin = Instant::now();
            let told = detector.by_input(&points, &run).unwrap();
            best = best.min(begin.elapsed().as_secs_f64() * 1e3 / rows as f64);
            let values = told.values.to_dense(&Memory::unlimited()).unwrap();
            for (i, line) in slow.iter().enumerate() {
                let size = line.iter().fold(0.0f64, |m, r| m.max(*r));
                let same = line.iter().zip(&values[i * D..]).all(|(a, b)| (a - b).abs() <= 1e-9 * size);
                assert!(same, "row {i} differs");
            }
        }
        let (pairs, along) = (pairs_ms / best, loop_ms / best);
        println!("batch, {threads} threads: {best:.3} ms a row, {pairs:.1} and {along:.1} times as fast");
    }
}
