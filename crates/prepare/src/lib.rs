//! Table to points: encoding, imputation, scaling.
//!
//! Each step is a learner whose machine travels with the model, so that new data meet the same treatment. A table
//! goes through [`Encode`] first; what comes out of it are points, and every further step maps points to points.

mod affine;
mod elementwise;
mod encode;
mod impute;
mod moments;
mod principal;
mod quantiles;
mod ranges;
mod scale;
mod schema;

pub use affine::Affine;
pub use elementwise::{Elementwise, Log, Unit};
pub use encode::{Encode, Encoder, Unseen};
pub use impute::{
    ChainedFiller, Deck, Fill, Filler, Impute, ImputeHotDeck, ImputeKnn, ImputeMice, ImputeMixture, ImputeRegression,
    KeptColumns, MixtureFiller, Multiple, Pooled, SparseColumns, complete_rows,
};
pub use principal::{Pca, Principal, Whiten};
pub use ranges::{Center, MinMax, Robust, Symmetric};
pub use scale::Scale;
