//! The laws of explanations, each checked against its definition or by what must hold.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod attribution;
mod axioms;
mod closed_form;
mod graphs;
mod local;
mod machines;
mod quality;
mod shapes;

use base::{Points, Run, Seed, normal};
use density::{Density, OneClass, RadialKernel};

/// Both families with several powers.
fn families() -> Vec<RadialKernel> {
    let mut all = vec![];
    for q in [0.7, 1.0, 2.0, 3.0, 4.0] {
        all.push(RadialKernel::Exponential { gamma: 0.4 / q, q });
        all.push(RadialKernel::Student { a: 1.0, gamma: 1.0, q });
    }
    all.push(RadialKernel::Student { a: 0.3, gamma: 2.5, q: 2.0 });
    all
}

/// Normal points; `far` shifts and stretches them.
fn drawn(n: usize, d: usize, seed: u64, far: f64) -> Points {
    let mut s = Seed(seed).stream();
    let values: Vec<f64> = (0..n * d).map(|_| far * (0.3 + normal(&mut s))).collect();
    Points::dense(values, n, d).unwrap()
}

/// A density with drawn centres and weights.
fn density(m: usize, d: usize, family: RadialKernel) -> Density {
    let weights = (0..m).map(|j| 0.1 + Seed(9).at(j).unit()).collect();
    Density::new(drawn(m, d, 1, 1.0), weights, family).unwrap()
}

fn run() -> Run<'static> {
    Run { threads: 2, ..Run::quiet(1) }
}

fn detector(m: usize, d: usize, family: RadialKernel) -> OneClass {
    OneClass::new(&density(m, d, family), &run()).unwrap()
}

fn numbers(points: &Points) -> Vec<f64> {
    points.to_dense(&base::Memory::unlimited()).unwrap().to_vec()
}

/// Equal up to a share of the largest number.
fn close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let size = b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * size, "{what}: {a} and {b} at {i}, of {size}");
    }
}
