//! Models as ONNX files, and ONNX files as models.
//!
//! [`Model::load`](crate::Model::load) reads an ONNX file as it reads our own: a network becomes a
//! [`NetworkMachine`](network::NetworkMachine), trees of ai.onnx.ml a [`Forest`](trees::Forest), its support vector
//! machines an [`Expansion`](kernels::Expansion), what comes before them a network of its own. [`export_onnx`] writes any model whose machines have a form as a network, or end in trees after
//! such machines; [`check_export`] reads what was written back and says how far it is from the model.
//!
//! **Names.** Classes and columns are written as `metadata_props` (JSON lists under `classes` and `features`), and read
//! from there, from `ZipMap` and the labels of classifiers. Without any names, classes are called by their number.

mod agree;
mod check;
mod ensemble;
mod export;
mod import;
mod labels;
mod names;
mod svm;
mod trees;

/// The operators that a file is cut at: trees and support vector machines.
const ENDS: [&str; 5] =
    [trees::OPERATORS[0], trees::OPERATORS[1], trees::OPERATORS[2], svm::OPERATORS[0], svm::OPERATORS[1]];

pub use check::{Checked, check_export};
pub(crate) use export::pieces;
pub use export::{Exported, export_onnx};
pub use import::{OnnxReading, open_onnx, read_onnx_model};
pub use labels::read_labels;
