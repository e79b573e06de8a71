//! Why a machine says what it says of rows: relevance, accounts, and its picture.

use crate::arrays::{give, give_points};
use crate::data;
use crate::errors::raise;
use crate::machine::Machine;
use crate::model::{finish, shape};
use crate::session::{Limits, work};
use crate::settings::apply;
use pellucid::explain::{Question, Tuning, fitting, method_named};
use pellucid::picture::{ImagePlot, Look, PictureSize, Pixels};
use pellucid::report::{Card, Deviation, Heat};
use pellucid::{Balance, Dataset, Targets, explain_rows_with};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// One of the accounts of a row.
type Part = fn(&Balance) -> f64;

/// Relevance of the columns of rows, with all that is known of it.
#[pyfunction]
#[pyo3(signature = (machine, inputs, method, output, settings, limits))]
pub fn explain<'py>(
    py: Python<'py>,
    machine: PyRef<'py, Machine>,
    inputs: Bound<'py, PyTuple>,
    method: Option<String>,
    output: Option<usize>,
    settings: Bound<'py, PyDict>,
    limits: Limits,
) -> PyResult<Bound<'py, PyDict>> {
    let named = |word: String| method_named(&*machine.model.machine, &word.replace('_', "-"));
    let method = method.map(named).transpose().map_err(raise)?;
    let mut tuning = Tuning::default();
    apply(&mut tuning, &settings)?;
    let inputs = data::inputs(&inputs)?.inputs;
    let machine = machine.model.machine.clone();
    let told = finish(work(py, &limits, false, move |run| {
        let data = Dataset::new(inputs, Targets::None);
        let rows: Vec<usize> = (0..data.len()).collect();
        explain_rows_with(&*machine, &data, &rows, Question { method, output }, &tuning, run)
    })?)?;
    let relevance = &told.answer.relevance;
    let features = &relevance.features;
    let dict = PyDict::new(py);
    dict.set_item("values", give_points(py, &relevance.values)?)?;
    let names: Vec<String> = (0..features.count()).map(|c| features.name(c)).collect();
    dict.set_item("features", names)?;
    dict.set_item("shape", features.shape().map(shape))?;
    dict.set_item("method", &relevance.method)?;
    dict.set_item("note", &told.answer.note)?;
    dict.set_item("warnings", &told.answer.warnings)?;
    dict.set_item("scores", give_points(py, &told.prediction.scores)?)?;
    dict.set_item("points", give_points(py, &told.answer.points)?)?;
    let outputs: Vec<i64> = told.answer.outputs.iter().map(|&k| k as i64).collect();
    dict.set_item("outputs", give(py, &outputs, "i8", &[outputs.len()])?)?;
    if let Some(balance) = &relevance.balance {
        let parts: [(&str, Part); 4] =
            [("score", |b| b.score), ("sum", |b| b.sum), ("absorbed", |b| b.absorbed), ("lost", |b| b.lost)];
        let accounts = PyDict::new(py);
        for (name, part) in parts {
            let numbers: Vec<f64> = balance.iter().map(part).collect();
            accounts.set_item(name, give(py, &numbers, "f8", &[numbers.len()])?)?;
        }
        dict.set_item("balance", accounts)?;
    }
    Ok(dict)
}

/// Which methods there are for a machine: word, what it is, and why it does not fit (None if it does).
#[pyfunction]
pub fn methods(py: Python<'_>, machine: PyRef<'_, Machine>) -> Vec<(String, String, Option<String>)> {
    let machine = machine.model.machine.clone();
    let all = py.detach(|| fitting(&*machine));
    all.into_iter().map(|f| (f.method.word().to_string(), f.about, f.why_not)).collect()
}

/// The picture of one row as SVG: bars of the most relevant columns, or the row and its heat map.
#[pyfunction]
#[pyo3(signature = (title, names, values, pixels, shape, prefix))]
pub fn draw(
    py: Python<'_>,
    title: String,
    names: Vec<String>,
    values: Vec<f64>,
    pixels: Vec<f64>,
    shape: Option<Vec<usize>>,
    prefix: String,
) -> PyResult<String> {
    let mut card = Card { title, ..Card::default() };
    let grid = shape.as_deref().and_then(|s| match *s {
        [height, width] => Some((height, width, 1)),
        [height, width, channels] if channels > 0 => Some((height, width, channels)),
        _ => None,
    });
    match grid {
        Some((rows, columns, channels)) => {
            let mean = |all: &[f64]| -> Vec<f64> {
                all.chunks_exact(channels).map(|c| c.iter().sum::<f64>() / channels as f64).collect()
            };
            let sum = |all: &[f64]| -> Vec<f64> { all.chunks_exact(channels).map(|c| c.iter().sum()).collect() };
            let seen = Pixels::Gray { values: mean(&pixels), range: None };
            let image = ImagePlot { title: String::new(), columns, rows, pixels: seen };
            card.picture = Some(Heat { image, relevance: sum(&values) });
        }
        None => {
            let mut order: Vec<usize> = (0..values.len().min(names.len())).collect();
            order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
            let bar = |&c: &usize| Deviation {
                name: names[c].clone(),
                value: String::new(),
                typical: String::new(),
                relevance: values[c],
            };
            card.deviations = order.iter().map(bar).collect();
        }
    }
    let look = Look { size: PictureSize { width: 480.0, height: 0.0 }, prefix, ..Look::default() };
    py.detach(|| card.drawing().to_svg(&look)).map_err(raise)
}
