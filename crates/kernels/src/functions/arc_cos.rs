//! The arc-cosine kernel of order 1, k(x, u) = J(θ) ‖x‖‖u‖ with θ the angle between x and u: one to three layers of ReLU
//! units without end.
//!
//! One layer: k = √(ab)/π · (sin θ + (π − θ) cos θ) with a = ‖x‖², b = ‖u‖², cos θ = xᵀu/√(ab); ∂k/∂(xᵀu) = (π − θ)/π,
//! ∂k/∂a = sin θ √(b/a) / 2π. k(x, x) = ‖x‖², so the norms stay from layer to layer.
//!
//! **Cost.** An arc cosine a value and layer. **Limits.** No form as a network; double precision is kept.
//!
//! - Y. Cho, L. Saul: *Kernel methods for deep learning.* NIPS 2009.

use super::parts::{count, value_of_inner};
use super::{BuiltIn, blank};
use crate::function::{KernelBasis, KernelFunction, KernelGradient, OfInner};
use crate::settings::Asked;
use base::{Error, Record, Result};
use std::f64::consts::PI;

/// The arc-cosine kernel of order 1, applied to itself `depth` times.
#[derive(Debug, Clone, Copy)]
pub struct ArcCos {
    /// Layers, 1 to 3.
    pub depth: u32,
}

impl ArcCos {
    /// The kernel of a dot product and two squared norms, with its slopes by the product and by the first norm.
    fn of(&self, dot: f64, a: f64, b: f64) -> (f64, f64, f64) {
        let root = (a * b).sqrt();
        if root <= 0.0 || !root.is_finite() {
            return (0.0, 0.0, 0.0);
        }
        let (mut s, mut by_dot, mut by_norm) = (dot, 1.0, 0.0);
        for _ in 0..self.depth {
            let cos = (s / root).clamp(-1.0, 1.0);
            let theta = cos.acos();
            let sin = (1.0 - cos * cos).sqrt();
            let slope = (PI - theta) / PI;
            by_norm = sin * (b / a).sqrt() / (2.0 * PI) + slope * by_norm;
            by_dot *= slope;
            s = root / PI * (sin + (PI - theta) * cos);
        }
        (s, by_dot, by_norm)
    }
}

impl KernelFunction for ArcCos {
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

    fn check(&self) -> Result<()> {
        match self.depth {
            1..=3 => Ok(()),
            depth => Err(Error::parameter("depth", depth, "must lie between 1 and 3")),
        }
    }

    fn parameters(&self) -> Record {
        blank::<Self>().with("depth", self.depth as usize)
    }
}

impl OfInner for ArcCos {
    fn finish(&self, dots: &mut [f64], norm: f64, norms: &[f64]) {
        dots.iter_mut().zip(norms).for_each(|(s, &other)| *s = self.of(*s, norm, other).0);
    }
}

impl KernelGradient for ArcCos {
    fn add(&self, x: &[f64], u: &[f64], along: f64, out: &mut [f64]) {
        let (norm, other) = (numeric::squared_norm(x), numeric::squared_norm(u));
        let (_, by_dot, by_norm) = self.of(numeric::dot(x, u), norm, other);
        numeric::add_scaled(out, along * by_dot, u);
        numeric::add_scaled(out, 2.0 * along * by_norm, x);
    }
}

impl BuiltIn for ArcCos {
    const NAME: &'static str = "arccos";

    fn choose(asked: &Asked<'_>) -> Result<Self> {
        Ok(ArcCos { depth: u32::try_from(asked.settings.depth).unwrap_or(u32::MAX) })
    }

    fn read(record: &Record) -> Result<Self> {
        Ok(ArcCos { depth: count(record, "depth")? })
    }

    #[cfg(test)]
    fn examples() -> Vec<Self> {
        vec![ArcCos { depth: 1 }, ArcCos { depth: 2 }, ArcCos { depth: 3 }]
    }
}
