//! Choosing settings by what they do on held-out rows.
//!
//! Every combination (or a random draw of them) is validated on the same splits and the best mean wins, the first of
//! equals. The winner's score is optimistic, for it was chosen by it; [`nested`] gives an honest one: the whole search is
//! repeated inside each outer fold and its winner judged by rows that no part of the search has seen.
//!
//! A stop ends the search with what was judged until then: all combinations on the splits that are done, else those that
//! are done; a fit that the stop itself cut short is kept only if there is nothing else.

use crate::cross::judge_all;
use crate::{Measures, Split, Splitting, Validation, cross_validate};
use base::{Choice, Dataset, Error, Learner, Result, Run, Seed, Settings, Value, meant_setting};

/// Settings to try, as combinations of values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    /// Names with the values to try.
    pub axes: Vec<(String, Vec<Value>)>,
}

impl Grid {
    /// Adds an axis written as `name=a,b,c`, in the words of what it is to set: a learner, say.
    pub fn with(mut self, text: &str, settings: &dyn Settings) -> Result<Self> {
        let Some((name, values)) = text.split_once('=') else {
            return Err(Error::parameter("grid", text, "must be name=a,b,c"));
        };
        let params = settings.params();
        let (param, inverse) = meant_setting(&params, name.trim())?;
        if inverse {
            return Err(Error::parameter("grid", text, format!("must be written as {}", param.name)));
        }
        let values = values.split(',').map(|v| param.parse(v)).collect::<Result<Vec<_>>>()?;
        self.axes.push((param.name.to_string(), values));
        Ok(self)
    }

    /// All combinations, the last axis fastest; one empty combination without axes.
    pub fn combinations(&self) -> Vec<Vec<(String, Value)>> {
        self.axes.iter().fold(vec![vec![]], |all, (name, values)| {
            let longer = |c: &Vec<(String, Value)>| {
                let c = c.clone();
                values.iter().map(move |v| c.iter().cloned().chain([(name.clone(), v.clone())]).collect::<Vec<_>>())
            };
            all.iter().flat_map(longer).collect()
        })
    }

    /// The combination that a search chose. After a stop what was tried are not all, so that its place tells nothing.
    pub fn chosen(&self, choice: &Choice) -> Option<Vec<(String, Value)>> {
        self.combinations().into_iter().find(|c| crate::tuned::settings_text(c) == choice.settings())
    }
}

/// `count` combinations of a grid, drawn without repetition, in the grid's order.
pub fn random_settings(grid: &Grid, count: usize, seed: Seed) -> Vec<Vec<(String, Value)>> {
    let all = grid.combinations();
    let mut chosen = seed.fork("random search").permutation(all.len());
    chosen.truncate(count);
    chosen.sort_unstable();
    chosen.into_iter().map(|i| all[i].clone()).collect()
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// Each combination with its validation; after a stop those that can be compared.
    pub tried: Vec<(Vec<(String, Value)>, Validation)>,
    /// On how many splits they were compared.
    pub splits: usize,
    /// Whether a stop came before one combination was done: what was judged are fits that were interrupted.
    pub hurried: bool,
    /// Which was best.
    pub best: usize,
}

/// Validates every combination and picks the best by the mean of `measure`.
pub fn search(
    learner: &dyn Learner,
    settings: &[Vec<(String, Value)>],
    data: &Dataset,
    splits: &[Split],
    measure: &str,
    run: &Run<'_>,
) -> Result<Searched> {
    let judged = judge_all(learner, settings, data, splits, run)?;
    let (mut which, mut on) = judged.comparable();
    let mut hurried = false;
    if let (true, Some((setting, split))) = (which.is_empty(), judged.hurried()) {
        (which, on, hurried) = (vec![setting], vec![split], true);
    }
    if let (true, Some(stopped)) = (which.is_empty(), judged.stopped.clone()) {
        return Err(stopped);
    }
    let found = which.iter().map(|&s| judged.validation(s, &on)).collect::<Result<Vec<_>>>()?;
    let score = |v: &Validation| {
        v.summary(measure).map(|(mean, _)| if Measures::larger_is_better(measure) { mean } else { -mean })
    };
    let scores: Option<Vec<f64>> = found.iter().map(score).collect();
    let Some(scores) = scores.filter(|s| !s.is_empty()) else {
        return Err(Error::parameter("measure", measure, "is not a measure for these targets"));
    };
    let best = base::argmax(&scores) as usize;
    let tried = which.iter().map(|&s| settings[s].clone()).zip(found).collect();
    Ok(Searched { tried, splits: on.len(), hurried, best })
}

/// An honest estimate of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Nested {
    /// What the winner of each outer fold does on that fold's held-out rows.
    pub validation: Validation,
    /// The winner of each outer fold.
    pub winners: Vec<Vec<(String, Value)>>,
}

/// Repeats the search inside each outer split and judges its winner by rows it has not seen.
pub fn nested(
    learner: &dyn Learner,
    settings: &[Vec<(String, Value)>],
    data: &Dataset,
    (outer, inner): (&[Split], Splitting),
    measure: &str,
    run: &Run<'_>,
) -> Result<Nested> {
    let mut result = Nested { validation: Validation::default(), winners: vec![] };
    for (k, split) in outer.iter().enumerate() {
        let train = data.select(&split.train)?;
        let splits = inner.of(&train, run.seed.fork("inner").at(k))?;
        let found = search(learner, settings, &train, &splits, measure, run)?;
        let (winner, _) = &found.tried[found.best];
        let mut chosen = learner.boxed();
        winner.iter().try_for_each(|(name, value)| chosen.set(name, value.clone()))?;
        let judged = cross_validate(&*chosen, data, std::slice::from_ref(split), run)?;
        result.validation.folds.extend(judged.folds);
        result.validation.right.extend(judged.right);
        result.validation.chosen.push(Some(crate::tuned::settings_text(winner)));
        result.winners.push(winner.clone());
    }
    Ok(result)
}
