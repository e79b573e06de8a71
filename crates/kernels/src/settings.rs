//! What a user says of the kernel and of the solver.

use crate::bandwidth::Width;
use crate::kernel::Kernel;
use base::{Dataset, Error, NumberOr, Result, Run, choices, settings};

choices! {
    /// Kernels by name.
    pub enum Family {
        /// xᵀu.
        Linear = "linear",
        /// (γ xᵀu + c)^p.
        Polynomial = "polynomial" | "poly",
        /// exp(−γ‖x − u‖²).
        Gaussian = "gaussian" | "rbf",
        /// exp(−γ‖x − u‖).
        Laplacian = "laplacian",
        /// exp(−γ‖x − u‖^q).
        Exponential = "exponential",
        /// 1 / (a + γ‖x − u‖^q).
        Student = "student",
        /// tanh(γ xᵀu + c).
        Sigmoid = "sigmoid",
        /// Arc-cosine of some layers.
        ArcCos = "arccos",
        /// exp(−γ Σ (x − u)²/(x + u)).
        ChiSquared = "chi-squared",
        /// Σ min(x, u).
        Intersection = "intersection",
        /// The inputs are kernel values, a column for each training row.
        Precomputed = "precomputed",
    }
}

/// Settings under which machines keep the contract of learners: by default a solver stops at a thousandth.
pub(crate) const TIGHT: &[(&str, &str)] = &[("tolerance", "1e-11")];

settings! {
    /// The kernel and its parameters.
    pub struct KernelSettings {
        /// the kernel
        pub kernel: Family = Family::Gaussian, in Range::Any;
        /// gamma of the kernel: a number, or scale (1 / (columns x variance)), auto (1 / columns), median or nearest (by distances between rows)
        pub gamma: NumberOr<Width> = NumberOr::Word(Width::Scale), in Range::Any;
        /// bandwidth in place of gamma (gaussian, laplacian, exponential, student); 0: gamma counts
        pub sigma: f64 = 0.0, in Range::AtLeast(0.0);
        /// power of the distance (exponential, student)
        pub q: f64 = 2.0, in Range::Positive;
        /// constant added (polynomial, sigmoid)
        pub coef0: f64 = 0.0, in Range::Any;
        /// degree (polynomial)
        pub degree: usize = 3, in Range::Between(1.0, 64.0);
        /// constant below the line (student)
        pub a: f64 = 1.0, in Range::Positive;
        /// layers (arccos)
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
        /// largest violation of the optimality conditions
        pub tolerance: f64 = 1e-3, in Range::Positive, as "tol";
        /// steps of two coordinates, at most
        pub steps: usize = 100_000_000, in Range::AtLeast(1.0), as "max_iter";
        /// memory for kernel values, in MB; what does not fit is computed again
        pub cache: usize = 2000, in Range::AtLeast(1.0), as "cache_size";
        /// digits of kernel values: auto, f32 or f64
        pub precision: Precision = Precision::Auto, in Range::Any;
    }
}

impl KernelSettings {
    /// The kernel these settings mean for these rows.
    pub fn choose(&self, data: &Dataset, run: &Run<'_>) -> Result<Kernel> {
        let (points, weights) = (data.points()?, data.weights.as_deref());
        let q = match self.kernel {
            Family::Gaussian => 2.0,
            Family::Laplacian => 1.0,
            _ => self.q,
        };
        let gamma = || match self.gamma {
            NumberOr::Number(gamma) => Ok(gamma),
            NumberOr::Word(width) => width.gamma(points, weights, run),
        };
        // For powers of distances, gamma follows from a bandwidth; a heuristic gives the Gaussian's.
        let radial = |student: bool| -> Result<f64> {
            let by_sigma = |sigma: f64| if student { sigma.powf(-q) } else { 1.0 / (q * sigma.powf(q)) };
            if self.sigma > 0.0 {
                return Ok(by_sigma(self.sigma));
            }
            match self.gamma {
                NumberOr::Number(gamma) => Ok(gamma),
                NumberOr::Word(width) if q == 2.0 && !student => width.gamma(points, weights, run),
                NumberOr::Word(width) => Ok(by_sigma((0.5 / width.gamma(points, weights, run)?).sqrt())),
            }
        };
        let degree = u32::try_from(self.degree).unwrap_or(u32::MAX);
        let kernel = match self.kernel {
            Family::Linear => Kernel::Linear,
            Family::Polynomial => Kernel::Polynomial { gamma: gamma()?, coef0: self.coef0, degree },
            Family::Sigmoid => Kernel::Sigmoid { gamma: gamma()?, coef0: self.coef0 },
            Family::Gaussian | Family::Laplacian | Family::Exponential => {
                Kernel::Exponential { gamma: radial(false)?, q }
            }
            Family::Student => Kernel::Student { a: self.a, gamma: radial(true)?, q },
            Family::ArcCos => Kernel::ArcCos { depth: u32::try_from(self.depth).unwrap_or(u32::MAX) },
            Family::ChiSquared => Kernel::ChiSquared { gamma: gamma()? },
            Family::Intersection => Kernel::Intersection,
            Family::Precomputed => {
                if points.len() != points.columns() {
                    return Err(Error::size("columns of a precomputed kernel", points.len(), points.columns()));
                }
                Kernel::Precomputed
            }
        };
        kernel.check()?;
        Ok(kernel)
    }
}
