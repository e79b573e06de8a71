//! A learner that only the tests of the package know.
//!
//! They must show that a new line in the catalog is all a learner needs. The extension that people install has none of
//! this: it is compiled with the feature `trial` alone, and listed where `PELLUCID_TRIAL` is in the environment.

use pellucid::linear::Ridge;
use pellucid::{
    Dataset, Fitted, Learner, LearnerEntry, Listed, Plan, Record, Result, Role, Run, Size, Traits, settings,
};

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

static TRIAL: LearnerEntry = Listed {
    name: "trial",
    family: "linear",
    python: &[(Role::Regressor, "TrialRegressor")],
    summary: "a learner that only the tests know",
    make: || Box::new(Trial::default()),
};

/// The learner, where it is asked for.
pub fn listed() -> Option<&'static LearnerEntry> {
    std::env::var_os("PELLUCID_TRIAL").map(|_| &TRIAL)
}
