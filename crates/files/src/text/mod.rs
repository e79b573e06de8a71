//! Data as text: tables (CSV and its kin), sparse rows (LIBSVM, svmlight, XMC) and ARFF.
//!
//! Each reader takes the bytes of a whole file; [`stream`] reads what does not fit, block by block. Which of them a file
//! is for, [`recognise`] tells from its first bytes.

pub mod arff;
pub mod csv;
mod date;
pub(crate) mod encoding;
mod input;
mod labels;
pub mod libsvm;
#[cfg(test)]
mod libsvm_tests;
#[cfg(test)]
#[path = "../../tests/mutate/mod.rs"]
pub(crate) mod mutate;
pub(crate) mod number;
mod recognise;
mod source;
mod sparse;
mod stream;
mod words;
pub mod xmc;

pub use date::shown as date_text;
pub use recognise::recognise;
pub(crate) use source::{Source, shown as quoted};
pub use stream::{Stream, stream};
