//! How long a fit will take and how much memory, before it is started.
//!
//! A learner's plan counts operations; what this machine does in a second is measured by a short matrix product.

use base::{Learner, Result, Run, Size};
use std::time::Instant;

/// What a fit will take here.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Seconds to fit.
    pub fit_seconds: f64,
    /// Seconds to predict a thousand rows.
    pub predict_seconds: f64,
    /// Bytes at the peak, the data included.
    pub bytes: f64,
    /// A better suited machine, or what to look out for.
    pub advice: Option<String>,
}

/// Estimates a fit of `learner` on data of that size, by measuring this machine for some hundredths of a second.
pub fn estimate(learner: &dyn Learner, size: &Size, run: &Run<'_>) -> Result<Estimate> {
    let plan = learner.plan(size);
    let speed = operations_per_second(run)?;
    Ok(Estimate {
        fit_seconds: plan.fit / speed,
        predict_seconds: 1000.0 * plan.predict / speed,
        bytes: plan.bytes + 8.0 * size.entries as f64,
        advice: plan.advice,
    })
}

fn operations_per_second(run: &Run<'_>) -> Result<f64> {
    const N: usize = 384;
    let a: Vec<f64> = (0..N * N).map(|i| (i % 7) as f64).collect();
    let mut out = vec![0.0; N * N];
    let mut best = f64::INFINITY;
    for _ in 0..4 {
        let start = Instant::now();
        let view = numeric::Mat::new(&a, N, N)?;
        numeric::product(run, view, view, numeric::MatMut::new(&mut out, N, N)?, 1.0, false)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(2.0 * (N * N * N) as f64 / best.max(1e-9))
}
