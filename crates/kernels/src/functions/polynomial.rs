//! The polynomial kernel, k(x, u) = (γ xᵀu + c)^p.
//!
//! **Cost.** A power a value, by repeated multiplication. **Limits.** p from 1 to 64; positive definite for γ, c ≥ 0;
//! values grow without bound, so double precision is kept.

use super::parts::{affine_nodes, count, finite, inner_nodes, value_of_inner};
use super::{BuiltIn, blank};
use crate::function::{KernelBasis, KernelFunction, KernelGradient, OfInner};
use crate::settings::Asked;
use base::graph::{Binary, Draft, Op, Source};
use base::{Error, Record, Result};

/// (γ xᵀu + c)^p.
#[derive(Debug, Clone, Copy)]
pub struct Polynomial {
    /// γ.
    pub gamma: f64,
    /// c.
    pub coef0: f64,
    /// p.
    pub degree: u32,
}

impl Polynomial {
    fn power(&self) -> i32 {
        i32::try_from(self.degree).unwrap_or(i32::MAX)
    }
}

impl KernelFunction for Polynomial {
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
        finite("coef0", self.coef0)?;
        match self.degree {
            1..=64 => Ok(()),
            degree => Err(Error::parameter("degree", degree, "must lie between 1 and 64")),
        }
    }

    fn parameters(&self) -> Record {
        blank::<Self>().with("gamma", self.gamma).with("coef0", self.coef0).with("degree", self.degree as usize)
    }

    fn positive_definite(&self) -> bool {
        self.gamma >= 0.0 && self.coef0 >= 0.0
    }

    fn graph(&self, draft: &mut Draft, centres: Source) -> Result<Option<Source>> {
        let products = inner_nodes(draft, centres);
        let base = affine_nodes(draft, products, self.gamma, self.coef0)?;
        let power = draft.number("degree", f64::from(self.degree))?;
        Ok(Some(draft.node("powers", Op::Binary(Binary::Pow), &[base, power])))
    }
}

impl OfInner for Polynomial {
    fn finish(&self, dots: &mut [f64], _norm: f64, _norms: &[f64]) {
        let power = self.power();
        dots.iter_mut().for_each(|s| *s = (self.gamma * *s + self.coef0).powi(power));
    }

    fn needs_norms(&self) -> bool {
        false
    }
}

impl KernelGradient for Polynomial {
    fn add(&self, x: &[f64], u: &[f64], along: f64, out: &mut [f64]) {
        let s = self.gamma * numeric::dot(x, u) + self.coef0;
        let factor = f64::from(self.degree) * self.gamma * s.powi(self.power() - 1);
        numeric::add_scaled(out, along * factor, u);
    }
}

impl BuiltIn for Polynomial {
    const NAME: &'static str = "polynomial";

    fn choose(asked: &Asked<'_>) -> Result<Self> {
        let degree = u32::try_from(asked.settings.degree).unwrap_or(u32::MAX);
        Ok(Polynomial { gamma: asked.gamma()?, coef0: asked.settings.coef0, degree })
    }

    fn read(record: &Record) -> Result<Self> {
        Ok(Polynomial {
            gamma: record.number("gamma")?,
            coef0: record.number("coef0")?,
            degree: count(record, "degree")?,
        })
    }

    #[cfg(test)]
    fn examples() -> Vec<Self> {
        vec![
            Polynomial { gamma: 0.3, coef0: 1.0, degree: 3 },
            Polynomial { gamma: 0.1, coef0: 0.0, degree: 1 },
            Polynomial { gamma: 0.2, coef0: -1.0, degree: 2 },
        ]
    }
}
