//! Calibration: probabilities that say how often a classifier is right, from scores of rows it has not seen.
//!
//! The rows are cut into folds; each is scored by a machine fitted on the others. On these scores the calibration is
//! fitted (`platt`: sigmoids, for two classes Platt's; `isotonic`: a rising curve a class), and the machine that goes
//! before it is fitted on all rows. The result is a chain whose scores are the calibrated ones, so that the class
//! predicted is always that of the largest probability.
//!
//! **Cost.** folds + 1 fits; learners that share work between folds do so. **Limits.** `platt` assumes a sigmoid;
//! `isotonic` assumes nothing and wants some 1,000 rows. Steps that stand before it have seen all rows: put calibrate
//! first to have them fitted anew in each fold.

use crate::calibrator::{CalibrationForm, Calibrator};
use crate::isotone::Isotone;
use crate::sigmoids::{sigmoids, tame};
use crate::wrap::Wrap;
use base::{
    Chain, Dataset, Error, Fits, Fitted, Learner, Meaning, Needs, Outputs, Plan, Record, Result, Run, Size, Wanted,
    Weighting, choices, classes_of, fit_all,
};
use evaluate::Splitting;
use std::sync::Arc;

choices! {
    /// What the calibration looks like.
    pub enum Method {
        /// Sigmoids.
        Platt = "platt" | "sigmoid",
        /// Rising curves.
        Isotonic = "isotonic",
    }
}

base::settings! {
    /// Settings of calibration, a step that holds the learner made of all that follows.
    pub struct Calibrate {
        /// sigmoids (platt) or isotonic regression (isotonic)
        pub method: Method = Method::Platt, in Range::Any;
        /// number of cross-validation folds; each is scored by a machine that has not seen it
        pub folds: usize = 5, in Range::AtLeast(2.0), as "cv";
    }
}

impl Wrap for Calibrate {
    fn name(&self) -> &'static str {
        "calibrate"
    }

    fn needs(&self, inner: Needs) -> Needs {
        Needs {
            targets: match inner.targets {
                Wanted::Classes(least) | Wanted::ClassesOrLabels(least) => Wanted::Classes(least.max(2)),
                _ => Wanted::Classes(2),
            },
            // Folds are cut by rows, so a weight is so many rows only on average.
            weights: if inner.weights == Weighting::None { Weighting::None } else { Weighting::Mean },
            ..inner
        }
    }

    fn learn(&self, inner: &dyn Learner, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        // The machine before the calibration goes on from an earlier one.
        let start = match start {
            Some(record) if record.kind() == Chain::KIND => record.parts("machines")?.first(),
            other => other,
        };
        let mut fitted = inner.fit(data, start, run)?;
        let outputs = fitted.machine.outputs().clone();
        if outputs.meaning != Meaning::Classes || outputs.main() < 2 {
            let instead = "it is for machines that score classes";
            return Err(Error::unsupported("calibrate", format!("{} on these data", inner.name()), instead));
        }
        let (seen, cut_short) = self.scores(inner, data, &outputs, run)?;
        if cut_short {
            (fitted.certificate.interrupted, fitted.certificate.converged) = (true, false);
        }
        let form = match self.method {
            Method::Platt => {
                let found = sigmoids(&seen.scores, seen.k, &seen.classes, &seen.weights, run)?;
                if found.held > 0 {
                    let what =
                        format!("calibrate: {} scores carry no or inverted information and were left out", found.held);
                    fitted.certificate.warn(what);
                }
                if !found.converged {
                    fitted.certificate.warn("calibrate: the sigmoids did not converge");
                }
                CalibrationForm::Sigmoids(found.slopes, found.offsets)
            }
            Method::Isotonic => seen.curves(),
        };
        if data.prepared {
            let what = "calibrate: the steps before it have seen the calibration rows; put it first to avoid the \
                 leak";
            fitted.certificate.warn(what);
        }
        fitted.certificate.fact("calibrate: rows", seen.classes.len() as f64);
        let calibrator = Calibrator::new(outputs.names.clone(), outputs.extra, form)?;
        fitted.machine = Arc::new(Chain::new(vec![fitted.machine, Arc::new(calibrator)])?);
        Ok(fitted)
    }

    fn plan(&self, inner: &dyn Learner, size: &Size) -> Plan {
        let folds = self.folds.max(2);
        let part = |x: usize| x / folds * (folds - 1);
        let fold = inner.plan(&Size { rows: part(size.rows), entries: part(size.entries), ..*size });
        let whole = inner.plan(size);
        let k = size.outputs as f64;
        Plan {
            fit: whole.fit + folds as f64 * fold.fit + size.rows as f64 * (whole.predict + 40.0 * k * k),
            predict: whole.predict + 2.0 * k,
            ..whole
        }
    }

    fn boxed(&self) -> Box<dyn Wrap> {
        Box::new(self.clone())
    }

    fn makes_rows(&self) -> bool {
        false
    }

    fn splits_rows(&self) -> bool {
        true
    }

    fn takes_tables(&self) -> bool {
        true
    }
}

/// Scores of rows by machines that have not seen them.
struct Seen {
    k: usize,
    scores: Vec<f64>,
    classes: Vec<usize>,
    weights: Vec<f64>,
}

impl Calibrate {
    /// These, and whether some machine was interrupted.
    fn scores(&self, inner: &dyn Learner, data: &Dataset, outputs: &Outputs, run: &Run<'_>) -> Result<(Seen, bool)> {
        let raw = Dataset { prepared: false, ..data.clone() };
        let splitting = Splitting::Folds { n: self.folds, repeats: 1, stratified: true };
        let splits = splitting.of(&raw, run.seed.fork("calibrate"))?;
        let rows: Vec<Vec<usize>> = splits.iter().map(|s| s.train.clone()).collect();
        // What is kept on the way is the machine of all rows; those of the folds would take its place.
        let unkept = Run { checkpoint: None, ..run.clone() };
        let machines = fit_all(inner, &Fits { settings: &[vec![]], rows: Some(&rows), data: &raw }, &unkept)?;
        let (k, truth) = (outputs.main(), classes_of(data)?);
        let mut seen = Seen { k, scores: vec![], classes: vec![], weights: vec![] };
        for (split, fitted) in splits.iter().zip(&machines) {
            let found = fitted.machine.outputs();
            let places: Option<Vec<usize>> =
                outputs.names[..k].iter().map(|n| found.names[..found.main()].iter().position(|f| f == n)).collect();
            // A fold whose machine has not met all classes says nothing of them.
            let Some(places) = places else { continue };
            let scores = fitted.machine.compute(&data.inputs.select(&split.test)?, run)?.to_dense(&run.memory)?;
            for (&row, line) in split.test.iter().zip(scores.chunks_exact(found.names.len())) {
                let class = truth.get(row).and_then(|c| outputs.names[..k].iter().position(|n| *n == truth.names()[c]));
                if let Some(class) = class {
                    seen.scores.extend(places.iter().map(|&p| line[p]));
                    seen.classes.push(class);
                    seen.weights.push(data.weight(row));
                }
            }
        }
        match seen.classes.is_empty() {
            true => Err(Error::size("rows to calibrate on", "at least 1", 0)),
            false => Ok((seen, machines.iter().any(|m| m.certificate.interrupted))),
        }
    }
}

impl Seen {
    /// The curve of each class, for two classes that of the first in terms of the margin.
    fn curves(&self) -> CalibrationForm {
        let rows = || self.scores.chunks_exact(self.k).zip(&self.classes).zip(&self.weights);
        let curve = |class: usize, place: &dyn Fn(&[f64]) -> f64| {
            let point =
                |((row, own), w): ((&[f64], &usize), &f64)| (place(row), f64::from(u8::from(*own == class)), *w);
            Isotone::fit(rows().map(point).collect())
        };
        CalibrationForm::Curves(match self.k {
            2 => vec![curve(0, &|row| tame(row[0]) - tame(row[1]))],
            k => (0..k).map(|c| curve(c, &|row| tame(row[c]))).collect(),
        })
    }
}
