//! The t-Student kernel, k(x, u) = 1 / (a + γ ‖x − u‖^q): Cauchy for q = 2.
//!
//! In terms of a bandwidth, γ = σ^−q.
//!
//! **Cost.** A division a value; for q other than 1, 2 and 4 a power as well. **Limits.** Positive definite for q ≤ 2.
//! Single precision only for q = 2: roots and other powers magnify errors of small distances.

use super::parts::{add_apart, affine_nodes, positive, powers, value_of_distance};
use super::{BuiltIn, blank};
use crate::function::{KernelBasis, KernelFunction, KernelGradient, OfDistances};
use crate::settings::Asked;
use base::graph::{Draft, Op, Source, Unary};
use base::{Record, Result};
use density::RadialKernel;
use numeric::Real;

/// 1 / (a + γ ‖x − u‖^q).
#[derive(Debug, Clone, Copy)]
pub struct Student {
    /// a.
    pub a: f64,
    /// γ.
    pub gamma: f64,
    /// q.
    pub q: f64,
}

impl Student {
    fn finish_any<T: Real>(&self, squares: &mut [T]) {
        powers(squares, self.q);
        let (a, gamma) = (T::narrow(self.a), T::narrow(self.gamma));
        squares.iter_mut().for_each(|s| *s = T::ONE / (a + gamma * *s));
    }
}

impl KernelFunction for Student {
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
        positive("a", self.a)?;
        positive("gamma", self.gamma)?;
        positive("q", self.q)
    }

    fn parameters(&self) -> Record {
        blank::<Self>().with("a", self.a).with("gamma", self.gamma).with("q", self.q)
    }

    fn positive_definite(&self) -> bool {
        self.q <= 2.0
    }

    fn diagonal(&self) -> Option<f64> {
        Some(1.0 / self.a)
    }

    fn single_error(&self, error: f64) -> f64 {
        if self.q == 2.0 { self.gamma * error } else { f64::INFINITY }
    }

    fn graph(&self, draft: &mut Draft, centres: Source) -> Result<Option<Source>> {
        let distances = draft.node("distances", Op::Distance { q: self.q }, &[Draft::INPUT, centres]);
        let below = affine_nodes(draft, distances, self.gamma, self.a)?;
        Ok(Some(draft.node("kernel", Op::Unary(Unary::Reciprocal), &[below])))
    }
}

impl OfDistances for Student {
    fn finish(&self, squares: &mut [f64]) {
        self.finish_any(squares);
    }

    fn finish_single(&self, squares: &mut [f32]) {
        self.finish_any(squares);
    }

    fn radial(&self) -> Option<RadialKernel> {
        Some(RadialKernel::Student { a: self.a, gamma: self.gamma, q: self.q })
    }
}

impl KernelGradient for Student {
    fn add(&self, x: &[f64], u: &[f64], along: f64, out: &mut [f64]) {
        let (gamma, q) = (self.gamma, self.q);
        let d = numeric::squared_distance(x, u).sqrt();
        if d > 0.0 {
            let k = 1.0 / (self.a + gamma * d.powf(q));
            add_apart(along * (-gamma * q * d.powf(q - 2.0) * k * k), x, u, out);
        }
    }
}

impl BuiltIn for Student {
    const NAME: &'static str = "student";

    fn choose(asked: &Asked<'_>) -> Result<Self> {
        let (a, q) = (asked.settings.a, asked.settings.q);
        Ok(Student { a, gamma: asked.radial(false, |sigma| sigma.powf(-q))?, q })
    }

    fn read(record: &Record) -> Result<Self> {
        Ok(Student { a: record.number("a")?, gamma: record.number("gamma")?, q: record.number("q")? })
    }

    #[cfg(test)]
    fn examples() -> Vec<Self> {
        vec![Student { a: 1.0, gamma: 0.7, q: 2.0 }, Student { a: 0.5, gamma: 1.0, q: 1.0 }]
    }
}
