//! Networks as descriptions: nodes over a closed set of operations, weights and shapes.
//!
//! A [`Graph`] says what is computed, not how: running, differentiating and training live in the crate `network`,
//! relevance in `explain`. Nodes are in an order in which each uses only what comes before it, so a graph cannot have
//! cycles. The first axis of inputs and outputs counts the rows of a batch.

mod attributes;
mod class;
mod describe;
mod draft;
mod op;
mod passes;
mod record;
mod record_op;
mod tensor;
mod window;

pub use attributes::{Arity, Binary, Pooling, Reduction, Scatter, SoftPooling, Unary};
pub use class::Class;
pub use describe::{Graph, GraphInput, GraphParts, Node, Source, Weight};
pub use draft::Draft;
pub use op::Op;
pub use passes::Passes;
pub use tensor::{Element, Numbers, Tensor};
pub use window::{Filling, Padding, Resizing, Window};
