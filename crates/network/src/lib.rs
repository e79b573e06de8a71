//! Running and differentiating graphs.
//!
//! A [`Network`] is a graph ready to run. [`Network::run`] gives its outputs; [`Network::tape`] keeps what every node
//! gave, so that [`Tape::pull`] can pull gradients back to inputs, weights or nodes, as often as one likes. Before
//! anything runs, a [`Plan`] has found the shape of everything, folded what does not depend on the numbers that go in,
//! and made sure that it all fits. Each operation has a file of its own in `ops`: its shapes, its run, its pull back.
//! Graphs are brought into other forms by [`rewrite`].

mod join;
mod kernel;
mod network;
mod number;
mod onnx;
mod ops;
mod plan;
mod pool;
pub mod rewrite;
mod tape;
mod weights;

pub use kernel::Form;
pub use network::Network;
pub use onnx::{
    External, ExternalBytes, Onnx, OnnxPort, Operator, largest_difference, operators, read_onnx, read_onnx_with,
    write_onnx,
};
pub use plan::Plan;
pub use tape::Tape;
pub use weights::{named_weights, with_weights};
