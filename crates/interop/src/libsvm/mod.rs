//! Models as files of LIBSVM and back.
//!
//! [`Model::load`](crate::Model::load) reads such a file as it reads our own; [`export_svm`] writes what LIBSVM can say:
//! one against one, one value, or one class, with its five kernels. Classes keep the file's order, so that pairs stay
//! pairs; names that are no whole numbers are written as their place.
//!
//! **One class.** LIBSVM's coefficients sum to ν·n, ours to 1, and ρ goes with them: on reading both are divided by the
//! sum, which the certificate keeps (`sum of coefficients`), on writing both are multiplied by it, or by ν·n of a model
//! of ours. Who is strange does not depend on it.
//! **Precomputed.** A row of LIBSVM begins with its number (`0:7`), which becomes a first column that is left out.
//! **Probabilities.** A and B of the pairs make the machine a [`kernels::Coupled`] one, whose scores are probabilities.

mod export;
mod flags;
mod import;
mod predict;
mod train;

pub(crate) use export::svm_kernel;
pub use export::{ExportedSvm, export_svm};
pub use flags::{SvmPredict, SvmTrain};
pub use import::read_svm;
pub use predict::svm_predict;
pub use train::svm_train;
