//! Networks described layer by layer: activations, a short text, and graphs that grow from it.

mod activation;
mod grow;
mod scaling;
mod text;

pub use activation::{Activation, Unit};
pub use grow::Growth;
pub use scaling::{Scaling, scales};
pub use text::{After, Conv, DenseLayer, Layer, parse};
