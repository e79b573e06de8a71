//! Training by L-BFGS over all rows.

use super::gradient::Lesson;
use super::penalty::Shrink;
use super::settings::Training;
use super::trainer::Masks;
use crate::network::Network;
use base::{Result, Run, Seed};
use numeric::{Lbfgs, Minimum};

/// Minimises the mean cost and the penalty over all rows; the network gets the weights of the minimum.
///
/// Networks that behave otherwise in training do so with one seed for all steps, so that there is one function.
pub(crate) fn minimise(
    lesson: &Lesson<'_>,
    network: &mut Network,
    settings: &Training,
    shrink: Shrink,
    (rows, masks): (&[usize], &Masks),
    seed: Option<Seed>,
    run: &Run<'_>,
) -> Result<Minimum> {
    let start = network.parameters();
    let mask: Vec<f64> = lesson
        .trained
        .iter()
        .flat_map(|&i| match masks.get(i).and_then(Option::as_ref) {
            Some(mask) => mask.to_f64(),
            None => vec![1.0; network.weights()[i].numbers().len()],
        })
        .collect();
    let mut objective = |at: &[f64], gradient: &mut [f64]| {
        network.set_parameters(at)?;
        let (paid, found) = lesson.gradient_of_all(network, rows, seed, run)?;
        let (mut value, mut offset) = (paid.mean(), 0);
        for (&i, found) in lesson.trained.iter().zip(found) {
            let weight = &network.weights()[i];
            let (count, acts) = (weight.numbers().len(), shrink.acts() && weight.shape().len() > 1);
            let out = &mut gradient[offset..offset + count];
            match found {
                Some(found) => out.copy_from_slice(&found.to_f64()),
                None => out.fill(0.0),
            }
            if acts {
                for (g, &w) in out.iter_mut().zip(&at[offset..]) {
                    value += shrink.value(w);
                    *g += shrink.slope(w);
                }
            }
            offset += count;
        }
        gradient.iter_mut().zip(&mask).for_each(|(g, m)| *g *= m);
        Ok(value)
    };
    let solver = Lbfgs { tolerance: settings.tolerance, steps: settings.epochs, ..Lbfgs::default() };
    let found = solver.minimise(run, &start, &mut objective)?;
    network.set_parameters(&found.point)?;
    Ok(found)
}
