//! LIBSVM and svmlight text: `label id:value id:value ...`, one row a line.
//!
//! What stands in front decides the targets: a number on every line gives values named `label`; lists such as `3,17`,
//! or lines that begin with a blank or a pair, give label sets; nothing on any line gives none. The width is the largest
//! id seen. Ids count from 1, or from 0 if a 0 is met. Ids beyond 32 bits are renumbered in ascending order and
//! keep their text as the columns' names. How rows are read: `sparse.rs`.
//!
//! - C.-C. Chang, C.-J. Lin: *LIBSVM: a library for support vector machines.* ACM TIST 2 (2011) 27:1-27:27.
//! - T. Joachims: *Making large-scale SVM learning practical.* Advances in Kernel Methods, MIT Press 1999 (svmlight).

use super::labels::Labels;
use super::source::{PIECE, Source};
use super::sparse::{self, Rows, Rules};
use super::{encoding, number};
use crate::Reading;
use base::{Dataset, Error, Features, Points, Result, Run, Targets, Values};
use std::io::Write;

/// Reads LIBSVM or svmlight text; `name` is used in messages.
pub fn read(name: &str, bytes: &[u8], how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let text = encoding::decode(name, bytes, run)?;
    let source = Source::new(name, &text);
    let block = Block { labels: None, listed: false, zero_based: how.zero_based, sort: how.sort_ids, piece: PIECE };
    Ok(block.read(&source, run)?.0)
}

/// How to read a block of lines: what earlier blocks of a stream have decided.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub labels: Option<Labels>,
    /// Whether rows before had label lists, so that rows without any have empty ones.
    pub listed: bool,
    pub zero_based: Option<bool>,
    pub sort: bool,
    pub piece: usize,
}

impl Block {
    /// Reads a block of lines.
    ///
    /// With the rows comes whether their ids count from 0.
    pub fn read(&self, source: &Source<'_>, run: &Run<'_>) -> Result<(Dataset, bool)> {
        source.refuse_nul()?;
        let labels = self.labels.unwrap_or_else(|| kind_of_labels(source));
        let Block { zero_based, sort, piece, .. } = *self;
        let rules = Rules { zero_based, sort, labels, blank_rows: false, columns: None, piece };
        let rows = sparse::read(source, 0, &rules, run)?;
        let zero_based = rows.zero_based;
        Ok((dataset(rows, labels, self.listed)?, zero_based))
    }
}

/// Lists if any line has one or has none, else numbers.
///
/// Labels stand at the beginning of lines: only those bytes are looked at.
pub(crate) fn kind_of_labels(source: &Source<'_>) -> Labels {
    let bytes = source.bytes;
    let mut at = 0;
    while at < bytes.len() {
        let end = source.end_of_line(at);
        let line = &bytes[at..end];
        let token = line.iter().position(|b| b" \t\r#".contains(b)).map_or(line, |i| &line[..i]);
        let blank = || line.iter().all(|b| b" \t\r".contains(b)) || super::source::trimmed(line).starts_with(b"#");
        if token.contains(&b',') || token.contains(&b':') || (token.is_empty() && !blank()) {
            return Labels::Names;
        }
        at = end + 1;
    }
    Labels::Number
}

/// A dataset from rows; `listed` says that there are label sets even if all are empty.
pub(crate) fn dataset(rows: Rows, labels: Labels, listed: bool) -> Result<Dataset> {
    let targets = match labels {
        Labels::Number => Targets::Values(Values::new(rows.values, "label")),
        Labels::Names if rows.lists.entries() == 0 && !listed => Targets::None,
        Labels::Names => Targets::Sets(rows.lists.named()?),
        Labels::Below(count) => Targets::Sets(rows.lists.numbered(count)?),
    };
    let mut data = Dataset::new(rows.points, targets);
    if let Some(ids) = rows.renumbered {
        data.features = Features::named(ids.iter().map(u64::to_string).collect::<Vec<_>>());
    }
    data.groups = rows.groups.map(Into::into);
    Ok(data)
}

/// Writes points with their targets; ids count from 1, zeros are left out, a missing value (NaN) is an error.
///
/// Values come back as values, label sets as label sets; classes are written by their names if these are numbers, else
/// by their codes.
pub fn write(out: &mut dyn Write, points: &Points, targets: &Targets) -> Result<()> {
    if let Some(rows) = targets.rows().filter(|&n| n != points.len()) {
        return Err(Error::size("targets", points.len(), rows));
    }
    points.check(false, |column| (column + 1).to_string())?;
    let names_are_numbers = match targets {
        Targets::Classes(c) => c.names().iter().all(|n| number::whole(n.as_bytes(), b'.').is_some_and(f64::is_finite)),
        _ => false,
    };
    let mut line = String::new();
    let mut dense = vec![0.0; if points.is_sparse() { 0 } else { points.columns() }];
    for row in 0..points.len() {
        line.clear();
        label(&mut line, targets, names_are_numbers, row);
        match points {
            Points::Sparse(s) => {
                let (ids, values) = s.row(row);
                ids.iter().zip(values).for_each(|(&id, &value)| pair(&mut line, id as usize, value));
            }
            Points::Dense(_) => {
                points.write_row(row, &mut dense);
                dense.iter().enumerate().for_each(|(id, &value)| pair(&mut line, id, value));
            }
        }
        line.push('\n');
        out.write_all(line.as_bytes()).map_err(|e| crate::reading::file_error("output", &e))?;
    }
    Ok(())
}

fn pair(line: &mut String, id: usize, value: f64) {
    if value != 0.0 {
        line.push(' ');
        line.push_str(&(id + 1).to_string());
        line.push(':');
        line.push_str(&base::number_text(value));
    }
}

fn label(line: &mut String, targets: &Targets, names_are_numbers: bool, row: usize) {
    match targets {
        Targets::None => {}
        Targets::Values(v) => {
            let texts: Vec<String> = v.row(row).iter().map(|&x| base::number_text(x)).collect();
            line.push_str(&texts.join(","));
        }
        Targets::Classes(c) => match c.get(row) {
            Some(code) if names_are_numbers => line.push_str(&c.names()[code]),
            Some(code) => line.push_str(&code.to_string()),
            None => {}
        },
        Targets::Sets(s) => {
            let names: Vec<&str> =
                s.get(row).unwrap_or_default().iter().map(|&l| s.names()[l as usize].as_str()).collect();
            line.push_str(&names.join(","));
        }
    }
}
