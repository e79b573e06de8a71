//! An explanation of some rows, and how it is put in words: quantities, verdicts, columns and their values.

use super::seen::{cell, direct};
use base::{Dataset, Machine, Meaning, Prediction, Result, Run, Shape};
use explain::{Answer, Context, Over, Question, Tuning, explain_until};

/// An explanation of some rows.
pub struct Explanation {
    /// The rows' places in the data.
    pub rows: Vec<usize>,
    /// What was found.
    pub answer: Answer,
    /// The model's own scores of these rows.
    pub prediction: Prediction,
}

/// Explains these rows of data whose inputs have the model's form; what the method learns from (patterns, references) is the
/// data. Fewer rows are told where time is up.
pub fn explain_rows_with(
    machine: &dyn Machine,
    data: &Dataset,
    rows: &[usize],
    question: Question,
    tuning: &Tuning,
    run: &Run<'_>,
) -> Result<Explanation> {
    let inputs = data.inputs.select(rows)?;
    let context = Context { tuning: tuning.clone(), background: Some(&data.inputs) };
    let answer = explain_until(machine, &inputs, question, &context, run)?;
    // Time may have been up before all were done.
    let rows = &rows[..answer.outputs.len()];
    let prediction = Prediction::of(machine, &data.inputs.select(rows)?, run)?;
    Ok(Explanation { rows: rows.to_vec(), answer, prediction })
}

impl Explanation {
    /// What the explained number of a row is called: `score of Adelie`, `log-odds of fraud`, `outlierness`.
    pub fn quantity(&self, k: usize) -> String {
        let names = &self.prediction.outputs.names;
        match (self.prediction.outputs.meaning, self.answer.outputs.get(k).and_then(|&c| names.get(c))) {
            (Meaning::Classes, Some(name)) => format!("{} of {name}", self.answer.quantity),
            _ => self.answer.quantity.to_string(),
        }
    }

    /// For detectors: whether a row is an anomaly, and how its outlier score stands to what is explained.
    pub fn verdict(&self, k: usize) -> Option<String> {
        let outputs = &self.prediction.outputs;
        let place = outputs.names.iter().position(|n| n == "outlier_score")?;
        let score = self.score(k, place)?;
        let what = if score > 0.0 { "anomaly" } else { "normal" };
        let explained = self.answer.relevance.balance.as_ref().and_then(|b| b.get(k)).map(|b| b.score);
        let relation = match explained {
            // Outlierness is −log g, the outlier score log ρ − log g: the threshold ρ is what lies between them. With a
            // kernel of heavy tails it is m/g, and the logarithm of their ratio is told.
            Some(o) if self.answer.quantity == "outlierness" => match self.threshold(k) {
                Some(threshold) if (score - (o - threshold)).abs() <= 1e-9 * o.abs().max(1.0) => {
                    format!(" = outlierness {o:.4} minus its threshold {threshold:.4}")
                }
                _ => format!(", the logarithm of outlierness {o:.4} over its threshold {:.4}", o / score.exp()),
            },
            _ => String::new(),
        };
        Some(format!("{what}, outlier_score {score:.4}{relation}"))
    }

    /// Outlierness less the outlier score, where that is the same for the first rows.
    fn threshold(&self, k: usize) -> Option<f64> {
        let place = self.prediction.outputs.names.iter().position(|n| n == "outlier_score")?;
        let balance = self.answer.relevance.balance.as_ref()?;
        let at = |i: usize| Some(balance.get(i)?.score - self.score(i, place)?);
        let other = at(if k == 0 { 1 } else { 0 });
        let own = at(k)?;
        let same = |other: f64| (own - other).abs() <= 1e-9 * own.abs().max(1.0);
        (other.is_none_or(same)).then_some(own)
    }

    fn score(&self, k: usize, place: usize) -> Option<f64> {
        let mut scores = vec![0.0; self.prediction.outputs.names.len()];
        if k >= self.prediction.scores.len() {
            return None;
        }
        self.prediction.scores.write_row(k, &mut scores);
        scores.get(place).copied()
    }

    /// What stands in a column of the row explained, as it came from the file; empty where that is not known.
    pub fn value(&self, data: &Dataset, k: usize, column: usize) -> String {
        if self.answer.over == Over::Support {
            return String::new();
        }
        let features = &self.answer.relevance.features;
        let found = cell(&data.inputs, self.rows[k], column, &features.name(column), features);
        found.unwrap_or_else(|| direct(self, k, column))
    }

    /// What a column is called: pixels and moments by their place.
    pub fn column(&self, column: usize) -> String {
        let features = &self.answer.relevance.features;
        let name = features.name(column);
        match features.shape() {
            _ if self.answer.over == Over::Support => format!("training point {name}"),
            Some(Shape::Image { width, channels, .. }) if name.parse::<usize>().is_ok() => {
                let (place, channel) = (column / channels.max(1), column % channels.max(1));
                let of = if channels > 1 { format!(", channel {channel}") } else { String::new() };
                format!("pixel at row {}, column {}{of}", place / width.max(1), place % width.max(1))
            }
            _ => name,
        }
    }

    /// Relevance as data that can be written, one column for each thing told of.
    pub fn data(&self) -> Dataset {
        let relevance = &self.answer.relevance;
        let features = relevance.features.clone();
        Dataset { features, ..Dataset::new(relevance.values.clone(), base::Targets::None) }
    }
}
