//! Learners whose machine is a network.

mod autoencoder;
mod cascade;
mod cnn;
mod elm;
mod mlp;
mod pruned;
mod rbf;
mod readout;
mod supervised;
mod targets;

pub use autoencoder::{Autoencoder, Gives};
pub use cascade::Cascade;
pub use cnn::Cnn;
pub use elm::Elm;
pub use mlp::Mlp;
pub use pruned::Prune;
pub use rbf::{RbfNetwork, Spread};
pub use readout::{Readout, readout};
