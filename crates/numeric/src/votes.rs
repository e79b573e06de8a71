#![allow(unsafe_code, reason = "versions for several instruction sets, made by simd::fastest")]
//! Votes of classes one against one, where there are so many pairs that their decisions are not worth keeping.
//!
//! Classes a < b decide by f_ab = o_ab + Σ_{j of a} c_{j,b−1} k_j + Σ_{j of b} c_{j,a} k_j. A class gets a vote for every
//! pair it wins, and the sum of its decisions, each with the sign that is for it. Sixteen rows go side by side, so that a
//! coefficient that was fetched serves all of them, and tiles of classes, so that what is fetched stays near.
//!
//! A class meets the others in their order whatever the tiles are: the bits of a row depend on that row alone.
//!
//! **Cost.** Two operations for each row and coefficient; nothing is kept of a pair.

use crate::simd::fastest;
use std::ops::Range;

/// Rows that go side by side.
pub const VOTERS: usize = 16;
/// Classes of a tile.
const TILE: usize = 32;

/// Decisions between all pairs of classes, as sums over centres that lie class after class.
#[derive(Debug, Clone, Copy)]
pub struct Duels<'a> {
    /// Where the centres of each class begin, and the end of all.
    pub starts: &'a [usize],
    /// For each centre those for the other classes in order, row after row.
    pub coefficients: &'a [f64],
    /// For each pair a < b, in order of a, then b.
    pub offsets: &'a [f64],
}

/// What came of the pairs, for each class and row.
#[derive(Debug, Clone)]
pub struct Votes {
    /// How many pairs the class won.
    pub won: Vec<[f64; VOTERS]>,
    /// The sum of its decisions.
    pub sums: Vec<[f64; VOTERS]>,
}

impl Duels<'_> {
    fn classes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The votes for groups of rows with these kernel values, of each centre one for each row; all groups go through a
    /// tile while its coefficients are near. `go_on` is asked now and then.
    pub fn votes<E>(
        &self,
        groups: &[Vec<[f64; VOTERS]>],
        mut go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<Vec<Votes>, E> {
        let classes = self.classes();
        let none = Votes { won: vec![[0.0; VOTERS]; classes], sums: vec![[0.0; VOTERS]; classes] };
        let mut votes = vec![none; groups.len()];
        let tile = |from: usize| from..classes.min(from + TILE);
        for first in (0..classes).step_by(TILE) {
            go_on()?;
            for second in (first..classes).step_by(TILE) {
                for (values, votes) in groups.iter().zip(&mut votes) {
                    meet(self, values, tile(first), tile(second), votes);
                }
            }
        }
        Ok(votes)
    }
}

fastest! {
    /// Every class of `first` meets every later one of `second`.
    fn meet(duels: &Duels<'_>, values: &[[f64; VOTERS]], first: Range<usize>, second: Range<usize>, votes: &mut Votes) {
        let classes = duels.classes();
        let width = classes.saturating_sub(1);
        for a in first {
            let own = duels.starts[a]..duels.starts[a + 1];
            let (mut won, mut sum) = (votes.won[a], votes.sums[a]);
            // Pairs of a with later classes stand side by side.
            let line = a * classes - a * (a + 1) / 2;
            for b in second.start.max(a + 1)..second.end {
                let mut f = [duels.offsets[line + b - a - 1]; VOTERS];
                add(&mut f, values, duels.coefficients, own.clone(), (width, b - 1));
                add(&mut f, values, duels.coefficients, duels.starts[b]..duels.starts[b + 1], (width, a));
                let (won_b, sum_b) = (&mut votes.won[b], &mut votes.sums[b]);
                for l in 0..VOTERS {
                    let for_a = if f[l] > 0.0 { 1.0 } else { 0.0 };
                    won[l] += for_a;
                    won_b[l] += 1.0 - for_a;
                    sum[l] += f[l];
                    sum_b[l] -= f[l];
                }
            }
            (votes.won[a], votes.sums[a]) = (won, sum);
        }
    }
}

/// Adds the part of the centres of one class.
#[inline(always)]
fn add(
    f: &mut [f64; VOTERS],
    values: &[[f64; VOTERS]],
    coefficients: &[f64],
    centres: Range<usize>,
    (width, slot): (usize, usize),
) {
    let mut part = [0.0; VOTERS];
    for j in centres {
        let (c, values) = (coefficients[j * width + slot], &values[j]);
        for l in 0..VOTERS {
            part[l] += values[l] * c;
        }
    }
    for l in 0..VOTERS {
        f[l] += part[l];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_are_those_of_the_definition() {
        // Classes of none to three centres, more of them than a tile has.
        let classes = 2 * TILE + 7;
        let mut next = 1u64;
        let mut draw = || {
            next = next.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (next >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let starts: Vec<usize> = (0..=classes).scan(0, |s, c| Some(std::mem::replace(s, *s + c % 4))).collect();
        let (m, width) = (starts[classes], classes - 1);
        let coefficients: Vec<f64> = (0..m * width).map(|_| draw()).collect();
        let offsets: Vec<f64> = (0..classes * width / 2).map(|_| draw()).collect();
        let values: Vec<[f64; VOTERS]> = (0..m).map(|_| std::array::from_fn(|_| draw())).collect();
        let duels = Duels { starts: &starts, coefficients: &coefficients, offsets: &offsets };
        let found = &duels.votes(std::slice::from_ref(&values), || Ok::<(), ()>(())).unwrap()[0];
        for l in 0..VOTERS {
            let row: Vec<f64> = values.iter().map(|v| v[l]).collect();
            let (mut won, mut sums) = (vec![0.0; classes], vec![0.0; classes]);
            let mut pairs = offsets.iter();
            for a in 0..classes {
                for b in a + 1..classes {
                    let part = |c: usize, slot: usize| {
                        (starts[c]..starts[c + 1]).map(|j| row[j] * coefficients[j * width + slot]).sum::<f64>()
                    };
                    let f = pairs.next().unwrap() + part(a, b - 1) + part(b, a);
                    won[if f > 0.0 { a } else { b }] += 1.0;
                    sums[a] += f;
                    sums[b] -= f;
                }
            }
            for c in 0..classes {
                assert_eq!((found.won[c][l], found.sums[c][l]), (won[c], sums[c]), "class {c}, row {l}");
            }
        }
        assert_eq!(duels.votes(&[values], || Err("enough")).unwrap_err(), "enough");
    }
}
