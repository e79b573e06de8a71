//! Thresholds of label sets by F1 on rows that the machine has not seen.
//!
//! A fraction of the rows is held out and scored by the machine that was fitted on the rest. On these scores one threshold for
//! all labels (micro F1), or one for each (its own F1, hence macro F1), is chosen: `evaluate/src/sets/threshold.rs`. Then the
//! machine is fitted on all rows, and its scores are moved such that the thresholds lie at 0.
//!
//! **Cost.** Two fits. **Limits.** The thresholds are those of a machine of fewer rows, whose scores may be a little
//! different. Held-out rows that are to judge the result must be others: `--holdout`, folds and `--test` do that.

use crate::LabelCuts;
use crate::wrap::Wrap;
use base::{
    Chain, Dataset, Error, Fitted, Learner, Meaning, Needs, Plan, Record, Result, Run, Size, Weighting, choices,
};
use evaluate::{HeldScores, threshold_for_all, threshold_for_each};
use std::sync::Arc;

choices! {
    /// What a threshold is for.
    pub enum For {
        /// All labels.
        All = "all" | "micro",
        /// Each label.
        Each = "each" | "macro",
    }
}

base::settings! {
    /// Settings of thresholds of label sets, a step that holds the machine made of all that follows.
    pub struct Thresholds {
        /// one threshold for all labels, by micro F1 (all), or one for each, by its own F1 (each)
        pub labels: For = For::All, in Range::Any;
        /// fraction of the rows held out to choose by
        pub share: f64 = 0.2, in Range::Share;
        /// held-out rows that a label must have for a threshold of its own
        pub min_rows: f64 = 5.0, in Range::AtLeast(1.0), was "least";
    }
}

impl Wrap for Thresholds {
    fn name(&self) -> &'static str {
        "thresholds"
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
        let (train, held) = evaluate::hold_out(&raw, self.share, run.seed.fork("thresholds"))?;
        let first = inner.fit(&raw.select(&train)?, start, run)?;
        let known = first.machine.outputs().clone();
        if known.meaning != Meaning::Labels {
            let instead = "it is for label sets; a class has a threshold in predict and score";
            return Err(Error::unsupported("thresholds", format!("{} on these data", inner.name()), instead));
        }
        let held = raw.select(&held)?;
        let scores = HeldScores::new(&*first.machine, &held, run)?;
        let all = threshold_for_all(&scores);
        let each = match self.labels {
            For::All => vec![],
            For::Each => threshold_for_each(&scores, known.main(), self.min_rows),
        };
        drop(scores);
        let mut fitted = inner.fit(data, start, run)?;
        // All rows may have labels that the rest has not: they take the threshold for all.
        let outputs = fitted.machine.outputs();
        let place: std::collections::HashMap<&str, f64> =
            known.names.iter().map(String::as_str).zip(each.iter().copied()).collect();
        let cut = |name: &String| place.get(name.as_str()).copied().unwrap_or(all.threshold);
        let cuts: Vec<f64> = match self.labels {
            For::All => vec![all.threshold],
            For::Each => outputs.names[..outputs.main()].iter().map(cut).collect(),
        };
        if data.prepared {
            let what = "thresholds: the steps before it have seen the held-out rows; put it first to avoid the leak";
            fitted.certificate.warn(what);
        }
        fitted.certificate.fact("thresholds: held-out rows", held.len() as f64);
        fitted.certificate.fact("thresholds: threshold for all labels", all.threshold);
        fitted.certificate.fact("thresholds: micro F1 there, optimistic", all.f1);
        if self.labels == For::Each {
            let own = cuts.iter().filter(|t| **t != all.threshold).count();
            fitted.certificate.fact("thresholds: labels with one of their own", own as f64);
        }
        let cuts = LabelCuts::new(fitted.machine.outputs(), cuts)?;
        fitted.machine = Arc::new(Chain::new(vec![fitted.machine, Arc::new(cuts)])?);
        Ok(fitted)
    }

    fn usual(&self) -> &'static str {
        "linear-svm"
    }

    fn plan(&self, inner: &dyn Learner, size: &Size) -> Plan {
        let part = |x: usize| (x as f64 * (1.0 - self.share)) as usize;
        let first = inner.plan(&Size { rows: part(size.rows), entries: part(size.entries), ..*size });
        let plan = inner.plan(size);
        Plan { fit: first.fit + plan.fit + self.share * size.rows as f64 * plan.predict, ..plan }
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
