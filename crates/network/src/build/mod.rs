//! Networks written down from their definition.

mod approximator;
mod committee;
mod tiling;

pub use approximator::{Ramp, approximator, interval, region};
pub use committee::SoftCommittee;
pub use tiling::{Tiling, tiling};
