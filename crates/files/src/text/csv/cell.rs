//! One field of a table: where it ends, and what is in it.
//!
//! After RFC 4180: a field that begins with a quote goes on to the next quote that is not doubled, whatever lies between.
//! A quote anywhere else is a letter. Blanks around a field that is not quoted do not count.

use std::borrow::Cow;

/// How a table is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dialect {
    /// The byte between fields; 0, which no text has, if there is only one.
    pub separator: u8,
    /// Whether a quote at the start of a field opens it.
    pub quotes: bool,
    /// The decimal point.
    pub point: u8,
    /// The byte that ends a line.
    pub line_end: u8,
    /// The byte that begins a line of comment; 0, which no text has, if there are none.
    pub comment: u8,
    /// What stands for a missing value.
    pub missing: Missing,
}

/// Words that stand for a missing value where all other cells are numbers or dates; elsewhere they may be a level.
pub(crate) fn is_soft_gap(text: &[u8]) -> bool {
    const WORDS: [&str; 30] = [
        "-",
        "--",
        "---",
        ".",
        "..",
        "...",
        "*",
        "–",
        "—",
        "…",
        "unknown",
        "unk",
        "none",
        "nil",
        "missing",
        "(missing)",
        "n.a.",
        "n.a",
        "na.",
        "n/d",
        "n.d.",
        "no data",
        "not available",
        "not applicable",
        "null",
        "nan",
        "void",
        "blank",
        "empty",
        "undefined",
    ];
    text.len() <= 14 && WORDS.iter().any(|w| text.eq_ignore_ascii_case(w.as_bytes()))
}

/// Words that stand for a missing value, besides the empty field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Missing {
    words: Vec<String>,
    /// Whether a word begins with this byte: most cells are told from all of them by one look.
    begins: [bool; 256],
}

impl Missing {
    pub fn new(words: &[String]) -> Self {
        let mut begins = [false; 256];
        words.iter().filter_map(|w| w.as_bytes().first()).for_each(|&b| begins[b as usize] = true);
        Missing { words: words.to_vec(), begins }
    }

    /// Whether a field that is not quoted is missing.
    #[inline]
    pub fn has(&self, text: &[u8]) -> bool {
        match text.first() {
            None => true,
            Some(&first) => self.begins[first as usize] && self.words.iter().any(|w| w.as_bytes() == text),
        }
    }
}

/// A field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cell<'a> {
    /// What is in it, without the quotes around it.
    pub text: &'a [u8],
    /// Whether it was quoted.
    pub quoted: bool,
    /// Whether quotes in it are doubled.
    pub doubled: bool,
}

/// A field that cannot be read: where, and why.
#[derive(Debug)]
pub(crate) struct Fault {
    pub at: usize,
    pub why: &'static str,
}

impl<'a> Cell<'a> {
    /// The text with doubled quotes made single.
    pub fn content(&self) -> Cow<'a, [u8]> {
        if !self.doubled {
            return Cow::Borrowed(self.text);
        }
        let mut content = Vec::with_capacity(self.text.len());
        let mut after_quote = false;
        for &byte in self.text {
            after_quote = byte == b'"' && !after_quote;
            if !after_quote {
                content.push(byte);
            }
        }
        Cow::Owned(content)
    }

    /// Whether the field says that there is no value: empty, or one of the missing words without quotes.
    #[inline]
    pub fn is_missing(&self, dialect: &Dialect) -> bool {
        self.text.is_empty() || (!self.quoted && dialect.missing.has(self.text))
    }
}

/// The field that begins at `at`; with it where the next one begins and whether that is on a new line.
#[inline]
pub(crate) fn cell<'a>(bytes: &'a [u8], at: usize, dialect: &Dialect) -> Result<(Cell<'a>, usize, bool), Fault> {
    if dialect.quotes && bytes.get(at) == Some(&b'"') {
        return quoted(bytes, at, dialect);
    }
    let rest = &bytes[at..];
    let length = field_length(rest, dialect);
    let ends_line = rest.get(length).is_none_or(|&b| b == dialect.line_end);
    let text = super::super::source::trimmed(&rest[..length]);
    Ok((Cell { text, quoted: false, doubled: false }, at + length + 1, ends_line))
}

/// How many bytes come before the next separator or line end.
#[inline]
fn field_length(rest: &[u8], dialect: &Dialect) -> usize {
    // Most fields are short: eight bytes are looked at in one go before the search for long ones is called.
    if let Some(head) = rest.first_chunk::<8>() {
        let block = u64::from_le_bytes(*head);
        let found = equal(block, dialect.separator) | equal(block, dialect.line_end);
        if found != 0 {
            return found.trailing_zeros() as usize / 8;
        }
    }
    memchr::memchr2(dialect.separator, dialect.line_end, rest).unwrap_or(rest.len())
}

/// The high bit of each byte that equals `byte`; bytes above the first of them may be marked wrongly.
#[inline]
fn equal(block: u64, byte: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let other = block ^ (ONES * u64::from(byte));
    other.wrapping_sub(ONES) & !other & (ONES << 7)
}

fn quoted<'a>(bytes: &'a [u8], at: usize, dialect: &Dialect) -> Result<(Cell<'a>, usize, bool), Fault> {
    let Some((close, doubled)) = closing_quote(bytes, at + 1) else {
        return Err(Fault { at, why: "a quote is opened here and never closed" });
    };
    let mut end = close + 1;
    while let Some(b' ' | b'\t' | b'\r') = bytes.get(end).filter(|&&b| b != dialect.separator && b != dialect.line_end)
    {
        end += 1;
    }
    let ends_line = bytes.get(end).is_none_or(|&b| b == dialect.line_end);
    if !ends_line && bytes[end] != dialect.separator {
        return Err(Fault { at: end, why: "text after the closing quote; a quote within quotes must be doubled" });
    }
    Ok((Cell { text: &bytes[at + 1..close], quoted: true, doubled }, end + 1, ends_line))
}

/// The closing quote of a field whose content begins at `from`, and whether quotes within are doubled.
pub(crate) fn closing_quote(bytes: &[u8], mut from: usize) -> Option<(usize, bool)> {
    let mut doubled = false;
    loop {
        let quote = from + memchr::memchr(b'"', bytes.get(from..)?)?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some((quote, doubled));
        }
        doubled = true;
        from = quote + 2;
    }
}

/// Whether the line at `at` has nothing but blanks; if so, where the next one begins.
#[inline]
pub(crate) fn blank_line(bytes: &[u8], at: usize, line_end: u8) -> Option<usize> {
    let mut end = at;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            _ if byte == line_end => break,
            b' ' | b'\t' | b'\r' => end += 1,
            _ => return None,
        }
    }
    Some(end + 1)
}

/// Up to `most` rows from the beginning; the last element says whether a field could not be read.
pub(crate) fn rows<'a>(bytes: &'a [u8], dialect: &Dialect, most: usize) -> (Vec<Vec<Cell<'a>>>, Option<Fault>) {
    let (rows, _, fault) = rows_from(bytes, 0, dialect, most);
    (rows, fault)
}

/// Rows with where each begins.
type Placed<'a> = (Vec<Vec<Cell<'a>>>, Vec<usize>, Option<Fault>);

/// Up to `most` rows from `at` on, with where each begins.
pub(crate) fn rows_from<'a>(bytes: &'a [u8], mut at: usize, dialect: &Dialect, most: usize) -> Placed<'a> {
    let (mut rows, mut starts) = (Vec::new(), Vec::new());
    while at < bytes.len() && rows.len() < most {
        if let Some(next) = empty_line(bytes, at, dialect) {
            at = next;
            continue;
        }
        let start = at;
        let mut row = Vec::new();
        loop {
            match cell(bytes, at.min(bytes.len()), dialect) {
                Ok((cell, next, ends_line)) => {
                    row.push(cell);
                    at = next;
                    if ends_line {
                        break;
                    }
                }
                Err(fault) => return (rows, starts, Some(fault)),
            }
        }
        rows.push(row);
        starts.push(start);
    }
    (rows, starts, None)
}

/// As [`blank_line`], but a line of separators that are blanks (tabs) has fields, and a line of comment has none.
#[inline]
pub(crate) fn empty_line(bytes: &[u8], at: usize, dialect: &Dialect) -> Option<usize> {
    match bytes.get(at) {
        Some(&byte) if byte > b' ' && byte != dialect.comment => None,
        Some(&byte) if byte == dialect.comment => {
            Some(memchr::memchr(dialect.line_end, &bytes[at..]).map_or(bytes.len(), |i| at + i) + 1)
        }
        _ => {
            let next = blank_line(bytes, at, dialect.line_end)?;
            let line = &bytes[at..(next - 1).min(bytes.len())];
            (!line.contains(&dialect.separator)).then_some(next)
        }
    }
}

/// Where the cell of a row, counted from `start`, and column begins.
pub(crate) fn place_from(bytes: &[u8], start: usize, dialect: &Dialect, row: usize, column: usize) -> usize {
    let (mut at, mut row) = (start, row);
    while at < bytes.len() {
        if let Some(next) = empty_line(bytes, at, dialect) {
            at = next;
            continue;
        }
        let mut field = 0;
        loop {
            if row == 0 && field == column {
                return at.min(bytes.len());
            }
            match cell(bytes, at.min(bytes.len()), dialect) {
                Ok((_, next, ends_line)) => {
                    (at, field) = (next, field + 1);
                    if ends_line {
                        break;
                    }
                }
                Err(_) => return at.min(bytes.len()),
            }
        }
        row = row.saturating_sub(1);
    }
    bytes.len()
}
