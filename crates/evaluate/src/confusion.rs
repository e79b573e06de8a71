//! Who was taken for whom, and what follows from it.
//!
//! c(i, j) is the weight of rows of class i that were taken for j. Class by class TP = c(i, i), FN = Σ_{j≠i} c(i, j),
//! FP = Σ_{j≠i} c(j, i); precision = TP/(TP+FP), recall = TP/(TP+FN), F1 = TP/(TP + (FP+FN)/2). A ratio of nothing to
//! nothing counts as 0. Averages are over the classes that have rows or were predicted.

/// Who was taken for whom.
#[derive(Debug, Clone, PartialEq)]
pub struct Confusion {
    /// The classes, those of the machine first, then those only the data have.
    pub names: Vec<String>,
    /// Weight of rows by true class (row) and predicted class (column).
    pub counts: Vec<Vec<f64>>,
}

/// One class against all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassCounts {
    /// Rows of the class taken for it.
    pub tp: f64,
    /// Rows of others taken for it.
    pub fp: f64,
    /// Rows of others taken for others.
    pub tn: f64,
    /// Rows of the class taken for others.
    pub fn_: f64,
}

impl ClassCounts {
    /// TP/(TP+FP).
    pub fn precision(&self) -> f64 {
        share(self.tp, self.tp + self.fp)
    }

    /// TP/(TP+FN): sensitivity, true positive rate.
    pub fn recall(&self) -> f64 {
        share(self.tp, self.tp + self.fn_)
    }

    /// TN/(TN+FP): true negative rate.
    pub fn specificity(&self) -> f64 {
        share(self.tn, self.tn + self.fp)
    }

    /// FP/(TN+FP): false alarms.
    pub fn false_alarms(&self) -> f64 {
        share(self.fp, self.tn + self.fp)
    }

    /// FN/(TP+FN).
    pub fn misses(&self) -> f64 {
        share(self.fn_, self.tp + self.fn_)
    }

    /// TP/(TP + (FP+FN)/2).
    pub fn f1(&self) -> f64 {
        share(self.tp, self.tp + 0.5 * (self.fp + self.fn_))
    }
}

impl Confusion {
    /// The sum of all cells.
    pub fn total(&self) -> f64 {
        self.counts.iter().flatten().sum()
    }

    /// The share of rows on the diagonal; equal to the micro average of precision, recall and F1.
    pub fn accuracy(&self) -> f64 {
        share((0..self.names.len()).map(|i| self.counts[i][i]).sum(), self.total())
    }

    /// The shares of each true class: rows that sum to 1, with the classes' own accuracies on the diagonal; rows of a
    /// class without any stay 0.
    pub fn shares(&self) -> Vec<Vec<f64>> {
        let row = |counts: &Vec<f64>| {
            let sum = counts.iter().sum();
            counts.iter().map(|&n| share(n, sum)).collect()
        };
        self.counts.iter().map(row).collect()
    }

    /// One class against all others.
    pub fn class(&self, i: usize) -> ClassCounts {
        let tp = self.counts[i][i];
        let fn_ = self.counts[i].iter().sum::<f64>() - tp;
        let fp = self.counts.iter().map(|row| row[i]).sum::<f64>() - tp;
        ClassCounts { tp, fp, tn: self.total() - tp - fn_ - fp, fn_ }
    }

    /// The classes that have rows.
    fn present(&self) -> Vec<usize> {
        (0..self.names.len()).filter(|&i| self.counts[i].iter().any(|&n| n > 0.0)).collect()
    }

    /// The classes that have rows or were predicted.
    fn met(&self) -> Vec<usize> {
        let met = |&i: &usize| self.counts[i].iter().any(|&n| n > 0.0) || self.counts.iter().any(|row| row[i] > 0.0);
        (0..self.names.len()).filter(met).collect()
    }

    /// Balanced accuracy: the mean recall of the classes that have rows.
    pub fn balanced_accuracy(&self) -> f64 {
        mean(self.present().into_iter().map(|i| self.class(i).recall()))
    }

    /// Unweighted means of precision and recall over the classes.
    pub fn macro_precision_recall(&self) -> (f64, f64) {
        let met = self.met();
        (mean(met.iter().map(|&i| self.class(i).precision())), mean(met.iter().map(|&i| self.class(i).recall())))
    }

    /// Means of precision, recall and F1 weighted by the classes' rows.
    pub fn weighted_precision_recall_f1(&self) -> (f64, f64, f64) {
        let total = self.total();
        let mut sums = (0.0, 0.0, 0.0);
        for i in 0..self.names.len() {
            let class = self.class(i);
            let weight = share(class.tp + class.fn_, total);
            sums.0 += weight * class.precision();
            sums.1 += weight * class.recall();
            sums.2 += weight * class.f1();
        }
        sums
    }

    /// The mean of the classes' F1 (definition a).
    pub fn macro_f1(&self) -> f64 {
        mean(self.met().into_iter().map(|i| self.class(i).f1()))
    }

    /// The harmonic mean of macro precision and macro recall (definition b), never below definition a.
    pub fn macro_f1_of_means(&self) -> f64 {
        let (p, r) = self.macro_precision_recall();
        share(2.0 * p * r, p + r)
    }
}

/// a/b, and 0 of nothing.
fn share(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len();
    if n == 0 { 0.0 } else { values.sum::<f64>() / n as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    fn confusion(counts: &[&[f64]]) -> Confusion {
        let names = (0..counts.len()).map(|i| i.to_string()).collect();
        Confusion { names, counts: counts.iter().map(|r| r.to_vec()).collect() }
    }

    #[test]
    fn the_worked_example_of_four_classes() {
        // Only the first row and column of the printed matrix are known; the rest does not enter these numbers.
        let c = confusion(&[
            &[72.0, 6.0, 11.0, 4.0],
            &[3.0, 50.0, 1.0, 2.0],
            &[13.0, 1.0, 40.0, 2.0],
            &[7.0, 0.0, 3.0, 30.0],
        ]);
        let first = c.class(0);
        assert_eq!((first.tp, first.fn_, first.fp), (72.0, 21.0, 23.0));
        let round = |x: f64| (x * 1e4).round() / 1e4;
        assert_eq!((round(first.precision()), round(first.recall()), round(first.f1())), (0.7579, 0.7742, 0.7660));
    }

    #[test]
    fn imbalance_shows_in_the_balanced_accuracy() {
        let always = confusion(&[&[95.0, 0.0], &[5.0, 0.0]]);
        let honest = confusion(&[&[66.5, 28.5], &[1.5, 3.5]]);
        assert!((1.0 - always.accuracy() - 0.05).abs() < 1e-12 && (1.0 - honest.accuracy() - 0.30).abs() < 1e-12);
        assert!((always.balanced_accuracy() - 0.5).abs() < 1e-12 && (honest.balanced_accuracy() - 0.7).abs() < 1e-12);
    }

    #[test]
    fn laws_on_drawn_matrices() {
        for case in 0..200 {
            let seed = Seed(case);
            let k = 2 + case as usize % 5;
            let rows: Vec<Vec<f64>> =
                (0..k).map(|i| (0..k).map(|j| (20.0 * seed.at(i * k + j).unit()).floor()).collect()).collect();
            let c = confusion(&rows.iter().map(|r| &r[..]).collect::<Vec<_>>());
            let (tp, fp, fn_) =
                (0..k).map(|i| c.class(i)).fold((0.0, 0.0, 0.0), |s, x| (s.0 + x.tp, s.1 + x.fp, s.2 + x.fn_));
            let micro = ClassCounts { tp, fp, tn: 0.0, fn_ };
            for micro in [micro.precision(), micro.recall(), micro.f1()] {
                assert!((micro - c.accuracy()).abs() < 1e-12, "micro averages are the accuracy");
            }
            assert!(c.macro_f1_of_means() >= c.macro_f1() - 1e-12, "F1 of means is never below the mean of F1");
            // All averages by their definitions, from the matrix alone.
            let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
            let row = |i: usize| rows[i].iter().sum::<f64>();
            let column = |i: usize| rows.iter().map(|r| r[i]).sum::<f64>();
            let own = |i: usize| {
                let (p, r) = (ratio(rows[i][i], column(i)), ratio(rows[i][i], row(i)));
                [p, r, ratio(2.0 * p * r, p + r)]
            };
            let met: Vec<usize> = (0..k).filter(|&i| row(i) + column(i) > 0.0).collect();
            let plain = |m: usize| met.iter().map(|&i| own(i)[m]).sum::<f64>() / met.len() as f64;
            let by_rows = |m: usize| (0..k).map(|i| row(i) * own(i)[m]).sum::<f64>() / c.total();
            let (p, r) = c.macro_precision_recall();
            let (wp, wr, wf) = c.weighted_precision_recall_f1();
            let found = [p, r, c.macro_f1(), c.macro_f1_of_means(), wp, wr, wf];
            let means = ratio(2.0 * plain(0) * plain(1), plain(0) + plain(1));
            let expected = [plain(0), plain(1), plain(2), means, by_rows(0), by_rows(1), by_rows(2)];
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
            }
            for (i, shares) in c.shares().iter().enumerate() {
                let x = c.class(i);
                assert!((shares[i] - x.recall()).abs() < 1e-12);
                assert!((shares.iter().sum::<f64>() - f64::from(u8::from(x.tp + x.fn_ > 0.0))).abs() < 1e-12);
                assert!((x.tp + x.fp + x.tn + x.fn_ - c.total()).abs() < 1e-9);
                if x.tp + x.fn_ > 0.0 {
                    assert!((x.recall() + x.misses() - 1.0).abs() < 1e-12);
                }
                if x.tn + x.fp > 0.0 {
                    assert!((x.specificity() + x.false_alarms() - 1.0).abs() < 1e-12);
                }
            }
        }
    }
}
