//! The rules, one file each, and composites of them.

mod affine;
mod batch_norm;
mod curve;
mod distance;
mod elementwise;
mod linear;
mod measure;
mod pass;
mod pattern;
mod ratio;
mod soft_pool;

pub use affine::AffineRule;
pub use batch_norm::{BatchNormRule, BatchNormWay};
pub use curve::CurveRule;
pub use distance::DistanceRule;
pub use elementwise::{ScaleRule, ShiftRule};
pub use linear::{Given, Group, LinearRule, Term};
pub use measure::{MeasureRule, SoftmaxRule};
pub use pass::{PassRule, ProductRule, PullRule, RectifyRule};
pub use pattern::PatternRule;
pub use ratio::Side;
pub use soft_pool::SoftPoolRule;
