//! Data as text: tables (CSV and its kin), sparse rows (LIBSVM, svmlight, XMC) and ARFF.
//!
//! Each reader takes the bytes of a whole file; [`stream`] reads what does not fit, block by block. Which of them a file
//! is for, [`recognise`] tells from its first bytes.

pub mod arff;
pub mod csv;
mod date;
mod day;
pub(crate) mod encoding;
mod input;
pub mod json;
mod labels;
pub mod libsvm;
#[cfg(test)]
mod libsvm_tests;
mod local;
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

pub use date::text as date_text;
pub use recognise::recognise;
pub(crate) use source::{Source, shown as quoted};
pub use stream::{Stream, stream};

/// The number that a text is, in the style the reading names or any that fits.
pub(crate) fn number_of(text: &str, how: &crate::Reading) -> Option<f64> {
    let comma = how.decimal_comma.unwrap_or(false);
    let mut styles = local::STYLES.iter().filter(|s| (s.point == b',') == comma);
    styles.find_map(|style| style.number(text.as_bytes()))
}

/// The moment that a text is, in the order the reading names, or year, month, day.
pub(crate) fn moment_of(text: &str, how: &crate::Reading) -> Option<f64> {
    let order = how.date_format.as_deref().and_then(day::Order::from_text).unwrap_or(day::ORDERS[0]);
    order.moment(text.as_bytes())
}
