//! What a kernel is: a function k(x, u) of two points, and what it knows of itself.
//!
//! Solvers, machines and explanations ask a kernel through [`KernelFunction`] and know none by name. A name and a value
//! are enough; all else has a default, and each declaration buys something: a basis buys blocks of values at the speed
//! of matrix products, a gradient the gradient of every machine, a graph its form as a network.
//!
//! **Cost.** Dispatch is by block or by row of a block, never by value, wherever a kernel declares a basis; kernels of
//! coordinates are asked pair by pair.

use base::graph::{Draft, Source};
use base::{Record, Result};
use density::RadialKernel;
use numeric::Real;
use std::any::Any;
use std::fmt::Debug;

/// A kernel. The built-in ones are in [`crate::functions`]; those written in code are taken by
/// [`crate::WithKernel`], and reading a machine that has one needs the kernel again ([`crate::Expansion::read_with`]).
pub trait KernelFunction: Any + Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// k(x, u), symmetric.
    fn value(&self, x: &[f64], u: &[f64]) -> f64;

    /// What it is computed from.
    fn basis(&self) -> KernelBasis<'_> {
        KernelBasis::Coordinates
    }

    /// Its gradient, where it has one.
    fn gradient(&self) -> Option<&dyn KernelGradient> {
        None
    }

    /// Makes sure that the parameters are finite and in their range.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// All that is needed to make it again.
    fn parameters(&self) -> Record {
        Record::new("own-kernel", 1)
    }

    /// Whether every matrix of its values is positive semi-definite, so that fits are convex (Mercer); solvers look for
    /// a stationary point otherwise.
    fn positive_definite(&self) -> bool {
        true
    }

    /// Whether it is of histograms and takes no negative numbers.
    fn non_negative(&self) -> bool {
        false
    }

    /// Whether columns of large numbers outweigh the others, which is worth a warning.
    fn scales_matter(&self) -> bool {
        matches!(self.basis(), KernelBasis::Inner(_) | KernelBasis::Distances(_))
    }

    /// k(x, x), if it is the same for all x.
    fn diagonal(&self) -> Option<f64> {
        None
    }

    /// How far values are off at most where inner products or squared distances are off by `error`, or infinity where
    /// all digits are needed. Decides whether single precision will do.
    fn single_error(&self, _error: f64) -> f64 {
        f64::INFINITY
    }

    /// The nodes that compute (rows, centres) kernel values of [`Draft::INPUT`] and the centres, where there are some.
    fn graph(&self, _draft: &mut Draft, _centres: Source) -> Result<Option<Source>> {
        Ok(None)
    }
}

/// What a kernel is computed from.
#[derive(Debug, Clone, Copy)]
pub enum KernelBasis<'k> {
    /// Inner products and norms.
    Inner(&'k dyn OfInner),
    /// Squared distances.
    Distances(&'k dyn OfDistances),
    /// The coordinates, pair by pair.
    Coordinates,
    /// Nothing: the inputs are kernel values, a column for each training row.
    Precomputed,
}

/// A kernel as a function of inner products and norms.
pub trait OfInner: Debug + Sync {
    /// Inner products of one point with others become kernel values: `norm` is the squared norm of the one, `norms` are
    /// those of the others if they are needed.
    fn finish(&self, dots: &mut [f64], norm: f64, norms: &[f64]);

    /// The same in single precision.
    fn finish_single(&self, dots: &mut [f32], norm: f64, norms: &[f64]) {
        in_double(dots, |wide| self.finish(wide, norm, norms));
    }

    /// Whether it looks at the norms.
    fn needs_norms(&self) -> bool {
        true
    }
}

/// A kernel as a function of the distance.
pub trait OfDistances: Debug + Sync {
    /// Squared distances become kernel values.
    fn finish(&self, squares: &mut [f64]);

    /// The same in single precision.
    fn finish_single(&self, squares: &mut [f32]) {
        in_double(squares, |wide| self.finish(wide));
    }

    /// The same as outlierness knows it, if it is positive, falls with the distance, and its logarithm or inverse grows
    /// with a power of it.
    fn radial(&self) -> Option<RadialKernel> {
        None
    }
}

/// The gradient of a kernel in its first argument.
pub trait KernelGradient {
    /// Adds `along` · ∂k(x, u)/∂x to `out`.
    fn add(&self, x: &[f64], u: &[f64], along: f64, out: &mut [f64]);
}

/// Works on numbers of single precision in double.
fn in_double(line: &mut [f32], work: impl FnOnce(&mut [f64])) {
    let mut wide: Vec<f64> = line.iter().map(|&x| f64::from(x)).collect();
    work(&mut wide);
    line.iter_mut().zip(wide).for_each(|(x, wide)| *x = wide as f32);
}

/// The precisions that kernel values come in: each takes the finish that is made for it.
pub(crate) trait Digits: Real {
    /// Inner products become kernel values.
    fn finish_inner(kernel: &dyn OfInner, dots: &mut [Self], norm: f64, norms: &[f64]);
    /// Squared distances become kernel values.
    fn finish_distances(kernel: &dyn OfDistances, squares: &mut [Self]);
}

impl Digits for f64 {
    fn finish_inner(kernel: &dyn OfInner, dots: &mut [f64], norm: f64, norms: &[f64]) {
        kernel.finish(dots, norm, norms);
    }

    fn finish_distances(kernel: &dyn OfDistances, squares: &mut [f64]) {
        kernel.finish(squares);
    }
}

impl Digits for f32 {
    fn finish_inner(kernel: &dyn OfInner, dots: &mut [f32], norm: f64, norms: &[f64]) {
        kernel.finish_single(dots, norm, norms);
    }

    fn finish_distances(kernel: &dyn OfDistances, squares: &mut [f32]) {
        kernel.finish_single(squares);
    }
}
