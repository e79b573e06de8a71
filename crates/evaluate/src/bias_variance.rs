//! Bias and variance of a learner, by fitting it to many data sets of the same origin.
//!
//! Where the truth f is known, the squared error of predictions f_D over data sets D is, at every point,
//! ⟨(f_D − f)²⟩ = (⟨f_D⟩ − f)² + ⟨(f_D − ⟨f_D⟩)²⟩: bias² and variance. With means over R replicas in place of ⟨·⟩ the
//! identity still holds exactly, the variance being that with 1/R. What noise adds to a single observation is left out.
//!
//! - S. Geman, E. Bienenstock, R. Doursat: *Neural networks and the bias/variance dilemma.* Neural Comput. 4 (1992).
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 7.1.

use base::{Dataset, Error, Inputs, Learner, Progress, Result, Run, Seed};

/// The parts of the error at each point, and for each value predicted there.
#[derive(Debug, Clone, PartialEq)]
pub struct BiasVariance {
    /// The mean prediction.
    pub mean: Vec<f64>,
    /// The squared distance of the mean prediction from the truth.
    pub bias: Vec<f64>,
    /// The variance of the predictions.
    pub variance: Vec<f64>,
    /// The mean squared distance of the predictions from the truth.
    pub total: Vec<f64>,
    /// How many data sets there were.
    pub replicas: usize,
}

/// Fits `learner` to `replicas` data sets from `draw` and looks at its predictions `at` some points of known `truth`.
///
/// Replicas share the threads; each has a seed of its own, for the data and for the fit.
pub fn bias_variance(
    learner: &dyn Learner,
    draw: &(dyn Fn(Seed) -> Result<Dataset> + Sync),
    (at, truth): (&Inputs, &[f64]),
    replicas: usize,
    run: &Run<'_>,
) -> Result<BiasVariance> {
    if replicas == 0 {
        return Err(Error::parameter("replicas", 0, "must be at least 1"));
    }
    let _hold = run.memory.take_for::<f64>(replicas.saturating_mul(truth.len()), "predictions of replicas")?;
    let seed = run.seed.fork("replicas");
    let predictions = numeric::each_fit(run, replicas, |r| {
        run.report(&Progress::of("replicas", r as u64, replicas as u64))?;
        let own = Run { seed: seed.at(r), threads: 1, ..run.clone() };
        let fitted = learner.fit(&draw(own.seed.fork("data"))?, None, &own)?;
        let found = fitted.machine.compute(at, &own)?.to_dense(&own.memory)?.to_vec();
        match found.len() == truth.len() {
            true => Ok(found),
            false => Err(Error::size("true values at the points", found.len(), truth.len())),
        }
    })?;
    let share = 1.0 / replicas as f64;
    let mean_of = |f: &dyn Fn(f64, usize) -> f64| -> Vec<f64> {
        (0..truth.len()).map(|i| predictions.iter().map(|p| share * f(p[i], i)).sum()).collect()
    };
    let mean = mean_of(&|x, _| x);
    let bias = mean.iter().zip(truth).map(|(m, t)| (m - t) * (m - t)).collect();
    let variance = mean_of(&|x, i| (x - mean[i]) * (x - mean[i]));
    let total = mean_of(&|x, i| (x - truth[i]) * (x - truth[i]));
    Ok(BiasVariance { mean, bias, variance, total, replicas })
}
