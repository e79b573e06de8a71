//! All classes in one problem: dual coordinate ascent, sample by sample.
//!
//! A visit scores a sample for the classes it looks at, solves for the sample's own dual variables (`subproblem.rs`) and adds what
//! changed to the weights of those classes, β_c x. The dual never falls, and its optimum is reached for every scheme.
//!
//! **Few classes at a time.** With relative margins most classes are far behind the true one for good. A *full* epoch scores all
//! classes and notes, for each sample, those with a variable that is not 0 or within [`NEAR`] of the margin (at most [`KEPT`]);
//! *quick* epochs look at these alone, and leave out samples in which nothing changed for three visits. When a quick epoch finds
//! no violation, a full epoch verifies; it ends the fit if it finds none either.
//!
//! **Batches.** Scoring is nearly all of the work and reads the weights only, so a batch of samples is scored at once, on several
//! threads. Then the samples are solved one after the other; the scores of each are corrected for what earlier ones of the
//! batch changed, by the inner products with these (an index of the batch's features finds them). The steps are those of a solver
//! that updates the weights after each sample, up to rounding, and depend on the batches but not on the threads. Scoring pairs
//! of classes instead, matched so that no two share a class, would read every sample once for each class; bundles of
//! classes meet in this way where several ranks share the work (`spread/`).
//!
//! **Stops** when a full epoch finds no violation above the tolerance; where a relative gap is asked for, the tolerance falls until
//! it is reached. **Cost.** entries · classes an epoch that is full, entries · classes looked at otherwise.
//!
//! - S. S. Keerthi, S. Sundararajan, K.-W. Chang, C.-J. Hsieh, C.-J. Lin: *A sequential dual method for large scale multi-class
//!   linear SVMs.* KDD 2008.

use super::Stop;
use super::batch_index::Index;
use super::checkpoint::Saved;
use super::few::FEW;
use super::samples::Samples;
use super::scheme::Scheme;
use super::store::{Change, Store};
use super::subproblem::{Candidate, Common};
use base::{Hold, Result, Run};
use numeric::{Real, each_chunk_mut};

/// Violations above −NEAR, in units of the margin, are looked at in quick epochs.
const NEAR: f64 = 0.5;
/// Classes without a part that a sample keeps looking at.
const KEPT: usize = 8;
/// Visits without a change after which a sample is left out of quick epochs.
const IDLE: u8 = 3;
/// Samples scored at once.
pub(super) const BATCH: usize = 64;
/// Tolerance from which on single precision will do: its rounding is far below what is left anyway.
const SINGLE: f64 = 1e-3;
/// Samples whose changes are summed at once.
const SUMMED: usize = 1024;
/// Multiplications below which other threads are not woken.
const SMALL: usize = 1 << 17;

/// A problem of several classes.
pub(crate) struct Joint<'a> {
    pub rows: &'a Samples<'a>,
    /// Each sample: its row, and its class. A row with several labels is a sample for each of them.
    pub samples: &'a [(u32, u32)],
    /// The labels of each row, ascending, where rows have sets of them: labels of one row do not compete.
    pub sets: Option<&'a [Vec<u32>]>,
    /// C_i of each sample.
    pub costs: &'a [f64],
    pub classes: usize,
    pub scheme: Scheme,
    /// The number of classes of the first of two bundles that meet: only classes of different bundles compete then.
    pub across: Option<u32>,
}

/// What the solver ends with.
pub(crate) struct JointSolved {
    pub store: Store<f64>,
    pub primal: f64,
    pub dual: f64,
    pub epochs: usize,
    /// How many of them were full.
    pub full: usize,
    pub converged: bool,
    pub interrupted: bool,
    /// Dual variables that are not 0.
    pub variables: usize,
    /// Samples that have one.
    pub support: usize,
}

/// What is kept of a sample: the classes it looks at, ascending, the true one among them, and their dual variables.
#[derive(Default, Clone)]
pub(super) struct Kept {
    pub classes: Vec<u32>,
    pub alpha: Vec<f64>,
    pub idle: u8,
}

/// Dual variables, weights and working space.
pub(super) struct State<T> {
    pub kept: Vec<Kept>,
    pub store: Store<T>,
    scores: Vec<Vec<T>>,
    near: Vec<u32>,
    candidates: Vec<Candidate>,
    index: Index,
    hold: Hold,
}

impl Joint<'_> {
    /// The optimum, or the best so far. Where the tolerance allows it weights and scores are in single precision while they are
    /// learned; the weights that come out are sums over the dual variables in double precision, and so are the objectives.
    pub fn solve(&self, stop: &Stop, saved: &Saved<'_>, run: &Run<'_>) -> Result<JointSolved> {
        match self.batched() && stop.tolerance >= SINGLE && !stop.by_gap() {
            _ if self.classes <= FEW => self.solve_few(stop, run),
            true => self.solve_in::<f32>(stop, saved, run),
            false => self.solve_in::<f64>(stop, saved, run),
        }
    }

    /// Working space around these variables and weights.
    pub(super) fn state<T: Real>(&self, kept: Vec<Kept>, store: Store<T>, run: &Run<'_>) -> Result<State<T>> {
        let batched = self.batched();
        let bytes = kept.len() as u64 * size_of::<Kept>() as u64
            + (BATCH * self.classes) as u64 * 8
            + self.rows.width() as u64 * 4;
        Ok(State {
            kept,
            store,
            scores: vec![vec![]; if batched { BATCH } else { 1 }],
            near: vec![],
            candidates: vec![],
            index: Index::new(if batched { self.rows.width() } else { 0 }),
            hold: run.memory.take(bytes, "dual variables")?,
        })
    }

    /// The row of sample `i`.
    pub(super) fn row(&self, i: usize) -> usize {
        self.samples[i].0 as usize
    }

    /// Whether this class does not compete with that of sample `i`: a label of the same row, or a class of the same bundle.
    pub(super) fn shares(&self, i: usize, class: u32) -> bool {
        let y = self.samples[i].1;
        if self.across.is_some_and(|cut| class != y && (class < cut) == (y < cut)) {
            return true;
        }
        self.sets.is_some_and(|sets| class != self.samples[i].1 && sets[self.row(i)].binary_search(&class).is_ok())
    }

    /// Whether all classes are looked at in every visit.
    fn whole(&self) -> bool {
        !self.scheme.relative || self.classes <= FEW
    }

    /// Whether samples are scored in batches: where a sample is little work, or shares features with all others, one by one.
    pub(super) fn batched(&self) -> bool {
        self.rows.is_sparse() && self.classes > FEW
    }

    /// Visits these samples once; answers with the largest violation found.
    pub(super) fn epoch<T: Real>(
        &self,
        state: &mut State<T>,
        order: &[u32],
        full: bool,
        tolerance: f64,
        run: &Run<'_>,
    ) -> Result<f64> {
        let full = full || self.whole();
        let mut worst = 0.0f64;
        let mut changes: Vec<Change> = vec![];
        for batch in order.chunks(state.scores.len()) {
            self.score(state, batch, full, run)?;
            changes.clear();
            for (slot, &i) in batch.iter().enumerate() {
                let mut scores = std::mem::take(&mut state.scores[slot]);
                let i = i as usize;
                if !changes.is_empty() {
                    state.index.correct(self.rows, self.row(i), &changes, |class, change| match full {
                        true => scores[class as usize] += T::narrow(change),
                        false => {
                            if let Ok(place) = state.kept[i].classes.binary_search(&class) {
                                scores[place] += T::narrow(change);
                            }
                        }
                    });
                }
                let (violation, change) = self.visit(state, i, &scores, full, tolerance);
                state.scores[slot] = scores;
                worst = worst.max(violation);
                if let Some(change) = change {
                    if batch.len() > 1 {
                        state.index.add(self.rows, self.row(i), changes.len());
                    }
                    changes.push(change);
                }
            }
            state.index.clear(self.rows, &changes);
            state.store.apply(self.rows, &changes, run)?;
            run.check()?;
        }
        let bytes: u64 = state.kept.iter().map(Kept::bytes).sum();
        if bytes > state.hold.bytes() {
            state.hold.resize(bytes, "dual variables")?;
        }
        Ok(worst)
    }

    /// Scores of a batch: for all classes if `full`, else for those each sample looks at.
    fn score<T: Real>(&self, state: &mut State<T>, batch: &[u32], full: bool, run: &Run<'_>) -> Result<()> {
        let (kept, store) = (&state.kept, &state.store);
        let one = |i: usize, scores: &mut Vec<T>| {
            scores.clear();
            match full {
                true => {
                    scores.resize(self.classes, T::ZERO);
                    store.scores(self.rows, self.row(i), scores);
                }
                false => {
                    scores.resize(kept[i].classes.len(), T::ZERO);
                    store.scores_of(self.rows, self.row(i), &kept[i].classes, scores);
                }
            }
        };
        let per_row = self.rows.entries() / self.rows.len().max(1) + 1;
        let classes = |i: &u32| if full { self.classes } else { kept[*i as usize].classes.len() };
        let work: usize = batch.iter().map(|i| per_row * classes(i)).sum();
        let scores = &mut state.scores[..batch.len()];
        if work < SMALL || run.threads == 1 {
            batch.iter().zip(scores).for_each(|(&i, scores)| one(i as usize, scores));
            return Ok(());
        }
        const CHUNK: usize = 4;
        each_chunk_mut(run, scores, CHUNK, |chunk, scores| {
            scores.iter_mut().enumerate().for_each(|(s, scores)| one(batch[chunk * CHUNK + s] as usize, scores));
            Ok(())
        })
    }

    /// What the variables of sample `i` have in common; violations up to the tolerance are left.
    pub(super) fn common(&self, i: usize, tolerance: f64) -> Common {
        let cost = self.costs[i];
        Common {
            q: self.scheme.curvature(self.rows.norms[self.row(i)]),
            rho: self.scheme.coupling(self.classes),
            diagonal: if self.scheme.squared { 0.5 / cost } else { 0.0 },
            cost,
            tolerance,
        }
    }

    /// Solves for the variables of one sample; answers with the violation before, and what changed.
    fn visit<T: Real>(
        &self,
        state: &mut State<T>,
        i: usize,
        scores: &[T],
        full: bool,
        tolerance: f64,
    ) -> (f64, Option<Change>) {
        let y = self.samples[i].1;
        let common = self.common(i, tolerance);
        let State { kept, candidates, near, .. } = state;
        let kept = &mut kept[i];
        if full {
            near.clear();
            if self.whole() {
                near.extend((0..self.classes as u32).filter(|&c| c == y || (self.scheme.others && !self.shares(i, c))));
            } else {
                self.near(scores, i, near);
                near.extend(kept.classes.iter().zip(&kept.alpha).filter(|(_, a)| **a > 0.0).map(|(c, _)| c));
                near.push(y);
                near.sort_unstable();
                near.dedup();
            }
            kept.look_at(near);
        }
        let score = |place: usize, class: u32| scores[if full { class as usize } else { place }].wide();
        let mean =
            if self.scheme.tied { scores.iter().map(|s| s.wide()).sum::<f64>() / self.classes as f64 } else { 0.0 };
        let own = kept.classes.binary_search(&y).map_or(0.0, |place| score(place, y));
        candidates.clear();
        for (place, (&class, &alpha)) in kept.classes.iter().zip(&kept.alpha).enumerate() {
            let f = score(place, class);
            let (sign, v) = match (class == y, self.scheme.relative) {
                (false, true) => (-1.0, 1.0 - (own - f) / self.scheme.margin),
                (false, false) => (-1.0, 1.0 + (f - mean)),
                (true, false) if self.scheme.own => (1.0, 1.0 - (f - mean)),
                (true, _) => continue,
            };
            candidates.push(Candidate { class, sign, alpha, violation: v - common.diagonal * alpha });
        }
        let violation = match self.scheme.largest {
            true => common.spread(candidates),
            false => candidates.iter().map(|c| common.projected(c.alpha, c.violation).abs()).fold(0.0, f64::max),
        };
        let changed = violation > tolerance && {
            if self.scheme.largest {
                common.largest(candidates)
            } else {
                // The worst first: it takes away from the violations of all others, which may then stay at 0.
                if self.scheme.relative {
                    candidates.sort_by(|a, b| b.violation.total_cmp(&a.violation));
                }
                let changed = common.sum(candidates);
                if self.scheme.relative {
                    candidates.sort_by_key(|c| c.class);
                }
                changed
            }
        };
        if !changed {
            kept.idle = kept.idle.saturating_add(1);
            return (violation, None);
        }
        kept.idle = 0;
        (violation, Some(self.change(kept, candidates, i)))
    }

    /// Takes over the new variables; answers with what the weights of each class get.
    fn change(&self, kept: &mut Kept, candidates: &[Candidate], i: usize) -> Change {
        let (mut steps, mut place) = (vec![], 0);
        for c in candidates {
            while kept.classes[place] != c.class {
                place += 1;
            }
            let step = c.alpha - kept.alpha[place];
            kept.alpha[place] = c.alpha;
            if step != 0.0 {
                steps.push((c.class, c.sign * step));
            }
        }
        self.change_by(i, steps)
    }

    /// What steps of a sample's variables, with their signs, add to the weights of each class.
    fn change_by(&self, i: usize, mut steps: Vec<(u32, f64)>) -> Change {
        let (row, y) = self.samples[i];
        if self.scheme.relative {
            let scale = 1.0 / self.scheme.margin;
            steps.iter_mut().for_each(|(_, step)| *step *= scale);
            let sum: f64 = steps.iter().map(|(_, step)| step).sum();
            steps.insert(steps.partition_point(|(class, _)| *class < y), (y, -sum));
        }
        Change { row, classes: steps }
    }

    /// The classes with violations above −[`NEAR`], at most [`KEPT`] of them, the largest.
    fn near<T: Real>(&self, scores: &[T], i: usize, near: &mut Vec<u32>) {
        let y = self.samples[i].1;
        let least = T::narrow(scores[y as usize].wide() - self.scheme.margin * (1.0 + NEAR));
        let rival = |c: u32| c != y && !self.shares(i, c);
        near.extend(scores.iter().zip(0..).filter(|(s, c)| **s > least && rival(*c)).map(|(_, c)| c));
        if near.len() > KEPT {
            // Among equals those after a place that differs from sample to sample: at the beginning all scores are 0.
            let turn =
                |c: u32| c.wrapping_add(self.classes as u32).wrapping_sub(first(i, self.classes)) % self.classes as u32;
            let order = |a: &u32, b: &u32| {
                scores[*b as usize].wide().total_cmp(&scores[*a as usize].wide()).then_with(|| turn(*a).cmp(&turn(*b)))
            };
            near.select_nth_unstable_by(KEPT - 1, order);
            near.truncate(KEPT);
        }
    }

    /// The weights of these dual variables, summed sample by sample.
    pub(super) fn weights(&self, kept: &[Kept], run: &Run<'_>) -> Result<Store<f64>> {
        let mut store = Store::new(self.rows, self.classes, run)?;
        let mut changes = Vec::with_capacity(SUMMED);
        for i in 0..kept.len() {
            let used = kept[i].classes.iter().zip(&kept[i].alpha).filter(|(_, a)| **a > 0.0);
            let sign = |class: u32| if class == self.samples[i].1 { 1.0 } else { -1.0 };
            let steps: Vec<(u32, f64)> = used.map(|(&c, &a)| (c, sign(c) * a)).collect();
            if !steps.is_empty() {
                changes.push(self.change_by(i, steps));
            }
            if changes.len() == SUMMED || i + 1 == kept.len() {
                store.apply(self.rows, &changes, run)?;
                changes.clear();
            }
        }
        Ok(store)
    }

    /// The primal and the dual objective of the weights and variables at hand.
    pub(super) fn values<T: Real>(&self, store: &Store<T>, kept: &[Kept], run: &Run<'_>) -> Result<(f64, f64)> {
        let mut squares = 0.0;
        let (mut row, mut norms) = (vec![], 0.0);
        for j in 0..store.width() {
            row.clear();
            store.each(j, |_, w| row.push(w));
            norms += numeric::squared_norm(&row);
            if self.scheme.tied {
                let sum: f64 = row.iter().sum();
                squares += sum * sum;
            }
        }
        let half = 0.5 * (norms - squares / self.classes as f64);
        let (primal, dual) = self.sums(store, kept, run)?;
        Ok((half + primal, dual - half))
    }

    /// What the samples add to the primal and to the dual objective.
    pub(super) fn sums<T: Real>(&self, store: &Store<T>, kept: &[Kept], run: &Run<'_>) -> Result<(f64, f64)> {
        // A part for each block of samples, added in their order.
        let run = &run.finishing();
        let parts = numeric::blocks(run, self.samples.len(), 256, |rows| {
            let (mut scores, mut wide) = (vec![T::ZERO; self.classes], vec![0.0; self.classes]);
            let (mut primal, mut dual) = (0.0, 0.0);
            for i in rows {
                scores.fill(T::ZERO);
                store.scores(self.rows, self.row(i), &mut scores);
                wide.iter_mut().zip(&scores).for_each(|(wide, s)| *wide = s.wide());
                if self.scheme.tied {
                    let mean = wide.iter().sum::<f64>() / self.classes as f64;
                    wide.iter_mut().for_each(|s| *s -= mean);
                }
                primal += self.sample_primal(i, &wide);
                dual += self.sample_dual(i, &kept[i].alpha);
            }
            Ok((primal, dual))
        })?;
        Ok(parts.iter().fold((0.0, 0.0), |(p, d), part| (p + part.0, d + part.1)))
    }
}

impl Joint<'_> {
    /// The cost of sample `i` with these scores.
    pub(super) fn sample_primal(&self, i: usize, scores: &[f64]) -> f64 {
        self.costs[i] * self.scheme.loss(scores, self.samples[i].1 as usize, |c| self.shares(i, c))
    }

    /// What the dual variables of sample `i` add to the dual objective, without their part in the weights.
    pub(super) fn sample_dual(&self, i: usize, alpha: &[f64]) -> f64 {
        let squares: f64 = if self.scheme.squared { alpha.iter().map(|a| a * a).sum() } else { 0.0 };
        alpha.iter().sum::<f64>() - 0.25 * squares / self.costs[i]
    }
}

/// A place among the classes that differs from sample to sample.
fn first(i: usize, classes: usize) -> u32 {
    (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20) as u32 % classes as u32
}

impl Kept {
    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        (size_of::<Kept>() + 4 * self.classes.capacity() + 8 * self.alpha.capacity()) as u64
    }

    /// How many dual variables are not 0.
    pub fn used(&self) -> usize {
        self.alpha.iter().filter(|a| **a > 0.0).count()
    }

    /// Whether the last visits changed nothing.
    pub fn is_idle(&self) -> bool {
        self.idle >= IDLE
    }

    /// Looks at these classes from now on; those it looked at keep their variables.
    fn look_at(&mut self, classes: &[u32]) {
        if self.classes == classes {
            return;
        }
        let mut old = self.classes.iter().zip(&self.alpha).peekable();
        let alpha = classes.iter().map(|class| {
            while old.next_if(|(known, _)| *known < class).is_some() {}
            old.next_if(|(known, _)| *known == class).map_or(0.0, |(_, a)| *a)
        });
        self.alpha = alpha.collect();
        self.classes = classes.to_vec();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Loss;
    use super::super::binary::Binary;
    use super::super::scheme::Multiclass;
    use super::*;
    use base::{Points, Seed};

    /// Two solvers that share no step: one problem for each class, and all classes sample by sample.
    #[test]
    fn one_vs_rest_is_the_same_class_by_class_and_sample_by_sample() {
        for case in 0..20 {
            let seed = Seed(case).fork("two solvers");
            let (n, d, k) = (20 + case as usize * 3, 1 + case as usize % 7, 3 + case as usize % 4);
            let values: Vec<f64> = (0..n * d).map(|i| seed.at(i).unit() - 0.5).collect();
            let labels: Vec<u32> = (0..n).map(|i| (seed.fork("label").at(i).unit() * k as f64) as u32).collect();
            let run = Run::quiet(case);
            let stored = super::super::samples::Rows::new(&Points::dense(values, n, d).unwrap(), 1.0, &run).unwrap();
            let rows = stored.samples();
            let costs: Vec<f64> = (0..n).map(|i| 0.2 + seed.fork("cost").at(i).unit()).collect();
            let stop = Stop { tolerance: 1e-9, gap: 0.0, epochs: 500_000 };
            for loss in [Loss::Hinge, Loss::SquaredHinge] {
                let samples: Vec<(u32, u32)> = (0..).zip(labels.iter().copied()).collect();
                let scheme = Multiclass::OneVsRest.scheme(1.0, loss);
                let joint = Joint {
                    rows: &rows,
                    samples: &samples,
                    sets: None,
                    costs: &costs,
                    classes: k,
                    scheme,
                    across: None,
                };
                let all = joint.solve(&stop, &Saved::NOTHING, &run).unwrap();
                let mut primal = 0.0;
                for class in 0..k {
                    let signs: Vec<f64> =
                        labels.iter().map(|&l| if l as usize == class { 1.0 } else { -1.0 }).collect();
                    let one = Binary { samples: &rows, signs: &signs, costs: &costs, loss }.solve(&stop, &run).unwrap();
                    primal += one.primal;
                    let mut own = vec![0.0; rows.width()];
                    for (j, own) in own.iter_mut().enumerate() {
                        all.store.each(j, |c, w| {
                            if c as usize == class {
                                *own = w
                            }
                        });
                    }
                    for (a, b) in own.iter().zip(&one.weights) {
                        assert!((a - b).abs() < 1e-6, "case {case}, {loss:?}, class {class}: {own:?}");
                    }
                }
                assert!((primal - all.primal).abs() < 1e-7 * primal, "case {case}: {primal} and {}", all.primal);
            }
        }
    }
}
