//! The settings of methods, described once.

use crate::rules::BatchNormWay;
use crate::segments::QuickShift;
use base::{Error, Result, choices, settings};

choices! {
    /// What is averaged over noisy copies.
    pub enum Smoothed {
        /// The gradient.
        Plain = "plain",
        /// Its size.
        Abs = "abs",
        /// Its square.
        Square = "square",
    }
}

choices! {
    /// Whose signs tell what pulls up.
    pub enum Signs {
        /// Of inputs and weights: their products.
        Products = "products",
        /// Of weights alone, as if no input were negative; biases as they are.
        Weights = "weights",
    }
}

choices! {
    /// The pieces of a picture that are hidden together.
    pub enum Pieces {
        /// Segments for lime, patches for kernel-shap.
        Auto = "auto",
        /// Segments of like colour, found by quick shift in each picture.
        Segments = "segments",
        /// Squares of a fixed side.
        Patches = "patches",
    }
}

settings! {
    /// How methods are set; each looks at its own.
    pub struct Tuning {
        /// ε of lrp-epsilon and of dense layers in composites: added to each denominator.
        pub epsilon: f64 = 1e-6, in Range::AtLeast(0.0);
        /// γ of lrp-gamma: extra weight of contributions that agree with the sign of the output.
        pub gamma: f64 = 0.25, in Range::AtLeast(0.0);
        /// α of lrp-alpha-beta; β is α − 1.
        pub alpha: f64 = 2.0, in Range::AtLeast(1.0);
        /// How γ, z⁺ and α1β0 identify positive contributions: by the sign of products (as zennit does) or of weights alone (as captum does).
        pub signs: Signs = Signs::Products, in Range::Any;
        /// Stabiliser of all other divisions.
        pub stabiliser: f64 = 1e-6, in Range::AtLeast(0.0);
        /// Treatment of batch normalisation: fused, one, two, star or pass.
        pub batch_norm: BatchNormWay = BatchNormWay::Fused, in Range::Any;
        /// Smallest value of an input, one number or one per channel; empty: each row's own, or 0.
        pub low: Vec<f64> = vec![], in Range::Any;
        /// Largest value of an input, one number or one per channel; empty: each row's own, or 0.
        pub high: Vec<f64> = vec![], in Range::Any;
        /// Noise of smoothgrad and vargrad, as a fraction of each row's range.
        pub noise: f64 = 0.1, in Range::AtLeast(0.0);
        /// Noisy copies of smoothgrad and vargrad.
        pub copies: usize = 32, in Range::AtLeast(1.0);
        /// What smoothgrad averages: plain, abs or square gradients.
        pub smoothed: Smoothed = Smoothed::Plain, in Range::Any;
        /// Steps of integrated-gradients; 0: until the approximation error is small.
        pub steps: usize = 0, in Range::AtLeast(0.0);
        /// Side of the patches of occlusion and kernel-shap on images, and length of the segments of time series.
        pub patch: usize = 8, in Range::AtLeast(1.0);
        /// Image regions that lime and kernel-shap mask: segments, patches or auto (segments for lime alone).
        pub pieces: Pieces = Pieces::Auto, in Range::Any;
        /// Kernel width of quick shift segmentation, in pixels; 0: 4, less for images narrower than 100 pixels.
        pub kernel_size: f64 = 0.0, in Range::Between(0.0, 10000.0);
        /// Largest link between pixels of one segment, in combined pixel and colour distance.
        pub max_dist: f64 = 200.0, in Range::Positive;
        /// Weight of colour against position in segmentation.
        pub ratio: f64 = 0.2, in Range::AtLeast(0.0);
        /// Samples of lime and kernel-shap.
        pub samples: usize = 1000, in Range::AtLeast(1.0);
        /// Kernel width of lime.
        pub width: f64 = 0.25, in Range::Positive;
        /// L2 penalty of lime's regression.
        pub penalty: f64 = 1.0, in Range::Positive, as "ridge", was "ridge";
        /// Baseline that replaces absent inputs, one number or one per column; empty: the mean of the data, 0 without data.
        pub reference: Vec<f64> = vec![], in Range::Any;
    }
}

impl Tuning {
    /// The reference for so many columns; none if the settings name none.
    pub fn reference_of(&self, columns: usize) -> Result<Option<Vec<f64>>> {
        match &self.reference[..] {
            [] => Ok(None),
            [one] => Ok(Some(vec![*one; columns])),
            list if list.len() == columns => Ok(Some(list.to_vec())),
            list => Err(Error::size("numbers of a reference", format!("1 or {columns}"), list.len())),
        }
    }

    /// How pictures of that height and width are cut into segments.
    pub fn segments(&self, (height, width): (usize, usize)) -> QuickShift {
        // A kernel of 4 takes a digit of 28 pixels for one segment.
        let usual = (height.min(width) as f64 / 25.0).clamp(1.0, 4.0);
        let kernel_size = if self.kernel_size == 0.0 { usual } else { self.kernel_size };
        QuickShift { kernel_size, max_dist: self.max_dist, ratio: self.ratio }
    }
}
