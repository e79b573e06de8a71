//! Kernels as data: what the user chooses and what a model file stores.
//!
//! | kernel | k(x, u) |
//! |---|---|
//! | linear | xᵀu |
//! | polynomial | (γ xᵀu + c)^p |
//! | sigmoid | tanh(γ xᵀu + c), not positive definite |
//! | exponential | exp(−γ ‖x − u‖^q): Gaussian for q = 2, Laplacian for q = 1; indefinite for q > 2 |
//! | t-Student | 1 / (a + γ ‖x − u‖^q): Cauchy for q = 2; positive definite for q ≤ 2 |
//! | arc-cosine | J(θ) ‖x‖‖u‖, one to three layers of ReLU units without end (Cho and Saul 2009) |
//! | chi-squared | exp(−γ Σ (xᵢ − uᵢ)² / (xᵢ + uᵢ)), of numbers ≥ 0 |
//! | intersection | Σ min(xᵢ, uᵢ), of numbers ≥ 0 |
//! | precomputed | the inputs are kernel values already, a column for each training row |
//!
//! In terms of a bandwidth, γ = 1/(q σ^q) for the exponential kernel and σ^−q for t-Student. Kernels written in code
//! come in through [`OwnKernel`].
//!
//! - Y. Cho, L. Saul: *Kernel methods for deep learning.* NIPS 2009.

use base::{Error, Record, Result};
use numeric::Real;
use std::f64::consts::PI;
use std::sync::Arc;

/// A kernel with its parameters.
#[derive(Debug, Clone)]
pub enum Kernel {
    /// xᵀu.
    Linear,
    /// (γ xᵀu + c)^p.
    Polynomial {
        /// γ.
        gamma: f64,
        /// c.
        coef0: f64,
        /// p.
        degree: u32,
    },
    /// tanh(γ xᵀu + c).
    Sigmoid {
        /// γ.
        gamma: f64,
        /// c.
        coef0: f64,
    },
    /// exp(−γ ‖x − u‖^q).
    Exponential {
        /// γ.
        gamma: f64,
        /// q.
        q: f64,
    },
    /// 1 / (a + γ ‖x − u‖^q).
    Student {
        /// a.
        a: f64,
        /// γ.
        gamma: f64,
        /// q.
        q: f64,
    },
    /// The arc-cosine kernel of order 1, applied to itself `depth` times.
    ArcCos {
        /// Layers, 1 to 3.
        depth: u32,
    },
    /// exp(−γ Σ (xᵢ − uᵢ)² / (xᵢ + uᵢ)).
    ChiSquared {
        /// γ.
        gamma: f64,
    },
    /// Σ min(xᵢ, uᵢ).
    Intersection,
    /// The inputs are kernel values.
    Precomputed,
    /// A kernel written in code.
    Own(Arc<dyn OwnKernel>),
}

/// A kernel written in code. Model files keep its name and record; reading one needs the kernel again
/// ([`crate::Expansion::read_with`]).
pub trait OwnKernel: Send + Sync + std::fmt::Debug {
    /// Its name.
    fn name(&self) -> &str;

    /// k(x, u), symmetric; positive definite unless solvers should look for a stationary point only.
    fn value(&self, x: &[f64], u: &[f64]) -> f64;

    /// Writes ∂k(x, u)/∂x to `out` and answers true, where there is a slope.
    fn slope(&self, _x: &[f64], _u: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// Whether every matrix of its values is positive semi-definite.
    fn positive_definite(&self) -> bool {
        true
    }

    /// All that is needed to make it again.
    fn record(&self) -> Record {
        Record::new("own-kernel", 1)
    }
}

/// What a kernel is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// Inner products (and norms).
    Inner,
    /// Squared distances.
    Distances,
    /// The coordinates one by one.
    Coordinates,
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.record() == other.record()
    }
}

impl Kernel {
    /// The Gaussian kernel of bandwidth σ: exp(−‖x − u‖² / (2σ²)).
    pub fn gaussian(sigma: f64) -> Self {
        Self::exponential(sigma, 2.0)
    }

    /// exp(−‖x − u‖^q / (q σ^q)).
    pub fn exponential(sigma: f64, q: f64) -> Self {
        Kernel::Exponential { gamma: 1.0 / (q * sigma.powf(q)), q }
    }

    /// The word for it.
    pub fn word(&self) -> &str {
        match self {
            Kernel::Linear => "linear",
            Kernel::Polynomial { .. } => "polynomial",
            Kernel::Sigmoid { .. } => "sigmoid",
            Kernel::Exponential { .. } => "exponential",
            Kernel::Student { .. } => "student",
            Kernel::ArcCos { .. } => "arccos",
            Kernel::ChiSquared { .. } => "chi-squared",
            Kernel::Intersection => "intersection",
            Kernel::Precomputed => "precomputed",
            Kernel::Own(own) => own.name(),
        }
    }

    /// Whether every matrix of its values is positive semi-definite, so that fits are convex (Mercer).
    pub fn positive_definite(&self) -> bool {
        match self {
            Kernel::Sigmoid { .. } | Kernel::Precomputed => false,
            Kernel::Polynomial { gamma, coef0, .. } => *gamma >= 0.0 && *coef0 >= 0.0,
            Kernel::Exponential { q, .. } | Kernel::Student { q, .. } => *q <= 2.0,
            Kernel::Own(own) => own.positive_definite(),
            _ => true,
        }
    }

    /// Whether it falls with the distance, is positive, and its logarithm or inverse grows with a power of it: what
    /// outlierness needs.
    pub fn radial(&self) -> bool {
        matches!(self, Kernel::Exponential { .. } | Kernel::Student { .. })
    }

    pub(crate) fn from(&self) -> From {
        match self {
            Kernel::Linear | Kernel::Polynomial { .. } | Kernel::Sigmoid { .. } | Kernel::ArcCos { .. } => From::Inner,
            Kernel::Exponential { .. } | Kernel::Student { .. } => From::Distances,
            Kernel::Precomputed => From::Inner,
            Kernel::ChiSquared { .. } | Kernel::Intersection | Kernel::Own(_) => From::Coordinates,
        }
    }

    /// Makes sure that the parameters are finite and in their range.
    pub fn check(&self) -> Result<()> {
        let positive = |name: &str, x: f64| match x > 0.0 && x.is_finite() {
            true => Ok(()),
            false => Err(Error::parameter(name, x, "must be greater than 0 and finite")),
        };
        let finite = |name: &str, x: f64| match x.is_finite() {
            true => Ok(()),
            false => Err(Error::parameter(name, x, "must be finite")),
        };
        match *self {
            Kernel::Polynomial { gamma, coef0, degree } => {
                finite("gamma", gamma)?;
                finite("coef0", coef0)?;
                match degree {
                    1..=64 => Ok(()),
                    _ => Err(Error::parameter("degree", degree, "must lie between 1 and 64")),
                }
            }
            Kernel::Sigmoid { gamma, coef0 } => finite("gamma", gamma).and(finite("coef0", coef0)),
            Kernel::Exponential { gamma, q } => positive("gamma", gamma).and(positive("q", q)),
            Kernel::Student { a, gamma, q } => positive("a", a).and(positive("gamma", gamma)).and(positive("q", q)),
            Kernel::ArcCos { depth } => match depth {
                1..=3 => Ok(()),
                _ => Err(Error::parameter("depth", depth, "must lie between 1 and 3")),
            },
            Kernel::ChiSquared { gamma } => positive("gamma", gamma),
            Kernel::Linear | Kernel::Intersection | Kernel::Precomputed | Kernel::Own(_) => Ok(()),
        }
    }

    /// k(x, u) of two points written out.
    pub fn value(&self, x: &[f64], u: &[f64]) -> f64 {
        match self.from() {
            From::Inner => {
                let mut one = [numeric::dot(x, u)];
                self.finish_inner(&mut one, numeric::squared_norm(x), &[numeric::squared_norm(u)]);
                one[0]
            }
            From::Distances => {
                let mut one = [numeric::squared_distance(x, u)];
                self.finish_distances(&mut one);
                one[0]
            }
            From::Coordinates => match self {
                Kernel::ChiSquared { gamma } => (-gamma * chi_squared(x, u)).exp(),
                Kernel::Own(own) => own.value(x, u),
                _ => x.iter().zip(u).map(|(x, u)| x.min(*u)).sum(),
            },
        }
    }

    /// Inner products with one point of squared norm `norm` become kernel values.
    pub(crate) fn finish_inner<T: Real>(&self, dots: &mut [T], norm: f64, norms: &[f64]) {
        match *self {
            Kernel::Polynomial { gamma, coef0, degree } => {
                let power = i32::try_from(degree).unwrap_or(i32::MAX);
                dots.iter_mut().for_each(|s| *s = T::narrow((gamma * s.wide() + coef0).powi(power)));
            }
            Kernel::Sigmoid { gamma, coef0 } => {
                dots.iter_mut().for_each(|s| *s = T::narrow((gamma * s.wide() + coef0).tanh()));
            }
            Kernel::ArcCos { depth } => {
                for (s, &other) in dots.iter_mut().zip(norms) {
                    *s = T::narrow(arc_cos(s.wide(), norm, other, depth).0);
                }
            }
            _ => {}
        }
    }

    /// Squared distances become kernel values.
    pub(crate) fn finish_distances<T: Real>(&self, squares: &mut [T]) {
        match *self {
            Kernel::Exponential { gamma, q } => {
                powers(squares, q);
                let factor = T::narrow(-gamma);
                squares.iter_mut().for_each(|s| *s = factor * *s);
                numeric::exp(squares);
            }
            Kernel::Student { a, gamma, q } => {
                powers(squares, q);
                let (a, gamma) = (T::narrow(a), T::narrow(gamma));
                squares.iter_mut().for_each(|s| *s = T::ONE / (a + gamma * *s));
            }
            _ => {}
        }
    }

    /// Adds `along` · ∂k(x, u)/∂x to `out`; answers false where the kernel has no slope.
    pub fn add_slope(&self, x: &[f64], u: &[f64], along: f64, out: &mut [f64]) -> bool {
        let inner = |factor: f64, out: &mut [f64]| numeric::add_scaled(out, along * factor, u);
        // A function of the distance: its derivative by d, divided by d, times the difference.
        let apart = |factor: f64, out: &mut [f64]| {
            out.iter_mut().zip(x).zip(u).for_each(|((o, x), u)| *o += along * factor * (x - u));
        };
        match *self {
            Kernel::Linear | Kernel::Precomputed => inner(1.0, out),
            Kernel::Polynomial { gamma, coef0, degree } => {
                let s = gamma * numeric::dot(x, u) + coef0;
                inner(f64::from(degree) * gamma * s.powi(i32::try_from(degree).unwrap_or(i32::MAX) - 1), out);
            }
            Kernel::Sigmoid { gamma, coef0 } => {
                let t = (gamma * numeric::dot(x, u) + coef0).tanh();
                inner(gamma * (1.0 - t * t), out);
            }
            Kernel::Exponential { gamma, q } => {
                let d = numeric::squared_distance(x, u).sqrt();
                if d > 0.0 {
                    apart(-gamma * q * d.powf(q - 2.0) * (-gamma * d.powf(q)).exp(), out);
                }
            }
            Kernel::Student { a, gamma, q } => {
                let d = numeric::squared_distance(x, u).sqrt();
                if d > 0.0 {
                    let k = 1.0 / (a + gamma * d.powf(q));
                    apart(-gamma * q * d.powf(q - 2.0) * k * k, out);
                }
            }
            Kernel::ArcCos { depth } => {
                let (norm, other) = (numeric::squared_norm(x), numeric::squared_norm(u));
                let (_, by_dot, by_norm) = arc_cos(numeric::dot(x, u), norm, other, depth);
                inner(by_dot, out);
                numeric::add_scaled(out, 2.0 * along * by_norm, x);
            }
            Kernel::ChiSquared { gamma } => {
                let k = (-gamma * chi_squared(x, u)).exp();
                for ((o, &x), &u) in out.iter_mut().zip(x).zip(u) {
                    // d/dx (x − u)²/(x + u) = 1 − 4u²/(x + u)²
                    if x + u > 0.0 {
                        *o -= along * gamma * k * (1.0 - 4.0 * u * u / ((x + u) * (x + u)));
                    }
                }
            }
            Kernel::Intersection => {
                for ((o, x), u) in out.iter_mut().zip(x).zip(u) {
                    *o += if x < u { along } else { 0.0 };
                }
            }
            Kernel::Own(ref own) => {
                let mut slope = vec![0.0; out.len()];
                if !own.slope(x, u, &mut slope) {
                    return false;
                }
                numeric::add_scaled(out, along, &slope);
            }
        }
        true
    }

    /// Whether there is a slope in the inputs.
    pub fn has_slope(&self) -> bool {
        match self {
            Kernel::Own(own) => own.slope(&[], &[], &mut []),
            _ => true,
        }
    }

    /// The kernel as plain data.
    pub fn record(&self) -> Record {
        let record = Record::new(format!("kernel-{}", self.word()), 1);
        match self {
            Kernel::Linear | Kernel::Intersection | Kernel::Precomputed => record,
            Kernel::Polynomial { gamma, coef0, degree } => {
                record.with("gamma", *gamma).with("coef0", *coef0).with("degree", *degree as usize)
            }
            Kernel::Sigmoid { gamma, coef0 } => record.with("gamma", *gamma).with("coef0", *coef0),
            Kernel::Exponential { gamma, q } => record.with("gamma", *gamma).with("q", *q),
            Kernel::Student { a, gamma, q } => record.with("a", *a).with("gamma", *gamma).with("q", *q),
            Kernel::ArcCos { depth } => record.with("depth", *depth as usize),
            Kernel::ChiSquared { gamma } => record.with("gamma", *gamma),
            Kernel::Own(own) => record.with("own", own.record()),
        }
    }

    /// A kernel from plain data; `own` is the kernel in code it may speak of.
    pub fn read(record: &Record, own: Option<&Arc<dyn OwnKernel>>) -> Result<Self> {
        let number = |name: &str| record.number(name);
        let count = |name: &str| {
            let n = record.count(name)?;
            u32::try_from(n).map_err(|_| record.broken(format!("{name} is {n}")))
        };
        record.expect(record.kind(), 1)?;
        let kernel = match record.kind().strip_prefix("kernel-").unwrap_or_default() {
            "linear" => Kernel::Linear,
            "polynomial" => {
                Kernel::Polynomial { gamma: number("gamma")?, coef0: number("coef0")?, degree: count("degree")? }
            }
            "sigmoid" => Kernel::Sigmoid { gamma: number("gamma")?, coef0: number("coef0")? },
            "exponential" => Kernel::Exponential { gamma: number("gamma")?, q: number("q")? },
            "student" => Kernel::Student { a: number("a")?, gamma: number("gamma")?, q: number("q")? },
            "arccos" => Kernel::ArcCos { depth: count("depth")? },
            "chi-squared" => Kernel::ChiSquared { gamma: number("gamma")? },
            "intersection" => Kernel::Intersection,
            "precomputed" => Kernel::Precomputed,
            name => match own.filter(|own| own.name() == name && record.part("own") == Ok(&own.record())) {
                Some(own) => Kernel::Own(own.clone()),
                None => {
                    let what = format!("the kernel {name:?}");
                    return Err(Error::unsupported(what, "this program", "read the model where that kernel is known"));
                }
            },
        };
        kernel.check()?;
        Ok(kernel)
    }
}

/// Squared distances become distances to the power q.
fn powers<T: Real>(squares: &mut [T], q: f64) {
    match q {
        2.0 => {}
        1.0 => squares.iter_mut().for_each(|s| *s = s.root()),
        4.0 => squares.iter_mut().for_each(|s| *s = *s * *s),
        _ => squares.iter_mut().for_each(|s| *s = T::narrow(s.wide().powf(0.5 * q))),
    }
}

/// Σ (xᵢ − uᵢ)² / (xᵢ + uᵢ), where a sum of 0 counts nothing.
fn chi_squared(x: &[f64], u: &[f64]) -> f64 {
    let term = |(x, u): (&f64, &f64)| if x + u > 0.0 { (x - u) * (x - u) / (x + u) } else { 0.0 };
    x.iter().zip(u).map(term).sum()
}

/// The arc-cosine kernel of a dot product and two squared norms, with its slopes by the product and by the first norm.
///
/// One layer: k = √(ab)/π · (sin θ + (π − θ) cos θ), cos θ = s/√(ab); ∂k/∂s = (π − θ)/π, ∂k/∂a = sin θ √(b/a) / 2π.
/// k(x, x) = ‖x‖², so the norms stay from layer to layer.
fn arc_cos(dot: f64, a: f64, b: f64, depth: u32) -> (f64, f64, f64) {
    let root = (a * b).sqrt();
    if root <= 0.0 || !root.is_finite() {
        return (0.0, 0.0, 0.0);
    }
    let (mut s, mut by_dot, mut by_norm) = (dot, 1.0, 0.0);
    for _ in 0..depth {
        let cos = (s / root).clamp(-1.0, 1.0);
        let theta = cos.acos();
        let sin = (1.0 - cos * cos).sqrt();
        let slope = (PI - theta) / PI;
        by_norm = sin * (b / a).sqrt() / (2.0 * PI) + slope * by_norm;
        by_dot *= slope;
        s = root / PI * (sin + (PI - theta) * cos);
    }
    (s, by_dot, by_norm)
}
