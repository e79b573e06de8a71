//! Table to points: encoding of numbers, categories, text and pictures, imputation, scaling.
//!
//! Each step is a learner whose machine travels with the model, so that new data meet the same treatment. A table
//! goes through [`Encode`] first; what comes out of it are points, and every further step maps points to points.

/// The two ends of a machine that keeps them in its fields `features` and `outputs`.
macro_rules! ends {
    () => {
        fn inputs(&self) -> &base::Features {
            &self.features
        }

        fn outputs(&self) -> &base::Outputs {
            &self.outputs
        }
    };
}
pub(crate) use ends;

mod affine;
mod elementwise;
mod encode;
mod impute;
mod moments;
mod picture;
mod principal;
mod quantiles;
mod ranges;
mod scale;
mod schema;
mod text;

pub use affine::Affine;
pub use elementwise::{Elementwise, Log, Unit};
pub use encode::{
    BagOfWords, Beyond, Categories, Coding, Encode, Encoder, Frequency, Numbers, OneHot, Ordinal, Pictures, Resize,
    Scaling, TfIdf, Unseen, Weights, Words, join, table_step, takes_points,
};
pub use impute::{Fill, Filler, Impute};
pub use picture::{Patcher, Patches, Resizer, patch_rows};
pub use principal::{Pca, Principal, Whiten};
pub use ranges::{Center, MinMax, Robust, Symmetric};
pub use scale::Scale;
pub use text::Stem;
