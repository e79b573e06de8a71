//! Kernel values that were computed elsewhere: the inputs are the values, a column for each training row.
//!
//! A centre is the unit vector of its training row, so that xᵀu is the value of that column, and so are the gradient and
//! the form as a network.
//!
//! **Cost.** Looking up a value. **Limits.** Whether the matrix is positive definite is not known.

use super::parts::inner_nodes;
use super::{BuiltIn, blank};
use crate::function::{KernelBasis, KernelFunction, KernelGradient};
use crate::settings::Asked;
use base::graph::{Draft, Source};
use base::{Error, Record, Result};

/// The inputs are kernel values.
#[derive(Debug, Clone, Copy)]
pub struct Precomputed;

impl KernelFunction for Precomputed {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn value(&self, x: &[f64], u: &[f64]) -> f64 {
        numeric::dot(x, u)
    }

    fn basis(&self) -> KernelBasis<'_> {
        KernelBasis::Precomputed
    }

    fn gradient(&self) -> Option<&dyn KernelGradient> {
        Some(self)
    }

    fn parameters(&self) -> Record {
        blank::<Self>()
    }

    fn positive_definite(&self) -> bool {
        false
    }

    fn graph(&self, draft: &mut Draft, centres: Source) -> Result<Option<Source>> {
        Ok(Some(inner_nodes(draft, centres)))
    }
}

impl KernelGradient for Precomputed {
    fn add(&self, _x: &[f64], u: &[f64], along: f64, out: &mut [f64]) {
        numeric::add_scaled(out, along, u);
    }
}

impl BuiltIn for Precomputed {
    const NAME: &'static str = "precomputed";

    fn choose(asked: &Asked<'_>) -> Result<Self> {
        let (rows, columns) = (asked.points.len(), asked.points.columns());
        match rows == columns {
            true => Ok(Precomputed),
            false => Err(Error::size("columns of a precomputed kernel", rows, columns)),
        }
    }

    fn read(_record: &Record) -> Result<Self> {
        Ok(Precomputed)
    }

    #[cfg(test)]
    fn examples() -> Vec<Self> {
        vec![Precomputed]
    }
}
