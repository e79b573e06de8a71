//! What keeps weights small.
//!
//! | penalty | added to the cost | after a step of rate η |
//! |---|---|---|
//! | l2 | ½ γ Σ w² | w ← w (1 − η γ): weight decay |
//! | elimination | ½ γ Σ w² / (1 + w²) | w ← w − η γ w / (1 + w²)² |
//! | lp | γ/p Σ \|w\|ᵖ | w ← w − η γ \|w\|ᵖ⁻¹ sign w; for p = 1 drawn towards 0 by η γ and no further |
//!
//! Only weights with two axes or more are meant, not offsets. Of a rule that divides by squares the penalty is left out
//! of the gradient and taken off the weights by itself. The maximum norm is a bound: weights that are longer are
//! scaled back to it, all together or unit by unit (those that lead into one unit).
//!
//! - A. S. Weigend, D. E. Rumelhart, B. A. Huberman: Generalization by weight-elimination. NIPS 3, 1991.
//! - I. Loshchilov, F. Hutter: Decoupled weight decay regularization. ICLR 2019.

use crate::kernel::Context;
use crate::number::{Number, by_real, numbers};
use crate::ops::total_of;
use crate::train::rule::map;
use base::Result;
use base::graph::Tensor;
use numeric::{Real, each, each_chunk_mut};

base::choices! {
    /// What keeps weights small.
    pub enum Regularizer {
        /// Nothing.
        None = "none",
        /// The sum of squares: weight decay.
        L2 = "l2",
        /// Squares that saturate: small weights go, large ones stay.
        Elimination = "elimination",
        /// The sum of powers.
        Lp = "lp",
    }
}

base::choices! {
    /// Which weights a bound of the norm is for.
    pub enum NormOf {
        /// All weights together.
        All = "all",
        /// The weights into one unit.
        Unit = "unit",
    }
}

/// A penalty with its numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shrink {
    pub regularizer: Regularizer,
    /// Its strength γ.
    pub penalty: f64,
    /// The power p of `lp`.
    pub p: f64,
}

/// Elements that one thread takes in one go.
const PIECE: usize = 1 << 14;

impl Shrink {
    /// Whether there is anything to do.
    pub fn acts(&self) -> bool {
        self.regularizer != Regularizer::None && self.penalty > 0.0
    }

    /// What a weight adds to the cost.
    pub fn value(&self, w: f64) -> f64 {
        self.penalty
            * match self.regularizer {
                Regularizer::None => 0.0,
                Regularizer::L2 => 0.5 * w * w,
                Regularizer::Elimination => 0.5 * w * w / (1.0 + w * w),
                Regularizer::Lp => w.abs().powf(self.p) / self.p,
            }
    }

    /// The slope of that.
    pub fn slope(&self, w: f64) -> f64 {
        self.penalty
            * match self.regularizer {
                Regularizer::None => 0.0,
                Regularizer::L2 => w,
                Regularizer::Elimination => w / ((1.0 + w * w) * (1.0 + w * w)),
                Regularizer::Lp if w == 0.0 => 0.0,
                Regularizer::Lp => w.abs().powf(self.p - 1.0) * w.signum(),
            }
    }

    /// The weight `next`, to which a step of that rate led from `before`, drawn towards 0.
    pub fn drawn(&self, before: &Tensor, next: &Tensor, rate: f64, context: &Context<'_>) -> Result<Tensor> {
        by_real!(next.element(), drawn(*self, before, next, rate, context))
    }
}

fn drawn<T: Real + Number>(
    shrink: Shrink,
    before: &Tensor,
    next: &Tensor,
    rate: f64,
    context: &Context<'_>,
) -> Result<Tensor> {
    let (old, new, shape) = (numbers::<T>(before)?, numbers::<T>(next)?, next.shape());
    let bound = T::narrow(rate * shrink.penalty);
    match (shrink.regularizer, shrink.p == 1.0) {
        (Regularizer::L2, _) => map(context, shape, [old, new], |[old, new]| new - bound * old),
        // The proximal step: exact zeros.
        (Regularizer::Lp, true) => map(context, shape, [new], |[w]| {
            if w > bound {
                w - bound
            } else if w < -bound {
                w + bound
            } else {
                T::ZERO
            }
        }),
        _ => map(context, shape, [old, new], |[old, new]| new - T::narrow(rate * shrink.slope(old.wide()))),
    }
}

/// Σ x² of a tensor.
pub(crate) fn square(tensor: &Tensor, context: &Context<'_>) -> Result<f64> {
    fn go<T: Real + Number>(tensor: &Tensor, context: &Context<'_>) -> Result<f64> {
        let values = numbers::<T>(tensor)?;
        let pieces: Vec<&[T]> = values.chunks(PIECE).collect();
        let sums = each(context.run, pieces.len(), |i| Ok(total_of(pieces[i].iter().map(|x| x.wide() * x.wide()))))?;
        Ok(sums.iter().sum())
    }
    by_real!(tensor.element(), go(tensor, context))
}

/// A tensor times a number.
pub(crate) fn scaled(tensor: &Tensor, factor: f64, context: &Context<'_>) -> Result<Tensor> {
    fn go<T: Real + Number>(tensor: &Tensor, factor: f64, context: &Context<'_>) -> Result<Tensor> {
        let (values, factor) = (numbers::<T>(tensor)?, T::narrow(factor));
        map(context, tensor.shape(), [values], |[x]| x * factor)
    }
    by_real!(tensor.element(), go(tensor, factor, context))
}

/// A weight whose units (slices of the first axis) are no longer than the bound.
pub(crate) fn bounded_units(tensor: &Tensor, bound: f64, context: &Context<'_>) -> Result<Tensor> {
    fn go<T: Real + Number>(tensor: &Tensor, bound: f64, context: &Context<'_>) -> Result<Tensor> {
        let values = numbers::<T>(tensor)?;
        let size = (values.len() / tensor.shape().first().copied().unwrap_or(1).max(1)).max(1);
        let mut fresh = context.take::<T>(values.len())?;
        each_chunk_mut(context.run, &mut fresh.values, size, |unit, out| {
            let unit = &values[unit * size..][..out.len()];
            let length = total_of(unit.iter().map(|x| x.wide() * x.wide())).sqrt();
            let factor = T::narrow(if length > bound { bound / length } else { 1.0 });
            out.iter_mut().zip(unit).for_each(|(y, &x)| *y = x * factor);
            Ok(())
        })?;
        fresh.tensor(tensor.shape())
    }
    by_real!(tensor.element(), go(tensor, bound, context))
}
