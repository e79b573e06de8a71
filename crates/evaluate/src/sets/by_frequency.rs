//! Labels in groups by how often training has met them: frequent labels are found, rare ones tell how good a machine is.
//!
//! The groups are 0, 1-2, 3-10, 11-100, 101-1000 and more than 1000 rows; those without labels are left out.

use super::LabelCounts;

/// The largest count of each group but the last.
const UP_TO: [u32; 5] = [0, 2, 10, 100, 1000];

/// Labels that were met about as often.
#[derive(Debug, Clone, PartialEq)]
pub struct FrequencyGroup {
    /// How many training rows have one of these labels: from, and to.
    pub rows: (u32, Option<u32>),
    /// How many labels there are.
    pub labels: usize,
    /// Weight of the rows that have them, added over the labels.
    pub truths: f64,
    /// The fraction of these that is among the five best of its row.
    pub in_five: f64,
    /// Their precision, recall and F1 taken together.
    pub precision: f64,
    /// Found of those that are true.
    pub recall: f64,
    /// Micro F1.
    pub f1_micro: f64,
    /// The mean of their own F1.
    pub f1_macro: f64,
}

impl FrequencyGroup {
    /// The counts of the group in words: `3-10`.
    pub fn name(&self) -> String {
        match self.rows {
            (from, Some(to)) if from == to => from.to_string(),
            (from, Some(to)) => format!("{from}-{to}"),
            (from, None) => format!("{from} or more"),
        }
    }
}

/// The labels in groups by their training rows; none where these are not known.
pub fn by_frequency(counts: &LabelCounts) -> Vec<FrequencyGroup> {
    let Some(trained) = &counts.trained else { return vec![] };
    let mut groups: Vec<Vec<usize>> = vec![vec![]; UP_TO.len() + 1];
    trained.iter().enumerate().for_each(|(label, &n)| groups[UP_TO.partition_point(|&to| to < n)].push(label));
    let group = |(place, labels): (usize, Vec<usize>)| {
        let sum = |of: &[f64]| labels.iter().map(|&l| of[l]).sum::<f64>();
        let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
        let (tp, fp, fn_) = (sum(&counts.tp), sum(&counts.fp), sum(&counts.fn_));
        let (f1_micro, f1_macro) = counts.f1_of(labels.iter().copied());
        FrequencyGroup {
            rows: (if place == 0 { 0 } else { UP_TO[place - 1] + 1 }, UP_TO.get(place).copied()),
            labels: labels.len(),
            truths: tp + fn_,
            in_five: share(sum(&counts.in_five), tp + fn_),
            precision: share(tp, tp + fp),
            recall: share(tp, tp + fn_),
            f1_micro,
            f1_macro,
        }
    };
    groups.into_iter().enumerate().filter(|(_, labels)| !labels.is_empty()).map(group).collect()
}
