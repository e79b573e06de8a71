//! How models do on data: the report of one, the comparison of several.

use crate::data;
use crate::errors::raise;
use crate::fit::{Steps, learner};
use crate::machine::Machine;
use crate::model::finish;
use crate::session::{Limits, work};
use pellucid::evaluate::{Contender, Splitting};
use pellucid::job::{compare_on, report_on, write_comparison};
use pellucid::{Dataset, Error};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::PathBuf;

/// Rows with targets, as Python hands them over: inputs, targets, names, shape.
type Rows<'py> = (Bound<'py, PyTuple>, Bound<'py, PyTuple>, Option<Vec<String>>, Option<Vec<usize>>);

fn dataset((inputs, targets, names, shape): &Rows<'_>) -> PyResult<Dataset> {
    let inputs = data::inputs(inputs)?.inputs;
    let features = data::features(&inputs, names.clone(), shape.clone())?;
    Ok(Dataset { features, ..Dataset::new(inputs, data::targets(Some(targets))?) })
}

/// Writes the report of a model on rows whose targets are known; gives its HTML.
#[pyfunction]
#[pyo3(signature = (machine, rows, source, path, limits))]
pub fn report(
    py: Python<'_>,
    machine: PyRef<'_, Machine>,
    rows: Rows<'_>,
    source: String,
    path: Option<PathBuf>,
    limits: Limits,
) -> PyResult<String> {
    let model = machine.model.clone();
    let data = dataset(&rows)?;
    finish(work(py, &limits, false, move |run| report_on(&model, (&data, &source), path.as_deref(), run))?)
}

/// A name and the steps whose last is a learner.
type Named<'py> = (String, Steps<'py>);

/// Compares learners on the same held-out rows.
#[pyfunction]
#[pyo3(signature = (machines, rows, folds, repeats, measure, path, limits))]
#[allow(clippy::too_many_arguments, reason = "the border has no structs; one caller, in Python")]
pub fn compare<'py>(
    py: Python<'py>,
    machines: Vec<Named<'py>>,
    rows: Rows<'py>,
    folds: usize,
    repeats: usize,
    measure: Option<String>,
    path: Option<PathBuf>,
    limits: Limits,
) -> PyResult<Bound<'py, PyDict>> {
    let made = machines.iter().map(|(name, steps)| Ok(Contender { name: name.clone(), learner: learner(steps)? }));
    let contenders = made.collect::<PyResult<Vec<_>>>()?;
    if contenders.is_empty() {
        return Err(raise(Error::size("machines", "at least 1", 0)));
    }
    let data = dataset(&rows)?;
    let result = finish(work(py, &limits, false, move |run| {
        let splitting = Splitting::Folds { n: folds, repeats, stratified: true };
        let result = compare_on((&data, "data"), &contenders, splitting, measure.as_deref(), run)?;
        if let Some(path) = path {
            write_comparison(&path, std::slice::from_ref(&result), "pellucid.compare(...)")?;
        }
        Ok(result.comparison)
    })?)?;
    let dict = PyDict::new(py);
    dict.set_item("machine", &result.names)?;
    dict.set_item("mean", &result.means)?;
    dict.set_item("deviation", &result.deviations)?;
    dict.set_item("rank", &result.ranks)?;
    dict.set_item("p_t", &result.t_test)?;
    dict.set_item("p_mcnemar", &result.mc_nemar)?;
    let folds: Vec<Vec<f64>> = result.validations.iter().map(|v| v.all(&result.measure)).collect();
    dict.set_item("folds", folds)?;
    dict.set_item("best", &result.names[result.best])?;
    dict.set_item("measure", &result.measure)?;
    Ok(dict)
}
