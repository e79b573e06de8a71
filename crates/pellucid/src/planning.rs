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

/// What a machine takes beyond its plan.
struct Measured {
    name: &'static str,
    /// How much longer than its operations would as a matrix product: comparing, sorting and passing through memory are
    /// slower than multiplying.
    slower: f64,
    /// How many times the bytes it plans.
    larger: f64,
    /// Bytes whatever the size.
    extra: f64,
}

const fn measured(name: &'static str, slower: f64, larger: f64, extra: f64) -> Measured {
    Measured { name, slower, larger, extra }
}

/// As measured by `benches/run plan`, in the middle of its ten shapes. Machines that are not named take what they plan.
const MEASURED: &[Measured] = &[
    measured("kmeans", 35.0, 1.0, 0.0),
    measured("kmedoids", 14.0, 1.0, 0.0),
    measured("vq", 16.0, 1.0, 0.0),
    measured("hierarchical", 40.0, 1.0, 0.0),
    measured("gmm", 40.0, 1.0, 0.0),
    measured("elm", 6.0, 1.0, 9e6),
    measured("cascade", 50.0, 3.5, 5e6),
    measured("rbf-network", 25.0, 2.0, 5e6),
    measured("mlp", 10.0, 2.0, 8e6),
    measured("svc", 10.0, 1.0, 5e6),
    measured("nu-svc", 25.0, 1.0, 5e6),
    measured("svr", 25.0, 1.0, 5e6),
    measured("nu-svr", 25.0, 1.0, 5e6),
    measured("one-class-svm", 5.0, 1.0, 0.0),
    measured("svdd", 5.0, 1.0, 0.0),
    measured("kde", 16.0, 1.0, 0.0),
    measured("tree", 25.0, 1.0, 0.0),
    measured("forest", 30.0, 1.0, 0.0),
];

/// What the process itself takes beside the data and the fit.
const PROGRAM: f64 = 5.0 * 1048576.0;

/// Estimates a fit of `learner` on data of that size, by measuring this machine for some hundredths of a second.
pub fn estimate(learner: &dyn Learner, size: &Size, run: &Run<'_>) -> Result<Estimate> {
    let plan = learner.plan(size);
    let speed = operations_per_second(run)?;
    let name = learner.name();
    let Measured { slower, larger, extra, .. } =
        *MEASURED.iter().find(|m| m.name == name).unwrap_or(&measured("", 1.0, 1.0, 0.0));
    Ok(Estimate {
        fit_seconds: slower * plan.fit / speed,
        predict_seconds: 1000.0 * plan.predict / speed,
        bytes: larger * plan.bytes + extra + 8.0 * size.entries as f64 + PROGRAM,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d27_every_factor_is_of_a_machine_that_exists() {
        for m in MEASURED {
            assert!(crate::LEARNERS.iter().any(|entry| entry.name == m.name), "{}", m.name);
            assert!(m.slower >= 1.0 && m.larger >= 1.0 && m.extra >= 0.0);
        }
    }
}
