//! Matching the columns of a new table with those a machine was fitted on.
//!
//! Columns are found by name: another order and further columns do not matter. A column that is not there, of another
//! type, or with a level never seen is named in the error, with its row where it has one.

use base::{Cells, Column, Error, Feature, FeatureKind, Place, Result, Table, UNKNOWN, nearest, number_text};
use std::borrow::Cow;

/// The column of that name, or an error that names it.
pub fn column<'a>(table: &'a Table, name: &str) -> Result<&'a Column> {
    table.column(name).ok_or_else(|| {
        let near = nearest(name, table.columns().iter().map(|c| c.name.as_str()));
        let hint = near.map_or(String::new(), |n| format!(" (there is a column {n:?})"));
        Error::data(Place::Column(name.into()), format!("is missing; the model was fitted with it{hint}"))
    })
}

/// The numbers of a column that must hold some.
pub fn numbers(column: &Column) -> Result<Cow<'_, [f64]>> {
    match &column.cells {
        Cells::Number(values) | Cells::Date(values) => Ok(Cow::Borrowed(values)),
        other => match (0..other.len()).find_map(|row| other.text(row).map(|text| (row, text))) {
            None => Ok(Cow::Owned(vec![f64::NAN; other.len()])), // A column of gaps has no type of its own.
            Some((row, text)) => {
                let place = Place::Cell { row, column: column.name.clone() };
                Err(Error::data(place, format!("{text:?} is not a number; the model was fitted with numbers here")))
            }
        },
    }
}

/// For each row the place of its level in `levels`; a gap is [`UNKNOWN`], a level not among them goes to `unseen`.
pub fn codes(
    column: &Column,
    levels: &[String],
    mut unseen: impl FnMut(usize, &str) -> Result<u32>,
) -> Result<Vec<u32>> {
    let place: std::collections::HashMap<&str, u32> =
        levels.iter().enumerate().map(|(i, l)| (l.as_str(), i as u32)).collect();
    let mut find = |row: usize, text: Option<&str>| match text {
        None => Ok(UNKNOWN),
        Some(text) => place.get(text).map_or_else(|| unseen(row, text), |&code| Ok(code)),
    };
    match &column.cells {
        Cells::Category { codes, levels: names } => {
            let text = |&code: &u32| names.get(code as usize).map(String::as_str);
            codes.iter().enumerate().map(|(row, code)| find(row, text(code))).collect()
        }
        Cells::Number(values) => values
            .iter()
            .enumerate()
            .map(|(row, &x)| if x.is_nan() { Ok(UNKNOWN) } else { find(row, Some(&number_text(x))) })
            .collect(),
        Cells::Text(texts) | Cells::Id(texts) => texts.iter().enumerate().map(|(row, t)| find(row, t)).collect(),
        other => Err(wrong_type(column, "category", other)),
    }
}

/// The text of a row, for a column that must hold some; a gap is `None`. Categories and numbers are texts too.
pub fn text<'a>(column: &'a Column) -> Result<impl Fn(usize) -> Option<Cow<'a, str>> + Sync + use<'a>> {
    if let Cells::Image(_) | Cells::Date(_) = &column.cells {
        return Err(wrong_type(column, "text", &column.cells));
    }
    Ok(|row: usize| match &column.cells {
        Cells::Text(texts) | Cells::Id(texts) => texts.get(row).map(Cow::Borrowed),
        Cells::Category { codes, levels } => levels.get(*codes.get(row)? as usize).map(|l| Cow::Borrowed(l.as_str())),
        other => other.text(row).map(Cow::Owned),
    })
}

/// An error about a column of the wrong type.
pub fn wrong_type(column: &Column, expected: &str, found: &Cells) -> Error {
    let why = format!("is of type {}, the model was fitted with a {expected}", found.type_name());
    Error::data(Place::Column(column.name.clone()), why)
}

/// The feature a fitted machine remembers of a column.
pub fn feature(column: &Column) -> Feature {
    Feature { name: column.name.clone(), kind: FeatureKind::of(&column.cells) }
}
