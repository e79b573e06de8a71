//! One-vs-rest for many classes that few rows have each, on sparse rows: thousands of labels of short texts.
//!
//! To a class of a dozen rows nearly all others are negatives that share little with it. The problem without any positive is the
//! same for all classes; it is solved once, and its dual variables and weights are where every class begins. A class then has
//! variables of its own only for its **own rows**: those that have it, and negatives that its weights bring near the margin.
//!
//! 1. The variables of the own rows are improved by dual coordinate descent (`lane.rs`).
//! 2. One pass scores all rows for sixteen classes side by side (`table.rs`) and finds the rows whose optimality conditions are
//!    violated by more than the class has room for; they become own rows.
//! 3. The room falls round by round to half of the tolerance; a class that finds no row then is optimal to the tolerance, and the
//!    next one takes its lane.
//!
//! The conditions hold for **all** rows and the optimum is that of `binary.rs`, to the tolerance. Chunks of [`CHUNK`] classes are
//! independent, so that threads change nothing. Scores of passes are in single precision: for tolerances from [`SINGLE`] on.
//!
//! **Cost.** Some four passes for a class, sixteen at a time, and some twenty epochs over the own rows. **Memory.** 64 bytes a feature twice and
//! the weights of sixteen classes for each thread, and the weights that are kept.

use super::finished::Finished;
use super::lane::Lane;
use super::order::Order;
use super::samples::Samples;
use super::working::Working;
use super::{Loss, Stop};
use base::{Hold, Progress, Result, Run, Sparse};
use numeric::SIXTEEN;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Tolerance from which on single precision will do.
pub(super) const SINGLE: f64 = 1e-3;
/// Classes from which on the common problem pays.
pub(super) const MANY: usize = 64;
/// Rows that every class begins with.
pub(super) const SAMPLE: usize = 512;
/// Epochs of a round before the last.
const ROUND: usize = 5;
/// Classes that one thread takes at a time.
const CHUNK: usize = 256;
/// The room of the first round, and by what it falls.
const ROOM: f64 = 0.4;
const FALL: f64 = 0.25;

/// The common problem of all classes.
pub(super) struct Rare<'a> {
    pub samples: &'a Samples<'a>,
    /// The rows without the constant feature.
    pub rows: &'a Sparse,
    /// Their values in single precision.
    pub values: Vec<f32>,
    /// C_i of each row where it is negative.
    pub costs: &'a [f64],
    /// What a class multiplies the costs of its rows by.
    pub factors: &'a [f64],
    /// The rows of each class.
    pub members: &'a [Vec<u32>],
    pub loss: Loss,
    /// Weights of smaller absolute value are left out.
    pub prune: f64,
    /// All rows as negatives. Its own rows are a sample that is every class's own from the beginning.
    pub common: Lane,
    _hold: Hold,
}

/// What a class ends with.
pub(super) struct RareClass {
    /// Weights that are not 0, features ascending; the constant one last.
    pub weights: Vec<(u32, f64)>,
    pub pruned: usize,
    pub primal: f64,
    pub dual: f64,
    pub epochs: usize,
    pub support: usize,
    pub converged: bool,
}

/// What a chunk of classes ends with.
struct Chunk {
    classes: Vec<RareClass>,
    interrupted: bool,
    /// Of the weights.
    hold: Hold,
}

/// The best score of each row so far, and its class; empty where nothing is pruned.
type Best = Vec<(f32, u32)>;

/// What all classes end with.
pub(super) struct RareSolved {
    pub classes: Vec<RareClass>,
    /// The class of the largest score of each row before pruning; empty where nothing is pruned.
    pub best: Vec<u32>,
    pub interrupted: bool,
    _holds: Vec<Hold>,
}

/// The classes of a problem: their rows, and what each counts.
pub(super) struct Members<'a> {
    /// The rows of each class.
    pub rows: &'a [Vec<u32>],
    /// What a class multiplies the costs of its rows by.
    pub factors: &'a [f64],
}

impl<'a> Rare<'a> {
    /// The common problem of these rows, solved.
    pub fn new(
        (samples, rows): (&'a Samples<'a>, &'a Sparse),
        costs: &'a [f64],
        members: Members<'a>,
        (loss, prune): (Loss, f64),
        stop: &Stop,
        run: &Run<'_>,
    ) -> Result<Self> {
        let (n, width) = (samples.len(), samples.width());
        let bytes = 4 * rows.values().len() + 28 * n + 12 * width;
        let hold = run.memory.take(bytes as u64, "rows in single precision")?;
        let Members { rows: members, factors } = members;
        let nobody = || Lane::new(members.len(), vec![0.0; width], 0.0);
        let mut problem = Rare {
            samples,
            rows,
            values: rows.values().iter().map(|&x| x as f32).collect(),
            costs,
            factors,
            members,
            loss,
            prune,
            common: nobody(),
            _hold: hold,
        };
        let mut common = nobody();
        let mut order = Order::new(n, run.seed.fork("sample").stream());
        order.shuffle();
        let mut joining = order.all()[..n.min(SAMPLE)].to_vec();
        while !joining.is_empty() {
            let mut known = vec![false; n];
            joining.drain(..).for_each(|row| common.join(&problem, row, false, 0.0));
            common.own.iter().for_each(|own| known[own.row as usize] = true);
            common.solve(&problem, 0.25 * stop.tolerance, stop.epochs, run)?;
            let near = |i: &u32| samples.dot(*i as usize, &common.weights) > 0.25 * stop.tolerance - 1.0;
            joining.extend((0..n as u32).filter(|i| !known[*i as usize] && near(i)));
        }
        let there = |j: &u32| common.weights[*j as usize] != 0.0;
        common.touched = (0..samples.columns() as u32).filter(there).collect();
        problem.common = common;
        Ok(problem)
    }

    /// Solves all classes.
    pub fn solve(&self, stop: &Stop, run: &Run<'_>) -> Result<RareSolved> {
        let judged = if self.prune > 0.0 { self.samples.len() } else { 0 };
        let _hold = run.memory.take_for::<(f32, u32)>(judged, "best scores")?;
        let best = Mutex::new(vec![(f32::NEG_INFINITY, u32::MAX); judged]);
        // Where time is up the chunks to come give the common weights; cancelling is heard within each.
        let chunks = numeric::each(&run.finishing(), self.members.len().div_ceil(CHUNK), |chunk| {
            let (chunk, own) = self.chunk(chunk * CHUNK..self.members.len().min((chunk + 1) * CHUNK), stop, run)?;
            // The largest score and the first of its classes, in whatever order chunks end.
            let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
            let better = |(a, b): &(&mut (f32, u32), (f32, u32))| b.0 > a.0 || (b.0 == a.0 && b.1 < a.1);
            best.iter_mut().zip(own).filter(better).for_each(|(a, b)| *a = b);
            Ok(chunk)
        })?;
        let interrupted = chunks.iter().any(|c| c.interrupted);
        let best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
        let best = best.into_iter().map(|(_, class)| class).collect();
        let (classes, holds) = chunks.into_iter().map(|c| (c.classes, c.hold)).unzip::<_, _, Vec<_>, Vec<_>>();
        Ok(RareSolved { classes: classes.into_iter().flatten().collect(), best, interrupted, _holds: holds })
    }

    /// What a class multiplies the costs of its rows by.
    pub fn factor(&self, class: usize) -> f64 {
        self.factors.get(class).copied().unwrap_or(1.0)
    }

    /// Solves some of the classes, sixteen at a time.
    fn chunk(&self, classes: Range<usize>, stop: &Stop, run: &Run<'_>) -> Result<(Chunk, Best)> {
        let fixed = 2 * Working::bytes(self);
        let mut hold = run.memory.take(fixed, "weights of sixteen classes")?;
        let mut kept = run.memory.take(0, "weights that are kept")?;
        let last = 0.5 * stop.tolerance;
        let mut waiting = classes.clone();
        let (mut working, mut finished) = (Working::new(self), Finished::new(self));
        let mut interrupted = false;
        loop {
            for lane in 0..SIXTEEN {
                if working.lanes[lane].is_none()
                    && let Some(class) = waiting.next()
                {
                    working.begin(self, lane, class, ROOM.max(last));
                }
            }
            if working.lanes.iter().all(Option::is_none) {
                break;
            }
            let done = (classes.start + finished.len()) as u64;
            interrupted = interrupted || run.step(&Progress::of("class", done, self.members.len() as u64))?;
            for lane in 0..SIXTEEN {
                if let Some(one) = &mut working.lanes[lane]
                    && !interrupted
                {
                    // Until the last round the rows to come matter more than the variables of those that are here.
                    let most = if one.room > last { ROUND } else { usize::MAX };
                    let left = stop.epochs.saturating_sub(one.epochs);
                    let near = one.solve(self, one.room, left.min(most), run)?;
                    one.converged = near || left > most;
                }
                working.show(self, lane);
            }
            let joined = if interrupted { [0; SIXTEEN] } else { working.join(self, run)? };
            for (lane, joined) in joined.into_iter().enumerate() {
                let Some(one) = &mut working.lanes[lane] else { continue };
                one.converged &= !interrupted;
                if !one.converged || (joined == 0 && one.room <= last) {
                    if let Some(one) = working.end(self, lane) {
                        finished.take(self, one, run)?;
                    }
                } else {
                    one.room = (one.room * FALL).max(last);
                }
            }
            let own: u64 = working.lanes.iter().flatten().map(Lane::bytes).sum();
            if fixed + own > hold.bytes() {
                hold.resize(fixed + own, "rows of sixteen classes")?;
            }
            kept.resize(finished.bytes(), "weights that are kept")?;
        }
        finished.judge(self, run)?;
        kept.resize(finished.bytes(), "weights that are kept")?;
        finished.classes.sort_by_key(|(class, _)| *class);
        kept.resize(finished.kept_bytes(), "weights that are kept")?;
        let classes = finished.classes.into_iter().map(|(_, one)| one).collect();
        Ok((Chunk { classes, interrupted, hold: kept }, finished.best))
    }
}
