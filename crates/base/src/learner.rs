//! A learner makes a machine of data; its settings are plain fields.

use crate::admit::admit;
use crate::{Dataset, Error, Fits, Fitted, Plan, Progress, Record, Result, Run, Settings, Size, Traits};
use std::borrow::Cow;

/// Makes machines of data. Object safe, so that it can be chosen by name.
pub trait Learner: Settings + CloneLearner + Send + Sync {
    /// The name it is chosen by.
    fn name(&self) -> &'static str;

    /// What it needs, can do and promises.
    fn traits(&self) -> Traits<'_>;

    /// Makes a machine of data that fit [`Traits::needs`]; call [`Learner::fit`], which makes sure of that.
    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted>;

    /// How much work and memory a fit on data of this size takes.
    fn plan(&self, size: &Size) -> Plan;

    /// Makes a machine of data, from scratch or from where an earlier one stopped.
    ///
    /// At the door: settings are checked; rows without a target (for learners that need one) and rows of weight 0 are
    /// left out, and the certificate says so; negative weights, missing values that the learner does not handle and
    /// numbers that are not finite are refused with their place.
    ///
    /// When time is over or the observer says that it is enough, the best so far is kept and the certificate says so;
    /// where there is none yet the answer is [`Error::Stopped`].
    fn fit(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        at_the_door(self, data, run, |data, run| self.learn(data, start, run))
    }
}

/// Copies behind a trait object; every learner that is [`Clone`] has it.
pub trait CloneLearner {
    /// A copy with the same settings.
    fn boxed(&self) -> Box<dyn Learner>;
}

impl<L: Learner + Clone + 'static> CloneLearner for L {
    fn boxed(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

/// Learns from a part of the rows, from the machine of the parts before; at the door it is as for a fit.
pub fn fit_part(learner: &dyn Learner, part: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
    let Some(partial) = learner.traits().partial else {
        return Err(Error::unsupported("partial fit", learner.name(), "fit on all rows at once"));
    };
    at_the_door(learner, part, run, |part, run| partial.learn_part(part, start, run))
}

/// Fits every setting on each set of rows and hands each machine on with the number of its setting and of its rows.
///
/// Learners that can share work between the fits do so; others are fitted one by one, the settings of one set of rows after
/// the other, so that a search that is cut short has compared all settings on the same rows.
pub fn fit_many(
    learner: &dyn Learner,
    fits: &Fits<'_>,
    run: &Run<'_>,
    done: &mut dyn FnMut(usize, usize, Fitted) -> Result<()>,
) -> Result<()> {
    if let Some(many) = learner.traits().many {
        return many.fit_many(fits, run, done);
    }
    let learners = fits.learners(learner)?;
    for r in 0..fits.sets() {
        let part = fits.part(r)?;
        for (s, one) in learners.iter().enumerate() {
            done(s, r, one.fit(&part, None, run)?)?;
        }
    }
    Ok(())
}

/// The machines of [`fit_many`], settings slowest.
pub fn fit_all(learner: &dyn Learner, fits: &Fits<'_>, run: &Run<'_>) -> Result<Vec<Fitted>> {
    let mut all: Vec<Option<Fitted>> = vec![None; fits.settings.len() * fits.sets()];
    fit_many(learner, fits, run, &mut |s, r, fitted| {
        all[s * fits.sets() + r] = Some(fitted);
        Ok(())
    })?;
    let count = all.len();
    let all: Option<Vec<Fitted>> = all.into_iter().collect();
    all.ok_or_else(|| Error::size("machines of several fits", count, "fewer"))
}

/// For learners that hold others: goes over the sets of rows as single fits would, and leaves to `each` what is done with
/// the rows that were admitted; it hands the machine of every setting on.
pub fn fit_many_behind(
    holder: &dyn Learner,
    fits: &Fits<'_>,
    run: &Run<'_>,
    done: &mut dyn FnMut(usize, usize, Fitted) -> Result<()>,
    each: &mut EachRows<'_>,
) -> Result<()> {
    fits.learners(holder)?.iter().try_for_each(|one| one.check_settings())?;
    let run = &run.giving_up();
    for r in 0..fits.sets() {
        let part = fits.part(r)?;
        let (part, changes) = admit(holder.name(), holder.traits().needs, &part)?;
        run.report(&Progress::of(holder.name(), r as u64, fits.sets() as u64))?;
        let mut hand = |s: usize, mut fitted: Fitted| {
            fitted.certificate.warnings.splice(0..0, changes.iter().cloned());
            done(s, r, fitted)
        };
        each(&part, run, &mut hand).map_err(|e| e.while_at(holder.name()))?;
    }
    Ok(())
}

/// What a holder does with one set of rows: fits all settings and hands each machine on.
pub type EachRows<'a> = dyn FnMut(&Dataset, &Run<'_>, &mut dyn FnMut(usize, Fitted) -> Result<()>) -> Result<()> + 'a;

impl<'a> Fits<'a> {
    /// The same settings, on all rows of these data.
    pub fn on_all_of<'b>(&'b self, data: &'b Dataset) -> Fits<'b> {
        Fits { settings: self.settings, rows: None, data }
    }

    /// How many sets of rows there are.
    pub fn sets(&self) -> usize {
        self.rows.map_or(1, <[_]>::len)
    }

    /// The data of one set of rows; all rows are not copied.
    pub fn part(&self, r: usize) -> Result<Cow<'a, Dataset>> {
        match self.rows.map(|rows| &rows[r]) {
            None => Ok(Cow::Borrowed(self.data)),
            Some(rows) if rows.len() == self.data.len() && rows.iter().copied().eq(0..rows.len()) => {
                Ok(Cow::Borrowed(self.data))
            }
            Some(rows) => self.data.select(rows).map(Cow::Owned),
        }
    }

    /// Which row of the data the `i`-th of a set is.
    pub fn row(&self, r: usize, i: usize) -> usize {
        self.rows.map_or(i, |rows| rows[r][i])
    }

    /// The learner with each of the settings.
    pub fn learners<L: Learner + ?Sized>(&self, learner: &L) -> Result<Vec<Box<dyn Learner>>> {
        let changed = |changes: &Vec<_>| {
            let mut one = learner.boxed();
            changes.iter().try_for_each(|(name, value): &(String, crate::Value)| one.set(name, value.clone()))?;
            Ok(one)
        };
        self.settings.iter().map(changed).collect()
    }
}

/// Checks settings and data, and notes in the certificate what was left out.
pub(crate) fn at_the_door<L: Learner + ?Sized>(
    learner: &L,
    data: &Dataset,
    run: &Run<'_>,
    learn: impl FnOnce(&Dataset, &Run<'_>) -> Result<Fitted>,
) -> Result<Fitted> {
    learner.check_settings()?;
    let (data, changes) = admit(learner.name(), learner.traits().needs, data)?;
    let run = &run.giving_up();
    run.report(&Progress::of(learner.name(), 0, data.len() as u64))?;
    let mut fitted = learn(&data, run).map_err(|e| e.while_at(learner.name()))?;
    fitted.certificate.warnings.splice(0..0, changes);
    Ok(fitted)
}

impl Clone for Box<dyn Learner> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl std::fmt::Debug for dyn Learner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.name(), self.values())
    }
}
