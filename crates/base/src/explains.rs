//! The door for a machine's own explanations: what a machine can say of its outputs, or of a number of its own, that no
//! method from outside could know as well. Closed forms of detectors, the view that decided, boxes of leaves.
//!
//! A machine describes what it offers without any work ([`Explains`]); whoever asks makes it ready once for a question and
//! then explains as many rows as wanted ([`Explainer`]), so that copies and logarithms are made once, counted by the run
//! that asked and given back with the answer. Relevance is told in the columns that the machine itself takes; carrying it
//! back through a preparation is left to those who know the chain.
//!
//! **Limits.** Names are fixed with the type of machine, not with the model. A machine tells of at most one number of its
//! own.

use crate::{Points, Relevance, Result, Run};

/// A machine that explains itself.
pub trait Explains {
    /// What it offers, the usual method first. Not empty.
    fn methods(&self) -> &'static [OwnMethod];

    /// The number of its own that these methods tell of; none: the machine's outputs, one at a time.
    fn quantity(&self) -> Option<Quantity> {
        None
    }

    /// Makes ready what all rows share; bytes are counted by the run while the answer is held. The answer stands by itself:
    /// large parts are shared with the machine ([`Points`] and `Arc` are).
    fn ready(&self, run: &Run<'_>) -> Result<Box<dyn Explainer>>;
}

/// A method of a machine's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnMethod {
    /// The word people write: a new one, or that of a known method which is left to machines (`dtd`, `support`).
    pub name: &'static str,
    /// What it says, in a line.
    pub about: &'static str,
    /// What relevance is told of.
    pub over: Over,
    /// Whether relevance sums to what is explained, but for what is absorbed.
    pub adds_up: bool,
}

/// What relevance is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The columns that the machine takes.
    Columns,
    /// The training points that it rests on.
    Support,
}

/// A number that a machine tells of each row beside its outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    /// Its name, such as `outlierness`.
    pub name: &'static str,
    /// Whether it has a gradient in the inputs.
    pub gradient: bool,
    /// Whether it is measured from weighted points ([`References`]).
    pub references: bool,
}

/// A machine made ready to explain rows.
pub trait Explainer: Send + Sync {
    /// Explains rows by one of [`Explains::methods`]: the machine's own number if it has one, else output `output`.
    fn explain(&self, method: &str, points: &Points, output: usize, run: &Run<'_>) -> Result<Relevance>;

    /// The machine's own number, where [`Explains::quantity`] names one: other methods explain it too.
    fn quantity(&self) -> Option<&dyn Scored> {
        None
    }

    /// What that number is measured from, where [`Quantity::references`] says so.
    fn references(&self) -> Option<&dyn References> {
        None
    }
}

/// A number for each row, with a gradient in the variables.
pub trait Scored: Sync {
    /// How many variables.
    fn columns(&self) -> usize;

    /// The score of each row.
    fn values(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>>;

    /// The score of each row and its gradient, row after row.
    fn gradients(&self, points: &Points, run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)>;

    /// Weights and activations that a row goes through, about; 0 where that is not known or little.
    fn numbers(&self) -> u64 {
        0
    }
}

/// Weighted points u_j, and a number that depends on a row x through the distances ‖x − u_j‖ alone.
pub trait References: Sync {
    /// The points.
    fn points(&self) -> &Points;

    /// Their weights, above 0, with the sum 1.
    fn weights(&self) -> &[f64];

    /// ‖x − u_j‖² of each row to all points, row after row.
    fn squared_distances(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>>;

    /// The number from the squared distances of one row, which become the fraction that each point has of it.
    fn value_at(&self, squares: &mut [f64]) -> f64;
}
