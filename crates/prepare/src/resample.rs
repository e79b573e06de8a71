//! Changes of the training rows: what resampling and augmentation have in common.
//!
//! The learner inside is fitted on the changed rows and its machine is the result: nothing of the change is left at
//! prediction. Rows that are held out never come here, so they are judged under the distribution they came from.

use crate::Wrap;
use base::{
    Advice, Certificate, Dataset, Error, Fitted, Inputs, Learner, Message, Needs, Plan, Record, Result, Run, Settings,
    Size, Targets, Wanted, Weighting,
};

/// What a change does to the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Other weights for the same rows.
    Weights,
    /// Rows are left out.
    Fewer,
    /// Rows are repeated as they are.
    Copies,
    /// New rows are computed from the numbers of old ones.
    Makes,
}

/// A change of the training rows.
pub trait Resample: Settings + Clone + Send + Sync + 'static {
    /// The name it is chosen by.
    const NAME: &'static str;
    /// Whether the targets must be classes.
    const CLASSES: bool;
    /// What it does to the rows.
    const CHANGE: Change;
    /// Whether it must know what the columns make together.
    const SHAPES: bool = false;

    /// The rows to learn from in place of these.
    fn resample(&self, data: &Dataset, run: &Run<'_>) -> Result<Resampled>;

    /// The size that data of this size have afterwards, as far as the size alone tells.
    fn size(&self, size: &Size) -> Size;

    /// Floating-point operations of the change.
    fn cost(&self, size: &Size) -> f64 {
        self.size(size).entries as f64
    }
}

/// Changed rows.
#[derive(Debug, Clone)]
pub struct Resampled {
    /// The rows to learn from.
    pub data: Dataset,
    /// What should be known of the change: its warnings and facts join those of the learner.
    pub notes: Certificate,
}

impl Resampled {
    /// A machine fitted on these rows, with what should be known of the change.
    pub fn noted(&self, mut fitted: Fitted) -> Fitted {
        fitted.certificate.warnings.splice(0..0, self.notes.warnings.iter().cloned());
        fitted.certificate.facts.extend(self.notes.facts.clone());
        fitted
    }
}

impl<R: Resample> Wrap for R {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn needs(&self, inner: Needs) -> Needs {
        let computes = Self::CHANGE == Change::Makes;
        Needs {
            targets: match inner.targets {
                Wanted::Nothing if Self::CLASSES => Wanted::Classes(1),
                wanted => wanted,
            },
            table: inner.table && !computes,
            missing: inner.missing && !computes,
            weights: match (Self::CHANGE, inner.weights) {
                (Change::Weights, weights) | (_, weights @ Weighting::None) => weights,
                _ => Weighting::Mean,
            },
        }
    }

    fn learn(&self, inner: &dyn Learner, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        match self.change(inner, data, run)? {
            Some(changed) => Ok(changed.noted(inner.fit(&changed.data, start, run)?)),
            None => inner.fit(data, start, run),
        }
    }

    fn change(&self, inner: &dyn Learner, data: &Dataset, run: &Run<'_>) -> Result<Option<Resampled>> {
        if Self::CLASSES && !matches!(data.targets, Targets::Classes(_)) {
            let what = format!("a target of {}", data.targets.type_name());
            let instead = Message::from("it takes classes; numbers can be treated as classes");
            return Err(Error::unsupported(what, Self::NAME, instead.with(Advice::option("task", "classify"))));
        }
        if Self::CHANGE == Change::Weights && inner.traits().needs.weights == Weighting::None {
            return Err(Error::unsupported(Self::NAME, inner.name(), "it takes no weights; use oversample"));
        }
        self.resample(data, &run.fork(Self::NAME)).map(Some)
    }

    fn plan(&self, inner: &dyn Learner, size: &Size) -> Plan {
        let after = self.size(size);
        let plan = inner.plan(&after);
        Plan { fit: plan.fit + self.cost(size), bytes: plan.bytes + 8.0 * after.entries as f64, ..plan }
    }

    fn boxed(&self) -> Box<dyn Wrap> {
        Box::new(self.clone())
    }

    fn makes_rows(&self) -> bool {
        matches!(Self::CHANGE, Change::Copies | Change::Makes)
    }

    fn splits_rows(&self) -> bool {
        false
    }

    fn needs_shape(&self) -> bool {
        Self::SHAPES
    }
}

/// Makes sure that there is memory for so many rows like these.
pub(crate) fn room_for(rows: usize, data: &Dataset, run: &Run<'_>) -> Result<()> {
    let all = match &data.inputs {
        Inputs::Points(points) => points.bytes(),
        Inputs::Table(table) => 8 * (table.rows() as u64).saturating_mul(table.columns().len() as u64),
    };
    let each = all / data.len().max(1) as u64 + 1;
    run.memory.take(each.saturating_mul(rows as u64), "rows chosen").map(|_| ())
}

/// `size` with so many times the rows.
pub(crate) fn times(size: &Size, factor: usize) -> Size {
    Size { rows: size.rows.saturating_mul(factor), entries: size.entries.saturating_mul(factor), ..*size }
}
