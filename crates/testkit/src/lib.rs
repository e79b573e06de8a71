//! The promises every learner keeps, as tests.
//!
//! [`check_learner`] is one line in a learner's tests; a promise added here is a promise every learner must keep from
//! then on. It checks promises, never wording. Slow twins, finite differences and a peer's numbers have their helpers
//! here too.

#![allow(clippy::unwrap_used, reason = "a test helper speaks by panicking")]

mod counting;
mod golden;
mod hostile;
mod learner;
mod reads;
mod seeds;
mod shared;
mod slope;
mod toys;
mod watches;

pub use counting::{bound_allocations, most_allocated};
pub use golden::check_golden;
pub use hostile::{ends_within, wide_sparse};
pub use learner::{check_learner, check_mean_weights, gradient_at, uncounted};
pub use reads::Reads;
pub use seeds::seeds;
pub use shared::{need, shared};
pub use slope::check_slope;
pub use toys::{as_sparse, toy_anomalies, toy_classes, toy_points, toy_texts, toy_values};
pub use watches::{After, Count};

/// Makes sure that two lists of numbers agree to `tolerance`, relative to the larger of 1 and their size.
#[track_caller]
pub fn assert_close(ours: &[f64], theirs: &[f64], tolerance: f64, what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}: lengths differ");
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        let scale = a.abs().max(b.abs()).max(1.0);
        assert!((a - b).abs() <= tolerance * scale || a == b, "{what}: number {i} is {a}, expected {b}");
    }
}
