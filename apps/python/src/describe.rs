//! The catalog as plain data of Python: from it the classes, their signatures and their documents are made.

use crate::catalog::{Everything, learners};
use crate::errors::raise;
use crate::fit::{Steps, learner};
use crate::settings::{put, python_name};
use pellucid::prepare::{self, Wrapped};
use pellucid::{Catalog, Kind, Learner, Listed, Needs, Param, STEPS, WRAPPERS, Wanted, Weighting};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Every learner, step and wrapping step, with all that is known of it.
#[pyfunction]
pub fn catalog(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for (kind, entries) in [("learner", learners()), ("step", STEPS.iter().collect())] {
        for entry in entries {
            let learner = (entry.make)();
            let dict = about(py, entry, kind, &learner.params())?;
            abilities(&dict, &*learner)?;
            dict.set_item("points", prepare::takes_points(entry.name))?;
            dict.set_item("columns", prepare::speaks_of(entry.name))?;
            all.append(dict)?;
        }
    }
    for entry in WRAPPERS {
        let step = (entry.make)();
        let dict = about(py, entry, "wrapper", &step.params())?;
        let (usual, splits) = (step.usual(), step.splits_rows());
        abilities(&dict, &Wrapped { step, learner: Everything.learner(usual).map_err(raise)? })?;
        dict.set_item("points", true)?;
        dict.set_item("columns", None::<&str>)?;
        dict.set_item("usual", usual)?;
        dict.set_item("splits", splits)?;
        all.append(dict)?;
    }
    Ok(all)
}

/// What the learner that steps make asks of the data.
#[pyfunction]
pub fn asks<'py>(py: Python<'py>, steps: Steps<'py>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    needs(&dict, learner(&steps)?.traits().needs)?;
    Ok(dict)
}

fn about<'py, T: ?Sized>(
    py: Python<'py>,
    entry: &Listed<T>,
    kind: &str,
    params: &[Param],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", entry.name)?;
    dict.set_item("kind", kind)?;
    dict.set_item("family", entry.family)?;
    dict.set_item("summary", entry.summary)?;
    let names: Vec<(&str, &str)> = entry.python.iter().map(|(role, name)| (role.word(), *name)).collect();
    dict.set_item("python", names)?;
    let params: PyResult<Vec<_>> = params.iter().map(|p| param(py, p)).collect();
    dict.set_item("params", params?)?;
    Ok(dict)
}

/// What a learner needs and can do.
fn abilities(dict: &Bound<'_, PyDict>, learner: &dyn Learner) -> PyResult<()> {
    needs(dict, learner.traits().needs)?;
    dict.set_item("shaped", learner.traits().needs_shape)?;
    dict.set_item("weighs_classes", learner.traits().class_weight)?;
    dict.set_item("random", learner.traits().random)?;
    dict.set_item("goes_on", learner.traits().warm_start)?;
    dict.set_item("portions", learner.traits().partial.is_some())
}

fn needs(dict: &Bound<'_, PyDict>, needs: Needs) -> PyResult<()> {
    let (targets, least) = match needs.targets {
        Wanted::Nothing => ("nothing", 0),
        Wanted::Classes(least) => ("classes", least),
        Wanted::Values => ("values", 0),
        Wanted::Either => ("either", 0),
        Wanted::Labels => ("labels", 0),
        Wanted::ClassesOrLabels(least) => ("classes_or_labels", least),
    };
    dict.set_item("targets", targets)?;
    dict.set_item("least_classes", least)?;
    dict.set_item("table", needs.table)?;
    dict.set_item("missing", needs.missing)?;
    let weights = match needs.weights {
        Weighting::Exact => Some("exact"),
        Weighting::Mean => Some("mean"),
        Weighting::None => None,
    };
    dict.set_item("weights", weights)
}

fn param<'py>(py: Python<'py>, param: &Param) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let (name, inverse) = python_name(param);
    dict.set_item("name", name)?;
    dict.set_item("ours", param.name)?;
    dict.set_item("inverse", inverse)?;
    dict.set_item("help", param.help)?;
    let kind = match param.kind {
        Kind::Number => "number",
        Kind::Whole => "whole",
        Kind::Flag => "flag",
        Kind::Choice(_) => "choice",
        Kind::Text => "text",
        Kind::ClassWeight => "class weights",
        Kind::List => "list",
        Kind::NumberOr(_) => "number or word",
        Kind::Learner => "learner",
    };
    dict.set_item("kind", kind)?;
    let words = match param.kind {
        Kind::Choice(words) | Kind::NumberOr(words) => words.to_vec(),
        _ => vec![],
    };
    dict.set_item("words", words)?;
    dict.set_item("aliases", param.aliases.to_vec())?;
    put(&dict, "default", &param.default, inverse)?;
    dict.set_item("range", param.range.to_string())?;
    Ok(dict)
}
