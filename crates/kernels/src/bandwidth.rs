//! Bandwidths by the data: how wide a kernel should be when nobody says.
//!
//! - `scale`: γ = 1 / (columns · variance of all numbers), as scikit-learn has it; 1 for constant data;
//! - `auto`: γ = 1 / columns, LIBSVM's;
//! - `median`: σ is the median distance between rows;
//! - `nearest`: σ is the 0.1-quantile of the distances from rows to their nearest neighbours: for detectors that look
//!   at fine structure.
//!
//! Distances are those of at most [`MOST`] different rows, evenly taken; `scale` weighs the rows. Either way a row of
//! weight 2 counts as the row twice. In terms of σ, γ = 1/(2σ²).
//!
//! **Cost.** One pass for `scale`; at most MOST²·d operations for the others.

use base::{Hold, Points, Result, Run, choices};
use numeric::{MatMut, squared_distances};
use std::collections::HashSet;

/// Rows whose distances are looked at.
const MOST: usize = 2000;

choices! {
    /// How a width follows from the data.
    pub enum Width {
        /// 1 / (columns · variance).
        Scale = "scale",
        /// 1 / columns.
        Auto = "auto",
        /// By the median distance.
        Median = "median",
        /// By the 0.1-quantile of distances to nearest neighbours.
        Nearest = "nearest",
    }
}

impl Width {
    /// γ for these rows, which may be weighted.
    pub fn gamma(self, points: &Points, weights: Option<&[f64]>, run: &Run<'_>) -> Result<f64> {
        let d = points.columns().max(1) as f64;
        let of_sigma = |sigma: f64| if sigma > 0.0 { 0.5 / (sigma * sigma) } else { 1.0 };
        Ok(match self {
            Width::Auto => 1.0 / d,
            Width::Scale => {
                let variance = variance(points, weights);
                if variance > 0.0 && (d * variance).is_finite() { 1.0 / (d * variance) } else { 1.0 }
            }
            Width::Median => of_sigma(median_distance(points, run)?),
            Width::Nearest => of_sigma(nearest_quantile(points, 0.1, run)?),
        })
    }
}

/// The variance of all numbers together, zeros of sparse rows included.
fn variance(points: &Points, weights: Option<&[f64]>) -> f64 {
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let count = (0..points.len()).map(weight).sum::<f64>() * points.columns() as f64;
    if count <= 0.0 {
        return 0.0;
    }
    let mut row = vec![0.0; points.columns()];
    let mut sums = |centre: f64| {
        let (mut sum, mut squares) = (0.0, 0.0);
        for i in 0..points.len() {
            points.write_row(i, &mut row);
            sum += weight(i) * row.iter().map(|x| x - centre).sum::<f64>();
            squares += weight(i) * row.iter().map(|x| (x - centre) * (x - centre)).sum::<f64>();
        }
        (sum, squares)
    };
    let mean = sums(0.0).0 / count;
    sums(mean).1 / count
}

/// Squared distances between some rows, counted as long as they are there.
struct Squares {
    values: Vec<f64>,
    rows: usize,
    _hold: Hold,
}

/// At most [`MOST`] rows, evenly taken, and the squared distances between them.
fn some_distances(points: &Points, run: &Run<'_>) -> Result<Squares> {
    let mut seen = HashSet::new();
    let mut hold = run.memory.take(0, "rows to tell twins by")?;
    let mut all = vec![];
    // Twins count once, so that their number does not matter.
    for i in (0..points.len()).step_by(points.len().div_ceil(8 * MOST).max(1)) {
        run.check()?;
        let key = stored(points, i);
        let bytes = hold.bytes() + 8 * key.len() as u64;
        if seen.insert(key) {
            hold.resize(bytes, "rows to tell twins by")?;
            all.push(i);
        }
    }
    drop((seen, hold));
    let n = all.len();
    let some: Vec<usize> = (0..n.min(MOST)).map(|i| all[i * n / n.min(MOST)]).collect();
    let some = points.select(&some)?;
    let rows = some.len();
    let (mut values, hold) = run.memory.filled(rows * rows, 0.0, "distances")?;
    squared_distances(run, &some, &some, MatMut::new(&mut values, rows, rows)?)?;
    Ok(Squares { values, rows, _hold: hold })
}

/// What tells a row from others: its bits, of a sparse one those of its entries with their columns.
fn stored(points: &Points, i: usize) -> Vec<u64> {
    match points {
        Points::Dense(dense) => dense.row(i).iter().map(|x| x.to_bits()).collect(),
        Points::Sparse(sparse) => {
            let (ids, values) = sparse.row(i);
            let entries = ids.iter().zip(values).filter(|(_, x)| **x != 0.0);
            entries.flat_map(|(&id, x)| [u64::from(id), x.to_bits()]).collect()
        }
    }
}

/// The median distance between different rows; 0 if there are none.
pub fn median_distance(points: &Points, run: &Run<'_>) -> Result<f64> {
    let squares = some_distances(points, run)?;
    let m = squares.rows;
    let _hold = run.memory.take_for::<f64>(m * m / 2, "distances in order")?;
    let apart = (0..m).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| squares.values[i * m + j]);
    Ok(quantile(apart.filter(|&s| s > 0.0).map(f64::sqrt).collect(), 0.5))
}

/// A quantile of the distances from rows to their nearest different row; 0 if there is none.
pub fn nearest_quantile(points: &Points, fraction: f64, run: &Run<'_>) -> Result<f64> {
    let squares = some_distances(points, run)?;
    let nearest = squares
        .values
        .chunks_exact(squares.rows.max(1))
        .map(|line| line.iter().copied().filter(|&s| s > 0.0).fold(f64::INFINITY, f64::min));
    Ok(quantile(nearest.filter(|s| s.is_finite()).map(f64::sqrt).collect(), fraction))
}

/// A quantile of some numbers, between neighbours in proportion; 0 of none.
fn quantile(mut values: Vec<f64>, fraction: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return 0.0 };
    let at = fraction * last as f64;
    let low = values[at as usize];
    low + (at - at.floor()) * (values[(at as usize + 1).min(last)] - low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Error, NumberOr, Settings};

    #[test]
    fn r4_what_distances_take_is_counted_and_given_back() {
        let sparse = |columns: usize| {
            let ids: Vec<u32> = (0..40).map(|i| i * (columns as u32 / 50)).collect();
            let values: Vec<f64> = (0..40).map(|i| f64::from(1 + i / 2 * 2)).collect();
            Points::Sparse(base::Sparse::new((0..=40).collect::<Vec<usize>>(), ids, values, columns).unwrap())
        };
        // 40 x 40 distances and half of them in order. Rows of a million columns, written out to be told apart, would not
        // fit.
        let run = Run { memory: base::Memory::limited(16 << 20), ..Run::quiet(1) };
        for columns in [50, 1_000_000] {
            let found = median_distance(&sparse(columns), &run).unwrap();
            assert!(found > 0.0 && run.memory.peak() >= 8 * (1600 + 800) && run.memory.used() == 0);
        }
        let poor = Run { memory: base::Memory::limited(14_000), ..Run::quiet(1) };
        assert!(matches!(median_distance(&sparse(50), &poor), Err(Error::Memory { .. })));
    }

    /// Distance by distance, dense and sparse, for quantiles from the least to the largest; a row that is there twice counts once.
    #[test]
    fn quantiles_of_nearest_neighbours_are_those_of_the_definition() {
        let run = Run::quiet(1);
        for seed in testkit::seeds(4) {
            let (n, d) = (30, 3);
            let value = |i: usize| (base::Seed(seed).at(i).unit() - 0.5).max(0.0);
            let mut rows: Vec<Vec<f64>> = (0..n).map(|i| (0..d).map(|c| value(i * d + c)).collect()).collect();
            rows.push(rows[4].clone());
            let points = Points::from_rows(&rows).unwrap();
            let sparse = testkit::as_sparse(&base::Dataset::new(points.clone(), base::Targets::None));
            let sparse = sparse.points().unwrap().clone();
            rows.sort_by(|a, b| a.partial_cmp(b).unwrap());
            rows.dedup();
            let far = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let others = |i: usize| (0..rows.len()).filter(move |&j| j != i);
            let mut nearest: Vec<f64> = (0..rows.len())
                .map(|i| others(i).map(|j| far(&rows[i], &rows[j])).fold(f64::INFINITY, f64::min))
                .collect();
            nearest.sort_by(f64::total_cmp);
            for fraction in [0.0, 0.1, 0.37, 0.5, 0.9, 1.0] {
                let at = fraction * (nearest.len() - 1) as f64;
                let (low, high) = (nearest[at.floor() as usize], nearest[at.ceil() as usize]);
                let expected = low + (at - at.floor()) * (high - low);
                for points in [&points, &sparse] {
                    let found = nearest_quantile(points, fraction, &run).unwrap();
                    assert!((found - expected).abs() < 1e-7, "{fraction}: {found} is not {expected}");
                }
            }
            let sigma = nearest_quantile(&points, 0.1, &run).unwrap();
            let gamma = Width::Nearest.gamma(&points, None, &run).unwrap();
            assert!((gamma - 1.0 / (2.0 * sigma * sigma)).abs() < 1e-9 * gamma, "the method's own fraction is 0.1");
        }
    }

    #[test]
    fn widths_are_those_of_the_definition() {
        let run = Run::quiet(1);
        let points = Points::from_rows(&[[0.0, 0.0], [3.0, 4.0], [3.0, 4.0], [0.0, 1.0]]).unwrap();
        // Numbers 0 0 3 4 3 4 0 1: mean 15/8, mean of squares 51/8.
        let variance = 51.0 / 8.0 - (15.0 / 8.0f64).powi(2);
        assert!((Width::Scale.gamma(&points, None, &run).unwrap() - 1.0 / (2.0 * variance)).abs() < 1e-15);
        assert_eq!(Width::Auto.gamma(&points, None, &run), Ok(0.5));
        let thrice = Some(&[1.0, 0.0, 3.0, 1.0][..]);
        let written = Points::from_rows(&[[0.0, 0.0], [3.0, 4.0], [3.0, 4.0], [3.0, 4.0], [0.0, 1.0]]).unwrap();
        let weighed = Width::Scale.gamma(&points, thrice, &run).unwrap();
        assert!((weighed - Width::Scale.gamma(&written, None, &run).unwrap()).abs() < 1e-15);
        // Different rows are 5, 1 and √18 apart; the nearest are 1, √18 and 1 away.
        assert!((median_distance(&points, &run).unwrap() - 18f64.sqrt()).abs() < 1e-12);
        assert_eq!(nearest_quantile(&points, 0.1, &run), Ok(1.0));
        let constant = Points::from_rows(&[[2.0], [2.0]]).unwrap();
        for width in [Width::Scale, Width::Median, Width::Nearest] {
            assert_eq!(width.gamma(&constant, None, &run), Ok(1.0));
        }
        let mut settings = crate::KernelSettings::default();
        settings.set_text("gamma", " 0.25 ").unwrap();
        assert_eq!(settings.gamma, NumberOr::Number(0.25));
        settings.set_text("gamma", "nearest").unwrap();
        assert_eq!(settings.gamma, NumberOr::Word(Width::Nearest));
        let mut says = |text: &str| settings.set_text("gamma", text).unwrap_err().to_string();
        let words = "must be a number or one of scale, auto, median, nearest";
        assert_eq!(says("wide"), format!("gamma = wide: {words}"));
        assert_eq!(says("meidan"), format!("gamma = meidan: {words} (median?)"));
        assert!(says("nan").contains("finite") && says("inf").contains("finite"));
    }
}
