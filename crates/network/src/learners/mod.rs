//! Learners whose machine is a network.

mod elm;
mod readout;

pub use elm::{Activation, Elm};
pub use readout::{Readout, readout};
