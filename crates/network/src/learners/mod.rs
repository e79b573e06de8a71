//! Learners of networks.

mod autoencoder;
mod cnn;
mod mlp;
mod supervised;

pub use autoencoder::{Autoencoder, Gives};
pub use cnn::Cnn;
pub use mlp::Mlp;
