//! Fitting and judging over many splits.

use crate::{Measures, Split, judge};
use base::{Dataset, Learner, Meaning, Prediction, Progress, Result, Run, Targets, Value};

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
    let (mut found, _) = validate_many(learner, &[vec![]], data, splits, run)?;
    Ok(found.remove(0))
}

/// The validation of each of several settings, and whether a fit was interrupted; the learner may share work between
/// them.
pub(crate) fn validate_many(
    learner: &dyn Learner,
    settings: &[Vec<(String, Value)>],
    data: &Dataset,
    splits: &[Split],
    run: &Run<'_>,
) -> Result<(Vec<Validation>, bool)> {
    let rows: Vec<Vec<usize>> = splits.iter().map(|s| s.train.clone()).collect();
    // All splits speak of the same positive class, whichever is the rarer among their own rows.
    let mut data = data.clone();
    if let Targets::Classes(classes) = &data.targets {
        data.targets = Targets::Classes(classes.clone().with_positive_kept());
    }
    let data = &data;
    let fitted = learner.fit_many(settings, &rows, data, run)?;
    let interrupted = fitted.iter().any(|f| f.certificate.interrupted);
    let total = fitted.len() as u64;
    let mut all = vec![];
    for (k, fitted) in fitted.chunks(splits.len().max(1)).enumerate() {
        let mut validation = Validation::default();
        for (fold, (fitted, split)) in fitted.iter().zip(splits).enumerate() {
            run.report(&Progress::of("judge", (k * splits.len() + fold) as u64, total))?;
            let test = data.select(&split.test)?;
            let prediction = Prediction::of(&*fitted.machine, &test.inputs, run)?;
            validation.folds.push(judge(&prediction, &test, run)?);
            validation.chosen.push(fitted.certificate.choice.as_ref().map(|c| c.settings().to_string()));
            if let (Meaning::Classes, Targets::Classes(truth)) = (prediction.outputs.meaning, &test.targets) {
                let names = &prediction.outputs.names;
                let right =
                    |(i, &p): (usize, &u32)| truth.get(i).is_some_and(|t| truth.names()[t] == names[p as usize]);
                validation.right.extend(prediction.classes(run)?.iter().enumerate().map(right));
            }
        }
        all.push(validation);
    }
    Ok((all, interrupted))
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
