//! Tables as text: fields separated by commas, semicolons, tabs, bars or blanks, one row a line.
//!
//! A table is read in three steps: how it is written is guessed from its first rows (`guess.rs`), so is whether the first
//! row names the columns (`header.rs`); it is cut into pieces at the ends of rows (`cut.rs`); and all pieces are read at
//! the same time into columns (`body.rs`), which become numbers, dates, categories, texts or ids (`column.rs`).
//!
//! Refused, with line and field: rows of other lengths than the first, quotes that are not closed, NUL, and numbers that
//! are not finite in a column of numbers. Empty lines are passed over.
//!
//! - Y. Shafranovich: *Common format and MIME type for comma-separated values (CSV) files.* RFC 4180, 2005.

mod body;
mod cell;
mod column;
mod cut;
mod guess;
mod header;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use header::unique;
pub use write::write;

use super::encoding::{self, Text};
use super::source::{PIECE, Source, shown};
use crate::{Header, Reading};
use base::{Column, Dataset, Error, FeatureKind, Result, Run, Table, Targets};
use body::{Filled, Kind, Store};
use cell::Dialect;

/// Reads a table from text; `name` is used in messages. The targets are none: the caller picks a column.
pub fn read(name: &str, bytes: &[u8], how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    read_in_pieces(name, bytes, how, PIECE, run)
}

/// Reads a table in pieces of about `piece` bytes.
pub(crate) fn read_in_pieces(name: &str, bytes: &[u8], how: &Reading, piece: usize, run: &Run<'_>) -> Result<Dataset> {
    let text = encoding::decode(name, bytes, run)?;
    let plan = Plan::guess(&Source::new(name, &text), how, run)?;
    let table = plan.table(&Source::new(name, &text), true, piece, run)?;
    Ok(Dataset::new(table, Targets::None))
}

/// As [`Plan::whole_rows`], for the first bytes of a file, of which nothing is known yet.
pub(crate) fn whole_first_rows(source: &Source<'_>, how: &Reading) -> usize {
    let mut dialect = guess::dialect(source, how);
    let mut end = cut::whole_rows(source.bytes, &dialect);
    if end == 0 && how.quotes.is_none() && guess::may_be_letters(dialect.separator) {
        // A quote that is open to the end may be a letter.
        dialect.quotes = false;
        end = cut::whole_rows(source.bytes, &dialect);
    }
    // One row alone cannot tell whether it is a header.
    match cell::rows(&source.bytes[..end], &dialect, 2).0.len() {
        2 => end,
        _ => 0,
    }
}

/// All that is known of a table before its rows are read.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    dialect: Dialect,
    names: Vec<String>,
    kinds: Vec<Kind>,
    forced: Vec<Option<FeatureKind>>,
    has_header: bool,
    /// Whether quotes were guessed, so that the whole text may show that they are letters.
    quotes_guessed: bool,
}

impl Plan {
    /// Looks at the first rows.
    pub fn guess(source: &Source<'_>, how: &Reading, run: &Run<'_>) -> Result<Plan> {
        source.refuse_nul()?;
        let dialect = guess::dialect(source, how);
        let squeezed;
        let head = match dialect.separator {
            b' ' => {
                squeezed = guess::squeeze(guess::head(source), source.line_end);
                &squeezed[..]
            }
            _ => guess::head(source),
        };
        let (rows, fault) = cell::rows(head, &dialect, guess::ROWS);
        let Some(first) = rows.first() else {
            return Err(match fault {
                Some(fault) => source.error(fault.at, 1, fault.why),
                None => Error::format(source.name, "is empty: there is no row to read"),
            });
        };
        let width = first.len();
        if width > how.max_columns {
            let why =
                format!("has {width} columns, more than the {} that are allowed (--max-columns)", how.max_columns);
            return Err(Error::format(source.name, why));
        }
        let has_header = match how.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => header::is_header(&rows, &dialect, &how.kinds),
        };
        let names = (0..width).map(|i| match has_header && !first[i].text.is_empty() {
            true => String::from_utf8_lossy(&first[i].content()).into_owned(),
            false => i.to_string(),
        });
        let (names, changed) = header::unique(names.collect());
        if !changed.is_empty() {
            let list: Vec<String> = changed.iter().take(5).map(|n| shown(n.as_bytes())).collect();
            run.watch.note(&format!("{}: names of columns came twice and became {}", source.name, list.join(", ")));
        }
        let forced: Vec<Option<FeatureKind>> = names.iter().map(|n| how.kinds.get(n).cloned()).collect();
        let mut kinds = Vec::with_capacity(width);
        for (column, forced) in forced.iter().enumerate() {
            kinds.push(match forced {
                None => header::kind_of_column(column, &rows[usize::from(has_header)..], &dialect),
                Some(FeatureKind::Number) => Kind::Number,
                Some(FeatureKind::Date) => Kind::Date,
                Some(FeatureKind::Image) => {
                    let what = format!("a column of images ({:?})", names[column]);
                    return Err(Error::unsupported(what, "text tables", "read the images from a folder"));
                }
                Some(_) => Kind::Words,
            });
        }
        Ok(Plan { dialect, names, kinds, forced, has_header, quotes_guessed: how.quotes.is_none() })
    }

    /// Fixes what was guessed to what a first part of the table turned out to be.
    pub fn fix(&mut self, table: &Table) {
        for (i, column) in table.columns().iter().enumerate() {
            let kind = FeatureKind::of(&column.cells);
            self.kinds[i] = match kind {
                FeatureKind::Number => Kind::Number,
                FeatureKind::Date => Kind::Date,
                _ => Kind::Words,
            };
            self.forced[i] = Some(kind);
        }
        self.quotes_guessed = false;
    }

    /// Where the last row that is surely whole ends in a text that may be cut off anywhere.
    pub fn whole_rows(&self, bytes: &[u8]) -> usize {
        cut::whole_rows(bytes, &self.dialect)
    }

    /// Reads the rows; `first` says whether the text begins with the header, if there is one.
    pub fn table(&self, source: &Source<'_>, first: bool, piece: usize, run: &Run<'_>) -> Result<Table> {
        source.refuse_nul()?;
        let squeezed: Text<'static>;
        let mut source = *source;
        source.line_end = self.dialect.line_end;
        if self.dialect.separator == b' ' {
            let hold = run.memory.take(source.bytes.len() as u64, "text without blanks")?;
            squeezed = Text::copied(guess::squeeze(source.bytes, source.line_end), hold);
            source.bytes = &squeezed;
        }
        let mut dialect = self.dialect.clone();
        // Tables of very many columns get larger pieces, so that columns times pieces stays small.
        let size = piece.max(64 * self.names.len());
        let mut start = self.body_start(&source, first, &dialect);
        let mut pieces = cut::pieces(&source, start, &dialect, size, run)?;
        if let Some(at) = pieces.broken.filter(|_| self.quotes_guessed && guess::may_be_letters(dialect.separator)) {
            let line = source.line(at);
            run.watch.note(&format!("{}: quotes are read as letters, they do not pair in line {line}", source.name));
            dialect.quotes = false;
            start = self.body_start(&source, first, &dialect);
            pieces = cut::pieces(&source, start, &dialect, size, run)?;
        }
        let mut filled = body::read(&source, &pieces, &dialect, &self.kinds, run)?;
        let again = self.again(&source, &dialect, &filled)?;
        if again.contains(&Kind::Words) {
            filled.stores.iter_mut().zip(&again).filter(|(_, k)| **k == Kind::Words).for_each(|(s, _)| {
                // Given back before words take its place.
                *s = Store::Nothing;
            });
            let second = body::read(&source, &pieces, &dialect, &again, run)?;
            for (store, new) in filled.stores.iter_mut().zip(second.stores) {
                if !matches!(new, Store::Nothing) {
                    *store = new;
                }
            }
        }
        let jobs: Vec<_> = filled.stores.into_iter().map(|s| std::sync::Mutex::new(Some(s))).collect();
        let columns = numeric::each(run, jobs.len(), |i| {
            let store = jobs[i].lock().ok().and_then(|mut s| s.take()).unwrap_or(Store::Nothing);
            let is_date = self.kinds[i] == Kind::Date;
            let (name, forced) = (&self.names[i], self.forced[i].as_ref());
            let cells = column::cells(name, store, forced, is_date, &filled.rows, &run.memory)?;
            Ok(Column { name: name.clone(), cells })
        })?;
        Table::new(columns)
    }

    /// Where the rows begin that are not the header.
    fn body_start(&self, source: &Source<'_>, first: bool, dialect: &Dialect) -> usize {
        if !(first && self.has_header) {
            return 0;
        }
        let mut at = 0;
        while let Some(next) = cell::empty_line(source.bytes, at, dialect).filter(|_| at < source.bytes.len()) {
            at = next;
        }
        while let Ok((_, next, ends_line)) = cell::cell(source.bytes, at.min(source.bytes.len()), dialect) {
            at = next;
            if ends_line {
                break;
            }
        }
        at.min(source.bytes.len())
    }

    /// Which columns must be read again, as words; an error where that is not allowed.
    fn again(&self, source: &Source<'_>, dialect: &Dialect, filled: &Filled) -> Result<Vec<Kind>> {
        let mut again = vec![Kind::Skip; self.kinds.len()];
        for (column, trouble) in filled.troubles.iter().enumerate() {
            let error = |at: usize, what: &str| {
                let cell = body::shown_cell(source.bytes, at, dialect);
                let why = format!("{cell} is {what} (column {})", shown(self.names[column].as_bytes()));
                Err(source.error(at, column + 1, why))
            };
            match (trouble.word, trouble.infinite) {
                (Some(at), _) if self.forced[column].is_some() => {
                    let what = if self.kinds[column] == Kind::Date { "no date (ISO 8601)" } else { "no number" };
                    return error(at, what);
                }
                (Some(_), _) => again[column] = Kind::Words,
                (None, Some(at)) => {
                    return error(at, "no finite number; write it as missing (empty) or leave the row out");
                }
                (None, None) => {}
            }
        }
        Ok(again)
    }
}
