//! Graphs rewritten: each function gives a new graph and leaves the old one as it was.
//!
//! All but [`without_final_softmax`], [`cut`] and [`only_output`] keep what the graph computes, up to rounding; inputs stay as they are,
//! used or not, so that a caller can feed both graphs alike. [`canonical`] is the form that relevance is propagated
//! through: every linear layer stands by itself and nothing idle lies between.

mod cut;
mod fold;
mod idle;
mod linear;
mod norm;
mod precision;
mod rebuild;

pub use cut::{cut, only_output, without_final_softmax};
pub use fold::folded;
pub use idle::without_idle;
pub use norm::fuse_batch_norm;
pub use precision::in_precision;

use base::graph::Graph;
use base::{Result, Run};

/// The graph with constants computed, nothing idle, and normalisations in the linear layers beside them.
pub fn canonical(graph: &Graph, run: &Run<'_>) -> Result<Graph> {
    fuse_batch_norm(&without_idle(&folded(graph, run)?)?)
}
