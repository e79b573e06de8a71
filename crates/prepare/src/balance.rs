//! How much of each class there is, and how much is missing or too much for balance.
//!
//! A class's mass is the sum of its rows' weights, the number of its rows where there are none. A `ratio` r says how
//! far to go: r = 1 makes the classes equal, and a class of mass W_j that should have T in the end goes to
//! W_j + r (T − W_j). Classes without rows stay without.

use base::{Certificate, Dataset, Result, classes_of};
use std::sync::Arc;

/// The rows and the mass of each class.
pub(crate) struct Balance {
    names: Arc<[String]>,
    /// Rows of each class, ascending.
    pub rows: Vec<Vec<usize>>,
    /// Sum of weights of each class.
    pub mass: Vec<f64>,
}

impl Balance {
    /// The classes of these data; rows of unknown class belong to none.
    pub fn of(data: &Dataset) -> Result<Self> {
        let classes = classes_of(data)?;
        let count = classes.names().len();
        let (mut rows, mut mass) = (vec![vec![]; count], vec![0.0; count]);
        for i in 0..data.len() {
            if let Some(class) = classes.get(i) {
                rows[class].push(i);
                mass[class] += data.weight(i);
            }
        }
        Ok(Balance { names: classes.names().clone(), rows, mass })
    }

    /// The classes that have rows.
    fn present(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rows.len()).filter(|&c| self.mass[c] > 0.0)
    }

    /// P / (C · P_j) for each class, as far as `ratio` says; 1 for classes without rows.
    pub fn factors(&self, ratio: f64) -> Vec<f64> {
        let equal = self.present().map(|c| self.mass[c]).sum::<f64>() / self.present().count().max(1) as f64;
        let mut factors = vec![1.0; self.rows.len()];
        self.present().for_each(|c| factors[c] += ratio * (equal / self.mass[c] - 1.0));
        factors
    }

    /// How many rows of average weight bring each class towards the largest.
    pub fn to_make(&self, ratio: f64) -> Vec<usize> {
        let most = self.present().map(|c| self.mass[c]).fold(0.0, f64::max);
        let mut made = vec![0; self.rows.len()];
        for c in self.present() {
            let average = self.mass[c] / self.rows[c].len() as f64;
            made[c] = (ratio * (most - self.mass[c]) / average).round() as usize;
        }
        made
    }

    /// How many rows of each class stay when it is brought towards the smallest; at least one.
    pub fn to_keep(&self, ratio: f64) -> Vec<usize> {
        let least = self.present().map(|c| self.mass[c]).fold(f64::INFINITY, f64::min);
        let mut kept: Vec<usize> = vec![0; self.rows.len()];
        for c in self.present() {
            let (n, mass) = (self.rows[c].len(), self.mass[c]);
            let share = (mass + ratio * (least - mass)) / mass;
            kept[c] = ((n as f64 * share).round() as usize).clamp(1, n);
        }
        kept
    }

    /// Says how many rows of each class were made or left out.
    pub fn note(&self, what: &str, counts: &[usize], notes: &mut Certificate) {
        for (name, &count) in self.names.iter().zip(counts).filter(|(_, n)| **n > 0) {
            notes.fact(&format!("{what} {name}"), count as f64);
        }
    }

    /// The name of a class.
    pub fn name(&self, class: usize) -> &str {
        &self.names[class]
    }
}

/// A whole number below `count` (at least 1) made of a seed, all alike likely.
pub(crate) fn draw(seed: base::Seed, count: usize) -> usize {
    ((seed.unit() * count as f64) as usize).min(count.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Classes, Points, Targets};

    fn balance(weights: Option<base::Shared<f64>>) -> Balance {
        let names = ["a", "b", "none"].map(String::from).to_vec();
        let classes = Classes::new(vec![0, 0, 1, 0, 0, 0, 0, 1], names).unwrap();
        let points = Points::dense(vec![0.0; 8], 8, 1).unwrap();
        Balance::of(&Dataset { weights, ..Dataset::new(points, Targets::Classes(classes)) }).unwrap()
    }

    #[test]
    fn counts_towards_balance() {
        let even = balance(None);
        assert_eq!((even.to_make(1.0), even.to_make(0.5)), (vec![0, 4, 0], vec![0, 2, 0]));
        assert_eq!((even.to_keep(1.0), even.to_keep(0.5)), (vec![2, 2, 0], vec![4, 2, 0]));
        // (8.46): P / (C P_j) with P = 8, C = 2.
        testkit::assert_close(&even.factors(1.0), &[8.0 / 12.0, 8.0 / 4.0, 1.0], 1e-15, "balanced");
        testkit::assert_close(&even.factors(0.5), &[5.0 / 6.0, 1.5, 1.0], 1e-15, "half way");
    }

    #[test]
    fn a_weight_is_so_many_rows() {
        // Class b has two rows of weight 3, as much as the six of class a.
        let heavy = balance(Some(vec![1.0, 1.0, 3.0, 1.0, 1.0, 1.0, 1.0, 3.0].into()));
        assert_eq!(heavy.factors(1.0), [1.0, 1.0, 1.0]);
        assert_eq!((heavy.to_make(1.0), heavy.to_keep(1.0)), (vec![0, 0, 0], vec![6, 2, 0]));
        let light = balance(Some(vec![1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5].into()));
        assert_eq!((light.to_make(1.0), light.to_keep(1.0)), (vec![0, 10, 0], vec![1, 2, 0]));
    }

    #[test]
    fn draws_are_even() {
        let mut counts = [0usize; 7];
        (0..7000).for_each(|i| counts[draw(base::Seed(3).at(i), 7)] += 1);
        assert!(counts.iter().all(|&n| n.abs_diff(1000) < 150), "{counts:?}");
    }
}
