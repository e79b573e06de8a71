//! All that a computation may use besides its arguments.
//!
//! There are no globals: seed, threads, memory, time, observer and the catalog of known machines come in one value.

use crate::{
    Alone, Checkpoint, Learner, Machine, Memory, Pipeline, Progress, Ranks, Record, Result, Seed, Silent, SpecPart,
    Stopping, Verdict, Watch, error::Error,
};
use std::sync::Arc;
use std::time::Instant;

/// What a computation may use.
#[derive(Clone)]
pub struct Run<'a> {
    /// The source of all randomness.
    pub seed: Seed,
    /// How many threads may work; results do not depend on it.
    pub threads: usize,
    /// The budget of memory.
    pub memory: Memory,
    /// When to stop and keep the best so far.
    pub deadline: Option<Instant>,
    /// Who looks on.
    pub watch: &'a dyn Watch,
    /// Which learners and machines are known.
    pub catalog: &'a dyn Catalog,
    /// Where to put the state of long work, so that it can be resumed.
    pub checkpoint: Option<&'a dyn Checkpoint>,
    /// The processes that share the work.
    pub ranks: &'a dyn Ranks,
    /// What becomes of work that has no partial result when it is enough.
    pub stopping: Stopping,
}

/// Finds learners by name and rebuilds machines from records, so that nested parts need no upward dependency.
pub trait Catalog: Sync {
    /// The learner of that name, with its default settings.
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>>;

    /// The machine a record speaks of.
    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>>;

    /// What a name stands for in a [`Spec`](crate::Spec), with default settings.
    fn part(&self, name: &str) -> Result<SpecPart> {
        self.learner(name).map(SpecPart::Learner)
    }

    /// The names that may stand in a spec, to guess what was meant.
    fn names(&self) -> Vec<&'static str> {
        vec![]
    }

    /// The one step that several steps in parentheses make.
    fn join(&self, steps: Vec<Box<dyn Learner>>) -> Result<Box<dyn Learner>> {
        Ok(Box::new(Pipeline { steps }))
    }
}

/// Knows nothing; for work that has no nested parts.
#[derive(Debug, Clone, Copy, Default)]
pub struct EmptyCatalog;

impl Catalog for EmptyCatalog {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        Err(Error::unsupported(format!("the learner {name:?}"), "an empty catalog", "give the run a catalog"))
    }

    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        let what = format!("a machine of kind {:?}", record.kind());
        Err(Error::unsupported(what, "an empty catalog", "give the run a catalog"))
    }
}

impl Run<'static> {
    /// One thread, no limits, nobody looking.
    pub fn quiet(seed: u64) -> Self {
        Run {
            seed: Seed(seed),
            threads: 1,
            memory: Memory::unlimited(),
            deadline: None,
            watch: &Silent,
            catalog: &EmptyCatalog,
            checkpoint: None,
            ranks: &Alone,
            stopping: Stopping::default(),
        }
    }
}

impl<'a> Run<'a> {
    /// Says where the work is. `Ok(true)` asks to stop and keep the best so far, an error to stop and keep nothing.
    pub fn step(&self, progress: &Progress<'_>) -> Result<bool> {
        let verdict = self.watch.step(progress);
        self.enough(verdict)
    }

    /// Says where work is that has no partial result. Cancelling stops it; that it is enough does so too, a moment
    /// later, in a run that gives up ([`Run::giving_up`]).
    pub fn report(&self, progress: &Progress<'_>) -> Result<()> {
        let verdict = self.watch.step(progress);
        self.stop(verdict)
    }

    /// As [`Run::report`], but says nothing: for every piece of work, however small.
    pub fn check(&self) -> Result<()> {
        let verdict = self.watch.asked();
        self.stop(verdict)
    }

    /// Whether it is enough, without saying anything.
    pub fn is_enough(&self) -> Result<bool> {
        let verdict = self.watch.asked();
        self.enough(verdict)
    }

    fn enough(&self, verdict: Verdict) -> Result<bool> {
        let enough = match verdict {
            Verdict::Cancel => return Err(Error::Cancelled),
            Verdict::Enough => true,
            Verdict::GoOn => self.deadline.is_some_and(|end| Instant::now() >= end),
        };
        if enough {
            self.stopping.hear();
        }
        Ok(enough)
    }

    fn stop(&self, verdict: Verdict) -> Result<()> {
        match self.enough(verdict)? && self.stopping.over() {
            true => Err(Error::Stopped { what: String::new() }),
            false => Ok(()),
        }
    }

    /// The same run for work that is of use only when it is complete: once it is enough, and a moment has passed in
    /// which quick work ends by itself, it ends with [`Error::Stopped`]. Fits are run so, unless they finish something.
    pub fn giving_up(&self) -> Run<'a> {
        Run { stopping: self.stopping.giving_up(), ..self.clone() }
    }

    /// The same run for what is left to do after a stop, so that the best so far can be used: only cancelling ends it.
    pub fn finishing(&self) -> Run<'a> {
        Run { stopping: self.stopping.finishing(), ..self.clone() }
    }

    /// The same run with randomness of its own for a named part.
    pub fn fork(&self, name: &str) -> Run<'a> {
        Run { seed: self.seed.fork(name), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Says(Verdict);
    impl Watch for Says {
        fn step(&self, _: &Progress<'_>) -> Verdict {
            self.0
        }
    }

    #[test]
    fn observer_and_deadline_are_heard() {
        let progress = Progress::of("test", 1, 2);
        let run = Run::quiet(1);
        assert_eq!(run.step(&progress), Ok(false));
        assert_eq!(Run { deadline: Some(Instant::now()), ..run.clone() }.step(&progress), Ok(true));
        assert_eq!(Run { watch: &Says(Verdict::Enough), ..run.clone() }.step(&progress), Ok(true));
        assert_eq!(Run { watch: &Says(Verdict::Cancel), ..run.clone() }.report(&progress), Err(Error::Cancelled));
        assert_ne!(run.fork("a").seed, run.seed);
    }
}
