//! The nearest mean: each class is its mean, or several of them, and a point belongs to the nearest.
//!
//! Scores are −‖x − μ_k‖², where μ_k is the weighted mean of class k. The border between two classes is the plane half
//! way between their means, so this is the simplest of all linear classifiers, and the honest thing to compare with.
//! With several prototypes a class, they are the centres K-means finds within the class, and the nearest counts; borders
//! are then made of planes.
//!
//! **Cost.** One pass over the stored numbers to fit (several prototypes: a K-means for each class); 2·d operations per
//! prototype to predict. Sparse data stay sparse. **Limits.** Classes of unlike spread are beyond it; scale the columns
//! first.
//! A class without rows scores the lowest finite number and is never predicted.

use crate::kmeans::KMeans;
use crate::rows::{add_row, parts};
use base::graph::{Draft, Filling, Graph, Op, Reduction, Unary};
use base::{
    Certificate, Classes, Dataset, Error, Facets, Features, Fitted, Gradient, GraphForm, Inputs, Learner, Link,
    Machine, Meaning, Needs, Outputs, Plan, Points, Progress, Record, Result, Run, Shared, Size, Traits, Wanted,
    Weighting, classes_of, settings, vjp_by_row,
};
use numeric::{MatMut, Prepared, sum_blocks};
use std::sync::Arc;

settings! {
    /// Settings of the nearest mean.
    pub struct NearestMean {
        /// prototypes per class; more than one are found by k-means within the class
        pub prototypes: usize = 1, in Range::AtLeast(1.0), as "n_prototypes";
    }
}

impl Learner for NearestMean {
    fn name(&self) -> &'static str {
        "nearest-mean"
    }

    fn traits(&self) -> Traits<'_> {
        let weights = if self.prototypes == 1 { Weighting::Exact } else { Weighting::Mean };
        Traits::new(Needs { targets: Wanted::Classes(1), table: false, missing: false, weights })
            .random()
            .without_class_weight()
    }

    fn learn(&self, data: &Dataset, _start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let classes = classes_of(data)?;
        let mut certificate = Certificate::direct();
        let (means, owners) = match self.prototypes {
            1 => class_means(data, classes, run)?,
            k => class_centres(data, classes, k, &mut certificate, run)?,
        };
        let missing = |c: &u32| !owners.contains(c);
        for class in (0..classes.names().len() as u32).filter(missing) {
            certificate.warn(format!("class {:?} has no rows and is never predicted", classes.names()[class as usize]));
        }
        let outputs = Outputs::classes(classes.names().clone(), Link::None);
        let machine = NearestMeanMachine::new(data.features.clone(), outputs, means, owners)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let means = size.outputs as f64 * size.columns as f64 * self.prototypes as f64;
        if self.prototypes > 1 {
            let plan = KMeans { k: self.prototypes, ..KMeans::default() }.plan(size);
            return Plan { predict: 2.0 * means, bytes: plan.bytes + 8.0 * (size.entries as f64 + means), ..plan };
        }
        let parts = (size.entries as f64 / (4.0 * means.max(1.0))).clamp(1.0, 16.0);
        Plan { fit: 2.0 * size.entries as f64, predict: 2.0 * means, bytes: 8.0 * means * (parts + 1.0), advice: None }
    }
}

/// The mean of each class that has rows, row after row, and which classes these are.
fn class_means(data: &Dataset, classes: &Classes, run: &Run<'_>) -> Result<(Vec<f64>, Vec<u32>)> {
    let points = data.points()?;
    let (n, d, count) = (points.len(), points.columns(), classes.names().len());
    let length = count.saturating_mul(d);
    let weight = |i: usize| data.weight(i);
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
    let present: Vec<u32> = (0..count as u32).filter(|&c| totals[c as usize] > 0.0).collect();
    let means = present.iter().flat_map(|&c| &sums[c as usize * d..(c as usize + 1) * d]).copied().collect();
    Ok((means, present))
}

/// Up to k centres of each class, row after row, and whose they are.
fn class_centres(
    data: &Dataset,
    classes: &Classes,
    k: usize,
    certificate: &mut Certificate,
    run: &Run<'_>,
) -> Result<(Vec<f64>, Vec<u32>)> {
    let (mut centres, mut owners) = (vec![], vec![]);
    for class in 0..classes.names().len() {
        let rows: Vec<usize> = (0..data.len()).filter(|&i| classes.get(i) == Some(class)).collect();
        if rows.is_empty() {
            continue;
        }
        if rows.len() < k {
            let (name, n) = (&classes.names()[class], rows.len());
            certificate.warn(format!("class {name:?} has fewer rows ({n}) than prototypes; each row is a prototype"));
        }
        let own = data.select(&rows)?;
        let found = KMeans { k: k.min(rows.len()), ..KMeans::default() }.best(
            &own,
            None,
            &run.fork(&format!("class {class}")),
        )?;
        certificate.converged &= found.converged;
        certificate.interrupted |= found.interrupted;
        owners.extend(std::iter::repeat_n(class as u32, k.min(rows.len())));
        centres.extend(found.centres);
    }
    Ok((centres, owners))
}

/// The means of the classes.
pub struct NearestMeanMachine {
    inputs: Features,
    outputs: Outputs,
    /// One or more means of each class that has rows, row after row.
    means: Points,
    /// Whose they are, ascending.
    owners: Vec<u32>,
}

impl NearestMeanMachine {
    /// The kind of its record.
    pub const KIND: &'static str = "nearest-mean";

    fn new(inputs: Features, outputs: Outputs, means: Vec<f64>, owners: Vec<u32>) -> Result<Self> {
        let means = Points::dense(means, owners.len(), inputs.count())?;
        means.check(false, |c| inputs.name(c))?;
        Ok(NearestMeanMachine { inputs, outputs, means, owners })
    }

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let inputs = Features::read(record.part("inputs")?)?;
        let outputs = Outputs::read(record.part("outputs")?)?;
        let owners = record.ids("present")?.to_vec();
        let ascending = owners.windows(2).all(|w| w[0] <= w[1]);
        let inside = owners.last().is_some_and(|&c| (c as usize) < outputs.names.len());
        if outputs.meaning != Meaning::Classes || outputs.extra > 0 || inputs.table().is_some() || !ascending || !inside
        {
            return Err(record.broken("scores of classes, some of them with a mean, are expected"));
        }
        let means = record.array_of("means", &[owners.len(), inputs.count()])?;
        Self::new(inputs, outputs, means, owners)
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
        let (m, width, known) = (queries.len(), self.outputs.names.len(), self.owners.len());
        let prepared = Prepared::new(run, &self.means)?;
        let (mut scores, hold) = run.memory.filled(m.saturating_mul(width), f64::MIN, "scores")?;
        let (mut distances, _held) = run.memory.filled(m.saturating_mul(known), 0.0, "distances")?;
        prepared.squared_distances(run, queries, MatMut::new(&mut distances, m, known)?)?;
        for (line, out) in distances.chunks_exact(known).zip(scores.chunks_exact_mut(width)) {
            for (distance, &class) in line.iter().zip(&self.owners) {
                let score = &mut out[class as usize];
                *score = score.max(-distance);
            }
        }
        Points::dense(base::Buffer::F64(Shared::counted(scores, hold)), m, width)
    }

    fn record(&self) -> Record {
        let shape = [self.owners.len(), self.inputs.count()];
        let record = Record::new(Self::KIND, 1)
            .with("inputs", self.inputs.record())
            .with("outputs", self.outputs.record())
            .with("present", self.owners.clone());
        match &self.means {
            Points::Dense(means) => record.with_array("means", &shape, means.values().clone()),
            Points::Sparse(_) => record,
        }
    }

    fn facets(&self) -> Facets<'_> {
        Facets { gradient: Some(self), graph: Some(self), ..Facets::default() }
    }
}

impl GraphForm for NearestMeanMachine {
    fn graph(&self, run: &Run<'_>) -> Result<Option<Graph>> {
        let (d, width, known) = (self.inputs.count(), self.outputs.names.len(), self.owners.len());
        let mut draft = Draft::rows(d);
        let means = self.means.to_dense(&run.memory)?.to_vec();
        let means = draft.weight("means", &[known, d], means)?;
        let distances = draft.node("distances", Op::Distance { q: 2.0 }, &[Draft::INPUT, means]);
        let scores = draft.node("nearness", Op::Unary(Unary::Neg), &[distances]);
        if self.owners.iter().enumerate().all(|(i, &c)| i == c as usize) && known == width {
            return draft.graph(scores).map(Some);
        }
        // One more column, the lowest of scores, stands in for prototypes that a class does not have.
        let pads = draft.wholes("one more", &[4], vec![0, 0, 0, 1])?;
        let lowest = draft.number("lowest", f64::MIN)?;
        let padded = draft.node("with the lowest", Op::Pad { filling: Filling::Constant }, &[scores, pads, lowest]);
        let own = |class: usize| (0..known).filter(move |&i| self.owners[i] as usize == class);
        let most = (0..width).map(|c| own(c).count()).max().unwrap_or(1).max(1);
        let places = (0..width).flat_map(|c| own(c).chain(std::iter::repeat(known)).take(most).map(|i| i as i64));
        let places = draft.wholes("whose they are", &[width, most], places.collect())?;
        let grouped = draft.node("by class", Op::Gather { axis: 1 }, &[padded, places]);
        let nearest = Op::Reduce { reduction: Reduction::Max, axes: vec![2], keep: false };
        let nearest = draft.node("nearest", nearest, &[grouped]);
        draft.graph(nearest).map(Some)
    }
}

impl Gradient for NearestMeanMachine {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |x, direction, out| {
            out.fill(0.0);
            let mut mean = vec![0.0; self.inputs.count()];
            let mut nearest = mean.clone();
            let mut row = 0;
            while let Some(&class) = self.owners.get(row) {
                let mut least = f64::INFINITY;
                while self.owners.get(row) == Some(&class) {
                    self.means.write_row(row, &mut mean);
                    let distance = numeric::squared_distance(x, &mean);
                    if distance < least || least == f64::INFINITY {
                        least = distance;
                        nearest.copy_from_slice(&mean);
                    }
                    row += 1;
                }
                let factor = -2.0 * direction.get(class as usize).copied().unwrap_or(0.0);
                out.iter_mut().zip(x).zip(&nearest).for_each(|((out, x), m)| *out += factor * (x - m));
            }
        })
    }
}
