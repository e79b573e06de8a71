//! What stands above a table: `sep=;`, comments, titles. All of it is passed over, and said.
//!
//! - A first line `sep=;` names the separator, as spreadsheets write it.
//! - Lines that begin with `#` are comments if others follow. The last of them names the columns if it has as many
//!   fields as the rows and all of them are words: `# time speed`, `#chrom start end`.
//! - Rows of fewer fields than the others, or with one filled field alone, are titles if a header follows them, or if they
//!   have a single field.

use super::cell::{Cell, Dialect, rows, rows_from};
use super::{guess, header};
use crate::Reading;
use crate::text::source::{Source, shown, trimmed};

/// The lines above a table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preamble {
    /// How many lines they are.
    pub lines: usize,
    /// The separator they name.
    pub separator: Option<u8>,
    /// Whether there are comments.
    pub comments: bool,
    /// The last comment, without its mark, where it may name the columns.
    pub names: Option<Vec<u8>>,
    /// What the user is told.
    pub notes: Vec<String>,
}

/// Where line number `lines` begins, counted from 0.
pub(crate) fn after_lines(bytes: &[u8], lines: usize, line_end: u8) -> usize {
    match lines {
        0 => 0,
        n => memchr::memchr_iter(line_end, bytes).nth(n - 1).map_or(bytes.len(), |i| i + 1),
    }
}

/// Looks for `sep=` and comments.
pub(crate) fn look(source: &Source<'_>) -> Preamble {
    let mut found = Preamble::default();
    let mut lines = guess::head(source).split(|&b| b == source.line_end).map(trimmed).peekable();
    if let Some(separator) = lines.peek().and_then(|line| named_separator(line)) {
        lines.next();
        found.lines = 1;
        found.separator = Some(separator);
        found.notes.push(format!("the first line names the separator, {}", shown(&[separator])));
    }
    let mut comments: Vec<&[u8]> = vec![];
    let mut blank = 0;
    while let Some(line) = lines.peek().filter(|line| line.is_empty() || line[0] == b'#') {
        match line.is_empty() {
            true => blank += 1,
            false => comments.push(line),
        }
        lines.next();
    }
    // Comments alone are no table, and texts may begin with the mark.
    let Some(last) = comments.last().filter(|_| lines.peek().is_some()) else { return found };
    let mark = last.iter().take_while(|b| **b == b'#').count();
    found.names = Some(last[mark..].to_vec());
    found.lines += comments.len() + blank;
    found.comments = true;
    found
}

/// The separator of a line `sep=;`.
fn named_separator(line: &[u8]) -> Option<u8> {
    let line = line.strip_prefix(b"\"").and_then(|l| l.strip_suffix(b"\"")).unwrap_or(line);
    match line {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', separator] => Some(*separator),
        // A tab at the end was taken for a blank.
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'='] => Some(b'\t'),
        _ => None,
    }
}

impl Preamble {
    /// Decides about comments now that the rows below are known: which names they give, or that they are no comments.
    pub fn settle(&mut self, body: &[u8], dialect: &Dialect) -> Option<Vec<String>> {
        let (below, _) = rows(body, dialect, 2);
        let width = below.first().map_or(0, Vec::len);
        let mut line = self.names.take()?;
        if dialect.separator == b' ' {
            line = guess::squeeze(&line, dialect.line_end);
        }
        let plain = Dialect { comment: 0, ..dialect.clone() };
        let (cells, _) = rows(&line, &plain, 1);
        let cells = cells.into_iter().next().unwrap_or_default();
        let words = |c: &Cell<'_>| !c.text.is_empty() && header::is_word(c, dialect);
        let tail = cells.iter().skip(1).all(words) && cells.first().is_some_and(|c| c.text.is_empty() || words(c));
        if width < 2 || cells.len() != width || !tail {
            return None;
        }
        let name = |c: &Cell<'_>| match c.text.is_empty() {
            true => "#".to_string(),
            false => String::from_utf8_lossy(&c.content()).into_owned(),
        };
        Some(cells.iter().map(name).collect())
    }
}

/// How many rows at the top are titles, given all first rows: those before the first that is as long as most.
pub(crate) fn titles(all: &[Vec<Cell<'_>>], dialect: &Dialect, how: &Reading) -> usize {
    let Some(width) = usual_width(all).filter(|w| *w > 1) else { return 0 };
    let filled = |row: &Vec<Cell<'_>>| row.iter().filter(|c| !c.text.is_empty()).count();
    let word = |row: &Vec<Cell<'_>>| row[0].text.is_empty() || header::is_word(&row[0], dialect);
    let bare = |row: &Vec<Cell<'_>>| row.len() < width || (filled(row) < 2 && word(row));
    let count = all.iter().take(guess::TITLES + 1).take_while(|row| bare(row)).count();
    if count == 0 || count > guess::TITLES || count >= all.len() {
        return 0;
    }
    // A header that is one short has names for all columns but the first.
    if count == 1 && all[0].len() + 1 == width && filled(&all[0]) == all[0].len() && width > 2 {
        return 0;
    }
    let single = all[..count].iter().all(|row| filled(row) <= 1 && word(row));
    let named = header::is_header(&all[count..], dialect, how);
    let short = all[..count].iter().all(|row| row.len() < width);
    match (single && short) || (named && all[..count].iter().any(|row| !header::is_header_like(row, dialect))) {
        true if width == 2 && count == 1 && all[0].len() == 1 && !named => 0,
        true => count,
        false => 0,
    }
}

/// The number of fields that most rows have, the larger of equals.
pub(crate) fn usual_width(rows: &[Vec<Cell<'_>>]) -> Option<usize> {
    let mut counts = std::collections::BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(row.len()).or_insert(0usize) += 1);
    counts.into_iter().max_by_key(|&(width, count)| (count, width)).map(|(width, _)| width)
}

/// Which line, counted from 0, row number `row` begins with.
pub(crate) fn line_of_row(bytes: &[u8], dialect: &Dialect, row: usize) -> usize {
    let (_, starts, _) = rows_from(bytes, 0, dialect, row + 1);
    let start = starts.get(row).copied().unwrap_or(0);
    memchr::memchr_iter(dialect.line_end, &bytes[..start]).count()
}
