//! Weighted mean and variance of each column, missing values left out.
//!
//! mean_j = Σ_i w_i x_ij / Σ_i w_i and variance_j = Σ_i w_i (x_ij − mean_j)² / Σ_i w_i over the rows where x_ij is there.
//! Two passes, so that a large mean does not eat the variance; O(stored numbers) time, O(columns) memory.

use base::{Points, Sparse};
use std::ops::Deref;

/// Mean, variance and total weight of the present values, by column.
pub struct Moments {
    /// Weighted mean; 0 for a column without values.
    pub mean: Vec<f64>,
    /// Weighted variance; 0 for a column without values.
    pub variance: Vec<f64>,
    /// Sum of weights of the values that are there.
    pub weight: Vec<f64>,
}

impl Moments {
    /// The moments of these points.
    pub fn of(points: &Points, weights: Option<&[f64]>) -> Self {
        let w = |i: usize| weights.map_or(1.0, |w| w[i]);
        match points {
            Points::Dense(dense) => of_rows((0..dense.len()).map(|i| dense.row(i)), dense.columns(), w),
            Points::Sparse(sparse) => of_sparse(sparse, w),
        }
    }

    /// The moments of numbers that are there row after row.
    pub fn of_rows(values: &[f64], columns: usize, weights: Option<&[f64]>) -> Self {
        of_rows(values.chunks_exact(columns.max(1)), columns, |i| weights.map_or(1.0, |w| w[i]))
    }

    /// The standard deviations: exactly 0 for a constant column.
    pub fn deviations(&self) -> Vec<f64> {
        let one = |(&mean, &variance): (&f64, &f64)| if Self::varies(mean, variance) { variance.sqrt() } else { 0.0 };
        self.mean.iter().zip(&self.variance).map(one).collect()
    }

    /// Whether a column of that mean and variance varies at all: rounding in the mean leaves a variance of this size
    /// where there is none.
    pub fn varies(mean: f64, variance: f64) -> bool {
        variance > (8.0 * f64::EPSILON * mean).powi(2)
    }
}

fn of_rows<R: Deref<Target = [f64]>>(
    rows: impl Iterator<Item = R> + Clone,
    columns: usize,
    w: impl Fn(usize) -> f64,
) -> Moments {
    let (mut mean, mut weight) = (vec![0.0; columns], vec![0.0; columns]);
    for (i, row) in rows.clone().enumerate() {
        for (j, &x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
            mean[j] += w(i) * x;
            weight[j] += w(i);
        }
    }
    divide(&mut mean, &weight);
    let mut variance = vec![0.0; columns];
    for (i, row) in rows.enumerate() {
        for (j, &x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
            variance[j] += w(i) * (x - mean[j]) * (x - mean[j]);
        }
    }
    divide(&mut variance, &weight);
    Moments { mean, variance, weight }
}

/// What is absent counts as 0: its share of the variance is (total weight − weight of entries) · mean².
fn of_sparse(points: &Sparse, w: impl Fn(usize) -> f64) -> Moments {
    let columns = points.columns();
    let total: f64 = (0..points.len()).map(&w).sum();
    let (mut mean, mut present) = (vec![0.0; columns], vec![0.0; columns]);
    let entries = |i: usize| {
        let (ids, values) = points.row(i);
        ids.iter().map(|&id| id as usize).zip(values.iter().copied())
    };
    for i in 0..points.len() {
        for (j, x) in entries(i) {
            mean[j] += w(i) * x;
            present[j] += w(i);
        }
    }
    let weight = vec![total; columns];
    divide(&mut mean, &weight);
    let mut variance: Vec<f64> = mean.iter().zip(&present).map(|(m, p)| (total - p).max(0.0) * m * m).collect();
    for i in 0..points.len() {
        for (j, x) in entries(i) {
            variance[j] += w(i) * (x - mean[j]) * (x - mean[j]);
        }
    }
    divide(&mut variance, &weight);
    Moments { mean, variance, weight }
}

fn divide(sums: &mut [f64], weights: &[f64]) {
    for (s, &w) in sums.iter_mut().zip(weights) {
        *s = if w > 0.0 { *s / w } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_weights_and_large_offsets() {
        let nan = f64::NAN;
        let p = Points::from_rows(&[[1.0, nan, 1e9], [3.0, 4.0, 1e9 + 1.0], [5.0, 8.0, 1e9 + 2.0]]).unwrap();
        let m = Moments::of(&p, Some(&[1.0, 1.0, 2.0]));
        assert_eq!(m.mean, [14.0 / 4.0, 20.0 / 3.0, 1e9 + 1.25]);
        assert_eq!(m.weight, [4.0, 3.0, 4.0]);
        let expected = (2.5f64.powi(2) + 0.5f64.powi(2) + 2.0 * 1.5f64.powi(2)) / 4.0;
        assert_eq!(m.variance[0], expected);
        assert!((m.variance[2] - (1.25f64.powi(2) + 0.25f64.powi(2) + 2.0 * 0.75f64.powi(2)) / 4.0).abs() < 1e-12);
    }

    #[test]
    fn rows_of_numbers_are_points_and_constants_do_not_deviate() {
        let rows = [[0.1, 1.0], [0.1, 4.0], [0.1, 7.0]];
        let points = Points::from_rows(&rows).unwrap();
        let (a, b) = (Moments::of(&points, None), Moments::of_rows(rows.as_flattened(), 2, None));
        assert_eq!((&a.mean, &a.variance, &a.weight), (&b.mean, &b.variance, &b.weight));
        assert_eq!(b.deviations(), [0.0, 6f64.sqrt()]);
    }

    #[test]
    fn sparse_equals_dense() {
        for (rows, columns) in [(1, 1), (7, 3), (40, 9)] {
            let stream = base::Seed(rows as u64).fork("numbers");
            let value = |i: usize, c: usize| {
                let u = stream.at(i * columns + c).unit();
                if u < 0.6 { 0.0 } else { 10.0 * u - 7.0 }
            };
            let (mut starts, mut ids, mut values, mut all) = (vec![0], vec![], vec![], vec![]);
            for i in 0..rows {
                let row = (0..columns).map(|c| (c as u32, value(i, c)));
                all.extend(row.clone().map(|(_, x)| x));
                row.filter(|(_, x)| *x != 0.0).for_each(|(c, x)| {
                    ids.push(c);
                    values.push(x);
                });
                starts.push(ids.len());
            }
            let weights: Vec<f64> = (0..rows).map(|i| (i % 3) as f64 + 0.5).collect();
            let sparse = Points::Sparse(Sparse::new(starts, ids, values, columns).unwrap());
            let (a, b) = (Moments::of(&sparse, Some(&weights)), Moments::of_rows(&all, columns, Some(&weights)));
            let both = |f: fn(&Moments) -> &Vec<f64>| {
                f(&a).iter().zip(f(&b)).all(|(a, b)| (a - b).abs() <= 1e-13 * (1.0 + b.abs()))
            };
            assert!(both(|m| &m.mean) && both(|m| &m.variance) && both(|m| &m.weight));
        }
    }
}
