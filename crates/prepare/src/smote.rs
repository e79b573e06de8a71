//! SMOTE: new rows of small classes between neighbours of the same class.
//!
//! A row a of the class is drawn, one of its k nearest neighbours b within the class (Euclidean distance), each with
//! probability 1/k, and a position u uniform in [0, 1]; the new row is a + u (b − a), with the class and the weight of a.
//! Classes of fewer than k + 1 rows use the neighbours there are; a single row is copied. The original rows all stay, in
//! order, and the made ones stand behind them. Between two sparse rows the segment is sparse, and so stays the result.
//!
//! **Cost.** Neighbours of the drawn rows within their class, found in blocks or by a tree: at most O(n_j² d) for class j
//! in bounded memory; columns should be scaled before, for distances mix them.
//!
//! - N. V. Chawla, K. W. Bowyer, L. O. Hall, W. P. Kegelmeyer: *SMOTE: Synthetic minority over-sampling technique.*
//!   JAIR 16 (2002) 321–357.

use crate::balance::{Balance, draw};
use crate::grow::{CalibrationForm, SparseRows, append, grown};
use crate::resample::times;
use crate::{Change, Resample, Resampled};
use base::{Certificate, Dataset, Points, Result, Run, Size, Sparse};
use distance::{Neighbours, Search};

base::settings! {
    /// Settings of SMOTE.
    pub struct Smote {
        /// number of neighbours of the same class
        pub k: usize = 5, in Range::AtLeast(1.0), as "k_neighbors";
        /// how far towards balance: 1 makes all classes as large as the largest
        pub ratio: f64 = 1.0, in Range::Share, as "sampling_strategy";
    }
}

/// A new row: from row `a`, the part `u` of the way to row `b`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Between {
    a: usize,
    b: usize,
    u: f64,
}

impl Resample for Smote {
    const NAME: &'static str = "smote";
    const CLASSES: bool = true;
    const CHANGE: Change = Change::Makes;

    fn resample(&self, data: &Dataset, run: &Run<'_>) -> Result<Resampled> {
        let points = data.points()?;
        let balance = Balance::of(data)?;
        let made = balance.to_make(self.ratio);
        let total = made.iter().fold(0usize, |sum, m| sum.saturating_add(*m));
        let _hold = run.memory.take_for::<[usize; 6]>(total, "rows to be made")?;
        let mut notes = Certificate::default();
        let mut plans = Vec::with_capacity(total);
        for class in (0..made.len()).filter(|&c| made[c] > 0) {
            let rows = &balance.rows[class];
            if rows.len() <= self.k {
                let (name, n) = (balance.name(class), rows.len());
                notes.warn(match n {
                    1 => format!("smote: {name} has one row and no neighbours; it was copied"),
                    _ => format!("smote: {name} has {n} rows, so k is {} instead of {}", n - 1, self.k),
                });
            }
            let run = Run { seed: run.seed.at(class), ..run.clone() };
            plans.extend(self.between(points, rows, made[class], &run)?);
        }
        balance.note("smote: rows made of", &made, &mut notes);
        let sources: Vec<usize> = plans.iter().map(|p| p.a).collect();
        let all = match points {
            Points::Sparse(sparse) => sparse_segments(sparse, &plans, run)?,
            Points::Dense(dense) => append(points, plans.len(), CalibrationForm::Doubles, run, |i, out| {
                let Between { a, b, u } = plans[i];
                let (a, b) = (dense.row(a), dense.row(b));
                out.iter_mut().zip(a.iter().zip(b.iter())).for_each(|(o, (a, b))| *o = a + u * (b - a));
                Ok(())
            })?,
        };
        Ok(Resampled { data: grown(data, all, &sources), notes })
    }

    fn size(&self, size: &Size) -> Size {
        times(size, 2)
    }

    fn cost(&self, size: &Size) -> f64 {
        size.rows as f64 * size.entries as f64 / 2.0
    }
}

impl Smote {
    /// Where `count` new rows of the class with these rows lie.
    fn between(&self, points: &Points, rows: &[usize], count: usize, run: &Run<'_>) -> Result<Vec<Between>> {
        let n = rows.len();
        if n == 1 {
            return Ok(vec![Between { a: rows[0], b: rows[0], u: 0.0 }; count]);
        }
        let k = self.k.min(n - 1);
        let drawn: Vec<usize> = (0..count).map(|i| draw(run.seed.at(i).at(0), n)).collect();
        let mut wanted = drawn.clone();
        wanted.sort_unstable();
        wanted.dedup();
        // The class by itself, and those of its rows whose neighbours are asked for.
        let share = (points.bytes() / points.len().max(1) as u64 + 1).saturating_mul((n + wanted.len()) as u64);
        let _hold = run.memory.take(share, "the rows of a class")?;
        let class = points.select(rows)?;
        let queries = class.select(&wanted)?;
        // A row is its own nearest neighbour, or one of its twins is.
        let found = Neighbours::new(class, Search::Auto, 2.0)?.nearest(run, &queries, k + 1)?;
        let neighbour = |base: usize, pick: usize| {
            let place = wanted.partition_point(|&w| w < base);
            let others = found[place].iter().map(|(_, j)| *j as usize).filter(|&j| j != base);
            others.take(k).nth(pick).unwrap_or(base)
        };
        let new = |(i, &base): (usize, &usize)| {
            let seed = run.seed.at(i);
            Between { a: rows[base], b: rows[neighbour(base, draw(seed.at(1), k))], u: seed.at(2).unit() }
        };
        Ok(drawn.iter().enumerate().map(new).collect())
    }
}

fn sparse_segments(sparse: &Sparse, plans: &[Between], run: &Run<'_>) -> Result<Points> {
    let mut rows = SparseRows::after(sparse, run)?;
    for &Between { a, b, u } in plans {
        let ((a_ids, a), (b_ids, b)) = (sparse.row(a), sparse.row(b));
        let (mut i, mut j) = (0, 0);
        let merged = std::iter::from_fn(|| {
            let id = match (a_ids.get(i), b_ids.get(j)) {
                (Some(&x), Some(&y)) => x.min(y),
                (Some(&x), None) | (None, Some(&x)) => x,
                (None, None) => return None,
            };
            let take = |ids: &[u32], values: &[f64], at: &mut usize| match ids.get(*at) {
                Some(&found) if found == id => {
                    *at += 1;
                    values[*at - 1]
                }
                _ => 0.0,
            };
            let (a, b) = (take(a_ids, a, &mut i), take(b_ids, b, &mut j));
            Some((id, a + u * (b - a)))
        });
        rows.push(merged, run)?;
    }
    rows.finish()
}
