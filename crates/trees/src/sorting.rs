//! The rows of a node in the order of a column.
//!
//! A key is a rank (upper half) with the row's place in the node (lower half). Few keys are sorted by comparison, many
//! by radix, with digits as wide as the number of keys is worth. **Cost.** O(m) for m keys in one to three passes.

use crate::columns::{Column, RankColumn};

/// Below this many keys comparing is quicker, unless there are hardly more ranks than keys.
const FEW: usize = 96;
/// Below this many keys comparing is quicker in any case.
const VERY_FEW: usize = 12;

/// Keys and the room to sort them.
#[derive(Default)]
pub struct Sorter {
    keys: Vec<u64>,
    other: Vec<u64>,
    counts: Vec<u32>,
    gaps: Vec<u32>,
}

/// What a node's rows have in a column.
pub struct Sorted<'a> {
    /// Rank and place in the node of rows without a gap, by rank.
    pub keys: &'a [u64],
    /// Places of rows with a gap.
    pub gaps: &'a [u32],
}

/// The rank of a key.
pub fn rank(key: u64) -> u32 {
    (key >> 32) as u32
}

/// The place of a key.
pub fn place(key: u64) -> usize {
    key as u32 as usize
}

impl Sorter {
    /// The rows in the order of the column; none if all of them are alike there.
    pub fn sort(&mut self, column: &Column, rows: &[u32]) -> Option<Sorted<'_>> {
        self.keys.clear();
        self.gaps.clear();
        match &column.ranks {
            RankColumn::Small(ranks) => {
                self.keys.extend(rows.iter().zip(0u64..).map(|(&r, j)| u64::from(ranks[r as usize]) << 32 | j));
            }
            RankColumn::Large(ranks) => {
                self.keys.extend(rows.iter().zip(0u64..).map(|(&r, j)| u64::from(ranks[r as usize]) << 32 | j));
            }
        }
        if column.gaps {
            let (gap, gaps) = (column.gap(), &mut self.gaps);
            self.keys.retain(|&key| {
                let there = rank(key) != gap;
                if !there {
                    gaps.push(key as u32);
                }
                there
            });
        }
        let (low, high) = self.keys.iter().fold((u64::MAX, 0), |(low, high), &k| (low.min(k), high.max(k)));
        let alike = self.keys.is_empty() || rank(low) == rank(high);
        if alike && (self.keys.is_empty() || self.gaps.is_empty()) {
            return None;
        }
        if !alike {
            let (m, spread) = (self.keys.len(), (rank(high) - rank(low)) as usize);
            match m < VERY_FEW || (m < FEW && spread > 2 * m) {
                true => self.keys.sort_unstable(),
                false => self.radix(rank(low), rank(high)),
            }
        }
        Some(Sorted { keys: &self.keys, gaps: &self.gaps })
    }

    /// Sorts by rank, lowest digit first; equal ranks keep their order.
    fn radix(&mut self, low: u32, high: u32) {
        let m = self.keys.len();
        let bits = (high - low).checked_ilog2().map_or(1, |b| b + 1);
        // Counters are cleared and summed in each pass: not many more of them than keys, and at most 2^14.
        let widest = (m.ilog2() + 2).min(14);
        let passes = bits.div_ceil(widest);
        let digit = bits.div_ceil(passes);
        let mask = (1u32 << digit) - 1;
        for pass in 0..passes {
            let shift = pass * digit;
            let bucket = |key: u64| (((rank(key) - low) >> shift) & mask) as usize;
            self.counts.clear();
            self.counts.resize(1 << digit, 0);
            self.keys.iter().for_each(|&k| self.counts[bucket(k)] += 1);
            let mut start = 0;
            for count in &mut self.counts {
                start += std::mem::replace(count, start);
            }
            self.other.resize(m, 0);
            for &key in &self.keys {
                let next = &mut self.counts[bucket(key)];
                self.other[*next as usize] = key;
                *next += 1;
            }
            std::mem::swap(&mut self.keys, &mut self.other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    #[test]
    fn radix_and_comparison_agree() {
        for (m, spread) in [(100, 3), (500, 70_000), (3000, 65_000), (200_000, 150_000)] {
            let ranks: Vec<u32> =
                (0..m).map(|i| 5 + (Seed(m as u64).at(i).unit() * f64::from(spread)) as u32).collect();
            let values = (0..spread + 6).map(f64::from).collect();
            let column = Column { ranks: RankColumn::Large(ranks.clone()), values, gaps: false };
            let rows: Vec<u32> = (0..m as u32).collect();
            let mut expected: Vec<u64> = ranks.iter().zip(0u64..).map(|(&r, j)| u64::from(r) << 32 | j).collect();
            expected.sort_unstable();
            let mut sorter = Sorter::default();
            assert_eq!(sorter.sort(&column, &rows).unwrap().keys, expected);
        }
    }

    #[test]
    fn gaps_stand_apart() {
        let column = Column { ranks: RankColumn::Small(vec![2, 0, 1, 2]), values: vec![1.0, 2.0], gaps: true };
        let mut sorter = Sorter::default();
        let sorted = sorter.sort(&column, &[0, 1, 2, 3]).unwrap();
        assert_eq!((sorted.keys, sorted.gaps), (&[1, 1 << 32 | 2][..], &[0, 3][..]));
        assert!(sorter.sort(&column, &[0, 3]).is_none(), "only gaps");
        assert!(sorter.sort(&column, &[1]).is_none(), "one row");
        assert!(sorter.sort(&column, &[1, 3]).is_some(), "a value and a gap differ");
    }
}
