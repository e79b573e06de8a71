//! Learners whose machine is a network.

mod autoencoder;
mod cnn;
mod elm;
mod mlp;
mod readout;
mod supervised;

pub use autoencoder::{Autoencoder, Gives};
pub use cnn::Cnn;
pub use elm::Elm;
pub use mlp::Mlp;
pub use readout::{Readout, readout};
