//! Single rows of points in either form, for sums over rows.

use base::Points;
use numeric::add_scaled;

/// sum += scale · row i.
pub fn add_row(points: &Points, i: usize, scale: f64, sum: &mut [f64]) {
    match points {
        Points::Dense(dense) => add_scaled(sum, scale, &dense.row(i)),
        Points::Sparse(sparse) => {
            let (ids, values) = sparse.row(i);
            ids.iter().zip(values).for_each(|(&id, x)| sum[id as usize] += scale * x);
        }
    }
}

/// How many parts to cut sums of `length` numbers over these points into: each should hold more numbers than it sums to.
pub fn parts(points: &Points, length: usize) -> usize {
    (points.entries() / length.max(1).saturating_mul(4)).clamp(1, 16)
}

/// The names of `k` clusters.
pub fn cluster_names(k: usize) -> std::sync::Arc<[String]> {
    (0..k).map(|i| format!("cluster {i}")).collect()
}
