//! Data of Python as data sets of ours.
//!
//! Python hands over one of: `("dense", array)`, `("sparse", starts, ids, values, columns)`, `("table", columns)` with
//! columns `(name, "number", array)`, `(name, "category", codes, levels)` or `(name, "text", list)`. Targets are None,
//! `("classes", codes, names)` or `("values", array, names)`.

use crate::arrays::{Watched, numbers, shared};
use crate::errors::raise;
use pellucid::{Cells, Classes, Column, Error, Features, Inputs, Points, Shape, Sparse, Table, Targets, Texts, Values};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// Inputs, and ways to ask whether someone still holds the arrays they came from.
pub struct Given {
    /// The inputs.
    pub inputs: Inputs,
    /// Who still holds them.
    pub watched: Vec<Watched>,
}

/// The item of a tuple.
fn item<'py>(tuple: &Bound<'py, PyTuple>, i: usize) -> PyResult<Bound<'py, PyAny>> {
    tuple.get_item(i)
}

/// Inputs from what Python hands over.
pub fn inputs(given: &Bound<'_, PyTuple>) -> PyResult<Given> {
    let word: String = item(given, 0)?.extract()?;
    match word.as_str() {
        "dense" => {
            let (values, shape, watched) = numbers(&item(given, 1)?)?;
            let &[rows, columns] = &shape[..] else {
                return Err(raise(Error::size("dimensions of an array", 2, shape.len())));
            };
            let points = Points::dense(values, rows, columns).map_err(raise)?;
            Ok(Given { inputs: points.into(), watched: vec![watched] })
        }
        "sparse" => {
            let (starts, _, first) = shared::<usize>(&item(given, 1)?)?;
            let (ids, _, second) = shared::<u32>(&item(given, 2)?)?;
            let (values, _, third) = shared::<f64>(&item(given, 3)?)?;
            let sparse = Sparse::new(starts, ids, values, item(given, 4)?.extract()?).map_err(raise)?;
            Ok(Given { inputs: Points::Sparse(sparse).into(), watched: vec![first, second, third] })
        }
        _ => {
            let columns: Vec<Bound<'_, PyTuple>> = item(given, 1)?.extract()?;
            let columns: PyResult<Vec<Column>> = columns.iter().map(column).collect();
            Ok(Given { inputs: Table::new(columns?).map_err(raise)?.into(), watched: vec![] })
        }
    }
}

fn column(given: &Bound<'_, PyTuple>) -> PyResult<Column> {
    let word: String = item(given, 1)?.extract()?;
    let cells = match word.as_str() {
        // A column of a table is copied: it is short beside what becomes of it.
        "number" => Cells::Number(shared::<f64>(&item(given, 2)?)?.0.to_vec().into()),
        "category" => {
            let levels: Vec<String> = item(given, 3)?.extract()?;
            Cells::Category { codes: shared::<u32>(&item(given, 2)?)?.0.to_vec().into(), levels: levels.into() }
        }
        _ => {
            let list = item(given, 2)?;
            let mut texts = Texts::default();
            for text in list.cast::<PyList>()? {
                texts.push(text.extract::<Option<String>>()?.as_deref());
            }
            Cells::Text(texts)
        }
    };
    Ok(Column { name: item(given, 0)?.extract()?, cells })
}

/// Targets from what Python hands over.
pub fn targets(given: Option<&Bound<'_, PyTuple>>) -> PyResult<Targets> {
    let Some(given) = given else { return Ok(Targets::None) };
    let word: String = item(given, 0)?.extract()?;
    let names: Vec<String> = item(given, 2)?.extract()?;
    match word.as_str() {
        "classes" => {
            let codes = shared::<u32>(&item(given, 1)?)?.0.to_vec();
            Classes::new(codes, names).map(Targets::Classes).map_err(raise)
        }
        _ => {
            let values = shared::<f64>(&item(given, 1)?)?.0.to_vec();
            Values::several(values, names).map(Targets::Values).map_err(raise)
        }
    }
}

/// The columns' names and shape, as Python knows them; tables bring their own.
pub fn features(inputs: &Inputs, names: Option<Vec<String>>, shape: Option<Vec<usize>>) -> PyResult<Features> {
    let features = match (inputs, names) {
        (Inputs::Table(table), _) => Features::of_table(table),
        (Inputs::Points(_), Some(names)) => Features::named(names),
        (Inputs::Points(points), None) => Features::unnamed(points.columns()),
    };
    let shape = match shape.as_deref() {
        None => return Ok(features),
        Some(&[length]) => Shape::Series { length, channels: 1 },
        Some(&[height, width]) => Shape::Image { height, width, channels: 1 },
        Some(&[height, width, channels]) => Shape::Image { height, width, channels },
        Some(other) => return Err(raise(Error::size("numbers of a shape", "1 to 3", other.len()))),
    };
    features.shaped(shape).map_err(raise)
}
