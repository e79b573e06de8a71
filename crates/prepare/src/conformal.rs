//! What held-out rows promise of new ones: p-values of a detector, or label sets with a stated coverage.
//!
//! **Label sets.** After a machine of label sets its scores are moved such that the labels above 0 hold all true labels of a row
//! with probability at least 1 − α (`promise=all`), or miss at most a fraction α of them in expectation (`promise=missed`):
//! `evaluate/src/sets/conformal.rs`.
//!
//! **Detectors.** How strange a row is among rows that the detector has not seen: a share of the rows is held out and scored by the machine that was fitted on the rest. A new row with score s gets
//! p = (1 + #{held-out scores ≥ s}) / (1 + #held-out), in a column `p_value` beside the score. For a row drawn like the
//! held-out ones P(p ≤ t) ≤ t for every t, whatever the detector: an alarm at p ≤ 0.01 is false at most once in a hundred
//! times. The smallest p that can come out is 1 / (1 + #held-out). Rows of weight w count as w rows.
//!
//! **Cost.** One fit on the rest, a search a row. **Limits.** Rows must be exchangeable: no drift, no copies of training
//! rows among the new ones. Strange rows among the held-out ones make p-values larger, hence alarms rarer.
//!
//! - V. Vovk, A. Gammerman, G. Shafer: *Algorithmic Learning in a Random World.* Springer 2005.

use crate::LabelCuts;
use crate::wrap::Wrap;
use base::{
    Buffer, Chain, Dataset, Error, Features, Fitted, Inputs, Learner, Machine, Meaning, Needs, Outputs, Plan, Points,
    Record, Result, Run, Shared, Size, Weighting,
};
use evaluate::{HeldScores, Promise, conformal_cut};
use std::sync::Arc;

base::settings! {
    /// Settings of conformal p-values and label sets, a step that holds the machine made of all that follows.
    pub struct Conformal {
        /// fraction of the rows held out for calibration
        pub share: f64 = 0.2, in Range::Share;
        /// label sets: how often, or how much, they may miss
        pub alpha: f64 = 0.1, in Range::Between(0.0, 1.0);
        /// label sets: all true labels with probability 1 - alpha (all), or a fraction alpha of them missed (missed)
        pub guarantee: Promise = Promise::All, in Range::Any, was "promise";
    }
}

impl Wrap for Conformal {
    fn name(&self) -> &'static str {
        "conformal"
    }

    fn needs(&self, inner: Needs) -> Needs {
        Needs { weights: if inner.weights == Weighting::None { Weighting::None } else { Weighting::Mean }, ..inner }
    }

    fn learn(&self, inner: &dyn Learner, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let start = match start {
            Some(record) if record.kind() == Chain::KIND => record.parts("machines")?.first(),
            other => other,
        };
        let raw = Dataset { prepared: false, ..data.clone() };
        let (train, held) = evaluate::hold_out(&raw, self.share, run.seed.fork("conformal"))?;
        let mut fitted = inner.fit(&raw.select(&train)?, start, run)?;
        let outputs = fitted.machine.outputs().clone();
        let held = raw.select(&held)?;
        if data.prepared {
            let what = "conformal: the steps before it have seen the held-out rows; put it first to avoid the leak";
            fitted.certificate.warn(what);
        }
        fitted.certificate.fact("conformal: held-out rows", held.len() as f64);
        if outputs.meaning == Meaning::Labels {
            return self.sets(fitted, &held, run);
        }
        if outputs.meaning != Meaning::Outlier {
            let instead =
                "it is for detectors (one-class-svm, svdd, kde, autoencoder:returns=error) and for label sets";
            return Err(Error::unsupported("conformal", inner.name(), instead));
        }
        let scores = fitted.machine.compute(&held.inputs, run)?.to_dense(&run.memory)?;
        let weight = |i: usize| held.weight(i);
        let scores = scores.chunks_exact(outputs.names.len()).enumerate().map(|(i, row)| (row[0], weight(i)));
        let ranks = ConformalRanks::new(&outputs, scores.collect())?;
        fitted.certificate.fact("conformal: smallest p-value", 1.0 / (1.0 + ranks.total()));
        fitted.machine = Arc::new(Chain::new(vec![fitted.machine, Arc::new(ranks)])?);
        Ok(fitted)
    }

    fn usual(&self) -> &'static str {
        "one-class-svm"
    }

    fn plan(&self, inner: &dyn Learner, size: &Size) -> Plan {
        let part = |x: usize| (x as f64 * (1.0 - self.share)) as usize;
        let plan = inner.plan(&Size { rows: part(size.rows), entries: part(size.entries), ..*size });
        Plan { fit: plan.fit + self.share * size.rows as f64 * plan.predict, ..plan }
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

impl Conformal {
    /// The same machine with its sets cut where held-out rows promise it.
    fn sets(&self, mut fitted: Fitted, held: &Dataset, run: &Run<'_>) -> Result<Fitted> {
        let scores = HeldScores::new(&*fitted.machine, held, run)?;
        let cut = conformal_cut(&scores, self.guarantee, self.alpha)?;
        if cut == f64::NEG_INFINITY {
            let why = format!(
                "{} held-out rows cannot promise alpha = {}: too few, or too many with labels that the rows learned from \
                 do not have; raise alpha or share",
                scores.rows.len(),
                self.alpha
            );
            return Err(Error::data(base::Place::Whole, why));
        }
        // A label is meant above the threshold, and in the set from the cut on.
        let cut = cut.min(f64::MAX).next_down();
        let size: usize = scores.rows.iter().map(|r| r.pairs.iter().filter(|p| p.score > cut).count()).sum();
        fitted.certificate.fact("conformal: cut of the scores", cut);
        if cut >= scores.floor {
            fitted.certificate.fact("conformal: labels in a held-out set", size as f64 / scores.rows.len() as f64);
        }
        let cuts = LabelCuts::new(fitted.machine.outputs(), vec![cut])?;
        fitted.machine = Arc::new(Chain::new(vec![fitted.machine, Arc::new(cuts)])?);
        Ok(fitted)
    }
}

/// Adds the p-value of the first column among held-out scores.
pub struct ConformalRanks {
    features: Features,
    outputs: Outputs,
    /// Held-out scores, ascending.
    held: Vec<f64>,
    /// The weight of those from each place on.
    above: Vec<f64>,
}

impl ConformalRanks {
    /// The kind of its record.
    pub const KIND: &'static str = "conformal";

    /// After a detector with these outputs; scores of held-out rows with their weights.
    pub fn new(detector: &Outputs, mut scores: Vec<(f64, f64)>) -> Result<Self> {
        if scores.iter().any(|(s, w)| s.is_nan() || !(*w >= 0.0 && w.is_finite())) || detector.names.is_empty() {
            return Err(Error::data(base::Place::Whole, "held-out scores must be numbers with weights of at least 0"));
        }
        scores.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut above: Vec<f64> = scores.iter().map(|s| s.1).collect();
        (1..above.len()).rev().for_each(|i| above[i - 1] += above[i]);
        Self::of(detector.names.clone(), detector.extra, scores.into_iter().map(|s| s.0).collect(), above)
    }

    fn of(names: Arc<[String]>, extra: usize, held: Vec<f64>, above: Vec<f64>) -> Result<Self> {
        let features = Features::named(names.clone());
        let names = names.iter().cloned().chain(["p_value".to_string()]).collect();
        let outputs = Outputs { meaning: Meaning::Outlier, extra: extra + 1, ..Outputs::values(names) };
        Ok(ConformalRanks { features, outputs, held, above })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let names: Arc<[String]> = record.texts("names")?.into();
        let extra = record.count("extra")?;
        let list = |name: &str| record.array(name).map(|(_, b)| b.get(0..b.len()).into_owned());
        let (held, above) = (list("held")?, list("above")?);
        let sound = held.is_sorted()
            && above.len() == held.len()
            && above.windows(2).all(|w| w[0] >= w[1])
            && above.iter().all(|w| *w >= 0.0 && w.is_finite())
            && extra < names.len();
        match sound {
            true => Self::of(names, extra, held, above),
            false => Err(record.broken("its held-out scores are not in order")),
        }
    }

    /// The weight of all held-out rows.
    pub fn total(&self) -> f64 {
        self.above.first().copied().unwrap_or(0.0)
    }

    /// The p-value of a score.
    pub fn p_value(&self, score: f64) -> f64 {
        let place = self.held.partition_point(|&h| h < score);
        (1.0 + self.above.get(place).copied().unwrap_or(0.0)) / (1.0 + self.total())
    }
}

impl Machine for ConformalRanks {
    ends!();

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        let (n, width) = (points.len(), self.outputs.names.len());
        let (mut scores, hold) = run.memory.filled(n.saturating_mul(width), 0.0, "p-values")?;
        for (i, out) in scores.chunks_exact_mut(width).enumerate() {
            points.write_row(i, &mut out[..width - 1]);
            out[width - 1] = self.p_value(out[0]);
        }
        Points::dense(Buffer::F64(Shared::counted(scores, hold)), n, width)
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 1)
            .with("names", &self.outputs.names[..self.outputs.names.len() - 1])
            .with("extra", self.outputs.extra - 1)
            .with_array("held", &[self.held.len()], self.held.clone())
            .with_array("above", &[self.above.len()], self.above.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_count_what_is_as_strange() {
        let outputs = Outputs::values(vec!["outlier_score".to_string()].into());
        let ranks = ConformalRanks::new(&outputs, vec![(3.0, 1.0), (1.0, 1.0), (2.0, 2.0), (2.0, 1.0)]).unwrap();
        let p = [0.0, 1.0, 1.5, 2.0, 3.0, 3.1].map(|s| ranks.p_value(s));
        testkit::assert_close(&p, &[1.0, 1.0, 5.0 / 6.0, 5.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0], 1e-15, "p-values");
        let back = ConformalRanks::read(&ranks.record()).unwrap();
        assert_eq!((back.record(), back.outputs()), (ranks.record(), ranks.outputs()));
        assert_eq!((ranks.outputs().main(), &*ranks.outputs().names[1]), (1, "p_value"));
        assert!(ConformalRanks::new(&outputs, vec![(f64::NAN, 1.0)]).is_err());
    }
}
