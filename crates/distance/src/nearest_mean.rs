//! The nearest mean: each class is its mean, a point belongs to the nearest.
//!
//! Scores are −‖x − μ_k‖², where μ_k is the weighted mean of class k. The border between two classes is the plane half
//! way between their means, so this is the simplest of all linear classifiers, and the honest thing to compare with.
//!
//! **Cost.** One pass over the stored numbers to fit; 2·d operations per class to predict. Sparse data stay sparse.
//! **Limits.** Classes of unlike spread or several clusters are beyond it; scale the columns first.
//! A class without rows scores the lowest finite number and is never predicted.

use crate::rows::{add_row, parts};
use base::{
    Certificate, Dataset, Error, Features, Fitted, Inputs, Learner, Link, Machine, Meaning, Needs, Outputs, Plan,
    Points, Progress, Record, Result, Run, Shared, Size, Slope, Wanted, Weighting, classes_of, settings,
};
use numeric::{MatMut, Prepared, sum_blocks};
use std::sync::Arc;

settings! {
    /// Settings of the nearest mean; there are none.
    pub struct NearestMean {}
}

impl Learner for NearestMean {
    fn name(&self) -> &'static str {
        "nearest-mean"
    }

    fn needs(&self) -> Needs {
        Needs { targets: Wanted::Classes(1), table: false, missing: false, weights: Weighting::Exact }
    }

    fn learn(&self, data: &Dataset, _start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let (points, classes) = (data.points()?, classes_of(data)?);
        let (n, d, count) = (points.len(), points.columns(), classes.names().len());
        let length = count.saturating_mul(d);
        let weight = |i: usize| data.weights.as_ref().map_or(1.0, |w| w[i]);
        let mut totals = vec![0.0; count];
        (0..n).filter_map(|i| Some((i, classes.get(i)?))).for_each(|(i, class)| totals[class] += weight(i));

        let block = n.div_ceil(parts(points, length)).max(1);
        let sums = sum_blocks(run, n, block, length, |rows, sums| {
            for i in rows {
                if i % 1024 == 0 {
                    run.report(&Progress::of("means", i as u64, n as u64))?;
                }
                let Some(class) = classes.get(i) else { continue };
                // The share of the row in its mean, so that sums of large numbers do not overflow.
                let share = weight(i) / totals[class];
                let sum = &mut sums[class * d..(class + 1) * d];
                add_row(points, i, share, sum);
            }
            Ok(())
        })?;
        let mut certificate = Certificate::direct();
        for (name, _) in classes.names().iter().zip(&totals).filter(|(_, t)| **t == 0.0) {
            certificate.warn(format!("class {name:?} has no rows and is never predicted"));
        }
        let present: Vec<u32> = (0..count as u32).filter(|&c| totals[c as usize] > 0.0).collect();
        let outputs = Outputs::classes(classes.names().clone(), Link::None);
        let machine = NearestMeanMachine::new(data.features.clone(), outputs, sums, present)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn boxed(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }

    fn plan(&self, size: &Size) -> Plan {
        let means = size.outputs as f64 * size.columns as f64;
        let parts = (size.entries as f64 / (4.0 * means.max(1.0))).clamp(1.0, 16.0);
        Plan { fit: 2.0 * size.entries as f64, predict: 2.0 * means, bytes: 8.0 * means * (parts + 1.0), advice: None }
    }
}

/// The means of the classes.
pub struct NearestMeanMachine {
    inputs: Features,
    outputs: Outputs,
    /// Means of the classes that have rows, row after row.
    means: Points,
    /// Which classes these are.
    present: Vec<u32>,
}

impl NearestMeanMachine {
    /// The kind of its record.
    pub const KIND: &'static str = "nearest-mean";

    /// From the means of all classes, of which those that are present are kept.
    fn new(inputs: Features, outputs: Outputs, means: Vec<f64>, present: Vec<u32>) -> Result<Self> {
        let all = Points::dense(means, outputs.names.len(), inputs.count())?;
        let means = all.select(&present.iter().map(|&c| c as usize).collect::<Vec<_>>())?;
        means.check(false, |c| inputs.name(c))?;
        Ok(NearestMeanMachine { inputs, outputs, means, present })
    }

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let inputs = Features::read(record.part("inputs")?)?;
        let outputs = Outputs::read(record.part("outputs")?)?;
        let present = record.ids("present")?.to_vec();
        let ascending = present.windows(2).all(|w| w[0] < w[1]);
        let inside = present.last().is_some_and(|&c| (c as usize) < outputs.names.len());
        if outputs.meaning != Meaning::Classes || outputs.extra > 0 || inputs.table().is_some() || !ascending || !inside
        {
            return Err(record.broken("scores of classes, some of them with a mean, are expected"));
        }
        let values = record.array_of("means", &[present.len(), inputs.count()])?;
        let means = Points::dense(values, present.len(), inputs.count())?;
        means.check(false, |c| inputs.name(c))?;
        Ok(NearestMeanMachine { inputs, outputs, means, present })
    }
}

impl Machine for NearestMeanMachine {
    fn inputs(&self) -> &Features {
        &self.inputs
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let Inputs::Points(queries) = inputs else { return Err(Error::size("inputs", "points", "a table")) };
        let (m, width, known) = (queries.len(), self.outputs.names.len(), self.present.len());
        let prepared = Prepared::new(run, &self.means)?;
        let (mut scores, hold) = run.memory.filled(m.saturating_mul(width), f64::MIN, "scores")?;
        let (mut distances, _held) = run.memory.filled(m.saturating_mul(known), 0.0, "distances")?;
        prepared.squared_distances(run, queries, MatMut::new(&mut distances, m, known)?)?;
        for (line, out) in distances.chunks_exact(known).zip(scores.chunks_exact_mut(width)) {
            for (distance, &class) in line.iter().zip(&self.present) {
                out[class as usize] = (-distance).max(f64::MIN);
            }
        }
        Points::dense(base::Buffer::F64(Shared::counted(scores, hold)), m, width)
    }

    fn record(&self) -> Record {
        let shape = [self.present.len(), self.inputs.count()];
        let record = Record::new(Self::KIND, 1)
            .with("inputs", self.inputs.record())
            .with("outputs", self.outputs.record())
            .with("present", self.present.clone());
        match &self.means {
            Points::Dense(means) => record.with_array("means", &shape, means.values().clone()),
            Points::Sparse(_) => record,
        }
    }

    fn slope(&self) -> Option<&dyn Slope> {
        Some(self)
    }
}

impl Slope for NearestMeanMachine {
    /// Σ_k direction_k · ∂(−‖x − μ_k‖²)/∂x = Σ_k −2 direction_k (x − μ_k).
    fn pull(&self, x: &[f64], direction: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let mut mean = vec![0.0; self.inputs.count()];
        for (row, &class) in self.present.iter().enumerate() {
            let factor = -2.0 * direction.get(class as usize).copied().unwrap_or(0.0);
            self.means.write_row(row, &mut mean);
            out.iter_mut().zip(x).zip(&mean).for_each(|((out, x), m)| *out += factor * (x - m));
        }
    }
}
