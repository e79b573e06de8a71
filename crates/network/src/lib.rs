//! Running and differentiating graphs.
//!
//! A [`Network`] is a graph ready to run. [`Network::run`] gives its outputs; [`Network::tape`] keeps what every node
//! gave, so that [`Tape::pull`] can pull gradients back to inputs, weights or nodes, as often as one likes. Before
//! anything runs, a [`ShapePlan`] has found the shape of everything, folded what does not depend on the numbers that go in,
//! and made sure that it all fits. Each operation has a file of its own in `ops`: its shapes, its run, its pull back.
//! Graphs are brought into other forms by [`rewrite`]; a [`NetworkMachine`] is a graph that takes rows of points.

mod alone;
mod build;
pub mod diagnose;
mod join;
mod kernel;
pub mod layers;
mod learners;
mod machine;
mod network;
mod number;
mod onnx;
mod ops;
mod parameters;
mod plan;
mod pool;
pub mod rewrite;
mod row;
mod tape;
pub mod train;
mod weights;

pub use alone::{Formula, LineFunction};
pub use build::{Ramp, SoftCommittee, Tiling, approximator, interval, region, tiling};
pub use kernel::TensorForm;
pub use layers::Activation;
pub use learners::{Autoencoder, Cascade, Cnn, Elm, Gives, Mlp, Prune, RbfNetwork, Readout, Spread, readout};
pub use machine::NetworkMachine;
pub use network::Network;
pub use onnx::{
    External, ExternalBytes, Onnx, OnnxBeside, OnnxNode, OnnxOutput, OnnxParts, OnnxPort, OnnxValue, Operator,
    largest_difference, operators, read_onnx, read_onnx_up_to, read_onnx_with, write_onnx, write_onnx_with,
};
pub use ops::total_of;
pub use plan::{ShapePlan, frugal};
pub use tape::Tape;
pub use weights::{named_weights, with_weights};
