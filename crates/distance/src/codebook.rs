//! A codebook: centres, and each point belongs to the nearest.
//!
//! The score of cluster k is −‖x − c_k‖² (Euclidean) or minus the distance (other metrics). K-means, K-medoids,
//! competitive learning and cuts of a hierarchy all end in one; they differ in how they find the centres.
//!
//! **Cost.** 2·d operations per centre to predict a row.

use crate::metric::Metric;
use crate::rows::cluster_names;
use base::graph::{Binary, Draft, Graph, Op, Reduction, Unary};
use base::{
    Error, Facets, Features, Gradient, GraphForm, Inputs, Link, Machine, Meaning, Outputs, Points, Record, Result, Run,
    Shared, Support, Supported, vjp_by_row,
};

/// Centres of clusters.
#[derive(Debug, Clone)]
pub struct Codebook {
    inputs: Features,
    outputs: Outputs,
    metric: Metric,
    /// k x columns, row after row.
    centres: Vec<f64>,
    /// Which training rows the centres are, where they are some.
    rows: Option<Vec<u64>>,
}

impl Codebook {
    /// The kind of its record.
    pub const KIND: &'static str = "codebook";

    /// From centres row after row.
    pub fn new(inputs: Features, centres: Vec<f64>, metric: Metric, rows: Option<Vec<u64>>) -> Result<Self> {
        let d = inputs.count();
        let k = centres.len() / d.max(1);
        if k == 0 || k * d != centres.len() || rows.as_ref().is_some_and(|r| r.len() != k) {
            return Err(Error::size("numbers of the centres", format!("a multiple of {d}"), centres.len()));
        }
        Points::dense(centres.clone(), k, d)?.check(false, |c| inputs.name(c))?;
        Ok(Codebook { inputs, outputs: Outputs::classes(cluster_names(k), Link::None), metric, centres, rows })
    }

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let inputs = Features::read(record.part("inputs")?)?;
        let outputs = Outputs::read(record.part("outputs")?)?;
        if inputs.table().is_some() || outputs.meaning != Meaning::Classes || outputs.extra > 0 {
            return Err(record.broken("points in and a score for each cluster out are expected"));
        }
        let centres = record.array_of("centres", &[outputs.names.len(), inputs.count()])?;
        let word = record.text("metric")?;
        let metric = Metric::from_word(word).ok_or_else(|| record.broken(format!("unknown metric {word:?}")))?;
        let rows = record.has("rows").then(|| record.wholes("rows").map(|r| r.to_vec())).transpose()?;
        Ok(Codebook { outputs, ..Codebook::new(inputs, centres, metric, rows)? })
    }

    /// The centres, row after row.
    pub fn centres(&self) -> &[f64] {
        &self.centres
    }

    /// How many centres.
    pub fn len(&self) -> usize {
        self.outputs.names.len()
    }

    /// Whether there are none; never, but asked for by habit.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Machine for Codebook {
    fn inputs(&self) -> &Features {
        &self.inputs
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let Inputs::Points(queries) = inputs else { return Err(Error::size("inputs", "points", "a table")) };
        let (m, k) = (queries.len(), self.len());
        let (mut scores, hold) = run.memory.filled(m.saturating_mul(k), 0.0, "scores")?;
        let centres = Points::dense(self.centres.clone(), k, self.inputs.count())?;
        self.metric.costs(run, queries, &centres, &mut scores)?;
        scores.iter_mut().for_each(|s| *s = (-*s).max(f64::MIN));
        Points::dense(base::Buffer::F64(Shared::counted(scores, hold)), m, k)
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 1)
            .with("inputs", self.inputs.record())
            .with("outputs", self.outputs.record())
            .with("metric", self.metric.word())
            .with_array("centres", &[self.len(), self.inputs.count()], self.centres.clone())
            .with_some("rows", self.rows.clone())
    }

    fn facets(&self) -> Facets<'_> {
        Facets {
            gradient: (self.metric == Metric::Euclidean).then_some(self),
            graph: Some(self),
            support: self.rows.is_some().then_some(self),
            ..Facets::default()
        }
    }
}

impl Supported for Codebook {
    fn support(&self) -> Support {
        Support { points: self.len(), rows: self.rows.clone().map(Into::into) }
    }
}

impl GraphForm for Codebook {
    fn graph(&self, _run: &Run<'_>) -> Result<Option<Graph>> {
        let (d, k) = (self.inputs.count(), self.len());
        let mut draft = Draft::rows(d);
        let centres = draft.weight("centres", &[k, d], self.centres.clone())?;
        let reduction = match self.metric {
            Metric::Euclidean => None,
            Metric::Manhattan => Some(Reduction::L1),
            Metric::Chebyshev => Some(Reduction::Max),
        };
        let distances = match reduction {
            None => draft.node("distances", Op::Distance { q: 2.0 }, &[Draft::INPUT, centres]),
            Some(reduction) => {
                let rows = draft.node("rows", Op::Unsqueeze { axes: vec![1] }, &[Draft::INPUT]);
                let apart = draft.node("differences", Op::Binary(Binary::Sub), &[rows, centres]);
                let sizes = draft.node("sizes", Op::Unary(Unary::Abs), &[apart]);
                draft.node("distances", Op::Reduce { reduction, axes: vec![2], keep: false }, &[sizes])
            }
        };
        let nearness = draft.node("nearness", Op::Unary(Unary::Neg), &[distances]);
        let lowest = draft.number("lowest", f64::MIN)?;
        let scores = draft.node("scores", Op::Clip, &[nearness, lowest]);
        draft.graph(scores).map(Some)
    }
}

impl Gradient for Codebook {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |x, direction, out| {
            out.fill(0.0);
            for (centre, weight) in self.centres.chunks_exact(x.len().max(1)).zip(direction) {
                out.iter_mut().zip(x).zip(centre).for_each(|((out, x), c)| *out -= 2.0 * weight * (x - c));
            }
        })
    }
}
