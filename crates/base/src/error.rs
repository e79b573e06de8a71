//! What can go wrong, said so that the reader knows what to do: what, where, and what would be right.

use crate::advice::{Advice, Message, Wording};
use std::fmt;

/// The result of anything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure, in the user's words.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is unknown, out of its range or does not go with another.
    #[error("{name} = {value}: {must}")]
    Parameter {
        /// The setting's name.
        name: String,
        /// The value given.
        value: String,
        /// What would be right.
        must: Message,
    },
    /// Two things that should have the same size differ.
    #[error("{what}: expected {expected}, found {found}")]
    Size {
        /// What was measured.
        what: String,
        /// The size that would be right.
        expected: String,
        /// The size met.
        found: String,
    },
    /// The data cannot be used as they are.
    #[error("{place}: {why}")]
    Data {
        /// Where: file, line and column, or row and column.
        place: Place,
        /// What is wrong and what would be right.
        why: Message,
    },
    /// A combination that does not exist (yet).
    #[error("{what}: not supported by {by}; {instead}")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// Who cannot do it.
        by: String,
        /// The nearest thing that works.
        instead: Message,
    },
    /// A file is not what it claims to be.
    #[error("{file}: {why}")]
    Format {
        /// The file's name.
        file: String,
        /// What is wrong with it.
        why: Message,
    },
    /// The operating system refused.
    #[error("{file}: {why}")]
    File {
        /// The file's name.
        file: String,
        /// The system's words.
        why: String,
    },
    /// More memory is needed than the run may use.
    #[error(
        "not enough memory for {what}: {} needed, {} free of the limit of {}; raise the limit or use fewer rows",
        Bytes(*asked), Bytes(limit.saturating_sub(*used)), Bytes(*limit)
    )]
    Memory {
        /// What the memory is for.
        what: String,
        /// Bytes asked for.
        asked: u64,
        /// Bytes in use when asked.
        used: u64,
        /// Bytes the run may use.
        limit: u64,
    },
    /// A process that shares the work failed, or what it sent cannot be used.
    #[error("rank {rank}: {why}")]
    Rank {
        /// The process, from 0.
        rank: usize,
        /// What is wrong, and what to do.
        why: Message,
    },
    /// The observer said to stop and keep nothing.
    #[error("cancelled")]
    Cancelled,
    /// Time was over, or the observer said that it is enough, before there was anything to keep.
    #[error(
        "stopped before {what} was finished: nothing was fitted and nothing is kept; allow more time or use fewer rows"
    )]
    Stopped {
        /// What was being worked on.
        what: String,
    },
}

/// Where in the data something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a file: name, line and column counted from 1; 0 stands for unknown.
    File {
        /// The file's name.
        name: String,
        /// The line, from 1.
        line: u64,
        /// The column, from 1: the field in tables, the byte in free text.
        column: u64,
    },
    /// In a table or in points: the row and the column's name; the row is counted from 0 here and shown from 1.
    Cell {
        /// The row, from 0.
        row: usize,
        /// The column's name.
        column: String,
    },
    /// A whole column.
    Column(String),
    /// The data as a whole.
    Whole,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File { name, line: 0, .. } => f.write_str(name),
            Place::File { name, line, column: 0 } => write!(f, "{name}:{line}"),
            Place::File { name, line, column } => write!(f, "{name}:{line}:{column}"),
            // People count rows from 1.
            Place::Cell { row, column } => write!(f, "row {}, column {column:?}", row.saturating_add(1)),
            Place::Column(name) => write!(f, "column {name:?}"),
            Place::Whole => f.write_str("data"),
        }
    }
}

impl Error {
    /// A setting outside its range.
    pub fn parameter(name: impl Into<String>, value: impl fmt::Display, must: impl Into<Message>) -> Self {
        Error::Parameter { name: name.into(), value: value.to_string(), must: must.into() }
    }

    /// Two sizes that should agree.
    pub fn size(what: impl Into<String>, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        Error::Size { what: what.into(), expected: expected.to_string(), found: found.to_string() }
    }

    /// The same error, naming what was being worked on if nobody has yet.
    pub fn while_at(self, name: &str) -> Self {
        match self {
            Error::Stopped { what } if what.is_empty() => Error::Stopped { what: name.into() },
            other => other,
        }
    }

    /// The whole error as a message: what would help stays data, also within another error.
    pub fn to_message(&self) -> Message {
        let mut error = self.clone();
        let message = match &mut error {
            Error::Parameter { must: message, .. }
            | Error::Data { why: message, .. }
            | Error::Unsupported { instead: message, .. }
            | Error::Format { why: message, .. }
            | Error::Rank { why: message, .. } => message,
            Error::Memory { .. } => {
                return Message::from(self.to_string()).with(Advice::option("memory", "SIZE"));
            }
            Error::Size { .. } | Error::File { .. } | Error::Cancelled | Error::Stopped { .. } => {
                return Message::from(self.to_string());
            }
        };
        // Every text above ends with its message, so advice may follow the whole.
        let own = std::mem::replace(message, Message::from(message.text()));
        own.map(|_| error.to_string())
    }

    /// The error with what would help in the words of a front end.
    pub fn worded(&self, wording: Wording<'_>) -> String {
        self.to_message().worded(wording)
    }

    /// Data that cannot be used, at a place.
    pub fn data(place: Place, why: impl Into<Message>) -> Self {
        Error::Data { place, why: why.into() }
    }

    /// Data that cannot be used, in a file at line and column (from 1; 0 = unknown).
    pub fn at(name: &str, line: u64, column: u64, why: impl Into<Message>) -> Self {
        Error::Data { place: Place::File { name: name.into(), line, column }, why: why.into() }
    }

    /// A file that is not what it claims to be.
    pub fn format(file: impl Into<String>, why: impl Into<Message>) -> Self {
        Error::Format { file: file.into(), why: why.into() }
    }

    /// A process that shares the work and failed.
    pub fn rank(rank: usize, why: impl Into<Message>) -> Self {
        Error::Rank { rank, why: why.into() }
    }

    /// Something that does not exist (yet), with the nearest thing that does.
    pub fn unsupported(what: impl Into<String>, by: impl Into<String>, instead: impl Into<Message>) -> Self {
        Error::Unsupported { what: what.into(), by: by.into(), instead: instead.into() }
    }
}

/// Bytes as people read them: `Bytes(3 << 20)` shows `3.0 MB`.
#[derive(Debug, Clone, Copy)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
        let mut value = self.0 as f64;
        let mut unit = 0;
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        match unit {
            0 => write!(f, "{} B", self.0),
            _ => write!(f, "{value:.1} {}", UNITS[unit]),
        }
    }
}

/// The word of `known` that is nearest to `word`, if one is near enough to be meant.
///
/// Distance is the number of edits (insert, delete, replace, swap of neighbours); up to a third of the word's length
/// counts as a slip of the pen.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let best = known.into_iter().map(|k| (edits(&lower, &k.to_lowercase()), k)).min()?;
    // One slip in a short word, more in a long one; a word of one or two letters is like every other.
    let most = match word.chars().count() {
        0..=2 => 0,
        n => (n / 3).max(1),
    };
    (best.0 <= most).then_some(best.1)
}

/// Damerau-Levenshtein distance with neighbouring swaps.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_where_and_what_would_be_right() {
        let text = |e: Error| e.to_string();
        assert_eq!(text(Error::parameter("k", 0, "must be at least 1")), "k = 0: must be at least 1");
        assert_eq!(text(Error::size("columns", 4, 5)), "columns: expected 4, found 5");
        assert_eq!(text(Error::at("a.csv", 2, 3, "\"x\" is not a number")), "a.csv:2:3: \"x\" is not a number");
        assert_eq!(text(Error::at("a.csv", 2, 0, "cut off")), "a.csv:2: cut off");
        assert_eq!(text(Error::rank(2, "stopped early")), "rank 2: stopped early");
        let memory = Error::Memory { what: "distances".into(), asked: 3 << 30, used: 1 << 30, limit: 2 << 30 };
        let expected = "not enough memory for distances: 3.0 GB needed, 1.0 GB free of the limit of 2.0 GB";
        assert!(text(memory).starts_with(expected));
    }

    #[test]
    fn guesses_what_was_meant() {
        assert_eq!(nearest("gama", ["alpha", "gamma", "k"]), Some("gamma"));
        assert_eq!(nearest("ridgr", ["ridge", "knn"]), Some("ridge"));
        assert_eq!(nearest("zebra", ["ridge", "knn"]), None);
        assert_eq!(edits("ab", "ba"), 1);
        assert_eq!(edits("", "abc"), 3);
    }
}
