//! Multiple linear regression: least squares by pseudo-inverse.
//!
//! Minimises ½ Σ_i w_i (y_i − w·x_i − b)². With the inputs as rows of X:
//!
//! - left, more rows than columns: W = (XᵀX)⁻¹ Xᵀ Y, by Cholesky;
//! - right, more columns than rows: W = Xᵀ (X Xᵀ)⁻¹ Y, the shortest of the many exact solutions;
//! - unified: the limit of (XᵀX + γI)⁻¹ Xᵀ for γ → 0, which exists always: the pseudo-inverse of Moore and Penrose, by
//!   singular values, of which those below the rounding error count as 0;
//! - iterative: conjugate gradients, for sparse or large data.
//!
//! **Cost.** O(n d min(n, d)) and n d numbers for the first three; two products a step for the last.
//!
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 2.2 and appendix A.3.

use crate::design::{Centre, Design, transposed};
use crate::solve::{dual, primal};
use crate::{Linear, iterative, log_likelihood};
use base::{
    Certificate, Dataset, Error, Fitted, Gap, Learner, Needs, Outputs, Plan, Record, Result, Run, Size, Traits, Wanted,
    Weighting, values_of,
};
use numeric::{Mat, least_squares};
use std::sync::Arc;

base::choices! {
    /// How the equations are solved.
    pub enum Method {
        /// Unified where that is quick, else left or right, else iterative.
        Auto = "auto",
        /// (XᵀX)⁻¹ Xᵀ.
        Left = "left",
        /// Xᵀ (X Xᵀ)⁻¹.
        Right = "right",
        /// By singular values.
        Unified = "unified",
        /// By conjugate gradients.
        Iterative = "iterative",
    }
}

base::settings! {
    /// Settings of linear regression.
    pub struct LinearRegression {
        /// how the normal equations are solved
        pub method: Method = Method::Auto, in Range::Any;
        /// fit an intercept
        pub intercept: bool = true, in Range::Any, as "fit_intercept";
        /// iterative: relative residual at which to stop
        pub tolerance: f64 = 1e-12, in Range::Between(1e-15, 0.1), as "tol";
        /// iterative: maximum number of iterations
        pub steps: usize = 10000, in Range::AtLeast(1.0), as "max_iter";
    }
}

/// Singular values of a matrix this narrow are quick.
const NARROW: usize = 256;
/// More numbers than this are not written out for a factorisation unless asked.
const WRITTEN_OUT: usize = 1 << 28;

impl LinearRegression {
    fn method_for(&self, data: &Dataset) -> Result<Method> {
        let points = data.points()?;
        let (n, d) = (points.len(), points.columns());
        let numbers = n.saturating_mul(d);
        Ok(match self.method {
            Method::Auto if numbers > WRITTEN_OUT => Method::Iterative,
            Method::Auto if points.is_sparse() && numbers > 64 * points.entries().max(1 << 16) => Method::Iterative,
            Method::Auto if n.min(d) <= NARROW => Method::Unified,
            Method::Auto if n > d => Method::Left,
            Method::Auto => Method::Right,
            chosen => chosen,
        })
    }
}

impl Learner for LinearRegression {
    fn name(&self) -> &'static str {
        "linear-regression"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Values, table: false, missing: false, weights: Weighting::Exact })
            .effort(15.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let method = self.method_for(data)?;
        if method == Method::Iterative {
            return by_steps(data, self.intercept, 0.0, (self.tolerance, self.steps), run);
        }
        let design = Design::new(data, self.intercept, run)?;
        let mut certificate = Certificate::direct();
        let weights = match method {
            Method::Left => primal(&design, 0.0, run).map(|(weights, _)| weights),
            Method::Right => dual(&design, 0.0, run),
            _ => unified(&design, &mut certificate, run),
        };
        let weights = match weights {
            // Rows or columns depend on one another: only the unified limit exists.
            Err(Error::Data { .. }) if self.method == Method::Auto => unified(&design, &mut certificate, run)?,
            Err(Error::Data { .. }) => {
                let must = "the equations have no unique solution; use method=unified";
                return Err(Error::parameter("method", method.word(), must));
            }
            other => other?,
        };
        finish(&design, weights, 0.0, certificate, data, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d, k) = (size.rows as f64, size.columns as f64, size.outputs.max(1) as f64);
        let m = n.min(d);
        // Singular values where the matrix is narrow, with three copies of it; else XᵀX or XXᵀ and a factorisation.
        let (cost, numbers) = match m <= NARROW as f64 {
            true => (10.0 * n * d * m, 4.0 * n * d + 4.0 * d * m),
            false => (2.0 * n * d * m + m * m * m / 3.0, n * d + 2.0 * m * m),
        };
        Plan { fit: cost, predict: 2.0 * d * k, bytes: 8.0 * numbers, advice: None }
    }
}

/// The pseudo-inverse by singular values, as values x columns.
fn unified(design: &Design, certificate: &mut Certificate, run: &Run<'_>) -> Result<Vec<f64>> {
    let (n, d, k) = (design.n, design.d, design.k);
    let found = least_squares(run, Mat::new(&design.x, n, d)?, Mat::new(&design.y, n, k)?, None)?;
    certificate.fact("rank", found.rank as f64);
    if found.rank < d.min(n.saturating_sub(1)) {
        certificate.warn(format!(
            "columns are linearly dependent (rank {} of {d}); the minimum-norm solution was taken",
            found.rank
        ));
    }
    Ok(transposed(&found.solution, d, k))
}

/// The machine of a solved design, with what its certificate can say.
pub(crate) fn finish(
    design: &Design,
    weights: Vec<f64>,
    gamma: f64,
    mut certificate: Certificate,
    data: &Dataset,
    run: &Run<'_>,
) -> Result<Fitted> {
    let halves = design.half_squares(&weights, run)?;
    let penalty = 0.5 * gamma * weights.iter().map(|w| w * w).sum::<f64>();
    certificate.objective = Some(halves.iter().sum::<f64>() + penalty);
    certificate.gap = Gap::Residual(design.violation(&weights, gamma, run)?);
    describe(&mut certificate, 2.0 * halves.iter().sum::<f64>(), design.centre.weight * design.k as f64);
    let offsets = design.centre.offsets(&weights);
    let outputs = Outputs::values(values_of(data)?.names().clone());
    let machine = Linear::new(data.features.clone(), outputs, weights, offsets, None)?;
    Ok(Fitted { machine: Arc::new(machine), certificate })
}

/// Mean squared error, and the likelihood under normal noise of that variance.
fn describe(certificate: &mut Certificate, squares: f64, count: f64) {
    let mse = squares / count;
    certificate.fact("training mse", mse);
    if mse > 0.0 {
        // Σ log p = −(P/2) log(2πσ²) − P/2 at σ² = mse: the same formula with every residual of size σ.
        certificate.fact("log-likelihood", count * log_likelihood(&[mse.sqrt()], mse));
    }
}

/// The machine found by conjugate gradients.
pub(crate) fn by_steps(
    data: &Dataset,
    intercept: bool,
    gamma: f64,
    limits: (f64, usize),
    run: &Run<'_>,
) -> Result<Fitted> {
    let centre = Centre::of(data, intercept)?;
    let ended = iterative::solve(data, &centre, gamma, limits, run)?;
    let names = values_of(data)?.names().clone();
    let penalty = 0.5 * gamma * ended.weights.iter().map(|w| w * w).sum::<f64>();
    let mut certificate = Certificate {
        converged: ended.residual <= limits.0,
        interrupted: ended.interrupted,
        steps: ended.steps as u64,
        objective: Some(ended.objective),
        gap: Gap::Residual(ended.residual),
        ..Default::default()
    };
    describe(&mut certificate, 2.0 * (ended.objective - penalty), centre.weight * names.len() as f64);
    let offsets = centre.offsets(&ended.weights);
    let machine = Linear::new(data.features.clone(), Outputs::values(names), ended.weights, offsets, None)?;
    Ok(Fitted { machine: Arc::new(machine), certificate })
}
