//! Differences from one point that stands for what is normal: the nearest support point, or the mean of all.
//!
//! The nearest jumps from one to another as x moves between modes, and the explanation with it.

use super::relevance_of;
use crate::entry::{Explain, MethodEntry, MethodNeeds, Usual};
use base::{Error, Explainer, Points, References, Relevance, Result, Run, argmax};

pub(crate) static NEAREST: MethodEntry = MethodEntry {
    usual: Usual::Quantities(1),
    ..MethodEntry::new(
        "nearest",
        "squared differences from the nearest support point",
        MethodNeeds::References,
        Explain::Quantity(|own, points, run| nearest(references(own)?, points, run)),
    )
};

pub(crate) static EXPECTED: MethodEntry = MethodEntry {
    usual: Usual::Quantities(3),
    ..MethodEntry::new(
        "expected",
        "squared differences from the mean of the support points",
        MethodNeeds::References,
        Explain::Quantity(|own, points, _| expected(references(own)?, points)),
    )
};

/// What a machine's own number is measured from.
pub(crate) fn references(own: &dyn Explainer) -> Result<&dyn References> {
    let missing = || Error::unsupported("support points", "what this machine explains", "ask for another method");
    own.references().ok_or_else(missing)
}

/// (x_i − u_i)² with u the nearest support point, the first of equals.
pub fn nearest(references: &dyn References, points: &Points, run: &Run<'_>) -> Result<Relevance> {
    let (m, d) = (references.points().len(), references.points().columns());
    let mut all = vec![0.0; points.len() * d];
    let (mut x, mut u) = (vec![0.0; d], vec![0.0; d]);
    const ROWS: usize = 256;
    for start in (0..points.len()).step_by(ROWS) {
        let block = points.slice(start..points.len().min(start + ROWS));
        let squares = references.squared_distances(&block, run)?;
        for (i, line) in squares.chunks_exact(m).enumerate() {
            let close: Vec<f64> = line.iter().map(|s| -s).collect();
            block.write_row(i, &mut x);
            references.points().write_row(argmax(&close) as usize, &mut u);
            let out = &mut all[(start + i) * d..(start + i + 1) * d];
            out.iter_mut().zip(x.iter().zip(&u)).for_each(|(r, (x, u))| *r = (x - u) * (x - u));
        }
    }
    relevance_of(all, (points.len(), d), None, "nearest")
}

/// Σ_j α_j u_j.
pub fn mean_of(references: &dyn References) -> Vec<f64> {
    let d = references.points().columns();
    let (mut mean, mut u) = (vec![0.0; d], vec![0.0; d]);
    for (j, w) in references.weights().iter().enumerate() {
        references.points().write_row(j, &mut u);
        numeric::add_scaled(&mut mean, *w, &u);
    }
    mean
}

/// (x_i − μ_i)² with μ the mean of the support points by weight.
pub fn expected(references: &dyn References, points: &Points) -> Result<Relevance> {
    let mean = mean_of(references);
    let d = mean.len();
    let mut all = vec![0.0; points.len() * d];
    for (i, line) in all.chunks_exact_mut(d.max(1)).enumerate() {
        points.write_row(i, line);
        line.iter_mut().zip(&mean).for_each(|(x, m)| *x = (*x - m) * (*x - m));
    }
    relevance_of(all, (points.len(), d), None, "expected")
}
