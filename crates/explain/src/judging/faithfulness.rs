//! Faithfulness correlation: does relevance say what the score loses?
//!
//! For drawn sets S of k regions each: ρ = corr_S( Σ_{g∈S} R_g, f(x) − f(x without S) ). The sets and losses of a row are
//! the same for all methods, so they are computed once.
//!
//! **Cost.** `sets` + 1 scores a row, whatever the number of methods. Source: U. Bhatt, A. Weller, J. Moura: *Evaluating and
//! aggregating feature-based model explanations.* IJCAI 2020.

use super::EvalContext;
use super::statistics::correlation;
use base::{Relevance, Result, Run};

/// What the score of each row loses without drawn sets of regions.
pub struct Losses {
    /// For each row, the sets.
    sets: Vec<Vec<Vec<usize>>>,
    /// For each row, what is lost without each of them.
    losses: Vec<Vec<f64>>,
}

impl Losses {
    /// Draws the sets and scores all rows without them.
    pub fn new(scene: &EvalContext<'_>, run: &Run<'_>) -> Result<Self> {
        let (rows, groups, how) = (scene.points.len(), scene.regions.groups.count, &scene.how);
        // At least one region goes and one stays: else nothing varies.
        let size = ((how.set_share * groups as f64).round() as usize).clamp(1, groups - 1);
        let seed = run.seed.fork("sets of regions");
        let draw = |row: usize, set: usize| {
            let mut all = seed.at(row).at(set).permutation(groups);
            all.truncate(size);
            all
        };
        let sets: Vec<Vec<Vec<usize>>> =
            (0..rows).map(|row| (0..how.sets).map(|set| draw(row, set)).collect()).collect();
        let away = |k: usize, away: &mut [bool]| {
            let row = k / how.sets;
            sets[row][k % how.sets].iter().for_each(|&g| away[g] = true);
            row
        };
        let without = scene.without(rows * how.sets, away, run)?;
        let starts = scene.scores(&scene.points, &scene.outputs, run)?;
        let losses = without.chunks_exact(how.sets).zip(starts);
        let losses = losses.map(|(without, start)| without.iter().map(|f| start - f).collect()).collect();
        Ok(Losses { sets, losses })
    }

    /// The correlation of each row.
    pub fn correlations(&self, scene: &EvalContext<'_>, relevance: &Relevance, run: &Run<'_>) -> Result<Vec<f64>> {
        let one = |(row, numbers): (usize, Vec<f64>)| {
            let pooled = scene.regions.pooled(&numbers, scene.how.pool);
            let sums: Vec<f64> = self.sets[row].iter().map(|set| set.iter().map(|&g| pooled[g]).sum()).collect();
            correlation(&sums, &self.losses[row])
        };
        Ok(scene.numbers(relevance, run)?.into_iter().enumerate().map(one).collect())
    }
}
