//! ONNX in and out.
//!
//! [`read_onnx`] makes a [`Graph`] of a model's bytes: operators become our operations, one for one where they are the
//! same and composed where they are not; shapes that are computed in the model are folded when a run is planned. What
//! has no counterpart is refused with the operator's name, the node's, and the nearest thing that works. What changes on
//! the way (types of numbers) is said in [`Onnx::notes`]. [`write_onnx`] writes any graph.
//!
//! **Safety.** Bytes, however damaged, give a model or an error: lengths are checked against what is there before
//! anything is allocated, all that is kept is counted against the run's memory, and nothing recurses by the file's word.
//! This crate opens no files; numbers that a model keeps elsewhere come through a function ([`External`]).
//!
//! **Versions.** Operator sets 7 to 26 of ONNX and 1 to 5 of ai.onnx.ml are read; 21 is written.

mod build;
mod call;
mod facts;
mod foreign;
mod half;
mod kind;
mod message;
mod ops;
mod read;
mod sorted;
mod tensor;
mod trained;
mod wire;
mod write;

pub use foreign::{OnnxNode, OnnxValue};
pub use ops::{Operator, operators};
pub use read::{Onnx, OnnxParts, OnnxPort, read_onnx, read_onnx_up_to, read_onnx_with};
pub use tensor::{Bytes as ExternalBytes, External};
pub use write::{OnnxBeside, OnnxOutput, largest_difference, write_onnx, write_onnx_with};
