//! Linear machines: regression, lasso, elastic net, logistic regression and support vector machines.
//!
//! Every learner here ends in the same machine, [`Linear`]: scores x·w_k + b_k, one for each value or class.

mod descent;
mod design;
mod equations;
mod iterative;
mod lasso;
mod likelihood;
mod logistic;
mod machine;
mod newton;
mod path;
mod powers;
mod regression;
mod ridge;
mod softmax;
mod solve;
mod svm;
mod weights;

pub use lasso::{ElasticNet, Lasso};
pub use likelihood::log_likelihood;
pub use logistic::{Logistic, Solver};
pub use machine::{Linear, Posterior};
pub use path::{NetPath, largest_penalty, net_path};
pub use powers::powers;
pub use regression::{LinearRegression, Method};
pub use ridge::{Ridge, Solver as RidgeSolver};
pub use svm::{LinearSvm, LinearSvr, Loss, Multiclass, TubeLoss};
pub use weights::Weights;
