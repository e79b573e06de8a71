//! Lasso and elastic net: least squares with weights that are often exactly 0.
//!
//! Minimises (1/2W) Σ_i w_i (y_i − x_i·β − b)² + α (ρ ‖β‖₁ + ½(1 − ρ) ‖β‖²), W = Σ w_i; the lasso has ρ = 1. The offset b
//! is not penalised. Several values are predicted each by itself. The certificate gives the duality gap of this
//! objective. Sparse inputs are centred without being written out.
//!
//! - R. Tibshirani: *Regression shrinkage and selection via the lasso.* J. R. Stat. Soc. B 58 (1996) 267–288.
//! - H. Zou, T. Hastie: *Regularization and variable selection via the elastic net.* J. R. Stat. Soc. B 67 (2005).

use crate::Linear;
use crate::descent::{Aim, Ended, descend};
use crate::design::Centre;
use crate::equations::Equations;
use base::{
    Certificate, Dataset, Fitted, Gap, Learner, Machine, Needs, Outputs, Plan, Record, Result, Run, Size, Traits,
    Wanted, Weighting, values_of,
};
use std::sync::Arc;

base::settings! {
    /// Settings of the lasso.
    pub struct Lasso {
        /// strength α of the penalty α|β|₁
        pub penalty: f64 = 1.0, in Range::Positive, as "alpha";
        /// fit an intercept, which is not penalised
        pub intercept: bool = true, in Range::Any, as "fit_intercept";
        /// duality gap at which to stop, relative to the objective of β = 0
        pub tolerance: f64 = 1e-10, in Range::Between(1e-12, 0.1), as "tol";
        /// maximum number of sweeps over the columns
        pub steps: usize = 100000, in Range::AtLeast(1.0), as "max_iter";
    }
}

base::settings! {
    /// Settings of the elastic net.
    pub struct ElasticNet {
        /// strength α of the penalty α(ρ|β|₁ + ½(1 − ρ)|β|²)
        pub penalty: f64 = 1.0, in Range::Positive, as "alpha";
        /// fraction ρ of the L1 penalty; for 0 use ridge
        pub l1_ratio: f64 = 0.5, in Range::Share;
        /// fit an intercept, which is not penalised
        pub intercept: bool = true, in Range::Any, as "fit_intercept";
        /// duality gap at which to stop, relative to the objective of β = 0
        pub tolerance: f64 = 1e-10, in Range::Between(1e-12, 0.1), as "tol";
        /// maximum number of sweeps over the columns
        pub steps: usize = 100000, in Range::AtLeast(1.0), as "max_iter";
    }
}

impl Lasso {
    /// The elastic net that it is a case of.
    pub fn net(&self) -> ElasticNet {
        let Lasso { penalty, intercept, tolerance, steps } = *self;
        ElasticNet { penalty, l1_ratio: 1.0, intercept, tolerance, steps }
    }
}

const NEEDS: Needs = Needs { targets: Wanted::Values, table: false, missing: false, weights: Weighting::Exact };

impl ElasticNet {
    /// What coordinate descent is asked for, with that penalty and rows of that weight.
    pub(crate) fn aim(&self, penalty: f64, weight: f64) -> Aim {
        let strength = penalty * weight;
        Aim {
            l1: strength * self.l1_ratio,
            l2: strength * (1.0 - self.l1_ratio),
            tolerance: self.tolerance,
            sweeps: self.steps,
        }
    }

    fn fit_values(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let values = values_of(data)?;
        let (d, k) = (data.points()?.columns(), values.names().len());
        let mut weights = match start {
            Some(record) => started(record, d, k, run)?,
            None => vec![0.0; d * k],
        };
        let mut problem = Problem::new(data, self.intercept, k, run)?;
        let aim = self.aim(self.penalty, problem.centre.weight);
        let mut certificate = Certificate { converged: true, ..Default::default() };
        let (mut objective, mut gap) = (0.0, 0.0);
        for (value, weights) in weights.chunks_exact_mut(d).enumerate() {
            let ended = problem.solve(data, value, weights, &aim, run)?;
            objective += ended.objective / problem.centre.weight;
            gap += ended.gap / problem.centre.weight;
            certificate.converged &= ended.converged;
            certificate.interrupted |= ended.interrupted;
            certificate.steps += ended.sweeps as u64;
        }
        certificate.objective = Some(objective);
        certificate.gap = Gap::Duality(gap);
        certificate.fact("columns used", weights.iter().filter(|w| **w != 0.0).count() as f64);
        if !certificate.converged && !certificate.interrupted {
            certificate
                .warn(format!("stopped at a duality gap of {gap:.1e}; raise steps or tolerance, or scale the columns"));
        }
        let offsets = problem.centre.offsets(&weights);
        let outputs = Outputs::values(values.names().clone());
        let machine = Linear::new(data.features.clone(), outputs, weights, offsets, None)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }
}

/// Centred data in the form that suits them, for one value after the other and one penalty after the other.
pub(crate) struct Problem {
    pub centre: Centre,
    columns: Equations,
    products: Option<Equations>,
    aimed: Option<usize>,
    fits: usize,
}

impl Problem {
    /// The problem of these data, to be solved `fits` times.
    pub fn new(data: &Dataset, intercept: bool, fits: usize, run: &Run<'_>) -> Result<Self> {
        let centre = Centre::of(data, intercept)?;
        let columns = Equations::new(data, &centre, run)?;
        Ok(Problem { centre, columns, products: None, aimed: None, fits })
    }

    /// Turns to the `value`-th of the values.
    pub fn aim_at(&mut self, data: &Dataset, value: usize, run: &Run<'_>) -> Result<()> {
        if self.aimed == Some(value) {
            return Ok(());
        }
        self.columns.aim_at(data, &self.centre, value)?;
        match &mut self.products {
            Some(products) => products.retarget(&self.columns),
            None if self.columns.pays_products(self.fits) => self.products = self.columns.by_products(run)?,
            None => {}
        }
        self.aimed = Some(value);
        Ok(())
    }

    /// λ₁ from which on all weights are 0, for the value aimed at.
    pub fn steepest(&self) -> f64 {
        self.columns.steepest()
    }

    /// Solves for one value from `weights` on.
    pub fn solve(
        &mut self,
        data: &Dataset,
        value: usize,
        weights: &mut [f64],
        aim: &Aim,
        run: &Run<'_>,
    ) -> Result<Ended> {
        self.aim_at(data, value, run)?;
        descend(self.products.as_mut().unwrap_or(&mut self.columns), weights, aim, run)
    }
}

/// The weights of an earlier machine for the same columns and values.
fn started(record: &Record, d: usize, k: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let earlier = Linear::read(record)?;
    match earlier.inputs().count() == d && earlier.offsets().len() == k {
        true => Ok(earlier.weights().to_dense(&run.memory)?.to_vec()),
        false => Err(record.broken("the model to warm-start from has other targets or columns")),
    }
}

fn plan(size: &Size) -> Plan {
    let (n, d, entries) = (size.rows as f64, size.columns as f64, size.entries as f64);
    let k = size.outputs.max(1) as f64;
    let products = if n > 2.0 * d && d <= 2048.0 { 2.0 * n * d * d } else { 0.0 };
    Plan { fit: products + 400.0 * k * entries, predict: 2.0 * d * k, bytes: 12.0 * entries + 24.0 * n, advice: None }
}

impl Learner for Lasso {
    fn name(&self) -> &'static str {
        "lasso"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(NEEDS).warm_start().effort(2.5, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.net().fit_values(data, start, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        plan(size)
    }
}

impl Learner for ElasticNet {
    fn name(&self) -> &'static str {
        "elastic-net"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(NEEDS).warm_start().effort(3.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.fit_values(data, start, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        plan(size)
    }
}
