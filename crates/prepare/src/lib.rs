//! Table to points: encoding of numbers, categories, text and pictures, imputation, scaling; selection of columns,
//! resampling and augmentation of rows.
//!
//! Each step is a learner whose machine travels with the model, so that new data meet the same treatment. A table
//! goes through [`Encode`] first; what comes out of it are points, and every further step maps points to points. Steps
//! that change the training rows or choose columns by a learner hold the learner made of all that follows ([`Wrap`]).

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
mod augment;
mod balance;
mod calibrate;
mod calibrator;
mod class_weights;
mod columns;
mod conformal;
mod elementwise;
mod encode;
mod grow;
mod impute;
mod isotone;
mod label_cuts;
mod mutual;
mod noise;
mod oversample;
mod picture;
mod principal;
mod quantiles;
mod ranges;
mod relevance;
mod resample;
mod scale;
mod schema;
mod select;
mod selector;
mod sigmoids;
mod smote;
mod stepwise;
mod text;
mod thresholds;
mod undersample;
mod wrap;

pub use affine::Affine;
pub use augment::{Axis, Flip, Rotate, Shift};
pub use calibrate::{Calibrate, Method};
pub use calibrator::{CalibrationForm, Calibrator};
pub use class_weights::ClassWeights;
pub use conformal::{Conformal, ConformalRanks};
pub use elementwise::{Elementwise, Log, Unit};
pub use encode::{
    BagOfWords, Beyond, Categories, Coding, DateEncoding, DateParts, Dates, Encode, Encoder, Frequency, Numbers,
    OneHot, Ordinal, Pictures, Resize, Scaling, TfIdf, Unseen, Weights, Words, join, speaks_of, table_step,
    takes_points,
};
pub use impute::{
    ChainedFiller, Deck, Fill, Filler, Impute, ImputeHotDeck, ImputeKnn, ImputeMice, ImputeMixture, ImputeRegression,
    KeptColumns, MixtureFiller, Multiple, Pooled, SparseColumns, complete_rows,
};
pub use isotone::Isotone;
pub use label_cuts::LabelCuts;
pub use noise::Noise;
pub use oversample::{NoisyCopies, Oversample};
pub use picture::{Patcher, Patches, Resizer, patch_rows};
pub use principal::{Pca, Principal, Whiten};
pub use ranges::{Center, MinMax, Robust, Symmetric};
pub use resample::{Change, Resample, Resampled};
pub use scale::Scale;
pub use select::{By, Select};
pub use selector::Selector;
pub use sigmoids::{Sigmoids, platt, sigmoids};
pub use smote::Smote;
pub use stepwise::{Backward, Forward};
pub use text::Stem;
pub use thresholds::{For, Thresholds};
pub use undersample::Undersample;
pub use wrap::{Wrap, WrapPart, Wrapped};
