//! What a machine is made of, by the names that scikit-learn's users know: read from its record, whatever learner made
//! it. Signs and shapes are scikit-learn's: of two classes the second is the one above 0.

use crate::arrays::give;
use pellucid::{Chain, Field, Link, Machine, Meaning, Outputs, Record};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The numbers of a machine by name; none for kinds that have nothing to show.
pub fn attributes<'py>(py: Python<'py>, machine: &dyn Machine) -> PyResult<Bound<'py, PyDict>> {
    let shown = Shown { dict: PyDict::new(py), record: last(machine.record()), outputs: machine.outputs() };
    if let Some(rows) = machine.support().and_then(|s| s.rows) {
        let rows: Vec<i64> = rows.iter().map(|&r| r as i64).collect();
        shown.dict.set_item("support_", give(py, &rows, "i8", &[rows.len()])?)?;
    }
    match shown.record.kind() {
        "linear" => shown.linear()?,
        "expansion" => shown.expansion()?,
        "codebook" => shown.put("centres", "cluster_centers_")?,
        "mixture" => {
            shown.put("shares", "weights_")?;
            shown.put("means", "means_")?;
            shown.put("spreads", "covariances_")?;
        }
        "forest" => shown.put("importance", "feature_importances_")?,
        "hierarchy" => {
            shown.put("merges", "merges_")?;
            shown.put("labels", "labels_")?;
        }
        "principal" => {
            shown.put("map", "components_")?;
            shown.put("mean", "mean_")?;
        }
        "affine" => shown.affine()?,
        _ => {}
    }
    Ok(shown.dict)
}

/// The machine proper: the last of a chain.
fn last(record: Record) -> Record {
    match record.kind() == Chain::KIND {
        true => record.parts("machines").ok().and_then(|parts| parts.last()).cloned().unwrap_or(record),
        false => record,
    }
}

struct Shown<'py, 'a> {
    dict: Bound<'py, PyDict>,
    record: Record,
    outputs: &'a Outputs,
}

impl Shown<'_, '_> {
    /// An array of the record, its numbers and shape.
    fn array(&self, field: &str) -> Option<(Vec<f64>, Vec<usize>)> {
        let (shape, values) = self.record.array(field).ok()?;
        Some((values.get(0..values.len()).into_owned(), shape.to_vec()))
    }

    fn give(&self, name: &str, values: &[f64], shape: &[usize]) -> PyResult<()> {
        self.dict.set_item(name, give(self.dict.py(), values, "f8", shape)?)
    }

    /// A field under another name.
    fn put(&self, field: &str, name: &str) -> PyResult<()> {
        let py = self.dict.py();
        match self.record.fields().get(field) {
            Some(Field::Array { shape, values }) => self.give(name, &values.get(0..values.len()), shape),
            Some(Field::Ids(values)) => self.dict.set_item(name, give(py, &values[..], "u4", &[values.len()])?),
            _ => Ok(()),
        }
    }

    fn linear(&self) -> PyResult<()> {
        let (Some((weights, shape)), Some((offsets, _))) = (self.array("weights"), self.array("offsets")) else {
            return Ok(());
        };
        let &[k, d] = &shape[..] else { return Ok(()) };
        match (self.outputs.meaning, k) {
            (Meaning::Values, 1) => {
                self.give("coef_", &weights, &[d])?;
                self.dict.set_item("intercept_", offsets[0])
            }
            (Meaning::Classes, 2) => {
                let half = if self.outputs.link == Link::Softmax { 1.0 } else { 0.5 };
                let odds = |pair: (&f64, &f64)| half * (pair.1 - pair.0);
                let weights: Vec<f64> = weights[..d].iter().zip(&weights[d..]).map(odds).collect();
                self.give("coef_", &weights, &[1, d])?;
                self.give("intercept_", &[odds((&offsets[0], &offsets[1]))], &[1])
            }
            _ => {
                self.give("coef_", &weights, &[k, d])?;
                self.give("intercept_", &offsets, &[k])
            }
        }
    }

    /// (x - shift) * factor.
    fn affine(&self) -> PyResult<()> {
        let Some((factor, shape)) = self.array("factor") else { return Ok(()) };
        let scale: Vec<f64> = factor.iter().map(|f| 1.0 / f).collect();
        self.give("scale_", &scale, &shape)?;
        self.put("shift", "center_")?;
        self.put("shift", "mean_")
    }

    fn expansion(&self) -> PyResult<()> {
        let (Some((values, shape)), Some((offsets, _))) = (self.array("coefficients"), self.array("offsets")) else {
            return Ok(());
        };
        let &[centres, width] = &shape[..] else { return Ok(()) };
        // A decision of ours is above 0 for the first of two classes.
        let sign = if self.outputs.meaning == Meaning::Classes && offsets.len() == 1 { -1.0 } else { 1.0 };
        let dual: Vec<f64> = (0..width * centres).map(|i| sign * values[(i % centres) * width + i / centres]).collect();
        self.give("dual_coef_", &dual, &[width, centres])?;
        let offsets: Vec<f64> = offsets.iter().map(|b| sign * b).collect();
        self.give("intercept_", &offsets, &[offsets.len()])?;
        if let Ok(counts) = self.record.wholes("counts") {
            let counts: Vec<i64> = counts.iter().map(|&c| c as i64).collect();
            self.dict.set_item("n_support_", give(self.dict.py(), &counts, "i8", &[counts.len()])?)?;
        }
        self.put("centres", "support_vectors_")
    }
}
