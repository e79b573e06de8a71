//! What the score loses when a part is hidden.
//!
//! - Occlusion: R of a patch is f(x) − f(x with the patch replaced), told to each of its pixels. One replacement.
//! - Prediction difference: the same with the values of other rows, R = f(x) − mean of f(x with theirs); what an input
//!   could have been, not a fixed gray.
//!
//! **Cost.** A score for each patch, or for each patch and row of the background.
//! Sources: M. Zeiler, R. Fergus 2014; L. Zintgraf et al. 2017 (here of the score, not of log odds).

use super::groups::Groups;
use super::relevance_of;
use crate::Scored;
use crate::entry::{Explain, MethodEntry, MethodNeeds, Usual};
use base::{Points, Progress, Relevance, Result, Run};

/// Rows whose values are put in others' places.
const OTHERS: usize = 20;

pub(crate) static OCCLUSION: MethodEntry = MethodEntry {
    aliases: &["feature-ablation"],
    settings: &["patch", "reference"],
    passes: |_| 256,
    usual: Usual::Machines(6),
    ..MethodEntry::new(
        "occlusion",
        "decrease of the score when a part is masked",
        MethodNeeds::Nothing,
        Explain::Score(|case, run| {
            occlusion(case.score, case.points, &case.rows.groups(), &case.rows.reference()?, run)
        }),
    )
};

pub(crate) static PREDICTION_DIFFERENCE: MethodEntry = MethodEntry {
    settings: &["patch"],
    passes: |_| 256,
    ..MethodEntry::new(
        "prediction-difference",
        "prediction difference: decrease of the score when a part takes values of other rows",
        MethodNeeds::Nothing,
        Explain::Score(|case, run| {
            let others = case.rows.others(OTHERS)?;
            prediction_difference(case.score, case.points, &case.rows.groups(), &others, run)
        }),
    )
};

/// The loss of the score when each group is replaced by `instead`.
pub fn occlusion(
    score: &dyn Scored,
    points: &Points,
    groups: &Groups,
    instead: &[f64],
    run: &Run<'_>,
) -> Result<Relevance> {
    let others = Points::dense(instead.to_vec(), 1, instead.len())?;
    relevance_of(losses(score, points, groups, &others, run)?, (points.len(), score.columns()), None, "occlusion")
}

/// The mean loss of the score when each group is replaced by that of other rows.
pub fn prediction_difference(
    score: &dyn Scored,
    points: &Points,
    groups: &Groups,
    others: &Points,
    run: &Run<'_>,
) -> Result<Relevance> {
    let all = losses(score, points, groups, others, run)?;
    relevance_of(all, (points.len(), score.columns()), None, "prediction-difference")
}

fn losses(score: &dyn Scored, points: &Points, groups: &Groups, others: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
    let (n, d) = (points.len(), score.columns());
    // Few at a time: all of them would be the square of the groups.
    let some = Groups::at_once(d);
    let base = score.values(points, run)?;
    let (mut all, mut x, mut instead) = (vec![], vec![0.0; d], vec![0.0; d]);
    for (i, base) in base.iter().enumerate().take(n) {
        run.report(&Progress::of("hiding", i as u64, n as u64))?;
        points.write_row(i, &mut x);
        let mut losses = vec![0.0; groups.count];
        for other in 0..others.len() {
            others.write_row(other, &mut instead);
            for (part, losses) in losses.chunks_mut(some).enumerate() {
                let without = |g: usize| (0..groups.count).map(|k| k != part * some + g).collect();
                let hidden: Vec<Vec<bool>> = (0..losses.len()).map(without).collect();
                let seen = groups.scores(score, &x, &instead, &hidden, run)?;
                losses.iter_mut().zip(seen).for_each(|(l, s)| *l += (base - s) / others.len() as f64);
            }
        }
        all.extend(groups.spread(&losses, true));
    }
    Ok(all)
}
