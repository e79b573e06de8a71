//! How a gradient becomes a change of the weights.
//!
//! With g the gradient, η the rate (times a weight's own factor) and all operations element by element:
//!
//! | rule | change Δ |
//! |---|---|
//! | sgd | −η g |
//! | momentum | Δ ← a Δ − η g |
//! | nesterov | v ← a v − η g, Δ = a v − η g |
//! | adagrad | s ← s + g², Δ = −η g / (√s + ε) |
//! | rmsprop | s ← ρ s + (1 − ρ) g², Δ = −η g / (√s + ε) |
//! | adam | m ← a m + (1 − a) g, s ← ρ s + (1 − ρ) g², Δ = −η m̂ / (√ŝ + ε), both divided by 1 − their factor^t |
//! | rprop | a step for each weight, times 1.2 where the sign of g stays, 0.5 where it changes; Δ = −step sign g |
//!
//! rprop needs the gradient over all rows; after a change of sign a weight stays for one step (iRprop−). L-BFGS is a
//! method of its own, see `newton`.
//!
//! - D. P. Kingma, J. Ba: Adam: a method for stochastic optimization. ICLR 2015.
//! - C. Igel, M. Hüsken: Empirical evaluation of the improved Rprop learning algorithm. *Neurocomputing* 50, 2003.

use crate::kernel::Context;
use crate::number::{Number, by_real, numbers};
use base::Result;
use base::graph::Tensor;
use numeric::{Real, each_chunk_mut};

base::choices! {
    /// How a gradient becomes a change of the weights.
    pub enum Optimizer {
        /// Moments of first and second order.
        Adam = "adam",
        /// Straight down.
        Sgd = "sgd",
        /// With some of the last change.
        Momentum = "momentum",
        /// The same, looking ahead.
        Nesterov = "nesterov",
        /// Divided by the root of all squares so far.
        AdaGrad = "adagrad",
        /// Divided by the root of the mean square.
        RmsProp = "rmsprop",
        /// Only signs, of the gradient over all rows.
        Rprop = "rprop",
        /// Limited-memory BFGS over all rows.
        Lbfgs = "lbfgs",
    }
}

impl Optimizer {
    /// Whether it needs the gradient over all rows.
    pub fn takes_all_rows(self) -> bool {
        matches!(self, Optimizer::Rprop | Optimizer::Lbfgs)
    }

    /// How many tensors it remembers for each weight.
    pub(crate) fn slots(self) -> usize {
        match self {
            Optimizer::Sgd | Optimizer::Lbfgs => 0,
            Optimizer::Momentum | Optimizer::Nesterov | Optimizer::AdaGrad | Optimizer::RmsProp => 1,
            Optimizer::Adam | Optimizer::Rprop => 2,
        }
    }
}

/// Numbers of a rule for one step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub rule: Optimizer,
    /// The rate η.
    pub rate: f64,
    /// The factor a of what went before.
    pub momentum: f64,
    /// The factor ρ of squares.
    pub decay: f64,
    /// Steps including this one, from 1.
    pub count: u64,
}

/// Keeps quotients finite.
const EPSILON: f64 = 1e-8;
/// Smallest and largest steps of rprop.
const STEPS: (f64, f64) = (1e-9, 50.0);
/// Elements that one thread takes in one go.
const PIECE: usize = 1 << 14;

/// The weight after a step; what the rule remembers is put into `slots`. `own` multiplies the rate element by element.
pub(crate) fn advance(
    step: Step,
    weight: &Tensor,
    gradient: &Tensor,
    own: Option<&Tensor>,
    slots: &mut [Tensor],
    context: &Context<'_>,
) -> Result<Tensor> {
    by_real!(weight.element(), typed(step, weight, gradient, own, slots, context))
}

fn typed<T: Real + Number>(
    step: Step,
    weight: &Tensor,
    gradient: &Tensor,
    own: Option<&Tensor>,
    slots: &mut [Tensor],
    context: &Context<'_>,
) -> Result<Tensor> {
    let (w, g) = (numbers::<T>(weight)?, numbers::<T>(gradient)?);
    let shape = weight.shape();
    let (rate, a, rho) = (T::narrow(step.rate), T::narrow(step.momentum), T::narrow(step.decay));
    let epsilon = T::narrow(EPSILON);
    let next = match step.rule {
        Optimizer::Sgd | Optimizer::Lbfgs => map(context, shape, [w, g], |[w, g]| w - rate * g)?,
        Optimizer::Momentum | Optimizer::Nesterov => {
            let before = numbers::<T>(&slots[0])?;
            let change = map(context, shape, [before, g], |[v, g]| a * v - rate * g)?;
            let v = numbers::<T>(&change)?;
            let next = match step.rule {
                Optimizer::Momentum => map(context, shape, [w, v], |[w, v]| w + v)?,
                _ => map(context, shape, [w, v, g], |[w, v, g]| w + (a * v - rate * g))?,
            };
            slots[0] = change;
            next
        }
        Optimizer::AdaGrad | Optimizer::RmsProp => {
            let before = numbers::<T>(&slots[0])?;
            let squares = match step.rule {
                Optimizer::AdaGrad => map(context, shape, [before, g], |[s, g]| s + g * g)?,
                _ => map(context, shape, [before, g], |[s, g]| rho * s + (T::ONE - rho) * g * g)?,
            };
            let s = numbers::<T>(&squares)?;
            let next = map(context, shape, [w, g, s], |[w, g, s]| w - rate * g / (s.root() + epsilon))?;
            slots[0] = squares;
            next
        }
        Optimizer::Adam => {
            let (mean, square) = (numbers::<T>(&slots[0])?, numbers::<T>(&slots[1])?);
            let mean = map(context, shape, [mean, g], |[m, g]| a * m + (T::ONE - a) * g)?;
            let square = map(context, shape, [square, g], |[s, g]| rho * s + (T::ONE - rho) * g * g)?;
            let (m, s) = (numbers::<T>(&mean)?, numbers::<T>(&square)?);
            let share = |factor: f64| T::narrow(1.0 / (1.0 - factor.powf(step.count as f64)));
            let (first, second) = (share(step.momentum), share(step.decay));
            let change = |[w, m, s]: [T; 3]| w - rate * (m * first) / ((s * second).root() + epsilon);
            let next = map(context, shape, [w, m, s], change)?;
            (slots[0], slots[1]) = (mean, square);
            next
        }
        Optimizer::Rprop => {
            let (length, last) = (numbers::<T>(&slots[0])?, numbers::<T>(&slots[1])?);
            let (low, high) = (T::narrow(STEPS.0), T::narrow(STEPS.1));
            let (longer, shorter, first) = (T::narrow(1.2), T::narrow(0.5), step.count == 1);
            let lengths = map(context, shape, [length, g, last], |[length, g, last]| {
                // The first step of all is the rate.
                let before = if first { rate } else { length };
                let turn = g * last;
                let after = before
                    * if turn > T::ZERO {
                        longer
                    } else if turn < T::ZERO {
                        shorter
                    } else {
                        T::ONE
                    };
                if after < low {
                    low
                } else if after > high {
                    high
                } else {
                    after
                }
            })?;
            let kept = map(context, shape, [g, last], |[g, last]| if g * last < T::ZERO { T::ZERO } else { g })?;
            let (l, k) = (numbers::<T>(&lengths)?, numbers::<T>(&kept)?);
            let next = map(context, shape, [w, l, k], |[w, l, k]| {
                if k > T::ZERO {
                    w - l
                } else if k < T::ZERO {
                    w + l
                } else {
                    w
                }
            })?;
            (slots[0], slots[1]) = (lengths, kept);
            next
        }
    };
    match own {
        None => Ok(next),
        Some(own) => {
            map(context, shape, [w, numbers::<T>(&next)?, numbers::<T>(own)?], |[w, next, own]| w + own * (next - w))
        }
    }
}

/// A tensor made of others, element by element.
pub(crate) fn map<T: Real + Number, const N: usize>(
    context: &Context<'_>,
    shape: &[usize],
    from: [&[T]; N],
    f: impl Fn([T; N]) -> T + Sync,
) -> Result<Tensor> {
    let length = from.iter().map(|x| x.len()).min().unwrap_or(0);
    let mut fresh = context.take::<T>(length)?;
    each_chunk_mut(context.run, &mut fresh.values, PIECE, |piece, out| {
        // Slices of one length, so that the loop below needs no checks.
        let start = piece * PIECE;
        let parts = from.map(|x| &x[start..start + out.len()]);
        for (i, y) in out.iter_mut().enumerate() {
            *y = f(parts.map(|x| x[i]));
        }
        Ok(())
    })?;
    fresh.tensor(shape)
}

/// Zeros of a tensor's type and shape.
pub(crate) fn zeros(like: &Tensor) -> Result<Tensor> {
    match like.element() {
        base::graph::Element::F32 => Tensor::f32(like.shape(), vec![0.0; like.numbers().len()]),
        _ => Tensor::f64(like.shape(), vec![0.0; like.numbers().len()]),
    }
}
