//! Values: dual coordinate descent for the ε-insensitive loss and its square.
//!
//! Minimises ½‖w‖² + Σ_i C_i max(0, |w·x_i − y_i| − ε)^p, p = 1 or 2, through w = Σ β_i x_i: for p = 1 |β_i| ≤ C_i; for p = 2
//! β_i is free and the curvature grows by 1/(2C_i). With G = w·x_i − y_i (+ β_i/(2C_i)) the optimum of one variable is
//! β_i − (G + ε)/H, β_i − (G − ε)/H or 0, whichever is consistent with its sign.
//!
//! **Stops** when the violations of an epoch sum to at most the tolerance times those of the first epoch over all samples; where
//! a relative gap is asked for, the tolerance falls until it is reached. Shrinking as for classes (`binary.rs`).
//!
//! - C.-H. Ho, C.-J. Lin: *Large-scale linear support vector regression.* JMLR 13 (2012).

use super::binary::Solved;
use super::order::Order;
use super::samples::Samples;
use super::{Loss, Stop};
use base::{Progress, Result, Run};

/// Values to come near to.
pub(crate) struct Regression<'a> {
    pub samples: &'a Samples<'a>,
    pub values: &'a [f64],
    /// C_i of each sample.
    pub costs: &'a [f64],
    /// ε, the half width of the tube in which errors do not count.
    pub tube: f64,
    /// The squared hinge stands for the squared loss, the hinge for the loss itself.
    pub loss: Loss,
}

/// β and the weights they make.
struct State {
    beta: Vec<f64>,
    weights: Vec<f64>,
}

impl Regression<'_> {
    /// The optimum, or the best so far.
    pub fn solve(&self, stop: &Stop, run: &Run<'_>) -> Result<Solved> {
        let n = self.samples.len();
        let _hold = run.memory.take_for::<f64>(n + self.samples.width(), "dual variables and weights")?;
        let mut state = State { beta: vec![0.0; n], weights: vec![0.0; self.samples.width()] };
        let mut order = Order::new(n, run.seed.fork("order").stream());
        let mut tolerance = stop.first();
        let (mut epochs, mut interrupted, mut converged) = (0, false, false);
        let (mut bound, mut first) = (f64::INFINITY, None);
        while epochs < stop.epochs {
            if run.step(&Progress::of("epoch", epochs as u64, stop.epochs as u64))? {
                interrupted = true;
                break;
            }
            order.shuffle();
            let (most, sum) = self.epoch(&mut state, &mut order, bound);
            epochs += 1;
            let scale: f64 = *first.get_or_insert(sum);
            if sum <= tolerance * scale {
                if !order.complete() {
                    order.restore();
                    bound = f64::INFINITY;
                    continue;
                }
                if !stop.by_gap() || stop.is_near(self.objectives(&state)) {
                    converged = true;
                    break;
                }
                tolerance *= 0.25;
            }
            bound = most;
        }
        let (primal, dual) = self.objectives(&state);
        let support = state.beta.iter().filter(|b| **b != 0.0).count();
        Ok(Solved { weights: state.weights, primal, dual, epochs, converged, interrupted, support })
    }

    /// Visits the active samples once; answers with the largest violation and the sum of all. Samples at 0 or at a bound whose
    /// gradient is further inside than `bound`, the largest violation of the epoch before, are left out.
    fn epoch(&self, state: &mut State, order: &mut Order<impl rand::Rng>, bound: f64) -> (f64, f64) {
        let squared = self.loss == Loss::SquaredHinge;
        let (mut most, mut sum) = (0.0f64, 0.0);
        let mut place = 0;
        while place < order.active() {
            let i = order.at(place);
            let (cost, beta) = (self.costs[i], state.beta[i]);
            let diagonal = if squared { 0.5 / cost } else { 0.0 };
            let limit = if squared { f64::INFINITY } else { cost };
            let g = self.samples.dot(i, &state.weights) - self.values[i] + diagonal * beta;
            let curvature = self.samples.norms[i] + diagonal;
            let (up, down) = (g + self.tube, g - self.tube);
            let (violation, inside) = if beta == 0.0 {
                ((-up).max(down).max(0.0), up.min(-down))
            } else if beta >= limit {
                (up.max(0.0), -up)
            } else if beta <= -limit {
                ((-down).max(0.0), down)
            } else if beta > 0.0 {
                (up.abs(), f64::NEG_INFINITY)
            } else {
                (down.abs(), f64::NEG_INFINITY)
            };
            if inside > bound {
                order.leave_out(place);
                continue;
            }
            place += 1;
            most = most.max(violation);
            sum += violation;
            if violation == 0.0 {
                continue;
            }
            let target = if curvature == 0.0 {
                if up < 0.0 { limit } else { -limit }
            } else if up < curvature * beta {
                beta - up / curvature
            } else if down > curvature * beta {
                beta - down / curvature
            } else {
                0.0
            };
            let new = target.clamp(-limit, limit);
            if new != beta {
                state.beta[i] = new;
                self.samples.add(i, new - beta, &mut state.weights);
            }
        }
        (most, sum)
    }

    /// The primal and the dual objective.
    fn objectives(&self, state: &State) -> (f64, f64) {
        let half = 0.5 * numeric::squared_norm(&state.weights);
        let (mut loss, mut dual) = (0.0, 0.0);
        for i in 0..self.samples.len() {
            let (cost, beta) = (self.costs[i], state.beta[i]);
            let error = ((self.samples.dot(i, &state.weights) - self.values[i]).abs() - self.tube).max(0.0);
            dual += beta * self.values[i] - self.tube * beta.abs();
            if self.loss == Loss::SquaredHinge {
                loss += cost * error * error;
                dual -= 0.25 * beta * beta / cost;
            } else {
                loss += cost * error;
            }
        }
        (half + loss, dual - half)
    }
}
