//! Linear machines: regression and logistic regression.
//!
//! Every learner here ends in the same machine, [`Linear`]: scores x·w_k + b_k, one for each value or class.

mod design;
mod iterative;
mod likelihood;
mod logistic;
mod machine;
mod newton;
mod regression;
mod ridge;
mod softmax;
mod solve;

pub use likelihood::log_likelihood;
pub use logistic::{Logistic, Solver};
pub use machine::{Linear, Posterior};
pub use regression::{LinearRegression, Method};
pub use ridge::{Ridge, Solver as RidgeSolver};
