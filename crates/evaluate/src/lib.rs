//! Splits and measures.

mod measures;
mod split;

pub use measures::{Confusion, Measures, judge};
pub use split::hold_out;
