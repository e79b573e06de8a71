//! Rates of single weights: by the inputs of their unit, or by the curvature of the cost along them.
//!
//! Curvature: η_j = η / (|h_j| + μ) with h the diagonal of the Hessian over a sample of rows and μ a thousandth of its largest, anew in
//! each epoch. The diagonal is estimated as the mean of v ⊙ H v over drawn signs v (Hutchinson), with H v the central
//! difference of gradients.
//!
//! - Y. LeCun, L. Bottou, G. B. Orr, K.-R. Müller: Efficient backprop. *Neural Networks: Tricks of the Trade*, 1998.

use super::gradient::Lesson;
use super::settings::LocalRates;
use crate::network::Network;
use base::graph::{Element, Tensor};
use base::{Result, Run, Seed};

/// Rows that the curvature is looked at on.
const SAMPLE: usize = 512;
/// Draws of signs.
const PROBES: usize = 8;

/// What multiplies the rate of each trained weight, element by element; none: nothing.
pub(crate) fn rates(
    lesson: &Lesson<'_>,
    network: &mut Network,
    rows: &[usize],
    local: LocalRates,
    seed: Seed,
    run: &Run<'_>,
) -> Result<Vec<Option<Tensor>>> {
    match local {
        LocalRates::None => Ok(vec![]),
        LocalRates::FanIn => lesson
            .trained
            .iter()
            .map(|&i| {
                let weight = &network.weights()[i];
                let inputs: usize = weight.shape().iter().skip(1).product();
                like(weight, vec![1.0 / inputs.max(1) as f64; weight.numbers().len()]).map(Some)
            })
            .collect(),
        LocalRates::Curvature => {
            let diagonal = diagonal(lesson, network, rows, seed, run)?;
            let least = 1e-3 * diagonal.iter().fold(0.0, |m: f64, h| m.max(h.abs()));
            let mut offset = 0;
            let mut factors = vec![];
            for &i in &lesson.trained {
                let weight = &network.weights()[i];
                let part = &diagonal[offset..offset + weight.numbers().len()];
                offset += part.len();
                let factor = part.iter().map(|h| 1.0 / (h.abs() + least).max(f64::MIN_POSITIVE)).collect();
                factors.push(Some(like(weight, factor)?));
            }
            Ok(factors)
        }
    }
}

/// An estimate of the diagonal of the Hessian, weight after weight.
fn diagonal(lesson: &Lesson<'_>, network: &mut Network, rows: &[usize], seed: Seed, run: &Run<'_>) -> Result<Vec<f64>> {
    let sample: Vec<usize> =
        seed.fork("sample").permutation(rows.len()).iter().take(SAMPLE).map(|&i| rows[i]).collect();
    let at = network.parameters();
    let largest = at.iter().fold(1.0, |m: f64, w| m.max(w.abs()));
    let width = largest * if lesson.examples.element() == Element::F64 { 1e-5 } else { 1e-2 };
    let mut sum = vec![0.0; at.len()];
    for probe in 0..PROBES {
        let seed = seed.fork("probe").at(probe);
        let sign = |j: usize| if seed.at(j).unit() < 0.5 { -1.0 } else { 1.0 };
        let mut side = |side: f64| {
            let moved: Vec<f64> = at.iter().enumerate().map(|(j, w)| w + side * width * sign(j)).collect();
            network.set_parameters(&moved)?;
            let (_, gradients) = lesson.gradient_of_all(network, &sample, None, run)?;
            let counts = lesson.trained.iter().map(|&i| network.weights()[i].numbers().len());
            let flat = counts.zip(gradients).flat_map(|(n, g)| g.map_or_else(|| vec![0.0; n], |g| g.to_f64()));
            Ok::<Vec<f64>, base::Error>(flat.collect())
        };
        let (up, down) = (side(1.0)?, side(-1.0)?);
        for (j, sum) in sum.iter_mut().enumerate() {
            *sum += sign(j) * (up[j] - down[j]) / (2.0 * width) / PROBES as f64;
        }
    }
    network.set_parameters(&at)?;
    Ok(sum)
}

fn like(tensor: &Tensor, values: Vec<f64>) -> Result<Tensor> {
    match tensor.element() {
        Element::F32 => Tensor::f32(tensor.shape(), values.iter().map(|&x| x as f32).collect()),
        _ => Tensor::f64(tensor.shape(), values),
    }
}
