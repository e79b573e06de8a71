//! The histogram intersection, k(x, u) = Σ min(xᵢ, uᵢ), of numbers ≥ 0.
//!
//! **Cost.** A comparison a coordinate, pair by pair. **Limits.** Its gradient jumps where xᵢ = uᵢ; no form as a network.

use super::{BuiltIn, blank};
use crate::function::{KernelFunction, KernelGradient};
use crate::settings::Asked;
use base::{Record, Result};

/// Σ min(xᵢ, uᵢ).
#[derive(Debug, Clone, Copy)]
pub struct Intersection;

impl KernelFunction for Intersection {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn value(&self, x: &[f64], u: &[f64]) -> f64 {
        x.iter().zip(u).map(|(x, u)| x.min(*u)).sum()
    }

    fn gradient(&self) -> Option<&dyn KernelGradient> {
        Some(self)
    }

    fn parameters(&self) -> Record {
        blank::<Self>()
    }

    fn non_negative(&self) -> bool {
        true
    }

    fn scales_matter(&self) -> bool {
        true
    }

    fn single_error(&self, _error: f64) -> f64 {
        // Computed in double precision and rounded once.
        0.0
    }
}

impl KernelGradient for Intersection {
    fn add(&self, x: &[f64], u: &[f64], along: f64, out: &mut [f64]) {
        for ((o, x), u) in out.iter_mut().zip(x).zip(u) {
            *o += if x < u { along } else { 0.0 };
        }
    }
}

impl BuiltIn for Intersection {
    const NAME: &'static str = "intersection";

    fn choose(_asked: &Asked<'_>) -> Result<Self> {
        Ok(Intersection)
    }

    fn read(_record: &Record) -> Result<Self> {
        Ok(Intersection)
    }

    #[cfg(test)]
    fn examples() -> Vec<Self> {
        vec![Intersection]
    }
}
