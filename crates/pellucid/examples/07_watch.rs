//! Looking on, stopping, limits: the conversation between long work and whoever waits for it.
//!
//! Work says where it is (`Watch::step`) and hears whether to go on. `Enough` keeps the best so far, `Cancel` keeps
//! nothing; a deadline counts as `Enough`. Memory is a budget that is asked before large buffers are made.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use pellucid::problems::{Problem, TwoMoons};
use pellucid::{Error, Learner, Memory, Progress, Result, Run, Seed, Verdict, Watch, linear};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Counts what it hears and says `verdict` after `patience` steps.
struct Watcher {
    heard: AtomicU64,
    patience: u64,
    verdict: Verdict,
}

impl Watch for Watcher {
    fn step(&self, progress: &Progress<'_>) -> Verdict {
        let heard = self.heard.fetch_add(1, Relaxed);
        if heard < 3 {
            println!("  {} {} {:?}", progress.stage, progress.done, progress.value);
        }
        if heard < self.patience { Verdict::GoOn } else { self.verdict }
    }
}

fn main() -> Result<()> {
    let data = TwoMoons::default().draw(Seed(3))?;
    let learner = linear::Logistic { tolerance: 1e-12, ..Default::default() };
    let watcher = |patience, verdict| Watcher { heard: AtomicU64::new(0), patience, verdict };

    println!("to the end:");
    let calm = watcher(u64::MAX, Verdict::GoOn);
    let whole = learner.fit(&data, None, &Run { watch: &calm, ..Run::quiet(1) })?;
    assert!(whole.certificate.converged && calm.heard.load(Relaxed) > 2);

    println!("enough:");
    let hasty = watcher(4, Verdict::Enough);
    let early = learner.fit(&data, None, &Run { watch: &hasty, ..Run::quiet(1) })?;
    assert!(early.certificate.interrupted && !early.certificate.converged);
    // What was kept is a machine like any other, and a place to go on from.
    let resumed = learner.fit(&data, Some(&early.machine.record()), &Run::quiet(1))?;
    assert!(resumed.certificate.converged && resumed.certificate.steps < whole.certificate.steps);

    println!("cancel:");
    let stern = watcher(4, Verdict::Cancel);
    let nothing = learner.fit(&data, None, &Run { watch: &stern, ..Run::quiet(1) });
    assert!(matches!(nothing, Err(Error::Cancelled)));

    // A deadline that has passed: the best so far is kept.
    let late = learner.fit(&data, None, &Run { deadline: Some(Instant::now()), ..Run::quiet(1) })?;
    assert!(late.certificate.interrupted);

    // A budget that is too small is an error that names what was asked for.
    let poor = Run { memory: Memory::limited(1000), ..Run::quiet(1) };
    let error = learner.fit(&data, None, &poor).err();
    println!("{}", error.as_ref().map(ToString::to_string).unwrap_or_default());
    assert!(matches!(error, Some(Error::Memory { limit: 1000, .. })));
    Ok(())
}
