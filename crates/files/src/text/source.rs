//! A piece of a text file with what messages need: its name and the line it begins with; and its cutting into pieces.
//!
//! Work is cut at line ends into pieces of a size that depends on the text alone, so that results are the same for
//! any number of threads. Lines are counted only when a message needs the number.

use base::{Error, Result};
use std::ops::Range;

/// Text as the readers see it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The file's name, for messages.
    pub name: &'a str,
    /// The text.
    pub bytes: &'a [u8],
    /// The number of its first line in the file, from 1.
    pub first_line: u64,
    /// The byte that ends a line: line feed, or carriage return where there is no line feed.
    pub line_end: u8,
}

/// Bytes of a piece of work: large enough that cutting costs nothing, small enough to stay in the cache.
pub(crate) const PIECE: usize = 1 << 20;

impl<'a> Source<'a> {
    /// Text that is a whole file, or its beginning.
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Source { name, bytes, first_line: 1, line_end: line_end(bytes) }
    }

    /// An error at byte `at`; `column` counts from 1, 0 stands for the byte within the line.
    #[cold]
    pub fn error(&self, at: usize, column: usize, why: impl Into<base::Message>) -> Error {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let start = memchr::memrchr(self.line_end, before).map_or(0, |i| i + 1);
        let column = if column == 0 { before.len() - start + 1 } else { column };
        Error::at(self.name, self.line(start), column as u64, why)
    }

    /// The number of the line that has byte `at`.
    pub fn line(&self, at: usize) -> u64 {
        self.first_line + memchr::memchr_iter(self.line_end, &self.bytes[..at]).count() as u64
    }

    /// Where the line that has byte `at` ends: at its line end, or at the end of the text.
    #[inline]
    pub fn end_of_line(&self, at: usize) -> usize {
        memchr::memchr(self.line_end, &self.bytes[at..]).map_or(self.bytes.len(), |i| at + i)
    }

    /// Refuses a NUL byte, which no text has.
    pub fn refuse_nul(&self) -> Result<()> {
        match memchr::memchr(0, self.bytes) {
            Some(at) => Err(self.error(at, 0, "a NUL byte: this is not text, or the text was truncated")),
            None => Ok(()),
        }
    }

    /// Cuts the text from `start` on at line ends into pieces of about `size` bytes.
    pub fn pieces(&self, start: usize, size: usize) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut from = start.min(self.bytes.len());
        while from < self.bytes.len() {
            let least = from.saturating_add(size.max(1) - 1).min(self.bytes.len());
            let end = (self.end_of_line(least) + 1).min(self.bytes.len());
            pieces.push(from..end);
            from = end;
        }
        pieces
    }

    /// How many lines `range` has at most: its line ends, and a last line without one.
    pub fn lines_in(&self, range: Range<usize>) -> usize {
        let text = &self.bytes[range];
        let open = text.last().is_some_and(|&b| b != self.line_end);
        memchr::memchr_iter(self.line_end, text).count() + usize::from(open)
    }
}

/// A cell or token as messages show it: in quotes, cut to 40 characters.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MOST)]);
    match text.chars().count() > MOST || bytes.len() > 4 * MOST {
        true => format!("{:?}", text.chars().take(MOST - 1).chain(['…']).collect::<String>()),
        false => format!("{text:?}"),
    }
}

/// Without blanks at both ends.
#[inline]
pub(crate) fn trimmed(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t' | b'\r'] = bytes {
        bytes = rest;
    }
    bytes
}

/// How lines end, from the first of them: a carriage return alone counts only where no line feed is near.
pub(crate) fn line_end(bytes: &[u8]) -> u8 {
    const HEAD: usize = 1 << 16;
    let head = &bytes[..bytes.len().min(HEAD)];
    match memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', head).is_some() {
        true => b'\r',
        false => b'\n',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_text_and_end_with_lines() {
        let text = b"one\ntwo\n\nthree";
        for size in 1..20 {
            let source = Source::new("t", text);
            let pieces = source.pieces(0, size);
            assert_eq!((pieces[0].start, pieces.last().unwrap().end), (0, text.len()));
            assert!(pieces.windows(2).all(|w| w[0].end == w[1].start && text[w[0].end - 1] == b'\n'));
            assert_eq!(pieces.iter().map(|p| source.lines_in(p.clone())).sum::<usize>(), 4);
        }
    }

    #[test]
    fn messages_say_where() {
        let source = Source { first_line: 10, ..Source::new("t", b"ab\ncd\ref") };
        assert_eq!(source.error(4, 0, "x").to_string(), "t:11:2: x");
        assert_eq!(source.error(4, 7, "x").to_string(), "t:11:7: x");
        let old = Source::new("t", b"ab\rcd\ref");
        assert_eq!(old.error(7, 0, "x").to_string(), "t:3:2: x");
        assert_eq!(Source::new("t", b"a\0").refuse_nul().unwrap_err().to_string().split(':').nth(2), Some("2"));
        assert_eq!(shown(&[b'a'; 50]).chars().count(), 42);
    }
}
