//! How good are explanations? Measures that look at a machine, some rows and what a method says of them.
//!
//! | measure | a row's number | better |
//! |---|---|---|
//! | [`perturbation`] | mean height of the score while regions go, the most relevant first | less |
//! | [`flipping`](crate::flipping) | the same for a detector, in differences from its support points | less |
//! | [`faithfulness`] | correlation of the relevance of drawn sets of regions with what the score loses without them | more |
//! | [`sensitivity`] | the largest change of the explanation under small noise | less |
//! | [`randomisation`] | rank correlation with the explanation of the same network with drawn weights | less |
//! | [`localisation`] | share of positive relevance inside a box | more |
//! | [`mosaics`] | the same in the right quadrant of four pictures put together | more |
//! | [`sparseness`] | Gini's index of the sizes | more |
//! | complexity | entropy of the sizes | less |
//!
//! Methods are ranked by their means ([`ranking`]), compared in pairs on the same rows with [`random`](crate::attribution::random)
//! relevance, which every method must beat, and with the best. No measure says everything: relevance that looks at nothing
//! is the least sensitive of all, and a single pixel the sparsest.

mod candidates;
mod eval_context;
pub mod faithfulness;
pub mod localisation;
pub mod mosaics;
pub mod perturbation;
pub mod randomisation;
pub mod ranking;
mod regions;
mod replace;
pub mod sensitivity;
pub mod sparseness;
pub mod statistics;

pub use candidates::{Candidate, EvalData, Judged, PerturbationCurve, judge};
pub use eval_context::EvalContext;
pub use localisation::{ByClass, Frame};
pub use ranking::{Better, Difference, Ranking};
pub use regions::{Pool, RowRegions};
pub use replace::{Instead, Replace};

use base::{Error, Result, choices, nearest, settings};
use randomisation::Layers;

choices! {
    /// What explanations are judged by.
    pub enum Measure {
        /// The score while regions go, the most relevant first.
        Perturbation = "perturbation",
        /// Outlierness while differences from support points go.
        Flipping = "flipping",
        /// Relevance beside what the score loses.
        Faithfulness = "faithfulness",
        /// Change under small noise.
        Sensitivity = "sensitivity",
        /// Likeness to the explanation of a network with drawn weights.
        Randomisation = "randomisation",
        /// Relevance in a box.
        Localisation = "localisation",
        /// Relevance in the right quadrant of a mosaic.
        Mosaics = "mosaics",
        /// Few large numbers.
        Sparseness = "sparseness",
        /// Many alike.
        Complexity = "complexity",
    }
}

impl Measure {
    /// All measures.
    pub const ALL: [Measure; 9] = [
        Measure::Perturbation,
        Measure::Flipping,
        Measure::Faithfulness,
        Measure::Sensitivity,
        Measure::Randomisation,
        Measure::Localisation,
        Measure::Mosaics,
        Measure::Sparseness,
        Measure::Complexity,
    ];

    /// The measure of that name; a slip is guessed.
    pub fn find(name: &str) -> Result<Measure> {
        Measure::from_word(name).ok_or_else(|| {
            let words = Self::ALL.map(|m| m.word());
            let hint = nearest(name, words).map_or(String::new(), |n| format!("; did you mean {n}?"));
            Error::parameter("measures", name, format!("must be one of {}{hint}", words.join(", ")))
        })
    }

    /// What a row's number is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Measure::Perturbation => "mean score as regions are removed, the most relevant first",
            Measure::Flipping => "area under the pixel-flipping curve, as a fraction of its start",
            Measure::Faithfulness => {
                "correlation of relevance with the decrease of the score when sets of \
                 regions are removed"
            }
            Measure::Sensitivity => "largest change of the explanation under small noise, relative to its norm",
            Measure::Randomisation => "rank correlation with explanations of the network with randomised weights",
            Measure::Localisation => "fraction of positive relevance inside the box",
            Measure::Mosaics => "fraction of positive relevance in the correct quarter of a mosaic of four images",
            Measure::Sparseness => "Gini index of the absolute relevance",
            Measure::Complexity => "entropy of the absolute relevance",
        }
    }

    /// Which numbers are better.
    pub fn better(self) -> Better {
        match self {
            Measure::Faithfulness | Measure::Localisation | Measure::Mosaics | Measure::Sparseness => Better::More,
            _ => Better::Less,
        }
    }
}

settings! {
    /// How measures measure; each looks at its own.
    pub struct Judging {
        /// Side of the regions of an image in pixels, or of a time series in steps; 0: a fourteenth of the longer side.
        pub region: usize = 0, in Range::AtLeast(0.0);
        /// How the relevance of a region is pooled from its inputs: sum, mean, max, or size (sum of absolute values, for gradients and signals).
        pub pool: Pool = Pool::Sum, in Range::Any;
        /// What removed regions are replaced by: mean, constant, noise, blur, neighbours or other (another row).
        pub replace: Replace = Replace::Mean, in Range::Any;
        /// Replacement value for replace=constant, as the machine itself sees it: after scaling.
        pub constant: f64 = 0.0, in Range::Any;
        /// Standard deviation of the Gaussian in pixels or time steps, for replace=blur.
        pub blur: f64 = 4.0, in Range::Between(0.1, 1000.0);
        /// Maximum number of steps of a perturbation curve; with more regions, several are removed per step.
        pub steps: usize = 100, in Range::AtLeast(1.0);
        /// Fraction of the regions that is removed in all.
        pub share: f64 = 1.0, in Range::Share;
        /// Random subsets of regions per row for faithfulness.
        pub sets: usize = 100, in Range::AtLeast(3.0);
        /// Fraction of the regions in each of these subsets.
        pub set_share: f64 = 0.2, in Range::Share;
        /// Noise for sensitivity, as a fraction of each row's range.
        pub radius: f64 = 0.02, in Range::Positive;
        /// Noisy copies per row for sensitivity.
        pub noisy: usize = 10, in Range::AtLeast(1.0);
        /// Layers that randomisation re-initialises: cascading (from the output down) or independent (one at a time).
        pub layers: Layers = Layers::Cascading, in Range::Any;
    }
}
