//! The k smallest of many numbers with their places; of equal numbers the one with the smaller place.
//!
//! Numbers come in pieces and are compared with the k-th smallest so far; those below it are kept aside and the worst
//! are dropped whenever the keep has doubled. Typical cost O(n), memory O(k). NaN counts as larger than everything.

use std::cmp::Ordering;

/// The k smallest of all numbers seen so far.
#[derive(Debug, Clone)]
pub struct Smallest {
    k: usize,
    /// Some of the smallest so far, k of which are the answer; unordered.
    kept: Vec<(f64, usize)>,
    /// Nothing at or beyond this can be among the k smallest.
    bound: Option<(f64, usize)>,
}

impl Smallest {
    /// The k smallest of nothing yet.
    pub fn new(k: usize) -> Self {
        Smallest { k, kept: vec![], bound: None }
    }

    /// Shows one more number and its place.
    pub fn push(&mut self, value: f64, place: usize) {
        if self.k == 0 || self.bound.is_some_and(|bound| order(&(value, place), &bound) != Ordering::Less) {
            return;
        }
        self.kept.push((value, place));
        if self.kept.len() >= 2 * self.k.max(8) {
            self.shrink();
        }
    }

    /// Shows numbers whose places are `first`, `first + 1`, …
    pub fn push_all(&mut self, values: &[f64], first: usize) {
        const CHUNK: usize = 16;
        for (c, chunk) in values.chunks(CHUNK).enumerate() {
            // Most chunks have nothing below the bound; asking all at once has no branches.
            let bound = self.limit();
            if chunk.iter().fold(false, |any, &v| any | (v <= bound) | v.is_nan()) {
                for (i, &value) in chunk.iter().enumerate() {
                    self.push(value, first + c * CHUNK + i);
                }
            }
        }
    }

    /// Numbers above this cannot be among the k smallest; infinite while fewer than k are known.
    pub fn limit(&self) -> f64 {
        if self.k == 0 {
            return f64::NEG_INFINITY;
        }
        self.bound.map_or(f64::INFINITY, |(value, _)| value)
    }

    /// Takes over what another has seen.
    pub fn merge(&mut self, other: &Smallest) {
        other.kept.iter().for_each(|&(value, place)| self.push(value, place));
    }

    /// The smallest in ascending order, at most k.
    pub fn finish(mut self) -> Vec<(f64, usize)> {
        self.kept.sort_unstable_by(order);
        self.kept.truncate(self.k);
        self.kept
    }

    /// Drops all but the k smallest.
    fn shrink(&mut self) {
        if self.kept.len() >= self.k && self.k > 0 {
            let (_, &mut worst, _) = self.kept.select_nth_unstable_by(self.k - 1, order);
            self.bound = Some(worst);
            self.kept.truncate(self.k);
        }
    }
}

/// The k smallest of a slice with their places, ascending.
pub fn smallest(values: &[f64], k: usize) -> Vec<(f64, usize)> {
    let mut best = Smallest::new(k);
    best.push_all(values, 0);
    best.finish()
}

/// By value with NaN last and -0 equal to 0, then by place.
fn order(a: &(f64, usize), b: &(f64, usize)) -> Ordering {
    let by_value = a.0.partial_cmp(&b.0).unwrap_or_else(|| a.0.is_nan().cmp(&b.0.is_nan()));
    by_value.then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    #[test]
    fn agrees_with_sorting_everything() {
        for n in [0, 1, 2, 17, 1000] {
            for k in [0, 1, 5, 16, 400, 2000] {
                for levels in [3.0, 1e9] {
                    let draw = |i: usize| match Seed(n as u64).at(i).unit() {
                        u if u < 0.01 => f64::NAN,
                        u if u < 0.02 => f64::INFINITY,
                        u if u < 0.05 => -0.0,
                        u => (levels * u).floor() - 1.0,
                    };
                    let values: Vec<f64> = (0..n).map(draw).collect();
                    let mut sorted: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
                    sorted.sort_by(order);
                    sorted.truncate(k);
                    let same = |found: Vec<(f64, usize)>| {
                        assert_eq!(
                            found.iter().map(|x| x.1).collect::<Vec<_>>(),
                            sorted.iter().map(|x| x.1).collect::<Vec<_>>()
                        );
                    };
                    same(smallest(&values, k));
                    let (mut left, mut right) = (Smallest::new(k), Smallest::new(k));
                    left.push_all(&values[n / 3..], n / 3);
                    right.push_all(&values[..n / 3], 0);
                    left.merge(&right);
                    same(left.finish());
                }
            }
        }
    }
}
