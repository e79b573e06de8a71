//! Networks written down from their definition.

mod approximator;
mod committee;

pub use approximator::{Ramp, approximator, interval, region};
pub use committee::SoftCommittee;
