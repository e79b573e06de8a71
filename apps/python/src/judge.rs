//! How models do on data: the report of one, the comparison of several.

use crate::data;
use crate::errors::raise;
use crate::fit::learner;
use crate::machine::Machine;
use crate::model::{Story, finish, model};
use crate::session::{Limits, work};
use pellucid::evaluate::{Contender, Measures, Splitting, compare as compared};
use pellucid::report::{Compared, comparison_page};
use pellucid::{Dataset, Error, files, model_report};
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
#[pyo3(signature = (machine, story, rows, source, path, limits))]
pub fn report(
    py: Python<'_>,
    machine: PyRef<'_, Machine>,
    story: Story<'_>,
    rows: Rows<'_>,
    source: String,
    path: Option<PathBuf>,
    limits: Limits,
) -> PyResult<String> {
    let model = model(&machine, &story)?;
    let data = dataset(&rows)?;
    finish(work(py, &limits, false, move |run| {
        let html = model_report(&model, &data, &source, run)?.to_html()?;
        if let Some(path) = path {
            files::write_whole(&path, |out| out.write_all(html.as_bytes()))?;
        }
        Ok(html)
    })?)
}

/// A name and the steps whose last is a learner.
type Named<'py> = (String, Vec<(String, Bound<'py, PyDict>)>);

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
    let made = machines.iter().map(|(name, steps)| Ok(Contender { name: name.clone(), learner: learner(steps)?.0 }));
    let contenders = made.collect::<PyResult<Vec<_>>>()?;
    if contenders.is_empty() {
        return Err(raise(Error::size("machines", "at least 1", 0)));
    }
    let data = dataset(&rows)?;
    let result = finish(work(py, &limits, false, move |run| {
        let splits = Splitting::Folds { n: folds, repeats, stratified: true }.of(&data, run.seed)?;
        let measure = measure.as_deref().unwrap_or(Measures::usual(&data.targets));
        let comparison = compared(&contenders, &data, &splits, measure, run)?;
        if comparison.means.iter().all(|m| m.is_nan()) {
            let known: Vec<&str> = comparison.validations[0].folds[0].values.iter().map(|(n, _)| *n).collect();
            return Err(Error::parameter("measure", measure, format!("the measures are {}", known.join(", "))));
        }
        let whole = vec![None; contenders.len()];
        let result = Compared { data: "data".into(), rows: data.len(), splits: splits.len(), comparison, whole };
        if let Some(path) = path {
            let html = comparison_page(std::slice::from_ref(&result), "pellucid.compare(...)")?.to_html()?;
            files::write_whole(&path, |out| out.write_all(html.as_bytes()))?;
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
