//! The built-in kernels, a file each, and the table they are found in.
//!
//! | kernel | k(x, u) |
//! |---|---|
//! | linear | xᵀu |
//! | polynomial | (γ xᵀu + c)^p |
//! | sigmoid | tanh(γ xᵀu + c), not positive definite |
//! | exponential | exp(−γ ‖x − u‖^q): Gaussian for q = 2, Laplacian for q = 1; indefinite for q > 2 |
//! | t-Student | 1 / (a + γ ‖x − u‖^q): Cauchy for q = 2; positive definite for q ≤ 2 |
//! | arc-cosine | J(θ) ‖x‖‖u‖, one to three layers of ReLU units without end |
//! | chi-squared | exp(−γ Σ (xᵢ − uᵢ)² / (xᵢ + uᵢ)), of numbers ≥ 0 |
//! | intersection | Σ min(xᵢ, uᵢ), of numbers ≥ 0 |
//! | precomputed | the inputs are kernel values already, a column for each training row |
//!
//! A built-in kernel is a [`KernelFunction`] like any other, which settings can choose and records can name besides
//! (`BuiltIn`). Tests go over the table: a new line is tried by all of them.

mod arc_cos;
mod chi_squared;
mod exponential;
mod intersection;
mod linear;
mod parts;
mod polynomial;
mod precomputed;
mod sigmoid;
mod student;
#[cfg(test)]
mod tests;

use crate::function::KernelFunction;
use crate::kernel::Kernel;
use crate::settings::Asked;
use base::{Record, Result, choices};

/// A kernel that settings choose and records name.
pub(crate) trait BuiltIn: KernelFunction + Sized {
    /// Its name in records.
    const NAME: &'static str;

    /// The kernel that settings mean for some rows; its parameters are checked afterwards.
    fn choose(asked: &Asked<'_>) -> Result<Self>;

    /// The kernel of its record; its parameters are checked afterwards.
    fn read(record: &Record) -> Result<Self>;

    /// Some of it for the tests that go over the table: each case of its formula, with parameters that keep values of
    /// a few standard normal numbers moderate.
    #[cfg(test)]
    fn examples() -> Vec<Self>;
}

/// The record of a built-in kernel, without its parameters.
fn blank<K: BuiltIn>() -> Record {
    Record::new(format!("kernel-{}", K::NAME), 1)
}

/// What the table holds of a kernel.
struct Line {
    name: &'static str,
    settings: &'static [&'static str],
    choose: fn(&Asked<'_>) -> Result<Kernel>,
    read: fn(&Record) -> Result<Kernel>,
    #[cfg(test)]
    examples: fn() -> Vec<Kernel>,
}

impl Line {
    const fn of<K: BuiltIn>(settings: &'static [&'static str]) -> Self {
        Line {
            name: K::NAME,
            settings,
            choose: |asked| K::choose(asked).map(Kernel::new),
            read: |record| K::read(record).map(Kernel::new),
            #[cfg(test)]
            examples: || K::examples().into_iter().map(Kernel::new).collect(),
        }
    }
}

/// Makes the words users write and the table of the lines `module::Kernel: Word = "word" | "alias" [settings it takes]`.
macro_rules! table {
    ($($module:ident :: $kernel:ident:
        $($(#[$doc:meta])* $family:ident = $word:literal $(| $alias:literal)* [$($setting:ident)*]),+;)+) => {
        $(pub use $module::$kernel;)+

        choices! {
            /// Kernels by name.
            pub enum Family {
                $($($(#[$doc])* $family = $word $(| $alias)*,)+)+
            }
        }

        /// A line for each word, in the order of the words.
        const TABLE: &[(Family, Line)] =
            &[$($((Family::$family, Line::of::<$kernel>(&[$(stringify!($setting)),*])),)+)+];
    };
}

table! {
    linear::Linear: /** xᵀu. */ Linear = "linear" [];
    polynomial::Polynomial: /** (γ xᵀu + c)^p. */ Polynomial = "polynomial" | "poly" [gamma coef0 degree];
    exponential::Exponential:
        /** exp(−γ‖x − u‖²). */ Gaussian = "gaussian" | "rbf" [gamma sigma],
        /** exp(−γ‖x − u‖). */ Laplacian = "laplacian" [gamma sigma],
        /** exp(−γ‖x − u‖^q). */ Exponential = "exponential" [gamma sigma q];
    student::Student: /** 1 / (a + γ‖x − u‖^q). */ Student = "student" [gamma sigma q a];
    sigmoid::Sigmoid: /** tanh(γ xᵀu + c). */ Sigmoid = "sigmoid" [gamma coef0];
    arc_cos::ArcCos: /** Arc-cosine of some layers. */ ArcCos = "arccos" [depth];
    chi_squared::ChiSquared: /** exp(−γ Σ (x − u)²/(x + u)). */ ChiSquared = "chi-squared" [gamma];
    intersection::Intersection: /** Σ min(x, u). */ Intersection = "intersection" [];
    precomputed::Precomputed:
        /** The inputs are kernel values, a column for each training row. */ Precomputed = "precomputed" [];
}

impl Family {
    /// The settings of the kernel that count for it, by name.
    pub fn settings(self) -> &'static [&'static str] {
        TABLE[self as usize].1.settings
    }

    /// The kernel these settings mean for these rows.
    pub(crate) fn choose(self, asked: &Asked<'_>) -> Result<Kernel> {
        (TABLE[self as usize].1.choose)(asked)
    }
}

/// What reads the record of the built-in kernel of this name.
pub(crate) fn reader(name: &str) -> Option<fn(&Record) -> Result<Kernel>> {
    TABLE.iter().find(|(_, line)| line.name == name).map(|(_, line)| line.read)
}

/// Some of each kernel of the table.
#[cfg(test)]
pub(crate) fn examples() -> Vec<Kernel> {
    let mut seen = std::collections::HashSet::new();
    TABLE.iter().filter(|(_, line)| seen.insert(line.name)).flat_map(|(_, line)| (line.examples)()).collect()
}
