//! Label sets: how well they are ranked and predicted, where they are cut, and sets that hold what is true.
//!
//! A machine of labels gives a score to each label and means those above a threshold, 0 unless one was chosen. Scores of
//! all rows are never held together: they come block by block, and each row is looked at once.

mod by_frequency;
mod conformal;
mod counted;
mod frequencies;
mod held;
mod judged;
mod ranked;
mod threshold;

pub use by_frequency::{FrequencyGroup, by_frequency};
pub use conformal::{Promise, conformal_cut};
pub use counted::LabelCounts;
pub use frequencies::LabelFrequencies;
pub use held::{HeldRow, HeldScores, Pair};
pub use judged::judge_machine;
pub(crate) use judged::judge_scores;
pub use threshold::{SetThreshold, threshold_for_all, threshold_for_each};
