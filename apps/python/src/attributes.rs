//! What a machine is made of, by the names that scikit-learn's users know: asked of the machine itself, whatever learner
//! made it. Signs and shapes are scikit-learn's: of two classes the second is the one above 0.

use crate::arrays::give;
use crate::errors::raise;
use pellucid::distance::{Codebook, Hierarchy, Mixture};
use pellucid::kernels::Expansion;
use pellucid::linear::Linear;
use pellucid::prepare::{Affine, Principal};
use pellucid::trees::Forest;
use pellucid::{Link, Machine, Meaning, Memory, Points};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The numbers of a machine by name; none for kinds that have nothing to show.
pub fn attributes<'py>(py: Python<'py>, machine: &dyn Machine) -> PyResult<Bound<'py, PyDict>> {
    let shown = Shown(PyDict::new(py));
    if let Some(rows) = machine.support().and_then(|s| s.rows) {
        let rows: Vec<i64> = rows.iter().map(|&r| r as i64).collect();
        shown.0.set_item("support_", give(py, &rows, "i8", &[rows.len()])?)?;
    }
    // The machine proper: the last of a chain.
    let Some(last) = machine.links().pop() else { return Ok(shown.0) };
    let d = last.inputs().count();
    if let Some(linear) = last.downcast::<Linear>() {
        shown.linear(linear)?;
    } else if let Some(expansion) = last.downcast::<Expansion>() {
        shown.expansion(expansion)?;
    } else if let Some(codebook) = last.downcast::<Codebook>() {
        shown.give("cluster_centers_", codebook.centres(), &[codebook.len(), d])?;
    } else if let Some(mixture) = last.downcast::<Mixture>() {
        let k = mixture.shares().len();
        shown.give("weights_", mixture.shares(), &[k])?;
        shown.give("means_", mixture.means(), &[k, d])?;
        shown.give("covariances_", mixture.spreads(), &[k, mixture.covariance().numbers(d)])?;
    } else if let Some(forest) = last.downcast::<Forest>() {
        shown.give("feature_importances_", forest.importance(), &[d])?;
    } else if let Some(hierarchy) = last.downcast::<Hierarchy>() {
        let numbers = |m: &pellucid::distance::Merge| [m.left as f64, m.right as f64, m.height, m.size as f64];
        let merges: Vec<f64> = hierarchy.merges().iter().flat_map(numbers).collect();
        shown.give("merges_", &merges, &[hierarchy.merges().len(), 4])?;
        shown.0.set_item("labels_", give(py, hierarchy.labels(), "u4", &[hierarchy.labels().len()])?)?;
    } else if let Some(principal) = last.downcast::<Principal>() {
        shown.give("components_", principal.map(), &[principal.outputs().names.len(), d])?;
        shown.give("mean_", principal.mean(), &[d])?;
    } else if let Some(affine) = last.downcast::<Affine>() {
        // (x - shift) * factor.
        let scale: Vec<f64> = affine.factor().iter().map(|f| 1.0 / f).collect();
        shown.give("scale_", &scale, &[d])?;
        shown.give("center_", affine.shift(), &[d])?;
        shown.give("mean_", affine.shift(), &[d])?;
    }
    Ok(shown.0)
}

struct Shown<'py>(Bound<'py, PyDict>);

impl Shown<'_> {
    fn give(&self, name: &str, values: &[f64], shape: &[usize]) -> PyResult<()> {
        self.0.set_item(name, give(self.0.py(), values, "f8", shape)?)
    }

    fn linear(&self, machine: &Linear) -> PyResult<()> {
        let (offsets, outputs) = (machine.offsets(), machine.outputs());
        let weights = &machine.weights().to_dense(&Memory::unlimited()).map_err(raise)?[..];
        let (k, d) = (offsets.len(), machine.inputs().count());
        match (outputs.meaning, k) {
            (Meaning::Values, 1) => {
                self.give("coef_", weights, &[d])?;
                self.0.set_item("intercept_", offsets[0])
            }
            (Meaning::Classes, 2) => {
                let half = if outputs.link == Link::Softmax { 1.0 } else { 0.5 };
                let odds = |pair: (&f64, &f64)| half * (pair.1 - pair.0);
                let weights: Vec<f64> = weights[..d].iter().zip(&weights[d..]).map(odds).collect();
                self.give("coef_", &weights, &[1, d])?;
                self.give("intercept_", &[odds((&offsets[0], &offsets[1]))], &[1])
            }
            _ => {
                self.give("coef_", weights, &[k, d])?;
                self.give("intercept_", offsets, &[k])
            }
        }
    }

    fn expansion(&self, machine: &Expansion) -> PyResult<()> {
        let (values, offsets, outputs) = (machine.coefficients(), machine.offsets(), machine.outputs());
        let (centres, width) = (machine.centres().len(), machine.width());
        // A decision of ours is above 0 for the first of two classes.
        let sign = if outputs.meaning == Meaning::Classes && offsets.len() == 1 { -1.0 } else { 1.0 };
        let dual: Vec<f64> = (0..width * centres).map(|i| sign * values[(i % centres) * width + i / centres]).collect();
        self.give("dual_coef_", &dual, &[width, centres])?;
        let offsets: Vec<f64> = offsets.iter().map(|b| sign * b).collect();
        self.give("intercept_", &offsets, &[offsets.len()])?;
        let classes = if outputs.meaning == Meaning::Classes { outputs.main() } else { 0 };
        let counts: Vec<i64> = (0..classes).map(|c| machine.centres_of(c).len() as i64).collect();
        let counts = if counts.iter().sum::<i64>() == 0 { vec![] } else { counts };
        self.0.set_item("n_support_", give(self.0.py(), &counts, "i8", &[counts.len()])?)?;
        if let Points::Dense(dense) = machine.centres() {
            let values = dense.values().get(0..dense.len() * dense.columns());
            self.give("support_vectors_", &values, &[dense.len(), dense.columns()])?;
        }
        Ok(())
    }
}
