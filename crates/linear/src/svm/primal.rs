//! The end of hard problems of two sides with a smooth loss: Newton's method on the weights.
//!
//! With a large C dual coordinate descent takes thousands of epochs, while the primal objective P(w) = ½‖w‖² + Σ C_i ℓ(y_i w·x_i) of
//! the squared hinge or the logistic loss has a Hessian I + XᵀDX, D_i = 2C_i where a margin is violated or C_i σ'(y_i w·x_i), that
//! costs two passes a product. The dual variables α_i = −C_i ℓ'(y_i w·x_i) belong to w, and with w' = Σ α_i y_i x_i the
//! gradient of P is w − w': a coordinate of the dual is violated by at most max |∇P_j| Σ_j |x_ij|, which gives the stopping rule its
//! meaning.
//!
//! **Cost.** Some ten steps of some ten products with the rows each.
//!
//! - C.-J. Lin, R. C. Weng, S. S. Keerthi: *Trust region Newton method for large-scale logistic regression.* JMLR 9 (2008).

use super::Loss;
use super::binary::Binary;
use crate::newton::{self, Curved, Ended};
use base::{Result, Run};

/// P with what the last point needs for its curvature.
struct Primal<'a> {
    problem: &'a Binary<'a>,
    /// D_i at the point evaluated last.
    curvature: Vec<f64>,
}

/// Minimises from `start` until no dual coordinate is violated by more than `tolerance`.
pub(super) fn minimise(
    problem: &Binary<'_>,
    start: Vec<f64>,
    tolerance: f64,
    steps: usize,
    run: &Run<'_>,
) -> Result<Ended> {
    let _hold = run.memory.take_for::<f64>(problem.samples.len(), "curvature")?;
    // |∇P · x_i| ≤ max |∇P_j| · Σ_j |x_ij|.
    let longest = (0..problem.samples.len()).map(|i| {
        let mut sum = 0.0;
        problem.samples.each(i, |_, x| sum += x.abs());
        sum
    });
    let limit = tolerance / longest.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut primal = Primal { problem, curvature: vec![0.0; problem.samples.len()] };
    newton::minimise(&mut primal, start, (limit, steps), run, &mut |_| Ok(()))
}

/// α_i = −C_i ℓ'(y_i w·x_i) of a sample with this margin.
pub(super) fn dual_variable(loss: Loss, cost: f64, margin: f64) -> f64 {
    match loss {
        Loss::Hinge => 0.0,
        Loss::SquaredHinge => 2.0 * cost * (1.0 - margin).max(0.0),
        Loss::Logistic => cost / (1.0 + margin.exp()),
    }
}

impl Curved for Primal<'_> {
    fn value(&mut self, run: &Run<'_>, at: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let Binary { samples, signs, costs, loss } = *self.problem;
        run.check()?;
        gradient.copy_from_slice(at);
        let mut value = 0.5 * numeric::squared_norm(at);
        for i in 0..samples.len() {
            let margin = signs[i] * samples.dot(i, at);
            value += costs[i] * loss.of(margin);
            let alpha = dual_variable(loss, costs[i], margin);
            self.curvature[i] = match loss {
                Loss::Logistic => alpha * (1.0 - alpha / costs[i]),
                _ if alpha > 0.0 => 2.0 * costs[i],
                _ => 0.0,
            };
            if alpha > 0.0 {
                samples.add(i, -alpha * signs[i], gradient);
            }
        }
        Ok(value)
    }

    fn curve(&mut self, run: &Run<'_>, direction: &[f64], out: &mut [f64]) -> Result<()> {
        let samples = self.problem.samples;
        run.check()?;
        out.copy_from_slice(direction);
        for (i, &d) in self.curvature.iter().enumerate().filter(|(_, d)| **d > 0.0) {
            let along = samples.dot(i, direction);
            samples.add(i, d * along, out);
        }
        Ok(())
    }

    fn diagonal(&self, _: &Run<'_>) -> Result<Vec<f64>> {
        let samples = self.problem.samples;
        let mut diagonal = vec![1.0; samples.width()];
        for (i, &d) in self.curvature.iter().enumerate().filter(|(_, d)| **d > 0.0) {
            samples.each(i, |j, x| diagonal[j] += d * x * x);
        }
        Ok(diagonal)
    }
}
