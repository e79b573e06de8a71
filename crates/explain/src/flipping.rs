//! Pixel flipping for detectors: variables are taken out of the difference in the order of their relevance, and
//! outlierness should fall fast.
//!
//! With Ψ_ij = x_i − u_ji, taking variable i out sets row i of Ψ to 0 for every support point, so that no new input is
//! made up. Outlierness needs ‖Ψ_j‖² alone, and one variable adds Ψ_ij² to it: the curve is computed from its end, where
//! everything is out and all distances are 0, so that nothing is ever subtracted and no digits cancel.
//!
//! **Cost.** O(m) a flip. **Area:** the mean of the curve by trapezoids, as a share of its start; less is better.
//! Source: Kauffmann, Müller, Montavon 2020 (see `density/src/radial.rs`); W. Samek et al. 2017 for pixel flipping.

use base::{Error, Hold, Points, Progress, References, Relevance, Result, Run};
use numeric::each;

/// A detector made ready for flipping: its centres, variable after variable.
pub struct Flipping<'d> {
    references: &'d dyn References,
    columns: Vec<f64>,
    _hold: Hold,
}

impl<'d> Flipping<'d> {
    /// Makes the centres ready; the copy is counted.
    pub fn new(references: &'d dyn References, run: &Run<'_>) -> Result<Self> {
        let (m, d) = (references.points().len(), references.points().columns());
        let (mut columns, hold) = run.memory.filled(m.saturating_mul(d), 0.0, "support points by variable")?;
        let mut u = vec![0.0; d];
        for j in 0..m {
            references.points().write_row(j, &mut u);
            u.iter().enumerate().for_each(|(i, &x)| columns[i * m + j] = x);
        }
        Ok(Flipping { references, columns, _hold: hold })
    }

    /// Outlierness of x with the first 0, 1, … all variables of `order` taken out.
    pub fn curve(&self, x: &[f64], order: &[usize]) -> Result<Vec<f64>> {
        let (m, d) = (self.references.points().len(), self.references.points().columns());
        if x.len() != d || order.len() != d || order.iter().any(|&i| i >= d) {
            return Err(Error::size("variables in order", d, order.len()));
        }
        let (mut squares, mut scratch) = (vec![0.0; m], vec![0.0; m]);
        let mut curve = vec![0.0; d + 1];
        for t in (0..=d).rev() {
            scratch.copy_from_slice(&squares);
            curve[t] = self.references.value_at(&mut scratch);
            if t > 0 {
                let i = order[t - 1];
                let column = &self.columns[i * m..(i + 1) * m];
                squares.iter_mut().zip(column).for_each(|(s, u)| *s += (x[i] - u) * (x[i] - u));
            }
        }
        Ok(curve)
    }

    /// The curves of all rows in the order of their relevance.
    pub fn curves(&self, points: &Points, relevance: &Relevance, run: &Run<'_>) -> Result<Vec<Vec<f64>>> {
        let d = self.references.points().columns();
        if (relevance.values.len(), relevance.values.columns()) != (points.len(), d) {
            let found = format!("{} x {}", relevance.values.len(), relevance.values.columns());
            return Err(Error::size("relevance to flip by", format!("{} x {d}", points.len()), found));
        }
        each(run, points.len(), |i| {
            run.report(&Progress::of("flipping", i as u64, points.len() as u64))?;
            let (mut x, mut r) = (vec![0.0; d], vec![0.0; d]);
            points.write_row(i, &mut x);
            relevance.values.write_row(i, &mut r);
            self.curve(&x, &order(&r))
        })
    }
}

/// Variables by falling relevance; equals stay in order.
pub fn order(relevance: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..relevance.len()).collect();
    order.sort_by(|&a, &b| relevance[b].total_cmp(&relevance[a]));
    order
}

/// The mean of a curve by trapezoids, as a share of its start; 0 for a curve that begins at 0.
pub fn area(curve: &[f64]) -> f64 {
    match curve.first() {
        Some(&start) if start > 0.0 && curve.len() > 1 => height(curve) / start,
        _ => 0.0,
    }
}

/// The mean of a curve by trapezoids, in its own units; that of a point is the point.
pub fn height(curve: &[f64]) -> f64 {
    match curve {
        [] => 0.0,
        [one] => *one,
        _ => curve.windows(2).map(|w| 0.5 * (w[0] + w[1])).sum::<f64>() / (curve.len() - 1) as f64,
    }
}
