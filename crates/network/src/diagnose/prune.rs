//! Pruning: train, tell the saliencies, take the least off, train again, and so on.
//!
//! The caller trains: `retrain` gets the network and the mask and must leave the parameters that were taken off at 0
//! ([`Mask::clear`] does that to a gradient or a step); they are cleared once more afterwards, so that a trainer that
//! forgets cannot bring them back. A round whose retrained cost is above the limit is undone and ends the work.

use super::{Mask, NetworkCost, OutputLoss, Saliency, saliencies, take_off};
use crate::Network;
use base::graph::Tensor;
use base::{Error, Progress, Result, Run};
use numeric::Objective;

/// Settings of pruning.
#[derive(Debug, Clone, PartialEq)]
pub struct Pruning {
    /// How a weight's worth is told.
    pub saliency: Saliency,
    /// How many are taken off in a round.
    pub remove: usize,
    /// How many parameters stay at least.
    pub least: usize,
    /// Whether tensors of one axis (thresholds) are pruned too.
    pub thresholds: bool,
    /// Added to the diagonal of the Hessian, as a share of its largest element; for the surgeon.
    pub damping: f64,
    /// The cost that must not be exceeded after training again.
    pub limit: f64,
}

impl Default for Pruning {
    fn default() -> Self {
        let damping = 1e-8;
        Pruning { saliency: Saliency::Damage, remove: 1, least: 1, thresholds: false, damping, limit: f64::INFINITY }
    }
}

/// What one round did.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The parameters taken off.
    pub removed: Vec<usize>,
    /// The sum of their saliencies: the rise that was foretold.
    pub foretold: f64,
    /// The cost before.
    pub before: f64,
    /// The cost right after.
    pub after: f64,
    /// The cost after training again.
    pub retrained: f64,
}

/// What pruning left.
#[derive(Debug, Clone, PartialEq)]
pub struct Pruned {
    /// Which parameters are still there.
    pub mask: Mask,
    /// The rounds that were kept.
    pub rounds: Vec<Round>,
}

impl Pruning {
    /// Prunes a network that was trained on these inputs with this loss.
    pub fn prune(
        &self,
        network: &mut Network,
        (inputs, loss): (&[Tensor], &OutputLoss<'_>),
        retrain: &mut dyn FnMut(&mut Network, &Mask) -> Result<()>,
        run: &Run<'_>,
    ) -> Result<Pruned> {
        if self.remove == 0 {
            return Err(Error::parameter("remove", 0, "must be at least 1"));
        }
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            return Err(Error::parameter("damping", self.damping, "must be finite and at least 0"));
        }
        let total = network.parameters().len();
        let fair = self.candidates(network);
        let mut pruned = Pruned { mask: Mask::all(total), rounds: vec![] };
        while pruned.mask.count() > self.least {
            let gone = total - pruned.mask.count();
            run.report(&Progress::of("prune", gone as u64, total.saturating_sub(self.least) as u64))?;
            let at = network.parameters();
            let mut cost = NetworkCost::new(network, inputs, loss, run)?;
            let before = cost.value_and_gradient(&at, &mut vec![0.0; total])?;
            let worth = saliencies(self.saliency, &mut cost, &at, (&pruned.mask, self.damping), run)?;
            let most = self.remove.min(pruned.mask.count() - self.least);
            let least: Vec<(usize, f64)> = worth.into_iter().filter(|(k, _)| fair[*k]).take(most).collect();
            if least.is_empty() {
                break;
            }
            let removed: Vec<usize> = least.iter().map(|(k, _)| *k).collect();
            let values = take_off(self.saliency, &mut cost, &at, (&pruned.mask, self.damping), &removed, run)?;
            let after = cost.value_and_gradient(&values, &mut vec![0.0; total])?;
            let mut mask = pruned.mask.clone();
            removed.iter().for_each(|&k| mask.remove(k));
            network.set_parameters(&values)?;
            retrain(network, &mask)?;
            mask.apply(network)?;
            let now = network.parameters();
            let retrained =
                NetworkCost::new(network, inputs, loss, run)?.value_and_gradient(&now, &mut vec![0.0; total])?;
            network.set_parameters(&now)?;
            // A cost that is not a number is no success.
            if retrained.is_nan() || retrained > self.limit {
                network.set_parameters(&at)?;
                break;
            }
            let foretold = least.iter().map(|(_, s)| s).sum();
            pruned.rounds.push(Round { removed, foretold, before, after, retrained });
            pruned.mask = mask;
        }
        Ok(pruned)
    }

    /// Which parameters may go.
    fn candidates(&self, network: &Network) -> Vec<bool> {
        let ranges = network.parameter_ranges().into_iter();
        let fair = |i: usize| self.thresholds || network.graph().weights()[i].tensor.shape().len() > 1;
        ranges.flat_map(|(i, range)| range.map(move |_| i)).map(fair).collect()
    }
}
