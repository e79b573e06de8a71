//! Filling gaps: one learner for each method, each with a machine that travels with the model.
//!
//! What is there is never changed, new rows are filled one by one without looking at each other, and what is drawn is
//! drawn from a hash of the row's present values and a seed: a row is filled alike on any number of threads and in any
//! batch. Rows that agree in all that is there therefore get the same draw. Sparse points have no gaps and pass.
//!
//! A machine fitted on one file fills the gaps of another: for `impute-knn` and `impute-hot-deck` the fitted machine is
//! the deck, and a deck from other data (a cold deck) is a machine fitted on those data.

mod chained;
mod conditional;
mod deletion;
mod em;
mod equations;
mod gaps;
mod mice;
mod mixture;
mod multiple;
mod neighbours;
mod partial;
mod simple;

pub use chained::ChainedFiller;
pub use deletion::{KeptColumns, SparseColumns, complete_rows};
pub use mice::{ImputeMice, ImputeRegression};
pub use mixture::{ImputeMixture, MixtureFiller};
pub use multiple::{Multiple, Pooled};
pub use neighbours::{Deck, ImputeHotDeck, ImputeKnn};
pub use simple::{Fill, Filler, Impute};
