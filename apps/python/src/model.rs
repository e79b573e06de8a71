//! Models as files: a machine with how it came about, in every format that the program converts to.

use crate::catalog::Everything;
use crate::errors::raise;
use crate::machine::Machine;
use crate::session::{Done, Limits, work};
use crate::settings::{put, python_name};
use pellucid::{
    Catalog, Error, Features, Model, OnnxReading, Run, Shape, Spec, export_linear, export_onnx, export_svm, files,
    is_linear, read_labels, read_onnx_model,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};

/// Writes a model: `.pel`, `.onnx`, or `.model` as LIBSVM or, of linear machines, LIBLINEAR does. Gives notes.
#[pyfunction]
pub fn save(py: Python<'_>, machine: PyRef<'_, Machine>, path: PathBuf, limits: Limits) -> PyResult<Vec<String>> {
    let model = machine.model.clone();
    finish(work(py, &limits, false, move |run| write(&model, &path, run))?)
}

/// The answer of a call that keeps nothing when it is interrupted.
pub fn finish<T>(done: Done<T>) -> PyResult<T> {
    match done.interrupt {
        Some(interrupt) => Err(interrupt),
        None => Ok(done.answer),
    }
}

fn write(model: &Model, path: &Path, run: &Run<'_>) -> Result<Vec<String>, Error> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        "pel" => model.save(path, run).map(|()| vec![]),
        "onnx" => {
            let exported = export_onnx(model, None, run)?;
            files::write_whole(path, |out| out.write_all(&exported.bytes))?;
            Ok(exported.notes)
        }
        "liblinear" => linear(model, path, run),
        "model" if is_linear(model) => linear(model, path, run),
        "model" | "libsvm" | "svm" => {
            let exported = export_svm(model)?;
            files::write_svm_model(path, &exported.svm)?;
            Ok(exported.notes)
        }
        _ => {
            let instead = "models are saved as .pel, .onnx or .model (LIBSVM, LIBLINEAR)";
            Err(Error::unsupported(format!("{}: a file of this name", path.display()), "save", instead))
        }
    }
}

fn linear(model: &Model, path: &Path, run: &Run<'_>) -> Result<Vec<String>, Error> {
    let exported = export_linear(model, run)?;
    files::write_linear_model(path, &exported.file)?;
    Ok(exported.notes)
}

/// How an ONNX file is to be taken, as Python tells it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Taken {
    shift: Vec<f64>,
    factor: Vec<f64>,
    node: Option<String>,
    names: Vec<String>,
    /// A file with names, instead of them.
    labels: Option<PathBuf>,
    softmax: bool,
}

impl Taken {
    fn reading(self, run: &Run<'_>) -> Result<OnnxReading, Error> {
        let names = match &self.labels {
            Some(path) => read_labels(path, run)?,
            None => self.names,
        };
        let (shift, factor, node) = (self.shift, self.factor, self.node);
        Ok(OnnxReading { shift, factor, node, task: None, names, softmax: self.softmax })
    }
}

/// Reads a model from a file, whatever its format: the machine, and how it came about.
#[pyfunction]
pub fn load<'py>(
    py: Python<'py>,
    path: PathBuf,
    how: Taken,
    limits: Limits,
) -> PyResult<(Machine, Bound<'py, PyDict>)> {
    let read = move |run: &Run<'_>| Model::load_with(&path, &how.reading(run)?, run);
    let model = finish(work(py, &limits, false, read)?)?;
    told(py, model)
}

/// Reads a model from the bytes of an ONNX file that needs no other file.
#[pyfunction]
pub fn load_onnx<'py>(
    py: Python<'py>,
    bytes: Vec<u8>,
    how: Taken,
    limits: Limits,
) -> PyResult<(Machine, Bound<'py, PyDict>)> {
    let beside = |name: &str| {
        let instead = "give the path of the file, so that the files next to it are found";
        Err(Error::unsupported(format!("weights in the file {name}"), "a model from bytes", instead))
    };
    let read = |run: &Run<'_>| read_onnx_model("the model", &bytes, &beside, &how.reading(run)?, run);
    let model = finish(work(py, &limits, false, read)?)?;
    told(py, model)
}

fn told(py: Python<'_>, model: Model) -> PyResult<(Machine, Bound<'_, PyDict>)> {
    let dict = PyDict::new(py);
    dict.set_item("learner", &model.spec.name)?;
    dict.set_item("seed", model.seed)?;
    dict.set_item("settings", settings(py, &model)?)?;
    Ok((Machine { model }, dict))
}

/// The settings of a model by their names in Python; nothing for learners that the catalog does not know.
fn settings<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let own = Spec { before: vec![], ..model.spec.clone() };
    if Everything.learner(&own.name).is_err() {
        return Ok(dict);
    }
    let learner = own.build(&Everything).map_err(raise)?;
    for param in learner.params() {
        let (name, inverse) = python_name(&param);
        put(&dict, name, &learner.get(param.name).map_err(raise)?, inverse)?;
    }
    Ok(dict)
}

/// What a machine takes: how many columns, their names, the shape they make, and whether they are a table.
pub fn takes<'py>(py: Python<'py>, features: &Features) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("count", features.count())?;
    let table = features.table().map(|columns| columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>());
    let texts = features.table().map(|columns| columns.iter().map(|c| c.kind.name()).collect::<Vec<_>>());
    dict.set_item("names", table.clone().or_else(|| features.names().map(|names| names.to_vec())))?;
    dict.set_item("table", table.is_some())?;
    dict.set_item("kinds", texts)?;
    dict.set_item("shape", features.shape().map(shape))?;
    Ok(dict)
}

/// A shape as NumPy writes it; a single channel is left out.
pub fn shape(shape: Shape) -> Vec<usize> {
    match shape {
        Shape::Series { length, channels: 1 } => vec![length],
        Shape::Series { length, channels } => vec![length, channels],
        Shape::Image { height, width, channels: 1 } => vec![height, width],
        Shape::Image { height, width, channels } => vec![height, width, channels],
    }
}
