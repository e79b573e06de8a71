//! Observers for tests.

use base::{Progress, Verdict, Watch};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Lets `steps` steps pass and then says `verdict` for ever.
pub struct After {
    left: AtomicU64,
    verdict: Verdict,
}

impl After {
    /// Says `verdict` after `steps` steps.
    pub fn new(steps: u64, verdict: Verdict) -> Self {
        After { left: AtomicU64::new(steps), verdict }
    }
}

impl Watch for After {
    fn step(&self, _: &Progress<'_>) -> Verdict {
        let before = self.left.fetch_update(Relaxed, Relaxed, |n| Some(n.saturating_sub(1))).unwrap_or(0);
        if before == 0 { self.verdict } else { Verdict::GoOn }
    }

    fn asked(&self) -> Verdict {
        if self.left.load(Relaxed) == 0 { self.verdict } else { Verdict::GoOn }
    }
}

/// Counts the steps it hears of.
#[derive(Default)]
pub struct Count(AtomicU64);

impl Count {
    /// How many steps so far.
    pub fn steps(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl Watch for Count {
    fn step(&self, _: &Progress<'_>) -> Verdict {
        self.0.fetch_add(1, Relaxed);
        Verdict::GoOn
    }
}
