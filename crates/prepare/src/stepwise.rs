//! Wrappers: columns chosen by how well the learner they are for does with them.
//!
//! `forward` begins with nothing and adds, round by round, the column with which the learner does best; `backward`
//! begins with all and takes off the one without which it does best. How well it does is the mean of a measure over folds
//! of the training rows, the same folds for every set of columns; of equals the first column is taken. With `keep` = N it
//! goes on until N columns are left; with 0 it stops as soon as nothing is gained: `forward` when the best new column
//! adds no more than `gain`, `backward` when taking any column off loses more than `gain`. The result is a chain of the
//! chosen columns and the machine fitted on them.
//!
//! **Cost.** Up to d(d + 1)/2 · folds fits for d columns: for small sets of columns and quick learners. Candidates of a
//! round are tried on all threads. An interrupt keeps what was chosen in whole rounds; before the end of the first round
//! all columns.
//! **Limits.** Greedy: the best set may be missed. All of it happens within the training rows, so that a score on other
//! rows stays honest; the inner score (a fact of the certificate) is optimistic, for it was chosen by.
//!
//! - R. Kohavi, G. H. John: *Wrappers for feature subset selection.* Artificial Intelligence 97 (1997) 273–324.

use crate::selector::pick;
use crate::{Selector, Wrap};
use base::{
    Chain, Dataset, Error, Fact, Features, Fitted, Inputs, Learner, Needs, Plan, Progress, Record, Result, Run, Size,
    Wanted, Weighting,
};
use evaluate::{Measures, Split, Splitting, cross_validate};
use std::sync::Arc;

macro_rules! settings {
    ($(#[$about:meta])* $name:ident, $word:literal, $direction:expr) => {
        base::settings! {
            $(#[$about])*
            pub struct $name {
                /// number of columns to select; 0: stop when nothing is gained
                pub keep: usize = 0, in Range::AtLeast(0.0), as "n_features_to_select";
                /// number of cross-validation folds
                pub folds: usize = 5, in Range::AtLeast(2.0), as "cv";
                /// smallest gain to go on, if `keep` is 0
                pub gain: f64 = 0.0, in Range::AtLeast(0.0), as "tol";
                /// measure to optimise; usual is accuracy for classes and r2 for values
                pub measure: String = "usual".to_string(), in Range::Any, as "scoring";
            }
        }

        impl Wrap for $name {
            fn name(&self) -> &'static str {
                $word
            }

            fn needs(&self, inner: Needs) -> Needs {
                Needs {
                    targets: if inner.targets == Wanted::Nothing { Wanted::Either } else { inner.targets },
                    table: false,
                    // Folds are cut by rows, so a weight is so many rows only on average.
                    weights: if inner.weights == Weighting::None { Weighting::None } else { Weighting::Mean },
                    ..inner
                }
            }

            fn learn(&self, inner: &dyn Learner, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
                let how = Stepwise { direction: $direction, keep: self.keep, folds: self.folds, gain: self.gain };
                how.learn($word, &self.measure, inner, data, start, run)
            }

            fn plan(&self, inner: &dyn Learner, size: &Size) -> Plan {
                let how = Stepwise { direction: $direction, keep: self.keep, folds: self.folds, gain: self.gain };
                how.plan($word, inner, size)
            }

            fn boxed(&self) -> Box<dyn Wrap> {
                Box::new(self.clone())
            }

            fn makes_rows(&self) -> bool {
                false
            }

            fn splits_rows(&self) -> bool {
                true
            }
        }
    };
}

settings!(
    /// Settings of forward selection.
    Forward,
    "forward",
    Direction::Forward
);
settings!(
    /// Settings of backward elimination.
    Backward,
    "backward",
    Direction::Backward
);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

struct Stepwise {
    direction: Direction,
    keep: usize,
    folds: usize,
    gain: f64,
}

/// What was chosen and how.
struct Chosen {
    columns: Vec<usize>,
    /// The inner score after each round.
    scores: Vec<f64>,
    fits: usize,
    interrupted: bool,
}

/// What the sets of columns are tried with.
struct Trial<'a> {
    inner: &'a dyn Learner,
    data: Dataset,
    splits: Vec<Split>,
    measure: &'a str,
    name: &'static str,
}

impl Trial<'_> {
    /// The mean of the measure over the folds, larger is better; none if the observer has seen enough.
    fn score(&self, columns: &[usize], run: &Run<'_>) -> Result<Option<f64>> {
        let progress = Progress { stage: self.name, done: columns.len() as u64, total: None, value: None };
        if run.step(&progress)? {
            return Ok(None);
        }
        let data = part(&self.data, columns, run)?;
        let validation = match cross_validate(self.inner, &data, &self.splits, run) {
            Err(Error::Stopped { .. }) => return Ok(None),
            other => other?,
        };
        let Some((mean, _)) = validation.summary(self.measure) else {
            let known: Vec<&str> =
                validation.folds.first().map_or(vec![], |m| m.values.iter().map(|(n, _)| *n).collect());
            return Err(Error::parameter("measure", self.measure, format!("the measures are {}", known.join(", "))));
        };
        let signed = if Measures::larger_is_better(self.measure) { mean } else { -mean };
        Ok(Some(if signed.is_nan() { f64::NEG_INFINITY } else { signed }))
    }
}

impl Stepwise {
    fn learn(
        &self,
        name: &'static str,
        measure: &str,
        inner: &dyn Learner,
        data: &Dataset,
        start: Option<&Record>,
        run: &Run<'_>,
    ) -> Result<Fitted> {
        let columns = data.points()?.columns();
        if self.keep > columns {
            return Err(Error::parameter("keep", self.keep, format!("must be at most the {columns} columns")));
        }
        let measure = if measure == "usual" { Measures::usual(&data.targets) } else { Measures::current_name(measure) };
        // The steps before were fitted on these rows. That is said below; scores on other rows stay honest.
        let raw = Dataset { prepared: false, ..data.clone() };
        let splitting = Splitting::Folds { n: self.folds, repeats: 1, stratified: true };
        let splits = splitting.of(&raw, run.seed.fork(name))?;
        let chosen = self.choose(columns, &Trial { inner, data: raw, splits, measure, name }, run)?;
        let mut fitted = inner.fit(&part(data, &chosen.columns, run)?, None, run)?;
        let selector =
            Selector::new(data.features.clone(), chosen.columns.clone(), fitted.machine.facets().missing.admits)?;
        fitted.machine = Arc::new(Chain::new(vec![Arc::new(selector), fitted.machine])?);
        let certificate = &mut fitted.certificate;
        if chosen.interrupted {
            (certificate.interrupted, certificate.converged) = (true, false);
            certificate.warn(match chosen.scores.is_empty() {
                true => format!("{name} was interrupted in its first round; all columns were kept"),
                false => format!("{name} was interrupted after {} rounds", chosen.scores.len()),
            });
        }
        if start.is_some() {
            certificate.warn(format!("{name} reselected its columns, so nothing was resumed"));
        }
        if data.prepared {
            certificate.warn(format!(
                "{name} selected on rows that the steps before it had seen, so its inner score is optimistic"
            ));
        }
        let names: Vec<String> = chosen.columns.iter().take(20).map(|&c| data.features.name(c)).collect();
        let more = if chosen.columns.len() > names.len() { ", …" } else { "" };
        certificate.warn(format!(
            "{name} kept {} of {columns} columns: {}{more}",
            chosen.columns.len(),
            names.join(", ")
        ));
        certificate.fact(&format!("{name}: fits"), chosen.fits as f64);
        let sign = if Measures::larger_is_better(measure) { 1.0 } else { -1.0 };
        let by_round: Vec<f64> = chosen.scores.iter().map(|s| sign * s).filter(|s| s.is_finite()).collect();
        if !by_round.is_empty() {
            certificate.facts.insert(format!("{name}: inner {measure} by round"), Fact::Curve(by_round));
        }
        Ok(fitted)
    }

    fn choose(&self, count: usize, trial: &Trial<'_>, run: &Run<'_>) -> Result<Chosen> {
        let all: Vec<usize> = (0..count).collect();
        let forward = self.direction == Direction::Forward;
        let mut chosen = Chosen { columns: vec![], scores: vec![], fits: 0, interrupted: false };
        let mut score = f64::NEG_INFINITY;
        if !forward {
            let Some(whole) = trial.score(&all, run)? else {
                return Ok(Chosen { columns: all, interrupted: true, ..chosen });
            };
            chosen = Chosen { columns: all.clone(), scores: vec![whole], fits: self.folds, interrupted: false };
            score = whole;
        }
        let last = match (forward, self.keep) {
            (true, 0) => count,
            (false, 0) => 1,
            (_, keep) => keep,
        };
        while chosen.columns.len() != last {
            let sets: Vec<Vec<usize>> = match forward {
                true => all.iter().filter(|c| !chosen.columns.contains(c)).map(|&c| with(&chosen.columns, c)).collect(),
                false => (0..chosen.columns.len()).map(|i| without(&chosen.columns, i)).collect(),
            };
            let tried = numeric::each_fit(run, sets.len(), |i| trial.score(&sets[i], run))?;
            chosen.fits += self.folds * sets.len();
            let Some(scores) = tried.into_iter().collect::<Option<Vec<f64>>>() else {
                chosen.interrupted = true;
                break;
            };
            let best = base::argmax(&scores) as usize;
            let goes_on = match forward {
                // The first column is taken whatever it gains, for a machine needs one.
                true => chosen.columns.is_empty() || scores[best] > score + self.gain,
                false => scores[best] >= score - self.gain,
            };
            if self.keep == 0 && !goes_on {
                break;
            }
            score = scores[best];
            chosen.columns.clone_from(&sets[best]);
            chosen.scores.push(score);
        }
        if chosen.columns.is_empty() {
            chosen.columns = all;
        }
        Ok(chosen)
    }

    fn plan(&self, name: &str, inner: &dyn Learner, size: &Size) -> Plan {
        let d = size.columns as f64;
        let k = if self.keep > 0 { self.keep as f64 } else { d };
        let (sets, width) = match self.direction {
            Direction::Forward => (k * d - k * (k - 1.0) / 2.0, (k + 1.0) / 2.0),
            Direction::Backward => {
                let k = if self.keep > 0 { k } else { 1.0 };
                ((d * (d + 1.0) - k * (k + 1.0)) / 2.0 + 1.0, (d + k) / 2.0)
            }
        };
        let fits = sets.max(1.0) * self.folds as f64;
        let share = (width / d.max(1.0)).min(1.0);
        let narrow =
            Size { columns: width.ceil() as usize, entries: (size.entries as f64 * share).ceil() as usize, ..*size };
        let (each, whole) = (inner.plan(&narrow), inner.plan(size));
        Plan {
            fit: fits * (each.fit + each.predict * size.rows as f64 / self.folds as f64) + whole.fit,
            advice: Some(format!("{name} fits {} up to {fits:.0} times; select is much faster", inner.name())),
            ..whole
        }
    }
}

/// The data with these columns only.
fn part(data: &Dataset, columns: &[usize], run: &Run<'_>) -> Result<Dataset> {
    let names: Vec<String> = columns.iter().map(|&c| data.features.name(c)).collect();
    let inputs = Inputs::Points(pick(data.points()?, columns, run)?);
    Ok(Dataset { inputs, features: Features::named(names), ..data.clone() })
}

/// The set with one more, ascending.
fn with(set: &[usize], column: usize) -> Vec<usize> {
    let mut more = set.to_vec();
    more.insert(set.partition_point(|&c| c < column), column);
    more
}

/// The set without its i-th.
fn without(set: &[usize], i: usize) -> Vec<usize> {
    let mut fewer = set.to_vec();
    fewer.remove(i);
    fewer
}
