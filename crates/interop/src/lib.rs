//! Models as they are kept, and as other tools know them.
//!
//! A [`Model`] is a machine with how it came about: what it learned from, what its target is, how its rows are recognised.
//! It is stored in files of our own, and comes from and goes to ONNX, LIBSVM and LIBLINEAR as far as those can say it. Data are brought
//! into the form that a model takes ([`align`]), and their target is found ([`choose_target`]).

mod align;
mod fingerprint;
mod liblinear;
mod libsvm;
mod model;
mod onnx;
mod programs;
mod target;

pub use align::align;
pub use fingerprint::{Fingerprint, seen_text};
pub use liblinear::{
    ExportedLinear, LinearPredict, LinearTrain, export_linear, is_linear, linear_predict, linear_train, read_linear,
};
pub use libsvm::{ExportedSvm, SvmPredict, SvmTrain, export_svm, read_svm, svm_predict, svm_train};
pub use model::Model;
pub use onnx::{Checked, Exported, OnnxReading, check_export, export_onnx, open_onnx, read_labels, read_onnx_model};
pub use target::{Target, Task, as_sets, choose_target, score_targets};
