//! Whether the first row names the columns, and what the columns seem to hold.
//!
//! **Header.** The first row names the columns if its cells are distinct and not empty (the first one may be empty, as
//! tools write it that keep row numbers) and at least one column shows it: its first cell is of another type than all
//! the others; or is a word that never comes again in a column of few levels; or the cells count 0, 1, 2, ... over three
//! columns or more, up to a last one that may have a name. It does so, too, if it has half or more of the names that the
//! reader was told to expect.

use super::body::{Kind, is_gap};
use super::cell::{Cell, Dialect};
use crate::text::{date, number};
use base::FeatureKind;
use std::collections::{BTreeMap, HashSet};

/// Whether the first of these rows names the columns.
pub(crate) fn is_header(rows: &[Vec<Cell<'_>>], dialect: &Dialect, expected: &BTreeMap<String, FeatureKind>) -> bool {
    let Some((first, rest)) = rows.split_first() else { return false };
    let mut seen = HashSet::new();
    let named = first.iter().enumerate().all(|(i, c)| (i == 0 || !c.text.is_empty()) && seen.insert(c.text));
    let told = expected.keys().filter(|name| seen.contains(name.as_bytes())).count();
    if !named || (rest.is_empty() && told == 0) {
        return false;
    }
    if told > 0 && 2 * told >= expected.len() {
        return true;
    }
    let width = first.len();
    counts(first) || (0..width).any(|column| stands_out(column, first[column], rest, dialect))
}

/// Whether the cells are 0, 1, 2, ...
fn counts(cells: &[Cell<'_>]) -> bool {
    let number = |cell: &Cell<'_>| number::natural(cell.text).filter(|n| n.1 == cell.text.len()).map(|n| n.0);
    let counting = cells.iter().zip(0..).take_while(|(cell, i)| number(cell) == Some(*i)).count();
    cells.len() > 2 && counting >= cells.len() - 1 && counting > 1
}

/// Whether the first cell of a column differs from the others.
fn stands_out(column: usize, first: Cell<'_>, rest: &[Vec<Cell<'_>>], dialect: &Dialect) -> bool {
    let cells: Vec<Cell<'_>> =
        rest.iter().filter_map(|row| row.get(column).copied()).filter(|c| !is_gap(c, dialect)).collect();
    if cells.is_empty() || is_gap(&first, dialect) {
        return false;
    }
    let (kind, all) = (kind_of(&first, dialect), |kind| cells.iter().all(|c| kind_of(c, dialect) == kind));
    match kind {
        Kind::Words if all(Kind::Number) || all(Kind::Date) => return true,
        Kind::Number | Kind::Date => return cells.len() > 1 && all(Kind::Words),
        _ => {}
    }
    let levels: HashSet<&[u8]> = cells.iter().map(|c| c.text).collect();
    2 * levels.len() <= cells.len() && !levels.contains(first.text)
}

fn kind_of(cell: &Cell<'_>, dialect: &Dialect) -> Kind {
    if number::whole(cell.text, dialect.point).is_some() || number::is_not_finite_word(cell.text) {
        Kind::Number
    } else if date::parse(cell.text).is_some() {
        Kind::Date
    } else {
        Kind::Words
    }
}

/// What a column seems to hold, from some of its rows: numbers or dates if all of them are, or if none says otherwise.
pub(crate) fn kind_of_column(column: usize, rows: &[Vec<Cell<'_>>], dialect: &Dialect) -> Kind {
    let mut kind = None;
    for cell in rows.iter().filter_map(|row| row.get(column)).filter(|c| !is_gap(c, dialect)) {
        let found = kind_of(cell, dialect);
        if found == Kind::Words || kind.is_some_and(|k| k != found) {
            return Kind::Words;
        }
        kind = Some(found);
    }
    kind.unwrap_or(Kind::Number)
}

/// Names made unique: one that came before gets `_2`, `_3`, ... Says which were changed.
pub(crate) fn unique(names: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut seen: HashSet<String> = names.iter().cloned().collect();
    let mut taken = HashSet::new();
    let mut changed = Vec::new();
    let mut next = std::collections::HashMap::new();
    let unique = names.into_iter().map(|name| {
        if taken.insert(name.clone()) {
            return name;
        }
        let number: &mut usize = next.entry(name.clone()).or_insert(2);
        let mut other = format!("{name}_{number}");
        while !seen.insert(other.clone()) {
            *number += 1;
            other = format!("{name}_{number}");
        }
        taken.insert(other.clone());
        changed.push(other.clone());
        other
    });
    (unique.collect(), changed)
}
