//! Sigmoids from scores to probabilities, fitted by Newton's method.
//!
//! **Two classes** (Platt): P(first) = 1 / (1 + exp(A m + B)) of the margin m = s₁ − s₂, the likelihood taken of targets
//! (N₁ + 1)/(N₁ + 2) and 1/(N₂ + 2) in place of 1 and 0, so that few rows or classes far apart make no certainty.
//! **More**: softmax of a_k s_k + b_k, with targets (N_c + 1)/(N_c + K) of the row's own class c and 1/(N_c + K) of the
//! others, which for two classes are Platt's.
//!
//! Slopes never turn round: where the likelihood asks for a falling one, it is held at 0 and the others are fitted
//! again, so that a larger score never means a smaller probability of its class.
//!
//! **Cost.** n·(2K)² operations a step, some ten steps.
//!
//! - J. Platt: *Probabilistic outputs for support vector machines.* Advances in Large Margin Classifiers, 2000.
//! - H.-T. Lin, C.-J. Lin, R. Weng: *A note on Platt's probabilistic outputs.* Machine Learning 68 (2007) 267-276.

use base::{Progress, Result, Run};

/// Scores as far as they are told apart: what stands for "never" stays finite after any slope.
const FAR: f64 = 1e100;
const STEPS: usize = 100;

/// Slopes and offsets of all classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Sigmoids {
    /// a_k, at least 0.
    pub slopes: Vec<f64>,
    /// b_k.
    pub offsets: Vec<f64>,
    /// How many slopes were held at 0.
    pub held: usize,
    /// Whether the last step changed nothing more.
    pub converged: bool,
}

/// A score that calculations survive.
pub(crate) fn tame(score: f64) -> f64 {
    score.clamp(-FAR, FAR)
}

/// Platt's A and B for rows with a margin each, `first` where the row is of the first class.
pub fn platt(margins: &[f64], first: &[bool], weights: &[f64], run: &Run<'_>) -> Result<(f64, f64)> {
    let scores: Vec<f64> = margins.iter().flat_map(|&m| [0.5 * m, -0.5 * m]).collect();
    let classes: Vec<usize> = first.iter().map(|f| usize::from(!f)).collect();
    let fitted = sigmoids(&scores, 2, &classes, weights, run)?;
    Ok((-fitted.slopes[0], fitted.offsets[1] - fitted.offsets[0]))
}

/// The sigmoids of rows of `k` scores each with their classes and weights.
pub fn sigmoids(scores: &[f64], k: usize, classes: &[usize], weights: &[f64], run: &Run<'_>) -> Result<Sigmoids> {
    let mut problem = Problem::new(scores, k, classes, weights);
    let mut state = Problem::start(&problem.masses);
    let mut converged;
    loop {
        converged = problem.newton(&mut state, run)?;
        // Slopes that turn round are held at 0, for good; two classes share one.
        let before = problem.free.iter().filter(|f| **f).count();
        for (free, slope) in problem.free.iter_mut().zip(&mut state).take(problem.slopes) {
            if *free && *slope < 0.0 {
                (*free, *slope) = (false, 0.0);
            }
        }
        if problem.free.iter().filter(|f| **f).count() == before {
            break;
        }
    }
    let held = problem.free.iter().filter(|f| !**f).count();
    let slope = |c: usize| state[c.min(problem.slopes - 1)] / problem.scale[c];
    let slopes: Vec<f64> = (0..k).map(slope).collect();
    let raw = (0..k).map(|c| state[problem.slopes + c] - slopes[c] * problem.mean[c]).collect::<Vec<f64>>();
    // A constant added to all changes nothing: the offsets sum to 0.
    let mean = raw.iter().sum::<f64>() / k as f64;
    Ok(Sigmoids { slopes, offsets: raw.iter().map(|b| b - mean).collect(), held, converged })
}

/// The likelihood and its derivatives, on scores in standard units.
struct Problem<'a> {
    k: usize,
    /// How many slopes there are: one for two classes, which share the margin, else one each.
    slopes: usize,
    scores: Vec<f64>,
    mean: Vec<f64>,
    scale: Vec<f64>,
    classes: &'a [usize],
    weights: &'a [f64],
    masses: Vec<f64>,
    free: Vec<bool>,
}

impl<'a> Problem<'a> {
    fn new(scores: &[f64], k: usize, classes: &'a [usize], weights: &'a [f64]) -> Self {
        let mut scores: Vec<f64> = scores.iter().map(|&s| tame(s)).collect();
        let mut masses = vec![0.0; k];
        classes.iter().zip(weights).for_each(|(&c, w)| masses[c] += w);
        let total: f64 = masses.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let slopes = if k == 2 { 1 } else { k };
        let (mut mean, mut scale) = (vec![0.0; k], vec![1.0; k]);
        for c in 0..k {
            let column = || scores.iter().skip(c).step_by(k).zip(weights);
            mean[c] = column().map(|(s, w)| s / total * w).sum();
            let spread = column().map(|(s, w)| (s - mean[c]) * ((s - mean[c]) / total) * w).sum::<f64>().sqrt();
            scale[c] = if spread > 0.0 && spread.is_finite() { spread } else { 1.0 };
        }
        if k == 2 {
            // One slope for both needs one scale.
            scale = vec![scale[0].max(scale[1]); 2];
        }
        for row in scores.chunks_exact_mut(k) {
            row.iter_mut().zip(&mean).zip(&scale).for_each(|((s, m), d)| *s = (*s - m) / d);
        }
        Problem { k, slopes, scores, mean, scale, classes, weights, masses, free: vec![true; slopes] }
    }

    /// No slope yet, offsets of the classes' shares.
    fn start(masses: &[f64]) -> Vec<f64> {
        let slopes = if masses.len() == 2 { 1 } else { masses.len() };
        let log = masses.iter().map(|m| (m + 1.0).ln());
        std::iter::repeat_n(0.0, slopes).chain(log).collect()
    }

    /// The target of class `c` for a row of class `own`.
    fn target(&self, own: usize, c: usize) -> f64 {
        (if own == c { self.masses[own] + 1.0 } else { 1.0 }) / (self.masses[own] + self.k as f64)
    }

    /// Probabilities of a row, and the logarithm of their sum before it was divided by.
    fn shares(&self, state: &[f64], row: &[f64], out: &mut [f64]) -> f64 {
        for (c, z) in out.iter_mut().enumerate() {
            *z = state[c.min(self.slopes - 1)] * row[c] + state[self.slopes + c];
        }
        let top = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        out.iter_mut().for_each(|z| *z -= top);
        let sum: f64 = out.iter().map(|z| z.exp()).sum();
        sum.ln()
    }

    fn cost(&self, state: &[f64]) -> f64 {
        let mut z = vec![0.0; self.k];
        let mut sum = 0.0;
        for ((row, &own), w) in self.scores.chunks_exact(self.k).zip(self.classes).zip(self.weights) {
            let log = self.shares(state, row, &mut z);
            sum += w * z.iter().enumerate().map(|(c, z)| self.target(own, c) * (log - z)).sum::<f64>();
        }
        sum
    }

    /// Gradient and Hessian.
    fn slopes_of(&self, state: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (k, n) = (self.k, state.len());
        let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
        let mut p = vec![0.0; k];
        // Where the logit of class c is moved by, and by how much.
        let places = |c: usize, row: &[f64]| [(c.min(self.slopes - 1), row[c]), (self.slopes + c, 1.0)];
        for ((row, &own), w) in self.scores.chunks_exact(k).zip(self.classes).zip(self.weights) {
            let log = self.shares(state, row, &mut p);
            p.iter_mut().for_each(|z| *z = (*z - log).exp());
            for c in 0..k {
                let miss = w * (p[c] - self.target(own, c));
                for (i, x) in places(c, row) {
                    gradient[i] += miss * x;
                    for d in 0..k {
                        let curve = w * p[c] * (f64::from(u8::from(c == d)) - p[d]);
                        for (j, y) in places(d, row) {
                            hessian[i * n + j] += curve * x * y;
                        }
                    }
                }
            }
        }
        (gradient, hessian)
    }

    /// Newton's steps with halving, until nothing changes; says whether that came to pass.
    fn newton(&self, state: &mut [f64], run: &Run<'_>) -> Result<bool> {
        let n = state.len();
        let fixed = |i: usize| i < self.slopes && !self.free[i];
        let total = self.masses.iter().sum::<f64>().max(1.0);
        let mut cost = self.cost(state);
        for step in 0..STEPS {
            run.report(&Progress { stage: "sigmoids", done: step as u64, total: None, value: Some(cost) })?;
            let (mut gradient, mut hessian) = self.slopes_of(state);
            for i in 0..n {
                // Adding a constant to all offsets changes nothing; a little on the diagonal decides.
                hessian[i * n + i] += 1e-10 * total;
                if fixed(i) {
                    (0..n).for_each(|j| (hessian[i * n + j], hessian[j * n + i]) = (0.0, 0.0));
                    (hessian[i * n + i], gradient[i]) = (1.0, 0.0);
                }
            }
            if gradient.iter().all(|g| g.abs() <= 1e-11 * total) {
                return Ok(true);
            }
            let Some(direction) = solved(hessian, &gradient) else { return Ok(false) };
            let fall: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
            let mut length = 1.0;
            loop {
                let moved: Vec<f64> = state.iter().zip(&direction).map(|(x, d)| x - length * d).collect();
                let new = self.cost(&moved);
                if new <= cost - 1e-4 * length * fall {
                    state.copy_from_slice(&moved);
                    cost = new;
                    break;
                }
                length *= 0.5;
                if length < 1e-10 {
                    // Rounding is all that is left.
                    return Ok(fall <= 1e-10 * cost.abs().max(1.0));
                }
            }
        }
        Ok(false)
    }
}

/// The solution of a positive definite system by Cholesky's method; none if it is not.
fn solved(mut matrix: Vec<f64>, right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    for j in 0..n {
        for i in j..n {
            let dot: f64 = (0..j).map(|m| matrix[i * n + m] * matrix[j * n + m]).sum();
            let rest = matrix[i * n + j] - dot;
            matrix[i * n + j] = match i == j {
                true if rest > 0.0 => rest.sqrt(),
                true => return None,
                false => rest / matrix[j * n + j],
            };
        }
    }
    let mut x = right.to_vec();
    for i in 0..n {
        let dot: f64 = (0..i).map(|m| matrix[i * n + m] * x[m]).sum();
        x[i] = (x[i] - dot) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|m| matrix[m * n + i] * x[m]).sum();
        x[i] = (x[i] - dot) / matrix[i * n + i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet() -> Run<'static> {
        Run::quiet(1)
    }

    /// At the solution no small change is better, for two classes and for more, and nothing turns round.
    #[test]
    fn the_likelihood_is_at_its_top() {
        let mut draw = base::Seed(3).stream();
        for k in [2, 3, 5] {
            let classes: Vec<usize> = (0..200).map(|i| (7 * i + i / 3) % k).collect();
            let weights: Vec<f64> = (0..200).map(|i| 0.5 + (i % 3) as f64).collect();
            let mut score = |own: bool| base::normal(&mut draw) + if own { 1.5 } else { 0.0 };
            let scores: Vec<f64> =
                classes.iter().flat_map(|&c| (0..k).map(|j| score(j == c)).collect::<Vec<_>>()).collect();
            let fitted = sigmoids(&scores, k, &classes, &weights, &quiet()).unwrap();
            assert!(fitted.converged && fitted.held == 0 && fitted.slopes.iter().all(|a| *a > 0.0), "{fitted:?}");
            let masses = |c: usize| classes.iter().zip(&weights).filter(|(d, _)| **d == c).map(|(_, w)| w).sum::<f64>();
            let cost = |s: &Sigmoids| {
                let mut sum = 0.0;
                for ((row, &own), w) in scores.chunks_exact(k).zip(&classes).zip(&weights) {
                    let z: Vec<f64> = (0..k).map(|c| s.slopes[c] * row[c] + s.offsets[c]).collect();
                    let log = z.iter().map(|z| z.exp()).sum::<f64>().ln();
                    let target = |c: usize| (if c == own { masses(own) + 1.0 } else { 1.0 }) / (masses(own) + k as f64);
                    sum += w * (0..k).map(|c| target(c) * (log - z[c])).sum::<f64>();
                }
                sum
            };
            let best = cost(&fitted);
            for c in 0..k {
                for by in [-1e-4, 1e-4] {
                    let mut moved = fitted.clone();
                    moved.offsets[c] += by;
                    assert!(cost(&moved) > best);
                    let mut moved = fitted.clone();
                    // Two classes share their slope.
                    (0..k).filter(|&d| d == c || k == 2).for_each(|d| moved.slopes[d] += by);
                    assert!(cost(&moved) > best);
                }
            }
        }
    }

    #[test]
    fn scores_that_mean_the_opposite_are_not_followed() {
        let classes = [0, 0, 0, 1, 1, 1];
        let scores: Vec<f64> = [-1.0, -2.0, -0.5, 1.0, 2.0, 0.7].iter().flat_map(|m| [*m, -m]).collect();
        let fitted = sigmoids(&scores, 2, &classes, &[1.0; 6], &quiet()).unwrap();
        assert_eq!((fitted.held, &fitted.slopes[..]), (1, &[0.0, 0.0][..]));
        let (a, b) = platt(&[f64::MIN, 1.0], &[false, true], &[1.0; 2], &quiet()).unwrap();
        assert!(a.is_finite() && b.is_finite() && a <= 0.0);
    }
}
