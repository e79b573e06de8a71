//! Learners one after the other: each is fitted on what the one before makes of the data; the result is a chain.
//!
//! Name and settings are those of the last. Searches fit the preparation once for each set of rows and hand all settings to
//! the last learner at once, which may share work between them. Rows in parts go through the preparation of the first part.

use crate::learner::{fit_many, fit_many_behind, fit_part};
use crate::{
    Certificate, Chain, Dataset, Error, FitMany, Fits, Fitted, Learner, Machine, Needs, Param, PartialFit, Plan,
    Record, Result, Run, Settings, Size, Traits, Value, Wanted, Weighting,
};
use std::borrow::Cow;
use std::sync::Arc;

/// Learners one after the other.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// The learners in order: preparation first, the machine proper last.
    pub steps: Vec<Box<dyn Learner>>,
}

impl Pipeline {
    fn last(&self) -> Option<&dyn Learner> {
        self.steps.last().map(|step| &**step)
    }

    /// The preparation.
    fn before(&self) -> &[Box<dyn Learner>] {
        &self.steps[..self.steps.len().saturating_sub(1)]
    }

    fn proper(&self) -> Result<&dyn Learner> {
        self.last().ok_or_else(nothing_to_fit)
    }
}

fn nothing_to_fit() -> Error {
    Error::size("steps of a pipeline", "at least 1", 0)
}

impl Settings for Pipeline {
    fn params(&self) -> Vec<Param> {
        self.last().map_or(vec![], |last| last.params())
    }

    fn get(&self, name: &str) -> Result<Value> {
        self.proper()?.get(name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<()> {
        self.steps.last_mut().ok_or_else(nothing_to_fit)?.set(name, value)
    }
}

impl Learner for Pipeline {
    fn name(&self) -> &'static str {
        self.last().map_or("pipeline", |last| last.name())
    }

    fn traits(&self) -> Traits<'_> {
        let idle = Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::None };
        let last = self.last().map_or(Traits::new(idle), |last| last.traits());
        let all = self.before().iter().rev().fold(last, |rest, step| rest.behind(&step.traits()));
        let all = Traits { many: Some(self), ..all };
        if last.partial.is_some() { all.partial(self) } else { all }
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let last = self.proper()?;
        let prepared = Prepared::fitted(self, data, run)?;
        let start = last_of(start)?;
        prepared.chain(last.fit(&prepared.data, start, &run.fork(last.name()))?)
    }

    fn plan(&self, size: &Size) -> Plan {
        let idle = Plan { fit: 0.0, predict: 0.0, bytes: 0.0, advice: None };
        self.steps.iter().map(|s| s.plan(size)).fold(idle, |sum, p| Plan {
            fit: sum.fit + p.fit,
            predict: sum.predict + p.predict,
            bytes: sum.bytes.max(p.bytes),
            advice: p.advice.or(sum.advice),
        })
    }
}

impl FitMany for Pipeline {
    fn fit_many(
        &self,
        fits: &Fits<'_>,
        run: &Run<'_>,
        done: &mut dyn FnMut(usize, usize, Fitted) -> Result<()>,
    ) -> Result<()> {
        let last = self.proper()?;
        if self.before().is_empty() {
            return fit_many(last, fits, &run.fork(last.name()), done);
        }
        fit_many_behind(self, fits, run, done, &mut |part, run, hand| {
            let prepared = Prepared::fitted(self, part, run)?;
            let fits = fits.on_all_of(&prepared.data);
            fit_many(last, &fits, &run.fork(last.name()), &mut |s, _, fitted| hand(s, prepared.chain(fitted)?))
        })
    }
}

impl PartialFit for Pipeline {
    fn learn_part(&self, part: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let last = self.proper()?;
        let prepared = match start {
            Some(record) if !self.before().is_empty() => Prepared::again(self, record, part, run)?,
            _ => Prepared::fitted(self, part, run)?,
        };
        prepared.chain(fit_part(last, &prepared.data, last_of(start)?, &run.fork(last.name()))?)
    }
}

/// The last part of a chain that is continued: the preparation is another's business.
fn last_of(start: Option<&Record>) -> Result<Option<&Record>> {
    match start {
        Some(record) if record.kind() == Chain::KIND => Ok(record.parts("machines")?.last()),
        other => Ok(other),
    }
}

/// Data as the last learner meets them, with the machines that made them so.
struct Prepared<'a> {
    data: Cow<'a, Dataset>,
    machines: Vec<Arc<dyn Machine>>,
    warnings: Vec<String>,
    /// Whether a step was cut short.
    interrupted: bool,
}

impl<'a> Prepared<'a> {
    fn new(data: &'a Dataset) -> Self {
        Prepared { data: Cow::Borrowed(data), machines: vec![], warnings: vec![], interrupted: false }
    }

    /// Fits the preparation of a pipeline.
    fn fitted(pipeline: &Pipeline, data: &'a Dataset, run: &Run<'_>) -> Result<Self> {
        let mut prepared = Prepared::new(data);
        for step in pipeline.before() {
            let fitted = step.fit(&prepared.data, None, &run.fork(step.name()))?;
            prepared.warnings.extend(fitted.certificate.warnings);
            prepared.interrupted |= fitted.certificate.interrupted;
            prepared.pass(fitted.machine, step.name(), run)?;
        }
        Ok(prepared)
    }

    /// The preparation that an earlier chain begins with.
    fn again(pipeline: &Pipeline, chain: &Record, data: &'a Dataset, run: &Run<'_>) -> Result<Self> {
        let steps = pipeline.before();
        chain.expect(Chain::KIND, 1)?;
        let records = chain.parts("machines")?;
        if records.len() != steps.len() + 1 {
            return Err(Error::size("machines of the chain to warm-start from", steps.len() + 1, records.len()));
        }
        let mut prepared = Prepared::new(data);
        for (step, record) in steps.iter().zip(records) {
            prepared.pass(run.catalog.machine(record)?, step.name(), run)?;
        }
        Ok(prepared)
    }

    /// Sends the data through the next machine.
    fn pass(&mut self, machine: Arc<dyn Machine>, name: &str, run: &Run<'_>) -> Result<()> {
        let points = machine.compute(&self.data.inputs, run).map_err(|e| e.while_at(name))?;
        let names = &machine.outputs().names;
        points.check_computed(machine.facets().missing.passes, |c| names[c].clone(), name)?;
        self.data = Cow::Owned(self.data.with_inputs(points, machine.outputs().as_features()));
        self.machines.push(machine);
        Ok(())
    }

    /// The preparation and what was fitted behind it, as one machine.
    fn chain(&self, fitted: Fitted) -> Result<Fitted> {
        let mut warnings = self.warnings.clone();
        warnings.extend(fitted.certificate.warnings);
        let mut certificate = Certificate { warnings, ..fitted.certificate };
        // A machine fitted on what an interrupted step made of the data is not what was asked for either.
        if self.interrupted && !certificate.interrupted {
            (certificate.interrupted, certificate.converged) = (true, false);
        }
        let machine: Arc<dyn Machine> = match self.machines.is_empty() {
            true => fitted.machine,
            false => Arc::new(Chain::new(self.machines.iter().cloned().chain([fitted.machine]).collect())?),
        };
        Ok(Fitted { machine, certificate })
    }
}
