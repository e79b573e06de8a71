//! The catalog as Python sees it: all there is, and, where the tests ask for it, one learner more.
//!
//! The tests of the package must show that a new line in the catalog is all a learner needs. With `PELLUCID_TRIAL` in
//! the environment the catalog has such a line.

use pellucid::linear::Ridge;
use pellucid::{
    Catalog, Dataset, Entry, Fitted, KNOWN, LEARNERS, Learner, Listed, Machine, Plan, Record, Result, Role, Run, Size,
    SpecPart, Traits, settings,
};
use std::sync::Arc;

settings! {
    /// Settings of the learner for tests: ridge regression under another name.
    pub struct Trial {
        /// strength of the penalty
        pub strength: f64 = 1e-3, in Range::Positive, as "1/softness";
        /// fit an intercept
        pub intercept: bool = true, in Range::Any, as "fit_intercept";
    }
}

impl Learner for Trial {
    fn name(&self) -> &'static str {
        TRIAL.name
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Ridge::default().traits().needs)
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        Ridge { penalty: self.strength, intercept: self.intercept, ..Ridge::default() }.learn(data, start, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        Ridge::default().plan(size)
    }
}

const TRIAL: Entry = Listed {
    name: "trial",
    family: "linear",
    python: &[(Role::Regressor, "TrialRegressor")],
    summary: "a learner that only the tests know",
    make: || Box::new(Trial::default()),
};

/// The learners of the catalog.
pub fn learners() -> Vec<&'static Entry> {
    let trial = std::env::var_os("PELLUCID_TRIAL").is_some();
    LEARNERS.iter().chain(trial.then_some(&TRIAL)).collect()
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
        match LEARNERS.iter().chain([&TRIAL]).any(|e| e.name == name) {
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
