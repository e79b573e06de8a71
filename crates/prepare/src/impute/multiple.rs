//! Multiple imputation: several completions of the data, a machine for each, their answers pooled.
//!
//! Gaps are filled by posterior draws of chained equations (`impute-mice`), M times; the learner held is fitted on each
//! completed data set. New rows go through all M chains. Pooled are the probabilities of classes (their mean; scores
//! where there are no probabilities), and values (their mean), with Rubin's variance between imputations
//! B = Σ (y_m − ȳ)² / (M − 1) as a further column for each value; side columns of the machines (a predictive variance W)
//! are averaged, so that the total variance is W + (1 + 1/M) B.
//!
//! **Cost.** M times that of the imputation and of the learner. **Limits.** Clusters and prepared columns have no common
//! meaning between fits, so learners without a target are refused.
//!
//! - D. B. Rubin: *Multiple Imputation for Nonresponse in Surveys.* Wiley 1987.

use super::mice::ImputeMice;
use crate::wrap::Wrap;
use base::{
    Buffer, Catalog, Certificate, Chain, Dataset, Error, Facets, Features, Field, Fitted, Inputs, Learner, Link,
    Machine, Meaning, Missing, Needs, Outputs, Plan, Points, Prediction, Progress, Record, Result, Run, Shared, Size,
    Wanted,
};
use std::sync::Arc;

base::settings! {
    /// Settings of multiple imputation, a step that holds the learner made of all that follows.
    pub struct Multiple {
        /// number of imputations
        pub imputations: usize = 5, in Range::Between(1.0, 1e4), as "n_imputations", was "draws";
        /// maximum number of sweeps over all columns
        pub sweeps: usize = 10, in Range::Between(1.0, 1e4), as "max_iter";
        /// strength γ of the penalty ½γ|β|² on standardised columns
        pub penalty: f64 = 1.0, in Range::Positive, as "alpha", was "gamma";
        /// stop a completion when no imputed value changes by more than this many standard deviations of its column
        pub tolerance: f64 = 1e-3, in Range::AtLeast(0.0), as "tol";
    }
}

impl Multiple {
    /// How a completion is drawn.
    fn mice(&self) -> ImputeMice {
        ImputeMice { sweeps: self.sweeps, penalty: self.penalty, tolerance: self.tolerance, sample: true }
    }
}

impl Wrap for Multiple {
    fn name(&self) -> &'static str {
        "multiple"
    }

    fn needs(&self, inner: Needs) -> Needs {
        Needs { missing: true, table: false, ..inner }
    }

    fn learn(&self, inner: &dyn Learner, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        if inner.traits().needs.targets == Wanted::Nothing {
            let why = "its outputs have no common meaning across fits; use impute-mice before it";
            return Err(Error::unsupported("multiple imputation", format!("{} without a target", inner.name()), why));
        }
        let mice = self.mice();
        let seed = run.seed.fork("multiple");
        let mut certificate = Certificate { converged: true, ..Certificate::default() };
        let mut machines: Vec<Arc<dyn Machine>> = vec![];
        for i in 0..self.imputations {
            if run.step(&Progress::of("imputations", i as u64, self.imputations as u64))? && i > 0 {
                certificate.interrupted = true;
                break;
            }
            let own = Run { seed: seed.at(i), ..run.clone() };
            let attempt = || {
                let filler = mice.fit(data, None, &own)?;
                let completed = data.with_inputs(filler.machine.compute(&data.inputs, &own)?, data.features.clone());
                let fitted = inner.fit(&completed, earlier(start, i)?, &own)?;
                Ok((filler, fitted))
            };
            let (filler, fitted) = match attempt() {
                Err(Error::Stopped { .. }) if i > 0 => {
                    certificate.interrupted = true;
                    break;
                }
                other => other?,
            };
            for part in [&filler.certificate, &fitted.certificate] {
                certificate.converged &= part.converged;
                certificate.interrupted |= part.interrupted;
                certificate.steps += part.steps;
            }
            if i == 0 {
                certificate.warnings = [filler.certificate.warnings, fitted.certificate.warnings].concat();
                certificate.facts = filler.certificate.facts;
                certificate.facts.extend(fitted.certificate.facts);
                certificate.facts.remove("largest change by sweep");
            }
            machines.push(Arc::new(Chain::new(vec![filler.machine, fitted.machine])?));
        }
        certificate.converged &= !certificate.interrupted;
        certificate.fact("imputations", machines.len() as f64);
        Ok(Fitted { machine: Arc::new(Pooled::new(machines)?), certificate })
    }

    fn boxed(&self) -> Box<dyn Wrap> {
        Box::new(self.clone())
    }

    fn makes_rows(&self) -> bool {
        false
    }

    fn splits_rows(&self) -> bool {
        false
    }

    fn plan(&self, inner: &dyn Learner, size: &Size) -> Plan {
        let (fill, learn) = (self.mice().plan(size), inner.plan(size));
        let draws = self.imputations as f64;
        Plan {
            fit: draws * (fill.fit + learn.fit),
            predict: draws * (fill.predict + learn.predict),
            bytes: 8.0 * size.entries as f64 + fill.bytes.max(learn.bytes),
            advice: learn.advice,
        }
    }
}

/// The part of an earlier pooled machine that the i-th fit goes on from.
fn earlier(start: Option<&Record>, i: usize) -> Result<Option<&Record>> {
    let Some(pooled) = start else { return Ok(None) };
    pooled.expect(Pooled::KIND, 1)?;
    match pooled.parts("machines")?.get(i) {
        Some(chain) => Ok(chain.parts("machines")?.last()),
        None => Ok(None),
    }
}

/// Machines whose answers are averaged.
pub struct Pooled {
    machines: Vec<Arc<dyn Machine>>,
    outputs: Outputs,
}

impl Pooled {
    /// The kind of its record.
    pub const KIND: &'static str = "pooled";

    /// Machines that take and give the same columns.
    pub fn new(machines: Vec<Arc<dyn Machine>>) -> Result<Self> {
        let Some(first) = machines.first() else { return Err(Error::size("machines to pool", "at least 1", 0)) };
        let alike = |m: &Arc<dyn Machine>| m.outputs() == first.outputs() && m.inputs() == first.inputs();
        if !machines.iter().all(alike) {
            return Err(Error::size("machines to pool", "the same columns in and out of all", "others"));
        }
        let mut outputs = first.outputs().clone();
        if outputs.link != Link::None {
            outputs.link = Link::Identity;
        }
        if outputs.meaning == Meaning::Values {
            let main = outputs.main();
            let between = outputs.names[..main].iter().map(|name| format!("{name} variance between imputations"));
            outputs.names = outputs.names.iter().cloned().chain(between).collect();
            outputs.extra += main;
        }
        Ok(Pooled { machines, outputs })
    }

    /// A machine from plain data, its parts made by a catalog.
    pub fn read(record: &Record, catalog: &dyn Catalog) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let machines = record.parts("machines")?.iter().map(|part| catalog.machine(part));
        Pooled::new(machines.collect::<Result<_>>()?)
    }

    /// The machines, one for each imputation.
    pub fn machines(&self) -> &[Arc<dyn Machine>] {
        &self.machines
    }

    /// The answers of one machine, scores of classes as probabilities where it gives any.
    fn answers(&self, machine: &dyn Machine, inputs: &Inputs, run: &Run<'_>) -> Result<Vec<f64>> {
        let prediction = Prediction::of(machine, inputs, run)?;
        let mut scores = prediction.scores.to_dense(&run.memory)?.to_vec();
        if let Some(probabilities) = prediction.probabilities(run)? {
            let (width, main) = (prediction.outputs.names.len(), prediction.outputs.main());
            for (row, shares) in scores.chunks_exact_mut(width).zip(probabilities.chunks_exact(main)) {
                row[..main].copy_from_slice(shares);
            }
        }
        Ok(scores)
    }
}

impl Machine for Pooled {
    fn inputs(&self) -> &Features {
        self.machines[0].inputs()
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let (n, width) = (inputs.len(), self.outputs.names.len());
        let inner = self.machines[0].outputs().names.len();
        let (mut out, hold) = run.memory.filled(n.saturating_mul(width), 0.0, "pooled scores")?;
        let _answers = run.memory.take_for::<f64>(n.saturating_mul(inner), "scores of one imputation")?;
        for (m, machine) in self.machines.iter().enumerate() {
            let answers = self.answers(&**machine, inputs, run)?;
            let count = (m + 1) as f64;
            for (row, answer) in out.chunks_exact_mut(width).zip(answers.chunks_exact(inner)) {
                // Mean and sum of squares as they grow, by Welford.
                let (means, squares) = row.split_at_mut(inner);
                for (c, (mean, x)) in means.iter_mut().zip(answer).enumerate() {
                    let before = x - *mean;
                    *mean += before / count;
                    if let Some(square) = squares.get_mut(c) {
                        *square += before * (x - *mean);
                    }
                }
            }
        }
        let freedom = self.machines.len().saturating_sub(1).max(1) as f64;
        out.chunks_exact_mut(width).for_each(|row| row[inner..].iter_mut().for_each(|square| *square /= freedom));
        Points::dense(Buffer::F64(Shared::counted(out, hold)), n, width)
    }

    fn record(&self) -> Record {
        let parts: Vec<Record> = self.machines.iter().map(|m| m.record()).collect();
        Record::new(Self::KIND, 1).with("machines", Field::Parts(parts))
    }

    fn facets(&self) -> Facets<'_> {
        Facets {
            missing: Missing { admits: self.machines.iter().all(|m| m.facets().missing.admits), passes: false },
            support: self.machines.iter().find_map(|m| m.facets().support),
            ..Facets::default()
        }
    }
}
