//! Learners whose machine is a network.

mod cascade;
mod elm;
mod readout;
mod targets;

pub use cascade::Cascade;
pub use elm::{Activation, Elm};
pub use readout::{Readout, readout};
