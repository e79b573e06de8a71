//! Explaining networks: every rule against its definition, laws, peers, and what must be refused.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod architectures;
mod definitions;
mod drawn;
mod goldens;
mod hostile;
mod judging;
mod laws;
mod lifting;
mod machines;
mod memory;
mod own;
mod patterns;
mod prototypes;
mod sharing;

use base::{Points, Run};

fn run() -> Run<'static> {
    Run { threads: 2, ..Run::quiet(1) }
}

fn numbers(points: &Points) -> Vec<f64> {
    points.to_dense(&base::Memory::unlimited()).unwrap().to_vec()
}

/// Equal up to a share of the largest number.
#[track_caller]
fn close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let size = b.iter().fold(0.0f64, |m, x| m.max(x.abs())).max(1e-300);
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * size, "{what}: {a} and {b} at {i}, of {size}");
    }
}
