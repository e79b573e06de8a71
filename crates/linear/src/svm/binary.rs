//! Two classes: dual coordinate descent for the hinge, the squared hinge and the logistic loss.
//!
//! Minimises ½‖w‖² + Σ_i C_i ℓ(y_i w·x_i), with ℓ(z) = max(0, 1 − z), its square, or log(1 + exp(−z)), through the dual
//! variables α_i of w = Σ α_i y_i x_i, one after the other, each to its optimum given the others:
//!
//! - hinge: 0 ≤ α_i ≤ C_i, gradient g = y_i w·x_i − 1, step −g / ‖x_i‖²;
//! - squared hinge: 0 ≤ α_i, gradient y_i w·x_i − 1 + α_i/(2C_i), step −g / (‖x_i‖² + 1/(2C_i));
//! - logistic: 0 < α_i < C_i, gradient y_i w·x_i + log(α_i / (C_i − α_i)), step by Newton's method on the smaller of α_i and
//!   C_i − α_i.
//!
//! Variables that stay at a bound are left out until all others are optimal, then all are looked at again (**shrinking**).
//! Problems that take more than [`patience`] epochs go on by Newton's method (`primal.rs`).
//!
//! **Stops** when, over an epoch of all samples, the largest and the smallest of 0 and the projected gradients differ by at most the tolerance;
//! where a relative gap is asked for, the tolerance falls until it is reached.
//!
//! **Cost.** Two passes over a row a step; some ten to a thousand epochs, more for large C.
//!
//! - C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan: *A dual coordinate descent method for large-scale
//!   linear SVM.* ICML 2008.
//! - H.-F. Yu, F.-L. Huang, C.-J. Lin: *Dual coordinate descent methods for logistic regression and maximum entropy models.*
//!   Machine Learning 85 (2011).

use super::curvature::WIDEST;
use super::order::Order;
use super::samples::Samples;
use super::{Loss, Stop, primal};
use base::{Progress, Result, Run};

/// One problem of two sides.
pub(crate) struct Binary<'a> {
    pub samples: &'a Samples<'a>,
    /// 1 or −1 for each sample.
    pub signs: &'a [f64],
    /// C_i of each sample.
    pub costs: &'a [f64],
    pub loss: Loss,
}

/// What a solver ends with.
pub(crate) struct Solved {
    pub weights: Vec<f64>,
    pub primal: f64,
    pub dual: f64,
    pub epochs: usize,
    pub converged: bool,
    pub interrupted: bool,
    /// Samples whose dual variable is not 0.
    pub support: usize,
}

/// The smallest dual variable of the logistic loss, as a fraction of C: its gradient is infinite at the bounds.
const INSIDE: f64 = 1e-8;
/// Epochs after which Newton's method on the weights goes on: a smooth loss is soon solved by it; the hinge takes more steps, each of
/// many products where there are too many weights for a factorisation.
pub(super) fn patience(loss: Loss, samples: &Samples<'_>) -> usize {
    match loss {
        Loss::Hinge if samples.width() > WIDEST => 400,
        Loss::Hinge => 120,
        _ => 40,
    }
}
/// Newton steps for one variable of the logistic loss.
const NEWTON: usize = 100;
/// Derivative up to which a variable of the logistic loss is solved for at first; a tenth of it, again and again, once an epoch has
/// nearly nothing to do.
const WITHIN: f64 = 1e-2;
/// And at the end.
const WITHIN_AT_LEAST: f64 = 1e-13;

impl Binary<'_> {
    /// The optimum, or the best so far.
    pub fn solve(&self, stop: &Stop, run: &Run<'_>) -> Result<Solved> {
        let n = self.samples.len();
        let _hold = run.memory.take_for::<f64>(2 * n + self.samples.width(), "dual variables and weights")?;
        let mut state = State::new(vec![0.0; n], vec![0.0; self.samples.width()]);
        if self.loss == Loss::Logistic {
            for i in 0..n {
                state.alpha[i] = INSIDE * self.costs[i];
                self.samples.add(i, state.alpha[i] * self.signs[i], &mut state.weights);
            }
            state.rest = state.alpha.iter().zip(self.costs).map(|(alpha, cost)| cost - alpha).collect();
        }
        self.ascend(state, 0, stop, run)
    }

    /// Goes on from these dual variables of the hinge or its square and the weights they make, after so many epochs.
    pub fn resume(
        &self,
        alpha: Vec<f64>,
        weights: Vec<f64>,
        epochs: usize,
        stop: &Stop,
        run: &Run<'_>,
    ) -> Result<Solved> {
        self.ascend(State::new(alpha, weights), epochs, stop, run)
    }

    fn ascend(&self, mut state: State, done: usize, stop: &Stop, run: &Run<'_>) -> Result<Solved> {
        let mut order = Order::new(self.samples.len(), run.seed.fork("order").stream());
        let mut tolerance = stop.first();
        let (mut epochs, mut interrupted, mut converged) = (done, false, false);
        let mut bounds = (f64::INFINITY, f64::NEG_INFINITY);
        let mut patience = patience(self.loss, self.samples);
        while epochs < stop.epochs {
            if run.step(&Progress::of("epoch", epochs as u64, stop.epochs as u64))? {
                interrupted = true;
                break;
            }
            if epochs >= patience {
                let (solved, alpha) = primal::finish(self, &state.alpha, state.weights, epochs, stop, run)?;
                let over = solved.converged || solved.interrupted || solved.epochs >= stop.epochs;
                if over || self.loss == Loss::Logistic {
                    return Ok(solved);
                }
                // Rounding ended it: steps of single variables may still go on.
                let mut weights = vec![0.0; self.samples.width()];
                (0..alpha.len()).for_each(|i| self.samples.add(i, alpha[i] * self.signs[i], &mut weights));
                (state, epochs, patience) = (State::new(alpha, weights), solved.epochs, usize::MAX);
                order.restore();
                bounds = (f64::INFINITY, f64::NEG_INFINITY);
            }
            order.shuffle();
            let (most, least) = match self.loss {
                Loss::Hinge | Loss::SquaredHinge => self.hinge_epoch(&mut state, &mut order, bounds),
                Loss::Logistic => self.logistic_epoch(&mut state, &order),
            };
            epochs += 1;
            if most.max(0.0) - least.min(0.0) <= tolerance {
                if !order.complete() {
                    order.restore();
                    bounds = (f64::INFINITY, f64::NEG_INFINITY);
                    continue;
                }
                if !stop.by_gap() || stop.is_near(self.values(&state)) {
                    converged = true;
                    break;
                }
                tolerance *= 0.25;
            }
            bounds =
                (if most <= 0.0 { f64::INFINITY } else { most }, if least >= 0.0 { f64::NEG_INFINITY } else { least });
        }
        let (primal, dual) = self.values(&state);
        let support = state.alpha.iter().zip(self.costs).filter(|(a, c)| **a > 2.0 * INSIDE * **c).count();
        Ok(Solved { weights: state.weights, primal, dual, epochs, converged, interrupted, support })
    }

    /// Visits the active samples once; answers with the largest and the smallest projected gradient. Samples at a bound whose
    /// gradient is beyond `bounds`, those of the epoch before, are left out.
    fn hinge_epoch(&self, state: &mut State, order: &mut Order<impl rand::Rng>, bounds: (f64, f64)) -> (f64, f64) {
        let squared = self.loss == Loss::SquaredHinge;
        let (mut most, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut place = 0;
        while place < order.active() {
            let i = order.at(place);
            let (y, cost, alpha) = (self.signs[i], self.costs[i], state.alpha[i]);
            let diagonal = if squared { 0.5 / cost } else { 0.0 };
            let g = y * self.samples.dot(i, &state.weights) - 1.0 + alpha * diagonal;
            let projected = if alpha <= 0.0 {
                if g > bounds.0 {
                    order.leave_out(place);
                    continue;
                }
                g.min(0.0)
            } else if !squared && alpha >= cost {
                if g < bounds.1 {
                    order.leave_out(place);
                    continue;
                }
                g.max(0.0)
            } else {
                g
            };
            place += 1;
            (most, least) = (most.max(projected), least.min(projected));
            if projected != 0.0 {
                let curvature = self.samples.norms[i] + diagonal;
                let most = if squared { f64::INFINITY } else { cost };
                // A sample of length 0 has a linear objective: its optimum is the bound it points to.
                let new = if curvature > 0.0 { (alpha - g / curvature).clamp(0.0, most) } else { most };
                if new != alpha {
                    state.alpha[i] = new;
                    self.samples.add(i, (new - alpha) * y, &mut state.weights);
                }
            }
        }
        (most, least)
    }

    /// Visits all samples once; answers with the largest and the smallest gradient.
    fn logistic_epoch(&self, state: &mut State, order: &Order<impl rand::Rng>) -> (f64, f64) {
        let (mut most, mut least, mut steps) = (f64::NEG_INFINITY, f64::INFINITY, 0);
        for &i in order.all() {
            let i = i as usize;
            let (y, cost, norm) = (self.signs[i], self.costs[i], self.samples.norms[i]);
            let score = y * self.samples.dot(i, &state.weights);
            let (alpha, rest) = (state.alpha[i], state.rest[i]);
            // The smaller of α and C − α is what is solved for; for the larger the score counts the other way.
            let (z, sign) = if alpha < rest { (alpha, 1.0) } else { (rest, -1.0) };
            let step = LogisticStep::solve(z, cost, sign * score, norm, state.within);
            (most, least) = (most.max(sign * step.gradient), least.min(sign * step.gradient));
            steps += step.count;
            if step.to != z {
                let (own, other) = (step.to, cost - step.to);
                (state.alpha[i], state.rest[i]) = if sign > 0.0 { (own, other) } else { (other, own) };
                self.samples.add(i, sign * (step.to - z) * y, &mut state.weights);
            }
        }
        // Nearly nothing was left to do at this accuracy.
        if steps <= self.samples.len() / 10 {
            state.within = (0.1 * state.within).max(WITHIN_AT_LEAST);
        }
        (most, least)
    }

    /// The primal and the dual objective.
    fn values(&self, state: &State) -> (f64, f64) {
        let half = 0.5 * numeric::squared_norm(&state.weights);
        let (mut loss, mut dual) = (0.0, 0.0);
        for i in 0..self.samples.len() {
            let (cost, alpha) = (self.costs[i], state.alpha[i]);
            let z = self.signs[i] * self.samples.dot(i, &state.weights);
            loss += cost * self.loss.of(z);
            dual += self.loss.conjugate(alpha, state.rest.get(i).copied().unwrap_or(0.0), cost);
        }
        (half + loss, dual - half)
    }
}

/// Dual variables and the weights they make.
struct State {
    alpha: Vec<f64>,
    /// C − α of the logistic loss: what is left when α is nearly C would be lost in the difference.
    rest: Vec<f64>,
    /// The derivative up to which a variable of the logistic loss is solved for.
    within: f64,
    weights: Vec<f64>,
}

impl State {
    fn new(alpha: Vec<f64>, weights: Vec<f64>) -> Self {
        State { alpha, rest: vec![], within: WITHIN, weights }
    }
}

/// The z that minimises ½‖x‖²(z − a)² + s(z − a) + z log z + (C − z) log(C − z), by Newton's method; a step that would leave
/// (0, C) goes nine tenths of the way to its end.
struct LogisticStep {
    to: f64,
    /// The derivative at a.
    gradient: f64,
    /// Newton steps taken.
    count: usize,
}

impl LogisticStep {
    /// Steps until the derivative is at most `within`.
    fn solve(a: f64, cost: f64, score: f64, norm: f64, within: f64) -> Self {
        let derivative = |z: f64| norm * (z - a) + score + (z / (cost - z)).ln();
        let first = derivative(a);
        let (mut z, mut gradient, mut count) = (a, first, 0);
        while gradient.abs() > within && count < NEWTON {
            let next = z - gradient / (norm + cost / (z * (cost - z)));
            let next = if next <= 0.0 {
                0.1 * z
            } else if next >= cost {
                cost - 0.1 * (cost - z)
            } else {
                next
            };
            if next == z || next <= f64::MIN_POSITIVE || next >= cost {
                break;
            }
            z = next;
            gradient = derivative(z);
            count += 1;
        }
        LogisticStep { to: z, gradient: first, count }
    }
}
