//! A machine of labels judged by rows whose sets are known, block by block.
//!
//! **Cost.** The scores of a block of rows (some 2²⁰ numbers) and O(labels) besides, however many rows there are.

use super::counted::LabelCounts;
use super::frequencies::LabelFrequencies;
use super::ranked::{DEEPEST, Ranked, Row};
use crate::{Decision, Measures, judge_decided};
use base::{Dataset, Error, LabelSets, Machine, Meaning, Outputs, Prediction, Result, Run, Targets, best_scores};

/// Judges a machine by the targets and weights of some data; with the frequencies of labels in training also by measures
/// that look at them.
///
/// Labels are judged block by block, all else as [`judge_decided`] does.
pub fn judge_machine(
    machine: &dyn Machine,
    decision: Option<&Decision>,
    data: &Dataset,
    frequencies: Option<&LabelFrequencies>,
    run: &Run<'_>,
) -> Result<Measures> {
    match (machine.outputs().meaning, &data.targets) {
        (Meaning::Labels, Targets::Sets(truth)) => {
            let mut judged = Judged::new(machine.outputs(), decision, truth, frequencies, run)?;
            let weight = |i: usize| data.weight(i);
            machine.each_block(&data.inputs, "labels judged", run, &mut |from, scores| {
                let rows = scores.chunks_exact(judged.width);
                rows.enumerate().for_each(|(i, row)| judged.add(from + i, row, weight(from + i)));
                Ok(())
            })?;
            judged.measures()
        }
        _ => judge_decided(&Prediction::of(machine, &data.inputs, run)?, decision, data, run),
    }
}

/// The same of scores that are there.
pub(crate) fn judge_scores(
    prediction: &Prediction,
    decision: Option<&Decision>,
    truth: &LabelSets,
    weight: &dyn Fn(usize) -> f64,
    run: &Run<'_>,
) -> Result<Measures> {
    let mut judged = Judged::new(&prediction.outputs, decision, truth, None, run)?;
    let scores = prediction.scores.to_dense(&run.memory)?;
    scores.chunks_exact(judged.width).enumerate().for_each(|(i, row)| judged.add(i, row, weight(i)));
    judged.measures()
}

/// What is known of the rows so far.
struct Judged<'a> {
    truth: &'a LabelSets,
    /// The place of each label of the data among all labels.
    places: Vec<u32>,
    counts: LabelCounts,
    ranked: Ranked,
    /// 1/p of each label.
    inverse: Option<Vec<f64>>,
    width: usize,
    known: usize,
    threshold: f64,
    rows: usize,
    /// Of the row at hand: whether each label is true, which are, which are predicted, the best.
    is_true: Vec<bool>,
    truths: Vec<u32>,
    predicted: Vec<u32>,
    best: Vec<(f64, u32)>,
    _hold: base::Hold,
}

impl<'a> Judged<'a> {
    fn new(
        outputs: &Outputs,
        decision: Option<&Decision>,
        truth: &'a LabelSets,
        frequencies: Option<&LabelFrequencies>,
        run: &Run<'_>,
    ) -> Result<Self> {
        let known = outputs.main();
        // Labels are matched by name: data may know others, or the same in another order.
        let most = known.saturating_add(truth.names().len());
        let hold = run.memory.take((most as u64).saturating_mul(120), "counts of labels")?;
        let mut names = outputs.names[..known].to_vec();
        let mut place: std::collections::HashMap<&str, u32> =
            outputs.names[..known].iter().enumerate().map(|(i, n)| (n.as_str(), i as u32)).collect();
        let mut places = vec![];
        for name in truth.names().iter() {
            let next = names.len() as u32;
            let at = *place.entry(name).or_insert(next);
            if at == next {
                names.push(name.clone());
            }
            places.push(at);
        }
        if known == 0 {
            return Err(Error::size("labels of a machine", "at least 1", 0));
        }
        let all = names.len();
        let counts = LabelCounts::new(names, known, frequencies);
        let inverse = frequencies
            .zip(counts.trained.as_ref())
            .and_then(|(f, trained)| trained.iter().map(|&n| f.inverse_propensity(n)).collect::<Option<Vec<f64>>>());
        Ok(Judged {
            truth,
            places,
            counts,
            ranked: Ranked::new(known),
            inverse,
            width: outputs.names.len(),
            known,
            threshold: decision.map_or(0.0, |d| d.threshold),
            rows: 0,
            is_true: vec![false; all],
            truths: vec![],
            predicted: vec![],
            best: vec![],
            _hold: hold,
        })
    }

    /// Counts a row with its scores; one whose labels are not known, or of weight 0, does not count.
    fn add(&mut self, row: usize, scores: &[f64], weight: f64) {
        let Some(labels) = self.truth.get(row).filter(|_| weight > 0.0) else { return };
        let scores = &scores[..self.known];
        self.rows += 1;
        self.truths.clear();
        for &label in labels {
            let at = self.places[label as usize];
            // A label that is listed twice is one label.
            if !std::mem::replace(&mut self.is_true[at as usize], true) {
                self.truths.push(at);
            }
        }
        let is_true = |label: u32| self.is_true[label as usize];
        self.predicted.clear();
        self.predicted.extend((0..self.known as u32).filter(|&l| scores[l as usize] > self.threshold));
        self.counts.add(weight, &self.predicted, &self.truths, &is_true);

        best_scores(scores, DEEPEST, &mut self.best);
        let best: Vec<u32> = self.best.iter().map(|b| b.1).collect();
        best.iter().take(5).filter(|&&l| is_true(l)).for_each(|&l| self.counts.in_five[l as usize] += weight);
        let lowest = self.truths.iter().map(|&l| scores.get(l as usize).copied()).collect::<Option<Vec<f64>>>();
        let coverage = match lowest {
            Some(all) => {
                let lowest = all.into_iter().fold(f64::INFINITY, f64::min);
                scores.iter().filter(|&&s| s >= lowest).count()
            }
            None => self.is_true.len(),
        };
        let inverse = self.inverse.as_ref().map(|inverse| {
            let of = |labels: &[u32]| labels.iter().map(|&l| inverse[l as usize]).collect::<Vec<f64>>();
            let mut of_true = of(&self.truths);
            of_true.sort_unstable_by(|a, b| b.total_cmp(a));
            (of(&best), of_true)
        });
        self.ranked.add(&Row {
            weight,
            best: &best,
            truths: self.truths.len(),
            is_true: &is_true,
            coverage: coverage as f64,
            inverse: inverse.as_ref().map(|(best, truths)| (&best[..], &truths[..])),
        });
        self.truths.iter().for_each(|&l| self.is_true[l as usize] = false);
    }

    fn measures(self) -> Result<Measures> {
        if self.rows == 0 {
            return Err(Error::size("rows with a known target and a weight", "at least 1", 0));
        }
        let mut values = self.ranked.values();
        values.extend(self.counts.values());
        Ok(Measures { values, confusion: None, labels: Some(self.counts), rows: self.rows, positive: None })
    }
}
