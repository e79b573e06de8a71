//! Text of the extreme classification repository: a line `rows features labels`, then rows `3,17 id:value ...`.
//!
//! Ids and labels count from 0; a row may have no labels (it then begins with a blank), and an empty line is a row with
//! nothing. The counts of the first line are checked against the rows. How rows are read: `sparse.rs`.
//!
//! - K. Bhatia et al.: *The extreme classification repository: multi-label datasets and code.* 2016.

use super::labels::Labels;
use super::source::{PIECE, Source, shown, trimmed};
use super::sparse::{self, Rules};
use super::{encoding, libsvm, number};
use crate::Reading;
use base::{Dataset, Features, Inputs, Points, Result, Run};

/// Reads XMC text; `name` is used in messages.
pub fn read(name: &str, bytes: &[u8], how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let text = encoding::decode(name, bytes, run)?;
    let source = Source::new(name, &text);
    source.refuse_nul()?;
    let counts = Counts::read(&source)?;
    // Only what the first line promises, and empty lines behind it, may follow.
    let body = Source { bytes: &text[..without_blank_lines(&text, counts.body)], ..source };
    let data = counts.rows(&body, counts.body, how, PIECE, run)?;
    counts.check(&source, data.len() as u64)?;
    Ok(data)
}

/// What the first line says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Counts {
    pub rows: u64,
    pub features: usize,
    pub labels: usize,
    /// Where the rows begin.
    pub body: usize,
}

/// The most labels a file may have; each takes some 30 bytes for its name.
const MOST_LABELS: u64 = 1 << 26;

impl Counts {
    /// Reads the first line.
    pub fn read(source: &Source<'_>) -> Result<Counts> {
        let end = source.end_of_line(0);
        let line = trimmed(&source.bytes[..end]);
        let wrong = || {
            let why = format!("the first line must be three counts, `rows features labels`, not {}", shown(line));
            source.error(0, 1, why)
        };
        let counts: Option<Vec<u64>> = line
            .split(|b| b" \t".contains(b))
            .filter(|word| !word.is_empty())
            .map(|word| number::natural(word).filter(|n| n.1 == word.len()).map(|n| n.0))
            .collect();
        let Some(&[rows, features, labels]) = counts.as_deref() else { return Err(wrong()) };
        if features > u64::from(u32::MAX) || labels > MOST_LABELS {
            let why = format!("at most {} features and {MOST_LABELS} labels can be read", u32::MAX);
            return Err(source.error(0, 1, why));
        }
        let body = (end + 1).min(source.bytes.len());
        Ok(Counts { rows, features: features as usize, labels: labels as usize, body })
    }

    /// Reads rows from byte `start` on.
    pub fn rows(
        &self,
        source: &Source<'_>,
        start: usize,
        how: &Reading,
        piece: usize,
        run: &Run<'_>,
    ) -> Result<Dataset> {
        let _names = run.memory.take(32 * self.labels as u64, "the names of labels")?;
        let labels = Labels::Below(self.labels);
        let columns = Some(self.features as u64);
        let rules = Rules { zero_based: Some(true), sort: how.sort_ids, labels, blank_rows: true, columns, piece };
        let mut data = libsvm::dataset(sparse::read(source, start, &rules, run)?, labels, true)?;
        if let Inputs::Points(Points::Sparse(points)) = &data.inputs {
            data.inputs = Points::Sparse(points.widen(self.features)).into();
            data.features = Features::unnamed(self.features);
        }
        Ok(data)
    }

    /// Makes sure that as many rows were found as promised.
    pub fn check(&self, source: &Source<'_>, found: u64) -> Result<()> {
        match found == self.rows {
            true => Ok(()),
            false => Err(source.error(0, 1, format!("the first line promises {} rows, {found} follow", self.rows))),
        }
    }
}

/// Where the text ends when empty lines at its end are left out; the line end of the last row stays.
pub(crate) fn without_blank_lines(text: &[u8], from: usize) -> usize {
    let mut end = text.len();
    while end > from
        && b"\r\n".contains(&text[end - 1])
        && text[from..end - 1].last().is_some_and(|b| b"\r\n".contains(b))
    {
        end -= 1;
    }
    end
}
