//! Splits, measures, curves, comparison and search; knows learners, not families.
//!
//! Rows are split before anything is fitted: a [`base::Pipeline`] prepares inside each fold, and data that went through
//! a step fitted on all rows are refused.

mod anomalies;
mod bias_variance;
mod compare;
mod confusion;
mod cross;
mod curves;
mod decision;
mod friedman;
mod intervals;
mod measures;
mod named;
mod search;
mod sets;
mod significance;
mod split;
mod threshold;
mod tuned;

pub use bias_variance::{BiasVariance, bias_variance};
pub use compare::{Comparison, Contender, compare};
pub use confusion::{ClassCounts, Confusion};
pub use cross::{Validation, cross_validate, learning_curve};
pub use curves::{Calibration, Curve, calibration, precision_recall, roc};
pub use decision::Decision;
pub use friedman::{Friedman, friedman, holm};
pub use intervals::{Intervals, intervals};
pub use measures::{Measures, judge, judge_decided};
pub use named::{MEASURES, Named};
pub use search::{Grid, Nested, Searched, nested, random_settings, search};
pub use sets::{
    FrequencyGroup, HeldRow, HeldScores, LabelCounts, LabelFrequencies, Pair, Promise, SetThreshold, by_frequency,
    conformal_cut, judge_machine, threshold_for_all, threshold_for_each,
};
pub use significance::{McNemar, average_ranks, mc_nemar, paired_t};
pub use split::{Split, Splitting, hold_out, hold_out_last};
pub use threshold::{Costs, Operating, least_cost, with_rate};
pub use tuned::Tuned;
