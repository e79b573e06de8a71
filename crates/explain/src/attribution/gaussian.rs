//! A diagonal Gaussian: −log N(x; μ, σ²) up to a constant is Σ_i (x_i − μ_i)² / (2 σ_i²), variable by variable.
//!
//! The variance is that of the rows (divided by their number) plus a λ that keeps constant variables finite.

use super::prototypes::references;
use super::relevance_of;
use crate::entry::{AddsUp, Explain, MethodEntry, MethodNeeds};
use base::{Balance, Error, Points, References, Relevance, Result};

/// What keeps constant variables of a detector finite.
const LAMBDA: f64 = 1e-3;

pub(crate) static GAUSSIAN: MethodEntry = MethodEntry {
    adds_up: AddsUp::Always,
    if_not: "",
    ..MethodEntry::new(
        "gaussian",
        "a diagonal Gaussian around the support points; explains its own score",
        MethodNeeds::References,
        Explain::Quantity(|own, points, _| Gaussian::of_references(references(own)?, LAMBDA)?.explain(points)),
    )
};

/// Mean and variance of each variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Gaussian {
    mean: Vec<f64>,
    variance: Vec<f64>,
}

impl Gaussian {
    /// From the rows that are normal; λ must be above 0.
    pub fn of(points: &Points, lambda: f64) -> Result<Self> {
        let weights = vec![1.0 / points.len().max(1) as f64; points.len()];
        Self::weighted(points, &weights, lambda)
    }

    /// From the support points of a detector by weight: no training data are needed.
    pub fn of_references(references: &dyn References, lambda: f64) -> Result<Self> {
        Self::weighted(references.points(), references.weights(), lambda)
    }

    fn weighted(points: &Points, weights: &[f64], lambda: f64) -> Result<Self> {
        if points.is_empty() {
            return Err(Error::size("rows to take mean and variance of", "at least 1", 0));
        }
        if !(lambda > 0.0 && lambda.is_finite()) {
            return Err(Error::parameter("lambda", lambda, "must be greater than 0 and finite"));
        }
        let d = points.columns();
        let (mut mean, mut variance, mut x) = (vec![0.0; d], vec![lambda; d], vec![0.0; d]);
        for (i, w) in weights.iter().enumerate() {
            points.write_row(i, &mut x);
            numeric::add_scaled(&mut mean, *w, &x);
        }
        for (i, w) in weights.iter().enumerate() {
            points.write_row(i, &mut x);
            let terms = variance.iter_mut().zip(x.iter().zip(&mean));
            terms.for_each(|(v, (x, m))| *v += w * (x - m) * (x - m));
        }
        Ok(Gaussian { mean, variance })
    }

    /// (x_i − μ_i)² / (2 σ_i²).
    pub fn explain(&self, points: &Points) -> Result<Relevance> {
        let d = self.mean.len();
        if points.columns() != d {
            return Err(Error::size("columns of the points", d, points.columns()));
        }
        let mut all = vec![0.0; points.len() * d];
        let mut balance = vec![];
        for (i, line) in all.chunks_exact_mut(d.max(1)).enumerate() {
            points.write_row(i, line);
            for ((x, m), v) in line.iter_mut().zip(&self.mean).zip(&self.variance) {
                *x = (*x - m) * (*x - m) / (2.0 * v);
            }
            let sum = line.iter().sum();
            balance.push(Balance { score: sum, sum, absorbed: 0.0, lost: 0.0 });
        }
        relevance_of(all, (points.len(), d), Some(balance), "gaussian")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_in_a_narrow_direction_is_strange() {
        let rows = Points::from_rows(&[[0.0, 0.0], [2.0, 10.0], [4.0, 20.0]]).unwrap();
        let gaussian = Gaussian::of(&rows, 1e-9).unwrap();
        let found = gaussian.explain(&Points::from_rows(&[[6.0, 10.0]]).unwrap()).unwrap();
        let values = found.values.to_dense(&base::Memory::unlimited()).unwrap();
        // Mean 2 and variance 8/3.
        assert!((values[0] - 16.0 / (16.0 / 3.0)).abs() < 1e-6 && values[1] == 0.0, "{values:?}");
        assert!(Gaussian::of(&rows, 0.0).is_err() && Gaussian::of(&rows.slice(0..0), 1.0).is_err());
    }
}
