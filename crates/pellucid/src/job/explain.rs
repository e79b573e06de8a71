//! Explaining what a model says of some rows: which rows, which output, by which methods, and whether the accounts balance.

use super::fit::apply_settings;
use super::rows::rows_of;
use super::source::Source;
use crate::{Model, Told, strangest};
use base::{Dataset, Error, Result, Run, nearest};
use explain::{Method, Tuning};

/// Rows explained when nobody says which.
const USUAL: usize = 10;
/// What may be lost of a score before an explanation does not balance.
const LOST: f64 = 0.01;
/// What the accounts may leave open by rounding.
const OPEN: f64 = 1e-6;

/// What is to be explained.
#[derive(Debug, Clone, Default)]
pub struct Explain {
    /// The rows.
    pub source: Source,
    /// Which of them, as `0,5-9`; if not given the most anomalous of a detector and the first of others, or all.
    pub rows: Option<String>,
    /// Whether all rows are explained when nobody says which.
    pub all: bool,
    /// The methods by name; none: the one that suits the model.
    pub methods: Vec<String>,
    /// The class or column that is explained; none: the predicted class.
    pub output: Option<String>,
    /// Settings of the methods, as `name=value`.
    pub settings: Vec<String>,
}

/// A question that is ready to be answered.
pub struct Explaining {
    /// The model.
    pub model: Model,
    /// The data in the form that the model takes.
    pub data: Dataset,
    /// What rows are called beside their number.
    pub names: Vec<Option<String>>,
    /// The rows to explain.
    pub rows: Vec<usize>,
    /// The methods asked for.
    pub methods: Vec<Method>,
    /// The output asked for.
    pub output: Option<usize>,
    /// Settings of the methods.
    pub tuning: Tuning,
}

impl Explain {
    /// Reads the rows and finds out what is meant.
    pub fn begin(&self, model: Model, run: &Run<'_>) -> Result<Explaining> {
        let (data, names) = self.source.rows_for(&model, run)?;
        let rows = match &self.rows {
            Some(text) => rows_of(text, data.len())?,
            None if self.all => (0..data.len()).collect(),
            None => strangest(&*model.machine, &data, USUAL, run)?,
        };
        let methods = self.methods.iter().map(|name| Method::find(name.trim())).collect::<Result<_>>()?;
        let output = self.output.as_deref().map(|name| output_of(&model, name)).transpose()?;
        let mut tuning = Tuning::default();
        apply_settings(&mut tuning, &self.settings)?;
        Ok(Explaining { model, data, names, rows, methods, output, tuning })
    }
}

/// The output of that name.
fn output_of(model: &Model, name: &str) -> Result<usize> {
    let inner = explain::split(&*model.machine);
    let names = inner.machine().outputs().names.clone();
    names.iter().position(|n| n == name).ok_or_else(|| {
        let near = nearest(name, names.iter().map(String::as_str));
        let hint = near.map_or(String::new(), |n| format!("; did you mean {n}?"));
        let some: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
        Error::parameter("class", name, format!("the model's outputs are {}{hint}", some.join(", ")))
    })
}

/// What is wrong with the accounts of explanations, if anything.
pub fn unbalanced(told: &Told) -> Option<String> {
    let method = &told.answer.relevance.method;
    let Some(balance) = &told.answer.relevance.balance else {
        return Some(format!("{method} is not conservative: its attributions do not sum to the score"));
    };
    let worst = balance.iter().enumerate().find(|(_, b)| b.open() > OPEN || b.lost_share() > LOST);
    worst.map(|(k, b)| format!("row {}: {:.4} of the score {:.4} was lost", told.rows[k], b.lost, b.score))
}
