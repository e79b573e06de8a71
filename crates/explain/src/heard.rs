//! A run that hears at once: half an explanation is none, so "enough" and the deadline end it as "cancel" does.
//!
//! Methods report from all of their loops, and networks between their nodes; what is asked to stop so stops there. Whoever
//! explains many rows keeps those that are done.

use base::{Message, Progress, Run, Verdict, Watch};

/// A run whose deadline and "enough" cancel.
pub(crate) struct Heard<'r>(pub &'r Run<'r>);

impl Heard<'_> {
    /// The run to work with.
    pub fn run(&self) -> Run<'_> {
        Run { watch: self, deadline: None, ..self.0.clone() }
    }
}

impl Watch for Heard<'_> {
    fn step(&self, progress: &Progress<'_>) -> Verdict {
        match self.0.step(progress) {
            Ok(false) => Verdict::GoOn,
            Ok(true) | Err(_) => Verdict::Cancel,
        }
    }

    fn asked(&self) -> Verdict {
        match self.0.is_enough() {
            Ok(false) => Verdict::GoOn,
            Ok(true) | Err(_) => Verdict::Cancel,
        }
    }

    fn note(&self, text: &str) {
        self.0.watch.note(text);
    }

    fn advise(&self, message: &Message) {
        self.0.watch.advise(message);
    }
}
