//! How much the cost rises when a weight is taken off, by the quadratic expansion around a minimum.
//!
//! With gradient 0, E(W + δ) − E(W) = ½ δᵀHδ. Taking weight k off means δ_k = −W_k. If the others stay and H is taken as
//! diagonal, the rise is s_k = ½ H_kk W_k² (optimal brain damage). If the others move to where the rise is least,
//! δ = −(W_k / [H⁻¹]_kk) H⁻¹ e_k and s_k = ½ W_k² / [H⁻¹]_kk (optimal brain surgeon). For a diagonal H both are the same.
//! A set S goes at once by δ = −H⁻¹_{·S} ([H⁻¹]_SS)⁻¹ W_S. H is that of the weights still there.
//!
//! **Cost.** 4n gradients; the surgeon n² numbers and O(n³) besides.
//!
//! - Y. LeCun, J. Denker, S. Solla: *Optimal brain damage.* NIPS 2 (1990).
//! - B. Hassibi, D. Stork: *Second order derivatives for network pruning: optimal brain surgeon.* NIPS 5 (1993).

use super::{hessian, hessian_diagonal};
use crate::Network;
use crate::train::Masks;
use base::graph::{Element, Tensor};
use base::{Error, Hold, Result, Run};
use numeric::{Cholesky, Mat, MatMut, Objective};

base::choices! {
    /// How a weight's worth is told.
    pub enum Saliency {
        /// Optimal brain damage: ½ H_kk W_k², the others stay.
        Damage = "obd",
        /// Optimal brain surgeon: ½ W_k² / [H⁻¹]_kk, the others are adjusted.
        Surgeon = "obs",
    }
}

/// Which parameters of a network are still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    kept: Vec<bool>,
}

impl Mask {
    /// All of so many.
    pub fn all(count: usize) -> Self {
        Mask { kept: vec![true; count] }
    }

    /// Whether a parameter is still there; one that never was is not.
    pub fn keeps(&self, parameter: usize) -> bool {
        self.kept.get(parameter).copied().unwrap_or(false)
    }

    /// Takes a parameter off.
    pub fn remove(&mut self, parameter: usize) {
        if let Some(kept) = self.kept.get_mut(parameter) {
            *kept = false;
        }
    }

    /// How many are still there.
    pub fn count(&self) -> usize {
        self.kept.iter().filter(|k| **k).count()
    }

    /// Those still there.
    pub fn places(&self) -> Vec<usize> {
        (0..self.kept.len()).filter(|&i| self.kept[i]).collect()
    }

    /// Puts 0 in place of what was taken off: for parameters, for gradients, for steps.
    pub fn clear(&self, values: &mut [f64]) {
        values.iter_mut().zip(&self.kept).filter(|(_, kept)| !**kept).for_each(|(v, _)| *v = 0.0);
    }

    /// For each weight of the graph 1 where a parameter is still there and 0 where it was taken off, as training takes
    /// it; none for weights that are not parameters.
    pub fn tensors(&self, network: &Network) -> Result<Masks> {
        let weights = network.graph().weights();
        let mut masks: Masks = vec![None; weights.len()];
        for (i, range) in network.parameter_ranges() {
            let Some(kept) = self.kept.get(range) else {
                return Err(Error::size("parameters of a mask", network.parameters().len(), self.kept.len()));
            };
            let (shape, ones) = (weights[i].tensor.shape(), kept.iter().map(|k| u8::from(*k)));
            masks[i] = Some(match weights[i].tensor.element() {
                Element::F32 => Tensor::f32(shape, ones.map(f32::from).collect())?,
                _ => Tensor::f64(shape, ones.map(f64::from).collect())?,
            });
        }
        Ok(masks)
    }

    /// Puts 0 in place of the network's parameters that were taken off.
    pub fn apply(&self, network: &mut Network) -> Result<()> {
        let mut values = network.parameters();
        if values.len() != self.kept.len() {
            return Err(Error::size("parameters of a mask", values.len(), self.kept.len()));
        }
        self.clear(&mut values);
        network.set_parameters(&values)
    }
}

/// The parameters that are still there with their saliency, least first; of equals the earlier first.
///
/// `damping` times the largest diagonal element is added to the diagonal of H for the surgeon's inverse.
pub fn saliencies(
    kind: Saliency,
    objective: &mut dyn Objective,
    at: &[f64],
    (mask, damping): (&Mask, f64),
    run: &Run<'_>,
) -> Result<Vec<(usize, f64)>> {
    let places = mask.places();
    if mask.kept.len() != at.len() {
        return Err(Error::size("parameters of a mask", at.len(), mask.kept.len()));
    }
    let worth = match kind {
        Saliency::Damage => {
            let diagonal = hessian_diagonal(&mut Kept::new(objective, at, &places), &part(at, &places), run)?;
            places.iter().zip(diagonal).map(|(&k, h)| 0.5 * h * at[k] * at[k]).collect::<Vec<_>>()
        }
        Saliency::Surgeon => {
            let (inverse, _hold) = inverse(objective, at, &places, damping, run)?;
            let m = places.len();
            places.iter().enumerate().map(|(i, &k)| 0.5 * at[k] * at[k] / inverse[i * m + i]).collect()
        }
    };
    let mut all: Vec<(usize, f64)> = places.into_iter().zip(worth).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    Ok(all)
}

/// The parameters without those in `gone`: 0 in their place, and with the surgeon the others moved to make up for it.
pub fn take_off(
    kind: Saliency,
    objective: &mut dyn Objective,
    at: &[f64],
    (mask, damping): (&Mask, f64),
    gone: &[usize],
    run: &Run<'_>,
) -> Result<Vec<f64>> {
    let places = mask.places();
    let mut values = at.to_vec();
    if let Some(k) = gone.iter().find(|k| !mask.keeps(**k)) {
        return Err(Error::parameter("parameter", k, "must be one that is still there"));
    }
    if kind == Saliency::Surgeon && !gone.is_empty() {
        let (inverse, _hold) = inverse(objective, at, &places, damping, run)?;
        let (m, s) = (places.len(), gone.len());
        let spot: Vec<usize> = gone.iter().filter_map(|k| places.binary_search(k).ok()).collect();
        let block: Vec<f64> =
            spot.iter().flat_map(|i| spot.iter().map(|j| inverse[*i * m + j]).collect::<Vec<_>>()).collect();
        let mut pull: Vec<f64> = gone.iter().map(|&k| at[k]).collect();
        Cholesky::new(run, Mat::new(&block, s, s)?)?.solve(run, MatMut::column(&mut pull))?;
        for (i, &k) in places.iter().enumerate() {
            values[k] -= spot.iter().zip(&pull).map(|(j, p)| inverse[i * m + j] * p).sum::<f64>();
        }
    }
    gone.iter().for_each(|&k| values[k] = 0.0);
    Ok(values)
}

/// The inverse of the Hessian of the parameters at `places`, m x m.
fn inverse(
    objective: &mut dyn Objective,
    at: &[f64],
    places: &[usize],
    damping: f64,
    run: &Run<'_>,
) -> Result<(Vec<f64>, Hold)> {
    let m = places.len();
    let (mut matrix, _hold) = hessian(&mut Kept::new(objective, at, places), &part(at, places), run)?;
    let largest = (0..m).fold(0.0f64, |most, i| most.max(matrix[i * m + i]));
    (0..m).for_each(|i| matrix[i * m + i] += damping * largest);
    let factor = Cholesky::new(run, Mat::new(&matrix, m, m)?).map_err(|e| match e {
        Error::Data { .. } => Error::parameter(
            "damping",
            damping,
            "is too small: the second derivatives are not positive here; train to a minimum or raise it",
        ),
        other => other,
    })?;
    let (mut inverse, hold) = run.memory.filled(m.saturating_mul(m), 0.0, "the inverse of second derivatives")?;
    (0..m).for_each(|i| inverse[i * m + i] = 1.0);
    factor.solve(run, MatMut::new(&mut inverse, m, m)?)?;
    Ok((inverse, hold))
}

/// Some elements.
fn part(values: &[f64], places: &[usize]) -> Vec<f64> {
    places.iter().map(|&i| values[i]).collect()
}

/// The cost as a function of the parameters at some places, the others staying where they are.
struct Kept<'a> {
    objective: &'a mut dyn Objective,
    places: &'a [usize],
    whole: Vec<f64>,
    gradient: Vec<f64>,
}

impl<'a> Kept<'a> {
    fn new(objective: &'a mut dyn Objective, at: &[f64], places: &'a [usize]) -> Self {
        Kept { objective, places, whole: at.to_vec(), gradient: vec![0.0; at.len()] }
    }
}

impl Objective for Kept<'_> {
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self.places.iter().zip(x).for_each(|(&i, x)| self.whole[i] = *x);
        let value = self.objective.value_and_gradient(&self.whole, &mut self.gradient)?;
        self.places.iter().zip(gradient).for_each(|(&i, g)| *g = self.gradient[i]);
        Ok(value)
    }
}
