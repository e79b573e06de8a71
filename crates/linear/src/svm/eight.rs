//! Eight problems of two sides at once, on the same rows: classes against the rest, with the hinge or its square.
//!
//! The steps are those of `binary.rs` for each problem, in one common order of the rows. Rows are read once for eight problems,
//! and the eight weights of a feature lie in one cache line; a row is left out once all eight would leave it out. A problem that is
//! optimal before the others keeps improving until no more than [`STRAGGLERS`] are left, which are finished alone. So are all
//! once a row is looked at for less than [`SHARED`] of the problems on average.
//!
//! **Cost.** As one problem as long as memory, not arithmetic, is what takes the time.

use super::binary::{Binary, Solved, patience};
use super::order::Order;
use super::samples::Samples;
use super::{Loss, Stop};
use base::{Progress, Result, Run};
use numeric::EIGHT;

/// Up to eight problems.
pub(crate) struct Eight<'a> {
    pub samples: &'a Samples<'a>,
    /// For each sample which problems it is a positive one of, a bit each.
    pub positive: &'a [u8],
    /// C_i of each sample where it is negative.
    pub costs: &'a [f64],
    /// What a problem multiplies the costs of its positive samples by.
    pub factors: [f64; EIGHT],
    /// How many problems there are.
    pub count: usize,
    pub loss: Loss,
}

/// A number for each problem.
type Each = [f64; EIGHT];

struct State {
    alpha: Vec<Each>,
    weights: Vec<Each>,
}

/// Problems left open at which each is finished alone: it then leaves out rows that the others would have kept.
const STRAGGLERS: usize = 2;

/// Problems that a row must be looked at for on average: a visit for eight takes about as long as this many for one.
const SHARED: f64 = 2.5;

/// Problem `l` as it is, after so many epochs, converged or not, interrupted or not.
fn solved(state: &State, l: usize, (primal, dual): (f64, f64), ended: (usize, bool, bool)) -> Solved {
    let (epochs, converged, interrupted) = ended;
    let weights = state.weights.iter().map(|w| w[l]).collect();
    let support = state.alpha.iter().filter(|a| a[l] > 0.0).count();
    Solved { weights, primal, dual, epochs, converged, interrupted, support }
}

impl Eight<'_> {
    /// The optima, or the best so far.
    pub fn solve(&self, stop: &Stop, run: &Run<'_>) -> Result<Vec<Solved>> {
        let n = self.samples.len();
        let _hold = run.memory.take_for::<Each>(n + self.samples.width(), "dual variables and weights")?;
        let mut state = State { alpha: vec![[0.0; EIGHT]; n], weights: vec![[0.0; EIGHT]; self.samples.width()] };
        let mut order = Order::new(n, run.seed.fork("order").stream());
        let mut tolerance = stop.first();
        let (mut epochs, mut interrupted, mut converged) = (0, false, false);
        let mut bounds = ([f64::INFINITY; EIGHT], [f64::NEG_INFINITY; EIGHT]);
        let all: Vec<usize> = (0..self.count).collect();
        while epochs < stop.epochs {
            if run.step(&Progress::of("epoch", epochs as u64, stop.epochs as u64))? {
                interrupted = true;
                break;
            }
            if epochs == patience(self.loss, self.samples) {
                return self.apart(&state, &all, epochs, stop, run);
            }
            order.shuffle();
            let (most, least, lanes) = self.epoch(&mut state, &mut order, &bounds);
            epochs += 1;
            if (lanes as f64) < SHARED * order.active() as f64 && self.count as f64 > SHARED && !stop.by_gap() {
                return self.apart(&state, &all, epochs, stop, run);
            }
            let open: Vec<usize> =
                (0..self.count).filter(|&l| most[l].max(0.0) - least[l].min(0.0) > tolerance).collect();
            let few = open.len() <= STRAGGLERS && open.len() < self.count && !stop.by_gap();
            if (few || open.is_empty()) && !order.complete() {
                order.restore();
                bounds = ([f64::INFINITY; EIGHT], [f64::NEG_INFINITY; EIGHT]);
                continue;
            }
            if few && !open.is_empty() {
                return self.apart(&state, &open, epochs, stop, run);
            }
            if open.is_empty() {
                let sum = |values: &[(f64, f64)]| values.iter().fold((0.0, 0.0), |a, v| (a.0 + v.0, a.1 + v.1));
                if !stop.by_gap() || stop.is_near(sum(&self.values(&state)[..self.count])) {
                    converged = true;
                    break;
                }
                tolerance *= 0.25;
            }
            bounds.0 = most.map(|m| if m <= 0.0 { f64::INFINITY } else { m });
            bounds.1 = least.map(|l| if l >= 0.0 { f64::NEG_INFINITY } else { l });
        }
        let values = self.values(&state);
        Ok((0..self.count).map(|l| solved(&state, l, values[l], (epochs, converged, interrupted))).collect())
    }

    /// The problems that are optimal as they are, and the open ones each finished alone.
    fn apart(&self, state: &State, open: &[usize], epochs: usize, stop: &Stop, run: &Run<'_>) -> Result<Vec<Solved>> {
        let values = self.values(state);
        let one = |l: usize| match open.contains(&l) {
            false => Ok(solved(state, l, values[l], (epochs, true, false))),
            true => self.alone(l, |problem| {
                let own = |each: &[Each]| each.iter().map(|x| x[l]).collect();
                let run = Run { seed: run.seed.fork("alone").at(l), ..run.clone() };
                problem.resume(own(&state.alpha), own(&state.weights), epochs, stop, &run)
            }),
        };
        (0..self.count).map(one).collect()
    }

    /// What becomes of one problem.
    fn alone(&self, l: usize, f: impl FnOnce(&Binary<'_>) -> Result<Solved>) -> Result<Solved> {
        let (signs, costs): (Vec<f64>, Vec<f64>) =
            (0..self.samples.len()).map(|i| self.sides(i)).map(|(signs, costs)| (signs[l], costs[l])).unzip();
        f(&Binary { samples: self.samples, signs: &signs, costs: &costs, loss: self.loss })
    }

    /// The signs and costs of a sample.
    fn sides(&self, i: usize) -> (Each, Each) {
        let own = |l: usize| self.positive[i] >> l & 1 == 1;
        (
            std::array::from_fn(|l| if own(l) { 1.0 } else { -1.0 }),
            std::array::from_fn(|l| if own(l) { self.costs[i] * self.factors[l] } else { self.costs[i] }),
        )
    }

    /// Visits the active samples once; answers with the largest and the smallest projected gradient of each problem, and for how many
    /// problems the samples were looked at.
    fn epoch(
        &self,
        state: &mut State,
        order: &mut Order<impl rand::Rng>,
        bounds: &(Each, Each),
    ) -> (Each, Each, usize) {
        let squared = self.loss == Loss::SquaredHinge;
        let (mut most, mut least) = ([f64::NEG_INFINITY; EIGHT], [f64::INFINITY; EIGHT]);
        let (mut place, mut lanes) = (0, 0);
        while place < order.active() {
            let i = order.at(place);
            let (signs, costs) = self.sides(i);
            let scores = self.samples.dots(i, &state.weights);
            let (norm, alpha) = (self.samples.norms[i], state.alpha[i]);
            let (mut new, mut projected, mut inside) = (alpha, [0.0; EIGHT], 0);
            for l in 0..EIGHT {
                let diagonal = if squared { 0.5 / costs[l] } else { 0.0 };
                let limit = if squared { f64::INFINITY } else { costs[l] };
                let g = signs[l] * scores[l] - 1.0 + alpha[l] * diagonal;
                let (low, high) = (alpha[l] <= 0.0, alpha[l] >= limit);
                let outside = l >= self.count || (low && g > bounds.0[l]) || (high && g < bounds.1[l]);
                inside += usize::from(!outside);
                projected[l] = if low {
                    g.min(0.0)
                } else if high {
                    g.max(0.0)
                } else {
                    g
                };
                let curvature = norm + diagonal;
                if projected[l] != 0.0 && l < self.count {
                    // A step to a bound ends exactly there: the new value is kept, not the step.
                    new[l] = if curvature > 0.0 { (alpha[l] - g / curvature).clamp(0.0, limit) } else { limit };
                }
            }
            if inside == 0 {
                order.leave_out(place);
                continue;
            }
            place += 1;
            lanes += inside;
            for l in 0..EIGHT {
                most[l] = most[l].max(projected[l]);
                least[l] = least[l].min(projected[l]);
            }
            if new != alpha {
                state.alpha[i] = new;
                let scales = std::array::from_fn(|l| signs[l] * (new[l] - alpha[l]));
                self.samples.add_to_each(i, &scales, &mut state.weights);
            }
        }
        (most, least, lanes)
    }

    /// The primal and the dual objective of each problem.
    fn values(&self, state: &State) -> [(f64, f64); EIGHT] {
        let mut values = [(0.0, 0.0); EIGHT];
        for w in &state.weights {
            for (value, w) in values.iter_mut().zip(w) {
                value.0 += 0.5 * w * w;
                value.1 -= 0.5 * w * w;
            }
        }
        for i in 0..self.samples.len() {
            let (signs, costs) = self.sides(i);
            let scores = self.samples.dots(i, &state.weights);
            for (l, value) in values.iter_mut().enumerate() {
                let alpha = state.alpha[i][l];
                value.0 += costs[l] * self.loss.of(signs[l] * scores[l]);
                value.1 += self.loss.conjugate(alpha, 0.0, costs[l]);
            }
        }
        values
    }
}
