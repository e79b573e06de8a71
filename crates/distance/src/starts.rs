//! Where centres begin.
//!
//! `k-means++` draws the first centre by weight and each further one with probability proportional to w·d², d being the
//! distance to the nearest centre so far: the expected objective is within 8 (ln k + 2) of the best. `random` draws k
//! rows by weight without replacement, `first` takes the first k rows.
//!
//! **Cost.** `k-means++`: k passes over the numbers.
//!
//! - D. Arthur, S. Vassilvitskii: *k-means++: the advantages of careful seeding.* SODA 2007, 1027–1035.

use base::{Dataset, Error, Points, Result, Run, Seed, choices};
use numeric::{MatMut, Prepared};

choices! {
    /// How the first centres are chosen.
    pub enum Start {
        /// Far from one another, by chance.
        PlusPlus = "k-means++",
        /// Any rows.
        Random = "random",
        /// The first rows.
        First = "first",
    }
}

/// Of two ends of about equal worth the earlier start's is kept: rounding does not decide between them.
const LEVEL: f64 = 1e-9;

/// Whether what a later start ends with is better than what an earlier one did; the larger is.
pub fn is_better(later: f64, earlier: f64) -> bool {
    later > earlier + LEVEL * earlier.abs()
}

/// k rows of the data as centres, row after row.
pub fn begin(start: Start, k: usize, data: &Dataset, seed: Seed, run: &Run<'_>) -> Result<Vec<f64>> {
    let points = data.points()?;
    let rows = match start {
        Start::First => (0..k).collect(),
        Start::Random => by_weight(k, data, seed),
        Start::PlusPlus => far_apart(k, data, seed, run)?,
    };
    let centres = points.select(&rows)?.to_dense(&run.memory)?;
    Ok(centres.to_vec())
}

/// Makes sure that there are rows for k centres.
pub fn check_rows(name: &str, k: usize, data: &Dataset) -> Result<()> {
    match data.len() >= k {
        true => Ok(()),
        false => Err(Error::size(format!("rows for {name}"), format!("at least k = {k}"), data.len())),
    }
}

/// Rows with the k smallest of E/w, E exponential: drawn by weight without replacement.
fn by_weight(k: usize, data: &Dataset, seed: Seed) -> Vec<usize> {
    let weight = |i: usize| data.weight(i);
    let keys: Vec<f64> = (0..data.len()).map(|i| -(1.0 - seed.at(i).unit()).ln() / weight(i)).collect();
    numeric::smallest(&keys, k).into_iter().map(|(_, row)| row).collect()
}

fn far_apart(k: usize, data: &Dataset, seed: Seed, run: &Run<'_>) -> Result<Vec<usize>> {
    let points = data.points()?;
    let n = points.len();
    let weight = |i: usize| data.weight(i);
    let (mut nearest, _hold) = run.memory.filled(n, f64::INFINITY, "distances to the first centres")?;
    let (mut distances, _held) = run.memory.filled(n, 0.0, "distances to a new centre")?;
    let mut rows = by_weight(1, data, seed.fork("first"));
    while rows.len() < k {
        let last = points.select(&rows[rows.len() - 1..])?.to_dense(&run.memory)?;
        let centre = Points::dense(last.to_vec(), 1, points.columns())?;
        Prepared::new(run, &centre)?.squared_distances(run, points, MatMut::new(&mut distances, n, 1)?)?;
        nearest.iter_mut().zip(&distances).for_each(|(a, b)| *a = a.min(*b));
        let share = |i: usize| (weight(i) * nearest[i]).min(f64::MAX / n as f64);
        let total: f64 = (0..n).map(share).sum();
        let unit = seed.at(rows.len()).unit();
        let found = match total > 0.0 {
            true => {
                let mut left = unit * total;
                let over = |i: &usize| {
                    left -= share(*i);
                    left < 0.0
                };
                // Rounding may leave a little after the last row; then the last row that counts is meant.
                (0..n).find(over).or_else(|| (0..n).rfind(|&i| share(i) > 0.0))
            }
            // All rows lie on centres: any that is not one yet.
            false => (0..n).find(|i| !rows.contains(i)),
        };
        rows.push(found.unwrap_or(0));
    }
    Ok(rows)
}
