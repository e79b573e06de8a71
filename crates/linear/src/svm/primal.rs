//! The end of hard problems of two sides: Newton's method on the weights.
//!
//! With a large C dual coordinate descent takes thousands of epochs, while the primal objective P(w) = ½‖w‖² + Σ C_i ℓ(y_i w·x_i) of
//! a smooth loss has a Hessian I + Σ D_i x_i x_iᵀ (`curvature.rs`): D_i is 2C_i where a margin is violated (squared hinge) or
//! C_i σ'(y_i w·x_i) (logistic).
//!
//! **The hinge** is made smooth around dual variables c_i, by the proximal step of its dual: with z = 1 − y_i w·x_i and s_i = C_i/width
//! the loss of a sample is the largest a z − (a − c_i)²/(2 s_i) over 0 ≤ a ≤ C_i, taken at a = c_i + s_i z, cut to the bounds, and
//! D_i = s_i between them. At its minimum w is Σ a_i y_i x_i, and no variable of the hinge itself is violated by more than
//! |a_i − c_i|/s_i ≤ width. Then c moves to a and the width shrinks, until that is below the tolerance.
//!
//! Along a step the objective is a function of one number and of the margins, so its minimum is found without the rows.
//!
//! **Stops** as coordinate descent does: the dual variables α_i that belong to w make the weights w' = Σ α_i y_i x_i = w − ∇P, and the
//! largest and the smallest projected gradient of α at w' differ by at most the tolerance.
//!
//! **Cost.** Some ten steps (hinge: some forty), each two passes and some ten products with the rows, or a factorisation.
//!
//! - C.-J. Lin, R. C. Weng, S. S. Keerthi: *Trust region Newton method for large-scale logistic regression.* JMLR 9 (2008).
//! - R. T. Rockafellar: *Augmented Lagrangians and applications of the proximal point algorithm in convex programming.*
//!   Mathematics of Operations Research 1 (1976).

use super::binary::{Binary, Solved};
use super::curvature::OfRows;
use super::{Loss, Stop};
use crate::newton;
use base::{Error, Progress, Result, Run};
use numeric::{dot, squared_norm};

/// The hinge is smooth over this part of the margin at first.
const WIDTH: f64 = 1.0;
/// By how much it is narrower after each move of the centre, and the least.
const NARROWER: f64 = 0.6;
const LEAST_WIDTH: f64 = 1e-3;
/// The centre moves when what is left of the smooth problem is this part of what the centre is off.
const INNER: f64 = 0.3;
/// All rows are looked at when the gradient is this part of what it was when they last were, and after this many steps.
const LOOK: f64 = 0.3;
const BLIND: usize = 4;
/// Dual variables up to this fraction of C count as 0.
const INSIDE: f64 = 2e-8;
/// Evaluations along a step.
const ALONG: usize = 60;

/// Goes on from these weights, which these dual variables make, after so many epochs; answers with where it ends and the dual variables
/// there. Where rounding leaves no lower point it ends without having converged.
pub(super) fn finish(
    problem: &Binary<'_>,
    alpha: &[f64],
    weights: Vec<f64>,
    epochs: usize,
    stop: &Stop,
    run: &Run<'_>,
) -> Result<(Solved, Vec<f64>)> {
    let (n, d) = (problem.samples.len(), weights.len());
    let _hold = run.memory.take_for::<f64>(6 * n + 12 * d, "Newton's method")?;
    let centre = if problem.loss == Loss::Hinge { alpha.to_vec() } else { vec![] };
    let zeros = || vec![0.0; n];
    let mut point = Point {
        problem,
        centre,
        width: WIDTH,
        gradient: vec![0.0; d],
        weights,
        margins: zeros(),
        alpha: zeros(),
        scale: zeros(),
    };
    point.measure();
    point.look();
    let mut tolerance = stop.first();
    let (mut done, mut first, mut stuck, mut interrupted, mut converged) = (epochs, 0.0f64, false, false, false);
    let (mut seen, mut length_seen, mut unseen) = (point.judge(), f64::INFINITY, 0);
    while done < stop.epochs {
        let length = squared_norm(&point.gradient).sqrt();
        // A look at all rows is worth it where the gradient has fallen since the last.
        if stuck || length <= LOOK * length_seen || unseen >= BLIND {
            (seen, length_seen, unseen) = (point.judge(), length, 0);
            let fine = seen.spread <= tolerance;
            converged = seen.is_done(stop, tolerance);
            if converged {
                break;
            }
            if fine && seen.spread > 0.0 {
                tolerance *= 0.25;
                length_seen = f64::INFINITY;
                continue;
            }
            if stuck || (problem.loss == Loss::Hinge && seen.inner <= INNER * seen.off) {
                // What is left is rounding, unless the centre has somewhere to go.
                if !point.recentre() {
                    break;
                }
                (first, length_seen) = (0.0, f64::INFINITY);
            }
        }
        let progress = Progress { value: Some(seen.primal), ..Progress::of("newton", done as u64, stop.epochs as u64) };
        if run.step(&progress)? {
            interrupted = true;
            break;
        }
        let length = squared_norm(&point.gradient).sqrt();
        first = first.max(length);
        let enough = 0.5f64.min((length / first).sqrt()) * length;
        match point.step(enough, run) {
            // The point of the step before is whole.
            Err(Error::Stopped { .. }) => {
                interrupted = true;
                break;
            }
            moved => stuck = !moved?,
        }
        (done, unseen) = (done + 1, unseen + 1);
    }
    if unseen > 0 {
        seen = point.judge();
        converged = seen.is_done(stop, tolerance);
    }
    let support = point.alpha.iter().zip(problem.costs).filter(|(a, c)| **a > INSIDE * **c).count();
    let Seen { weights, primal, dual, .. } = seen;
    let solved = Solved { weights, primal, dual, epochs: done, converged, interrupted, support };
    Ok((solved, point.alpha))
}

/// What is known of a point.
struct Seen {
    /// The largest less the smallest of 0 and the projected gradients of the dual.
    spread: f64,
    /// By how much the smooth problem around the centre is not solved, in units of the margin.
    inner: f64,
    /// By how much its solution would violate the hinge.
    off: f64,
    /// The better of w and w', and its objective.
    weights: Vec<f64>,
    primal: f64,
    dual: f64,
}

impl Seen {
    /// Whether the gap, or the violations, are as small as asked.
    fn is_done(&self, stop: &Stop, tolerance: f64) -> bool {
        if stop.by_gap() { stop.is_near((self.primal, self.dual)) } else { self.spread <= tolerance }
    }
}

/// Weights, and what belongs to them.
struct Point<'a> {
    problem: &'a Binary<'a>,
    /// Where the dual variables of the hinge are pulled to; empty for smooth losses.
    centre: Vec<f64>,
    width: f64,
    weights: Vec<f64>,
    /// y_i w·x_i.
    margins: Vec<f64>,
    alpha: Vec<f64>,
    /// D_i.
    scale: Vec<f64>,
    gradient: Vec<f64>,
}

impl Point<'_> {
    /// The dual variable of a sample with this margin, and its curvature.
    fn part(&self, i: usize, margin: f64) -> (f64, f64) {
        let cost = self.problem.costs[i];
        match self.problem.loss {
            Loss::Hinge => {
                // Infinite times a margin of exactly 1 would not be a number.
                let s = (cost / self.width).min(f64::MAX);
                let free = self.centre[i] + s * (1.0 - margin);
                (free.clamp(0.0, cost), if free > 0.0 && free < cost { s } else { 0.0 })
            }
            Loss::SquaredHinge if margin < 1.0 => (2.0 * cost * (1.0 - margin), 2.0 * cost),
            Loss::SquaredHinge => (0.0, 0.0),
            Loss::Logistic => {
                let alpha = cost / (1.0 + margin.exp());
                (alpha, if cost > 0.0 { alpha * (1.0 - alpha / cost) } else { 0.0 })
            }
        }
    }

    /// The margins of the weights.
    fn measure(&mut self) {
        let Binary { samples, signs, .. } = *self.problem;
        self.margins.iter_mut().enumerate().for_each(|(i, m)| *m = signs[i] * samples.dot(i, &self.weights));
    }

    /// Dual variables, curvature and gradient for these margins.
    fn look(&mut self) {
        let Binary { samples, signs, .. } = *self.problem;
        self.gradient.copy_from_slice(&self.weights);
        for (i, sign) in signs.iter().enumerate() {
            let (alpha, scale) = self.part(i, self.margins[i]);
            (self.alpha[i], self.scale[i]) = (alpha, scale);
            if alpha > 0.0 {
                samples.add(i, -alpha * sign, &mut self.gradient);
            }
        }
    }

    /// Goes along the Newton step to the minimum on it; whether there was any way to go.
    fn step(&mut self, enough: f64, run: &Run<'_>) -> Result<bool> {
        let Binary { samples, signs, .. } = *self.problem;
        let mut curvature = OfRows { samples, scale: &self.scale };
        let s = newton::direction(&mut curvature, &self.gradient, enough, run)?;
        let slopes: Vec<f64> = (0..samples.len()).map(|i| signs[i] * samples.dot(i, &s)).collect();
        let t = self.along(&s, &slopes);
        if t <= 0.0 {
            return Ok(false);
        }
        self.weights.iter_mut().zip(&s).for_each(|(w, s)| *w += t * s);
        self.margins.iter_mut().zip(&slopes).for_each(|(m, slope)| *m += t * slope);
        self.look();
        Ok(true)
    }

    /// The t at which the objective is least along w + t s, whose margins change by these slopes: the root of its derivative, which
    /// grows with t, by Newton's method between bounds.
    fn along(&self, s: &[f64], slopes: &[f64]) -> f64 {
        let (linear, square) = (dot(&self.weights, s), squared_norm(s));
        let derivative = |t: f64| {
            let (mut first, mut second) = (linear + t * square, square);
            for (i, &slope) in slopes.iter().enumerate().filter(|(_, slope)| **slope != 0.0) {
                let (alpha, scale) = self.part(i, self.margins[i] + t * slope);
                first -= alpha * slope;
                second += scale * slope * slope;
            }
            (first, second)
        };
        let (mut low, mut high, mut t) = (0.0, f64::INFINITY, 1.0);
        let mut start = None;
        for _ in 0..ALONG {
            let (first, second) = derivative(t);
            // The derivative where the step begins is what the one at its end is compared with.
            let from = *start.get_or_insert_with(|| dot(&self.gradient, s).abs());
            if first.abs() <= 0.05 * from {
                return t;
            }
            if first > 0.0 {
                high = t;
            } else {
                low = t;
            }
            let next = t - first / second;
            t = if next > low && next < high {
                next
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * t
            };
        }
        low
    }

    /// Moves the centre to where the dual variables are; whether it moved.
    fn recentre(&mut self) -> bool {
        if self.centre.is_empty() || (self.centre == self.alpha && self.width <= LEAST_WIDTH) {
            return false;
        }
        self.centre.copy_from_slice(&self.alpha);
        self.width = (NARROWER * self.width).max(LEAST_WIDTH);
        self.measure();
        self.look();
        true
    }

    /// The projected gradient of the dual for the variable of sample `i`, where the weights give it this margin.
    fn projected(&self, i: usize, margin: f64) -> f64 {
        let (alpha, cost) = (self.alpha[i], self.problem.costs[i]);
        match self.problem.loss {
            Loss::Hinge if alpha <= 0.0 => (margin - 1.0).min(0.0),
            Loss::Hinge if alpha >= cost => (margin - 1.0).max(0.0),
            Loss::Hinge => margin - 1.0,
            Loss::SquaredHinge if alpha <= 0.0 => (margin - 1.0).min(0.0),
            Loss::SquaredHinge => margin - 1.0 + alpha * 0.5 / cost,
            // Below the smallest normal number there is no logarithm to speak of.
            Loss::Logistic if alpha < f64::MIN_POSITIVE || alpha >= cost => 0.0,
            Loss::Logistic => margin + (alpha / (cost - alpha)).ln(),
        }
    }

    fn judge(&self) -> Seen {
        let Binary { samples, costs, signs, loss } = *self.problem;
        let made: Vec<f64> = self.weights.iter().zip(&self.gradient).map(|(w, g)| w - g).collect();
        let (mut most, mut least) = (0.0f64, 0.0f64);
        let (mut inner, mut off) = (0.0f64, 0.0f64);
        let half = 0.5 * squared_norm(&made);
        let (mut here, mut there, mut dual) = (0.5 * squared_norm(&self.weights), half, -half);
        for i in 0..samples.len() {
            let margin = signs[i] * samples.dot(i, &made);
            let projected = self.projected(i, margin);
            (most, least) = (most.max(projected), least.min(projected));
            here += costs[i] * loss.of(self.margins[i]);
            there += costs[i] * loss.of(margin);
            dual += loss.conjugate(self.alpha[i], costs[i] - self.alpha[i], costs[i]);
            if let Some(centre) = self.centre.get(i) {
                let unit = self.width / costs[i].max(f64::MIN_POSITIVE);
                off = off.max((self.alpha[i] - centre).abs() * unit);
                inner = inner.max((self.part(i, margin).0 - self.alpha[i]).abs() * unit);
            }
        }
        let weights = if there <= here { made } else { self.weights.clone() };
        Seen { spread: most - least, inner, off, weights, primal: here.min(there), dual }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svm::samples::Rows;
    use base::{Points, Seed, Sparse};

    /// Rows of which some are 0, dense or sparse, with more or fewer columns than make a matrix of curvature worth while.
    fn rows(seed: Seed, n: usize, d: usize, sparse: bool) -> Points {
        let value = |i: usize, j: usize| {
            let at = seed.fork("x").at(i).at(j);
            if at.at(0).unit() < 0.4 { 4.0 * at.at(1).unit() - 2.0 } else { 0.0 }
        };
        if !sparse {
            return Points::dense((0..n * d).map(|c| value(c / d, c % d)).collect::<Vec<f64>>(), n, d).unwrap();
        }
        let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
        for i in 0..n {
            for j in 0..d {
                if value(i, j) != 0.0 {
                    ids.push(j as u32);
                    values.push(value(i, j));
                }
            }
            starts.push(ids.len());
        }
        Points::Sparse(Sparse::new(starts, ids, values, d).unwrap())
    }

    #[test]
    fn newton_ends_where_coordinate_descent_does() {
        let run = Run::quiet(1);
        for (case, seed) in testkit::seeds(40).into_iter().enumerate() {
            let seed = Seed(seed).fork("newton");
            let n = 5 + (seed.at(0).unit() * 120.0) as usize;
            // Few rows in many columns: products; else mostly a matrix.
            let d = if case % 8 == 7 { 2100 } else { 1 + (seed.at(1).unit() * 30.0) as usize };
            let n = if d > 2000 { 12 } else { n };
            let stored = Rows::new(&rows(seed, n, d, case % 2 == 0), (case % 3) as f64 * 0.5, &run).unwrap();
            let samples = stored.samples();
            let signs: Vec<f64> = (0..n).map(|i| if seed.fork("y").at(i).unit() < 0.5 { 1.0 } else { -1.0 }).collect();
            let c = 10f64.powf(4.0 * seed.at(2).unit() - 2.0);
            let costs: Vec<f64> = (0..n).map(|i| c * (seed.fork("c").at(i).unit() + 0.01)).collect();
            for loss in [Loss::Hinge, Loss::SquaredHinge, Loss::Logistic] {
                let problem = Binary { samples: &samples, signs: &signs, costs: &costs, loss };
                let stop = Stop { tolerance: 1e-6, gap: 0.0, epochs: 2000 };
                let (solved, alpha) =
                    finish(&problem, &vec![0.0; n], vec![0.0; samples.width()], 0, &stop, &run).unwrap();
                assert!(solved.converged, "case {case}, {loss:?}, n {n}, d {d}, c {c}: {} steps", solved.epochs);
                assert!(alpha.iter().zip(&costs).all(|(a, c)| *a >= 0.0 && (loss == Loss::SquaredHinge || a <= c)));
                // The objective by its definition, and a bound from below.
                let margin = |i: usize| signs[i] * samples.dot(i, &solved.weights);
                let losses: f64 = (0..n).map(|i| costs[i] * loss.of(margin(i))).sum();
                let primal = 0.5 * squared_norm(&solved.weights) + losses;
                assert!((primal - solved.primal).abs() <= 1e-9 * primal, "case {case}, {loss:?}");
                let gap = solved.primal - solved.dual;
                assert!(
                    gap >= -1e-9 * primal && gap <= 1e-5 * (primal + c),
                    "case {case}, {loss:?}: gap {gap} of {primal}"
                );
            }
        }
    }
}
