//! Perturbation analysis: regions go in the order of their relevance, and the score should fall fast.
//!
//! With f_k the score after step k of L: area = mean height of f_0 … f_L by trapezoids, AOPC = 1/(L+1) Σ_k (f_0 − f_k).
//! The same with the least relevant first, where the score should stay; the difference of the two areas tells most, for
//! it is 0 for any order that knows nothing, however strange perturbed rows look to the machine. Of G regions at most
//! `share · G` go; where there are more than `steps`, several go at once. Equals go in a drawn order.
//!
//! **Cost.** steps + 1 scores a row and order. **Limits.** Areas are in the units of the score: they compare methods on
//! the same rows, not machines. Source: W. Samek, A. Binder, G. Montavon, S. Lapuschkin, K.-R. Müller: *Evaluating the
//! visualization of what a deep neural network has learned.* IEEE TNNLS 28 (2017).

use super::EvalContext;
use base::{Relevance, Result, Run, Seed};

/// Scores while regions go, for each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// The most relevant first.
    pub most: Vec<Vec<f64>>,
    /// The least relevant first.
    pub least: Vec<Vec<f64>>,
    /// The share of regions that is away at each step.
    pub away: Vec<f64>,
}

/// Perturbs all rows by their relevance, in both orders.
pub fn curves(scene: &EvalContext<'_>, relevance: &Relevance, run: &Run<'_>) -> Result<Curves> {
    let (groups, how) = (scene.regions.groups.count, &scene.how);
    let counts = counts(groups, how.steps, how.share);
    let seed = run.seed.fork("equal relevance");
    let order = |(i, row): (usize, Vec<f64>)| falling(&scene.regions.pooled(&row, how.pool), seed.at(i));
    let orders: Vec<Vec<usize>> = scene.numbers(relevance, run)?.into_iter().enumerate().map(order).collect();
    let one = |least: bool| -> Result<Vec<Vec<f64>>> {
        let away = |k: usize, away: &mut [bool]| {
            let (row, count) = (k / counts.len(), counts[k % counts.len()]);
            let first = |k: usize| orders[row][if least { groups - 1 - k } else { k }];
            (0..count).for_each(|k| away[first(k)] = true);
            row
        };
        let scores = scene.without(orders.len() * counts.len(), away, run)?;
        Ok(scores.chunks_exact(counts.len()).map(<[f64]>::to_vec).collect())
    };
    let away = counts.iter().map(|&c| c as f64 / groups as f64).collect();
    Ok(Curves { most: one(false)?, least: one(true)?, away })
}

/// How many regions are away after each step, the first of which is none.
fn counts(groups: usize, steps: usize, share: f64) -> Vec<usize> {
    let all = ((share * groups as f64).round() as usize).clamp(1, groups);
    let steps = steps.clamp(1, all);
    (0..=steps).map(|t| t * all / steps).collect()
}

/// Regions by falling relevance; equals in a drawn order, so that none is favoured for where it lies.
fn falling(relevance: &[f64], seed: Seed) -> Vec<usize> {
    let mut order = seed.permutation(relevance.len());
    order.sort_by(|&a, &b| relevance[b].total_cmp(&relevance[a]));
    order
}

/// 1/(L+1) Σ_k (f_0 − f_k).
pub fn aopc(curve: &[f64]) -> f64 {
    match curve.first() {
        Some(start) => curve.iter().map(|f| start - f).sum::<f64>() / curve.len() as f64,
        None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_reach_their_share_and_never_stand_still() {
        assert_eq!(counts(4, 100, 1.0), [0, 1, 2, 3, 4]);
        assert_eq!(counts(10, 4, 1.0), [0, 2, 5, 7, 10]);
        assert_eq!(counts(10, 100, 0.3), [0, 1, 2, 3]);
        assert_eq!(counts(10, 100, 0.01), [0, 1]);
        assert_eq!(counts(2, 1, 1.0), [0, 2]);
        assert!(counts(997, 100, 0.7).windows(2).all(|w| w[1] > w[0]));
    }

    #[test]
    fn equals_go_in_a_drawn_order_and_others_by_relevance() {
        let order = falling(&[1.0, 5.0, 1.0, 1.0, 7.0, 1.0], Seed(3));
        assert_eq!(order[..2], [4, 1]);
        let drawn: std::collections::HashSet<Vec<usize>> = (0..20).map(|s| falling(&[0.0; 4], Seed(s))).collect();
        assert!(drawn.len() > 5, "{drawn:?}");
    }

    #[test]
    fn the_mean_loss_counts_the_start() {
        assert_eq!(aopc(&[4.0, 2.0, 0.0]), 2.0);
        assert_eq!((aopc(&[3.0]), aopc(&[])), (0.0, 0.0));
    }
}
