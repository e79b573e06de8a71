//! Networks described layer by layer: activations, a short text, and graphs that grow from it.

mod activation;
mod grow;
mod text;

pub use activation::{Activation, Unit};
pub use grow::Growth;
pub use text::{After, Conv, Dense, Layer, parse};
