//! The elastic net along a grid of penalties, each fit started from the one before.
//!
//! The largest penalty worth trying is α_max = max_j |Σ_i w_i (x_ij − x̄_j)(y_i − ȳ)| / (W ρ): from there on all weights
//! are 0. The grid falls from it to a share of it in equal ratios.

use crate::lasso::{ElasticNet, Problem};
use base::{Dataset, Error, Place, Result, Run, Settings, values_of};

/// Solutions along a grid of penalties.
#[derive(Debug, Clone, PartialEq)]
pub struct NetPath {
    /// The penalties, falling.
    pub alphas: Vec<f64>,
    /// Weights for each penalty: values x columns, row after row.
    pub weights: Vec<Vec<f64>>,
    /// Offsets for each penalty, one a value.
    pub offsets: Vec<Vec<f64>>,
    /// The duality gap at each penalty, summed over the values.
    pub gaps: Vec<f64>,
    /// Whether every gap is as small as asked.
    pub converged: bool,
    /// Whether the observer or time ended it; what was reached is kept.
    pub interrupted: bool,
}

/// The least penalty for which all weights are 0, the largest over the values.
pub fn largest_penalty(settings: &ElasticNet, data: &Dataset, run: &Run<'_>) -> Result<f64> {
    admit(settings, data)?;
    let mut problem = Problem::new(data, settings.intercept, 0, run)?;
    largest(&mut problem, settings, data, run)
}

fn largest(problem: &mut Problem, settings: &ElasticNet, data: &Dataset, run: &Run<'_>) -> Result<f64> {
    let mut steepest = 0.0f64;
    for value in 0..values_of(data)?.names().len() {
        problem.aim_at(data, value, run)?;
        steepest = steepest.max(problem.steepest());
    }
    Ok(steepest / (problem.centre.weight * settings.l1_ratio))
}

/// Solutions for `count` penalties from the largest down to `share` of it; `settings.penalty` is left alone.
pub fn net_path(settings: &ElasticNet, data: &Dataset, count: usize, share: f64, run: &Run<'_>) -> Result<NetPath> {
    admit(settings, data)?;
    if count == 0 || !(share > 0.0 && share < 1.0) {
        return Err(Error::parameter("share", share, "must lie between 0 and 1, for at least 1 penalty"));
    }
    let mut problem = Problem::new(data, settings.intercept, count, run)?;
    let top = largest(&mut problem, settings, data, run)?;
    if top <= 0.0 {
        return Err(Error::data(
            Place::Whole,
            "no column is correlated with the target: all weights are 0 for any penalty",
        ));
    }
    let (d, k) = (data.points()?.columns(), values_of(data)?.names().len());
    let _hold = run.memory.take_for::<f64>(count.saturating_mul(d).saturating_mul(k), "weights along the path")?;
    let fall = |i: usize| top * share.powf(i as f64 / (count.max(2) - 1) as f64);
    let mut path = NetPath {
        alphas: (0..count).map(fall).collect(),
        weights: vec![vec![0.0; d * k]; count],
        offsets: vec![],
        gaps: vec![0.0; count],
        converged: true,
        interrupted: false,
    };
    // Values outside, penalties inside: the equations of a value are set up once.
    for value in 0..k {
        let mut w = vec![0.0; d];
        for (i, &penalty) in path.alphas.iter().enumerate() {
            let aim = settings.aim(penalty, problem.centre.weight);
            let ended = problem.solve(data, value, &mut w, &aim, run)?;
            path.weights[i][value * d..(value + 1) * d].copy_from_slice(&w);
            path.gaps[i] += ended.gap / problem.centre.weight;
            path.converged &= ended.converged;
            path.interrupted |= ended.interrupted;
        }
    }
    path.offsets = path.weights.iter().map(|w| problem.centre.offsets(w)).collect();
    Ok(path)
}

/// Settings and data as [`base::Learner::fit`] would admit them; rows without a target are refused here.
fn admit(settings: &ElasticNet, data: &Dataset) -> Result<()> {
    settings.check_settings()?;
    data.check()?;
    data.points()?.check(false, |c| data.features.name(c))?;
    values_of(data)?;
    if let Some(row) = (0..data.len()).find(|&i| !data.targets.known(i)) {
        return Err(Error::data(Place::Cell { row, column: "target".into() }, "is not known; leave the row out"));
    }
    let weight: f64 = data.weights.as_ref().map_or(data.len() as f64, |w| w.iter().sum());
    match weight > 0.0 && data.points()?.columns() > 0 {
        true => Ok(()),
        false => Err(Error::size("rows with weight and columns", "at least 1", 0)),
    }
}
