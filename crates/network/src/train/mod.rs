//! Training: weights that make a cost small, step by step, with a record of how it went.
//!
//! The mean cost over the rows E(W) = Σ_i w_i e_i / Σ_i w_i (see `cost`) is followed downhill by a rule (see `rule`) in
//! steps of some rows each. Around that: schedules of the rate, penalties and bounds, clipped gradients, averaged
//! weights, rates of single weights, and rows kept aside that tell when to stop and which epoch was the best.
//!
//! **Promises.** The same data, settings and seed give the same bits on any number of threads, and a run that was
//! interrupted goes on from its checkpoint as if it had not been. What diverges is stopped and the last good weights are
//! kept. The certificate holds the curves of the costs and the largest component of the gradient at the end; nothing
//! better than a stationary point can be promised of a network.

mod cost;
mod examples;
mod gradient;
mod local;
mod newton;
mod penalty;
mod rate;
mod rule;
mod settings;
mod state;
mod trainer;

pub use cost::{Cost, Price};
pub use examples::{Ask, Examples};
pub(crate) use gradient::{BLOCK, Lesson};
pub use penalty::{NormOf, Regularizer};
pub use rate::{Rate, Schedule};
pub use rule::Optimizer;
pub use settings::{Averaging, LocalRates, Order, Precision, Training};
pub use trainer::{Masks, Trained, train};
