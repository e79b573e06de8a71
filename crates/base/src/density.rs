//! A detector that is a weighted sum of kernels of the distance: g(x) = Σ_j α_j k(‖x − u_j‖).
//!
//! One-class machines, density estimates and mixtures of equal spheres say of themselves that they are one, and are
//! explained alike, whatever family they come from.

use crate::{Error, Place, Points, Result};

/// Centres, weights and the kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    centres: Points,
    weights: Vec<f64>,
    family: Family,
}

/// A kernel that falls with the distance r = ‖x − u‖.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Family {
    /// exp(−γ r^q).
    Exponential {
        /// γ.
        gamma: f64,
        /// q.
        q: f64,
    },
    /// 1 / (a + γ r^q).
    Student {
        /// a.
        a: f64,
        /// γ.
        gamma: f64,
        /// q.
        q: f64,
    },
}

impl Family {
    /// The power of the distance.
    pub fn q(self) -> f64 {
        match self {
            Family::Exponential { q, .. } | Family::Student { q, .. } => q,
        }
    }

    /// The factor of the distance's power.
    pub fn gamma(self) -> f64 {
        match self {
            Family::Exponential { gamma, .. } | Family::Student { gamma, .. } => gamma,
        }
    }
}

impl Density {
    /// Centres with weights above 0, which are brought to the sum 1.
    pub fn new(centres: Points, mut weights: Vec<f64>, family: Family) -> Result<Self> {
        if weights.len() != centres.len() || weights.is_empty() {
            return Err(Error::size(
                "weights of a density",
                format!("{} and at least 1", centres.len()),
                weights.len(),
            ));
        }
        let sum: f64 = weights.iter().sum();
        if weights.iter().any(|w| !(*w > 0.0 && w.is_finite())) || !sum.is_finite() {
            return Err(Error::data(Place::Whole, "the weights of a density must be above 0 and finite"));
        }
        let numbers = match family {
            Family::Exponential { gamma, q } => [gamma, q, 1.0],
            Family::Student { a, gamma, q } => [gamma, q, a],
        };
        if numbers.iter().any(|x| !(*x > 0.0 && x.is_finite())) {
            return Err(Error::parameter("kernel", format!("{family:?}"), "its numbers must be above 0 and finite"));
        }
        if sum != 1.0 {
            weights.iter_mut().for_each(|w| *w /= sum);
        }
        Ok(Density { centres, weights, family })
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
    pub fn family(&self) -> Family {
        self.family
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_and_wrong_ones_are_refused() {
        let points = Points::from_rows(&[[0.0], [1.0]]).unwrap();
        let family = Family::Exponential { gamma: 1.0, q: 2.0 };
        let density = Density::new(points.clone(), vec![1.0, 3.0], family).unwrap();
        assert_eq!(density.weights(), [0.25, 0.75]);
        assert!(Density::new(points.clone(), vec![1.0], family).is_err());
        assert!(Density::new(points.clone(), vec![1.0, 0.0], family).is_err());
        assert!(Density::new(points.clone(), vec![1.0, f64::INFINITY], family).is_err());
        assert!(Density::new(points, vec![1.0; 2], Family::Student { a: 0.0, gamma: 1.0, q: 1.0 }).is_err());
        assert!(Density::new(Points::dense(vec![0.0; 0], 0, 1).unwrap(), vec![], family).is_err());
    }
}
