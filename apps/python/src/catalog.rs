//! The catalog as Python sees it: all there is, and, in builds for the package's own tests, one learner more.

use pellucid::{Catalog, KNOWN, LEARNERS, Learner, LearnerEntry, Machine, Record, Result, SpecPart};
use std::sync::Arc;

/// The learners of the catalog.
pub fn learners() -> Vec<&'static LearnerEntry> {
    #[cfg(feature = "trial")]
    let more = crate::trial::listed();
    #[cfg(not(feature = "trial"))]
    let more = None;
    LEARNERS.iter().chain(more).collect()
}

/// The catalog of all there is.
pub struct Everything;

impl Catalog for Everything {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        match learners().into_iter().find(|e| e.name == name) {
            Some(entry) => Ok((entry.make)()),
            None => KNOWN.learner(name),
        }
    }

    fn part(&self, name: &str) -> Result<SpecPart> {
        match learners().iter().any(|e| e.name == name) {
            true => self.learner(name).map(SpecPart::Learner),
            false => KNOWN.part(name),
        }
    }

    fn names(&self) -> Vec<&'static str> {
        KNOWN.names()
    }

    fn join(&self, steps: Vec<Box<dyn Learner>>) -> Result<Box<dyn Learner>> {
        KNOWN.join(steps)
    }

    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        KNOWN.machine(record)
    }
}
