//! Weka's attribute-relation files: typed attributes, then rows, dense `1,red,?` or sparse `{3 1,17 2.5}`.
//!
//! Dense rows make a table; the caller picks the target. Label attributes (see `head.rs`) make label sets, and the rest
//! points if it is all numbers. Sparse rows make points: what is absent is 0, a nominal value counts as its number if
//! its levels are numbers that begin with 0, else as its place among the levels; a last attribute named as a class makes
//! the classes. A weight in braces may stand at the end of a row. Relational attributes are refused.
//!
//! - I. H. Witten, E. Frank: *Data Mining.* Morgan Kaufmann 2005, section 2.4.
//! - J. Read et al.: *MEKA: a multi-label/multi-target extension to WEKA.* JMLR 17 (2016) 21:1-21:5.

mod dense;
mod head;
mod sparse;
mod token;

pub(crate) use head::{Head, after};

use super::encoding;
use super::source::{Source, trimmed};
use crate::Reading;
use base::{Dataset, Error, Result, Run};

/// Reads ARFF text; `name` is used in messages.
pub fn read(name: &str, bytes: &[u8], how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let text = encoding::decode(name, bytes, run)?;
    let source = Source::new(name, &text);
    source.refuse_nul()?;
    let Some(head) = Head::read(&source, how, run)? else {
        return Err(Error::format(name, "ends before @data"));
    };
    rows(&source, head.body, &head, how, run)
}

/// Reads rows from byte `start` on.
pub(crate) fn rows(source: &Source<'_>, start: usize, head: &Head, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    match first_line(source, start).is_some_and(|line| line[0] == b'{') {
        true => sparse::read(source, start, head, run),
        false => dense::read(source, start, head, how, run),
    }
}

/// The first line from `start` on that is neither empty nor a comment.
fn first_line<'a>(source: &Source<'a>, start: usize) -> Option<&'a [u8]> {
    lines(source, start).map(|(_, line)| line).next()
}

/// Lines that are rows, without blanks around them, and where they begin.
fn lines<'a>(source: &Source<'a>, start: usize) -> impl Iterator<Item = (usize, &'a [u8])> {
    let source = *source;
    let mut at = start;
    std::iter::from_fn(move || {
        while at < source.bytes.len() {
            let (from, end) = (at, source.end_of_line(at));
            at = end + 1;
            let line = trimmed(&source.bytes[from..end]);
            if !line.is_empty() && line[0] != b'%' {
                return Some((from, line));
            }
        }
        None
    })
}
