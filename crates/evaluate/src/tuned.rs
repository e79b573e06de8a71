//! A learner that chooses its own settings: it searches inside the rows it is given, then fits the winner on all of them.
//!
//! Validating such a learner is nested cross-validation: no row that judges has been seen by the search.

use crate::{Measures, Splitting, Validation, search};
use base::{
    Choice, Dataset, Error, Fitted, Learner, Param, Plan, Record, Result, Run, Settings, Size, Traits, Tried, Value,
};

/// A learner with settings to choose from.
#[derive(Debug, Clone)]
pub struct Tuned {
    /// The learner, normally a pipeline.
    pub learner: Box<dyn Learner>,
    /// The combinations to try.
    pub settings: Vec<Vec<(String, Value)>>,
    /// How the rows are split to try them.
    pub splitting: Splitting,
    /// The measure that decides; the usual one of the targets if not given.
    pub measure: Option<String>,
}

impl Settings for Tuned {
    fn params(&self) -> Vec<Param> {
        self.learner.params()
    }

    fn get(&self, name: &str) -> Result<Value> {
        self.learner.get(name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<()> {
        self.learner.set(name, value)
    }
}

impl Learner for Tuned {
    fn name(&self) -> &'static str {
        self.learner.name()
    }

    fn traits(&self) -> Traits<'_> {
        // It begins every search anew.
        Traits { warm_start: false, checkpoints: false, ..self.learner.traits().held() }
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let splits = self.splitting.of(data, run.seed.fork("tuned"))?;
        let measure = self.measure.as_deref().unwrap_or(Measures::usual(&data.targets));
        let found = search(&*self.learner, &self.settings, data, &splits, measure, run)?;
        let Some((winner, _)) = found.tried.get(found.best) else {
            return Err(Error::size("settings to choose from", "at least 1", 0));
        };
        let mut chosen = self.learner.boxed();
        winner.iter().try_for_each(|(name, value)| chosen.set(name, value.clone()))?;
        let mut fitted = chosen.fit(data, None, run)?;
        let tried = |(settings, validation): &(Vec<(String, Value)>, Validation)| {
            let (mean, deviation) = validation.summary(measure).unwrap_or((f64::NAN, f64::NAN));
            Tried { settings: settings_text(settings), mean, deviation }
        };
        let tried = found.tried.iter().map(tried).collect();
        let choice = Choice { measure: measure.to_string(), splits: splits.len(), tried, best: found.best };
        fitted.certificate.choice = Some(choice);
        Ok(fitted)
    }

    fn plan(&self, size: &Size) -> Plan {
        let plan = self.learner.plan(size);
        Plan { fit: plan.fit * (self.splitting.count(size.rows) * self.settings.len() + 1) as f64, ..plan }
    }
}

/// Settings as they are written: `c=1, gamma=0.5`.
pub(crate) fn settings_text(settings: &[(String, Value)]) -> String {
    settings.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}
