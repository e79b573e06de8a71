//! The linear kernel, k(x, u) = xᵀu.
//!
//! **Cost.** The inner product alone. **Limits.** Values grow with the norms, so double precision is kept.

use super::parts::{inner_nodes, value_of_inner};
use super::{BuiltIn, blank};
use crate::function::{KernelBasis, KernelFunction, KernelGradient, OfInner};
use crate::settings::Asked;
use base::graph::{Draft, Source};
use base::{Record, Result};

/// xᵀu.
#[derive(Debug, Clone, Copy)]
pub struct Linear;

impl KernelFunction for Linear {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn value(&self, x: &[f64], u: &[f64]) -> f64 {
        value_of_inner(self, x, u)
    }

    fn basis(&self) -> KernelBasis<'_> {
        KernelBasis::Inner(self)
    }

    fn gradient(&self) -> Option<&dyn KernelGradient> {
        Some(self)
    }

    fn parameters(&self) -> Record {
        blank::<Self>()
    }

    fn graph(&self, draft: &mut Draft, centres: Source) -> Result<Option<Source>> {
        Ok(Some(inner_nodes(draft, centres)))
    }
}

impl OfInner for Linear {
    fn finish(&self, _dots: &mut [f64], _norm: f64, _norms: &[f64]) {}

    fn finish_single(&self, _dots: &mut [f32], _norm: f64, _norms: &[f64]) {}

    fn needs_norms(&self) -> bool {
        false
    }
}

impl KernelGradient for Linear {
    fn add(&self, _x: &[f64], u: &[f64], along: f64, out: &mut [f64]) {
        numeric::add_scaled(out, along, u);
    }
}

impl BuiltIn for Linear {
    const NAME: &'static str = "linear";

    fn choose(_asked: &Asked<'_>) -> Result<Self> {
        Ok(Linear)
    }

    fn read(_record: &Record) -> Result<Self> {
        Ok(Linear)
    }

    #[cfg(test)]
    fn examples() -> Vec<Self> {
        vec![Linear]
    }
}
