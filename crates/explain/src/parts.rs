//! Parts of numbers that rules ask for, and weights made ready once for all walks.
//!
//! | part | of w |
//! |---|---|
//! | same | w |
//! | positive, negative | max(0, w), min(0, w) |
//! | boosted | w + γ max(0, w), or w + γ min(0, w) |
//! | square | w² |
//! | ones | 1 |
//!
//! What is not a number stays none in every part but the last two's ones.

use base::graph::{Source, Tensor};
use base::{Result, Run};
use network::{Formula, Network};
use numeric::Real;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A part of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WeightPart {
    /// w.
    Same,
    /// max(0, w).
    Positive,
    /// min(0, w).
    Negative,
    /// w + γ max(0, w).
    BoostedUp(f64),
    /// w + γ min(0, w).
    BoostedDown(f64),
    /// w².
    Square,
    /// 1.
    Ones,
}

impl Formula<1> for WeightPart {
    fn of<T: Real>(&self, [x]: [T; 1]) -> T {
        // Written so that what is not a number passes.
        let above = |x: T| if x < T::ZERO { T::ZERO } else { x };
        let below = |x: T| if x > T::ZERO { T::ZERO } else { x };
        match *self {
            WeightPart::Same => x,
            WeightPart::Positive => above(x),
            WeightPart::Negative => below(x),
            WeightPart::BoostedUp(gamma) => x + T::narrow(gamma) * above(x),
            WeightPart::BoostedDown(gamma) => x + T::narrow(gamma) * below(x),
            WeightPart::Square => x * x,
            WeightPart::Ones => T::ONE,
        }
    }
}

impl WeightPart {
    /// What tells parts apart.
    fn key(self) -> (u8, u64) {
        match self {
            WeightPart::Same => (0, 0),
            WeightPart::Positive => (1, 0),
            WeightPart::Negative => (2, 0),
            WeightPart::BoostedUp(gamma) => (3, gamma.to_bits()),
            WeightPart::BoostedDown(gamma) => (4, gamma.to_bits()),
            WeightPart::Square => (5, 0),
            WeightPart::Ones => (6, 0),
        }
    }

    /// The part of one number.
    pub fn of_number(self, x: f64) -> f64 {
        Formula::of(&self, [x])
    }
}

/// Parts of weights, kept from walk to walk.
#[derive(Debug, Default)]
pub struct WeightParts(Mutex<HashMap<(Source, u8, u64), Tensor>>);

impl WeightParts {
    /// A part of the constant at a source.
    pub fn part(
        &self,
        source: Source,
        tensor: &Tensor,
        part: WeightPart,
        network: &Network,
        run: &Run<'_>,
    ) -> Result<Tensor> {
        if part == WeightPart::Same {
            return Ok(tensor.clone());
        }
        let key = (source, part.key().0, part.key().1);
        if let Some(found) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(found.clone());
        }
        let made = network.each([tensor], &part, run)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
        Ok(made)
    }
}
