//! Other ways to explain a score, to compare with.
//!
//! | method | R_i | adds up |
//! |---|---|---|
//! | [`sensitivity`] | (∂f/∂x_i)² | no |
//! | [`gradient`], [`input_gradient`] | ∂f/∂x_i, x_i ∂f/∂x_i | no |
//! | [`taylor`] | (x_i − x̃_i) ∂f/∂x_i at a root x̃ found by search | to first order |
//! | [`integrated_gradients`] | (x_i − x̃_i) ∫ ∂f/∂x_i along the segment | yes |
//! | [`nearest`] | (x_i − u_i)², u the nearest support point | no |
//! | [`expected`] | (x_i − Σ_j α_j u_ji)² | no |
//! | [`sobel`] | the edges of a picture | no |
//! | [`Gaussian`] | (x_i − μ_i)² / (2 σ_i²) | yes |
//! | [`random`] | drawn | no |

mod gaussian;
mod gradients;
mod integrated;
mod prototypes;
mod sobel;
mod taylor;

pub use gaussian::Gaussian;
pub use gradients::{gradient, input_gradient, random, sensitivity};
pub use integrated::{Steps, integrated_gradients};
pub use prototypes::{expected, mean_of, nearest};
pub use sobel::sobel;
pub use taylor::{Roots, taylor};

use base::{Balance, Features, Points, Relevance, Result};

/// Numbers row after row as relevance.
pub(crate) fn told(
    values: Vec<f64>,
    (rows, columns): (usize, usize),
    balance: Option<Vec<Balance>>,
    method: &str,
) -> Result<Relevance> {
    Ok(Relevance {
        values: Points::dense(values, rows, columns)?,
        features: Features::unnamed(columns),
        balance,
        method: method.into(),
    })
}
