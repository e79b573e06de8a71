//! The beginning of a table: what stands above it, and how it is written.

use super::cell::{self, Dialect};
use super::preamble::{self, Preamble};
use super::{cut, guess};
use crate::Reading;
use crate::text::source::Source;

/// The text behind what stands above a table, and how it is written.
pub(crate) struct Opening {
    pub above: Preamble,
    pub dialect: Dialect,
    /// Where the text behind `sep=` and comments begins.
    pub start: usize,
    /// The names that a comment gives.
    pub names: Option<Vec<String>>,
}

/// Looks at what stands above the table and how it is written.
pub(crate) fn opening(source: &Source<'_>, how: &Reading) -> Opening {
    let mut above = preamble::look(source);
    let separator = how.separator.or(above.separator);
    let how = Reading { separator, ..how.clone() };
    let at = |lines: usize| preamble::after_lines(source.bytes, lines, source.line_end);
    let mut start = at(above.lines);
    let below = Source { bytes: &source.bytes[start..], ..*source };
    let mut dialect = guess::dialect(&below, &how);
    let mut names = None;
    if above.comments {
        dialect.comment = b'#';
        names = above.settle(guess::head(&below), &dialect);
        // One line that fits the rows and is no header is a row.
        let whole = Source { bytes: &source.bytes[at(usize::from(above.separator.is_some()))..], ..*source };
        let plain = guess::dialect(&whole, &how);
        let (rows, _) = cell::rows(guess::head(&whole), &plain, guess::ROWS);
        let fits = rows.len() > 1 && rows.iter().all(|row| row.len() == rows[0].len());
        let hashes = rows.iter().filter(|row| row[0].text.first() == Some(&b'#')).count();
        if names.is_none() && fits && (rows[0].len() > 1 || 2 * hashes > rows.len()) {
            above.lines = usize::from(above.separator.is_some());
            above.comments = false;
            start = at(above.lines);
            dialect = plain;
        }
    }
    Opening { above, dialect, start, names }
}

/// As [`Plan::whole_rows`], for the first bytes of a file, of which nothing is known yet.
pub(crate) fn whole_first_rows(source: &Source<'_>, how: &Reading) -> usize {
    let Opening { mut dialect, start, .. } = opening(source, how);
    let bytes = &source.bytes[start..];
    let mut end = cut::whole_rows(bytes, &dialect);
    if end == 0 && how.quotes.is_none() && guess::may_be_letters(dialect.separator) {
        // A quote that is open to the end may be a letter.
        dialect.quotes = false;
        end = cut::whole_rows(bytes, &dialect);
    }
    // One row alone cannot tell whether it is a header.
    match cell::rows(&bytes[..end], &dialect, 2).0.len() {
        2 => start + end,
        _ => 0,
    }
}
