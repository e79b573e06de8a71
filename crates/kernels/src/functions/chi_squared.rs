//! The chi-squared kernel of histograms, k(x, u) = exp(−γ Σ (xᵢ − uᵢ)² / (xᵢ + uᵢ)), of numbers ≥ 0.
//!
//! **Cost.** A division a coordinate, pair by pair. **Limits.** No form as a network.

use super::parts::positive;
use super::{BuiltIn, blank};
use crate::function::{KernelFunction, KernelGradient};
use crate::settings::Asked;
use base::{Record, Result};

/// exp(−γ Σ (xᵢ − uᵢ)² / (xᵢ + uᵢ)).
#[derive(Debug, Clone, Copy)]
pub struct ChiSquared {
    /// γ.
    pub gamma: f64,
}

impl KernelFunction for ChiSquared {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn value(&self, x: &[f64], u: &[f64]) -> f64 {
        // A sum of 0 counts nothing.
        let term = |(x, u): (&f64, &f64)| if x + u > 0.0 { (x - u) * (x - u) / (x + u) } else { 0.0 };
        (-self.gamma * x.iter().zip(u).map(term).sum::<f64>()).exp()
    }

    fn gradient(&self) -> Option<&dyn KernelGradient> {
        Some(self)
    }

    fn check(&self) -> Result<()> {
        positive("gamma", self.gamma)
    }

    fn parameters(&self) -> Record {
        blank::<Self>().with("gamma", self.gamma)
    }

    fn non_negative(&self) -> bool {
        true
    }

    fn scales_matter(&self) -> bool {
        true
    }

    fn diagonal(&self) -> Option<f64> {
        Some(1.0)
    }

    fn single_error(&self, _error: f64) -> f64 {
        // Computed in double precision and rounded once.
        0.0
    }
}

impl KernelGradient for ChiSquared {
    fn add(&self, x: &[f64], u: &[f64], along: f64, out: &mut [f64]) {
        let k = self.value(x, u);
        for ((o, &x), &u) in out.iter_mut().zip(x).zip(u) {
            // d/dx (x − u)²/(x + u) = 1 − 4u²/(x + u)²
            if x + u > 0.0 {
                *o -= along * self.gamma * k * (1.0 - 4.0 * u * u / ((x + u) * (x + u)));
            }
        }
    }
}

impl BuiltIn for ChiSquared {
    const NAME: &'static str = "chi-squared";

    fn choose(asked: &Asked<'_>) -> Result<Self> {
        Ok(ChiSquared { gamma: asked.gamma()? })
    }

    fn read(record: &Record) -> Result<Self> {
        Ok(ChiSquared { gamma: record.number("gamma")? })
    }

    #[cfg(test)]
    fn examples() -> Vec<Self> {
        vec![ChiSquared { gamma: 0.4 }]
    }
}
