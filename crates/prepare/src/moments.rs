//! Weighted mean and variance of each column, gaps left out.
//!
//! mean_j = Σ_i w_i x_ij / Σ_i w_i and variance_j = Σ_i w_i (x_ij − mean_j)² / Σ_i w_i over the rows where x_ij is there.
//! Two passes, so that a large mean does not eat the variance; O(stored numbers) time, O(columns) memory.

use base::{Dense, Points, Sparse};

/// Mean, variance and total weight of the present values, by column.
pub struct Moments {
    /// Weighted mean; 0 for a column of gaps.
    pub mean: Vec<f64>,
    /// Weighted variance; 0 for a column of gaps.
    pub variance: Vec<f64>,
    /// Sum of weights of the values that are there.
    pub weight: Vec<f64>,
}

impl Moments {
    /// The moments of these points.
    pub fn of(points: &Points, weights: Option<&[f64]>) -> Self {
        let w = |i: usize| weights.map_or(1.0, |w| w[i]);
        match points {
            Points::Dense(dense) => of_dense(dense, w),
            Points::Sparse(sparse) => of_sparse(sparse, w),
        }
    }

    /// Whether a column of that mean and variance varies at all: rounding in the mean leaves a variance of this size
    /// where there is none.
    pub fn varies(mean: f64, variance: f64) -> bool {
        variance > (8.0 * f64::EPSILON * mean).powi(2)
    }
}

fn of_dense(points: &Dense, w: impl Fn(usize) -> f64) -> Moments {
    let columns = points.columns();
    let (mut mean, mut weight) = (vec![0.0; columns], vec![0.0; columns]);
    for i in 0..points.len() {
        for (j, &x) in points.row(i).iter().enumerate().filter(|(_, x)| !x.is_nan()) {
            mean[j] += w(i) * x;
            weight[j] += w(i);
        }
    }
    divide(&mut mean, &weight);
    let mut variance = vec![0.0; columns];
    for i in 0..points.len() {
        for (j, &x) in points.row(i).iter().enumerate().filter(|(_, x)| !x.is_nan()) {
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
    fn gaps_weights_and_large_offsets() {
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
    fn sparse_equals_dense() {
        let data = testkit::toy_values(3);
        let weights: Vec<f64> = (0..data.len()).map(|i| (i % 3) as f64 + 0.5).collect();
        let a = Moments::of(data.points().unwrap(), Some(&weights));
        let b = Moments::of(testkit::as_sparse(&data).points().unwrap(), Some(&weights));
        testkit::assert_close(&a.mean, &b.mean, 1e-13, "mean");
        testkit::assert_close(&a.variance, &b.variance, 1e-13, "variance");
    }
}
