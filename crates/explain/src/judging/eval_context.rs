//! What all measures look at: a machine with its preparation taken off, prepared rows, the output judged in each of them,
//! data to take replacements from, and the regions; and scores of rows with some of their regions away.
//!
//! Perturbed rows of many rows and steps are scored together, in blocks of `BLOCK` bytes that threads take in turn.

use super::{Instead, Judging, RowRegions};
use crate::answer::explain_rows;
use crate::machine::ScoreOf;
use crate::method::Method;
use crate::rows::{Rows, Wanted, first_rows};
use crate::subject::Subject;
use crate::tuning::Tuning;
use base::{
    Buffer, Error, Inputs, Machine, Meaning, Place, Points, Prediction, Progress, References, Relevance, Result, Run,
    Shared,
};
use numeric::blocks;
use std::sync::Arc;

/// Bytes of perturbed rows that are scored at once.
const BLOCK: usize = 8 << 20;

/// A machine with the rows that explanations of it are judged by.
pub struct EvalContext<'m> {
    pub(crate) subject: Arc<Subject<'m>>,
    /// The rows as the machine takes them.
    pub points: Points,
    /// The output that is explained in each row.
    pub outputs: Vec<usize>,
    /// The same for rows of other data: what patterns, references and replacements come from.
    pub data: Points,
    /// The regions of a row.
    pub regions: RowRegions,
    /// How measures measure.
    pub how: Judging,
    score: Score<'m>,
}

/// What gives the scores.
enum Score<'m> {
    /// A number of the machine's own, which the subject has ready.
    Own,
    Output(ScoreOf<'m>),
}

impl<'m> EvalContext<'m> {
    /// Rows of a machine, judged by the class predicted for each, a number of the machine's own or the first column.
    pub fn new(machine: &'m dyn Machine, inputs: &Inputs, data: &Inputs, how: &Judging, run: &Run<'_>) -> Result<Self> {
        base::Settings::check_settings(how)?;
        let subject = Arc::new(Subject::new(machine));
        let parts = subject.parts();
        if inputs.is_empty() {
            return Err(Error::size("rows to evaluate on", "at least 1", 0));
        }
        let points = parts.prepare(inputs, run)?;
        let data = parts.prepare(&first_rows(data)?, run)?;
        let inner = parts.machine();
        let (score, outputs) = match subject.quantity() {
            Some(_) => {
                subject.explainer(run)?;
                (Score::Own, vec![0; points.len()])
            }
            None => {
                let classes = inner.outputs().meaning == Meaning::Classes;
                let outputs = match classes {
                    true => Prediction::of(inner, &Inputs::Points(points.clone()), run)?.classes(run)?,
                    false => vec![0; points.len()],
                };
                (Score::Output(subject.score(0, false, run)?), outputs.into_iter().map(|c| c as usize).collect())
            }
        };
        let regions = RowRegions::of(parts, how.region)?;
        Ok(EvalContext { subject, points, outputs, data, regions, how: how.clone(), score })
    }

    /// The same with other rows and outputs.
    pub(crate) fn with_rows(&self, points: Points, outputs: Vec<usize>, run: &Run<'_>) -> Result<EvalContext<'m>> {
        let score = match &self.score {
            Score::Own => Score::Own,
            Score::Output(_) => Score::Output(self.subject.score(0, false, run)?),
        };
        let (subject, regions) = (self.subject.clone(), self.regions.clone());
        Ok(EvalContext { subject, points, outputs, data: self.data.clone(), regions, how: self.how.clone(), score })
    }

    /// Whether the score is a number of the machine's own.
    pub fn is_own(&self) -> bool {
        matches!(self.score, Score::Own)
    }

    /// What the score is measured from, if it is a number of the machine's own that is measured so.
    pub fn references(&self) -> Option<&dyn References> {
        match self.score {
            Score::Own => self.subject.explainer_at_hand().and_then(|own| own.references()),
            Score::Output(_) => None,
        }
    }

    /// The score judged, of other points with these outputs.
    pub fn scores(&self, points: &Points, outputs: &[usize], run: &Run<'_>) -> Result<Vec<f64>> {
        match &self.score {
            Score::Own => match self.subject.explainer_at_hand().and_then(|own| own.quantity()) {
                Some(score) => score.values(points, run),
                None => Err(Error::unsupported("a number of its own", "this machine", "ask for its outputs")),
            },
            Score::Output(score) => score.values_of(points, outputs, run),
        }
    }

    /// Explains the rows by a method.
    pub fn explained(&self, method: Method, tuning: &Tuning, run: &Run<'_>) -> Result<Relevance> {
        self.explained_at(&self.subject, &self.points, (method, tuning), run)
    }

    /// Explains other points, or the same by another machine, for the same outputs.
    pub(crate) fn explained_at(
        &self,
        subject: &Subject<'_>,
        points: &Points,
        (method, tuning): (Method, &Tuning),
        run: &Run<'_>,
    ) -> Result<Relevance> {
        if method.of_support() {
            let must = "explains by support points; only explanations by inputs can be evaluated";
            return Err(Error::parameter("methods", method.word(), must));
        }
        let entry = method.entry();
        subject.must_fit(&entry)?;
        let wanted = match self.score {
            Score::Own => Wanted::Usual,
            Score::Output(_) => Wanted::Each(&self.outputs),
        };
        let rows = Rows::new(subject, points, Some(&self.data), tuning)?;
        let (relevance, _) = explain_rows(&rows, &entry, wanted, run)?;
        finite(&relevance)?;
        Ok(relevance)
    }

    /// The score of rows without some of their regions: each of `count` jobs names a row and marks what is away.
    pub fn without(
        &self,
        count: usize,
        job: impl Fn(usize, &mut [bool]) -> usize + Sync,
        run: &Run<'_>,
    ) -> Result<Vec<f64>> {
        let (d, groups) = (self.points.columns(), &self.regions.groups);
        let number = match self.how.replace {
            super::Replace::Blur => self.how.blur,
            _ => self.how.constant,
        };
        let instead = Instead::new(self.how.replace, number, &self.regions, &self.data, run)?;
        let at_once = (BLOCK / (8 * d.max(1))).clamp(1, 1024);
        // Blocks go side by side, so that threads need not meet within each operation.
        let alone = Run { threads: if count > at_once { 1 } else { run.threads }, ..run.clone() };
        let scored = blocks(run, count, at_once, |range| {
            run.report(&Progress::of("perturbing", range.start as u64, count as u64))?;
            let (mut rows, hold) = run.memory.filled(range.len().saturating_mul(d), 0.0, "perturbed rows")?;
            let (mut x, mut other, mut last) = (vec![0.0; d], vec![], usize::MAX);
            let mut outputs = vec![];
            for (to, k) in rows.chunks_exact_mut(d.max(1)).zip(range) {
                let mut away = vec![false; groups.count];
                let row = job(k, &mut away);
                if row != last {
                    self.points.write_row(row, &mut x);
                    (other, last) = (instead.of(&x, row), row);
                }
                for (c, t) in to.iter_mut().enumerate() {
                    *t = if away[groups.of[c]] { other[c] } else { x[c] };
                }
                outputs.push(self.outputs[row]);
            }
            let rows = Buffer::F64(Shared::counted(rows, hold));
            self.scores(&Points::dense(rows, outputs.len(), d)?, &outputs, &alone)
        })?;
        Ok(scored.concat())
    }

    /// The numbers of a relevance row after row; refused if they are not those of the rows judged, or no numbers.
    pub fn numbers(&self, relevance: &Relevance, run: &Run<'_>) -> Result<Vec<Vec<f64>>> {
        let (rows, d) = (self.points.len(), self.points.columns());
        if (relevance.values.len(), relevance.values.columns()) != (rows, d) {
            let found = format!("{} x {}", relevance.values.len(), relevance.values.columns());
            return Err(Error::size("relevance to evaluate", format!("{rows} x {d}"), found));
        }
        finite(relevance)?;
        Ok(relevance.values.to_dense(&run.memory)?.chunks_exact(d.max(1)).map(<[f64]>::to_vec).collect())
    }
}

/// Refuses relevance that is not a number.
fn finite(relevance: &Relevance) -> Result<()> {
    let mut x = vec![0.0; relevance.values.columns()];
    for i in 0..relevance.values.len() {
        relevance.values.write_row(i, &mut x);
        if let Some(c) = x.iter().position(|v| !v.is_finite()) {
            let why = format!("{} gives input {c} of row {i} a relevance of {}", relevance.method, x[c]);
            return Err(Error::data(Place::Whole, why));
        }
    }
    Ok(())
}
