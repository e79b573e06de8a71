//! What a user says of the kernel and of the solver.

use crate::bandwidth::Width;
use crate::functions::Family;
use crate::kernel::Kernel;
use base::{Dataset, NumberOr, Points, Result, Run, choices, settings};

/// Settings under which machines keep the contract of learners: by default a solver stops at a thousandth.
pub(crate) const TIGHT: &[(&str, &str)] = &[("tolerance", "1e-11")];

settings! {
    /// The kernel and its parameters.
    pub struct KernelSettings {
        /// kernel function
        pub kernel: Family = Family::Gaussian, in Range::Any;
        /// kernel coefficient gamma: a number, or scale (1 / (columns x variance)), auto (1 / columns), median or nearest (from distances between rows)
        pub gamma: NumberOr<Width> = NumberOr::Word(Width::Scale), in Range::Any;
        /// bandwidth, in place of gamma (gaussian, laplacian, exponential, student); 0: use gamma
        pub sigma: f64 = 0.0, in Range::AtLeast(0.0);
        /// exponent of the distance (exponential, student)
        pub q: f64 = 2.0, in Range::Positive;
        /// constant term (polynomial, sigmoid)
        pub coef0: f64 = 0.0, in Range::Any;
        /// degree (polynomial)
        pub degree: usize = 3, in Range::Between(1.0, 64.0);
        /// constant in the denominator (student)
        pub a: f64 = 1.0, in Range::Positive;
        /// number of layers (arccos)
        pub depth: usize = 1, in Range::Between(1.0, 3.0);
    }
}

choices! {
    /// Digits of kernel values that the solver works with.
    pub enum Precision {
        /// Double for up to 4,096 rows and where single would change values by more than about 1e-6; else single.
        Auto = "auto",
        /// Single.
        Single = "f32",
        /// Double.
        Double = "f64",
    }
}

settings! {
    /// When the solver stops and what it may use.
    pub struct SolverSettings {
        /// largest violation of the KKT conditions at which to stop
        pub tolerance: f64 = 1e-3, in Range::Positive, as "tol";
        /// maximum number of solver iterations (two coordinates each)
        pub steps: usize = 100_000_000, in Range::AtLeast(1.0), as "max_iter";
        /// cache for kernel values, in MB; what does not fit is recomputed
        pub cache: usize = 2000, in Range::AtLeast(1.0), as "cache_size";
        /// floating-point precision of kernel values: auto, f32 or f64
        pub precision: Precision = Precision::Auto, in Range::Any;
    }
}

impl KernelSettings {
    /// The kernel these settings mean for these rows.
    pub fn choose(&self, data: &Dataset, run: &Run<'_>) -> Result<Kernel> {
        let asked = Asked { settings: self, points: data.points()?, weights: data.weights.as_deref(), run };
        let kernel = self.kernel.choose(&asked)?;
        kernel.check()?;
        Ok(kernel)
    }
}

/// What a built-in kernel is chosen by: settings, and the rows they are meant for.
pub(crate) struct Asked<'a> {
    /// The settings.
    pub settings: &'a KernelSettings,
    /// The rows.
    pub points: &'a Points,
    weights: Option<&'a [f64]>,
    run: &'a Run<'a>,
}

impl Asked<'_> {
    /// γ, as a number or by a heuristic.
    pub fn gamma(&self) -> Result<f64> {
        match self.settings.gamma {
            NumberOr::Number(gamma) => Ok(gamma),
            NumberOr::Word(width) => width.gamma(self.points, self.weights, self.run),
        }
    }

    /// γ of a kernel of the distance, where `by_sigma` makes one of a bandwidth: that of the settings, or that of the
    /// Gaussian a heuristic means, which is taken as it is if the kernel is one.
    pub fn radial(&self, is_gaussian: bool, by_sigma: impl Fn(f64) -> f64) -> Result<f64> {
        if self.settings.sigma > 0.0 {
            return Ok(by_sigma(self.settings.sigma));
        }
        match self.settings.gamma {
            NumberOr::Number(gamma) => Ok(gamma),
            _ if is_gaussian => self.gamma(),
            _ => Ok(by_sigma((0.5 / self.gamma()?).sqrt())),
        }
    }
}
