//! Other ways to explain a score, to compare with.
//!
//! | method | R_i | adds up |
//! |---|---|---|
//! | [`sensitivity`] | (∂f/∂x_i)² | no |
//! | [`gradient`], [`abs_gradient`], [`input_gradient`] | ∂f/∂x_i, its size, x_i ∂f/∂x_i | no |
//! | [`smooth_grad`], [`var_grad`] | mean and variance of ∂f/∂x_i over noisy copies | no |
//! | [`occlusion`], [`prediction_difference`] | what f loses without a part | no |
//! | [`lime`] | a linear model of f over hidden parts | no |
//! | [`kernel_shap`], [`shapley`] | Shapley values of parts | yes |
//! | [`taylor`] | (x_i − x̃_i) ∂f/∂x_i at a root x̃ found by search | to first order |
//! | [`integrated_gradients`] | (x_i − x̃_i) ∫ ∂f/∂x_i along the segment | yes |
//! | [`nearest`] | (x_i − u_i)², u the nearest support point | no |
//! | [`expected`] | (x_i − Σ_j α_j u_ji)² | no |
//! | [`sobel`] | the edges of a picture | no |
//! | [`Gaussian`] | (x_i − μ_i)² / (2 σ_i²) | yes |
//! | [`random`] | drawn | no |

pub(crate) mod gaussian;
pub(crate) mod gradients;
mod groups;
pub(crate) mod integrated;
mod local;
pub(crate) mod occlusion;
pub(crate) mod pieces;
pub(crate) mod prototypes;
pub(crate) mod smooth;
pub(crate) mod sobel;
pub(crate) mod taylor;

pub use gaussian::Gaussian;
pub use gradients::{abs_gradient, gradient, input_gradient, random, sensitivity};
pub use groups::Groups;
pub use integrated::{IntegrationSteps, integrated_gradients};
pub use local::{Absent, COUNTED, Local, kernel_shap, kernel_shap_over, lime, shapley};
pub use occlusion::{occlusion, prediction_difference};
pub use prototypes::{expected, mean_of, nearest};
pub use smooth::{NoiseOptions, smooth_grad, var_grad};
pub use sobel::sobel;
pub use taylor::{Roots, taylor};

use base::{Balance, Features, Points, Relevance, Result};

/// Numbers row after row as relevance.
pub(crate) fn relevance_of(
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
