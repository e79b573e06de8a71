//! Rows made ready for a question: as the machine takes them, with rows to learn from and the settings of methods.

use crate::attribution::{Groups, mean_of};
use crate::rules::BatchNormWay;
use crate::subject::{Lent, Subject};
use crate::tuning::Tuning;
use base::{Error, Explainer, Inputs, Meaning, Points, Prediction, Result, Run, Scored};

/// Rows of the background that patterns and differences look at, at most.
const BACKGROUND: usize = 2000;

/// Which output of each row is explained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Wanted<'a> {
    /// The class that is predicted, the machine's own number, the first column of others.
    Usual,
    /// This one.
    One(usize),
    /// Each row its own.
    Each(&'a [usize]),
}

/// Rows that are explained, with all that a method may look at beside them.
pub struct Rows<'a> {
    /// The machine.
    pub subject: &'a Subject<'a>,
    /// The rows as the machine takes them.
    pub points: &'a Points,
    /// The settings of methods.
    pub tuning: &'a Tuning,
    background: Points,
    /// Whether the background is what is explained.
    own: bool,
}

impl<'a> Rows<'a> {
    /// Prepared rows, with prepared rows to learn from; none: the rows themselves.
    pub(crate) fn new(
        subject: &'a Subject<'a>,
        points: &'a Points,
        background: Option<&Points>,
        tuning: &'a Tuning,
    ) -> Result<Self> {
        let own = background.is_none();
        let background = match first_rows(&Inputs::Points(background.unwrap_or(points).clone()))? {
            Inputs::Points(points) => points,
            Inputs::Table(_) => return Err(Error::size("rows to learn from", "points", "a table")),
        };
        Ok(Rows { subject, points, tuning, background, own })
    }

    /// Rows to learn from: those that were given, else those that are explained.
    pub fn background(&self) -> &Points {
        &self.background
    }

    /// Some rows of the background, evenly over it.
    pub fn others(&self, most: usize) -> Result<Points> {
        let n = self.background.len();
        let some: Vec<usize> = (0..n.min(most)).map(|k| k * n / n.min(most)).collect();
        self.background.select(&some)
    }

    /// Whether there are several rows to learn from that are not those explained.
    pub fn has_data(&self) -> bool {
        !self.own && self.background.len() > 1
    }

    /// The columns that are hidden together by the usual pieces.
    pub fn groups(&self) -> Groups {
        Groups::new(self.points.columns(), self.subject.shape(), self.tuning.patch)
    }

    /// The machine's network in the form that the settings ask for.
    pub(crate) fn net(&self, run: &Run<'_>) -> Result<Lent> {
        self.subject.lent(self.tuning.batch_norm == BatchNormWay::Fused, run)
    }

    /// What absent inputs are replaced by: the settings' own, else the mean of the data.
    pub fn reference(&self) -> Result<Vec<f64>> {
        match self.tuning.reference_of(self.points.columns())? {
            Some(given) => Ok(given),
            // Rows explained do not stand in for data: an explanation must not depend on what else is asked, and one
            // row is no mean, or nothing would be hidden in it.
            None if !self.has_data() => Ok(vec![0.0; self.points.columns()]),
            None => Ok(middle(&self.background)),
        }
    }

    /// A row before the preparation, where that has as many numbers; else as the machine takes it.
    pub(crate) fn as_seen(&self, row: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        let before = match self.subject.parts().restore(row, run)? {
            Some(Inputs::Points(points)) if points.columns() == row.columns() => points,
            _ => row.clone(),
        };
        Ok(before.to_dense(&run.memory)?.to_vec())
    }

    /// Which output is explained in each row.
    pub(crate) fn outputs(&self, wanted: Wanted<'_>, run: &Run<'_>) -> Result<Vec<usize>> {
        let (machine, rows) = (self.subject.machine(), self.points.len());
        let outputs = match wanted {
            Wanted::One(output) => vec![output; rows],
            Wanted::Each(outputs) if outputs.len() == rows => outputs.to_vec(),
            Wanted::Each(outputs) => return Err(Error::size("outputs to explain, one per row", rows, outputs.len())),
            Wanted::Usual if machine.outputs().meaning == Meaning::Classes => {
                let prediction = Prediction::of(machine, &Inputs::Points(self.points.clone()), run)?;
                prediction.classes(run)?.into_iter().map(|c| c as usize).collect()
            }
            // The best label, also of rows none of whose labels is predicted.
            Wanted::Usual if machine.outputs().meaning == Meaning::Labels => {
                let scores = machine.compute(&Inputs::Points(self.points.clone()), run)?.to_dense(&run.memory)?;
                scores.chunks(machine.outputs().names.len().max(1)).map(|row| base::argmax(row) as usize).collect()
            }
            Wanted::Usual => vec![0; rows],
        };
        let width = machine.outputs().names.len();
        match outputs.iter().find(|o| **o >= width) {
            Some(output) => Err(Error::size("output to explain", format!("below {width}"), output)),
            None => Ok(outputs),
        }
    }
}

/// One score of some of the rows: what most methods are written over.
pub struct Case<'a> {
    /// The question.
    pub rows: &'a Rows<'a>,
    /// The rows whose score this is.
    pub points: &'a Points,
    /// The score, with its gradient for methods that ask for one.
    pub score: &'a dyn Scored,
    /// The machine's own explanations, where the score is its own number.
    pub own: Option<&'a dyn Explainer>,
}

impl Case<'_> {
    /// Where a way from nothing begins: the middle of the points that the machine rests on, else 0.
    pub fn start(&self) -> Vec<f64> {
        match (self.own.and_then(|own| own.references()), self.rows.subject.machine().by_support()) {
            (Some(references), _) => mean_of(references),
            (None, Some(sums)) if !sums.points().is_empty() => middle(sums.points()),
            (None, _) => vec![0.0; self.points.columns()],
        }
    }
}

/// The first rows of a background, so that no more are prepared than are looked at.
pub(crate) fn first_rows(inputs: &Inputs) -> Result<Inputs> {
    let count = inputs.len();
    match count > BACKGROUND {
        // Evenly over the data, which may be in the order of its classes.
        true => inputs.select(&(0..BACKGROUND).map(|k| k * count / BACKGROUND).collect::<Vec<_>>()),
        false => Ok(inputs.clone()),
    }
}

/// The mean of some points.
pub(crate) fn middle(points: &Points) -> Vec<f64> {
    let (mut mean, mut x) = (vec![0.0; points.columns()], vec![0.0; points.columns()]);
    for i in 0..points.len() {
        points.write_row(i, &mut x);
        numeric::add_scaled(&mut mean, 1.0 / points.len() as f64, &x);
    }
    mean
}
