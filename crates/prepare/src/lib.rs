//! Table to points: encoding, imputation, scaling.
//!
//! Each step is a learner whose machine travels with the model, so that new data meet the same treatment. A table
//! goes through [`Encode`] first; what comes out of it are points, and every further step maps points to points.

mod affine;
mod encode;
mod impute;
mod moments;
mod scale;
mod schema;

pub use affine::Affine;
pub use encode::{Encode, Encoder, Unseen};
pub use impute::{Filler, Impute};
pub use scale::Scale;
