//! A learner that chooses its own settings: it searches inside the rows it is given, then fits the winner on all of them.
//!
//! Validating such a learner is nested cross-validation: no row that judges has been seen by the search.
//!
//! A stop ends the search, not the fit: the best of the settings that were judged is fitted on all rows. That takes no
//! longer than the fits that judged it, and only cancelling ends it. The certificate says how far the search came.

use crate::{Measures, Splitting, Validation, search};
use base::{
    Choice, Dataset, Error, Fitted, Learner, Message, Param, Plan, Progress, Record, Result, Run, Settings, Size,
    Traits, Tried, Value, Verdict, Watch,
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

/// An observer for what is left to do after a stop: it was told already that it is enough.
struct Finishing<'a>(&'a dyn Watch);

impl Watch for Finishing<'_> {
    fn step(&self, progress: &Progress<'_>) -> Verdict {
        unless_cancelled(self.0.step(progress))
    }

    fn asked(&self) -> Verdict {
        unless_cancelled(self.0.asked())
    }

    fn note(&self, text: &str) {
        self.0.note(text);
    }

    fn advise(&self, message: &Message) {
        self.0.advise(message);
    }
}

fn unless_cancelled(verdict: Verdict) -> Verdict {
    if verdict == Verdict::Cancel { Verdict::Cancel } else { Verdict::GoOn }
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
        let measure = self.measure.as_deref().map_or(Measures::usual(&data.targets), Measures::current_name);
        let found = search(&*self.learner, &self.settings, data, &splits, measure, run)?;
        let Some((winner, _)) = found.tried.get(found.best) else {
            return Err(Error::size("settings to choose from", "at least 1", 0));
        };
        let mut chosen = self.learner.boxed();
        winner.iter().try_for_each(|(name, value)| chosen.set(name, value.clone()))?;
        let (judged, all) = (found.tried.len(), self.settings.len());
        let cut_short = judged < all || found.splits < splits.len();
        let finishing = Finishing(run.watch);
        let mut fitted = match cut_short && !found.hurried {
            true => chosen.fit(data, None, &Run { watch: &finishing, deadline: None, ..run.finishing() })?,
            false => chosen.fit(data, None, run)?,
        };
        if cut_short {
            let (settings, on) = (if judged == 1 { "setting was" } else { "settings were" }, found.splits);
            let of = splits.len();
            let what = format!(
                "the search was cut short: {judged} of {all} {settings} evaluated on {on} of {of} \
                 splits"
            );
            fitted.certificate.warn(what);
            (fitted.certificate.interrupted, fitted.certificate.converged) = (true, false);
        }
        let tried = |(settings, validation): &(Vec<(String, Value)>, Validation)| {
            let (mean, deviation) = validation.summary(measure).unwrap_or((f64::NAN, f64::NAN));
            Tried { settings: settings_text(settings), mean, deviation }
        };
        let tried = found.tried.iter().map(tried).collect();
        let choice = Choice { measure: measure.to_string(), splits: found.splits, tried, best: found.best };
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
