//! Data from files and from the generators, as plain data of Python.

use crate::arrays::{give, give_points};
use crate::errors::raise;
use crate::model::{finish, shape};
use crate::session::{Limits, work};
use crate::settings::apply;
use pellucid::problems::{PROBLEMS, problem};
use pellucid::{Cells, Dataset, Error, Inputs, Seed, Target, Targets, Wanted, choose_target, files};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;

/// Reads a data file, whatever its format, and takes the target out of its columns if one is named.
#[pyfunction]
#[pyo3(signature = (path, target, limits))]
pub fn read<'py>(
    py: Python<'py>,
    path: PathBuf,
    target: Option<String>,
    limits: Limits,
) -> PyResult<Bound<'py, PyDict>> {
    let data = finish(work(py, &limits, false, move |run| {
        let mut data = files::read(&path, &files::Reading::default(), run)?;
        if let Some(name) = target {
            choose_target(&mut data, &Target::Column(name), Wanted::Either, None, run)?;
        }
        Ok(data)
    })?)?;
    told(py, &data)
}

/// Draws the data of a problem.
#[pyfunction]
pub fn generate<'py>(
    py: Python<'py>,
    name: &str,
    settings: Bound<'py, PyDict>,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let mut problem = problem(name).map_err(raise)?;
    apply(&mut *problem, &settings)?;
    let data = problem.draw(Seed(seed)).map_err(raise)?;
    told(py, &data)
}

/// The problems: name, and what it is with its settings.
#[pyfunction]
pub fn problems() -> Vec<(&'static str, String)> {
    let one = |entry: &pellucid::problems::ProblemEntry| {
        let params: Vec<String> = (entry.make)().params().iter().map(|p| format!("{}={}", p.name, p.default)).collect();
        (entry.name, format!("{} ({})", entry.summary, params.join(", ")))
    };
    PROBLEMS.iter().map(one).collect()
}

/// Data as plain data: points or columns, names, shape, targets.
fn told<'py>(py: Python<'py>, data: &Dataset) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    match &data.inputs {
        Inputs::Points(points) => dict.set_item("points", give_points(py, points)?)?,
        Inputs::Table(table) => {
            let columns = PyList::empty(py);
            for column in table.columns() {
                let name = &column.name;
                match &column.cells {
                    Cells::Number(v) => columns.append((name, "number", give(py, v, "f8", &[v.len()])?))?,
                    Cells::Date(v) => columns.append((name, "date", give(py, v, "f8", &[v.len()])?))?,
                    Cells::Category { codes, levels } => {
                        let codes = give(py, codes, "u4", &[codes.len()])?;
                        columns.append((name, "category", codes, levels.to_vec()))?;
                    }
                    cells @ (Cells::Text(_) | Cells::Id(_)) => {
                        let texts: Vec<Option<String>> = (0..data.len()).map(|i| cells.text(i)).collect();
                        // A data frame has no ids: row numbers stay numbers, for words would become features.
                        let whole =
                            |text: &Option<String>| text.as_deref()?.parse().ok().filter(|x: &f64| x.abs() < 9e15);
                        let numbers: Option<Vec<f64>> = texts.iter().map(whole).collect();
                        match numbers.filter(|_| matches!(cells, Cells::Id(_))) {
                            Some(v) => columns.append((name, "number", give(py, &v, "f8", &[v.len()])?))?,
                            None => columns.append((name, "text", texts))?,
                        }
                    }
                    Cells::Image(_) => {
                        let instead = "read them with an image library and pass arrays";
                        return Err(raise(Error::unsupported("images in a table", "Python", instead)));
                    }
                }
            }
            dict.set_item("columns", columns)?;
        }
    }
    dict.set_item("names", data.features.names().map(|names| names.to_vec()))?;
    dict.set_item("shape", data.features.shape().map(shape))?;
    match &data.targets {
        Targets::None => {}
        Targets::Classes(classes) => {
            let codes = classes.codes();
            dict.set_item("targets", ("classes", give(py, codes, "u4", &[codes.len()])?, classes.names().to_vec()))?;
        }
        Targets::Values(values) => {
            let (numbers, width) = (values.values(), values.names().len().max(1));
            let numbers = give(py, numbers, "f8", &[numbers.len() / width, width])?;
            dict.set_item("targets", ("values", numbers, values.names().to_vec()))?;
        }
        Targets::Sets(sets) => {
            let rows: Vec<Vec<u32>> = (0..sets.len()).map(|i| sets.get(i).unwrap_or(&[]).to_vec()).collect();
            dict.set_item("targets", ("sets", rows, sets.names().to_vec()))?;
        }
    }
    Ok(dict)
}
