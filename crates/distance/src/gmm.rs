//! Gaussian mixtures by expectation maximisation.
//!
//! E: Q_m(x) = p_m N(x; μ_m, Σ_m) / Σ_k p_k N(x; μ_k, Σ_k), with the old parameters. M: with S_m = Σ w Q_m,
//! p_m = S_m / Σw, μ_m = Σ w Q_m x / S_m, and about the new means Σ_m = Σ w Q_m (x−μ)(x−μ)ᵀ / S_m (full), its diagonal
//! (diagonal), or σ_m² = Σ w Q_m ‖x−μ‖² / (d S_m) (isotropic; without the 1/d variances are d times too large and the
//! likelihood may fall). Variances, or eigenvalues of Σ, stay at or above a floor; raising them to it is the maximum
//! under that condition, so the log-likelihood Σ w ln p(x) never falls. `sigma` > 0 fixes σ for all: as it tends to 0
//! the assignments become those of K-means.
//!
//! **Start.** K-means, from several starts; the best likelihood is kept. **Weights.** Exact but for the draws of starts.
//! **Cost.** n·k·d operations a step, n·k·d² if full; n·k numbers of memory.
//! **Limits.** The maximum is a local one; redundant components coincide or fade.
//!
//! - A. P. Dempster, N. M. Laird, D. B. Rubin: *Maximum likelihood from incomplete data via the EM algorithm.* J. R.
//!   Stat. Soc. B 39 (1977) 1–38.

use crate::kmeans::KMeans;
use crate::mixture::{Covariance, Mixture};
use crate::rows::parts;
use crate::starts::{check_rows, is_better};
use base::{
    Certificate, Dataset, Error, Fact, Fitted, Gap, Learner, Machine, Needs, Plan, Points, Progress, Record, Result,
    Run, Size, Traits, Wanted, Weighting, settings,
};
use numeric::{Mat, MatMut, add_scaled, each_chunk_mut, product, sum_blocks};
use std::sync::{Arc, OnceLock};

settings! {
    /// Settings of a Gaussian mixture.
    pub struct GaussianMixture {
        /// number of components
        pub k: usize = 3, in Range::AtLeast(1.0), as "n_components";
        /// form of the covariance matrices
        pub covariance: Covariance = Covariance::Full, in Range::Any, as "covariance_type";
        /// number of random starts; the best is kept
        pub restarts: usize = 3, in Range::AtLeast(1.0), as "n_init";
        /// maximum number of iterations per start
        pub steps: usize = 500, in Range::AtLeast(1.0), as "max_iter";
        /// stop when an iteration gains less mean log-likelihood than this
        pub tolerance: f64 = 1e-6, in Range::AtLeast(0.0), as "tol";
        /// smallest variance, as a fraction of the mean variance of the columns
        pub floor: f64 = 1e-6, in Range::Share, as "reg_covar";
        /// fixed standard deviation of isotropic components; 0: learned
        pub sigma: f64 = 0.0, in Range::AtLeast(0.0);
    }
}

/// How often spreads are there at the same time: those of the mixture before, the next and the best so far, with their
/// factors, and sums on the way to them.
const SPREADS: usize = 7;

impl Learner for GaussianMixture {
    fn name(&self) -> &'static str {
        "gmm"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::Mean })
            .random()
            .warm_start()
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        check_rows("gmm", self.k, data)?;
        if self.sigma > 0.0 && self.covariance != Covariance::Isotropic {
            let must = "is for covariance=isotropic";
            return Err(base::Error::parameter("sigma", self.sigma, must));
        }
        let em = Em::new(self, data, run)?;
        let seeds = run.fork("gmm");
        let attempt = |i: usize| em.climb(em.begin(&Run { seed: seeds.seed.at(i), ..run.clone() })?, run);
        let mut best = match start {
            Some(record) => {
                let earlier = Mixture::read(record)?;
                let columns = earlier.inputs().count() == em.points.columns();
                if earlier.shares().len() != self.k || !columns || earlier.covariance() != self.covariance {
                    return Err(record.broken("the mixture to warm-start from has other components or columns"));
                }
                em.climb(earlier, run)?
            }
            None => attempt(0)?,
        };
        for i in 1..if start.is_some() { 1 } else { self.restarts } {
            if best.interrupted {
                break;
            }
            let next = match attempt(i) {
                Err(Error::Stopped { .. }) => {
                    best.interrupted = true;
                    break;
                }
                other => other?,
            };
            let stopped = next.interrupted;
            if is_better(next.likelihood, best.likelihood) {
                best = next;
            }
            best.interrupted = stopped;
        }
        let mut certificate = Certificate {
            converged: best.converged && !best.interrupted,
            interrupted: best.interrupted,
            steps: best.curve.len().saturating_sub(1) as u64,
            objective: Some(-best.likelihood),
            gap: Gap::Unknown,
            ..Certificate::default()
        };
        certificate.fact("log-likelihood", best.likelihood);
        certificate.facts.insert("log-likelihood by iteration".into(), Fact::Curve(best.curve));
        if !best.converged && !best.interrupted {
            certificate
                .warn(format!("the likelihood was still increasing after {} iterations; raise steps", self.steps));
        }
        Ok(Fitted { machine: Arc::new(best.machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d, k) = (size.rows as f64, size.columns as f64, self.k as f64);
        let spread = self.covariance.numbers(size.columns) as f64;
        // A row takes a third of a microsecond a component, most of it logarithms, exponentials and passing through memory;
        // moments are products, and full spreads are factorised by eigenvalues.
        let cube = if self.covariance == Covariance::Full { 12.0 * d * d * d } else { 0.0 };
        let step = k * (n * (170.0 * d + 42_000.0 + 2.0 * spread) + cube);
        // Where rows are few beside the columns the first assignment stays.
        let steps = (3.0 + 37.0 * (n / (20.0 * d.max(1.0))).min(1.0)).min(self.steps as f64);
        let bytes = 8.0 * (2.0 * n * k + SPREADS as f64 * k * (d + spread)) + 48.0 * n;
        Plan { fit: steps * self.restarts as f64 * step, predict: k * (3.0 * d + spread), bytes, advice: None }
    }
}

/// Where a climb ended.
struct Climbed {
    machine: Mixture,
    likelihood: f64,
    /// The log-likelihood before the first step and after each.
    curve: Vec<f64>,
    converged: bool,
    interrupted: bool,
}

/// The problem: settings, data and the floor in the units of the data.
struct Em<'a> {
    settings: &'a GaussianMixture,
    data: &'a Dataset,
    points: &'a Points,
    total: f64,
    floor: f64,
}

impl<'a> Em<'a> {
    fn new(settings: &'a GaussianMixture, data: &'a Dataset, run: &Run<'_>) -> Result<Self> {
        let points = data.points()?;
        let total = data.weights.as_ref().map_or(points.len() as f64, |w| w.iter().sum());
        let mut em = Em { settings, data, points, total, floor: 0.0 };
        let everything = vec![1.0; points.len()];
        let (_, mean) = em.means(&everything, 1, run)?;
        let variance = em.scatter(&everything, &mean, 1, Covariance::Isotropic, run)?[0] / total;
        em.floor = settings.floor * if variance > 0.0 { variance } else { 1.0 };
        Ok(em)
    }

    fn weight(&self, i: usize) -> f64 {
        self.data.weight(i)
    }

    /// A mixture from the clusters of K-means.
    fn begin(&self, run: &Run<'_>) -> Result<Mixture> {
        let k = self.settings.k;
        let clusters = KMeans { k, restarts: 1, ..KMeans::default() }.best(self.data, None, run)?;
        let (mut crisp, _hold) = run.memory.filled(self.points.len().saturating_mul(k), 0.0, "assignments")?;
        clusters.labels.iter().enumerate().for_each(|(i, &label)| crisp[i * k + label as usize] = 1.0);
        self.maximise(&crisp, None, &clusters.centres, run)
    }

    /// Steps until the likelihood gains no more.
    fn climb(&self, mut machine: Mixture, run: &Run<'_>) -> Result<Climbed> {
        let (k, steps) = (self.settings.k, self.settings.steps);
        let length = self.points.len().saturating_mul(k);
        let (mut shares, _hold) = run.memory.filled(length, 0.0, "responsibilities")?;
        let numbers = k.saturating_mul(self.settings.covariance.numbers(self.points.columns()));
        let _held = run.memory.take_for::<f64>(numbers.saturating_mul(SPREADS), "spreads of the components")?;
        let mut curve = vec![self.expect(&machine, &mut shares, run)?];
        let (mut converged, mut interrupted) = (false, false);
        while curve.len() <= steps && !converged {
            let before = curve[curve.len() - 1];
            let value = Some(before / self.total);
            if run.step(&Progress { value, ..Progress::of("em", curve.len() as u64 - 1, steps as u64) })? {
                interrupted = true;
                break;
            }
            let next = self.maximise(&shares, Some(machine.spreads()), machine.means(), run);
            let next = next.and_then(|next| Ok((self.expect(&next, &mut shares, run)?, next)));
            let after = match next {
                // The mixture before is whole.
                Err(Error::Stopped { .. }) => {
                    interrupted = true;
                    break;
                }
                other => {
                    let after;
                    (after, machine) = other?;
                    after
                }
            };
            converged = after - before <= self.settings.tolerance * self.total;
            curve.push(after);
        }
        Ok(Climbed { machine, likelihood: curve[curve.len() - 1], curve, converged, interrupted })
    }

    /// E: responsibilities of each row, and the log-likelihood.
    fn expect(&self, machine: &Mixture, shares: &mut [f64], run: &Run<'_>) -> Result<f64> {
        const ROWS: usize = 1024;
        let k = self.settings.k;
        machine.joint(self.points, shares, run)?;
        // Each chunk's log-likelihood is kept apart, so that the sum has one order.
        let parts: Vec<OnceLock<f64>> = (0..self.points.len().div_ceil(ROWS)).map(|_| OnceLock::new()).collect();
        each_chunk_mut(run, shares, ROWS * k, |chunk, lines| {
            let mut tops = vec![0.0; lines.len() / k];
            for (line, top) in lines.chunks_exact_mut(k).zip(&mut tops) {
                *top = line.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                line.iter_mut().for_each(|s| *s -= *top);
            }
            numeric::exp(lines);
            let mut likelihood = 0.0;
            for (i, (line, top)) in lines.chunks_exact_mut(k).zip(&tops).enumerate() {
                let sum: f64 = line.iter().sum();
                line.iter_mut().for_each(|s| *s /= sum);
                likelihood += self.weight(chunk * ROWS + i) * (top + sum.ln());
            }
            _ = parts[chunk].set(likelihood);
            Ok(())
        })?;
        Ok(parts.iter().filter_map(OnceLock::get).sum())
    }

    /// M: the parameters these responsibilities ask for; a component without any keeps its place and spread.
    fn maximise(&self, shares: &[f64], old: Option<&[f64]>, old_means: &[f64], run: &Run<'_>) -> Result<Mixture> {
        let (k, d, form) = (self.settings.k, self.points.columns(), self.settings.covariance);
        let per = form.numbers(d);
        let (counts, mut means) = self.means(shares, k, run)?;
        for (m, mean) in means.chunks_exact_mut(d).enumerate().filter(|(m, _)| counts[*m] <= 0.0) {
            mean.copy_from_slice(&old_means[m * d..(m + 1) * d]);
        }
        let fixed = self.settings.sigma * self.settings.sigma;
        let mut spreads = match fixed > 0.0 {
            true => vec![fixed; k],
            false => self.scatter(shares, &means, k, form, run)?,
        };
        for (m, part) in spreads.chunks_exact_mut(per).enumerate().filter(|_| fixed == 0.0) {
            match (counts[m] > 0.0, old) {
                (true, _) => part.iter_mut().for_each(|v| *v /= counts[m]),
                (false, Some(old)) => part.copy_from_slice(&old[m * per..(m + 1) * per]),
                (false, None) => part.fill(0.0),
            }
            form.raise(part, d, self.floor, run)?;
        }
        let all: f64 = counts.iter().sum();
        let counts = counts.iter().map(|c| c / all).collect();
        Mixture::new(self.data.features.clone(), form, counts, means, spreads)
    }

    /// S_m and μ_m for responsibilities n x k.
    fn means(&self, shares: &[f64], k: usize, run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
        let d = self.points.columns();
        let sums = self.sum(k * (d + 1), run, |i, x, sums| {
            for (m, q) in shares[i * k..(i + 1) * k].iter().enumerate().filter(|(_, q)| **q > 0.0) {
                let sum = &mut sums[m * (d + 1)..(m + 1) * (d + 1)];
                add_scaled(&mut sum[..d], self.weight(i) * q, x);
                sum[d] += self.weight(i) * q;
            }
        })?;
        let counts: Vec<f64> = sums.chunks_exact(d + 1).map(|s| s[d]).collect();
        Ok((counts, sums.chunks_exact(d + 1).flat_map(|s| s[..d].iter().map(|x| x / s[d])).collect()))
    }

    /// Σ w Q_m (x−μ_m)(x−μ_m)ᵀ, its diagonal, or its mean diagonal.
    fn scatter(&self, shares: &[f64], means: &[f64], k: usize, form: Covariance, run: &Run<'_>) -> Result<Vec<f64>> {
        let d = self.points.columns();
        if form == Covariance::Full {
            return self.full_scatter(shares, means, k, run);
        }
        let per = form.numbers(d);
        self.sum(k * per, run, |i, x, sums| {
            for (m, q) in shares[i * k..(i + 1) * k].iter().enumerate().filter(|(_, q)| **q > 0.0) {
                let away = x.iter().zip(&means[m * d..]).map(|(x, mean)| x - mean);
                let (weight, sum) = (self.weight(i) * q, &mut sums[m * per..(m + 1) * per]);
                match form {
                    Covariance::Isotropic => sum[0] += weight * away.map(|a| a * a).sum::<f64>() / d as f64,
                    _ => sum.iter_mut().zip(away).for_each(|(s, a)| *s += weight * a * a),
                }
            }
        })
    }

    /// The full matrices, as products AᵀA of the rows √(w Q_m) (x−μ_m) of a block.
    ///
    /// Rows of which a component has less than 10⁻²⁴ of its weight are left out: together they would change no digit.
    fn full_scatter(&self, shares: &[f64], means: &[f64], k: usize, run: &Run<'_>) -> Result<Vec<f64>> {
        const ROWS: usize = 256;
        let (n, d) = (self.points.len(), self.points.columns());
        let mut least = vec![0.0; k];
        for (i, line) in shares.chunks_exact(k).enumerate() {
            least.iter_mut().zip(line).for_each(|(sum, q)| *sum += self.weight(i) * q);
        }
        least.iter_mut().for_each(|sum| *sum *= 1e-24);
        let length = k * d * d;
        let block = n.div_ceil(parts(self.points, length)).max(1);
        let one = Run { threads: 1, ..run.clone() };
        sum_blocks(run, n, block, length, |range, sums| {
            let (mut x, mut rows) = (vec![0.0; ROWS * d], vec![0.0; ROWS * d]);
            for start in range.clone().step_by(ROWS) {
                run.report(&Progress::of("moments", start as u64, n as u64))?;
                let part = start..(start + ROWS).min(range.end);
                x.chunks_exact_mut(d).zip(part.clone()).for_each(|(row, i)| self.points.write_row(i, row));
                for (m, sum) in sums.chunks_exact_mut(d * d).enumerate() {
                    let mean = &means[m * d..(m + 1) * d];
                    let mut count = 0;
                    for (i, x) in part.clone().zip(x.chunks_exact(d)) {
                        let weight = self.weight(i) * shares[i * k + m];
                        if weight > least[m] {
                            let root = weight.sqrt();
                            let row = &mut rows[count * d..(count + 1) * d];
                            row.iter_mut().zip(x).zip(mean).for_each(|((a, x), mean)| *a = root * (x - mean));
                            count += 1;
                        }
                    }
                    let rows = Mat::new(&rows[..count * d], count, d)?;
                    product(&one, rows.transposed(), rows, MatMut::new(sum, d, d)?, 1.0, true)?;
                }
            }
            Ok(())
        })
    }

    /// Sums over rows written out, cut by the data.
    fn sum(&self, length: usize, run: &Run<'_>, add: impl Fn(usize, &[f64], &mut [f64]) + Sync) -> Result<Vec<f64>> {
        let n = self.points.len();
        let block = n.div_ceil(parts(self.points, length)).max(1);
        sum_blocks(run, n, block, length, |range, sums| {
            run.report(&Progress::of("moments", range.start as u64, n as u64))?;
            let mut x = vec![0.0; self.points.columns()];
            for i in range {
                if i % 1024 == 0 {
                    run.check()?;
                }
                self.points.write_row(i, &mut x);
                add(i, &x, sums);
            }
            Ok(())
        })
    }
}
