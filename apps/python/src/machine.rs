//! A fitted machine in the hands of Python.

use crate::arrays::give_points;
use crate::attributes::attributes;
use crate::catalog::Everything;
use crate::data;
use crate::errors::raise;
use crate::session::{Done, Limits, work};
use pellucid::{Certificate, Error, Fact, Inputs, Meaning, Model, Points, Prediction, Run, files};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::sync::Arc;

/// A fitted machine: immutable, storable, with how it came about.
#[pyclass(frozen, module = "pellucid._core")]
pub struct Machine {
    /// The machine with how it came about.
    pub model: Model,
}

#[pymethods]
impl Machine {
    /// The outputs of rows, as numbers with their type and shape; probabilities if asked for.
    #[pyo3(signature = (inputs, probabilities, limits))]
    fn compute<'py>(
        &self,
        py: Python<'py>,
        inputs: Bound<'py, PyTuple>,
        probabilities: bool,
        limits: Limits,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let inputs: Inputs = data::inputs(&inputs)?.inputs;
        let machine = self.model.machine.clone();
        let Done { answer, interrupt, .. } = work(py, &limits, false, move |run| {
            let prediction = Prediction::of(&*machine, &inputs, run)?;
            match probabilities {
                false => Ok(prediction.scores),
                true => match prediction.probabilities(run)? {
                    Some(values) => Points::dense(values, prediction.scores.len(), prediction.outputs.main()),
                    None => Err(Error::unsupported("a probability", "this machine", "ask for scores")),
                },
            }
        })?;
        if let Some(interrupt) = interrupt {
            return Err(interrupt);
        }
        give_points(py, &answer)
    }

    /// What comes out: names, meaning, link, how many of the last columns are side information.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let outputs = self.model.machine.outputs();
        let dict = PyDict::new(py);
        dict.set_item("names", outputs.names.to_vec())?;
        dict.set_item("meaning", outputs.meaning.word())?;
        dict.set_item("link", outputs.link.word())?;
        dict.set_item("extra", outputs.extra)?;
        Ok(dict)
    }

    /// What goes in: count, names, shape, whether it is a table.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        crate::model::takes(py, self.model.machine.inputs())
    }

    /// Whether this machine tells classes or clusters apart.
    #[getter]
    fn meaning(&self) -> &'static str {
        match self.model.machine.outputs().meaning {
            Meaning::Classes => "classes",
            other => other.word(),
        }
    }

    /// What the fit says of itself.
    #[getter]
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        // Searches are scikit-learn's own here, so no fit has a choice to tell of.
        let Certificate { converged, interrupted, steps, objective, gap, warnings, facts, choice: _ } =
            &self.model.certificate;
        let dict = PyDict::new(py);
        dict.set_item("converged", converged)?;
        dict.set_item("interrupted", interrupted)?;
        dict.set_item("steps", steps)?;
        dict.set_item("objective", objective)?;
        let (word, value) = gap.parts();
        dict.set_item("gap_kind", word)?;
        dict.set_item("gap", value)?;
        dict.set_item("warnings", warnings)?;
        let said = PyDict::new(py);
        for (name, fact) in facts {
            match fact {
                Fact::Number(x) => said.set_item(name, x)?,
                Fact::Curve(xs) => said.set_item(name, xs)?,
            }
        }
        dict.set_item("facts", said)?;
        Ok(dict)
    }

    /// Numbers the machine is made of, by the names that scikit-learn's users know.
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        attributes(py, &*self.model.machine)
    }

    /// All that is needed to rebuild it, as bytes; there is no code in them.
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| files::model_bytes(&self.model.record())).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A machine from its bytes.
    #[staticmethod]
    fn read(py: Python<'_>, bytes: &[u8]) -> PyResult<Machine> {
        let bytes = Arc::new(bytes.to_vec());
        let model = py.detach(|| {
            let record = files::parse_model("the machine", bytes, &Run::quiet(0))?;
            Model::read(&record, &Everything)
        });
        Ok(Machine { model: model.map_err(raise)? })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let read = py.get_type::<Machine>().getattr("read")?;
        Ok((read, (self.record(py)?,)))
    }
}
