//! The exponential kernel, k(x, u) = exp(−γ ‖x − u‖^q): Gaussian for q = 2, Laplacian for q = 1.
//!
//! In terms of a bandwidth, γ = 1/(q σ^q).
//!
//! **Cost.** An exponential a value, in wide registers; for q other than 1, 2 and 4 a power as well. **Limits.**
//! Indefinite for q > 2. Single precision only for q = 2: roots and other powers magnify errors of small distances.

use super::parts::{add_apart, affine_nodes, positive, powers, value_of_distance};
use super::{BuiltIn, Family, blank};
use crate::function::{KernelBasis, KernelFunction, KernelGradient, OfDistances};
use crate::settings::Asked;
use base::graph::{Draft, Op, Source, Unary};
use base::{Record, Result};
use numeric::Real;

/// exp(−γ ‖x − u‖^q).
#[derive(Debug, Clone, Copy)]
pub struct Exponential {
    /// γ.
    pub gamma: f64,
    /// q.
    pub q: f64,
}

impl Exponential {
    /// exp(−‖x − u‖^q / (q σ^q)).
    pub fn of_bandwidth(sigma: f64, q: f64) -> Self {
        Exponential { gamma: 1.0 / (q * sigma.powf(q)), q }
    }

    fn finish_any<T: Real>(&self, squares: &mut [T]) {
        powers(squares, self.q);
        let factor = T::narrow(-self.gamma);
        squares.iter_mut().for_each(|s| *s = factor * *s);
        numeric::exp(squares);
    }
}

impl KernelFunction for Exponential {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn value(&self, x: &[f64], u: &[f64]) -> f64 {
        value_of_distance(self, x, u)
    }

    fn basis(&self) -> KernelBasis<'_> {
        KernelBasis::Distances(self)
    }

    fn gradient(&self) -> Option<&dyn KernelGradient> {
        Some(self)
    }

    fn check(&self) -> Result<()> {
        positive("gamma", self.gamma)?;
        positive("q", self.q)
    }

    fn parameters(&self) -> Record {
        blank::<Self>().with("gamma", self.gamma).with("q", self.q)
    }

    fn positive_definite(&self) -> bool {
        self.q <= 2.0
    }

    fn diagonal(&self) -> Option<f64> {
        Some(1.0)
    }

    fn single_error(&self, error: f64) -> f64 {
        if self.q == 2.0 { self.gamma * error } else { f64::INFINITY }
    }

    fn graph(&self, draft: &mut Draft, centres: Source) -> Result<Option<Source>> {
        let distances = draft.node("distances", Op::Distance { q: self.q }, &[Draft::INPUT, centres]);
        let exponents = affine_nodes(draft, distances, -self.gamma, 0.0)?;
        Ok(Some(draft.node("kernel", Op::Unary(Unary::Exp), &[exponents])))
    }
}

impl OfDistances for Exponential {
    fn finish(&self, squares: &mut [f64]) {
        self.finish_any(squares);
    }

    fn finish_single(&self, squares: &mut [f32]) {
        self.finish_any(squares);
    }

    fn radial(&self) -> Option<density::RadialKernel> {
        Some(density::RadialKernel::Exponential { gamma: self.gamma, q: self.q })
    }
}

impl KernelGradient for Exponential {
    fn add(&self, x: &[f64], u: &[f64], along: f64, out: &mut [f64]) {
        let (gamma, q) = (self.gamma, self.q);
        let d = numeric::squared_distance(x, u).sqrt();
        if d > 0.0 {
            let factor = -gamma * q * d.powf(q - 2.0) * (-gamma * d.powf(q)).exp();
            add_apart(along * factor, x, u, out);
        }
    }
}

impl BuiltIn for Exponential {
    const NAME: &'static str = "exponential";

    fn choose(asked: &Asked<'_>) -> Result<Self> {
        let q = match asked.settings.kernel {
            Family::Gaussian => 2.0,
            Family::Laplacian => 1.0,
            _ => asked.settings.q,
        };
        Ok(Exponential { gamma: asked.radial(q == 2.0, |sigma| Self::of_bandwidth(sigma, q).gamma)?, q })
    }

    fn read(record: &Record) -> Result<Self> {
        Ok(Exponential { gamma: record.number("gamma")?, q: record.number("q")? })
    }

    #[cfg(test)]
    fn examples() -> Vec<Self> {
        [(1.5, 2.0), (2.0, 1.0), (2.0, 4.0), (2.0, 1.3)].map(|(sigma, q)| Self::of_bandwidth(sigma, q)).to_vec()
    }
}
