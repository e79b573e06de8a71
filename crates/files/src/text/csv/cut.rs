//! Cutting a table into pieces at the ends of rows, where quoted fields may hold line ends.
//!
//! Pieces are first cut at line ends. Whether such a line end is the end of a row depends on all that comes before; but a
//! piece has only two possible pasts, outside or inside quotes, and for each one scan says where it ends. All pieces
//! are scanned at the same time for both, then the answers are chained and the beginnings that belong to a row of the
//! piece before are given to it.

use super::cell::{Dialect, closing_quote};
use crate::text::source::Source;
use base::{Result, Run};
use numeric::each;
use std::ops::Range;

/// Pieces at the ends of rows, each with the most rows it can have.
pub(crate) struct Pieces {
    pub ranges: Vec<Range<usize>>,
    pub rows: Vec<usize>,
    /// Where quotes are not as they should be: text behind a closing quote, or none that closes.
    pub broken: Option<usize>,
}

/// What a piece looks like for one past.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scan {
    /// Whether the piece ends inside quotes.
    inside: bool,
    /// Ends of rows, counting a last row without one.
    rows: usize,
    /// Where the first row ends that ends here.
    first_end: Option<usize>,
    /// Where quotes are not as they should be.
    broken: Option<usize>,
}

/// Cuts `source` from `start` on into pieces of about `size` bytes.
pub(crate) fn pieces(
    source: &Source<'_>,
    start: usize,
    dialect: &Dialect,
    size: usize,
    run: &Run<'_>,
) -> Result<Pieces> {
    let naive = source.pieces(start, size);
    let scans = each(run, naive.len(), |i| {
        let range = naive[i].clone();
        if !dialect.quotes || memchr::memchr(b'"', &source.bytes[range.clone()]).is_none() {
            let rows = source.lines_in(range.clone());
            let first_end = Some((source.end_of_line(range.start) + 1).min(range.end));
            let outside = Scan { inside: false, rows, first_end, broken: None };
            return Ok([outside, Scan { inside: true, rows: 0, first_end: None, broken: None }]);
        }
        Ok([false, true].map(|inside| scan(source.bytes, range.clone(), inside, dialect)))
    })?;
    let mut pieces = Pieces { ranges: Vec::with_capacity(naive.len()), rows: Vec::new(), broken: None };
    let mut inside = false;
    let mut opened = start;
    for (range, scans) in naive.into_iter().zip(scans) {
        let scan = scans[usize::from(inside)];
        pieces.broken = pieces.broken.or(scan.broken);
        match (inside, pieces.ranges.last_mut(), scan.first_end) {
            (true, Some(last), None) => {
                last.end = range.end;
            }
            (true, Some(last), Some(end)) => {
                // The first row that ends here began in the piece before, which has counted no end for it.
                last.end = end;
                if let Some(rows) = pieces.rows.last_mut() {
                    *rows += 1;
                }
                if end < range.end || scan.rows > 1 {
                    pieces.ranges.push(end..range.end);
                    pieces.rows.push(scan.rows - 1);
                }
            }
            _ => {
                pieces.ranges.push(range.clone());
                pieces.rows.push(scan.rows);
            }
        }
        if scan.inside && !inside {
            opened = range.start;
        }
        inside = scan.inside;
    }
    if inside {
        // The row that never ends counts, so that reading it can say what is wrong.
        pieces.broken = pieces.broken.or(Some(opened));
        if let Some(rows) = pieces.rows.last_mut() {
            *rows += 1;
        }
    }
    Ok(pieces)
}

/// Looks at a piece that begins outside or inside quotes.
fn scan(all: &[u8], range: Range<usize>, mut inside: bool, dialect: &Dialect) -> Scan {
    let bytes = &all[..range.end];
    let mut scan = Scan { inside: false, rows: 0, first_end: None, broken: None };
    let mut at = range.start;
    let ends = |from: usize, to: usize, scan: &mut Scan| {
        let mut found = memchr::memchr_iter(dialect.line_end, &bytes[from..to]);
        if scan.first_end.is_none()
            && let Some(i) = found.next()
        {
            scan.first_end = Some(from + i + 1);
            scan.rows += 1;
        }
        scan.rows += found.count();
    };
    loop {
        if inside {
            let Some((close, _)) = closing_quote(bytes, at) else {
                return Scan { inside: true, ..scan };
            };
            at = close + 1;
            let ends = |b: u8| b == dialect.separator || b == dialect.line_end;
            let next = bytes[at..].iter().find(|&&b| ends(b) || !b" \t\r".contains(&b));
            if next.is_some_and(|&b| !ends(b)) {
                scan.broken = scan.broken.or(Some(at));
            }
        }
        // From here on outside: up to a quote that opens a field.
        let mut from = at;
        inside = loop {
            let Some(quote) = memchr::memchr(b'"', &bytes[from..]).map(|i| from + i) else { break false };
            let opens =
                quote == range.start || all[quote - 1] == dialect.separator || all[quote - 1] == dialect.line_end;
            from = quote + 1;
            if opens {
                break true;
            }
        };
        let to = if inside { from } else { bytes.len() };
        ends(at, to, &mut scan);
        at = to;
        if !inside {
            let open = bytes.last().is_some_and(|&b| b != dialect.line_end);
            scan.rows += usize::from(open);
            if open && scan.first_end.is_none() {
                scan.first_end = Some(bytes.len());
            }
            return scan;
        }
    }
}

/// Where the last row that is surely whole ends in a text that may be cut off anywhere.
pub(crate) fn whole_rows(bytes: &[u8], dialect: &Dialect) -> usize {
    let Some(last) = memchr::memrchr(dialect.line_end, bytes).map(|i| i + 1) else { return 0 };
    if !dialect.quotes || memchr::memchr(b'"', &bytes[..last]).is_none() {
        return last;
    }
    let mut at = 0;
    let mut end = 0;
    loop {
        // Outside quotes: up to a quote that opens a field.
        let mut from = at;
        let open = loop {
            let Some(quote) = memchr::memchr(b'"', &bytes[from..last]).map(|i| from + i) else { break None };
            from = quote + 1;
            if quote == 0 || bytes[quote - 1] == dialect.separator || bytes[quote - 1] == dialect.line_end {
                break Some(quote);
            }
        };
        let to = open.unwrap_or(last);
        end = memchr::memrchr(dialect.line_end, &bytes[at..to]).map_or(end, |i| at + i + 1);
        match open.and_then(|quote| closing_quote(&bytes[..last], quote + 1)) {
            Some((close, _)) => at = close + 1,
            None => return end,
        }
    }
}
