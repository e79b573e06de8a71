//! A mixture of Gaussians: a density p(x) = Σ_m p_m N(x; μ_m, Σ_m) and who is responsible for what.
//!
//! Scores are the joint log densities ln p_m + ln N(x; μ_m, Σ_m); their softmax are the responsibilities
//! Q_m = p_m N_m / Σ_k p_k N_k, their log-sum-exp is ln p(x). Σ_m is σ_m² I (isotropic), diagonal or full. A component
//! with p_m = 0 scores the lowest finite number.
//!
//! **Cost.** Per row and component d operations, d² if full. Sparse rows are written out one at a time.

use crate::rows::cluster_names;
use base::graph::{Binary, Draft, Graph, Op, Reduction};
use base::{
    Error, Explainer, Explains, Facets, Features, Gradient, GraphForm, Inputs, Link, Machine, Meaning, Outputs,
    OwnMethod, Points, Quantity, Record, Result, Run, Seed, Shared, choices, normal, vjp_by_row,
};
use density::{Density, METHODS, OneClass, QUANTITY, RadialKernel};
use numeric::{Cholesky, Mat, MatMut, add_scaled, dot, each_chunk_mut, eigen, product};

choices! {
    /// Which forms the components may take.
    pub enum Covariance {
        /// A sphere: σ² the same in every direction.
        Isotropic = "isotropic" | "spherical",
        /// An ellipsoid along the axes.
        Diagonal = "diagonal" | "diag",
        /// Any ellipsoid.
        Full = "full",
    }
}

impl Covariance {
    /// Numbers that describe one component's spread in `d` columns.
    pub fn numbers(self, d: usize) -> usize {
        match self {
            Covariance::Isotropic => 1,
            Covariance::Diagonal => d,
            Covariance::Full => d.saturating_mul(d),
        }
    }

    /// Raises the variances of one component in `d` columns, or the eigenvalues of its matrix, to `floor`.
    pub fn raise(self, spread: &mut [f64], d: usize, floor: f64, run: &Run<'_>) -> Result<()> {
        if self != Covariance::Full {
            spread.iter_mut().for_each(|v| *v = v.max(floor));
            return Ok(());
        }
        // All eigenvalues lie above the floor if what is left without it has a Cholesky factor; that is quickly tried.
        let mut rest = spread.to_vec();
        (0..d).for_each(|i| rest[i * d + i] -= floor);
        if Cholesky::new(run, Mat::new(&rest, d, d)?).is_ok() {
            return Ok(());
        }
        let found = eigen(run, Mat::new(spread, d, d)?)?;
        if found.values.iter().all(|v| *v >= floor) {
            return Ok(());
        }
        spread.fill(0.0);
        let mut direction = vec![0.0; d];
        for (j, value) in found.values.iter().enumerate() {
            (0..d).for_each(|r| direction[r] = found.vectors[r * d + j]);
            let value = value.max(floor);
            spread.chunks_exact_mut(d).zip(&direction).for_each(|(line, a)| add_scaled(line, value * a, &direction));
        }
        Ok(())
    }
}

/// Rows looked at in one go.
const BLOCK: usize = 256;

/// A density made of Gaussians.
#[derive(Debug, Clone)]
pub struct Mixture {
    inputs: Features,
    outputs: Outputs,
    covariance: Covariance,
    shares: Vec<f64>,
    means: Vec<f64>,
    /// Variances, or covariance matrices row after row, component after component.
    spreads: Vec<f64>,
    /// 1/σ, or L⁻¹ with Σ = L Lᵀ.
    factors: Vec<f64>,
    /// ln p_m − ½ (d ln 2π + ln det Σ_m).
    logs: Vec<f64>,
}

impl Mixture {
    /// The kind of its record.
    pub const KIND: &'static str = "mixture";

    /// From shares p_m (sum 1), means (k x columns) and spreads: σ² (k), variances (k x columns) or covariance matrices
    /// (k x columns x columns, symmetric and positive definite).
    pub fn new(
        inputs: Features,
        covariance: Covariance,
        shares: Vec<f64>,
        means: Vec<f64>,
        spreads: Vec<f64>,
    ) -> Result<Self> {
        let (k, d) = (shares.len(), inputs.count());
        let per = covariance.numbers(d);
        if k == 0 || d == 0 || Some(means.len()) != k.checked_mul(d) || Some(spreads.len()) != k.checked_mul(per) {
            let found = format!("{} means and {} spreads", means.len(), spreads.len());
            return Err(Error::size("numbers of a mixture", format!("{k} x {d} and {k} x {per}"), found));
        }
        let share = shares.iter().all(|p| (0.0..=1.0).contains(p)) && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-6;
        if !share || means.iter().any(|m| !m.is_finite()) {
            let why = "expected finite means, and mixing weights between 0 and 1 that sum to 1";
            return Err(Error::data(base::Place::Whole, why));
        }
        let (mut factors, mut logs) = (Vec::with_capacity(spreads.len()), Vec::with_capacity(k));
        for (part, share) in spreads.chunks_exact(per).zip(&shares) {
            let determinant = match covariance {
                Covariance::Full => inverse_factor(part, d, &mut factors)?,
                _ => {
                    if let Some(bad) = part.iter().find(|v| !(v.is_finite() && **v > 0.0)) {
                        let why = format!("expected positive and finite variances, found {bad}");
                        return Err(Error::data(base::Place::Whole, why));
                    }
                    factors.extend(part.iter().map(|v| 1.0 / v.sqrt()));
                    part.iter().map(|v| v.ln()).sum::<f64>() * (d / per) as f64
                }
            };
            logs.push(share.ln() - 0.5 * (d as f64 * std::f64::consts::TAU.ln() + determinant));
        }
        let outputs = Outputs::classes(cluster_names(k), Link::Softmax);
        Ok(Mixture { inputs, outputs, covariance, shares, means, spreads, factors, logs })
    }

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let inputs = Features::read(record.part("inputs")?)?;
        let outputs = Outputs::read(record.part("outputs")?)?;
        let word = record.text("covariance")?;
        let covariance = Covariance::from_word(word).ok_or_else(|| record.broken(format!("unknown form {word:?}")))?;
        if inputs.table().is_some() || outputs.meaning != Meaning::Classes || outputs.extra > 0 {
            return Err(record.broken("points in and a score for each component out are expected"));
        }
        let (k, d) = (outputs.names.len(), inputs.count());
        let shares = record.array_of("shares", &[k])?;
        let means = record.array_of("means", &[k, d])?;
        let spreads = record.array_of("spreads", &[k, covariance.numbers(d)])?;
        Ok(Mixture { outputs, ..Mixture::new(inputs, covariance, shares, means, spreads)? })
    }

    /// How much of the density each component has.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// The means, row after row.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// σ², variances or covariance matrices, component after component.
    pub fn spreads(&self) -> &[f64] {
        &self.spreads
    }

    /// The form of the components.
    pub fn covariance(&self) -> Covariance {
        self.covariance
    }

    /// ln p(x) of each row.
    pub fn log_density(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        let scores = self.compute(&Inputs::Points(points.clone()), run)?.to_dense(&run.memory)?;
        Ok(scores.chunks_exact(self.shares.len()).map(log_sum_exp).collect())
    }

    /// How strange each row is: −ln p(x), which grows with strangeness.
    pub fn outlier_score(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        Ok(self.log_density(points, run)?.into_iter().map(|x| -x).collect())
    }

    /// `n` points drawn from the density, and the component each comes from.
    pub fn sample(&self, n: usize, seed: Seed, run: &Run<'_>) -> Result<(Points, Vec<u32>)> {
        let d = self.inputs.count();
        let (mut values, hold) = run.memory.filled(n.saturating_mul(d), 0.0, "sampled points")?;
        let mut labels = Vec::with_capacity(n);
        for (i, x) in values.chunks_exact_mut(d).enumerate() {
            let mut left = seed.fork("component").at(i).unit();
            let over = |p: &f64| {
                left -= p;
                left < 0.0
            };
            // Rounding may leave a little after the last component that has a share.
            let last = self.shares.iter().rposition(|p| *p > 0.0).unwrap_or(0);
            let m = self.shares.iter().position(over).unwrap_or(last);
            let mut stream = seed.fork("point").at(i).stream();
            x.iter_mut().for_each(|x| *x = normal(&mut stream));
            self.colour(m, x);
            x.iter_mut().zip(&self.means[m * d..]).for_each(|(x, mean)| *x += mean);
            labels.push(m as u32);
        }
        Ok((Points::dense(base::Buffer::F64(Shared::counted(values, hold)), n, d)?, labels))
    }

    /// z ← L z, the inverse of whitening.
    fn colour(&self, m: usize, z: &mut [f64]) {
        let d = z.len();
        let per = self.covariance.numbers(d);
        let factor = &self.factors[m * per..(m + 1) * per];
        match self.covariance {
            Covariance::Isotropic => z.iter_mut().for_each(|z| *z /= factor[0]),
            Covariance::Diagonal => z.iter_mut().zip(factor).for_each(|(z, f)| *z /= f),
            // Solve L⁻¹ y = z from the top.
            Covariance::Full => (0..d).for_each(|r| {
                let row = &factor[r * d..(r + 1) * d];
                let known: f64 = row[..r].iter().zip(&z[..r]).map(|(f, y)| f * y).sum();
                z[r] = (z[r] - known) / row[r];
            }),
        }
    }

    /// z = L⁻¹ (x − μ_m).
    fn whiten(&self, m: usize, x: &[f64], away: &mut [f64], z: &mut [f64]) {
        let d = x.len();
        let per = self.covariance.numbers(d);
        let factor = &self.factors[m * per..(m + 1) * per];
        subtract(x, &self.means[m * d..(m + 1) * d], away);
        match self.covariance {
            Covariance::Isotropic => z.iter_mut().zip(&*away).for_each(|(z, a)| *z = a * factor[0]),
            Covariance::Diagonal => z.iter_mut().zip(&*away).zip(factor).for_each(|((z, a), f)| *z = a * f),
            Covariance::Full => {
                let lines = factor.chunks_exact(d).enumerate();
                z.iter_mut().zip(lines).for_each(|(z, (r, line))| *z = dot(&line[..=r], &away[..=r]));
            }
        }
    }

    /// The same for many rows; full matrices take one product for all of them.
    fn whiten_rows(&self, m: usize, x: &[f64], away: &mut [f64], z: &mut [f64], run: &Run<'_>) -> Result<()> {
        let d = self.inputs.count();
        let rows = x.chunks_exact(d).zip(away.chunks_exact_mut(d));
        if self.covariance != Covariance::Full {
            rows.zip(z.chunks_exact_mut(d)).for_each(|((x, away), z)| self.whiten(m, x, away, z));
            return Ok(());
        }
        rows.for_each(|(x, away)| subtract(x, &self.means[m * d..(m + 1) * d], away));
        let (n, factor) = (x.len() / d, &self.factors[m * d * d..(m + 1) * d * d]);
        let factor = Mat::new(factor, d, d)?.transposed();
        product(run, Mat::new(away, n, d)?, factor, MatMut::new(z, n, d)?, 1.0, false)
    }

    /// The joint log density of each component for each row.
    pub(crate) fn joint(&self, points: &Points, out: &mut [f64], run: &Run<'_>) -> Result<()> {
        let (k, d) = (self.shares.len(), self.inputs.count());
        each_chunk_mut(run, out, BLOCK * k, |block, lines| {
            run.report(&base::Progress::of("densities", (block * BLOCK) as u64, points.len() as u64))?;
            let n = lines.len() / k;
            let _hold = run.memory.take_for::<f64>(3 * n * d, "rows of a mixture")?;
            let (mut x, mut away, mut z) = (vec![0.0; n * d], vec![0.0; n * d], vec![0.0; n * d]);
            x.chunks_exact_mut(d).enumerate().for_each(|(i, row)| points.write_row(block * BLOCK + i, row));
            let one = Run { threads: 1, ..run.clone() };
            for m in 0..k {
                self.whiten_rows(m, &x, &mut away, &mut z, &one)?;
                for (line, z) in lines.chunks_exact_mut(k).zip(z.chunks_exact(d)) {
                    line[m] = (self.logs[m] - 0.5 * numeric::squared_norm(z)).max(f64::MIN);
                }
            }
            Ok(())
        })
    }
}

fn subtract(x: &[f64], mean: &[f64], away: &mut [f64]) {
    away.iter_mut().zip(x).zip(mean).for_each(|((a, x), mean)| *a = x - mean);
}

/// ln Σ exp(x), without overflow.
pub(crate) fn log_sum_exp(x: &[f64]) -> f64 {
    let top = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + x.iter().map(|x| (x - top).exp()).sum::<f64>().ln()
}

/// Appends L⁻¹ of a covariance matrix L Lᵀ and answers with ln det.
fn inverse_factor(matrix: &[f64], d: usize, factors: &mut Vec<f64>) -> Result<f64> {
    let run = Run::quiet(0);
    let cholesky = Cholesky::new(&run, Mat::new(matrix, d, d)?)?;
    let mut inverse = vec![0.0; d * d];
    (0..d).for_each(|i| inverse[i * d + i] = 1.0);
    cholesky.solve_half(&run, MatMut::new(&mut inverse, d, d)?)?;
    if inverse.iter().any(|x| !x.is_finite()) {
        return Err(Error::data(base::Place::Whole, "a covariance matrix is singular to working precision"));
    }
    factors.extend(inverse);
    Ok(cholesky.log_determinant())
}

impl Machine for Mixture {
    fn inputs(&self) -> &Features {
        &self.inputs
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let Inputs::Points(queries) = inputs else { return Err(Error::size("inputs", "points", "a table")) };
        let (n, k) = (queries.len(), self.shares.len());
        let (mut scores, hold) = run.memory.filled(n.saturating_mul(k), 0.0, "scores")?;
        self.joint(queries, &mut scores, run)?;
        Points::dense(base::Buffer::F64(Shared::counted(scores, hold)), n, k)
    }

    fn record(&self) -> Record {
        let (k, d) = (self.shares.len(), self.inputs.count());
        Record::new(Self::KIND, 1)
            .with("inputs", self.inputs.record())
            .with("outputs", self.outputs.record())
            .with("covariance", self.covariance.word())
            .with_array("shares", &[k], self.shares.clone())
            .with_array("means", &[k, d], self.means.clone())
            .with_array("spreads", &[k, self.covariance.numbers(d)], self.spreads.clone())
    }

    fn facets(&self) -> Facets<'_> {
        let explains: Option<&dyn Explains> = if self.radial().is_some() { Some(self) } else { None };
        Facets { gradient: Some(self), graph: Some(self), explains, ..Facets::default() }
    }
}

impl GraphForm for Mixture {
    fn graph(&self, _run: &Run<'_>) -> Result<Option<Graph>> {
        let d = self.inputs.count();
        let per = self.covariance.numbers(d);
        let mut draft = Draft::rows(d);
        let mut squares = vec![];
        for (m, (mean, factor)) in self.means.chunks_exact(d).zip(self.factors.chunks_exact(per)).enumerate() {
            let mean = draft.weight(&format!("mean {m}"), &[d], mean.to_vec())?;
            let shape: &[usize] = if self.covariance == Covariance::Full { &[d, d] } else { &[per] };
            let factor = draft.weight(&format!("factor {m}"), shape, factor.to_vec())?;
            let op = match self.covariance {
                Covariance::Full => Op::Dense { transposed: true },
                _ => Op::Binary(Binary::Mul),
            };
            let away = draft.node(&format!("away from {m}"), Op::Binary(Binary::Sub), &[Draft::INPUT, mean]);
            let white = draft.node(&format!("whitened {m}"), op, &[away, factor]);
            let square = Op::Reduce { reduction: Reduction::SumSquare, axes: vec![1], keep: true };
            squares.push(draft.node(&format!("distance to {m}"), square, &[white]));
        }
        let all = draft.node("distances", Op::Concat { axis: 1 }, &squares);
        let half = draft.number("half", -0.5)?;
        let halves = draft.node("exponents", Op::Binary(Binary::Mul), &[all, half]);
        // A component without a share has the lowest of scores.
        let logs = draft.weight("logs", &[self.logs.len()], self.logs.iter().map(|l| l.max(f64::MIN)).collect())?;
        let sums = draft.node("log densities", Op::Binary(Binary::Add), &[halves, logs]);
        let lowest = draft.number("lowest", f64::MIN)?;
        let scores = draft.node("scores", Op::Clip, &[sums, lowest]);
        draft.graph(scores).map(Some)
    }
}

impl Mixture {
    /// The kernel that the mixture is a weighted sum of, where all components are spheres of one size.
    fn radial(&self) -> Option<RadialKernel> {
        let variance = *self.spreads.first()?;
        let alike = self.covariance == Covariance::Isotropic && self.spreads.iter().all(|v| *v == variance);
        let kernel = RadialKernel::Exponential { gamma: 0.5 / variance, q: 2.0 };
        (alike && Density::is_one(self.shares.iter().copied(), kernel)).then_some(kernel)
    }

    /// That sum, of the components that have a share.
    fn density(&self) -> Result<Density> {
        let Some(kernel) = self.radial() else {
            return Err(Error::unsupported("a sum over one kernel", "this mixture", "its components differ in form"));
        };
        let used: Vec<usize> = (0..self.shares.len()).filter(|&m| self.shares[m] > 0.0).collect();
        let means = Points::dense(self.means.clone(), self.shares.len(), self.inputs.count())?;
        let shares = used.iter().map(|&m| self.shares[m]).collect();
        Density::new(means.select(&used)?, shares, kernel)
    }
}

impl Explains for Mixture {
    fn methods(&self) -> &'static [OwnMethod] {
        METHODS
    }

    fn quantity(&self) -> Option<Quantity> {
        Some(QUANTITY)
    }

    fn ready(&self, run: &Run<'_>) -> Result<Box<dyn Explainer>> {
        Ok(Box::new(OneClass::new(&self.density()?, run)?))
    }
}

impl Gradient for Mixture {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |x, direction, out| {
            let d = x.len();
            let per = self.covariance.numbers(d);
            let (mut away, mut z) = (vec![0.0; d], vec![0.0; d]);
            out.fill(0.0);
            for (m, weight) in direction.iter().enumerate().take(self.shares.len()) {
                self.whiten(m, x, &mut away, &mut z);
                let factor = &self.factors[m * per..(m + 1) * per];
                match self.covariance {
                    Covariance::Isotropic => out.iter_mut().zip(&z).for_each(|(o, z)| *o -= weight * factor[0] * z),
                    Covariance::Diagonal => {
                        out.iter_mut().zip(&z).zip(factor).for_each(|((o, z), f)| *o -= weight * f * z);
                    }
                    Covariance::Full => {
                        let lines = factor.chunks_exact(d).zip(&z);
                        lines.for_each(|(line, z)| add_scaled(out, -weight * z, line));
                    }
                }
            }
        })
    }
}
