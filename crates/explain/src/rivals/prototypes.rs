//! Differences from one point that stands for what is normal: the nearest support point, or the mean of all.
//!
//! The nearest jumps from one to another as x moves between modes, and the explanation with it.

use super::told;
use crate::OneClass;
use crate::entry::{Entry, Explain, Needs, Usual};
use base::{Density, Points, Relevance, Result, Run, argmax};

pub(crate) static NEAREST: Entry = Entry {
    usual: Usual::Detectors(1),
    ..Entry::new(
        "nearest",
        "squared differences from the nearest support point",
        Needs::Density,
        Explain::Detector(nearest),
    )
};

pub(crate) static EXPECTED: Entry = Entry {
    usual: Usual::Detectors(3),
    ..Entry::new(
        "expected",
        "squared differences from the mean of the support points",
        Needs::Density,
        Explain::Detector(|detector, points, _| expected(detector.density(), points)),
    )
};

/// (x_i − u_i)² with u the nearest support point, the first of equals.
pub fn nearest(detector: &OneClass, points: &Points, run: &Run<'_>) -> Result<Relevance> {
    let (m, d) = (detector.support(), detector.columns());
    let mut all = vec![0.0; points.len() * d];
    let (mut x, mut u) = (vec![0.0; d], vec![0.0; d]);
    const ROWS: usize = 256;
    for start in (0..points.len()).step_by(ROWS) {
        let block = points.slice(start..points.len().min(start + ROWS));
        let squares = detector.squared_distances(&block, run)?;
        for (i, line) in squares.chunks_exact(m).enumerate() {
            let close: Vec<f64> = line.iter().map(|s| -s).collect();
            block.write_row(i, &mut x);
            detector.density().centres().write_row(argmax(&close) as usize, &mut u);
            let out = &mut all[(start + i) * d..(start + i + 1) * d];
            out.iter_mut().zip(x.iter().zip(&u)).for_each(|(r, (x, u))| *r = (x - u) * (x - u));
        }
    }
    told(all, (points.len(), d), None, "nearest")
}

/// Σ_j α_j u_j.
pub fn mean_of(density: &Density) -> Vec<f64> {
    let d = density.centres().columns();
    let (mut mean, mut u) = (vec![0.0; d], vec![0.0; d]);
    for (j, w) in density.weights().iter().enumerate() {
        density.centres().write_row(j, &mut u);
        numeric::add_scaled(&mut mean, *w, &u);
    }
    mean
}

/// (x_i − μ_i)² with μ the mean of the support points by weight.
pub fn expected(density: &Density, points: &Points) -> Result<Relevance> {
    let mean = mean_of(density);
    let d = mean.len();
    let mut all = vec![0.0; points.len() * d];
    for (i, line) in all.chunks_exact_mut(d.max(1)).enumerate() {
        points.write_row(i, line);
        line.iter_mut().zip(&mean).for_each(|(x, m)| *x = (*x - m) * (*x - m));
    }
    told(all, (points.len(), d), None, "expected")
}
