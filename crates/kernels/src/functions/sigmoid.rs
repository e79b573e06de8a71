//! The sigmoid kernel, k(x, u) = tanh(γ xᵀu + c).
//!
//! **Cost.** A hyperbolic tangent a value. **Limits.** Not positive definite: solvers end at a stationary point, and
//! double precision is kept.

use super::parts::{affine_nodes, finite, inner_nodes, value_of_inner};
use super::{BuiltIn, blank};
use crate::function::{KernelBasis, KernelFunction, KernelGradient, OfInner};
use crate::settings::Asked;
use base::graph::{Draft, Op, Source, Unary};
use base::{Record, Result};

/// tanh(γ xᵀu + c).
#[derive(Debug, Clone, Copy)]
pub struct Sigmoid {
    /// γ.
    pub gamma: f64,
    /// c.
    pub coef0: f64,
}

impl KernelFunction for Sigmoid {
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
        finite("gamma", self.gamma)?;
        finite("coef0", self.coef0)
    }

    fn parameters(&self) -> Record {
        blank::<Self>().with("gamma", self.gamma).with("coef0", self.coef0)
    }

    fn positive_definite(&self) -> bool {
        false
    }

    fn graph(&self, draft: &mut Draft, centres: Source) -> Result<Option<Source>> {
        let products = inner_nodes(draft, centres);
        let base = affine_nodes(draft, products, self.gamma, self.coef0)?;
        Ok(Some(draft.node("kernel", Op::Unary(Unary::Tanh), &[base])))
    }
}

impl OfInner for Sigmoid {
    fn finish(&self, dots: &mut [f64], _norm: f64, _norms: &[f64]) {
        dots.iter_mut().for_each(|s| *s = (self.gamma * *s + self.coef0).tanh());
    }

    fn needs_norms(&self) -> bool {
        false
    }
}

impl KernelGradient for Sigmoid {
    fn add(&self, x: &[f64], u: &[f64], along: f64, out: &mut [f64]) {
        let t = (self.gamma * numeric::dot(x, u) + self.coef0).tanh();
        numeric::add_scaled(out, along * (self.gamma * (1.0 - t * t)), u);
    }
}

impl BuiltIn for Sigmoid {
    const NAME: &'static str = "sigmoid";

    fn choose(asked: &Asked<'_>) -> Result<Self> {
        Ok(Sigmoid { gamma: asked.gamma()?, coef0: asked.settings.coef0 })
    }

    fn read(record: &Record) -> Result<Self> {
        Ok(Sigmoid { gamma: record.number("gamma")?, coef0: record.number("coef0")? })
    }

    #[cfg(test)]
    fn examples() -> Vec<Self> {
        vec![Sigmoid { gamma: 0.02, coef0: -0.3 }]
    }
}
