//! Kernel machines.
//!
//! A [`Kernel`] is data; [`Against`] gives blocks of its values; an [`Expansion`] is the machine all learners here end in:
//! centres, coefficients, kernel, offsets. Support vector machines are quadratic problems (`solve`) over rows of the
//! kernel matrix that come in blocks and are kept while memory lasts (`source`, `rows`).

mod block;
mod contributions;
mod expansion;
mod graph;
mod kernel;
mod outlierness;
mod pair;
mod rows;
mod slope;
mod solve;
mod source;

pub use block::Against;
pub use expansion::{Expansion, Parts, Reading, pair};
pub use graph::outlierness as outlierness_graph;
pub use kernel::{Kernel, OwnKernel};
