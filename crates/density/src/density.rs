//! A detector that is a weighted sum of kernels of the distance: g(x) = Σ_j α_j k(‖x − u_j‖).
//!
//! One-class machines, density estimates and mixtures of equal spheres say of themselves that they are one, and are
//! explained alike, whatever family they come from.

use crate::RadialKernel;
use base::{Error, Place, Points, Result};

/// Centres, weights and the kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    centres: Points,
    weights: Vec<f64>,
    kernel: RadialKernel,
}

impl Density {
    /// Centres with weights above 0, which are brought to the sum 1.
    pub fn new(centres: Points, mut weights: Vec<f64>, kernel: RadialKernel) -> Result<Self> {
        if weights.len() != centres.len() || weights.is_empty() {
            return Err(Error::size(
                "weights of a density",
                format!("{} and at least 1", centres.len()),
                weights.len(),
            ));
        }
        let sum: f64 = weights.iter().sum();
        if !Self::weighs(weights.iter().copied()) {
            return Err(Error::data(Place::Whole, "the weights of a density must be above 0 and finite"));
        }
        kernel.check()?;
        if sum != 1.0 {
            weights.iter_mut().for_each(|w| *w /= sum);
        }
        Ok(Density { centres, weights, kernel })
    }

    /// Whether these are weights of a density, those of 0 aside, without building one.
    pub fn is_one(weights: impl Iterator<Item = f64> + Clone, kernel: RadialKernel) -> bool {
        let used = weights.filter(|w| *w != 0.0);
        used.clone().next().is_some() && Self::weighs(used) && kernel.check().is_ok()
    }

    fn weighs(weights: impl Iterator<Item = f64> + Clone) -> bool {
        weights.clone().all(|w| w > 0.0 && w.is_finite()) && weights.sum::<f64>().is_finite()
    }

    /// The centres u_j.
    pub fn centres(&self) -> &Points {
        &self.centres
    }

    /// The weights α_j, above 0, with the sum 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The kernel.
    pub fn kernel(&self) -> RadialKernel {
        self.kernel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_and_wrong_ones_are_refused() {
        let points = Points::from_rows(&[[0.0], [1.0]]).unwrap();
        let kernel = RadialKernel::Exponential { gamma: 1.0, q: 2.0 };
        let density = Density::new(points.clone(), vec![1.0, 3.0], kernel).unwrap();
        assert_eq!(density.weights(), [0.25, 0.75]);
        assert!(Density::new(points.clone(), vec![1.0], kernel).is_err());
        assert!(Density::new(points.clone(), vec![1.0, 0.0], kernel).is_err());
        assert!(Density::new(points.clone(), vec![1.0, f64::INFINITY], kernel).is_err());
        assert!(Density::new(points, vec![1.0; 2], RadialKernel::Student { a: 0.0, gamma: 1.0, q: 1.0 }).is_err());
        for wrong in [vec![], vec![0.0], vec![1.0, -1.0], vec![f64::MAX; 2]] {
            assert!(!Density::is_one(wrong.iter().copied(), kernel), "{wrong:?}");
        }
        assert!(Density::is_one([0.0, 2.0].into_iter(), kernel), "rows of no weight are left out");
        assert!(Density::new(Points::dense(vec![0.0; 0], 0, 1).unwrap(), vec![], kernel).is_err());
    }
}
