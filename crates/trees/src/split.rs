//! The best split of a node: the column and cut with the largest decrease of impurity.
//!
//! Columns are looked at in ascending order and cuts by ascending value; a later one must be better by more than
//! rounding, so that equals are settled by the first column and the smallest threshold. Thresholds lie midway between
//! the two values of the node they part. Rows with a gap are tried on both sides, and alone on the right.

use crate::columns::{Column, Columns};
use crate::criterion::Judge;
use crate::sorting::{Sorted, Sorter, place, rank};
use base::{Error, NumberOr, Result, Run, Seed};

base::choices! {
    /// How many of the d columns are tried at each split.
    pub enum MaxFeatures {
        /// A forest of classes: sqrt; else all.
        Auto = "auto",
        /// All.
        All = "all",
        /// √d.
        Sqrt = "sqrt",
        /// log₂ d.
        Log2 = "log2",
        /// d/3.
        Third = "third",
    }
}

impl MaxFeatures {
    /// The number for `d` columns; at least 1.
    pub fn count(self, d: usize) -> usize {
        let count = match self {
            MaxFeatures::Auto | MaxFeatures::All => d,
            MaxFeatures::Sqrt => d.isqrt(),
            MaxFeatures::Log2 => d.checked_ilog2().unwrap_or(0) as usize,
            MaxFeatures::Third => d / 3,
        };
        count.clamp(1, d.max(1))
    }
}

/// The number of tried columns that a setting means for `d` of them; at least 1.
pub(crate) fn tried(setting: NumberOr<MaxFeatures>, d: usize) -> Result<usize> {
    let count = match setting {
        NumberOr::Word(word) => return Ok(word.count(d)),
        NumberOr::Number(share) if share < 1.0 => (share * d as f64) as usize,
        NumberOr::Number(count) if count.fract() == 0.0 => count as usize,
        NumberOr::Number(other) => {
            return Err(Error::parameter("max_features", other, "must be a whole number or a fraction below 1"));
        }
    };
    Ok(count.clamp(1, d.max(1)))
}

/// A cut in a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// The column.
    pub column: usize,
    /// The largest rank that goes left.
    pub rank: u32,
    /// Values up to this go left.
    pub threshold: f64,
    /// Whether gaps go left.
    pub gaps_left: bool,
    /// The judge's score.
    pub score: f64,
}

impl Split {
    /// Whether a row of that rank goes left.
    pub fn goes_left(&self, rank: u32, gap: u32) -> bool {
        if rank == gap { self.gaps_left } else { rank <= self.rank }
    }
}

/// What came of looking for a split.
pub enum Looked {
    /// The best split, if there is one.
    Found(Option<Split>),
    /// It was enough before all columns were tried.
    Stopped,
}

/// Looks for splits.
pub struct Search<'a> {
    data: &'a Columns,
    sorter: Sorter,
    /// All columns, those drawn last time in front.
    order: Vec<u32>,
    tried: usize,
    min_leaf: f64,
    draws: Draws,
}

/// Uniform numbers that depend on a seed alone.
pub struct Draws {
    seed: Seed,
    drawn: usize,
}

impl Draws {
    /// From this seed on.
    pub fn new(seed: Seed) -> Self {
        Draws { seed, drawn: 0 }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.drawn += 1;
        ((self.seed.at(self.drawn).unit() * n as f64) as usize).min(n.saturating_sub(1))
    }
}

impl<'a> Search<'a> {
    /// Tries `tried` columns a node, and only splits that leave `min_leaf` on both sides.
    pub fn new(data: &'a Columns, tried: usize, min_leaf: f64, seed: Seed) -> Self {
        let order = (0..data.columns.len() as u32).collect();
        Search { data, sorter: Sorter::default(), order, tried, min_leaf, draws: Draws::new(seed) }
    }

    /// The best split of these rows, which `judge` has loaded; none if they are alike in every column, or if no split
    /// leaves enough on both sides. Large nodes ask the run on the way; `Looked::Stopped` if it is enough.
    pub fn best(&mut self, judge: &mut impl Judge, rows: &[u32], run: &Run<'_>) -> Result<Looked> {
        const LISTEN: usize = 1 << 20;
        let d = self.order.len();
        let every = (LISTEN / rows.len().max(1)).max(1);
        let stopped = |i: usize| Ok::<bool, base::Error>(i % every == every - 1 && run.is_enough()?);
        let mut best = None;
        let mut differ = false;
        if self.tried < d {
            self.draw(0, self.tried);
        }
        let first = self.tried.min(d);
        for i in 0..first {
            if stopped(i)? {
                return Ok(Looked::Stopped);
            }
            differ |= self.look(self.order[i] as usize, judge, rows, &mut best);
        }
        // Where all that were drawn are constant, go on until one is not.
        for i in first..d {
            if differ {
                break;
            }
            if stopped(i)? {
                return Ok(Looked::Stopped);
            }
            self.draw(i, 1);
            differ |= self.look(self.order[i] as usize, judge, rows, &mut best);
        }
        Ok(Looked::Found(best))
    }

    /// Draws `count` of the columns from `start` on, without replacement, and sorts them.
    fn draw(&mut self, start: usize, count: usize) {
        for i in start..start + count {
            let other = i + self.draws.below(self.order.len() - i);
            self.order.swap(i, other);
        }
        self.order[start..start + count].sort_unstable();
    }

    /// Tries all cuts of a column; false if the rows are alike there.
    fn look(&mut self, c: usize, judge: &mut impl Judge, rows: &[u32], best: &mut Option<Split>) -> bool {
        let column = &self.data.columns[c];
        let Some(sorted) = self.sorter.sort(column, rows) else { return false };
        judge.reset();
        cuts(c, column, &sorted, false, self.min_leaf, judge, best);
        if !sorted.gaps.is_empty() {
            judge.reset();
            sorted.gaps.iter().for_each(|&p| judge.add(p as usize));
            cuts(c, column, &sorted, true, self.min_leaf, judge, best);
        }
        true
    }
}

/// Moves rows to the left one by one and judges each cut between two values.
fn cuts(
    c: usize,
    column: &Column,
    sorted: &Sorted<'_>,
    gaps_left: bool,
    min_leaf: f64,
    judge: &mut impl Judge,
    best: &mut Option<Split>,
) {
    let (whole, tolerance) = (judge.weight(), judge.tolerance());
    let mut bar = best.map_or(f64::NEG_INFINITY, |b| b.score + tolerance);
    let mut found: Option<(usize, f64)> = None;
    let last = sorted.keys.len() - 1;
    let alone = !gaps_left && !sorted.gaps.is_empty();
    for (i, &key) in sorted.keys.iter().enumerate() {
        judge.add(place(key));
        let cut = if i < last { rank(key) != rank(sorted.keys[i + 1]) } else { alone };
        if !cut {
            continue;
        }
        let (left, right) = (judge.left(), whole - judge.left());
        // A side may weigh nothing by rounding alone.
        if left < min_leaf || right < min_leaf || left <= 0.0 || right <= 0.0 {
            continue;
        }
        let score = judge.score();
        if score > bar {
            bar = score + tolerance;
            found = Some((i, score));
        }
    }
    if let Some((i, score)) = found {
        let here = rank(sorted.keys[i]);
        let threshold = match sorted.keys.get(i + 1) {
            Some(&next) => midway(column.values[here as usize], column.values[rank(next) as usize]),
            None => f64::INFINITY,
        };
        // Gaps that the node has not seen go where more of its rows go; decided by whoever makes the node.
        *best = Some(Split { column: c, rank: here, threshold, gaps_left, score });
    }
}

/// A number from `low` on and below `high`, in the middle if there is one.
fn midway(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    if middle >= low && middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_part_their_neighbours() {
        assert_eq!(midway(1.0, 2.0), 1.5);
        let next = f64::from_bits(1.0f64.to_bits() + 1);
        assert_eq!(midway(1.0, next), 1.0);
        assert_eq!(midway(f64::MIN, f64::MAX), 0.0);
        assert_eq!(midway(0.0, f64::from_bits(1)), 0.0);
    }

    #[test]
    fn counts_of_columns_follow_the_words() {
        let words = [MaxFeatures::All, MaxFeatures::Sqrt, MaxFeatures::Log2, MaxFeatures::Third];
        assert_eq!(words.map(|w| w.count(60)), [60, 7, 5, 20]);
        assert_eq!(words.map(|w| w.count(1)), [1, 1, 1, 1]);
    }
}
