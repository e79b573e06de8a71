//! Densities that are weighted sums of radial kernels, g(x) = Σ_j α_j k(‖x − u_j‖), and what they say of themselves.
//!
//! One-class machines, kernel density estimates and mixtures of equal spheres are such sums, whatever crate they come from.
//! Here are, once for all of them: the sum ([`Density`]) and its kernels ([`RadialKernel`]), log g and outlierness far into the
//! tails, the gradient, and the explanation in closed form ([`OneClass`]), handed out through the door that every machine
//! has ([`base::Explains`]).

mod density;
mod one_class;
mod own;
mod radial;

pub use density::Density;
pub use one_class::OneClass;
pub use own::{METHODS, QUANTITY};
pub use radial::RadialKernel;
