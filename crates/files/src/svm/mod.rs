//! Model files of LIBSVM as plain data, both ways.
//!
//! A file is a head of `key values` lines, the line `SV`, and a line for each support vector: its coefficients (one for
//! each other class), then `id:value` pairs in ascending order.
//!
//! | key | what follows |
//! |---|---|
//! | `svm_type` | `c_svc`, `nu_svc`, `one_class`, `epsilon_svr` or `nu_svr` |
//! | `kernel_type` | `linear`, `polynomial`, `rbf`, `sigmoid` or `precomputed` |
//! | `degree`, `gamma`, `coef0` | the kernel's numbers, those that it has |
//! | `nr_class`, `total_sv` | how many classes (2 if there are none) and support vectors |
//! | `rho` | one number for each pair of classes |
//! | `label`, `nr_sv` | for classes: their labels, and how many support vectors each has |
//! | `probA`, `probB` | sigmoids of the pairs; `probA` alone is the spread of a regression's errors |
//! | `prob_density_marks` | ten decision values of one-class training rows |
//!
//! **Strict.** What a file says of itself must be what it holds: every count is compared with what is there before
//! anything is allocated, numbers must be finite, keys are known and come once, and an error says line and column.
//! **Digits.** Numbers are written with as many digits as bring every bit back, at most 17.
//!
//! - C.-C. Chang, C.-J. Lin: *LIBSVM: a library for support vector machines.* ACM TIST 2 (2011) 27:1-27:27.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::source::{self, shown};
use base::{Result, Run, Shared, Sparse};
use std::path::Path;

base::choices! {
    /// What a machine of LIBSVM was trained for.
    pub enum SvmType {
        /// Classes with cost C.
        CSvc = "c_svc",
        /// Classes with share ν.
        NuSvc = "nu_svc",
        /// The support of a distribution.
        OneClass = "one_class",
        /// Values with a tube of width ε.
        EpsilonSvr = "epsilon_svr",
        /// Values with share ν.
        NuSvr = "nu_svr",
    }
}

impl SvmType {
    /// Whether it decides between classes.
    pub fn classifies(self) -> bool {
        matches!(self, SvmType::CSvc | SvmType::NuSvc)
    }

    /// Whether it predicts numbers.
    pub fn regresses(self) -> bool {
        matches!(self, SvmType::EpsilonSvr | SvmType::NuSvr)
    }
}

/// A kernel of LIBSVM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SvmKernel {
    /// xᵀu.
    Linear,
    /// (γ xᵀu + c)^p.
    Polynomial {
        /// p.
        degree: u32,
        /// γ.
        gamma: f64,
        /// c.
        coef0: f64,
    },
    /// exp(−γ ‖x − u‖²).
    Rbf {
        /// γ.
        gamma: f64,
    },
    /// tanh(γ xᵀu + c).
    Sigmoid {
        /// γ.
        gamma: f64,
        /// c.
        coef0: f64,
    },
    /// Support vectors are numbers of training rows.
    Precomputed,
}

impl SvmKernel {
    /// The word of LIBSVM for it.
    pub fn word(&self) -> &'static str {
        match self {
            SvmKernel::Linear => "linear",
            SvmKernel::Polynomial { .. } => "polynomial",
            SvmKernel::Rbf { .. } => "rbf",
            SvmKernel::Sigmoid { .. } => "sigmoid",
            SvmKernel::Precomputed => "precomputed",
        }
    }
}

/// All that a model file of LIBSVM says.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmModel {
    /// What it was trained for.
    pub kind: SvmType,
    /// The kernel.
    pub kernel: SvmKernel,
    /// The labels in the order of the pairs; none where there are no classes.
    pub labels: Vec<i32>,
    /// How many support vectors each class has; none where there are no classes.
    pub counts: Vec<usize>,
    /// ρ of each pair a < b, or the only one: a decision is Σ coefficient · k − ρ.
    pub rho: Vec<f64>,
    /// A of 1 / (1 + exp(A f + B)) for each pair; for regressions the Laplace spread of the errors. May be empty.
    pub prob_a: Vec<f64>,
    /// B for each pair; may be empty.
    pub prob_b: Vec<f64>,
    /// Decision values that cut one-class training rows into tenths; may be empty.
    pub marks: Vec<f64>,
    /// Support vectors x (classes − 1), row after row.
    pub coefficients: Shared<f64>,
    /// The support vectors, class after class; of a precomputed kernel a 1 in the column of the training row.
    pub vectors: Sparse,
}

impl SvmModel {
    /// Coefficients of a support vector.
    pub fn width(&self) -> usize {
        if self.kind.classifies() { self.labels.len().saturating_sub(1) } else { 1 }
    }
}

/// Reads a model file of LIBSVM, gzipped or not.
pub fn read_svm_model(path: &Path, run: &Run<'_>) -> Result<SvmModel> {
    parse_svm_model(&shown(path), &source::open(path, run)?, run)
}

/// The model in the bytes of a file of LIBSVM; `name` is how messages call it.
pub fn parse_svm_model(name: &str, bytes: &[u8], run: &Run<'_>) -> Result<SvmModel> {
    read::read(name, bytes, run)
}

/// Writes a model file of LIBSVM, whole or not at all.
pub fn write_svm_model(path: &Path, model: &SvmModel) -> Result<()> {
    write::check(model)?;
    crate::whole::write_whole(path, |out| write::write(out, model))
}

/// The bytes of a model file of LIBSVM.
pub fn svm_model_bytes(model: &SvmModel) -> Result<Vec<u8>> {
    write::check(model)?;
    let mut bytes = vec![];
    write::write(&mut bytes, model).map_err(|e| base::Error::format("a model in memory", e.to_string()))?;
    Ok(bytes)
}
