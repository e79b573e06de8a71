//! Fitting and judging over many splits.

use crate::{LabelFrequencies, Measures, Split, judge, judge_machine};
use base::{
    Dataset, Error, Fits, Fitted, Learner, Meaning, Prediction, Progress, Result, Run, Targets, Value, fit_many,
};

/// What a learner does on held-out rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Validation {
    /// The measures of each split.
    pub folds: Vec<Measures>,
    /// For each held-out row of each split whether its class was right, in the order of splits and rows.
    pub right: Vec<bool>,
    /// The settings that each split's fit chose for itself, if it chose any.
    pub chosen: Vec<Option<String>>,
}

impl Validation {
    /// The settings chosen, each with the number of splits that chose it, the most frequent first.
    pub fn choices(&self) -> Vec<(&str, usize)> {
        let mut counts: Vec<(&str, usize)> = vec![];
        for text in self.chosen.iter().flatten() {
            match counts.iter_mut().find(|(t, _)| t == text) {
                Some((_, n)) => *n += 1,
                None => counts.push((text, 1)),
            }
        }
        counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        counts
    }

    /// That measure of every split where it exists.
    pub fn all(&self, measure: &str) -> Vec<f64> {
        self.folds.iter().filter_map(|m| m.get(measure)).collect()
    }

    /// Mean and standard deviation over the splits; training sets overlap, so these are no independent draws.
    pub fn summary(&self, measure: &str) -> Option<(f64, f64)> {
        let all = self.all(measure);
        let n = all.len() as f64;
        let mean = all.iter().sum::<f64>() / n;
        let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0).max(1.0);
        (!all.is_empty()).then(|| (mean, variance.sqrt()))
    }
}

/// Fits on the rows to learn from and judges by the held-out rows, for every split.
pub fn cross_validate(learner: &dyn Learner, data: &Dataset, splits: &[Split], run: &Run<'_>) -> Result<Validation> {
    let judged = judge_all(learner, &[vec![]], data, splits, run)?;
    match judged.stopped {
        Some(stopped) => Err(stopped),
        None => judged.validation(0, &(0..splits.len()).collect::<Vec<_>>()),
    }
}

/// Settings judged on splits: all of them, or those that a stop left time for.
pub(crate) struct Grid {
    /// By setting and split.
    cells: Vec<Vec<Option<Judged>>>,
    /// What ended the work before its time.
    pub stopped: Option<Error>,
}

/// Judges each of several settings on each split; the learner may share work between them.
pub(crate) fn judge_all(
    learner: &dyn Learner,
    settings: &[Vec<(String, Value)>],
    data: &Dataset,
    splits: &[Split],
    run: &Run<'_>,
) -> Result<Grid> {
    let rows: Vec<Vec<usize>> = splits.iter().map(|s| s.train.clone()).collect();
    // All splits speak of the same positive class, whichever is the rarer among their own rows.
    let mut data = data.clone();
    if let Targets::Classes(classes) = &data.targets {
        data.targets = Targets::Classes(classes.clone().with_positive_kept());
    }
    let (data, total) = (&data, settings.len() * splits.len());
    let mut cells: Vec<Vec<Option<Judged>>> = vec![];
    cells.resize_with(settings.len(), || (0..splits.len()).map(|_| None).collect());
    let mut count = 0;
    // Each machine is judged when it is there, and forgotten: a search holds one at a time.
    let ended = fit_many(learner, &Fits { settings, rows: Some(&rows), data }, run, &mut |setting, fold, fitted| {
        run.report(&Progress::of("judge", count as u64, total as u64))?;
        count += 1;
        cells[setting][fold] = Some(Judged::of(&fitted, data, &splits[fold], run)?);
        // A search may end where all settings have been compared on the same rows.
        let level = settings.len() > 1 && count < total && cells.iter().all(|c| c[fold].is_some());
        match level && run.is_enough()? {
            true => Err(Error::Stopped { what: String::new() }),
            false => Ok(()),
        }
    });
    match ended {
        Ok(()) => Ok(Grid { cells, stopped: None }),
        Err(stopped @ Error::Stopped { .. }) => Ok(Grid { cells, stopped: Some(stopped) }),
        Err(other) => Err(other),
    }
}

impl Grid {
    /// Which settings can be compared on which splits. After a stop: all settings on the splits that are done, else the
    /// settings that are done on all splits, else those of one split.
    pub fn comparable(&self) -> (Vec<usize>, Vec<usize>) {
        let splits = self.cells.first().map_or(0, Vec::len);
        let done = |setting: usize, split: usize| {
            self.cells[setting][split].as_ref().is_some_and(|j| self.stopped.is_none() || !j.interrupted)
        };
        let (all_settings, all_splits): (Vec<usize>, Vec<usize>) =
            ((0..self.cells.len()).collect(), (0..splits).collect());
        let splits_done: Vec<usize> =
            all_splits.iter().copied().filter(|&f| all_settings.iter().all(|&s| done(s, f))).collect();
        if !splits_done.is_empty() {
            return (all_settings, splits_done);
        }
        let settings_done: Vec<usize> =
            all_settings.iter().copied().filter(|&s| splits > 0 && all_splits.iter().all(|&f| done(s, f))).collect();
        if !settings_done.is_empty() {
            return (settings_done, all_splits);
        }
        let on = |f: usize| all_settings.iter().copied().filter(|&s| done(s, f)).collect::<Vec<_>>();
        let best = all_splits.iter().copied().max_by_key(|&f| (on(f).len(), std::cmp::Reverse(f)));
        best.map_or((vec![], vec![]), |f| (on(f), vec![f]))
    }

    /// The first setting and split whose fit a stop has cut short, where nothing else is there to keep.
    pub fn hurried(&self) -> Option<(usize, usize)> {
        let cells = self.cells.iter().enumerate();
        cells
            .flat_map(|(s, c)| c.iter().enumerate().map(move |(f, j)| (s, f, j)))
            .find(|c| c.2.is_some())
            .map(|c| (c.0, c.1))
    }

    /// What a setting does on some splits, all of which it was judged on.
    pub fn validation(&self, setting: usize, splits: &[usize]) -> Result<Validation> {
        let mut all = Validation::default();
        for &split in splits {
            let one = self.cells[setting][split].as_ref();
            let one = one.ok_or_else(|| Error::size("splits evaluated", splits.len(), "fewer"))?;
            all.folds.push(one.measures.clone());
            all.right.extend(&one.right);
            all.chosen.push(one.chosen.clone());
        }
        Ok(all)
    }
}

/// What one machine does on the held-out rows of its split.
struct Judged {
    measures: Measures,
    right: Vec<bool>,
    chosen: Option<String>,
    interrupted: bool,
}

impl Judged {
    fn of(fitted: &Fitted, data: &Dataset, split: &Split, run: &Run<'_>) -> Result<Self> {
        let test = data.select(&split.test)?;
        let chosen = fitted.certificate.choice.as_ref().map(|c| c.settings().to_string());
        let interrupted = fitted.certificate.interrupted;
        if let (Meaning::Labels, Targets::Sets(_)) = (fitted.machine.outputs().meaning, &data.targets) {
            // How frequent labels are is known of the rows that were learned from alone.
            let trained = LabelFrequencies::of_targets(&data.targets.select(&split.train));
            let measures = judge_machine(&*fitted.machine, None, &test, trained.as_ref(), run)?;
            return Ok(Judged { measures, right: vec![], chosen, interrupted });
        }
        let prediction = Prediction::of(&*fitted.machine, &test.inputs, run)?;
        let mut right = vec![];
        if let (Meaning::Classes, Targets::Classes(truth)) = (prediction.outputs.meaning, &test.targets) {
            let names = &prediction.outputs.names;
            let is_right = |(i, &p): (usize, &u32)| truth.get(i).is_some_and(|t| truth.names()[t] == names[p as usize]);
            right.extend(prediction.classes(run)?.iter().enumerate().map(is_right));
        }
        let measures = judge(&prediction, &test, run)?;
        Ok(Judged { measures, right, chosen, interrupted })
    }
}

/// The measures on held-out rows after learning from the first part of each split's rows, for growing parts.
///
/// Rows of a part are drawn once and in order, so that a larger part contains the smaller ones.
pub fn learning_curve(
    learner: &dyn Learner,
    data: &Dataset,
    splits: &[Split],
    sizes: &[usize],
    run: &Run<'_>,
) -> Result<Vec<(usize, Validation)>> {
    sizes
        .iter()
        .map(|&size| {
            let part = |(k, split): (usize, &Split)| {
                let order = run.seed.fork("learning curve").at(k).permutation(split.train.len());
                let mut train: Vec<usize> = order.iter().take(size).map(|&i| split.train[i]).collect();
                train.sort_unstable();
                Split { train, test: split.test.clone() }
            };
            let parts: Vec<Split> = splits.iter().enumerate().map(part).collect();
            Ok((size, cross_validate(learner, data, &parts, run)?))
        })
        .collect()
}
