//! Readers and writers of data and models; the only library crate that opens files.

mod parallel;
mod reading;
pub mod text;

pub use reading::{Format, Header, Reading};
