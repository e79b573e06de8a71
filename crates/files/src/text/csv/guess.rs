//! How a table is written, guessed from its first rows.
//!
//! **Separator.** For each of comma, tab, semicolon, bar and caret: the share of rows that have the most frequent number
//! of fields. The largest share wins, then the larger number of fields; but where commas are the decimal points of fields
//! between semicolons, tabs or bars, those win. A separator must cut most rows in two or more; lines of a title that it
//! does not cut may come first. If none does, blanks separate if they cut all rows alike and give a column of numbers;
//! else there is one column.
//! **Quotes** open fields; between tabs or bars, or in a single column, not if the rows come out better without.
//! **Decimal comma.** If there are fields that can be nothing else, like `1,5` (`1,234` can), and none like `1.5`.

use super::cell::{Cell, Dialect, Missing, rows};
use crate::Reading;
use crate::text::source::Source;
use crate::text::{local, number};

/// Rows that are looked at.
pub(crate) const ROWS: usize = 1000;
/// Bytes that are looked at.
const HEAD: usize = 1 << 18;

/// The beginning of the text: whole lines.
pub(crate) fn head<'a>(source: &Source<'a>) -> &'a [u8] {
    if source.bytes.len() <= HEAD {
        return source.bytes;
    }
    let end =
        memchr::memrchr(source.line_end, &source.bytes[..HEAD]).map_or_else(|| source.end_of_line(HEAD), |i| i + 1);
    &source.bytes[..end]
}

/// How well a dialect cuts rows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Score {
    /// Whether all fields could be read.
    sound: bool,
    /// Share of rows with the most frequent number of fields.
    share: f64,
    /// That number.
    fields: usize,
    /// Fields of the first row.
    first: usize,
    /// Whether rows of fewer fields come first, and nearly all others have that number.
    titled: bool,
}

/// Rows of a title, at most.
pub(crate) const TITLES: usize = 30;

/// The dialect of the text.
pub(crate) fn dialect(source: &Source<'_>, how: &Reading) -> Dialect {
    let head = head(source);
    let whole = head.len() == source.bytes.len();
    let missing = Missing::new(&how.missing);
    let with = |separator: u8, quotes: bool| Dialect {
        separator,
        quotes,
        point: b'.',
        line_end: source.line_end,
        comment: 0,
        missing: missing.clone(),
    };
    let has_quotes = memchr::memchr(b'"', head).is_some();
    let best_of = |separator: u8| {
        let quoting: &[bool] = match how.quotes {
            Some(true) => &[true],
            Some(false) => &[false],
            None if has_quotes && may_be_letters(separator) => &[true, false],
            None => &[true],
        };
        let scored =
            quoting.iter().map(|&quotes| (score(head, &with(separator, quotes), whole), with(separator, quotes)));
        scored.reduce(|a, b| if better(&b.0, &a.0) { b } else { a })
    };
    let separators: &[u8] = match &how.separator {
        Some(given) => std::slice::from_ref(given),
        None => b",\t;|^",
    };
    let mut best: Option<(Score, Dialect)> = None;
    for (score, dialect) in separators.iter().filter_map(|&s| best_of(s)) {
        let cuts = score.fields > 1 && score.share >= 0.5 && (score.first > 1 || score.titled);
        if !(cuts || how.separator.is_some()) {
            continue;
        }
        let wins = best.as_ref().is_none_or(|(old, chosen)| {
            let commas = chosen.separator == b',' && score.share >= old.share && has_decimal_commas(head, &dialect);
            commas || (chosen.separator == b',' || !has_decimal_commas(head, chosen)) && better(&score, old)
        });
        if wins {
            best = Some((score, dialect));
        }
    }
    let mut dialect = match best {
        Some((_, dialect)) => dialect,
        None if how.separator.is_none() && blanks_separate(head, &with(b' ', true)) => with(b' ', true),
        None => best_of(0).map_or_else(|| with(0, true), |(_, d)| d),
    };
    // Groups of points leave the comma for decimals, and the other way round.
    let by_groups = how.thousands.filter(|c| ".,".contains(*c)).map(|c| c == '.');
    let comma = how.decimal_comma.or(by_groups).unwrap_or_else(|| has_decimal_commas(head, &dialect));
    dialect.point = if comma { b',' } else { b'.' };
    dialect
}

/// Whether quotes between these separators are letters in some files: those that commas separate need them.
pub(crate) fn may_be_letters(separator: u8) -> bool {
    !b",;".contains(&separator)
}

fn better(a: &Score, b: &Score) -> bool {
    let key = |s: &Score| (s.sound, s.share * f64::from(u8::from(s.fields > 1)), s.fields);
    key(a).partial_cmp(&key(b)).is_some_and(std::cmp::Ordering::is_gt)
}

fn score(head: &[u8], dialect: &Dialect, whole: bool) -> Score {
    let (rows, fault) = rows(head, dialect, ROWS);
    let widths: Vec<usize> = rows.iter().map(Vec::len).collect();
    let mut counts = widths.clone();
    counts.sort_unstable();
    let (mut fields, mut most) = (0, 0);
    for group in counts.chunk_by(|a, b| a == b) {
        if group.len() >= most {
            (fields, most) = (group[0], group.len());
        }
    }
    // A quote that the end of the head leaves open may well be closed behind it.
    let cut = fault.as_ref().is_some_and(|f| !whole && super::cell::closing_quote(head, f.at + 1).is_none());
    let share = if counts.is_empty() { 0.0 } else { most as f64 / counts.len() as f64 };
    let titles = widths.iter().take_while(|w| **w < fields).count();
    let titled = (1..=TITLES).contains(&titles) && 10 * most >= 9 * (widths.len() - titles) && most > 1;
    Score { sound: fault.is_none() || cut, share, fields, first: rows.first().map_or(0, Vec::len), titled }
}

/// Whether fields look like `1,5` and none like `1.5`; what may be groups of three digits shows nothing.
fn has_decimal_commas(head: &[u8], dialect: &Dialect) -> bool {
    shows_point(head, dialect, b',') && !shows_point(head, dialect, b'.')
}

/// Whether a field can be read with this decimal sign only.
pub(crate) fn shows_point(head: &[u8], dialect: &Dialect, point: u8) -> bool {
    let (rows, _) = rows(head, dialect, ROWS);
    let shows = |cell: &Cell<'_>| {
        cell.text.contains(&point)
            && local::bare(cell.text).is_some()
            && (number::whole(cell.text, point).is_some() || fits_both(cell.text, point))
            && !local::may_be_groups(cell.text, point)
    };
    rows.iter().flatten().any(shows)
}

/// Whether a text has groups and this decimal sign: `1.234,56`.
fn fits_both(text: &[u8], point: u8) -> bool {
    let mut styles = local::STYLES.iter().filter(|s| s.number(text).is_some()).peekable();
    styles.peek().is_some() && styles.all(|s| s.point == point)
}

/// Whether blanks cut all rows into the same number of fields, with a column of numbers among them.
fn blanks_separate(head: &[u8], dialect: &Dialect) -> bool {
    let text = squeeze(head, dialect.line_end);
    let (rows, fault) = rows(&text, dialect, ROWS);
    // The first line may name the columns.
    let [first, rest @ ..] = &rows[..] else { return false };
    let is_number = |column: usize| {
        let number = |row: &Vec<Cell<'_>>| {
            let cell = &row[column];
            number::whole(cell.text, b'.').is_some() || super::body::is_gap(cell, dialect)
        };
        let plain = |row: &Vec<Cell<'_>>| number::whole(row[column].text, b'.').is_some();
        rest.iter().all(number) && (rest.iter().any(plain) || (rest.is_empty() && number(first)))
    };
    // Names of rows have no name of their own.
    let width = rest.first().map_or(first.len(), Vec::len);
    (first.len() == width || first.len() + 1 == width)
        && fault.is_none()
        && width > 1
        && rest.iter().all(|r| r.len() == width)
        && (0..width).any(is_number)
}

/// Text with runs of blanks outside quotes made one, and none at the ends of lines, for tables separated by blanks.
pub(crate) fn squeeze(text: &[u8], line_end: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut quoted = false;
    for &byte in text {
        let starts = out.last().is_none_or(|&b| b == line_end || b == b' ');
        match byte {
            b'"' if quoted || starts => {
                quoted = !quoted;
                out.push(byte);
            }
            b' ' | b'\t' | b'\r' if !quoted && byte != line_end => {
                if !starts {
                    out.push(b' ');
                }
            }
            _ if byte == line_end && !quoted => {
                if out.last() == Some(&b' ') {
                    out.pop();
                }
                out.push(byte);
            }
            _ => out.push(byte),
        }
    }
    if out.last() == Some(&b' ') {
        out.pop();
    }
    out
}
