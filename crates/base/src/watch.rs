//! Progress, early stop and cancel are one conversation: the work says where it is, the observer says whether to go on.

use crate::Message;

/// Where a computation is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress<'a> {
    /// What is being done, in a word or two: `read`, `epoch`, `distances`.
    pub stage: &'a str,
    /// Units done.
    pub done: u64,
    /// Units in all, where known.
    pub total: Option<u64>,
    /// A number that shows how far it is: objective, gap, error.
    pub value: Option<f64>,
}

impl<'a> Progress<'a> {
    /// `done` of `total` units of `stage`.
    pub fn of(stage: &'a str, done: u64, total: u64) -> Self {
        Progress { stage, done, total: Some(total), value: None }
    }
}

/// The observer's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Go on.
    GoOn,
    /// Stop soon and keep the best so far.
    Enough,
    /// Stop and keep nothing.
    Cancel,
}

/// Whoever looks on: a progress bar, the studio, a Python callback, a test.
pub trait Watch: Sync {
    /// Hears where the work is and says whether it goes on. Called from any thread, often: be quick.
    fn step(&self, progress: &Progress<'_>) -> Verdict;

    /// What it would answer now, without hearing where the work is: asked more often than there is progress to tell of.
    /// An observer that can answer `Enough` or `Cancel` should say so here too.
    fn asked(&self) -> Verdict {
        Verdict::GoOn
    }

    /// Hears of something the user should know that is no error: a default taken, a column left out.
    fn note(&self, _text: &str) {}

    /// Hears of the same with what would help; an observer with words of its own for advice says it in these.
    fn advise(&self, message: &Message) {
        self.note(&message.to_string());
    }
}

/// Sees nothing and lets everything go on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Watch for Silent {
    fn step(&self, _: &Progress<'_>) -> Verdict {
        Verdict::GoOn
    }
}
