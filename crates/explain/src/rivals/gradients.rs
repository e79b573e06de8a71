//! What the gradient says at the point itself: how the score would change, not what made it. It vanishes between modes.

use super::told;
use crate::Scored;
use crate::entry::{Entry, Explain, Needs, Usual};
use base::{Points, Relevance, Result, Run, Seed};

pub(crate) static GRADIENT: Entry = Entry {
    aliases: &["gradients"],
    usual: Usual::Machines(5),
    ..Entry::new(
        "gradient",
        "gradient of the score",
        Needs::Gradient,
        Explain::Gradient(|case, run| gradient(case.score, case.points, run)),
    )
};

pub(crate) static ABS_GRADIENT: Entry = Entry {
    aliases: &["saliency"],
    ..Entry::new(
        "abs-gradient",
        "absolute gradient of the score",
        Needs::Gradient,
        Explain::Gradient(|case, run| abs_gradient(case.score, case.points, run)),
    )
};

pub(crate) static INPUT_GRADIENT: Entry = Entry {
    aliases: &["gradient-x-input", "input-x-gradient", "input-t-gradient"],
    if_not: "; conservative only for linear models",
    usual: Usual::Machines(3),
    ..Entry::new(
        "input-gradient",
        "the input times the gradient",
        Needs::Gradient,
        Explain::Gradient(|case, run| input_gradient(case.score, case.points, run)),
    )
};

pub(crate) static SENSITIVITY: Entry = Entry {
    degree: |_| 2,
    usual: Usual::Quantities(2),
    ..Entry::new(
        "sensitivity",
        "the squared gradient",
        Needs::Gradient,
        Explain::Gradient(|case, run| sensitivity(case.score, case.points, run)),
    )
};

pub(crate) static RANDOM: Entry = Entry {
    if_not: "",
    degree: |_| 0,
    drawn: true,
    usual: Usual::Quantities(4),
    ..Entry::new(
        "random",
        "random baseline, which every method must beat",
        Needs::Nothing,
        Explain::Score(|case, run| random(case.points.len(), case.points.columns(), run.seed)),
    )
};

/// ∂f/∂x_i.
pub fn gradient(score: &dyn Scored, points: &Points, run: &Run<'_>) -> Result<Relevance> {
    let (_, gradients) = score.gradients(points, run)?;
    told(gradients, (points.len(), score.columns()), None, "gradient")
}

/// |∂f/∂x_i|.
pub fn abs_gradient(score: &dyn Scored, points: &Points, run: &Run<'_>) -> Result<Relevance> {
    let (_, mut gradients) = score.gradients(points, run)?;
    gradients.iter_mut().for_each(|g| *g = g.abs());
    told(gradients, (points.len(), score.columns()), None, "abs-gradient")
}

/// (∂f/∂x_i)².
pub fn sensitivity(score: &dyn Scored, points: &Points, run: &Run<'_>) -> Result<Relevance> {
    let (_, mut gradients) = score.gradients(points, run)?;
    gradients.iter_mut().for_each(|g| *g *= *g);
    told(gradients, (points.len(), score.columns()), None, "sensitivity")
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
    told(gradients, (points.len(), d), None, "input-gradient")
}

/// Numbers drawn from [0, 1): the order that knows nothing. Row k gets the same whatever stands beside it.
pub fn random(rows: usize, columns: usize, seed: Seed) -> Result<Relevance> {
    let seed = seed.fork("random order");
    let values = (0..rows).flat_map(|i| (0..columns).map(move |c| seed.at(i).at(c).unit())).collect();
    told(values, (rows, columns), None, "random")
}
