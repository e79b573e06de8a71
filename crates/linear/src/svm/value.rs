//! `linear-svr`: support vector regression without kernels.
//!
//! Predicts w·x + b with the smallest ½‖w‖² + Σ C_i max(0, |w·x_i + b − y_i| − ε)^p, p = 1 or 2 (`regress.rs`). The intercept is the
//! weight of a constant feature and penalised, as in LIBLINEAR. Several targets are problems of their own.
//!
//! **Cost.** epochs · entries for each target.

use super::Stop;
use super::binary::Solved;
use super::regress::Regression;
use super::samples::Rows;
use crate::Linear;
use base::{
    Certificate, Dataset, Fitted, Gap, Learner, Needs, Outputs, Plan, Record, Result, Run, Size, Traits, Wanted,
    Weighting, values_of,
};
use std::sync::Arc;

base::choices! {
    /// What an error costs.
    pub enum TubeLoss {
        /// What exceeds ε.
        Absolute = "epsilon-insensitive" | "epsilon_insensitive",
        /// The square of what exceeds ε.
        Squared = "squared-epsilon-insensitive" | "squared_epsilon_insensitive",
    }
}

base::settings! {
    /// Settings of linear support vector regression.
    pub struct LinearSvr {
        /// regularisation parameter C, the cost of errors beyond epsilon
        pub c: f64 = 1.0, in Range::Positive, as "C";
        /// half width of the tube in which errors cost nothing
        pub epsilon: f64 = 0.0, in Range::AtLeast(0.0);
        /// loss of an error beyond epsilon
        pub loss: TubeLoss = TubeLoss::Absolute, in Range::Any;
        /// fit an intercept: the weight of a constant feature, penalised like the others
        pub intercept: bool = true, in Range::Any, as "fit_intercept";
        /// value of the constant feature behind the intercept; a large one makes its penalty weak
        pub intercept_scaling: f64 = 1.0, in Range::Positive;
        /// sum of the violations of an epoch, as a fraction of that of the first epoch, at which to stop
        pub tolerance: f64 = 1e-4, in Range::Between(1e-14, 1e3), as "tol";
        /// relative duality gap to reach, whatever the tolerance; 0 leaves it to the tolerance
        pub gap: f64 = 0.0, in Range::Between(0.0, 1.0);
        /// maximum number of epochs
        pub steps: usize = 1000, in Range::AtLeast(1.0), as "max_iter";
    }
}

impl Learner for LinearSvr {
    fn name(&self) -> &'static str {
        "linear-svr"
    }

    fn traits(&self) -> Traits<'_> {
        let needs = Needs { targets: Wanted::Values, table: false, missing: false, weights: Weighting::Exact };
        Traits::new(needs).random().contract(&[("tolerance", "1e-12"), ("steps", "100000")])
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let values = values_of(data)?;
        let (k, d) = (values.names().len(), data.points()?.columns());
        let stored = Rows::new(data.points()?, if self.intercept { self.intercept_scaling } else { 0.0 }, run)?;
        let rows = stored.samples();
        let costs: Vec<f64> = (0..data.len()).map(|i| self.c * data.weight(i)).collect();
        let stop = Stop { tolerance: self.tolerance, gap: self.gap, epochs: self.steps };
        let loss = match self.loss {
            TubeLoss::Absolute => super::Loss::Hinge,
            TubeLoss::Squared => super::Loss::SquaredHinge,
        };
        let solved: Vec<Solved> = numeric::each(run, k, |target| {
            let values: Vec<f64> = (0..data.len()).map(|i| values.row(i)[target]).collect();
            let problem = Regression { samples: &rows, values: &values, costs: &costs, tube: self.epsilon, loss };
            problem.solve(&stop, &Run { seed: run.seed.at(target), ..run.clone() })
        })?;
        let mut weights = Vec::with_capacity(k * d);
        let offset = |s: &Solved| s.weights.get(d).map_or(0.0, |w| w * rows.bias());
        let offsets = solved.iter().map(offset).collect();
        solved.iter().for_each(|s| weights.extend_from_slice(&s.weights[..d]));
        let machine =
            Linear::new(data.features.clone(), Outputs::values(values.names().clone()), weights, offsets, None)?;
        Ok(Fitted { machine: Arc::new(machine), certificate: self.certificate(&solved) })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (entries, k) = (size.entries as f64, size.outputs.max(1) as f64);
        let bytes = 8.0 * (k * size.columns as f64 + 4.0 * size.rows as f64) + 12.0 * entries;
        Plan {
            fit: 2.0 * 50.0 * entries * k,
            predict: 2.0 * entries / (size.rows as f64).max(1.0) * k,
            bytes,
            advice: None,
        }
    }
}

impl LinearSvr {
    fn certificate(&self, solved: &[Solved]) -> Certificate {
        let mut certificate = Certificate::default();
        let primal: f64 = solved.iter().map(|s| s.primal).sum();
        let dual: f64 = solved.iter().map(|s| s.dual).sum();
        let gap = (primal - dual).max(0.0);
        let relative = gap / primal.abs().max(f64::MIN_POSITIVE);
        certificate.converged = solved.iter().all(|s| s.converged);
        certificate.interrupted = solved.iter().any(|s| s.interrupted);
        certificate.steps = solved.iter().map(|s| s.epochs).max().unwrap_or(0) as u64;
        certificate.objective = Some(primal);
        certificate.gap = Gap::Duality(gap);
        certificate.fact("primal objective", primal);
        certificate.fact("dual objective", dual);
        certificate.fact("relative duality gap", relative);
        certificate.fact("support vectors", solved.iter().map(|s| s.support).sum::<usize>() as f64);
        if !certificate.converged && !certificate.interrupted {
            certificate.warn(format!(
                "stopped after {} epochs at a relative duality gap of {relative:.1e}; scale the columns, lower c or raise steps",
                certificate.steps
            ));
        }
        certificate
    }
}
