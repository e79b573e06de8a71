//! Gaps filled by what a Gaussian mixture, fitted with the gaps, expects there.
//!
//! The mixture is fitted by expectation maximisation over what is there (`em.rs`). A gap becomes the expectation
//! Σ_m Q_m E_m(x_missing | x_present), or with `draw` a draw: a component by its responsibility Q_m, then the missing
//! columns together from that component's conditional normal distribution.
//!
//! **Start.** `gmm` for a few steps on rows filled by regression, from several starts; the best likelihood is kept.
//! **Weights.** Exact but for the draws of starts. **Limits.** k d²/2 parameters with full covariances: many columns or
//! few rows want `covariance=diagonal` (no help from other columns within a component) or k = 1.

use super::conditional::{Conditional, responsibilities};
use super::em::{Climbed, Em, patterns};
use super::gaps;
use super::mice::ImputeRegression;
use base::{
    Certificate, Dataset, Error, Facets, Fact, Features, Fitted, Inputs, Learner, Machine, Missing, Needs, Outputs,
    Plan, Points, PreparationStep, Progress, Record, Result, Run, Seed, Size, Traits, Wanted, Weighting, normal,
};
use distance::{Covariance, GaussianMixture, Mixture};
use numeric::Moments;
use std::sync::Arc;

base::settings! {
    /// Settings of filling missing values by a Gaussian mixture.
    pub struct ImputeMixture {
        /// number of components
        pub k: usize = 3, in Range::AtLeast(1.0), as "n_components";
        /// form of the covariance matrices
        pub covariance: Covariance = Covariance::Full, in Range::Any, as "covariance_type";
        /// sample missing values from their conditional distribution instead of taking its mean
        pub sample: bool = false, in Range::Any, as "sample_posterior", was "draw";
        /// number of random starts; the best is kept
        pub restarts: usize = 3, in Range::AtLeast(1.0), as "n_init";
        /// maximum number of iterations per start
        pub steps: usize = 500, in Range::AtLeast(1.0), as "max_iter";
        /// stop when an iteration gains less mean log-likelihood than this
        pub tolerance: f64 = 1e-6, in Range::AtLeast(0.0), as "tol";
        /// smallest variance, as a fraction of the mean variance of the columns
        pub floor: f64 = 1e-6, in Range::Share, as "reg_covar";
    }
}

/// Steps of `gmm` on filled rows before the gaps are taken seriously.
const WARM: usize = 5;

impl Learner for ImputeMixture {
    fn name(&self) -> &'static str {
        "impute-mixture"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: true, weights: Weighting::Mean }).random()
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let moments = Moments::of(data.points()?, data.weights.as_deref());
        let variance = moments.variance.iter().sum::<f64>() / moments.variance.len() as f64;
        let floor = self.floor * if variance > 0.0 { variance } else { 1.0 };
        let regressions = ImputeRegression::default().fit(data, None, run)?.machine;
        let filled = Dataset { inputs: regressions.compute(&data.inputs, run)?.into(), ..data.clone() };
        let em = Em::new(data, self.covariance, floor, run)?;
        // The mixture of a step, the next one, and the best of earlier starts.
        let d = moments.mean.len();
        let numbers = (self.covariance.numbers(d) + d + 1).saturating_mul(self.k.saturating_mul(3));
        let _room = run.memory.take_for::<f64>(numbers, "mixtures")?;
        let seed = run.seed.fork("mixture");
        let mut best: Option<Climbed> = None;
        for i in 0..self.restarts {
            let start = GaussianMixture {
                k: self.k,
                covariance: self.covariance,
                restarts: 1,
                steps: WARM,
                floor: self.floor,
                ..Default::default()
            };
            let attempt = || {
                let fitted = start.fit(&filled, None, &Run { seed: seed.at(i), ..run.clone() })?;
                let mixture = fitted.machine.expect::<Mixture>()?.clone();
                drop(fitted);
                em.climb(mixture, self.tolerance, self.steps, run)
            };
            let climbed = match (attempt(), &mut best) {
                (Err(Error::Stopped { .. }), Some(best)) => {
                    best.interrupted = true;
                    break;
                }
                (other, _) => other?,
            };
            let stopped = climbed.interrupted;
            best = Some(match best {
                Some(before) if before.curve.last() >= climbed.curve.last() => {
                    Climbed { interrupted: stopped, ..before }
                }
                _ => climbed,
            });
            if stopped {
                break;
            }
        }
        let best = best.ok_or_else(|| Error::size("starts", "at least 1", 0))?;
        let likelihood = best.curve.last().copied().unwrap_or(f64::NAN);
        let mut certificate = Certificate {
            converged: best.converged && !best.interrupted,
            interrupted: best.interrupted,
            steps: best.curve.len().saturating_sub(1) as u64,
            objective: Some(-likelihood),
            ..Certificate::default()
        };
        gaps::certify(&mut certificate, data)?;
        certificate.fact("log-likelihood", likelihood);
        certificate.facts.insert("log-likelihood by iteration".into(), Fact::Curve(best.curve));
        if !best.converged && !best.interrupted {
            certificate
                .warn(format!("the likelihood was still increasing after {} iterations; raise steps", self.steps));
        }
        let seed = self.sample.then(|| run.seed.fork("draw"));
        Ok(Fitted { machine: Arc::new(MixtureFiller::new(best.mixture, seed)), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d, k) = (size.rows as f64, size.columns as f64, self.k as f64);
        let step = n * k * (4.0 * d * d + 20.0 * d) + 64.0 * k * d * d * d;
        let bytes = 8.0 * (2.0 * n * d + n * k + 20.0 * k * d * d);
        Plan { fit: 40.0 * self.restarts as f64 * step, predict: k * d * d * d / 3.0, bytes, advice: None }
    }
}

/// A mixture that fills gaps.
pub struct MixtureFiller {
    outputs: Outputs,
    mixture: Mixture,
    /// Where draws come from; none fills expectations.
    seed: Option<Seed>,
}

impl MixtureFiller {
    /// The kind of its record.
    pub const KIND: &'static str = "mixture-filler";

    fn new(mixture: Mixture, seed: Option<Seed>) -> Self {
        MixtureFiller { outputs: Outputs::same(mixture.inputs()), mixture, seed }
    }

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let seed = match record.has("seed") {
            true => Some(gaps::read_seed(record)?),
            false => None,
        };
        Ok(Self::new(Mixture::read(record.part("mixture")?)?, seed))
    }

    /// The density behind it.
    pub fn mixture(&self) -> &Mixture {
        &self.mixture
    }

    /// What goes into the gaps of a row, in the order of the missing columns.
    fn guess(&self, conditional: &Conditional, row: &[f64]) -> Vec<f64> {
        let (k, d, missing) = (self.mixture.shares().len(), row.len(), conditional.missing().len());
        let (mut shares, mut z) = (vec![0.0; k], vec![0.0; k * d]);
        for (m, share) in shares.iter_mut().enumerate() {
            *share = conditional.whiten(m, row, &mut z[m * d..(m + 1) * d]);
        }
        responsibilities(&mut shares);
        let (mut out, mut part) = (vec![0.0; missing], vec![0.0; missing]);
        let Some(seed) = self.seed else {
            for (m, share) in shares.iter().enumerate().filter(|(_, q)| **q > 0.0) {
                conditional.expect(m, &z[m * d..(m + 1) * d], &mut part);
                numeric::add_scaled(&mut out, *share, &part);
            }
            return out;
        };
        let seed = gaps::row_seed(seed, row);
        let mut left = seed.unit();
        let over = |q: &f64| {
            left -= q;
            left < 0.0
        };
        // Rounding may leave a little after the last component that has a share.
        let last = shares.iter().rposition(|q| *q > 0.0).unwrap_or(0);
        let m = shares.iter().position(over).unwrap_or(last);
        conditional.expect(m, &z[m * d..(m + 1) * d], &mut out);
        let mut stream = seed.fork("normal").stream();
        part.iter_mut().for_each(|g| *g = normal(&mut stream));
        conditional.add_noise(m, &part, &mut out);
        out
    }
}

impl Machine for MixtureFiller {
    fn inputs(&self) -> &Features {
        self.mixture.inputs()
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let d = self.mixture.inputs().count();
        gaps::filled(inputs, run, |values| {
            let (mut patterns, _patterns) = patterns(values, d, run)?;
            patterns.remove(&vec![]);
            let patterns: Vec<(Vec<usize>, Vec<u32>)> = patterns.into_iter().collect();
            let gaps: usize = patterns.iter().map(|(missing, rows)| missing.len() * rows.len()).sum();
            let factors = self.mixture.shares().len().saturating_mul(d * d).saturating_mul(numeric::threads(run));
            let _hold = run.memory.take_for::<f64>(gaps.saturating_add(factors), "imputed values")?;
            let guesses = numeric::each(run, patterns.len(), |p| {
                run.report(&Progress::of("filling", p as u64, patterns.len() as u64))?;
                let (missing, rows) = &patterns[p];
                let conditional = Conditional::new(&self.mixture, missing, &Run { threads: 1, ..run.clone() })?;
                let row = |i: &u32| &values[*i as usize * d..(*i as usize + 1) * d];
                Ok(rows.iter().flat_map(|i| self.guess(&conditional, row(i))).collect::<Vec<f64>>())
            })?;
            for ((missing, rows), guesses) in patterns.iter().zip(guesses) {
                for (i, guess) in rows.iter().zip(guesses.chunks_exact(missing.len())) {
                    missing.iter().zip(guess).for_each(|(c, x)| values[*i as usize * d + c] = *x);
                }
            }
            Ok(())
        })
    }

    fn record(&self) -> Record {
        let seed = self.seed.map(gaps::seed_field);
        Record::new(Self::KIND, 1).with("mixture", self.mixture.record()).with_some("seed", seed)
    }

    fn facets(&self) -> Facets<'_> {
        Facets { missing: Missing::HANDLED, step: Some(self), ..Facets::default() }
    }
}

impl PreparationStep for MixtureFiller {
    fn origin(&self) -> Option<base::Origin> {
        Some(base::Origin::same(self.mixture.inputs()))
    }

    fn restore(&self, outputs: &Points, _run: &Run<'_>) -> Result<Option<Inputs>> {
        Ok(Some(Inputs::Points(outputs.clone())))
    }
}
