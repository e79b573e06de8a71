//! Looking at the cost of a network as a function of its parameters: gradients, curvature, step sizes, what can go.
//!
//! A cost over the vector of all parameters ([`NetworkCost`]) is an [`numeric::Objective`], and everything here asks
//! only that, so quadratic bowls and networks are treated alike.

mod cost;
mod curvature;
mod descent;
mod prune;
mod saliency;
mod spectrum;

pub use cost::{NetworkCost, OutputLoss, half_squares};
pub use curvature::{hessian, hessian_diagonal, hessian_times};
pub use descent::{Descent, Regime, descend};
pub use prune::{Pruned, Pruning, Round};
pub use saliency::{Mask, Saliency, saliencies, take_off};
pub use spectrum::{Spectrum, SpectrumEdge, spectrum};
