//! What the user says of columns, for formats that bring types of their own.

use crate::reading::{ColumnType, Reading};
use crate::text::{moment_of, number_of};
use base::{Cells, Column, Dataset, Error, Inputs, Place, Result, Table, nearest};

/// The data with the columns as the user types them; columns to be ignored are left out.
pub(crate) fn retype(name: &str, data: Dataset, how: &Reading) -> Result<Dataset> {
    if how.types.is_empty() {
        return Ok(data);
    }
    let Inputs::Table(table) = &data.inputs else {
        let what = format!("{name}: types for columns without names");
        return Err(Error::unsupported(what, "this format", "leave it out"));
    };
    known(name, table.columns().iter().map(|c| c.name.as_str()), how)?;
    let mut columns = vec![];
    for column in table.columns() {
        match how.types.get(&column.name) {
            None => columns.push(column.clone()),
            Some(ColumnType::Ignore) => {}
            Some(given) => {
                let cells = cells(name, column, *given, how)?;
                columns.push(Column { name: column.name.clone(), cells });
            }
        }
    }
    let table = Table::new(columns)?;
    let fresh = Dataset::new(table, data.targets);
    Ok(Dataset { weights: data.weights, groups: data.groups, prepared: data.prepared, ..fresh })
}

/// Every column that the user types must be there.
pub(crate) fn known<'a>(file: &str, names: impl Iterator<Item = &'a str> + Clone, how: &Reading) -> Result<()> {
    match how.types.keys().find(|given| !names.clone().any(|n| n == given.as_str())) {
        None => Ok(()),
        Some(given) => {
            let hint = nearest(given, names).map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            Err(Error::format(file, format!("has no column {given:?}, which is given a type{hint}")))
        }
    }
}

fn cells(file: &str, column: &Column, given: ColumnType, how: &Reading) -> Result<Cells> {
    let texts: Vec<Option<String>> = (0..column.cells.len()).map(|row| column.cells.text(row)).collect();
    let words = || texts.iter().map(|t| t.as_deref());
    let wrong = |row: usize, what: &str| {
        let place = Place::Cell { row, column: column.name.clone() };
        Error::format(
            file,
            Error::data(place, format!("{:?} is not a {what}", texts[row].as_deref().unwrap_or(""))).to_string(),
        )
    };
    let numbers = |what: &str, read: &dyn Fn(&str) -> Option<f64>| {
        let value = |(row, text): (usize, Option<&str>)| match text {
            None => Ok(f64::NAN),
            Some(text) => read(text).ok_or_else(|| wrong(row, what)),
        };
        words().enumerate().map(value).collect::<Result<Vec<f64>>>()
    };
    Ok(match (given, &column.cells) {
        (ColumnType::Number, Cells::Number(_)) | (ColumnType::Date, Cells::Date(_)) => column.cells.clone(),
        (ColumnType::Number, _) => Cells::Number(numbers("number", &|t| number_of(t, how))?.into()),
        (ColumnType::Date, _) => Cells::Date(numbers("date", &|t| moment_of(t, how))?.into()),
        (ColumnType::Category, _) => Cells::categories(words()),
        (ColumnType::Text, _) => Cells::Text(words().collect()),
        (ColumnType::Id | ColumnType::Ignore, _) => Cells::Id(words().collect()),
    })
}
