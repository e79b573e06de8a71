//! Tables as text: fields separated by commas, semicolons, tabs, bars or blanks, one row a line.
//!
//! A table is read in steps. What stands above it is passed over (`preamble.rs`), how it is written is guessed from its
//! first rows (`guess.rs`, `opening.rs`), so is whether the first row names the columns (`header.rs`); together they are the plan
//! (`plan.rs`). The text is cut into pieces at the ends of rows (`cut.rs`), and all pieces are read at the same time into
//! columns (`body.rs`, `filling.rs`). A column that is not plain numbers or dates is looked at as a whole (`survey.rs`): numbers and
//! dates as people write them, or words, which become categories, texts or ids (`column.rs`, `ids.rs`). What was decided
//! is said aloud (`told.rs`).
//!
//! Refused, with line and field: rows of other lengths than the first, quotes that are not closed, NUL, and a few odd cells
//! in a column of numbers. Empty lines are passed over.
//!
//! - Y. Shafranovich: *Common format and MIME type for comma-separated values (CSV) files.* RFC 4180, 2005.

mod body;
mod cell;
mod column;
mod cut;
mod filling;
mod guess;
mod header;
mod ids;
mod opening;
mod plan;
mod preamble;
mod survey;
#[cfg(test)]
mod tests;
mod told;
mod totals;
mod write;

pub(crate) use header::unique;
pub(crate) use opening::whole_first_rows;
pub(crate) use plan::Plan;
pub use write::{csv_field, write};

use super::encoding;
use super::source::{PIECE, Source};
use crate::Reading;
use base::{Dataset, Result, Run};

/// Reads a table from text; `name` is used in messages. The targets are none: the caller picks a column.
pub fn read(name: &str, bytes: &[u8], how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    read_in_pieces(name, bytes, how, PIECE, run)
}

/// Reads a table in pieces of about `piece` bytes.
pub(crate) fn read_in_pieces(name: &str, bytes: &[u8], how: &Reading, piece: usize, run: &Run<'_>) -> Result<Dataset> {
    let text = encoding::decode(name, bytes, run)?;
    let source = Source::new(name, &text);
    let plan = Plan::guess(&source, how, run)?;
    let data = plan.read(&source, true, piece, run)?;
    if let base::Inputs::Table(table) = &data.inputs {
        totals::look(&source, &plan, table, run)?;
    }
    Ok(data)
}

/// The line in which a row begins.
pub(crate) fn line_of_row(name: &str, bytes: &[u8], how: &Reading, row: usize, run: &Run<'_>) -> Option<u64> {
    let text = encoding::decode(name, bytes, run).ok()?;
    let source = Source::new(name, &text);
    let plan = Plan::guess(&source, how, run).ok()?;
    let place = plan.place_of(&source, row, 0);
    (place < text.len()).then(|| source.line(place))
}

/// A table whose text was made by another reader, with line numbers that begin with `first_line`.
pub(crate) fn read_made(name: &str, text: &[u8], first_line: u64, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let source = Source { first_line, ..Source::new(name, text) };
    let plan = Plan::guess(&source, how, run)?;
    plan.read(&source, true, PIECE, run)
}
