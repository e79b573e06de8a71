//! Readers and writers of data and models; the only library crate that opens files.

mod reading;

pub use reading::{Format, Header, Reading};
