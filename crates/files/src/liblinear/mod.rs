//! Model files of LIBLINEAR as plain data, both ways.
//!
//! A file is a head of `key values` lines, the line `w`, and a line for each feature with a weight for each weight vector:
//!
//! | key | what follows |
//! |---|---|
//! | `solver_type` | a word of [`LinearSolver`]: what was minimised |
//! | `nr_class` | how many classes (2 if there are none) |
//! | `label` | for classes: their labels |
//! | `nr_feature` | how many features |
//! | `bias` | the value B of a constant last feature; below 0 there is none |
//! | `rho` | of one-class machines: what is taken off each decision |
//!
//! Two classes have one weight vector, by which the first is told from the second, unless they are Crammer and Singer's; more
//! classes have one each. With a bias there is one line more than features.
//!
//! **Strict.** What a file says of itself must be what it holds: `nr_feature` times the weight vectors is compared with the
//! bytes that are there before anything is allocated, numbers must be finite, keys are known and come once.
//! **Memory.** Only weights that are not 0, 12 bytes each, which are counted first.
//! **Digits.** Numbers are written with as many digits as bring every bit back, at most 17.
//!
//! - R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang, C.-J. Lin: *LIBLINEAR: a library for large linear classification.*
//!   JMLR 9 (2008) 1871-1874.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::source::{self, shown};
use base::{Result, Run, Sparse};
use std::path::Path;

base::choices! {
    /// What a machine of LIBLINEAR minimised.
    pub enum LinearSolver {
        /// `-s 0`: logistic loss.
        Logistic = "L2R_LR",
        /// `-s 1`: squared hinge, by the dual.
        SquaredHingeDual = "L2R_L2LOSS_SVC_DUAL",
        /// `-s 2`: squared hinge.
        SquaredHinge = "L2R_L2LOSS_SVC",
        /// `-s 3`: hinge.
        HingeDual = "L2R_L1LOSS_SVC_DUAL",
        /// `-s 4`: the way of Crammer and Singer.
        CrammerSinger = "MCSVM_CS",
        /// `-s 5`: squared hinge with an L1 penalty.
        SparseSquaredHinge = "L1R_L2LOSS_SVC",
        /// `-s 6`: logistic loss with an L1 penalty.
        SparseLogistic = "L1R_LR",
        /// `-s 7`: logistic loss, by the dual.
        LogisticDual = "L2R_LR_DUAL",
        /// `-s 11`: squared errors beyond a tube.
        SquaredTube = "L2R_L2LOSS_SVR",
        /// `-s 12`: the same by the dual.
        SquaredTubeDual = "L2R_L2LOSS_SVR_DUAL",
        /// `-s 13`: errors beyond a tube.
        TubeDual = "L2R_L1LOSS_SVR_DUAL",
        /// `-s 21`: the support of a distribution.
        OneClass = "ONECLASS_SVM",
    }
}

/// All of them, in the order of their numbers.
const ALL: [LinearSolver; 12] = [
    LinearSolver::Logistic,
    LinearSolver::SquaredHingeDual,
    LinearSolver::SquaredHinge,
    LinearSolver::HingeDual,
    LinearSolver::CrammerSinger,
    LinearSolver::SparseSquaredHinge,
    LinearSolver::SparseLogistic,
    LinearSolver::LogisticDual,
    LinearSolver::SquaredTube,
    LinearSolver::SquaredTubeDual,
    LinearSolver::TubeDual,
    LinearSolver::OneClass,
];

impl LinearSolver {
    /// The number by which LIBLINEAR's `train` knows it.
    pub fn number(self) -> usize {
        match self {
            LinearSolver::Logistic => 0,
            LinearSolver::SquaredHingeDual => 1,
            LinearSolver::SquaredHinge => 2,
            LinearSolver::HingeDual => 3,
            LinearSolver::CrammerSinger => 4,
            LinearSolver::SparseSquaredHinge => 5,
            LinearSolver::SparseLogistic => 6,
            LinearSolver::LogisticDual => 7,
            LinearSolver::SquaredTube => 11,
            LinearSolver::SquaredTubeDual => 12,
            LinearSolver::TubeDual => 13,
            LinearSolver::OneClass => 21,
        }
    }

    /// The one of that number.
    pub fn from_number(number: usize) -> Option<Self> {
        ALL.iter().copied().find(|s| s.number() == number)
    }

    /// Whether it decides between classes.
    pub fn classifies(self) -> bool {
        self.number() <= 7
    }

    /// Whether it predicts numbers.
    pub fn regresses(self) -> bool {
        (11..=13).contains(&self.number())
    }

    /// Whether its decisions are log-odds.
    pub fn is_logistic(self) -> bool {
        matches!(self, LinearSolver::Logistic | LinearSolver::SparseLogistic | LinearSolver::LogisticDual)
    }
}

/// All that a model file of LIBLINEAR says.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    /// What was minimised.
    pub solver: LinearSolver,
    /// The labels in the order of the weight vectors; none where there are no classes.
    pub labels: Vec<i32>,
    /// The value of the constant last feature, if there is one.
    pub bias: Option<f64>,
    /// What is taken off each decision of a one-class machine; 0 of others.
    pub rho: f64,
    /// Features, and the constant one if there is a bias, x weight vectors.
    pub weights: Sparse,
}

impl LinearModel {
    /// How many weight vectors there are.
    pub fn vectors(&self) -> usize {
        vectors(self.solver, self.labels.len())
    }

    /// How many features there are without the constant one.
    pub fn features(&self) -> usize {
        self.weights.len().saturating_sub(usize::from(self.bias.is_some()))
    }
}

/// Weight vectors of so many classes.
fn vectors(solver: LinearSolver, classes: usize) -> usize {
    match classes {
        0 => 1,
        2 if solver != LinearSolver::CrammerSinger => 1,
        classes => classes,
    }
}

/// Reads a model file of LIBLINEAR, gzipped or not.
pub fn read_linear_model(path: &Path, run: &Run<'_>) -> Result<LinearModel> {
    parse_linear_model(&shown(path), &source::open(path, run)?, run)
}

/// The model in the bytes of a file of LIBLINEAR; `name` is how messages call it.
pub fn parse_linear_model(name: &str, bytes: &[u8], run: &Run<'_>) -> Result<LinearModel> {
    read::read(name, bytes, run)
}

/// Writes a model file of LIBLINEAR, whole or not at all.
pub fn write_linear_model(path: &Path, model: &LinearModel) -> Result<()> {
    write::check(model)?;
    crate::whole::write_whole(path, |out| write::write(out, model))
}

/// The bytes of a model file of LIBLINEAR.
pub fn linear_model_bytes(model: &LinearModel) -> Result<Vec<u8>> {
    write::check(model)?;
    let mut bytes = vec![];
    write::write(&mut bytes, model).map_err(|e| base::Error::format("a model in memory", e.to_string()))?;
    Ok(bytes)
}
