//! What follows from the sets that are predicted: which labels were found, missed, and named in error.
//!
//! Label by label TP, FP and FN are weights of rows. Micro F1 = 2 TP/(2 TP + FP + FN) of the sums over all labels; macro F1
//! is the unweighted mean of the labels' own, over the labels that some row has or that were predicted (of K labels
//! scikit-learn counts the others as 0). Row by row: Hamming loss = labels that are wrong either way ÷ all labels; subset
//! accuracy = rows whose set is exactly right; label coverage = rows whose true labels are all in the set; set size = labels in it.
//! A row without labels counts: the empty set is right for it.
//!
//! **Cost.** O(labels) a row, five numbers kept for each label.

use super::LabelFrequencies;

/// Labels found, missed and named in error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelCounts {
    /// The labels: those of the machine first, then those only the data have.
    pub names: Vec<String>,
    /// How many of them the machine knows.
    pub known: usize,
    /// Weight of the rows that have a label and for which it was predicted.
    pub tp: Vec<f64>,
    /// Weight of the rows for which it was predicted in error.
    pub fp: Vec<f64>,
    /// Weight of the rows for which it was missed.
    pub fn_: Vec<f64>,
    /// Weight of the rows that have it and have it among their five best.
    pub in_five: Vec<f64>,
    /// How many training rows have it, where that is known.
    pub trained: Option<Vec<u32>>,
    /// Rows that counted and have no label.
    pub empty_rows: usize,
    weight: f64,
    wrong: f64,
    exact: f64,
    covered: f64,
    size: f64,
}

impl LabelCounts {
    /// Nothing yet.
    pub(super) fn new(names: Vec<String>, known: usize, frequencies: Option<&LabelFrequencies>) -> Self {
        let zero = vec![0.0; names.len()];
        let trained = frequencies.map(|f| {
            let place: std::collections::HashMap<&str, u32> =
                f.names.iter().zip(&f.counts).map(|(name, &n)| (name.as_str(), n)).collect();
            names.iter().map(|name| place.get(name.as_str()).copied().unwrap_or(0)).collect()
        });
        LabelCounts {
            names,
            known,
            tp: zero.clone(),
            fp: zero.clone(),
            fn_: zero.clone(),
            in_five: zero,
            trained,
            ..LabelCounts::default()
        }
    }

    /// Counts a row: the labels that were predicted, those that are true, and whether one of either is the other too.
    pub(super) fn add(&mut self, weight: f64, predicted: &[u32], truths: &[u32], is_true: &dyn Fn(u32) -> bool) {
        let mut hits = 0;
        truths.iter().for_each(|&l| self.fn_[l as usize] += weight);
        for &label in predicted {
            let l = label as usize;
            match is_true(label) {
                true => {
                    hits += 1;
                    self.tp[l] += weight;
                    self.fn_[l] -= weight;
                }
                false => self.fp[l] += weight,
            }
        }
        let wrong = predicted.len() + truths.len() - 2 * hits;
        self.weight += weight;
        self.wrong += weight * wrong as f64;
        self.exact += if wrong == 0 { weight } else { 0.0 };
        self.covered += if hits == truths.len() { weight } else { 0.0 };
        self.size += weight * predicted.len() as f64;
        self.empty_rows += usize::from(truths.is_empty());
    }

    /// F1 of a label.
    pub fn f1(&self, label: usize) -> f64 {
        f1(self.tp[label], self.fp[label], self.fn_[label])
    }

    /// F1 of some labels taken together, and the mean of their own.
    pub fn f1_of(&self, labels: impl Iterator<Item = usize>) -> (f64, f64) {
        let (mut sums, mut own, mut met) = ((0.0, 0.0, 0.0), 0.0, 0.0);
        for l in labels {
            sums = (sums.0 + self.tp[l], sums.1 + self.fp[l], sums.2 + self.fn_[l]);
            if self.tp[l] + self.fp[l] + self.fn_[l] > 0.0 {
                own += self.f1(l);
                met += 1.0;
            }
        }
        (f1(sums.0, sums.1, sums.2), if met > 0.0 { own / met } else { 0.0 })
    }

    /// The measures by name.
    pub(super) fn values(&self) -> Vec<(&'static str, f64)> {
        let (micro, macro_) = self.f1_of(0..self.names.len());
        let mean = |sum: f64| sum / self.weight;
        vec![
            ("f1_micro", micro),
            ("f1_macro", macro_),
            ("subset_accuracy", mean(self.exact)),
            ("hamming_loss", mean(self.wrong) / self.names.len() as f64),
            ("label_coverage", mean(self.covered)),
            ("set_size", mean(self.size)),
        ]
    }

    /// Labels that rows have and the machine does not know, in words; none if there are none.
    pub fn unknown(&self) -> Option<String> {
        let met: Vec<&str> = (self.known..self.names.len())
            .filter(|&l| self.tp[l] + self.fn_[l] > 0.0)
            .map(|l| self.names[l].as_str())
            .collect();
        let some = met.iter().take(3).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        let more = if met.len() > 3 { ", ..." } else { "" };
        let count = base::plural(met.len(), "label");
        let are = base::agree(met.len(), "is", "are");
        (!met.is_empty())
            .then(|| format!("{count} of the data {are} unknown to the model and never found: {some}{more}"))
    }
}

/// 2 TP/(2 TP + FP + FN), and 0 of nothing.
fn f1(tp: f64, fp: f64, fn_: f64) -> f64 {
    let all = 2.0 * tp + fp + fn_;
    if all > 0.0 { 2.0 * tp / all } else { 0.0 }
}
