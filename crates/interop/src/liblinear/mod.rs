//! Models as files of LIBLINEAR and back, and its programs.
//!
//! [`Model::load`](crate::Model::load) reads such a file as it reads our own; [`export_linear`] writes what LIBLINEAR can say: one
//! linear machine for classes or for one value, or a linear one-class machine.
//!
//! **Two classes.** LIBLINEAR keeps one weight vector w, positive for the first label; ours has the scores w·x and −w·x, or
//! half of each where they are log-odds, so that their softmax is LIBLINEAR's probability.
//! **Bias.** A constant last feature of value B with weight v becomes the intercept B · v; what is written has B = 1.
//! **Probabilities.** For more than two classes LIBLINEAR divides 1 / (1 + exp(−f)) of each by their sum, which is no
//! softmax: `linear-predict -b 1` gives them, `predict` gives scores.

mod export;
mod flags;
mod import;
mod predict;
mod train;

pub use export::{ExportedLinear, export_linear, is_linear};
pub use flags::{LinearPredict, LinearTrain};
pub use import::read_linear;
pub use predict::linear_predict;
pub use train::linear_train;
