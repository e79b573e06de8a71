//! Gaps filled by regression on the other columns: once, or in sweeps (multiple imputation by chained equations).
//!
//! **Regression.** Each column is predicted by ridge regression from the others, whose own gaps stand at their means;
//! with `draw` the noise of the residuals is added, so that what is filled varies as what is there does.
//! **Chained equations.** Gaps start at the means. A sweep takes the columns in order, fewest gaps first: a ridge
//! regression on the present filling of the others, over the rows that have the column, fills its gaps anew. Sweeps end
//! when no gap moves by more than `tolerance` deviations of its column, or after `sweeps`. With `draw` each regression is
//! drawn from its posterior and noise is added (proper draws for multiple imputation); then all sweeps are made. The
//! machine keeps the regressions of every sweep and repeats the last one where the fit has converged early.
//!
//! The penalty ½γ|β|² is on columns in standard units (`equations.rs`, with the cost of each regression).
//! **Limits.** Linear relations only; sweeps · d² numbers in the file.
//!
//! - S. van Buuren, K. Groothuis-Oudshoorn: *mice: multivariate imputation by chained equations in R.* J. Stat. Softw.
//!   45 (2011) 3.

use super::chained::ChainedFiller;
use super::equations::{Equations, Step, Taking};
use super::gaps;
use base::{
    Certificate, Dataset, Error, Fact, Fitted, Learner, Needs, Plan, Progress, Record, Result, Run, Seed, Size, Traits,
    Wanted, Weighting,
};
use std::sync::Arc;

/// Sweeps at most.
pub(super) const MOST_SWEEPS: usize = 10_000;

base::settings! {
    /// Settings of filling missing values by one regression for each column.
    pub struct ImputeRegression {
        /// strength γ of the penalty ½γ|β|² on standardised columns
        pub penalty: f64 = 1.0, in Range::Positive, as "alpha", was "gamma";
        /// add noise with the variance of the residuals
        pub sample: bool = false, in Range::Any, as "sample_posterior", was "draw";
    }
}

base::settings! {
    /// Settings of chained equations.
    pub struct ImputeMice {
        /// maximum number of sweeps over all columns
        pub sweeps: usize = 10, in Range::Between(1.0, 1e4), as "max_iter";
        /// strength γ of the penalty ½γ|β|² on standardised columns
        pub penalty: f64 = 1.0, in Range::Positive, as "alpha", was "gamma";
        /// stop when no imputed value changes by more than this many standard deviations of its column
        pub tolerance: f64 = 1e-3, in Range::AtLeast(0.0), as "tol";
        /// sample the regressions from their posterior, and add noise
        pub sample: bool = false, in Range::Any, as "sample_posterior", was "draw";
    }
}

const NEEDS: Needs = Needs { targets: Wanted::Nothing, table: false, missing: true, weights: Weighting::Exact };

fn plan(size: &Size, sweeps: f64) -> Plan {
    let (n, d) = (size.rows as f64, size.columns as f64);
    let sweep = 0.5 * n * d * d + d * (d * d * d / 3.0 + 2.0 * n * d);
    Plan {
        fit: n * d * d + sweeps * sweep,
        predict: sweeps * d * d,
        bytes: 8.0 * (n * d + sweeps * d * d),
        advice: None,
    }
}

impl Learner for ImputeRegression {
    fn name(&self) -> &'static str {
        "impute-regression"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(NEEDS).random()
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let mut certificate = Certificate::direct();
        gaps::certify(&mut certificate, data)?;
        let equations = Equations::new(data, self.penalty, run)?;
        let taking = if self.sample { Taking::Noise } else { Taking::Mean };
        let mut steps = equations.complete(taking, run)?;
        for c in (0..equations.d).filter(|&c| !equations.gaps[c].is_empty()) {
            run.report(&Progress::of("regressions", c as u64, equations.d as u64))?;
            steps.push(equations.step(c, taking, run)?);
        }
        let units = (equations.mean, equations.scale);
        let machine = ChainedFiller::new(data.features.clone(), units, steps, false, 0, run.seed.fork("noise"));
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        plan(size, 1.0)
    }
}

impl Learner for ImputeMice {
    fn name(&self) -> &'static str {
        "impute-mice"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(NEEDS).random()
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let equations = Equations::new(data, self.penalty, run)?;
        let seed = run.seed.fork("noise");
        let rows = match self.sample {
            true => row_seeds(data, seed)?,
            false => vec![],
        };
        let numbers = self.sweeps.saturating_mul(equations.d).saturating_mul(equations.d);
        let _hold = run.memory.take_for::<f64>(numbers, "regressions of all sweeps")?;
        let mut chain =
            Chain { settings: self, equations, rows, steps: vec![], curve: vec![], seed: run.seed.fork("posterior") };
        let (converged, interrupted) = chain.run(run)?;
        let sweeps = chain.curve.len();
        let mut certificate = Certificate { converged, interrupted, steps: sweeps as u64, ..Certificate::default() };
        gaps::certify(&mut certificate, data)?;
        certificate.fact("sweeps", sweeps as f64);
        certificate.facts.insert("largest change by sweep".into(), Fact::Curve(chain.curve));
        if !converged && !interrupted {
            certificate.warn(format!(
                "imputed values were still changing after {sweeps} sweeps; raise sweeps or \
                 tolerance"
            ));
        }
        let repeats = if converged && !self.sample { self.sweeps - sweeps } else { 0 };
        let units = (chain.equations.mean, chain.equations.scale);
        let machine = ChainedFiller::new(data.features.clone(), units, chain.steps, true, repeats, seed);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        plan(size, self.sweeps as f64)
    }
}

/// The randomness of each training row.
fn row_seeds(data: &Dataset, seed: Seed) -> Result<Vec<Seed>> {
    let points = data.points()?;
    let mut row = vec![0.0; points.columns()];
    let of = |i: usize| {
        points.write_row(i, &mut row);
        gaps::row_seed(seed, &row)
    };
    Ok((0..points.len()).map(of).collect())
}

/// Sweeps under way.
struct Chain<'a> {
    settings: &'a ImputeMice,
    equations: Equations,
    rows: Vec<Seed>,
    steps: Vec<Step>,
    /// The largest change of each sweep, in deviations.
    curve: Vec<f64>,
    seed: Seed,
}

impl Chain<'_> {
    /// Sweeps until nothing moves; whether that was reached, and whether somebody asked to stop.
    fn run(&mut self, run: &Run<'_>) -> Result<(bool, bool)> {
        let (d, sweeps) = (self.equations.d, self.settings.sweeps);
        let mut order: Vec<usize> = (0..d).filter(|&c| !self.equations.gaps[c].is_empty()).collect();
        // By weight, so that a row of weight 2 counts as two.
        let weight = |c: usize| self.equations.gaps[c].iter().map(|&i| self.equations.weight(i as usize)).sum::<f64>();
        order.sort_by(|&a, &b| weight(a).total_cmp(&weight(b)));
        for sweep in 0..sweeps {
            let progress =
                Progress { value: self.curve.last().copied(), ..Progress::of("sweeps", sweep as u64, sweeps as u64) };
            if run.step(&progress)? {
                return Ok((false, true));
            }
            let change = match self.sweep(&order, &progress, run) {
                // The regressions so far fill gaps too.
                Err(Error::Stopped { .. }) => return Ok((false, true)),
                other => other?,
            };
            self.curve.push(change);
            if !self.settings.sample
                && change <= self.settings.tolerance
                && (change == 0.0 || self.settings.tolerance > 0.0)
            {
                return Ok((true, false));
            }
        }
        // Draws never settle: their sweeps are done when they are made.
        Ok((self.settings.sample, false))
    }

    /// Fills every column once; the largest change.
    fn sweep(&mut self, order: &[usize], progress: &Progress<'_>, run: &Run<'_>) -> Result<f64> {
        // Columns without gaps come first and change nothing, but new rows may lack them.
        let complete = self.equations.complete(self.taking(self.steps.len()), run)?;
        self.steps.extend(complete);
        let mut change = 0.0f64;
        for &c in order {
            run.report(progress)?;
            change = change.max(self.renew(c, run)?);
        }
        Ok(change)
    }

    fn taking(&self, step: usize) -> Taking {
        if self.settings.sample { Taking::Posterior(self.seed.at(step)) } else { Taking::Mean }
    }

    /// Fills the gaps of a column anew; the largest change.
    fn renew(&mut self, c: usize, run: &Run<'_>) -> Result<f64> {
        let index = self.steps.len();
        let step = self.equations.step(c, self.taking(index), run)?;
        let value = |i: usize| {
            let noise =
                if step.deviation > 0.0 { step.deviation * ChainedFiller::noise(self.rows[i], index) } else { 0.0 };
            self.equations.predict(&step, i) + noise
        };
        let values: Vec<f64> = self.equations.gaps[c].iter().map(|&i| value(i as usize)).collect();
        let moves =
            self.equations.gaps[c].iter().zip(&values).map(|(&i, v)| (v - self.equations.value(i as usize, c)).abs());
        let change = moves.fold(0.0, f64::max);
        self.equations.put(c, &values, run)?;
        self.steps.push(step);
        Ok(change)
    }
}
