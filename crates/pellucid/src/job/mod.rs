//! What people do, as plain requests: each job is a struct whose fields say what is wanted and whose `run` does it.
//!
//! The command line, Python and whatever comes fill the fields in and show what comes back. What is policy (which rows
//! count, which class is the positive one, when an explanation balances, what may be written over) is here, once.

mod explain;
mod fit;
mod outputs;
mod predict;
mod rows;
mod score;
mod source;

pub use explain::{Explain, Explaining, unbalanced};
pub use fit::{Fit, FitResult, Holdout, apply_settings};
pub use outputs::{guard, guard_model};
pub use predict::{Field, Predict, Predicting};
pub use rows::rows_of;
pub use score::{Deciding, Score, ScoreResult};
pub use source::{Loaded, Source, note_positive, positive, warn_of_seen};
