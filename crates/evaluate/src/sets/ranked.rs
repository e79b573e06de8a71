//! How well labels are ranked: measures of a row's k best labels, and of how far down the last true one stands.
//!
//! With h_i = 1 if the label at place i (from 1) is true, |y| true labels, and d_i = 1/log₂(i + 1):
//!
//! - precision@k = Σ_{i≤k} h_i / k; recall@k = Σ_{i≤k} h_i / |y|;
//! - nDCG@k = Σ_{i≤k} h_i d_i / Σ_{i≤min(k,|y|)} d_i;
//! - PSP@k = Σ_rows Σ_{i≤k} h_i/p_i ÷ the same of the best possible ranking, which puts the true labels of least propensity
//!   first; PSnDCG@k likewise with h_i d_i/p_i ÷ Σ_{i≤min(k,|y|)} d_i. These are the normalised forms that tables of extreme
//!   classification print;
//! - coverage error = how many labels have a score of at least that of the lowest true one: how far a reader must go down.
//!
//! All are means over the rows that have labels; a row without any has nothing to be found and does not count. A true label that
//! the machine does not know is never found, and puts the coverage error of its row at the number of all labels. Of
//! equal scores the first label is ranked first (scikit-learn's nDCG takes the mean over their orders instead).
//!
//! **Cost.** O(labels) a row for the best of them.
//!
//! - H. Jain, Y. Prabhu, M. Varma, KDD 2016 (propensities); K. Bhatia et al.: *The extreme classification repository.* 2016.

/// The k of precision, nDCG and their propensity-scored forms.
const PLACES: [usize; 3] = [1, 3, 5];
/// The k of recall.
const FOR_RECALL: [usize; 2] = [5, 10];
/// How many of a row's best labels are looked at.
pub(super) const DEEPEST: usize = 10;

/// Sums over rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranked {
    weight: f64,
    precision: [f64; 3],
    ndcg: [f64; 3],
    recall: [f64; 2],
    coverage: f64,
    /// Gains by propensity and the best possible: of precision, and of nDCG.
    scored: [(f64, f64); 3],
    scored_ndcg: [(f64, f64); 3],
    /// How many labels there are to be ranked.
    labels: usize,
}

/// A row to be judged.
pub(super) struct Row<'a> {
    /// Its weight.
    pub weight: f64,
    /// The best labels, best first.
    pub best: &'a [u32],
    /// How many true labels there are.
    pub truths: usize,
    /// Whether a label is true.
    pub is_true: &'a dyn Fn(u32) -> bool,
    /// How many labels have a score of at least that of the lowest true one.
    pub coverage: f64,
    /// 1/p of the best labels and of the true ones, the latter descending, where propensities are known.
    pub inverse: Option<(&'a [f64], &'a [f64])>,
}

fn discount(place: usize) -> f64 {
    1.0 / ((place + 2) as f64).log2()
}

impl Ranked {
    /// Nothing yet, for so many labels.
    pub fn new(labels: usize) -> Self {
        Ranked { labels, ..Ranked::default() }
    }

    /// Counts a row.
    pub fn add(&mut self, row: &Row<'_>) {
        if row.truths == 0 {
            return;
        }
        self.weight += row.weight;
        self.coverage += row.weight * row.coverage;
        let hits: Vec<bool> = row.best.iter().map(|&label| (row.is_true)(label)).collect();
        let found = |k: usize| hits.iter().take(k).filter(|&&h| h).count() as f64;
        let gain = |k: usize| hits.iter().take(k).enumerate().filter(|h| *h.1).map(|(i, _)| discount(i)).sum::<f64>();
        for (slot, k) in PLACES.into_iter().enumerate() {
            let most: f64 = (0..k.min(row.truths)).map(discount).sum();
            self.precision[slot] += row.weight * found(k);
            self.ndcg[slot] += row.weight * gain(k) / most;
            if let Some((of_best, of_true)) = row.inverse {
                let got = |factor: &dyn Fn(usize) -> f64| -> f64 {
                    let places = hits.iter().zip(of_best).take(k).enumerate();
                    places.filter(|(_, (h, _))| **h).map(|(i, (_, q))| q * factor(i)).sum()
                };
                let best = |factor: &dyn Fn(usize) -> f64| -> f64 {
                    of_true.iter().take(k).enumerate().map(|(i, q)| q * factor(i)).sum()
                };
                self.scored[slot].0 += row.weight * got(&|_| 1.0);
                self.scored[slot].1 += row.weight * best(&|_| 1.0);
                self.scored_ndcg[slot].0 += row.weight * got(&discount) / most;
                self.scored_ndcg[slot].1 += row.weight * best(&discount) / most;
            }
        }
        for (slot, k) in FOR_RECALL.into_iter().enumerate() {
            self.recall[slot] += row.weight * found(k) / row.truths as f64;
        }
    }

    /// The measures by name; those of more places than there are labels are left out.
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        if self.weight <= 0.0 {
            return vec![];
        }
        let mean = |sum: f64| Some(sum / self.weight);
        let ratio = |(got, best): (f64, f64)| (best > 0.0).then(|| got / best);
        let [p1, p3, p5] = PLACES;
        let [r5, r10] = FOR_RECALL;
        let all = [
            ("precision_at_1", p1, mean(self.precision[0] / p1 as f64)),
            ("precision_at_3", p3, mean(self.precision[1] / p3 as f64)),
            ("precision_at_5", p5, mean(self.precision[2] / p5 as f64)),
            ("ndcg_at_3", p3, mean(self.ndcg[1])),
            ("ndcg_at_5", p5, mean(self.ndcg[2])),
            ("recall_at_5", r5, mean(self.recall[0])),
            ("recall_at_10", r10, mean(self.recall[1])),
            ("psp_at_1", p1, ratio(self.scored[0])),
            ("psp_at_3", p3, ratio(self.scored[1])),
            ("psp_at_5", p5, ratio(self.scored[2])),
            ("psndcg_at_3", p3, ratio(self.scored_ndcg[1])),
            ("psndcg_at_5", p5, ratio(self.scored_ndcg[2])),
            ("coverage_error", 0, mean(self.coverage)),
        ];
        let told = |(name, k, value): (&'static str, usize, Option<f64>)| {
            value.filter(|_| k <= self.labels).map(|value| (name, value))
        };
        all.into_iter().filter_map(told).collect()
    }
}
