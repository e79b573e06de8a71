//! How long a fit will take and how much memory, before it is started.
//!
//! A learner's plan F(n) counts operations and bytes from the size of the data alone ([`estimate`]); what this machine does
//! in a second is measured by a short matrix product. How many steps a fit takes and how many rows become support vectors
//! is decided by the data, so [`estimate_on`] also fits drawn rows, twice as many each time, until half a second is spent
//! or all rows are fitted. The last trial, of m rows and t seconds, gives t · F(n)/F(m) · (n/m)^e: the formula says how
//! the work grows, the trial at which level, and e how the trials grew beside the formula, within bounds because trials
//! are short. Likewise the memory that was counted, where the data decide about it.
//!
//! **Cost.** Below a second. **Limits.** A fit whose nature changes beyond the size of the trials (rows that no longer fit
//! a cache, a solver that takes another way) is foreseen only as far as the learner's formula knows.

use base::{Dataset, Error, Learner, Memory, Result, Run, Size};
use std::time::{Duration, Instant};

/// What a fit will take here.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Seconds to fit.
    pub fit_seconds: f64,
    /// The least and the most seconds that are to be expected.
    pub between: (f64, f64),
    /// Seconds to predict a thousand rows.
    pub predict_seconds: f64,
    /// Bytes at the peak beyond what the program takes before it reads anything, the data included.
    pub bytes: f64,
    /// Rows of the largest trial; 0 if the size alone was looked at.
    pub tried: usize,
    /// A better suited machine, or what to look out for.
    pub advice: Option<String>,
}

/// What a machine takes beyond its plan.
#[derive(Clone, Copy)]
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

/// Machines whose memory is decided by the data: kernel values are kept for rows that became support vectors.
const KEEP_ROWS: [&str; 6] = ["svc", "nu-svc", "svr", "nu-svr", "one-class-svm", "svdd"];

/// Rows of the first trial.
const FIRST: usize = 250;
/// Seconds that all trials may take together, and those after which a trial is cut short.
const TRIALS: f64 = 0.6;
const LONGEST: Duration = Duration::from_millis(500);
/// By how much the next trial, of twice the rows, may take longer: work of the cube of the rows.
const NEXT: f64 = 6.0;
/// The fastest and slowest growth beside the formula that is believed.
const GROWTH: f64 = 0.6;

/// Estimates a fit of `learner` on data of that size, by measuring this machine for some hundredths of a second.
pub fn estimate(learner: &dyn Learner, size: &Size, run: &Run<'_>) -> Result<Estimate> {
    let plan = learner.plan(size);
    let speed = operations_per_second(run)?;
    let Measured { slower, larger, extra, .. } = beyond(learner.name());
    let fit_seconds = slower * plan.fit / speed;
    Ok(Estimate {
        fit_seconds,
        between: (fit_seconds / 5.0, 5.0 * fit_seconds),
        predict_seconds: 1000.0 * plan.predict / speed,
        bytes: larger * plan.bytes + extra + 8.0 * size.entries as f64 + PROGRAM,
        tried: 0,
        advice: plan.advice,
    })
}

fn beyond(name: &str) -> Measured {
    *MEASURED.iter().find(|m| m.name == name).unwrap_or(&measured("", 1.0, 1.0, 0.0))
}

/// A fit of some of the rows.
struct Trial {
    rows: usize,
    seconds: f64,
    /// Bytes that were counted at the peak.
    bytes: f64,
    /// What the learner's formula says of it.
    formula: f64,
}

/// Estimates a fit of `learner` on these data by trials on some of their rows; `clock` tells the seconds that this process
/// has worked, so that other work on the machine does not count.
pub fn estimate_on(learner: &dyn Learner, data: &Dataset, clock: &dyn Fn() -> f64, run: &Run<'_>) -> Result<Estimate> {
    let size = Size::of(data);
    let sized = estimate(learner, &size, run)?;
    let (trials, cut) = trials(learner, data, clock, run)?;
    let Some(last) = trials.last() else {
        // Not even the smallest trial came to an end: the whole takes at least as long as that says.
        let least = cut.map_or(0.0, |t| t.seconds * (learner.plan(&size).fit / t.formula.max(1.0)).max(1.0));
        let fit_seconds = sized.fit_seconds.max(least);
        return Ok(Estimate { fit_seconds, between: (fit_seconds / 5.0, 5.0 * fit_seconds), ..sized });
    };
    let rows = size.rows as f64 / last.rows as f64;
    let earlier = trials.len().checked_sub(3).map(|i| &trials[i]);
    let formula = learner.plan(&size).fit / last.formula.max(1.0);
    let beside = |of: &dyn Fn(&Trial) -> f64| {
        earlier.map_or(0.0, |before| {
            let growth = (of(last) / of(before).max(1e-300)).ln() / (last.rows as f64 / before.rows as f64).ln();
            if growth.is_finite() { growth } else { 0.0 }
        })
    };
    // A few milliseconds are what the clock of the system tells.
    let time = beside(&|t| (t.seconds + 0.002) / t.formula.max(1.0)).clamp(-GROWTH, GROWTH);
    let fit_seconds = last.seconds * formula * rows.powf(time);
    // What lies between the largest trial and the whole is not known: the wider, the farther the way.
    let wide = if rows <= 1.0 { 1.5 } else { 2.0 * rows.powf(0.2) };
    let bytes = match KEEP_ROWS.contains(&learner.name()) {
        true => {
            let growth = beside(&|t| t.bytes).clamp(1.0, 2.0);
            let kept = last.bytes * rows.powf(growth);
            let most = sized.bytes.max(last.bytes);
            kept.min(most) + 8.0 * size.entries as f64 + PROGRAM
        }
        false => sized.bytes.max(last.bytes * if rows > 1.0 { 1.0 } else { rows } + 8.0 * size.entries as f64),
    };
    Ok(Estimate { fit_seconds, between: (fit_seconds / wide, wide * fit_seconds), bytes, tried: last.rows, ..sized })
}

/// Fits of more and more drawn rows that came to their end, and the one that did not.
fn trials(
    learner: &dyn Learner,
    data: &Dataset,
    clock: &dyn Fn() -> f64,
    run: &Run<'_>,
) -> Result<(Vec<Trial>, Option<Trial>)> {
    let order = run.seed.fork("plan").permutation(data.len());
    let (began, mut done) = (clock(), vec![]);
    let mut rows = FIRST.min(data.len());
    loop {
        let some = match rows == data.len() {
            true => data.clone(),
            false => data.select(&order[..rows])?,
        };
        let memory = Memory::limited(run.memory.free());
        let deadline = Some(Instant::now() + LONGEST);
        let alone = Run { memory: memory.clone(), deadline, catalog: run.catalog, seed: run.seed, ..Run::quiet(0) };
        let start = clock();
        let fitted = learner.fit(&some, None, &alone);
        let (seconds, bytes) = (clock() - start, memory.peak() as f64);
        let trial = Trial { rows, seconds, bytes, formula: learner.plan(&Size::of(&some)).fit };
        match fitted {
            Ok(fitted) if !fitted.certificate.interrupted => done.push(trial),
            Ok(_) | Err(Error::Stopped { .. }) => return Ok((done, Some(trial))),
            // Drawn rows may lack what the whole has; then the size alone speaks.
            Err(_) => return Ok((done, None)),
        }
        if rows == data.len() || clock() - began + NEXT * seconds > TRIALS {
            return Ok((done, None));
        }
        rows = (2 * rows).min(data.len());
    }
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
