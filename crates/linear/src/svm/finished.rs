//! Classes that are optimal: their objectives over all rows, the best score of each row, and the weights that are kept.
//!
//! Sixteen wait for one another, so that a last pass over the rows serves them all.

use super::Loss;
use super::lane::Lane;
use super::rare::{Rare, RareClass};
use super::table::Table;
use base::{Result, Run};
use numeric::SIXTEEN;

/// Classes that are learned.
pub(super) struct Finished {
    table: Table,
    /// Those that wait for the pass.
    lanes: Vec<Lane>,
    /// With their numbers.
    pub classes: Vec<(usize, RareClass)>,
    /// The best score of each row and its class; empty where nothing is pruned.
    pub best: Vec<(f32, u32)>,
    /// Weights of all classes.
    kept: usize,
}

impl Finished {
    /// None yet.
    pub fn new(problem: &Rare<'_>) -> Self {
        let judged = if problem.prune > 0.0 { problem.samples.len() } else { 0 };
        let best = vec![(f32::NEG_INFINITY, 0); judged];
        Finished { table: Table::new(problem), lanes: vec![], classes: vec![], best, kept: 0 }
    }

    /// How many classes.
    pub fn len(&self) -> usize {
        self.classes.len() + self.lanes.len()
    }

    /// Bytes of what is kept.
    pub fn bytes(&self) -> u64 {
        let waiting: u64 = self.lanes.iter().map(|one| one.bytes() + 8 * one.weights.len() as u64).sum();
        waiting + 8 * self.best.len() as u64 + self.kept_bytes()
    }

    /// Bytes of the weights.
    pub fn kept_bytes(&self) -> u64 {
        16 * self.kept as u64
    }

    /// Takes a class.
    pub fn take(&mut self, problem: &Rare<'_>, one: Lane, run: &Run<'_>) -> Result<()> {
        self.lanes.push(one);
        if self.lanes.len() == SIXTEEN { self.judge(problem, run) } else { Ok(()) }
    }

    /// The pass for the classes that wait.
    pub fn judge(&mut self, problem: &Rare<'_>, run: &Run<'_>) -> Result<()> {
        let Finished { table, lanes, best, .. } = self;
        for (lane, one) in lanes.iter().enumerate() {
            table.set(problem, lane, &one.touched, &one.weights);
        }
        let mut losses = [0.0f64; SIXTEEN];
        let squared = problem.loss == Loss::SquaredHinge;
        table.pass(problem, &run.finishing(), |start, scores| {
            // A block is added up in single precision, the blocks in double.
            let mut sums = [0.0f32; SIXTEEN];
            for (scores, &cost) in scores.iter().zip(&problem.costs[start..]) {
                for (sum, s) in sums.iter_mut().zip(scores) {
                    let violation = (1.0 + s).max(0.0);
                    *sum += cost as f32 * if squared { violation * violation } else { violation };
                }
            }
            losses.iter_mut().zip(sums).for_each(|(all, sum)| *all += f64::from(sum));
            for (best, scores) in best.iter_mut().skip(start).zip(scores) {
                for (one, &s) in lanes.iter().zip(scores) {
                    let class = one.class as u32;
                    if s > best.0 || (s == best.0 && class < best.1) {
                        *best = (s, class);
                    }
                }
            }
        })?;
        for (lane, (one, loss)) in lanes.drain(..).zip(losses).enumerate() {
            table.set(problem, lane, &one.touched, &problem.common.weights);
            let class = ended(problem, &one, loss);
            self.kept += class.weights.len();
            self.classes.push((one.class, class));
        }
        Ok(())
    }
}

/// What is kept of a class, whose rows cost `loss` if all are negatives.
fn ended(problem: &Rare<'_>, one: &Lane, loss: f64) -> RareClass {
    let columns = problem.samples.columns();
    let mut features = one.touched.clone();
    features.sort_unstable();
    let weight = |j: u32| (j, one.weights[j as usize]);
    let all = features.into_iter().map(weight).filter(|(_, w)| *w != 0.0);
    let (mut squares, mut pruned, mut weights) = (0.0, 0, vec![]);
    for (j, w) in all {
        squares += w * w;
        match w.abs() >= problem.prune {
            true => weights.push((j, w)),
            false => pruned += 1,
        }
    }
    if let Some(&w) = one.weights.get(columns) {
        squares += w * w;
        weights.push((columns as u32, w));
    }
    weights.shrink_to_fit();
    RareClass {
        weights,
        pruned,
        primal: 0.5 * squares + loss + one.positive_loss(problem),
        dual: one.conjugates(problem) - 0.5 * squares,
        epochs: one.epochs,
        support: one.support(),
        converged: one.converged,
    }
}
