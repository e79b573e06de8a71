//! Three to 64 classes in one problem: dual coordinate ascent with scores for eight classes at a time.
//!
//! The problem of `joint.rs`, for shapes on which a visit is little work: the weights of a feature for eight classes lie in one
//! cache line, so that a row is read once for eight scores. A visit scores a sample for the blocks of classes in which it has
//! *active* variables, solves for these (`subproblem.rs`) and adds what changed to the weights.
//!
//! **Shrinking by class.** A variable is left out of the visits to its sample:
//! - sums: at 0 or C, if its violation points outwards by more than any variable of the epoch before was violated;
//! - largest: at 0, if its violation is below that of every variable that has a part of C.
//!
//! A sample without a choice left is not visited. When all that is left is within [`LOOSE`] times the tolerance, and then at half as
//! much each time, everything is looked at again; the fit ends with an epoch over all variables that finds no violation above
//! the tolerance.
//!
//! **Cost.** Entries · classes / 8 cache lines an epoch, less where classes are left out. **Memory.** 8 bytes for each
//! sample and class, and for each feature and class.
//!
//! - S. S. Keerthi, S. Sundararajan, K.-W. Chang, C.-J. Hsieh, C.-J. Lin: *A sequential dual method for large scale multi-class
//!   linear SVMs.* KDD 2008.

use super::Stop;
use super::joint::{Joint, JointSolved};
use super::order::Order;
use super::samples::Samples;
use super::store::Store;
use super::subproblem::Candidate;
use base::{Hold, Progress, Result, Run};
use numeric::EIGHT;

/// Classes up to which this solver is used: one bit each.
pub(super) const FEW: usize = 64;
/// Everything is looked at again first at this multiple of the tolerance, at least [`FIRST`].
const LOOSE: f64 = 10.0;
/// The violation at which everything is looked at again for the first time, at least.
const FIRST: f64 = 1.0;
/// Violations up to this are rounding.
const ROUNDING: f64 = 1e-12;

/// Dual variables, weights and working space.
struct State {
    /// For each eight classes the weights of all features.
    blocks: Vec<Vec<[f64; EIGHT]>>,
    /// Samples x classes.
    alpha: Vec<f64>,
    /// The active variables of each sample, a bit for each class.
    active: Vec<u64>,
    candidates: Vec<Candidate>,
    _hold: Hold,
}

/// The largest and the smallest violation of an epoch, as far as the bounds of the variables let them be mended.
#[derive(Clone, Copy)]
struct Extremes {
    most: f64,
    least: f64,
}

impl Extremes {
    const NONE: Extremes = Extremes { most: f64::INFINITY, least: f64::NEG_INFINITY };

    /// What a variable at a bound is compared with in the next epoch.
    fn bounds(self) -> Extremes {
        Extremes {
            most: if self.most > 0.0 { self.most } else { f64::INFINITY },
            least: if self.least < 0.0 { self.least } else { f64::NEG_INFINITY },
        }
    }
}

impl Joint<'_> {
    /// The optimum for at most [`FEW`] classes, or the best so far.
    pub(super) fn solve_few(&self, stop: &Stop, run: &Run<'_>) -> Result<JointSolved> {
        let (n, k) = (self.samples.len(), self.classes);
        let all: Vec<u64> = (0..n).map(|i| self.variables(i)).collect();
        let mut state = self.few(&all, run)?;
        let mut order = Order::new(n, run.seed.fork("order").stream());
        let mut tolerance = stop.first();
        let mut loose = (LOOSE * tolerance).max(FIRST);
        let (mut epochs, mut full, mut converged, mut interrupted) = (0, 0, false, false);
        let (mut whole, mut bounds) = (true, Extremes::NONE);
        while epochs < stop.epochs {
            if run.step(&Progress::of("epoch", epochs as u64, stop.epochs as u64))? {
                interrupted = true;
                break;
            }
            order.shuffle();
            let (worst, extremes) = self.few_epoch(&mut state, &mut order, bounds, run)?;
            epochs += 1;
            full += usize::from(whole);
            bounds = extremes.bounds();
            if worst > loose.max(tolerance) {
                whole = false;
                continue;
            }
            if whole && worst <= tolerance {
                if !stop.by_gap() || stop.is_near(self.few_values(&state, run)?) {
                    converged = true;
                    break;
                }
                tolerance *= 0.25;
            }
            order.restore();
            state.active.copy_from_slice(&all);
            (whole, bounds) = (true, Extremes::NONE);
            loose = (0.5 * loose).max(tolerance);
        }
        let (primal, dual) = self.few_values(&state, run)?;
        let used = |i: usize| state.alpha[i * k..(i + 1) * k].iter().filter(|a| **a > 0.0).count();
        let variables = (0..n).map(used).sum();
        let support = (0..n).filter(|&i| used(i) > 0).count();
        let features = (0..self.rows.width()).map(|j| {
            let weights = state.blocks.iter().flat_map(|block| block[j]);
            weights.take(k).zip(0..).filter(|(w, _)| *w != 0.0).map(|(w, c)| (c, w)).collect()
        });
        let store = Store::of(self.rows, k, features.collect(), &run.finishing())?;
        Ok(JointSolved { store, primal, dual, epochs, full, converged, interrupted, variables, support })
    }

    /// The classes sample `i` has variables for.
    fn variables(&self, i: usize) -> u64 {
        let y = self.samples[i].1;
        let has = |c: u32| match c == y {
            true => self.scheme.own && !self.scheme.relative,
            false => self.scheme.others && !self.shares(i, c),
        };
        (0..self.classes as u32).filter(|&c| has(c)).fold(0, |bits, c| bits | 1 << c)
    }

    fn few(&self, all: &[u64], run: &Run<'_>) -> Result<State> {
        let (n, k, width) = (self.samples.len(), self.classes, self.rows.width());
        let blocks = k.div_ceil(EIGHT);
        let bytes = 8 * (n * (k + 1) + width * blocks * EIGHT) as u64;
        Ok(State {
            _hold: run.memory.take(bytes, "dual variables and weights")?,
            blocks: vec![vec![[0.0; EIGHT]; width]; blocks],
            alpha: vec![0.0; n * k],
            active: all.to_vec(),
            candidates: Vec::with_capacity(k),
        })
    }

    /// Visits the active samples once; answers with the largest violation, and with the extremes of single variables.
    fn few_epoch(
        &self,
        state: &mut State,
        order: &mut Order<impl rand::Rng>,
        bounds: Extremes,
        run: &Run<'_>,
    ) -> Result<(f64, Extremes)> {
        let mut extremes = Extremes { most: f64::NEG_INFINITY, least: f64::INFINITY };
        let (mut worst, mut place, mut visits) = (0.0f64, 0, 0usize);
        while place < order.active() {
            visits += 1;
            if visits.is_multiple_of(256) {
                run.check()?;
            }
            match self.few_visit(state, order.at(place), bounds, &mut extremes) {
                Some(violation) => {
                    worst = worst.max(violation);
                    place += 1;
                }
                None => order.leave_out(place),
            }
        }
        Ok((worst, extremes))
    }

    /// Solves for the active variables of sample `i`; answers with the violation before, or with nothing where no choice is left.
    fn few_visit(&self, state: &mut State, i: usize, bounds: Extremes, extremes: &mut Extremes) -> Option<f64> {
        let (k, y, row) = (self.classes, self.samples[i].1 as usize, self.row(i));
        let active = state.active[i];
        let tied = self.scheme.tied;
        let mut scores = [0.0; FEW];
        let looked_at = active | 1 << y;
        for (b, block) in state.blocks.iter().enumerate() {
            if tied || (looked_at >> (b * EIGHT)) & 0xff != 0 {
                scores[b * EIGHT..(b + 1) * EIGHT].copy_from_slice(&self.rows.dots(row, block));
            }
        }
        let mean = if tied { scores[..k].iter().sum::<f64>() / k as f64 } else { 0.0 };
        let common = self.common(i, ROUNDING);
        let alpha = &mut state.alpha[i * k..(i + 1) * k];
        let candidates = &mut state.candidates;
        candidates.clear();
        for_each_bit(active, |c| {
            let (sign, v) = match (c == y, self.scheme.relative) {
                (false, true) => (-1.0, 1.0 - (scores[y] - scores[c]) / self.scheme.margin),
                (false, false) => (-1.0, 1.0 + (scores[c] - mean)),
                (true, _) => (1.0, 1.0 - (scores[c] - mean)),
            };
            let violation = v - common.diagonal * alpha[c];
            candidates.push(Candidate { class: c as u32, sign, alpha: alpha[c], violation });
        });
        let violation = match self.scheme.largest {
            true => common.shrink_largest(candidates)?,
            false => {
                let mut worst = 0.0f64;
                candidates.retain(|c| {
                    let outwards = (c.alpha <= 0.0 && c.violation < bounds.least)
                        || (common.diagonal == 0.0 && c.alpha >= common.cost && c.violation > bounds.most);
                    if !outwards {
                        let projected = common.projected(c.alpha, c.violation);
                        extremes.most = extremes.most.max(projected);
                        extremes.least = extremes.least.min(projected);
                        worst = worst.max(projected.abs());
                    }
                    !outwards
                });
                if candidates.is_empty() {
                    return None;
                }
                worst
            }
        };
        state.active[i] = candidates.iter().fold(0, |bits, c| bits | 1 << c.class);
        if violation > ROUNDING {
            match (self.scheme.largest, self.scheme.relative) {
                (true, true) => common.project(candidates),
                (true, false) => common.largest(candidates),
                (false, _) => common.sum(candidates),
            };
            let (mut scales, mut sum, mut touched) = ([0.0; FEW], 0.0, 0u64);
            let unit = if self.scheme.relative { 1.0 / self.scheme.margin } else { 1.0 };
            for c in &*candidates {
                let class = c.class as usize;
                let step = c.alpha - alpha[class];
                if step != 0.0 {
                    alpha[class] = c.alpha;
                    scales[class] = c.sign * step * unit;
                    sum += scales[class];
                    touched |= 1 << class;
                }
            }
            if touched != 0 && self.scheme.relative {
                scales[y] = -sum;
                touched |= 1 << y;
            }
            for (b, block) in state.blocks.iter_mut().enumerate() {
                if (touched >> (b * EIGHT)) & 0xff != 0 {
                    let scales = std::array::from_fn(|l| scales[b * EIGHT + l]);
                    self.rows.add_to_each(row, &scales, block);
                }
            }
        }
        Some(violation)
    }

    /// The primal and the dual objective.
    fn few_values(&self, state: &State, run: &Run<'_>) -> Result<(f64, f64)> {
        let k = self.classes;
        let mut half = 0.0;
        for j in 0..self.rows.width() {
            let (mut squares, mut sum) = (0.0, 0.0);
            for w in state.blocks.iter().flat_map(|block| block[j]) {
                squares += w * w;
                sum += w;
            }
            half += 0.5 * (squares - if self.scheme.tied { sum * sum / k as f64 } else { 0.0 });
        }
        let parts = numeric::blocks(&run.finishing(), self.samples.len(), 256, |samples| {
            let (mut primal, mut dual) = (0.0, 0.0);
            for i in samples {
                let mut scores = all_scores(self.rows, self.row(i), &state.blocks);
                if self.scheme.tied {
                    let mean = scores[..k].iter().sum::<f64>() / k as f64;
                    scores[..k].iter_mut().for_each(|s| *s -= mean);
                }
                primal += self.sample_primal(i, &scores[..k]);
                dual += self.sample_dual(i, &state.alpha[i * k..(i + 1) * k]);
            }
            Ok((primal, dual))
        })?;
        let (primal, dual) = parts.iter().fold((0.0, 0.0), |(p, d), part| (p + part.0, d + part.1));
        Ok((half + primal, dual - half))
    }
}

/// The scores of a row for all classes.
fn all_scores(rows: &Samples<'_>, row: usize, blocks: &[Vec<[f64; EIGHT]>]) -> [f64; FEW] {
    let mut scores = [0.0; FEW];
    for (scores, block) in scores.chunks_exact_mut(EIGHT).zip(blocks) {
        scores.copy_from_slice(&rows.dots(row, block));
    }
    scores
}

/// Calls `f` with the place of every bit that is set.
fn for_each_bit(mut bits: u64, mut f: impl FnMut(usize)) {
    while bits != 0 {
        f(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
