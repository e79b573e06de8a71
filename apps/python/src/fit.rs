//! Fitting: a list of steps whose last is the learner, data, and what the call may use.

use crate::catalog::Everything;
use crate::data;
use crate::errors::raise;
use crate::machine::Machine;
use crate::session::{Done, Limits, work};
use crate::settings::{apply, renamed};
use pellucid::job::kept;
use pellucid::{Catalog, Dataset, Error, Learner, Model, Param, Result, Run, Spec, Targets, files};
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
    steps: Steps<'py>,
    inputs: Bound<'py, PyTuple>,
    targets: Option<Bound<'py, PyTuple>>,
    weights: Option<Bound<'py, PyAny>>,
    names: Option<Vec<String>>,
    shape: Option<Vec<usize>>,
    start: Option<PyRef<'py, Machine>>,
    portion: bool,
    limits: Limits,
) -> PyResult<(Machine, Option<PyErr>, Vec<String>)> {
    let (spec, params) = asked(&steps)?;
    let learner = spec.build(&Everything).map_err(raise)?;
    let given = data::inputs(&inputs)?;
    let features = data::features(&given.inputs, names, shape)?;
    let weights = weights.map(|w| crate::arrays::shared::<f64>(&w)).transpose()?.map(|w| w.0.to_vec().into());
    let (inputs, watched) = (given.inputs, given.watched);
    let data =
        Dataset { inputs, targets: data::targets(targets.as_ref())?, features, weights, groups: None, prepared: false };
    let target = (!matches!(data.targets, Targets::None)).then(|| "y".to_string());
    let before = start.as_ref().filter(|_| portion).map_or(0, |machine| machine.model.rows);
    let start = start.map(|machine| machine.model.machine.record());
    let Done { answer, interrupt, notes } = work(py, &limits, true, move |run| {
        let fitted = match portion {
            true => pellucid::fit_part(&*learner, &data, start.as_ref(), run),
            false => learner.fit(&data, start.as_ref(), run),
        };
        let fitted = fitted.map_err(|e| renamed(e, &params))?;
        let model = kept(fitted, spec, &data, learner.traits().needs.targets, run);
        let model = Model { data: "Python".into(), target, rows: before + model.rows, ..model };
        drop(data);
        // A machine that keeps rows of the training data gets its own: the caller may change the array.
        match watched.iter().any(|held| held()) {
            true => detached(model, run),
            false => Ok(model),
        }
    })?;
    Ok((Machine { model: answer }, interrupt, notes))
}

/// Steps whose last is the learner, as Python hands them over: names with settings.
pub type Steps<'py> = Vec<(String, Bound<'py, PyDict>)>;

/// What steps mean: the learner with all its settings and what stands before it, and all settings that there are.
pub fn asked(steps: &Steps<'_>) -> PyResult<(Spec, Vec<Param>)> {
    let Some(((last, settings), before)) = steps.split_last() else {
        return Err(raise(Error::size("steps", "at least 1", 0)));
    };
    let mut learner = Everything.learner(last).map_err(raise)?;
    apply(&mut *learner, settings)?;
    let (mut spec, mut params) = (Spec::of(&*learner), learner.params());
    for (name, settings) in before {
        let mut part = Everything.part(name).map_err(raise)?;
        let settings = apply(part.settings(), settings)?;
        params.extend(part.settings().params());
        spec.before.push(Spec { settings, ..Spec::named(part.name()) });
    }
    Ok((spec, params))
}

/// The learner that steps make.
pub fn learner(steps: &Steps<'_>) -> PyResult<Box<dyn Learner>> {
    asked(steps)?.0.build(&Everything).map_err(raise)
}

/// The same machine on memory of its own.
fn detached(model: Model, run: &Run<'_>) -> Result<Model> {
    let bytes = files::model_bytes(&model.machine.record())?;
    let record = files::parse_model("the machine", Arc::new(bytes), run)?;
    Ok(Model { machine: run.catalog.machine(&record)?, ..model })
}
