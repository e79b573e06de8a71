//! How much an explanation changes under small noise: max_δ ‖R(x + δ) − R(x)‖ / ‖R(x)‖ over drawn δ.
//!
//! δ is drawn evenly from ±radius times the row's range, the same draws for all methods; the output explained stays that
//! of the row itself. Relevance that is drawn is drawn anew, or it would seem perfectly calm.
//!
//! **Cost.** `noisy` explanations of all rows. **Limits.** The largest of few draws, so a lower bound of the true maximum;
//! a row whose relevance is 0 everywhere has no number. Source: C.-K. Yeh, C.-Y. Hsieh, A. Suggala, D. Inouye,
//! P. Ravikumar: *On the (in)fidelity and sensitivity of explanations.* NeurIPS 2019.

use super::EvalContext;
use crate::method::Method;
use crate::tuning::Tuning;
use base::{Points, Progress, Relevance, Result, Run};

/// The largest change of each row's explanation, as a share of its size; not a number where that is 0.
pub fn largest_changes(
    scene: &EvalContext<'_>,
    (method, tuning): (Method, &Tuning),
    relevance: &Relevance,
    run: &Run<'_>,
) -> Result<Vec<f64>> {
    let (rows, d, how) = (scene.points.len(), scene.points.columns(), &scene.how);
    let before = scene.numbers(relevance, run)?;
    let x = scene.points.to_dense(&run.memory)?;
    let range = |row: &[f64]| {
        let (low, high) = row.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        (high - low).max(0.0)
    };
    let radii: Vec<f64> = x.chunks_exact(d.max(1)).map(|row| how.radius * range(row)).collect();
    let seed = run.seed.fork("small noise");
    let mut largest = vec![0.0f64; rows];
    for copy in 0..how.noisy {
        run.report(&Progress::of("noisy copies", copy as u64, how.noisy as u64))?;
        let shift = |i: usize| radii[i / d.max(1)] * (2.0 * seed.at(copy).at(i).unit() - 1.0);
        let noisy = Points::dense(x.iter().enumerate().map(|(i, x)| x + shift(i)).collect::<Vec<_>>(), rows, d)?;
        let own = if method.entry().drawn { run.fork(&format!("drawn anew {copy}")) } else { run.clone() };
        let after = scene.explained_at(&scene.subject, &noisy, (method, tuning), &own)?;
        for ((l, before), after) in largest.iter_mut().zip(&before).zip(scene.numbers(&after, run)?) {
            let size = before.iter().map(|b| b * b).sum::<f64>().sqrt();
            let change = before.iter().zip(after).map(|(b, a)| (a - b) * (a - b)).sum::<f64>().sqrt();
            *l = if size > 0.0 { l.max(change / size) } else { f64::NAN };
        }
    }
    Ok(largest)
}
