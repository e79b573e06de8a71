//! Cascade correlation: hidden units are added one by one, each seeing the inputs and all units before it.
//!
//! Begin with a linear layer on the inputs. A new unit v = tanh(u·z + b), z being the inputs and the units so far, is
//! trained to follow what the layer misses: it maximises Σ_o cov(v, e_o)² / var(v) over the residuals e_o, which is how
//! much the squared error falls when the unit alone joins the layer. Several candidates start from drawn weights and the
//! best one is kept and frozen. Then the linear layer is found anew by ridge least squares on inputs and units. Growth
//! ends at `units`, or when the squared error falls by less than `tolerance` of the targets' own squares about their mean.
//! Classes are learnt as +1 and −1, as by `elm`.
//!
//! **Cost.** For each unit candidates · steps · 4 n (d + units) operations, and n (d + units) numbers.
//! **Limits.** Each unit is a local maximum; the network is narrow and deep, and small weights need scaled columns.
//!
//! - S. E. Fahlman, C. Lebiere: *The cascade-correlation learning architecture.* NIPS 2 (1990) 524-532.
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 7.2.3.

use super::targets::targets_of;
use super::{Readout, readout};
use crate::NetworkMachine;
use base::graph::{Draft, Element, Graph, Op, Source, Tensor, Unary};
use base::{
    Certificate, Dataset, Error, Fact, Fitted, Gap, Learner, Machine, Needs, Outputs, Plan, Progress, Record, Result,
    Run, Seed, Size, Traits, Wanted, Weighting, normal,
};
use numeric::{Lbfgs, Mat, MatMut, product, times_vector};
use std::sync::Arc;

base::settings! {
    /// Settings of cascade correlation.
    pub struct Cascade {
        /// maximum number of hidden units
        pub units: usize = 10, in Range::Between(0.0, 1000.0), as "n_units";
        /// candidates per unit; the best is kept
        pub candidates: usize = 8, in Range::AtLeast(1.0), as "n_candidates";
        /// maximum number of training iterations per candidate
        pub steps: usize = 100, in Range::AtLeast(1.0), as "max_iter";
        /// strength γ of the penalty ½γ|v|² on the linear layer
        pub penalty: f64 = 0.01, in Range::Positive, as "alpha", was "gamma";
        /// decrease of the squared error, as a fraction of the targets' variance, below which no unit is added
        pub tolerance: f64 = 0.0001, in Range::AtLeast(0.0), as "tol";
    }
}

/// A frozen unit: weights of inputs and earlier units, then what is added.
type Unit = Vec<f64>;

impl Learner for Cascade {
    fn name(&self) -> &'static str {
        "cascade"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Either, table: false, missing: false, weights: Weighting::Mean })
            .random()
            .effort(60.0, 3.5, 5e6)
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let mut certificate = Certificate::direct();
        let (outputs, targets) = targets_of(data, &mut certificate)?;
        let mut units: Vec<Unit> = vec![];
        let mut stage = Stage::new(&units, data, &targets, self.penalty, run)?;
        let mut curve = vec![stage.squares];
        let whole = about_mean(data, &targets);
        while units.len() < self.units {
            let done = Progress::of("units", units.len() as u64, self.units as u64);
            if run.step(&Progress { value: Some(stage.squares), ..done })? {
                certificate.interrupted = true;
                certificate.converged = false;
                break;
            }
            let grown = self.grow(&units, &stage, data, &targets, run);
            let (unit, next) = match grown {
                // The units so far have their layer.
                Err(Error::Stopped { .. }) => {
                    certificate.interrupted = true;
                    certificate.converged = false;
                    break;
                }
                other => match other? {
                    Some(grown) => grown,
                    None => break,
                },
            };
            units.push(unit);
            let fall = stage.squares - next.squares;
            if fall.is_nan() || fall <= self.tolerance * whole {
                units.pop();
                break;
            }
            curve.push(next.squares);
            stage = next;
        }
        certificate.steps = units.len() as u64;
        certificate.objective = Some(stage.layer.objective);
        certificate.gap = Gap::Residual(stage.layer.residual);
        certificate.facts.insert("squared error by units".into(), Fact::Curve(curve));
        let graph = graph(&units, data.points()?.columns(), Some(&stage.layer))?;
        let machine = NetworkMachine::new(graph, data.features.clone(), outputs)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d, units) = (size.rows as f64, size.columns as f64, self.units as f64);
        let wide = d + units;
        // Some forty evaluations a candidate.
        let fit = units * n * (self.candidates as f64 * 40.0 * 4.0 * wide + wide * wide);
        let predict = 2.0 * units * wide + 2.0 * wide * size.outputs.max(1) as f64;
        let bytes = 8.0 * (n * (wide + 4.0 * self.candidates as f64) + 2.0 * wide * wide);
        Plan { fit, predict, bytes, advice: None }
    }
}

/// A network that has grown so far: what its units see and what its layer misses.
struct Stage {
    /// rows x (columns + units).
    seen: Vec<f64>,
    columns: usize,
    /// rows x outputs, each column with weighted mean 0.
    missed: Vec<f64>,
    layer: Readout,
    /// Half the weighted sum of squared misses.
    squares: f64,
    _hold: base::Hold,
}

impl Stage {
    fn new(units: &[Unit], data: &Dataset, targets: &[f64], gamma: f64, run: &Run<'_>) -> Result<Self> {
        let n = data.len();
        let columns = data.points()?.columns() + units.len();
        let names = Outputs::features((0..columns).map(|j| format!("z{j}")).collect());
        let network = NetworkMachine::new(graph(units, columns - units.len(), None)?, data.features.clone(), names)?;
        let layer = readout(&network, data, targets, gamma, run)?;
        let numbers = n.saturating_mul(columns).saturating_add(targets.len());
        let hold = run.memory.take_for::<f64>(numbers, "inputs of the next unit")?;
        let seen = network.compute(&data.inputs, run)?.to_dense(&run.memory)?.to_vec();
        let k = layer.offsets.len();
        let mut missed = targets.to_vec();
        missed.chunks_exact_mut(k).for_each(|row| row.iter_mut().zip(&layer.offsets).for_each(|(m, o)| *m -= o));
        let (z, v) = (Mat::new(&seen, n, columns)?, Mat::new(&layer.weights, columns, k)?);
        product(run, z, v, MatMut::new(&mut missed, n, k)?, -1.0, true)?;
        let weight = |i: usize| data.weight(i);
        let rows = missed.chunks_exact(k).enumerate();
        let squares = rows.map(|(i, m)| 0.5 * weight(i) * numeric::dot(m, m)).sum();
        Ok(Stage { seen, columns, missed, layer, squares, _hold: hold })
    }
}

impl Cascade {
    /// One unit more, and the network with it; none if no unit can follow what is missed.
    fn grow(
        &self,
        units: &[Unit],
        stage: &Stage,
        data: &Dataset,
        targets: &[f64],
        run: &Run<'_>,
    ) -> Result<Option<(Unit, Stage)>> {
        let seed = run.seed.fork("cascade").at(units.len());
        let Some(unit) = self.candidate(stage, data, seed, run)? else { return Ok(None) };
        let more: Vec<Unit> = units.iter().cloned().chain([unit.clone()]).collect();
        Ok(Some((unit, Stage::new(&more, data, targets, self.penalty, run)?)))
    }

    /// The best of several candidates; none if no unit can follow what is missed.
    fn candidate(&self, stage: &Stage, data: &Dataset, seed: Seed, run: &Run<'_>) -> Result<Option<Unit>> {
        let settings = Lbfgs { tolerance: 1e-6, steps: self.steps, memory: 10 };
        let _hold = run.memory.take_for::<f64>(data.len().saturating_mul(4 * self.candidates), "candidates")?;
        let found = numeric::each(run, self.candidates, |c| {
            let own = Run { threads: 1, ..run.clone() };
            let mut stream = seed.at(c).stream();
            let spread = 1.0 / (stage.columns as f64).sqrt();
            let start: Vec<f64> = (0..=stage.columns).map(|_| spread * normal(&mut stream)).collect();
            let mut objective = |u: &[f64], g: &mut [f64]| followed(stage, data.weights.as_deref(), u, g, &own);
            let ended = settings.minimise(&own, &start, &mut objective)?;
            Ok((ended.value, ended.point))
        })?;
        let best = found.into_iter().reduce(|best, next| if next.0 < best.0 { next } else { best });
        Ok(best.filter(|(value, _)| *value < 0.0).map(|(_, unit)| unit))
    }
}

/// Half the weighted squares of targets about their means.
fn about_mean(data: &Dataset, targets: &[f64]) -> f64 {
    let k = targets.len() / data.len().max(1);
    let weight = |i: usize| data.weight(i);
    let total: f64 = (0..data.len()).map(weight).sum();
    let of = |o: usize| {
        let column = || targets.iter().skip(o).step_by(k).enumerate().map(|(i, t)| (weight(i), t));
        let mean = column().map(|(w, t)| w * t).sum::<f64>() / total;
        column().map(|(w, t)| 0.5 * w * (t - mean) * (t - mean)).sum::<f64>()
    };
    (0..k).map(of).sum()
}

/// −Σ_o cov(v, e_o)² / var(v), as a share of Σ_o var(e_o), and its gradient over the unit's weights.
fn followed(stage: &Stage, weights: Option<&[f64]>, u: &[f64], gradient: &mut [f64], run: &Run<'_>) -> Result<f64> {
    let columns = stage.columns;
    let n = stage.seen.len() / columns.max(1);
    let k = stage.missed.len() / n.max(1);
    let z = Mat::new(&stage.seen, n, columns)?;
    let mut v = vec![0.0; n];
    times_vector(run, z, &u[..columns], &mut v)?;
    v.iter_mut().for_each(|v| *v = (*v + u[columns]).tanh());
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let total: f64 = (0..n).map(weight).sum();
    let mean = v.iter().enumerate().map(|(i, v)| weight(i) * v).sum::<f64>() / total;
    let variance: f64 = v.iter().enumerate().map(|(i, v)| weight(i) * (v - mean) * (v - mean)).sum();
    let scale: f64 = (0..n).map(|i| weight(i) * numeric::dot(stage.row(i, k), stage.row(i, k))).sum();
    gradient.fill(0.0);
    // A unit that says the same of all rows follows nothing.
    if variance <= 1e-12 * total || scale <= 0.0 {
        return Ok(0.0);
    }
    let mut along = vec![0.0; k];
    for (i, v) in v.iter().enumerate() {
        numeric::add_scaled(&mut along, weight(i) * (v - mean), stage.row(i, k));
    }
    let square = numeric::dot(&along, &along);
    // d/dv_i of Σ c_o²/s with c_o = Σ w (v − v̄) e_o (the residuals have mean 0) and s = Σ w (v − v̄)²; then tanh' = 1 − v².
    let pull: Vec<f64> = v
        .iter()
        .enumerate()
        .map(|(i, v)| {
            let slope = 2.0 * numeric::dot(&along, stage.row(i, k)) / variance
                - 2.0 * square * (v - mean) / (variance * variance);
            -weight(i) * slope * (1.0 - v * v) / scale
        })
        .collect();
    times_vector(run, z.transposed(), &pull, &mut gradient[..columns])?;
    gradient[columns] = pull.iter().sum();
    Ok(-square / (variance * scale))
}

impl Stage {
    fn row(&self, i: usize, k: usize) -> &[f64] {
        &self.missed[i * k..(i + 1) * k]
    }
}

/// Inputs and units side by side, with the linear layer on top if there is one.
fn graph(units: &[Unit], columns: usize, layer: Option<&Readout>) -> Result<Graph> {
    let mut draft = Draft::default();
    let mut seen: Source = draft.input("x", Element::F64, vec![None, Some(columns)]);
    for (j, unit) in units.iter().enumerate() {
        let wide = columns + j;
        let u = draft.trained(&format!("unit {j} weights"), Tensor::f64([wide, 1], unit[..wide].to_vec())?);
        let b = draft.trained(&format!("unit {j} threshold"), Tensor::f64([1], unit[wide..].to_vec())?);
        let field = draft.node(&format!("field {j}"), Op::Dense { transposed: false }, &[seen, u, b]);
        let value = draft.node(&format!("unit {j}"), Op::Unary(Unary::Tanh), &[field]);
        seen = draft.node(&format!("seen {j}"), Op::Concat { axis: 1 }, &[seen, value]);
    }
    let Some(layer) = layer else {
        // A graph has to have a node of its own to give its input back.
        let same = draft.node("z", Op::Unary(Unary::Identity), &[seen]);
        return draft.named("z", same);
    };
    let k = layer.offsets.len();
    let v = draft.trained("readout weights", Tensor::f64([columns + units.len(), k], layer.weights.clone())?);
    let c = draft.trained("readout offsets", Tensor::f64([k], layer.offsets.clone())?);
    let y = draft.node("readout", Op::Dense { transposed: false }, &[seen, v, c]);
    draft.named("y", y)
}
