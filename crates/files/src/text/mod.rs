//! Data as text: tables (CSV and its kin), sparse rows (LIBSVM, svmlight, XMC) and ARFF.
//!
//! Each reader takes the bytes of a whole file; [`stream`] reads what does not fit, block by block. Which of them a file
//! is for, [`recognise`] tells from its first bytes.

pub mod arff;
pub mod csv;
mod date;
mod encoding;
mod labels;
pub mod libsvm;
mod number;
mod source;
mod sparse;
mod words;
pub mod xmc;
