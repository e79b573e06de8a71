//! The linear machine: scores s_k(x) = w_k·x + b_k.
//!
//! With a posterior it also gives the variance of each predicted value,
//! σ_k² (1 + 1/Σw + (x − m)ᵀ S (x − m)), S = (XᵀX + γI)⁻¹ over centred inputs; without an intercept the middle term
//! falls away and m = 0. The 1 is the noise of a new observation, the rest what is not known of the weights.
//!
//! **Cost.** O(stored numbers · outputs) a row, O(columns²) more with a posterior.

use crate::weights::Weights;
use base::graph::{Binary, Draft, Graph, Op, Reduction};
use base::{
    Buffer, Error, Facets, Features, Gradient, GraphForm, Inputs, Machine, Meaning, Outputs, Points, Progress, Record,
    Result, Run, Shared, vjp_by_row,
};
use numeric::{Mat, MatMut, product};

/// Rows whose variance is computed in one go.
const ROWS: usize = 512;
/// Numbers of sparse weights up to which a graph, whose weights are dense, is made of them.
const LARGEST_GRAPH: usize = 1 << 26;

/// A linear machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    features: Features,
    outputs: Outputs,
    weights: Weights,
    offsets: Vec<f64>,
    posterior: Option<Posterior>,
}

/// What is known of the weights besides their mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// Variance of the noise, for each value predicted.
    pub noise: Vec<f64>,
    /// S = (XᵀX + γI)⁻¹, columns x columns; σ²S is the covariance of the weights.
    pub spread: Vec<f64>,
    /// The inputs' mean m.
    pub mean: Vec<f64>,
    /// 1/Σw if there is an intercept, else 0.
    pub offset: f64,
}

impl Linear {
    /// The kind of its record.
    pub const KIND: &'static str = "linear";

    /// A machine with these weights (outputs x columns, or sparse) and offsets; a posterior adds a variance to each value.
    pub fn new(
        features: Features,
        mut outputs: Outputs,
        weights: impl Into<Weights>,
        offsets: Vec<f64>,
        posterior: Option<Posterior>,
    ) -> Result<Self> {
        let (d, k, weights) = (features.count(), outputs.names.len(), weights.into());
        weights.check(k, d)?;
        if outputs.extra != 0 || offsets.len() != k {
            return Err(Error::size("offsets of a linear machine", k, offsets.len()));
        }
        if offsets.iter().any(|b| !b.is_finite()) {
            return Err(Error::data(base::Place::Whole, "the weights are not finite; rescale the data"));
        }
        if let Some(p) = &posterior {
            let right = outputs.meaning == Meaning::Values
                && p.noise.len() == k
                && p.mean.len() == d
                && Some(p.spread.len()) == d.checked_mul(d);
            if !right {
                return Err(Error::size("spread of a posterior", format!("{d} x {d}"), p.spread.len()));
            }
            outputs.names =
                outputs.names.iter().cloned().chain(outputs.names.iter().map(|n| format!("{n} variance"))).collect();
            outputs.extra = k;
        }
        Ok(Linear { features, outputs, weights, offsets, posterior })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = Features::read(record.part("inputs")?)?;
        let mut outputs = Outputs::read(record.part("outputs")?)?;
        let k = outputs.main();
        outputs.names = outputs.names[..k].into();
        outputs.extra = 0;
        let d = features.count();
        let posterior = match record.has("posterior") {
            false => None,
            true => {
                let part = record.part("posterior")?;
                Some(Posterior {
                    noise: part.array_of("noise", &[k])?,
                    spread: part.array_of("spread", &[d, d])?,
                    mean: part.array_of("means", &[d])?,
                    offset: part.number("offset")?,
                })
            }
        };
        let (weights, offsets) = (Weights::get(record, k, d)?, record.array_of("offsets", &[k])?);
        Self::new(features, outputs, weights, offsets, posterior)
    }

    /// The weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The offsets, one for each output.
    pub fn offsets(&self) -> &[f64] {
        &self.offsets
    }

    /// Writes the variances of rows `scores` beside their means.
    fn variances(&self, p: &Posterior, points: &Points, scores: &mut [f64], run: &Run<'_>) -> Result<()> {
        let (d, k) = (self.features.count(), self.offsets.len());
        let _hold = run.memory.take_for::<f64>(2 * ROWS * d, "variances")?;
        let (mut centred, mut spread) = (vec![0.0; ROWS * d], vec![0.0; ROWS * d]);
        for (block, scores) in scores.chunks_mut(ROWS * 2 * k).enumerate() {
            let rows = scores.len() / (2 * k);
            run.report(&Progress::of("variance", (block * ROWS) as u64, points.len() as u64))?;
            for (i, row) in centred.chunks_exact_mut(d).take(rows).enumerate() {
                points.write_row(block * ROWS + i, row);
                row.iter_mut().zip(&p.mean).for_each(|(x, m)| *x -= m);
            }
            let view = Mat::new(&centred[..rows * d], rows, d)?;
            product(run, view, Mat::new(&p.spread, d, d)?, MatMut::new(&mut spread[..rows * d], rows, d)?, 1.0, false)?;
            for (i, out) in scores.chunks_exact_mut(2 * k).enumerate() {
                // Rounding may take a variance of nothing below 0.
                let known = numeric::dot(&centred[i * d..(i + 1) * d], &spread[i * d..(i + 1) * d]).max(0.0);
                out[k..].iter_mut().zip(&p.noise).for_each(|(v, noise)| *v = noise * (1.0 + p.offset + known));
            }
        }
        Ok(())
    }
}

impl Machine for Linear {
    fn inputs(&self) -> &Features {
        &self.features
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let Inputs::Points(points) = inputs else { return Err(Error::size("inputs", "points", "a table")) };
        let (n, k, width) = (points.len(), self.offsets.len(), self.outputs.names.len());
        let (mut scores, hold) = run.memory.filled(n.saturating_mul(width), 0.0, "scores")?;
        self.weights.scores(points, &mut scores, (k, width), run)?;
        for row in scores.chunks_exact_mut(width.max(1)) {
            row.iter_mut().zip(&self.offsets).for_each(|(s, b)| *s += b);
        }
        if let Some(posterior) = &self.posterior {
            self.variances(posterior, points, &mut scores, run)?;
        }
        Points::dense(Buffer::F64(Shared::counted(scores, hold)), n, width)
    }

    fn record(&self) -> Record {
        let (d, k) = (self.features.count(), self.offsets.len());
        let posterior = self.posterior.as_ref().map(|p| {
            Record::new("posterior", 1)
                .with_array("noise", &[k], p.noise.clone())
                .with_array("spread", &[d, d], p.spread.clone())
                .with_array("means", &[d], p.mean.clone())
                .with("offset", p.offset)
        });
        let record = Record::new(Self::KIND, 2)
            .with("inputs", self.features.record())
            .with("outputs", self.outputs.record())
            .with_array("offsets", &[k], self.offsets.clone())
            .with_some("posterior", posterior);
        self.weights.put(record, k, d)
    }

    fn facets(&self) -> Facets<'_> {
        Facets { gradient: Some(self), graph: Some(self), ..Facets::default() }
    }
}

impl GraphForm for Linear {
    fn graph(&self, run: &Run<'_>) -> Result<Option<Graph>> {
        let (d, k) = (self.features.count(), self.offsets.len());
        if matches!(self.weights, Weights::Sparse(_)) && d.saturating_mul(k) > LARGEST_GRAPH {
            return Ok(None);
        }
        let mut draft = Draft::rows(d);
        let weights = draft.weight("weights", &[k, d], self.weights.to_dense(&run.memory)?.to_vec())?;
        let offsets = draft.weight("offsets", &[k], self.offsets.clone())?;
        let scores = draft.node("scores", Op::Dense { transposed: true }, &[Draft::INPUT, weights, offsets]);
        let Some(p) = &self.posterior else { return draft.graph(scores).map(Some) };
        let mean = draft.numbers("mean", p.mean.clone())?;
        let spread = draft.weight("spread", &[d, d], p.spread.clone())?;
        let centred = draft.node("centred", Op::Binary(Binary::Sub), &[Draft::INPUT, mean]);
        let along = draft.node("spread out", Op::Dense { transposed: false }, &[centred, spread]);
        let product = draft.node("products", Op::Binary(Binary::Mul), &[centred, along]);
        let sum = Op::Reduce { reduction: Reduction::Sum, axes: vec![1], keep: true };
        let sum = draft.node("sum of products", sum, &[product]);
        let zero = draft.number("zero", 0.0)?;
        let known = draft.node("unknown part", Op::Clip, &[sum, zero]);
        let one = draft.number("noise and offset", 1.0 + p.offset)?;
        let all = draft.node("shares", Op::Binary(Binary::Add), &[known, one]);
        let noise = draft.numbers("noise", p.noise.clone())?;
        let variances = draft.node("variances", Op::Binary(Binary::Mul), &[all, noise]);
        let both = draft.node("scores and variances", Op::Concat { axis: 1 }, &[scores, variances]);
        draft.graph(both).map(Some)
    }
}

impl Gradient for Linear {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |x, direction, out| {
            let (d, k) = (self.features.count(), self.offsets.len());
            out.fill(0.0);
            self.weights.pull(direction, out);
            if let Some(p) = &self.posterior {
                // ∂/∂x of (x − m)ᵀ S (x − m) is 2 S (x − m).
                let along: f64 = direction[k..].iter().zip(&p.noise).map(|(a, noise)| a * noise).sum();
                let centred: Vec<f64> = x.iter().zip(&p.mean).map(|(x, m)| x - m).collect();
                for (o, row) in out.iter_mut().zip(p.spread.chunks_exact(d.max(1))) {
                    *o += 2.0 * along * numeric::dot(row, &centred);
                }
            }
        })
    }
}
