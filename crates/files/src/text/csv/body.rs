//! The rows of a table into columns, all pieces at the same time.
//!
//! Columns are laid out before they are filled: pieces know the most rows they can have, so that each writes numbers and
//! codes straight to their place. A column begins as what the first rows let expect; one that turns out otherwise (a
//! word among numbers) is read a second time as words, alone.

use super::cell::{Cell, Dialect, cell, empty_line, is_soft_gap};
use super::cut::Pieces;
use crate::text::source::{Source, shown};
use crate::text::words::Words;
use crate::text::{date, local, number};
use base::{Error, Hold, Progress, Result, Run, UNKNOWN};
use numeric::each;
use std::sync::Mutex;

/// What a column is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Date,
    Words,
    /// Not at all.
    Skip,
}

/// A filled column.
pub(crate) enum Store {
    Numbers(Vec<f64>, Hold),
    /// Numbers of words, and the words of each piece.
    Codes(Vec<u32>, Hold, Vec<Words>),
    Nothing,
}

/// Cells of one sort: where the first begins, and how many.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    pub first: Option<usize>,
    pub count: usize,
}

impl Seen {
    fn add(&mut self, at: usize) {
        self.first = self.first.or(Some(at));
        self.count += 1;
    }

    fn join(&mut self, later: Seen) {
        self.first = self.first.or(later.first);
        self.count += later.count;
    }
}

/// Where a column was not what it was read as, and what was made a gap of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trouble {
    /// Words where a number or date was expected.
    pub words: Seen,
    /// Whether one of them may be a number in another style, or there were too many to look at.
    pub unclear: bool,
    /// Numbers that are not finite; they became gaps.
    pub infinite: Seen,
    /// Words such as `-` or `unknown` between numbers; they became gaps.
    pub soft: Seen,
    /// Errors of a spreadsheet, such as `#DIV/0!`; they became gaps.
    pub errors: Seen,
    /// Whole numbers that are rounded.
    pub rounded: Seen,
}

impl Trouble {
    fn join(&mut self, later: Trouble) {
        self.words.join(later.words);
        self.unclear |= later.unclear;
        self.infinite.join(later.infinite);
        self.soft.join(later.soft);
        self.errors.join(later.errors);
        self.rounded.join(later.rounded);
    }
}

/// Words of a piece that are looked at before the column is given up as numbers.
const LOOK: usize = 100;
/// Up to here every whole number is exact in 64 bits.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Columns as read.
pub(crate) struct Filled {
    pub stores: Vec<Store>,
    pub troubles: Vec<Trouble>,
    /// Rows of each piece.
    pub rows: Vec<usize>,
}

/// The part of a column that belongs to one piece.
enum Sink<'a> {
    Number(&'a mut [f64]),
    Date(&'a mut [f64]),
    Words(&'a mut [u32], Words),
    Skip,
}

/// Reads the columns that are not skipped.
pub(crate) fn read(
    source: &Source<'_>,
    pieces: &Pieces,
    dialect: &Dialect,
    kinds: &[Kind],
    run: &Run<'_>,
) -> Result<Filled> {
    let rows: usize = pieces.rows.iter().sum();
    let mut stores = Vec::with_capacity(kinds.len());
    for kind in kinds {
        stores.push(match kind {
            Kind::Number | Kind::Date => {
                let (values, hold) = run.memory.filled(rows, 0f64, "a column of numbers")?;
                Store::Numbers(values, hold)
            }
            Kind::Words => {
                let (codes, hold) = run.memory.filled(rows, 0u32, "a column of words")?;
                Store::Codes(codes, hold, Vec::with_capacity(pieces.ranges.len()))
            }
            Kind::Skip => Store::Nothing,
        });
    }
    let sinks = sinks(&mut stores, kinds, pieces, run)?;
    let found = each(run, pieces.ranges.len(), |i| {
        run.report(&Progress::of("read", pieces.ranges[i].start as u64, source.bytes.len() as u64))?;
        let mut sinks = sinks[i].lock().map(|mut s| std::mem::take(&mut *s)).unwrap_or_default();
        let mut troubles = vec![Trouble::default(); kinds.len()];
        let rows = read_piece(source, pieces.ranges[i].clone(), dialect, &mut sinks, &mut troubles)?;
        let words = sinks.into_iter().map(|sink| if let Sink::Words(_, words) = sink { Some(words) } else { None });
        Ok((rows, troubles, words.collect::<Vec<_>>()))
    })?;
    drop(sinks);
    let mut filled = Filled { stores, troubles: vec![Trouble::default(); kinds.len()], rows: Vec::new() };
    for (rows, troubles, words) in found {
        filled.rows.push(rows);
        for (column, (trouble, words)) in troubles.into_iter().zip(words).enumerate() {
            filled.troubles[column].join(trouble);
            if let (Store::Codes(_, _, list), Some(words)) = (&mut filled.stores[column], words) {
                list.push(words);
            }
        }
    }
    for store in &mut filled.stores {
        match store {
            Store::Numbers(values, _) => close(values, pieces, &filled.rows),
            Store::Codes(codes, _, _) => close(codes, pieces, &filled.rows),
            Store::Nothing => {}
        }
    }
    Ok(filled)
}

/// Cuts each column into the parts of the pieces.
fn sinks<'a>(
    stores: &'a mut [Store],
    kinds: &[Kind],
    pieces: &Pieces,
    run: &Run<'_>,
) -> Result<Vec<Mutex<Vec<Sink<'a>>>>> {
    let mut sinks: Vec<Vec<Sink<'a>>> = pieces.rows.iter().map(|_| Vec::with_capacity(stores.len())).collect();
    for (store, kind) in stores.iter_mut().zip(kinds) {
        match store {
            Store::Numbers(values, _) => {
                let mut rest = &mut values[..];
                for (sinks, &rows) in sinks.iter_mut().zip(&pieces.rows) {
                    let part = rest.split_off_mut(..rows).unwrap_or_default();
                    sinks.push(if *kind == Kind::Date { Sink::Date(part) } else { Sink::Number(part) });
                }
            }
            Store::Codes(codes, _, _) => {
                let mut rest = &mut codes[..];
                for (sinks, &rows) in sinks.iter_mut().zip(&pieces.rows) {
                    sinks.push(Sink::Words(rest.split_off_mut(..rows).unwrap_or_default(), Words::new(&run.memory)?));
                }
            }
            Store::Nothing => sinks.iter_mut().for_each(|s| s.push(Sink::Skip)),
        }
    }
    Ok(sinks.into_iter().map(Mutex::new).collect())
}

/// Moves the used beginnings of the pieces' parts together.
fn close<T: Copy>(all: &mut Vec<T>, pieces: &Pieces, rows: &[usize]) {
    let (mut from, mut to) = (0, 0);
    for (&room, &used) in pieces.rows.iter().zip(rows) {
        if from != to {
            all.copy_within(from..from + used, to);
        }
        from += room;
        to += used;
    }
    all.truncate(to);
}

/// Reads one piece and says how many rows it has.
fn read_piece(
    source: &Source<'_>,
    range: std::ops::Range<usize>,
    dialect: &Dialect,
    sinks: &mut [Sink<'_>],
    troubles: &mut [Trouble],
) -> Result<usize> {
    let bytes = &source.bytes[..range.end];
    let width = sinks.len();
    let mut at = range.start;
    let mut row = 0;
    while at < bytes.len() {
        if let Some(next) = empty_line(bytes, at, dialect) {
            at = next;
            continue;
        }
        let line = at;
        for column in 0..width {
            let (next, ends_line) = match put(bytes, at, dialect, &mut sinks[column], row, &mut troubles[column]) {
                Ok(next) => next,
                Err(Problem::Fault(fault)) => return Err(source.error(fault.at, column + 1, fault.why)),
                Err(Problem::Other(error)) => return Err(error),
            };
            if ends_line != (column + 1 == width) {
                return Err(ragged(source, bytes, line, dialect, width));
            }
            at = next;
        }
        row += 1;
    }
    Ok(row)
}

enum Problem {
    Fault(super::cell::Fault),
    Other(Error),
}

impl From<super::cell::Fault> for Problem {
    fn from(fault: super::cell::Fault) -> Self {
        Problem::Fault(fault)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Problem::Other(error)
    }
}

/// Reads one field into its column; says where the next one begins and whether that is on a new line.
#[inline]
fn put(
    bytes: &[u8],
    at: usize,
    dialect: &Dialect,
    sink: &mut Sink<'_>,
    row: usize,
    trouble: &mut Trouble,
) -> std::result::Result<(usize, bool), Problem> {
    let at = at.min(bytes.len());
    match sink {
        Sink::Number(values) => {
            // The usual case in one go: a number, and behind it the end of the field.
            if let Some((value, length)) = number::prefix(&bytes[at..], dialect.point) {
                let end = at + length;
                let next = bytes.get(end).copied().unwrap_or(dialect.line_end);
                // Beyond that, and where it is not finite, it is looked at more closely.
                if value.abs() < EXACT && (next == dialect.separator || next == dialect.line_end) {
                    values[row] = value;
                    return Ok((end + 1, next == dialect.line_end));
                }
            }
            let (cell, next, ends_line) = cell(bytes, at, dialect)?;
            values[row] = number_of(&cell, at, dialect, trouble);
            if trouble.words.count > LOOK {
                trouble.unclear = true;
                *sink = Sink::Skip;
            }
            Ok((next, ends_line))
        }
        Sink::Words(codes, words) => {
            let (cell, next, ends_line) = cell(bytes, at, dialect)?;
            codes[row] = match cell.is_missing(dialect) {
                true => {
                    if cell.text.first() == Some(&b'#') {
                        trouble.errors.add(at);
                    }
                    UNKNOWN
                }
                false if cell.doubled => words.code(&cell.content())?,
                false => words.code(cell.text)?,
            };
            Ok((next, ends_line))
        }
        Sink::Date(values) => {
            let (cell, next, ends_line) = cell(bytes, at, dialect)?;
            values[row] = match date::parse(cell.text) {
                Some(moment) => moment,
                None if is_gap(&cell, dialect) => f64::NAN,
                None if is_soft_gap(cell.text) => {
                    trouble.soft.add(at);
                    f64::NAN
                }
                None => {
                    trouble.words.add(at);
                    trouble.unclear = true;
                    *sink = Sink::Skip;
                    return Ok((next, ends_line));
                }
            };
            Ok((next, ends_line))
        }
        Sink::Skip => {
            let (_, next, ends_line) = cell(bytes, at, dialect)?;
            Ok((next, ends_line))
        }
    }
}

/// The number of a field that is not plain.
#[cold]
fn number_of(cell: &Cell<'_>, at: usize, dialect: &Dialect, trouble: &mut Trouble) -> f64 {
    match number::whole(cell.text, dialect.point) {
        Some(value) if value.is_finite() => {
            if value.abs() >= EXACT && is_rounded(cell.text, value) {
                trouble.rounded.add(at);
            }
            return value;
        }
        _ if is_gap(cell, dialect) => {
            if cell.text.first() == Some(&b'#') {
                trouble.errors.add(at);
            }
        }
        Some(_) => trouble.infinite.add(at),
        None if number::is_not_finite_word(cell.text) => trouble.infinite.add(at),
        None if is_soft_gap(cell.text) => trouble.soft.add(at),
        None => {
            trouble.words.add(at);
            trouble.unclear |= local::styles_of(cell.text) != 0;
        }
    }
    f64::NAN
}

/// Whether this text is a whole number that its value is not.
fn is_rounded(text: &[u8], value: f64) -> bool {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    if !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let digits = &digits[digits.iter().take_while(|b| **b == b'0').count()..];
    format!("{:.0}", value.abs()).as_bytes() != digits
}

/// Where numbers and dates are expected, a missing word stands for a gap even in quotes.
pub(crate) fn is_gap(cell: &Cell<'_>, dialect: &Dialect) -> bool {
    Cell { quoted: false, ..*cell }.is_missing(dialect)
}

/// The error of a row with too few or too many fields.
#[cold]
fn ragged(source: &Source<'_>, bytes: &[u8], line: usize, dialect: &Dialect, width: usize) -> Error {
    let mut count = 0;
    let mut at = line;
    loop {
        count += 1;
        match cell(bytes, at.min(bytes.len()), dialect) {
            Ok((_, next, false)) => at = next,
            Ok((_, _, true)) => break,
            Err(fault) => return source.error(fault.at, count, fault.why),
        }
    }
    let fields = |n: usize| if n == 1 { "1 field".to_string() } else { format!("{n} fields") };
    let why = format!("has {}, the first line has {}", fields(count), fields(width));
    let error = source.error(line, 1, why);
    match error {
        // The line as a whole is meant.
        Error::Data { place: base::Place::File { name, line, .. }, why } => Error::at(&name, line, 0, why),
        other => other,
    }
}

/// What stands at `at`, for messages.
pub(crate) fn shown_cell(bytes: &[u8], at: usize, dialect: &Dialect) -> String {
    cell(bytes, at, dialect).map_or_else(|_| shown(&bytes[at..]), |(cell, ..)| shown(cell.text))
}
