//! Ridge regression, and the posterior of a Bayesian linear model.
//!
//! Minimises ½ Σ_i w_i (y_i − w·x_i − b)² + ½γ‖w‖²; the offset is not penalised. The minimum is
//! W = (XᵀX + γI)⁻¹ Xᵀ Y = Xᵀ (X Xᵀ + γI)⁻¹ Y over centred sides, of which the smaller system is solved by Cholesky.
//!
//! It is the mean of the posterior of the weights for normal noise of variance σ² and a normal prior of variance
//! τ² = σ²/γ. With `posterior` the machine also gives the predictive variance σ²(1 + 1/Σw + (x − m)ᵀ(XᵀX + γI)⁻¹(x − m));
//! σ² is given as `noise`, or estimated for each value as Σ w r² / (Σw − tr H), H the hat matrix.
//!
//! **Cost.** O(n d min(n, d)); O(n d² + d³) and d² numbers in the file with a posterior.
//!
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 2.3.

use crate::design::Design;
use crate::regression::{by_steps, finish};
use crate::solve::{dual, primal};
use crate::{Linear, Posterior};
use base::{
    Certificate, Dataset, Error, Fitted, Learner, Needs, Outputs, Plan, Record, Result, Run, Size, Traits, Wanted,
    Weighting, values_of,
};
use numeric::{Cholesky, MatMut};
use std::sync::Arc;

base::choices! {
    /// How the equations are solved.
    pub enum Solver {
        /// Direct where the numbers can be written out, else iterative.
        Auto = "auto",
        /// By Cholesky.
        Direct = "direct",
        /// By conjugate gradients.
        Iterative = "iterative",
    }
}

base::settings! {
    /// Settings of ridge regression.
    pub struct Ridge {
        /// strength γ of the penalty ½γ|w|²
        pub penalty: f64 = 1.0, in Range::AtLeast(0.0), as "alpha", was "gamma";
        /// fit an intercept, which is not penalised
        pub intercept: bool = true, in Range::Any, as "fit_intercept";
        /// also return the predictive variance
        pub posterior: bool = false, in Range::Any;
        /// noise variance; 0: estimated from the data
        pub noise: f64 = 0.0, in Range::AtLeast(0.0);
        /// how the normal equations are solved
        pub solver: Solver = Solver::Auto, in Range::Any;
        /// iterative: relative residual at which to stop
        pub tolerance: f64 = 1e-12, in Range::Between(1e-15, 0.1), as "tol";
        /// iterative: maximum number of iterations
        pub steps: usize = 10000, in Range::AtLeast(1.0), as "max_iter";
    }
}

impl Learner for Ridge {
    fn name(&self) -> &'static str {
        "ridge"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Values, table: false, missing: false, weights: Weighting::Exact })
            .effort(6.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let points = data.points()?;
        let numbers = points.len().saturating_mul(points.columns());
        let large = numbers > 1 << 28 || (points.is_sparse() && numbers > 64 * points.entries().max(1 << 16));
        if self.solver == Solver::Iterative || (self.solver == Solver::Auto && large && !self.posterior) {
            if self.posterior {
                return Err(Error::parameter("solver", "iterative", "a posterior needs solver=direct"));
            }
            return by_steps(data, self.intercept, self.penalty, (self.tolerance, self.steps), run);
        }
        let design = Design::new(data, self.intercept, run)?;
        let certificate = Certificate::direct();
        if !self.posterior {
            let weights = match design.n < design.d {
                true => dual(&design, self.penalty, run),
                false => primal(&design, self.penalty, run).map(|(weights, _)| weights),
            };
            return finish(&design, weights.map_err(|e| self.singular(e))?, self.penalty, certificate, data, run);
        }
        let (weights, factor) = primal(&design, self.penalty, run).map_err(|e| self.singular(e))?;
        let fitted = finish(&design, weights.clone(), self.penalty, certificate, data, run)?;
        let posterior = self.posterior(&design, &weights, &factor, run)?;
        let mut certificate = fitted.certificate;
        certificate.fact("noise variance", posterior.noise.iter().sum::<f64>() / posterior.noise.len() as f64);
        let offsets = design.centre.offsets(&weights);
        let outputs = Outputs::values(values_of(data)?.names().clone());
        let machine = Linear::new(data.features.clone(), outputs, weights, offsets, Some(posterior))?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d, k) = (size.rows as f64, size.columns as f64, size.outputs.max(1) as f64);
        let m = n.min(d);
        let predict = if self.posterior { 2.0 * d * (d + k) } else { 2.0 * d * k };
        Plan { fit: n * d * m + m * m * m / 3.0, predict, bytes: 8.0 * (n * d + 2.0 * m * m), advice: None }
    }
}

impl Ridge {
    fn singular(&self, error: Error) -> Error {
        match error {
            Error::Data { .. } => {
                let must = "is too small: the equations have no unique solution; raise it or use linear-regression";
                Error::parameter("penalty", self.penalty, must)
            }
            other => other,
        }
    }

    fn posterior(&self, design: &Design, weights: &[f64], factor: &Cholesky<f64>, run: &Run<'_>) -> Result<Posterior> {
        let d = design.d;
        let (mut spread, _hold) = run.memory.filled(d.saturating_mul(d), 0.0, "the posterior")?;
        (0..d).for_each(|i| spread[i * d + i] = 1.0);
        factor.solve(run, MatMut::new(&mut spread, d, d)?)?;
        // tr H = tr (XᵀX + γI)⁻¹XᵀX = d − γ tr S, and one more for the offset.
        let trace: f64 = (0..d).map(|i| spread[i * d + i]).sum();
        let used = d as f64 - self.penalty * trace + f64::from(u8::from(self.intercept));
        let free = design.centre.weight - used;
        let noise = match self.noise > 0.0 {
            true => vec![self.noise; design.k],
            false if free > 1e-9 * design.centre.weight => {
                design.half_squares(weights, run)?.iter().map(|h| (2.0 * h / free).max(f64::MIN_POSITIVE)).collect()
            }
            false => {
                let must = "cannot be estimated with no more rows than weights; set it (noise=...)";
                return Err(Error::parameter("noise", self.noise, must));
            }
        };
        let offset = if self.intercept { 1.0 / design.centre.weight } else { 0.0 };
        Ok(Posterior { noise, spread, mean: design.centre.x.clone(), offset })
    }
}
