//! Fitting: a list of steps whose last is the learner, data, and what the call may use.

use crate::data;
use crate::errors::raise;
use crate::machine::Machine;
use crate::session::{Done, Limits, work};
use crate::settings::{apply, renamed};
use crate::trial::Everything;
use pellucid::{Catalog, Dataset, Error, Fitted, Learner, Param, Pipeline, Result, Run, SpecPart, files};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// Makes a machine of data, or learns from a portion of them: machine, interrupt to be raised when it is stored (or
/// None), notes.
#[pyfunction]
#[pyo3(signature = (steps, inputs, targets, weights, names, shape, start, portion, limits))]
#[allow(clippy::too_many_arguments, reason = "the border has no structs; one caller, in Python")]
pub fn fit<'py>(
    py: Python<'py>,
    steps: Vec<(String, Bound<'py, PyDict>)>,
    inputs: Bound<'py, PyTuple>,
    targets: Option<Bound<'py, PyTuple>>,
    weights: Option<Bound<'py, PyAny>>,
    names: Option<Vec<String>>,
    shape: Option<Vec<usize>>,
    start: Option<PyRef<'py, Machine>>,
    portion: bool,
    limits: Limits,
) -> PyResult<(Machine, Option<PyErr>, Vec<String>)> {
    let (learner, params) = learner(&steps)?;
    let given = data::inputs(&inputs)?;
    let features = data::features(&given.inputs, names, shape)?;
    let weights = weights.map(|w| crate::arrays::shared::<f64>(&w)).transpose()?.map(|w| w.0.to_vec());
    let (inputs, watched) = (given.inputs, given.watched);
    let data =
        Dataset { inputs, targets: data::targets(targets.as_ref())?, features, weights, groups: None, prepared: false };
    let start = start.map(|machine| machine.fitted.machine.record());
    let Done { answer, interrupt, notes } = work(py, &limits, true, move |run| {
        let fitted = match portion {
            true => pellucid::fit_part(&*learner, &data, start.as_ref(), run),
            false => learner.fit(&data, start.as_ref(), run),
        };
        let fitted = fitted.map_err(|e| renamed(e, &params))?;
        drop(data);
        // A machine that keeps rows of the training data gets its own: the caller may change the array.
        match watched.iter().any(|held| held()) {
            true => detached(fitted, run),
            false => Ok(fitted),
        }
    })?;
    Ok((Machine { fitted: answer }, interrupt, notes))
}

/// The learner that steps make: each ordinary step comes before what follows, a wrapping one holds it.
pub fn learner(steps: &[(String, Bound<'_, PyDict>)]) -> PyResult<(Box<dyn Learner>, Vec<Param>)> {
    let Some(((last, settings), before)) = steps.split_last() else {
        return Err(raise(Error::size("steps", "at least 1", 0)));
    };
    let mut learner = Everything.learner(last).map_err(raise)?;
    apply(&mut *learner, settings)?;
    let mut params = learner.params();
    for (name, settings) in before.iter().rev() {
        let mut part = Everything.part(name).map_err(raise)?;
        apply(part.settings(), settings)?;
        params.extend(part.settings().params());
        learner = match part {
            SpecPart::Wrapper(step) => step.around(learner),
            SpecPart::Learner(step) | SpecPart::Step(step) => Box::new(Pipeline { steps: vec![step, learner] }),
        };
    }
    Ok((learner, params))
}

/// The same machine on memory of its own.
fn detached(fitted: Fitted, run: &Run<'_>) -> Result<Fitted> {
    let bytes = files::model_bytes(&fitted.machine.record())?;
    let record = files::parse_model("the machine", Arc::new(bytes), run)?;
    Ok(Fitted { machine: run.catalog.machine(&record)?, certificate: fitted.certificate })
}
