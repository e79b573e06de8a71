//! Dense rows of ARFF: one cell for each attribute, separated by commas or tabs.

use super::head::{Head, Kind};
use super::lines;
use super::token::{blanks, word};
use crate::Reading;
use crate::text::source::{Source, shown};
use crate::text::{csv, date, number};
use base::{Cells, Column, Dataset, LabelSets, Points, Result, Run, Shared, Table, Targets, Texts, UNKNOWN};
use std::collections::HashMap;

/// A column being filled.
enum Filling {
    Number(Vec<f64>),
    Date(Vec<f64>),
    Nominal(Vec<u32>, HashMap<Vec<u8>, u32>),
    Text(Texts),
}

/// Reads dense rows from byte `start` on.
pub(crate) fn read(source: &Source<'_>, start: usize, head: &Head, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let mut columns: Vec<Filling> = head.attributes.iter().map(|a| Filling::new(&a.kind)).collect();
    let mut weights: Vec<f64> = Vec::new();
    let mut hold = run.memory.take(0, "rows")?;
    let width = columns.len();
    for (rows, (from, line)) in lines(source, start).enumerate() {
        // Counted before it is stored; vectors may have doubled.
        hold.resize(hold.bytes() + (16 * width + 2 * line.len() + 16) as u64, "rows")?;
        let mut at = 0;
        for (i, column) in columns.iter_mut().enumerate() {
            at += blanks(&line[at..]);
            let wrong = |why: String| source.error(from, i + 1, why);
            let quoted = line.get(at).is_some_and(|b| b"'\"".contains(b));
            let (cell, length) = word(&line[at..], b",\t").map_err(|why| wrong(why.into()))?;
            let is_gap = cell.is_empty() || how.missing.iter().any(|m| m.as_bytes() == &*cell);
            column.push(&cell, !quoted && is_gap).map_err(wrong)?;
            at += length;
            let gap = blanks(&line[at..]);
            let tab = line[at..at + gap].contains(&b'\t');
            at += gap;
            if i + 1 == width {
                break;
            }
            match line.get(at) {
                Some(b',') => at += 1,
                Some(_) if tab => {}
                Some(_) => return Err(wrong(format!("{} follows the cell", shown(&line[at..])))),
                None => return Err(wrong(format!("has {} cells for {width} attributes", i + 1))),
            }
        }
        let weight = weight(&line[at..]).map_err(|why| source.error(from, width + 1, why))?;
        if weight.is_some() || !weights.is_empty() {
            weights.resize(rows, 1.0);
            weights.push(weight.unwrap_or(1.0));
        }
    }
    let mut data = dataset(head, columns, run)?;
    data.weights = (!weights.is_empty()).then(|| weights.into());
    Ok(data)
}

/// The weight `{2.5}` behind the cells, if there is one.
pub(crate) fn weight(rest: &[u8]) -> std::result::Result<Option<f64>, String> {
    let rest = crate::text::source::trimmed(rest);
    if rest.is_empty() {
        return Ok(None);
    }
    let inner = rest.strip_prefix(b",").map(crate::text::source::trimmed);
    let inner = inner.and_then(|r| r.strip_prefix(b"{")).and_then(|r| r.strip_suffix(b"}"));
    match inner
        .and_then(|w| number::whole(crate::text::source::trimmed(w), b'.'))
        .filter(|w| w.is_finite() && *w >= 0.0)
    {
        Some(weight) => Ok(Some(weight)),
        None => Err(format!("{} is too much for this row; only a weight in braces may follow", shown(rest))),
    }
}

impl Filling {
    fn new(kind: &Kind) -> Self {
        match kind {
            Kind::Number => Filling::Number(Vec::new()),
            Kind::Date => Filling::Date(Vec::new()),
            Kind::Text => Filling::Text(Texts::default()),
            Kind::Nominal(levels) => {
                let codes = levels.iter().enumerate().map(|(i, level)| (level.clone().into_bytes(), i as u32));
                Filling::Nominal(Vec::new(), codes.collect())
            }
        }
    }

    fn push(&mut self, cell: &[u8], missing: bool) -> std::result::Result<(), String> {
        match self {
            Filling::Number(values) if missing => values.push(f64::NAN),
            Filling::Date(values) if missing => values.push(f64::NAN),
            Filling::Nominal(codes, _) if missing => codes.push(UNKNOWN),
            Filling::Text(texts) if missing => texts.push(None),
            Filling::Number(values) => match number::whole(cell, b'.').filter(|x| x.is_finite()) {
                Some(value) => values.push(value),
                None => return Err(format!("{} is not a finite number", shown(cell))),
            },
            Filling::Date(values) => match date::parse(cell) {
                Some(moment) => values.push(moment),
                None => return Err(format!("{} is not a date (ISO 8601)", shown(cell))),
            },
            Filling::Nominal(codes, levels) => match levels.get(cell) {
                Some(&code) => codes.push(code),
                None => return Err(format!("{} is not a level of the attribute", shown(cell))),
            },
            Filling::Text(texts) => texts.push(Some(&String::from_utf8_lossy(cell))),
        }
        Ok(())
    }

    /// Whether a row has the label: the second level, or a number that is not 0.
    fn has(&self, row: usize) -> bool {
        match self {
            Filling::Number(values) => values[row] != 0.0 && !values[row].is_nan(),
            Filling::Nominal(codes, _) => codes[row] == 1,
            _ => false,
        }
    }
}

/// A table, or points where labels were told and the rest is numbers.
fn dataset(head: &Head, columns: Vec<Filling>, run: &Run<'_>) -> Result<Dataset> {
    let rows = columns.first().map_or(0, |c| match c {
        Filling::Number(v) | Filling::Date(v) => v.len(),
        Filling::Nominal(codes, _) => codes.len(),
        Filling::Text(texts) => texts.len(),
    });
    let labels = head.labels.clone();
    let targets = match labels.is_empty() {
        true => Targets::None,
        false => {
            let mut starts = vec![0];
            let mut codes = Vec::new();
            for row in 0..rows {
                codes.extend(labels.clone().filter(|&i| columns[i].has(row)).map(|i| (i - labels.start) as u32));
                starts.push(codes.len());
            }
            let names: Vec<String> = head.attributes[labels.clone()].iter().map(|a| a.name.clone()).collect();
            Targets::Sets(LabelSets::new(starts, codes, names, Vec::new())?)
        }
    };
    let (names, _) = csv::unique(head.attributes.iter().map(|a| a.name.clone()).collect());
    let inputs: Vec<(String, &Kind, Filling)> = names
        .into_iter()
        .zip(columns)
        .zip(&head.attributes)
        .enumerate()
        .filter(|(i, _)| !labels.contains(i))
        .map(|(_, ((name, column), attribute))| (name, &attribute.kind, column))
        .collect();
    let numeric = inputs.iter().all(|(_, _, c)| matches!(c, Filling::Number(_)));
    if !labels.is_empty() && numeric {
        let count = rows.saturating_mul(inputs.len());
        let (mut values, hold) = run.memory.filled(count, 0f64, "points")?;
        let width = inputs.len();
        for (i, (_, _, column)) in inputs.iter().enumerate() {
            if let Filling::Number(numbers) = column {
                numbers.iter().enumerate().for_each(|(row, &x)| values[row * width + i] = x);
            }
        }
        let points = Points::dense(base::Buffer::F64(Shared::counted(values, hold)), rows, width)?;
        let mut data = Dataset::new(points, targets);
        data.features = base::Features::named(inputs.into_iter().map(|(name, ..)| name).collect::<Vec<_>>());
        return Ok(data);
    }
    let cells = |kind: &Kind, column: Filling| match (column, kind) {
        (Filling::Number(values), _) => Cells::Number(values.into()),
        (Filling::Date(values), _) => Cells::Date(values.into()),
        (Filling::Nominal(codes, _), Kind::Nominal(levels)) => {
            Cells::Category { codes: codes.into(), levels: levels.clone() }
        }
        (Filling::Nominal(codes, _), _) => Cells::Category { codes: codes.into(), levels: Vec::new().into() },
        (Filling::Text(texts), _) => Cells::Text(texts),
    };
    let columns = inputs.into_iter().map(|(name, kind, column)| Column { name, cells: cells(kind, column) });
    Ok(Dataset::new(Table::new(columns.collect())?, targets))
}
