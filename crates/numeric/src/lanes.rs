//! Inner products of sparse rows with many others: some rows side by side, a lane each.
//!
//! Taking sparse rows two by two waits for one number after the other. Here up to some hundred rows are turned to columns
//! (only those that occur), and every entry of another row meets all of them at once, in wide registers.
//!
//! Each product is one chain of multiply-adds over the entries of the other row in their order, so its bits depend on
//! the two rows alone, not on their company.
//!
//! **Cost.** 2 · entries · lanes operations for all products of a row. Memory: columns that occur x lanes.

use crate::Real;

/// Numbers of the widest register.
const WIDE: usize = 16;
/// No such column among the rows.
const NOWHERE: u32 = u32::MAX;
/// Other rows whose products are turned back together.
const TURNED: usize = 16;

/// Sparse rows side by side.
pub struct Lanes<T> {
    /// For each column its place among those that occur.
    places: Vec<u32>,
    /// Columns that occur x lanes.
    numbers: Vec<T>,
    /// Rows, filled up to whole registers.
    lanes: usize,
}

impl<T: Real> Lanes<T> {
    /// Puts `count` rows, each as ids below `columns` and values, side by side.
    pub fn new<'a>(columns: usize, count: usize, rows: impl Iterator<Item = (&'a [u32], &'a [f64])>) -> Self {
        let lanes = count.next_multiple_of(WIDE);
        let mut places = vec![NOWHERE; columns];
        let mut numbers = vec![];
        for (lane, (ids, values)) in rows.take(count).enumerate() {
            for (&id, &x) in ids.iter().zip(values) {
                let place = &mut places[id as usize];
                if *place == NOWHERE {
                    *place = (numbers.len() / lanes) as u32;
                    numbers.resize(numbers.len() + lanes, T::ZERO);
                }
                numbers[*place as usize * lanes + lane] = T::narrow(x);
            }
        }
        Lanes { places, numbers, lanes }
    }

    /// The most memory that so many rows with so many entries in all will take.
    pub fn bytes(columns: usize, count: usize, entries: usize) -> u64 {
        let numbers = columns.min(entries).saturating_mul(count.next_multiple_of(WIDE));
        (numbers.saturating_mul(size_of::<T>()) as u64).saturating_add(4 * columns as u64)
    }

    /// Writes the inner products of row r of ours with the k-th of `others` to `out[r][k]`.
    pub fn products<'a>(&self, mut others: impl Iterator<Item = (&'a [u32], &'a [f64])>, out: &mut [&mut [T]]) {
        let mut sums = vec![T::ZERO; TURNED * self.lanes];
        let mut first = 0;
        loop {
            sums.fill(T::ZERO);
            let mut taken = 0;
            for ((ids, values), sums) in others.by_ref().take(TURNED).zip(sums.chunks_exact_mut(self.lanes.max(1))) {
                for (&id, &x) in ids.iter().zip(values) {
                    let place = self.places[id as usize];
                    if place != NOWHERE {
                        let line = &self.numbers[place as usize * self.lanes..(place as usize + 1) * self.lanes];
                        T::add_line(sums, T::narrow(x), line);
                    }
                }
                taken += 1;
            }
            for (r, line) in out.iter_mut().enumerate() {
                let line = &mut line[first..first + taken];
                line.iter_mut().enumerate().for_each(|(k, out)| *out = sums[k * self.lanes + r]);
            }
            first += taken;
            if taken < TURNED {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Seed, Sparse};

    fn drawn(seed: u64, rows: usize, columns: usize) -> Sparse {
        let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
        for i in 0..rows {
            for c in (0..columns).filter(|c| i != 3 && Seed(seed).at(i).at(*c).unit() < 0.2) {
                ids.push(c as u32);
                values.push(Seed(seed).at(i * columns + c).unit() - 0.5);
            }
            starts.push(ids.len());
        }
        Sparse::new(starts, ids, values, columns).unwrap()
    }

    fn all(ours: &Sparse, rows: std::ops::Range<usize>, others: &Sparse) -> Vec<Vec<f64>> {
        let lanes = Lanes::<f64>::new(ours.columns(), rows.len(), rows.clone().map(|i| ours.row(i)));
        let mut out = vec![vec![f64::NAN; others.len()]; rows.len()];
        let mut lines: Vec<&mut [f64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
        lanes.products((0..others.len()).map(|j| others.row(j)), &mut lines);
        out
    }

    #[test]
    fn products_are_those_of_pairs_in_any_company() {
        for others in [0, 1, 15, 16, 17, 40] {
            let (a, b) = (drawn(1, 21, 50), drawn(2, others, 50));
            let together = all(&a, 0..21, &b);
            for (i, together) in together.iter().enumerate() {
                let alone = &all(&a, i..i + 1, &b)[0];
                for j in 0..others {
                    let (ids, values) = b.row(j);
                    let (mine, numbers) = a.row(i);
                    let at = |id: &u32| mine.binary_search(id).map_or(0.0, |k| numbers[k]);
                    let exact: f64 = ids.iter().zip(values).map(|(id, x)| at(id) * x).sum();
                    assert!((together[j] - exact).abs() < 1e-14);
                    assert_eq!(together[j].to_bits(), alone[j].to_bits());
                }
            }
        }
    }
}
