//! What the gradient says at the point itself: how the score would change, not what made it. It vanishes between modes.

use super::relevance_of;
use crate::Scored;
use crate::entry::{Explain, MethodEntry, MethodNeeds, Usual};
use base::{Points, Relevance, Result, Run, Seed};

pub(crate) static GRADIENT: MethodEntry = MethodEntry {
    aliases: &["gradients"],
    usual: Usual::Machines(5),
    ..MethodEntry::new(
        "gradient",
        "gradient of the score",
        MethodNeeds::Gradient,
        Explain::Gradient(|case, run| gradient(case.score, case.points, run)),
    )
};

pub(crate) static ABS_GRADIENT: MethodEntry = MethodEntry {
    aliases: &["saliency"],
    ..MethodEntry::new(
        "abs-gradient",
        "absolute gradient of the score",
        MethodNeeds::Gradient,
        Explain::Gradient(|case, run| abs_gradient(case.score, case.points, run)),
    )
};

pub(crate) static INPUT_GRADIENT: MethodEntry = MethodEntry {
    aliases: &["gradient-x-input", "input-x-gradient", "input-t-gradient"],
    if_not: "; conservative only for linear models",
    usual: Usual::Machines(3),
    ..MethodEntry::new(
        "input-gradient",
        "the input times the gradient",
        MethodNeeds::Gradient,
        Explain::Gradient(|case, run| input_gradient(case.score, case.points, run)),
    )
};

pub(crate) static SENSITIVITY: MethodEntry = MethodEntry {
    degree: |_| 2,
    usual: Usual::Quantities(2),
    ..MethodEntry::new(
        "sensitivity",
        "the squared gradient",
        MethodNeeds::Gradient,
        Explain::Gradient(|case, run| sensitivity(case.score, case.points, run)),
    )
};

pub(crate) static RANDOM: MethodEntry = MethodEntry {
    if_not: "",
    degree: |_| 0,
    drawn: true,
    usual: Usual::Quantities(4),
    ..MethodEntry::new(
        "random",
        "random baseline, which every method must beat",
        MethodNeeds::Nothing,
        Explain::Score(|case, run| random(case.points.len(), case.points.columns(), run.seed)),
    )
};

/// ∂f/∂x_i.
pub fn gradient(score: &dyn Scored, points: &Points, run: &Run<'_>) -> Result<Relevance> {
    let (_, gradients) = score.gradients(points, run)?;
    relevance_of(gradients, (points.len(), score.columns()), None, "gradient")
}

/// |∂f/∂x_i|.
pub fn abs_gradient(score: &dyn Scored, points: &Points, run: &Run<'_>) -> Result<Relevance> {
    let (_, mut gradients) = score.gradients(points, run)?;
    gradients.iter_mut().for_each(|g| *g = g.abs());
    relevance_of(gradients, (points.len(), score.columns()), None, "abs-gradient")
}

/// (∂f/∂x_i)².
pub fn sensitivity(score: &dyn Scored, points: &Points, run: &Run<'_>) -> Result<Relevance> {
    let (_, mut gradients) = score.gradients(points, run)?;
    gradients.iter_mut().for_each(|g| *g *= *g);
    relevance_of(gradients, (points.len(), score.columns()), None, "sensitivity")
}

/// x_i ∂f/∂x_i.
pub fn input_gradient(score: &dyn Scored, points: &Points, run: &Run<'_>) -> Result<Relevance> {
    let (_, mut gradients) = score.gradients(points, run)?;
    let d = score.columns();
    let mut x = vec![0.0; d];
    for (i, line) in gradients.chunks_exact_mut(d.max(1)).enumerate() {
        points.write_row(i, &mut x);
        line.iter_mut().zip(&x).for_each(|(g, x)| *g *= x);
    }
    relevance_of(gradients, (points.len(), d), None, "input-gradient")
}

/// Numbers drawn from [0, 1): the order that knows nothing. Row k gets the same whatever stands beside it.
pub fn random(rows: usize, columns: usize, seed: Seed) -> Result<Relevance> {
    let seed = seed.fork("random order");
    let values = (0..rows).flat_map(|i| (0..columns).map(move |c| seed.at(i).at(c).unit())).collect();
    relevance_of(values, (rows, columns), None, "random")
}
