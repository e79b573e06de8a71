//! The machine that makes of a classifier's scores others that are probabilities, or become so by softmax.
//!
//! **Sigmoids**: a_k s_k + b_k with the softmax as link. **Curves**: a rising curve for each class (for two classes one
//! of the margin s₁ − s₂), divided by their sum. What comes out *is* the score: the class is that of the largest, so
//! prediction, scores and probabilities never disagree. A curve is flat in places and 0 in others; a billionth of what
//! is shown comes from the squashed scores themselves, so that equals are told apart as the classifier does.
//! No output falls when its class's own score rises.

use crate::isotone::Isotone;
use crate::sigmoids::tame;
use base::{Buffer, Error, Features, Inputs, Link, Machine, Outputs, Points, Record, Result, Run, Shared};
use std::sync::Arc;

/// The part of what is shown that comes from the scores themselves, where curves are flat.
const TRACE: f64 = 1e-9;

/// Calibrated scores.
pub struct Calibrator {
    features: Features,
    outputs: Outputs,
    form: CalibrationForm,
}

/// How scores become others.
#[derive(Debug, Clone, PartialEq)]
pub enum CalibrationForm {
    /// Slopes, at least 0, and offsets, one for each class.
    Sigmoids(Vec<f64>, Vec<f64>),
    /// A curve for each class; one for two classes, of the first in terms of the margin.
    Curves(Vec<Isotone>),
}

impl Calibrator {
    /// The kind of its record.
    pub const KIND: &'static str = "calibrator";

    /// After a machine with these names of classes, followed by `beside` names of side information that pass unchanged.
    pub fn new(names: Arc<[String]>, beside: usize, form: CalibrationForm) -> Result<Self> {
        let classes = names.len().saturating_sub(beside);
        let (right, link) = match &form {
            CalibrationForm::Sigmoids(slopes, offsets) => (
                slopes.len() == classes
                    && offsets.len() == classes
                    && slopes.iter().all(|a| *a >= 0.0)
                    && slopes.iter().chain(offsets).all(|x| x.is_finite()),
                Link::Softmax,
            ),
            CalibrationForm::Curves(curves) => {
                let count = if classes == 2 { 1 } else { classes };
                (curves.len() == count && curves.iter().all(Isotone::is_sound), Link::Identity)
            }
        };
        if classes < 2 || !right {
            return Err(Error::size("parts of a calibration", format!("those of {classes} classes"), "others"));
        }
        let outputs = Outputs { extra: beside, ..Outputs::classes(names.clone(), link) };
        Ok(Calibrator { features: Features::named(names), outputs, form })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let names: Arc<[String]> = record.texts("names")?.into();
        let beside = record.count("extra")?;
        let list = |name: &str| record.array(name).map(|(_, b)| b.get(0..b.len()).into_owned());
        let form = match record.has("slopes") {
            true => CalibrationForm::Sigmoids(list("slopes")?, list("offsets")?),
            false => {
                let (places, values) = (list("places")?, list("values")?);
                let starts = record.wholes("starts")?;
                let cut = |w: &[u64]| {
                    let range = usize::try_from(w[0]).ok()?..usize::try_from(w[1]).ok()?;
                    let (places, values) = (places.get(range.clone())?.to_vec(), values.get(range)?.to_vec());
                    Some(Isotone { places, values })
                };
                let curves: Option<Vec<Isotone>> = starts.windows(2).map(cut).collect();
                CalibrationForm::Curves(curves.ok_or_else(|| record.broken("its curves do not fit their starts"))?)
            }
        };
        Self::new(names, beside, form)
    }

    /// A and B of P(first) = 1 / (1 + exp(A m + B)) in terms of the margin, for sigmoids of two classes.
    pub fn sigmoid(&self) -> Option<(f64, f64)> {
        match &self.form {
            CalibrationForm::Sigmoids(slopes, offsets) => match (&slopes[..], &offsets[..]) {
                (&[a, b], &[first, second]) if a == b => Some((-a, second - first)),
                _ => None,
            },
            CalibrationForm::Curves(_) => None,
        }
    }

    fn calibrate(&self, scores: &[f64], out: &mut [f64]) {
        match &self.form {
            CalibrationForm::Sigmoids(slopes, offsets) => {
                for (k, out) in out.iter_mut().enumerate() {
                    *out = slopes[k] * tame(scores[k]) + offsets[k];
                }
            }
            CalibrationForm::Curves(curves) => {
                let squash = |s: f64| 0.5 * (s / (1.0 + s.abs()) + 1.0);
                let mut traces: Vec<f64>;
                if let ([curve], [first, second]) = (&curves[..], &mut *out) {
                    let margin = tame(scores[0]) - tame(scores[1]);
                    *first = curve.at(margin);
                    *second = 1.0 - *first;
                    traces = vec![squash(margin), squash(-margin)];
                } else {
                    out.iter_mut().zip(curves).zip(scores).for_each(|((p, curve), &s)| *p = curve.at(tame(s)));
                    traces = scores.iter().map(|&s| squash(tame(s))).collect();
                }
                let uniform = 1.0 / out.len() as f64;
                for list in [&mut *out, &mut traces[..]] {
                    let sum: f64 = list.iter().sum();
                    list.iter_mut().for_each(|p| *p = if sum > 0.0 { *p / sum } else { uniform });
                }
                out.iter_mut().zip(traces).for_each(|(p, trace)| *p = (1.0 - TRACE) * *p + TRACE * trace);
            }
        }
    }
}

impl Machine for Calibrator {
    ends!();

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        let (n, width, main) = (points.len(), self.outputs.names.len(), self.outputs.main());
        let (mut scores, hold) = run.memory.filled(n.saturating_mul(width), 0.0, "calibrated scores")?;
        let mut row = vec![0.0; width];
        for (i, out) in scores.chunks_exact_mut(width).enumerate() {
            points.write_row(i, &mut row);
            self.calibrate(&row[..main], &mut out[..main]);
            out[main..].copy_from_slice(&row[main..]);
        }
        Points::dense(Buffer::F64(Shared::counted(scores, hold)), n, width)
    }

    fn record(&self) -> Record {
        let record =
            Record::new(Self::KIND, 2).with("names", &self.outputs.names[..]).with("extra", self.outputs.extra);
        match &self.form {
            CalibrationForm::Sigmoids(slopes, offsets) => record
                .with_array("slopes", &[slopes.len()], slopes.clone())
                .with_array("offsets", &[offsets.len()], offsets.clone()),
            CalibrationForm::Curves(curves) => {
                let mut starts = vec![0u64];
                curves.iter().for_each(|c| starts.push(starts[starts.len() - 1] + c.places.len() as u64));
                let join = |f: fn(&Isotone) -> &Vec<f64>| curves.iter().flat_map(f).copied().collect::<Vec<f64>>();
                let (places, values) = (join(|c| &c.places), join(|c| &c.values));
                record.with("starts", starts).with_array("places", &[places.len()], places).with_array(
                    "values",
                    &[values.len()],
                    values,
                )
            }
        }
    }
}
