//! The rules, one file each, and composites of them.

mod dense;
mod distance;
mod elementwise;
mod soft_pool;

pub use dense::DenseRule;
pub use distance::DistanceRule;
pub use elementwise::{ScaleRule, ShiftRule};
pub use soft_pool::SoftPoolRule;

use crate::rule::{Composite, When};
use base::graph::{Binary, Op};

/// Deep Taylor decomposition of detectors written as graphs: a soft minimum of distances.
pub fn one_class() -> Composite {
    Composite::default()
        .with(When::Op("soft-pool"), SoftPoolRule)
        .with(When::Op("distance"), DistanceRule)
        .with(When::Fits(|op| matches!(op, Op::Binary(Binary::Mul | Binary::Div))), ScaleRule)
        .with(When::Fits(|op| matches!(op, Op::Binary(Binary::Add | Binary::Sub))), ShiftRule)
        .with(When::Op("dense"), DenseRule { epsilon: 0.0 })
}
