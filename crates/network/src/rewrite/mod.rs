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
mod probabilities;
mod rebuild;

pub use cut::{cut, only_output};
pub use fold::folded;
pub use idle::without_idle;
pub use norm::fuse_batch_norm;
pub use precision::in_precision;
pub use probabilities::{final_link, without_final_sigmoid, without_final_softmax};

use base::graph::Graph;
use base::{Result, Run};

/// The graph with constants computed, nothing idle, and normalisations in the linear layers beside them.
pub fn canonical(graph: &Graph, run: &Run<'_>) -> Result<Graph> {
    fuse_batch_norm(&without_idle(&folded(graph, run)?)?)
}
