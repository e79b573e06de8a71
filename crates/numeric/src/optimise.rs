//! Minimising smooth functions: L-BFGS with a line search for the strong Wolfe conditions.
//!
//! The direction is −H g, where H approximates the inverse Hessian from the last `memory` pairs of steps and gradient
//! changes (two-loop recursion). The step along it satisfies f(x + t d) ≤ f(x) + c₁ t gᵀd and |g(x + t d)ᵀ d| ≤ c₂ |gᵀd|
//! with c₁ = 1e-4, c₂ = 0.9, found by bracketing and cubic interpolation.
//!
//! **Cost.** O(memory · n) per step besides the function; about 1.1 evaluations per step on tame problems.
//! **Stops** when the largest component of the gradient is at most `tolerance`, when rounding leaves no lower value to
//! find, at the step limit, or when asked to; `converged` says whether it was the first.
//!
//! - J. Nocedal, S. J. Wright: *Numerical Optimization.* 2nd ed., Springer 2006, algorithms 3.5, 3.6, 7.4, 7.5.

use crate::{add_scaled, dot};
use base::{Error, Place, Progress, Result, Run};
use std::collections::VecDeque;

/// A smooth function to be minimised.
pub trait Objective {
    /// The value at `x`; the gradient is written to `gradient`.
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64>;
}

impl<F: FnMut(&[f64], &mut [f64]) -> Result<f64>> Objective for F {
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self(x, gradient)
    }
}

/// Settings of the minimiser.
#[derive(Debug, Clone, PartialEq)]
pub struct Lbfgs {
    /// Largest component of the gradient at which the work is done.
    pub tolerance: f64,
    /// Steps at most.
    pub steps: usize,
    /// Pairs of steps and gradient changes that are remembered.
    pub memory: usize,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Lbfgs { tolerance: 1e-8, steps: 1000, memory: 10 }
    }
}

/// Where a minimisation ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The best point.
    pub point: Vec<f64>,
    /// The function there.
    pub value: f64,
    /// The largest component of the gradient there.
    pub gradient: f64,
    /// Steps taken.
    pub steps: usize,
    /// Evaluations of the function.
    pub evaluations: usize,
    /// Whether the gradient is as small as asked.
    pub converged: bool,
    /// Whether time or the observer ended the work.
    pub interrupted: bool,
}

const SUFFICIENT: f64 = 1e-4;
const CURVATURE: f64 = 0.9;
/// Evaluations of one line search at most.
const TRIES: usize = 40;

/// A point with what is known of the function there.
#[derive(Clone)]
struct State {
    x: Vec<f64>,
    f: f64,
    g: Vec<f64>,
}

impl Lbfgs {
    /// Minimises from `start`.
    pub fn minimise(&self, run: &Run<'_>, start: &[f64], objective: &mut dyn Objective) -> Result<Minimum> {
        let n = start.len();
        let vectors = self.memory.saturating_mul(2).saturating_add(8);
        let _hold = run.memory.take_for::<f64>(n.saturating_mul(vectors), "state of the minimiser")?;
        let mut evaluations = 0;
        let mut evaluate = |x: Vec<f64>| {
            evaluations += 1;
            let mut g = vec![0.0; x.len()];
            let f = objective.value_and_gradient(&x, &mut g)?;
            Ok::<State, Error>(State { x, f, g })
        };
        let mut now = evaluate(start.to_vec())?;
        if !now.f.is_finite() || now.g.iter().any(|g| !g.is_finite()) {
            return Err(Error::data(
                Place::Whole,
                "the objective is not finite at the starting point; rescale the data",
            ));
        }
        let mut history: VecDeque<Pair> = VecDeque::new();
        let (mut steps, mut interrupted) = (0, false);
        while !self.small(&now) && steps < self.steps {
            let progress =
                Progress { stage: "minimise", done: steps as u64, total: Some(self.steps as u64), value: Some(now.f) };
            if run.step(&progress)? {
                interrupted = true;
                break;
            }
            let mut direction = descent(&now.g, &history);
            let mut slope = dot(&now.g, &direction);
            if !(slope < 0.0 && slope.is_finite()) {
                history.clear();
                direction = now.g.iter().map(|g| -g).collect();
                slope = -dot(&now.g, &now.g);
            }
            // Without curvature the first trial moves by about 1, with it the natural length is 1.
            let first = if history.is_empty() { 1.0f64.min(1.0 / dot(&now.g, &now.g).sqrt()) } else { 1.0 };
            let found = match search(&now, &direction, slope, first, &mut evaluate) {
                // The point of the step before is whole.
                Err(Error::Stopped { .. }) => {
                    interrupted = true;
                    break;
                }
                other => other?,
            };
            match found {
                Some(next) => {
                    remember(&mut history, self.memory, &now, &next);
                    now = next;
                    steps += 1;
                }
                // A stale memory can spoil the direction: try once more straight down before giving up.
                None if !history.is_empty() => history.clear(),
                None => break,
            }
        }
        let converged = self.small(&now);
        let gradient = largest(&now.g);
        Ok(Minimum { point: now.x, value: now.f, gradient, steps, evaluations, converged, interrupted })
    }

    fn small(&self, at: &State) -> bool {
        largest(&at.g) <= self.tolerance
    }
}

fn largest(g: &[f64]) -> f64 {
    g.iter().fold(0.0, |m, g| g.abs().max(m))
}

/// A step, the change of the gradient along it, and 1 / (their product).
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    rho: f64,
}

/// Keeps the newest pair if its curvature is positive beyond rounding.
fn remember(history: &mut VecDeque<Pair>, limit: usize, old: &State, new: &State) {
    let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
    let (step, change) = (difference(&new.x, &old.x), difference(&new.g, &old.g));
    let curvature = dot(&step, &change);
    if curvature > f64::EPSILON * dot(&change, &change).sqrt() * dot(&step, &step).sqrt() {
        history.push_back(Pair { step, change, rho: 1.0 / curvature });
    }
    while history.len() > limit {
        history.pop_front();
    }
}

/// −H g by the two-loop recursion; −g without history.
fn descent(g: &[f64], history: &VecDeque<Pair>) -> Vec<f64> {
    let mut d: Vec<f64> = g.iter().map(|g| -g).collect();
    let mut alphas = Vec::with_capacity(history.len());
    for pair in history.iter().rev() {
        let alpha = pair.rho * dot(&pair.step, &d);
        add_scaled(&mut d, -alpha, &pair.change);
        alphas.push(alpha);
    }
    if let Some(last) = history.back() {
        let scale = 1.0 / (last.rho * dot(&last.change, &last.change));
        d.iter_mut().for_each(|d| *d *= scale);
    }
    for (pair, alpha) in history.iter().zip(alphas.iter().rev()) {
        let beta = pair.rho * dot(&pair.change, &d);
        add_scaled(&mut d, alpha - beta, &pair.step);
    }
    d
}

/// A trial along the line: length, value, slope.
#[derive(Clone, Copy)]
struct Trial {
    t: f64,
    f: f64,
    slope: f64,
}

/// A point along `direction` that satisfies the strong Wolfe conditions, or the lowest met that lowers the function
/// enough; none if rounding leaves nothing to gain.
fn search(
    from: &State,
    direction: &[f64],
    slope: f64,
    first: f64,
    evaluate: &mut dyn FnMut(Vec<f64>) -> Result<State>,
) -> Result<Option<State>> {
    let mut at = |t: f64| {
        let mut x = from.x.clone();
        add_scaled(&mut x, t, direction);
        let state = evaluate(x)?;
        let trial = Trial { t, f: state.f, slope: dot(&state.g, direction) };
        Ok::<_, Error>((trial, state))
    };
    let origin = Trial { t: 0.0, f: from.f, slope };
    let low_enough = |trial: &Trial| trial.f <= from.f + SUFFICIENT * trial.t * slope;
    let finite = |trial: &Trial| trial.f.is_finite() && trial.slope.is_finite();
    let mut best: Option<State> = None;
    let mut keep = |trial: &Trial, state: &State| {
        let better = best.as_ref().is_none_or(|b| state.f < b.f);
        if finite(trial) && low_enough(trial) && state.f < from.f && better {
            best = Some(state.clone());
        }
        best.is_some()
    };
    let (mut low, mut high, mut t) = (origin, None::<Trial>, first);
    for _ in 0..TRIES {
        let (trial, state) = at(t)?;
        keep(&trial, &state);
        if !finite(&trial) || !low_enough(&trial) || (low.t > 0.0 && trial.f >= low.f) {
            high = Some(trial);
        } else if trial.slope.abs() <= -CURVATURE * slope {
            return Ok(Some(state));
        } else if trial.slope * high.map_or(1.0, |h| h.t - low.t).signum() >= 0.0 {
            // The function rises again towards the far end: the minimum lies between here and the old low end.
            high = Some(low);
            low = trial;
        } else {
            low = trial;
        }
        t = match high {
            None => 2.5 * t,
            Some(high) => between(low, high),
        };
        let width = high.map_or(f64::INFINITY, |h| (h.t - low.t).abs());
        if width <= f64::EPSILON * low.t.abs().max(1e-300) || !t.is_finite() {
            break;
        }
    }
    Ok(best)
}

/// The minimum of the cubic through two trials, kept away from both ends; the middle where there is none.
fn between(low: Trial, high: Trial) -> f64 {
    let (a, b) = (low.t.min(high.t), low.t.max(high.t));
    let middle = 0.5 * (a + b);
    if !(high.f.is_finite() && high.slope.is_finite()) {
        // Beyond the domain: come back quickly.
        return low.t + 0.1 * (high.t - low.t);
    }
    let d1 = low.slope + high.slope - 3.0 * (low.f - high.f) / (low.t - high.t);
    let square = d1 * d1 - low.slope * high.slope;
    let d2 = square.max(0.0).sqrt() * (high.t - low.t).signum();
    let t = high.t - (high.t - low.t) * (high.slope + d2 - d1) / (high.slope - low.slope + 2.0 * d2);
    let margin = 0.1 * (b - a);
    match t.is_finite() && square >= 0.0 {
        true => t.clamp(a + margin, b - margin),
        false => middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Memory, Seed, Verdict, Watch};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// Σ 100 (x₂ᵢ₊₁ − x₂ᵢ²)² + (1 − x₂ᵢ)², minimum 0 at 1.
    fn rosenbrock(x: &[f64], g: &mut [f64]) -> Result<f64> {
        let mut f = 0.0;
        for i in (0..x.len()).step_by(2) {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            f += a * a + 100.0 * b * b;
            g[i] = -2.0 * a - 400.0 * x[i] * b;
            g[i + 1] = 200.0 * b;
        }
        Ok(f)
    }

    #[test]
    fn finds_the_known_minimum_of_a_curved_valley() {
        for n in [2, 10, 100] {
            let start: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
            let end = Lbfgs::default().minimise(&Run::quiet(1), &start, &mut rosenbrock).unwrap();
            assert!(end.converged && !end.interrupted && end.steps < 100, "{end:?}");
            assert!(end.point.iter().all(|x| (x - 1.0).abs() < 1e-6), "{end:?}");
        }
    }

    #[test]
    fn solves_the_equations_of_a_quadratic() {
        // f = Σ dᵢ (xᵢ − i)² / 2 with condition 1e4.
        let n = 50;
        let mut f = |x: &[f64], g: &mut [f64]| {
            let d = |i: usize| 10f64.powf(4.0 * i as f64 / (n - 1) as f64);
            let mut sum = 0.0;
            for i in 0..n {
                let e = x[i] - i as f64;
                g[i] = d(i) * e;
                sum += 0.5 * d(i) * e * e;
            }
            Ok(sum)
        };
        let end = Lbfgs { steps: 5000, ..Default::default() }.minimise(&Run::quiet(1), &vec![0.0; n], &mut f).unwrap();
        assert!(end.converged, "{} {}", end.steps, end.gradient);
        assert!(end.point.iter().enumerate().all(|(i, x)| (x - i as f64).abs() < 1e-6));
    }

    #[test]
    fn every_accepted_step_lowers_a_drawn_function() {
        for case in 0..20 {
            let seed = Seed(case);
            let centre: Vec<f64> = (0..5).map(|i| 4.0 * seed.at(i).unit() - 2.0).collect();
            let mut values = vec![];
            // log Σ exp ± plus a small square: convex, steep far away, flat near the minimum.
            let mut f = |x: &[f64], g: &mut [f64]| {
                let mut sum = 0.0;
                for i in 0..5 {
                    let e = x[i] - centre[i];
                    sum += 3.0 * e.cosh().ln() + 0.005 * e * e;
                    g[i] = 3.0 * e.tanh() + 0.01 * e;
                }
                values.push(sum);
                Ok(sum)
            };
            let end = Lbfgs::default().minimise(&Run::quiet(1), &[30.0, -20.0, 5.0, 0.0, 1.0], &mut f).unwrap();
            assert!(end.converged, "{end:?}");
            assert!(end.point.iter().zip(&centre).all(|(x, c)| (x - c).abs() < 1e-6));
            assert_eq!(end.value, values.iter().copied().fold(f64::INFINITY, f64::min));
        }
    }

    #[test]
    fn walls_and_flat_ground_end_in_order() {
        let mut wall = |x: &[f64], g: &mut [f64]| {
            g[0] = 1.0 - 1.0 / x[0];
            Ok(if x[0] > 0.0 { x[0] - x[0].ln() } else { f64::INFINITY })
        };
        let end = Lbfgs::default().minimise(&Run::quiet(1), &[1e-3], &mut wall).unwrap();
        assert!(end.converged && (end.point[0] - 1.0).abs() < 1e-6, "{end:?}");
        let mut flat = |_: &[f64], g: &mut [f64]| {
            g.fill(0.0);
            Ok(7.0)
        };
        let end = Lbfgs::default().minimise(&Run::quiet(1), &[1.0, 2.0], &mut flat).unwrap();
        assert!(end.converged && end.steps == 0);
        assert!(Lbfgs::default().minimise(&Run::quiet(1), &[], &mut flat).unwrap().converged);
        let mut broken = |_: &[f64], _: &mut [f64]| Ok(f64::NAN);
        assert!(Lbfgs::default().minimise(&Run::quiet(1), &[1.0], &mut broken).is_err());
        let mut down = |x: &[f64], g: &mut [f64]| {
            g[0] = -1.0;
            Ok(-x[0])
        };
        let end = Lbfgs { steps: 5, ..Default::default() }.minimise(&Run::quiet(1), &[0.0], &mut down).unwrap();
        assert!(!end.converged && end.value < 0.0);
    }

    struct Answer(AtomicUsize, Verdict);
    impl Watch for Answer {
        fn step(&self, _: &Progress<'_>) -> Verdict {
            if self.0.fetch_add(1, Relaxed) < 4 { Verdict::GoOn } else { self.1 }
        }
    }

    #[test]
    fn enough_keeps_the_best_cancel_keeps_nothing() {
        let start = [-1.2, 1.0];
        let enough = Answer(AtomicUsize::new(0), Verdict::Enough);
        let run = Run { watch: &enough, ..Run::quiet(1) };
        let end = Lbfgs::default().minimise(&run, &start, &mut rosenbrock).unwrap();
        assert!(end.interrupted && !end.converged && end.steps == 4 && end.value < 24.2);
        let cancel = Answer(AtomicUsize::new(0), Verdict::Cancel);
        let run = Run { watch: &cancel, ..Run::quiet(1) };
        assert_eq!(Lbfgs::default().minimise(&run, &start, &mut rosenbrock), Err(Error::Cancelled));
        let poor = Run { memory: Memory::limited(10), ..Run::quiet(1) };
        assert!(matches!(Lbfgs::default().minimise(&poor, &start, &mut rosenbrock), Err(Error::Memory { .. })));
    }
}
