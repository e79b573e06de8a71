//! A learner makes a machine of data; its settings are plain fields.

use crate::{
    Certificate, Classes, Dataset, Error, Fitted, Inputs, Place, Points, Progress, Record, Result, Run, Settings,
    Targets, Value, Values,
};
use std::borrow::Cow;

/// Makes machines of data. Object safe, so that it can be chosen by name.
pub trait Learner: Settings + Send + Sync {
    /// The name it is chosen by.
    fn name(&self) -> &'static str;

    /// What it asks of the data.
    fn needs(&self) -> Needs;

    /// Makes a machine of data that fit [`Learner::needs`]; call [`Learner::fit`], which makes sure of that.
    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted>;

    /// A copy with the same settings.
    fn boxed(&self) -> Box<dyn Learner>;

    /// How much work and memory a fit on data of this size takes.
    fn plan(&self, size: &Size) -> Plan;

    /// Whether the machine may depend on the seed of the run, with these settings or others.
    fn is_random(&self) -> bool {
        false
    }

    /// Whether a fit can go on from an earlier machine.
    fn goes_on(&self) -> bool {
        false
    }

    /// Whether a fit puts its state where the run says ([`crate::Checkpoint`]), so that it can be resumed.
    fn keeps_checkpoints(&self) -> bool {
        false
    }

    /// Whether rows may come in portions, each learned from by [`Learner::fit_portion`].
    fn learns_by_portions(&self) -> bool {
        false
    }

    /// One pass over a portion of the rows, from the machine of the portions before; call [`Learner::fit_portion`].
    ///
    /// Classes are all that are named, whether the portion has rows of them or not.
    fn learn_portion(&self, _portion: &Dataset, _start: Option<&Record>, _run: &Run<'_>) -> Result<Fitted> {
        Err(Error::unsupported("learning by portions", self.name(), "give all rows to a fit"))
    }

    /// Whether it makes a difference when all rows of a class weigh more.
    fn weighs_classes(&self) -> bool {
        self.needs().weights != Weighting::None
    }

    /// Whether the units of the columns make a difference: distances, penalties and step sizes depend on them.
    fn minds_scale(&self) -> bool {
        true
    }

    /// Whether it must know what the columns make together: a picture, a series, the input of a given network.
    fn sees_shapes(&self) -> bool {
        false
    }

    /// Makes a machine of data, from scratch or from where an earlier one stopped.
    ///
    /// At the door: settings are checked; rows without a target (for learners that need one) and rows of weight 0 are
    /// left out, and the certificate says so; negative weights, gaps that the learner does not handle and numbers that
    /// are not finite are refused with their place.
    ///
    /// When time is over or the observer says that it is enough, the best so far is kept and the certificate says so;
    /// where there is none yet the answer is [`Error::Stopped`].
    fn fit(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        at_the_door(self, data, run, |data, run| self.learn(data, start, run))
    }

    /// Learns from a portion of the rows, from the machine of the portions before; at the door it is as for a fit.
    fn fit_portion(&self, portion: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        at_the_door(self, portion, run, |portion, run| self.learn_portion(portion, start, run))
    }

    /// Whether [`Learner::fit_many`] is quicker with all settings at once than with one after the other.
    fn shares_work(&self) -> bool {
        false
    }

    /// Makes a machine for each of several settings on each of several sets of rows, settings slowest.
    ///
    /// Learners that can share work between them override this; the answers stay the same.
    fn fit_many(
        &self,
        settings: &[Vec<(String, Value)>],
        rows: &[Vec<usize>],
        data: &Dataset,
        run: &Run<'_>,
    ) -> Result<Vec<Fitted>> {
        let mut all = Vec::with_capacity(settings.len() * rows.len());
        for changes in settings {
            let mut learner = self.boxed();
            for (name, value) in changes {
                learner.set(name, value.clone())?;
            }
            for rows in rows {
                all.push(learner.fit(&data.select(rows)?, None, run)?);
            }
        }
        Ok(all)
    }
}

/// Checks settings and data, and notes in the certificate what was left out.
fn at_the_door<L: Learner + ?Sized>(
    learner: &L,
    data: &Dataset,
    run: &Run<'_>,
    learn: impl FnOnce(&Dataset, &Run<'_>) -> Result<Fitted>,
) -> Result<Fitted> {
    learner.check_settings()?;
    let (data, changes) = admit(learner.name(), learner.needs(), data)?;
    let run = &run.giving_up();
    run.report(&Progress::of(learner.name(), 0, data.len() as u64))?;
    let mut fitted = learn(&data, run).map_err(|e| e.while_at(learner.name()))?;
    fitted.certificate.warnings.splice(0..0, changes);
    Ok(fitted)
}

/// What a learner asks of the data and how it treats weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Which targets.
    pub targets: Wanted,
    /// Whether typed columns of a table are taken.
    pub table: bool,
    /// Whether dense points may have gaps.
    pub missing: bool,
    /// What a weight means.
    pub weights: Weighting,
}

/// Which targets a learner takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// None; what is there is left alone.
    Nothing,
    /// Classes, at least so many of which have rows.
    Classes(usize),
    /// Numbers.
    Values,
    /// Classes or numbers.
    Either,
}

/// What a weight means to a learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// Weight 2 is the same as the row twice.
    Exact,
    /// Weight 2 is the same as the row twice, on average over randomness.
    Mean,
    /// Weights other than 0 and 1 are refused.
    None,
}

/// The size of a fit, for planning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// How many stored numbers: rows times columns if dense.
    pub entries: usize,
    /// How many classes or values to predict.
    pub outputs: usize,
}

impl Size {
    /// The size of these data as a learner will meet them.
    pub fn of(data: &Dataset) -> Self {
        let outputs = match &data.targets {
            Targets::None => 0,
            Targets::Classes(c) => c.names().len(),
            Targets::Values(v) => v.names().len(),
            Targets::Sets(s) => s.names().len(),
        };
        let (rows, columns) = (data.len(), data.inputs.columns());
        let entries = match &data.inputs {
            Inputs::Points(points) => points.entries(),
            Inputs::Table(_) => rows.saturating_mul(columns),
        };
        Size { rows, columns, entries, outputs }
    }
}

/// What a fit will take.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Floating-point operations of the fit.
    pub fit: f64,
    /// Floating-point operations to predict one row.
    pub predict: f64,
    /// Bytes at the peak, beyond the data.
    pub bytes: f64,
    /// A better suited machine, or what to look out for.
    pub advice: Option<String>,
}

/// Makes sure that data fit the needs; answers with the rows that stay and what was changed.
fn admit<'a>(name: &str, needs: Needs, data: &'a Dataset) -> Result<(Cow<'a, Dataset>, Vec<String>)> {
    data.check()?;
    let mut changes = vec![];
    let mut data = Cow::Borrowed(data);

    let zero = |i: usize| data.weights.as_ref().is_some_and(|w| w[i] == 0.0);
    let blank = |i: usize| needs.targets != Wanted::Nothing && !data.targets.known(i);
    let wants_targets = needs.targets != Wanted::Nothing;
    if wants_targets {
        check_targets(name, needs.targets, &data.targets)?;
    }
    let (weightless, unknown) =
        ((0..data.len()).filter(|&i| zero(i)).count(), (0..data.len()).filter(|&i| !zero(i) && blank(i)).count());
    if weightless + unknown > 0 {
        let keep: Vec<usize> = (0..data.len()).filter(|&i| !zero(i) && !blank(i)).collect();
        data = Cow::Owned(data.select(&keep)?);
        if weightless > 0 {
            changes.push(format!("{weightless} rows of weight 0 were left out"));
        }
        if unknown > 0 {
            changes.push(format!("{unknown} rows without a target were left out"));
        }
    }
    if data.is_empty() {
        return Err(Error::size(format!("rows for {name}"), "at least 1", 0));
    }
    if let (Wanted::Classes(least), Targets::Classes(classes)) = (needs.targets, &data.targets) {
        let found = classes.counts().iter().filter(|&&n| n > 0).count();
        if found < least {
            return Err(too_few_classes(&format!("rows for {name}"), least, found));
        }
    }
    if needs.weights == Weighting::None
        && let Some(row) = data.weights.as_ref().and_then(|w| w.iter().position(|&w| w != 1.0))
    {
        let place = Place::Cell { row, column: "weight".into() };
        return Err(Error::data(place, format!("{name} takes no weights other than 0 and 1")));
    }
    match &data.inputs {
        Inputs::Points(points) => points.check(needs.missing, |c| data.features.name(c))?,
        Inputs::Table(_) if !needs.table => data.points().map(|_| ())?,
        Inputs::Table(_) => {}
    }
    if data.inputs.columns() == 0 {
        return Err(Error::size(format!("columns for {name}"), "at least 1", 0));
    }
    Ok((data, changes))
}

/// The error for rows of fewer classes than a learner can do with.
pub fn too_few_classes(what: &str, least: usize, found: usize) -> Error {
    let found = if found == 1 { "1 class".to_string() } else { format!("{found} classes") };
    Error::size(what, format!("at least {least} classes"), found)
}

fn check_targets(name: &str, wanted: Wanted, targets: &Targets) -> Result<()> {
    let expected = match (wanted, targets) {
        (Wanted::Nothing, _)
        | (Wanted::Classes(_) | Wanted::Either, Targets::Classes(_))
        | (Wanted::Values | Wanted::Either, Targets::Values(_)) => return Ok(()),
        (Wanted::Classes(_), _) => "classes",
        (Wanted::Values, _) => "values",
        (Wanted::Either, _) => "classes or values",
    };
    Err(Error::size(format!("targets for {name}"), expected, targets.type_name()))
}

/// The classes of data whose targets [`Learner::fit`] has checked.
pub fn classes_of(data: &Dataset) -> Result<&Classes> {
    match &data.targets {
        Targets::Classes(classes) => Ok(classes),
        other => Err(Error::size("targets", "classes", other.type_name())),
    }
}

/// The values of data whose targets [`Learner::fit`] has checked.
pub fn values_of(data: &Dataset) -> Result<&Values> {
    match &data.targets {
        Targets::Values(values) => Ok(values),
        other => Err(Error::size("targets", "values", other.type_name())),
    }
}

impl Clone for Box<dyn Learner> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

impl std::fmt::Debug for dyn Learner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.name(), self.values())
    }
}

/// Learners one after the other: each is fitted on what the one before makes of the data; the result is a chain.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// The learners in order: preparation first, the machine proper last.
    pub steps: Vec<Box<dyn Learner>>,
}

impl Pipeline {
    fn last(&self) -> Option<&dyn Learner> {
        self.steps.last().map(|step| &**step)
    }
}

impl Settings for Pipeline {
    fn params(&self) -> Vec<crate::Param> {
        self.last().map_or(vec![], |last| last.params())
    }

    fn get(&self, name: &str) -> Result<Value> {
        self.last().ok_or_else(|| Error::size("steps of a pipeline", "at least 1", 0))?.get(name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<()> {
        self.steps.last_mut().ok_or_else(|| Error::size("steps of a pipeline", "at least 1", 0))?.set(name, value)
    }
}

impl Learner for Pipeline {
    fn name(&self) -> &'static str {
        self.last().map_or("pipeline", |last| last.name())
    }

    fn needs(&self) -> Needs {
        let nothing = Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::None };
        let (first, last) = (self.steps.first(), self.last());
        let of_last = last.map_or(nothing, |l| l.needs());
        first.map_or(nothing, |f| Needs { targets: of_last.targets, weights: of_last.weights, ..f.needs() })
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let mut data = Cow::Borrowed(data);
        let mut machines = Vec::with_capacity(self.steps.len());
        let mut certificate = Certificate::default();
        // A chain that is continued hands its last part to the last learner; the preparation is fitted anew.
        let start = match start {
            Some(record) if record.kind() == crate::Chain::KIND => record.parts("machines")?.last(),
            other => other,
        };
        for (i, step) in self.steps.iter().enumerate() {
            let last = i + 1 == self.steps.len();
            let fitted = step.fit(&data, start.filter(|_| last), &run.fork(step.name()))?;
            let mut warnings = std::mem::take(&mut certificate.warnings);
            warnings.extend(fitted.certificate.warnings.clone());
            // A machine fitted on what an interrupted step made of the data is not what was asked for either.
            let cut_short = certificate.interrupted;
            certificate = Certificate { warnings, ..fitted.certificate };
            if cut_short && !certificate.interrupted {
                (certificate.interrupted, certificate.converged) = (true, false);
            }
            if !last {
                let points: Points = fitted.machine.compute(&data.inputs, run).map_err(|e| e.while_at(step.name()))?;
                let names = &fitted.machine.outputs().names;
                points.check_computed(fitted.machine.passes_missing(), |c| names[c].clone(), step.name())?;
                data = Cow::Owned(data.with_inputs(points, fitted.machine.outputs().as_features()));
            }
            machines.push(fitted.machine);
        }
        let machine: std::sync::Arc<dyn crate::Machine> = match machines.len() {
            1 => machines.remove(0),
            _ => std::sync::Arc::new(crate::Chain::new(machines)?),
        };
        Ok(Fitted { machine, certificate })
    }

    fn boxed(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }

    fn is_random(&self) -> bool {
        self.steps.iter().any(|s| s.is_random())
    }

    fn goes_on(&self) -> bool {
        self.last().is_some_and(|last| last.goes_on())
    }

    fn keeps_checkpoints(&self) -> bool {
        self.last().is_some_and(|last| last.keeps_checkpoints())
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
