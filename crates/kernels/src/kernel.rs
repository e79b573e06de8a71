//! A kernel as a value: what machines hold, compare and store.
//!
//! A built-in kernel is stored as a record `kernel-NAME` with its parameters, one written in code as `kernel-NAME` with
//! its own record within, and is read only where that kernel is given again.

use crate::function::{KernelBasis, KernelFunction};
use crate::functions::{self, Exponential};
use base::{Error, Record, Result};
use density::RadialKernel;
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A kernel with its parameters; clones share it.
#[derive(Clone)]
pub struct Kernel(Arc<dyn KernelFunction>);

impl Kernel {
    /// The kernel of a function, built in or written in code.
    pub fn new(function: impl KernelFunction) -> Self {
        Kernel(Arc::new(function))
    }

    /// The Gaussian kernel of bandwidth σ: exp(−‖x − u‖² / (2σ²)).
    pub fn gaussian(sigma: f64) -> Self {
        Self::exponential(sigma, 2.0)
    }

    /// exp(−‖x − u‖^q / (q σ^q)).
    pub fn exponential(sigma: f64, q: f64) -> Self {
        Self::new(Exponential::of_bandwidth(sigma, q))
    }

    /// The kernel as what it is, if it is that.
    pub fn downcast<K: KernelFunction>(&self) -> Option<&K> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// The kernel as outlierness knows it, if it is such a function of the distance.
    pub fn radial(&self) -> Option<RadialKernel> {
        match self.basis() {
            KernelBasis::Distances(function) => function.radial(),
            KernelBasis::Inner(_) | KernelBasis::Coordinates | KernelBasis::Precomputed => None,
        }
    }

    /// The kernel as plain data.
    pub fn record(&self) -> Record {
        let (kind, parameters) = (format!("kernel-{}", self.name()), self.parameters());
        match parameters.kind() == kind {
            true => parameters,
            false => Record::new(kind, 1).with("own", parameters),
        }
    }

    /// A kernel from plain data; `own` is the kernel in code it may speak of.
    pub fn read(record: &Record, own: Option<&Kernel>) -> Result<Self> {
        record.expect(record.kind(), 1)?;
        let name = record.kind().strip_prefix("kernel-").unwrap_or_default();
        let kernel = match functions::reader(name).filter(|_| !record.has("own")) {
            Some(read) => read(record)?,
            None => own.filter(|own| own.record() == *record).cloned().ok_or_else(|| {
                let what = format!("the kernel {name:?}");
                Error::unsupported(what, "this program", "read the model where that kernel is known")
            })?,
        };
        kernel.check()?;
        Ok(kernel)
    }
}

impl Deref for Kernel {
    type Target = dyn KernelFunction;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.record() == other.record()
    }
}
