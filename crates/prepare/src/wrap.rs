//! Steps that hold everything after them.
//!
//! An ordinary step is a learner whose machine travels with the model. A wrapping step stands at the same place in the
//! list but holds the learner made of all that follows: it may change the rows that learner is fitted on (resampling,
//! augmentation) or fit it again and again to choose something (columns). What it does happens inside `fit`, so rows
//! that are held out to judge by are never touched, and at prediction nothing is left of it but what it chose.

use crate::Resampled;
use base::{
    Dataset, FitMany, Fits, Fitted, Learner, Needs, Param, Plan, Record, Result, Run, Settings, Size, Traits, Value,
    Wrapping, fit_many, fit_many_behind,
};

/// A step that holds the learner made of everything after it; its settings are its own, not those of the learner.
pub trait Wrap: Settings + Send + Sync {
    /// The name it is chosen by.
    fn name(&self) -> &'static str;

    /// What it asks of the data when it holds a learner with these needs.
    fn needs(&self, inner: Needs) -> Needs;

    /// Makes a machine of the data by means of the learner it holds.
    fn learn(&self, inner: &dyn Learner, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted>;

    /// The rows that the learner is fitted on in place of these, for steps that only change rows: one change serves all
    /// settings of the learner.
    fn change(&self, _inner: &dyn Learner, _data: &Dataset, _run: &Run<'_>) -> Result<Option<Resampled>> {
        Ok(None)
    }

    /// How much work and memory that takes.
    fn plan(&self, inner: &dyn Learner, size: &Size) -> Plan;

    /// A copy with the same settings.
    fn boxed(&self) -> Box<dyn Wrap>;

    /// Whether rows after it have kin among each other, so that they must not be split any more.
    fn makes_rows(&self) -> bool;

    /// Whether it splits the rows it is given, to judge by some of them.
    fn splits_rows(&self) -> bool;

    /// Whether it must know what the columns make together.
    fn needs_shape(&self) -> bool {
        false
    }

    /// Whether it may stand before the encoding of a table, because it only hands rows on.
    fn takes_tables(&self) -> bool {
        false
    }

    /// The learner it holds where nobody names one.
    fn usual(&self) -> &'static str {
        "logistic"
    }
}

impl Clone for Box<dyn Wrap> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

impl std::fmt::Debug for dyn Wrap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.name(), self.values())
    }
}

/// A wrapping step as a part of a [`base::Spec`].
#[derive(Debug, Clone)]
pub struct WrapPart(pub Box<dyn Wrap>);

impl Wrapping for WrapPart {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn around(&self, learner: Box<dyn Learner>) -> Box<dyn Learner> {
        Box::new(Wrapped { step: self.0.clone(), learner })
    }

    fn boxed(&self) -> Box<dyn Wrapping> {
        Box::new(self.clone())
    }

    fn makes_rows(&self) -> bool {
        self.0.makes_rows()
    }

    fn splits_rows(&self) -> bool {
        self.0.splits_rows()
    }

    fn takes_tables(&self) -> bool {
        self.0.takes_tables()
    }
}

impl Settings for WrapPart {
    fn params(&self) -> Vec<Param> {
        self.0.params()
    }

    fn get(&self, name: &str) -> Result<Value> {
        self.0.get(name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<()> {
        self.0.set(name, value)
    }
}

/// A wrapping step with the learner it holds. Name and settings are those of the learner, as in a pipeline.
#[derive(Debug, Clone)]
pub struct Wrapped {
    /// The step.
    pub step: Box<dyn Wrap>,
    /// The learner made of everything after it.
    pub learner: Box<dyn Learner>,
}

impl Settings for Wrapped {
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

impl Learner for Wrapped {
    fn name(&self) -> &'static str {
        self.learner.name()
    }

    fn traits(&self) -> Traits<'_> {
        let held = self.learner.traits();
        Traits {
            needs: self.step.needs(held.needs),
            needs_shape: held.needs_shape || self.step.needs_shape(),
            ..held.held().many(self)
        }
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.step.check_settings()?;
        self.step.learn(&*self.learner, data, start, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        self.step.plan(&*self.learner, size)
    }
}

impl FitMany for Wrapped {
    fn fit_many(
        &self,
        fits: &Fits<'_>,
        run: &Run<'_>,
        done: &mut dyn FnMut(usize, usize, Fitted) -> Result<()>,
    ) -> Result<()> {
        self.step.check_settings()?;
        let learners = fits.learners(&*self.learner)?;
        fit_many_behind(self, fits, run, done, &mut |part, run, hand| {
            let Some(changed) = self.step.change(&*self.learner, part, run)? else {
                for (s, one) in learners.iter().enumerate() {
                    hand(s, self.step.learn(&**one, part, None, run)?)?;
                }
                return Ok(());
            };
            let fits = fits.on_all_of(&changed.data);
            fit_many(&*self.learner, &fits, run, &mut |s, _, fitted| hand(s, changed.noted(fitted)))
        })
    }
}
