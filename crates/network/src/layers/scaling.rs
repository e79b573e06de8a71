//! How inputs are brought to a size that weights drawn for a start expect.
//!
//! (x − mean) / deviation, with numbers of each column, or the same two for all of them: pictures keep their contrast that
//! way and sparse columns do not blow up. They become constants at the front of the network, so that what it takes stays
//! in the units of the data.

use base::{Dataset, Points, Result, Run};
use numeric::blocks;

base::choices! {
    /// How inputs are scaled within the network.
    pub enum Scaling {
        /// All by the same two numbers for pictures, series and rows of mostly zeros; else column by column.
        Auto = "auto",
        /// Column by column.
        Columns = "columns",
        /// All by the same two numbers.
        All = "all",
        /// Not at all.
        None = "none",
    }
}

/// The share of zeros from which on rows are mostly zeros.
const MOSTLY: f64 = 0.9;
/// Rows of a block.
const BLOCK: usize = 512;

/// The share of zeros, however the rows are stored.
fn zeros(points: &Points) -> f64 {
    let other = match points {
        Points::Sparse(sparse) => {
            (0..sparse.len()).map(|i| sparse.row(i).1.iter().filter(|x| **x != 0.0).count()).sum()
        }
        Points::Dense(dense) => (0..dense.values().len()).filter(|&i| dense.values().at(i) != 0.0).count(),
    };
    1.0 - other as f64 / (points.len() * points.columns()).max(1) as f64
}

/// Means and deviations: of each column, or one for all; none if inputs stay as they are. Constants have deviation 1.
pub fn scales(data: &Dataset, scaling: Scaling, run: &Run<'_>) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
    let points = data.points()?;
    let (n, d) = (points.len(), points.columns());
    let together = match scaling {
        Scaling::None => return Ok(None),
        Scaling::Columns => false,
        Scaling::All => true,
        Scaling::Auto => data.features.shape().is_some() || zeros(points) > MOSTLY,
    };
    let weight = |i: usize| data.weight(i);
    let total: f64 = (0..n).map(weight).sum();
    // Two passes: squares around the mean do not cancel.
    let means_of = |f: &(dyn Fn(usize, f64) -> f64 + Sync)| -> Result<Vec<f64>> {
        let parts = blocks(run, n, BLOCK, |range| {
            let (mut sums, mut row) = (vec![0.0; d], vec![0.0; d]);
            for i in range {
                points.write_row(i, &mut row);
                let weight = weight(i) / total;
                sums.iter_mut().zip(&row).enumerate().for_each(|(c, (s, x))| *s += weight * f(c, *x));
            }
            Ok(sums)
        })?;
        let mut sums = vec![0.0; d];
        parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(s, p)| *s += p));
        Ok(match together {
            true => vec![sums.iter().sum::<f64>() / d as f64],
            false => sums,
        })
    };
    let mean = means_of(&|_, x| x)?;
    let at = |c: usize| mean[if together { 0 } else { c }];
    let deviation = means_of(&|c, x| (x - at(c)) * (x - at(c)))?;
    let root = |(v, m): (&f64, &f64)| if v.sqrt() > 1e-12 * m.abs() { v.sqrt() } else { 1.0 };
    let deviation = deviation.iter().zip(&mean).map(root).collect();
    Ok(Some((mean, deviation)))
}
