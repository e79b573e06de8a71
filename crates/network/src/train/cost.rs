//! What a network pays for its outputs, row by row.
//!
//! With outputs s and targets τ of a row, summed over the outputs, and d = s − τ:
//!
//! | cost | value | slope |
//! |---|---|---|
//! | quadratic | ½ d² | d |
//! | Minkowski | \|d\|ʳ | r \|d\|ʳ⁻¹ sign d |
//! | Makram-Ebeid | γ d² where s τ > 0, else d² | 2 γ d or 2 d |
//! | cross entropy | Σ τ ln(τ / σ), σ = softmax(s) | σ Στ − τ |
//! | binary cross entropy | τ ln(τ / σ) + (1 − τ) ln((1 − τ) / (1 − σ)), σ = logistic(s) | σ − τ |
//!
//! The entropies are the divergence of Kullback and Leibler, at least 0 and equal to the cross entropy where τ is 0 or
//! 1; they take the scores before softmax or logistic, so that nothing is lost to rounding. Where |d|ʳ has no slope
//! (d = 0, r ≤ 1) it counts as 0.

base::choices! {
    /// What training makes small.
    pub enum Cost {
        /// Cross entropy for classes, quadratic for values.
        Auto = "auto",
        /// Half the squared difference.
        Quadratic = "quadratic",
        /// The difference to the power r.
        Minkowski = "minkowski",
        /// The squared difference, at first only where the sign is wrong.
        MakramEbeid = "makram-ebeid",
        /// The divergence of the softmax of the outputs from the targets.
        CrossEntropy = "cross-entropy",
        /// The same for each output by itself, with the logistic function.
        BinaryCrossEntropy = "binary-cross-entropy",
    }
}

/// A cost with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Which; `auto` counts as quadratic.
    pub cost: Cost,
    /// The power of Minkowski's.
    pub r: f64,
    /// The share of Makram-Ebeid's where the sign is right.
    pub gamma: f64,
}

impl Price {
    /// The cost of a row with these outputs and targets; the slope along the outputs is written.
    pub fn of(&self, outputs: &[f64], targets: &[f64], slope: &mut [f64]) -> f64 {
        let rows = || outputs.iter().zip(targets);
        let mut sum = 0.0;
        match self.cost {
            Cost::CrossEntropy => {
                let top = outputs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let (mut total, mut mass) = (0.0, 0.0);
                for ((s, t), g) in rows().zip(&mut *slope) {
                    *g = (s - top).exp();
                    total += *g;
                    mass += t;
                }
                let log = top + total.ln();
                for ((s, t), g) in rows().zip(slope) {
                    sum += information(*t) + t * (log - s);
                    *g = *g / total * mass - t;
                }
            }
            Cost::BinaryCrossEntropy => {
                for ((s, t), g) in rows().zip(slope) {
                    // log(1 + eˢ) without overflow.
                    let soft = s.max(0.0) + (-s.abs()).exp().ln_1p();
                    sum += soft - t * s + information(*t) + information(1.0 - t);
                    *g = 1.0 / (1.0 + (-s).exp()) - t;
                }
            }
            Cost::Auto | Cost::Quadratic => {
                for ((s, t), g) in rows().zip(slope) {
                    *g = s - t;
                    sum += 0.5 * *g * *g;
                }
            }
            Cost::MakramEbeid => {
                for ((s, t), g) in rows().zip(slope) {
                    let factor = if s * t > 0.0 { self.gamma } else { 1.0 };
                    sum += factor * (s - t) * (s - t);
                    *g = 2.0 * factor * (s - t);
                }
            }
            Cost::Minkowski => {
                for ((s, t), g) in rows().zip(slope) {
                    let d = s - t;
                    sum += d.abs().powf(self.r);
                    *g = if d == 0.0 { 0.0 } else { self.r * d.abs().powf(self.r - 1.0) * d.signum() };
                }
            }
        }
        sum
    }
}

/// τ ln τ, which is 0 at 0.
fn information(t: f64) -> f64 {
    if t > 0.0 { t * t.ln() } else { 0.0 }
}
