//! One class against the rest while it is learned from few of the rows: those whose dual variables are its own.
//!
//! The variables of all other rows stay at those of a common problem; `rare.rs` says which rows join. Steps are those of
//! `binary.rs`. **Cost.** epochs · entries of the own rows.

use super::Loss;
use super::order::Order;
use super::rare::Rare;
use base::{Result, Run};

/// A row with a dual variable of its own, and what a visit needs of it.
pub(super) struct Own {
    pub row: u32,
    sign: f64,
    cost: f64,
    /// ‖x‖² and what the loss adds to it.
    curvature: f64,
    pub alpha: f64,
}

/// A class with its own rows and the weights of all.
pub(super) struct Lane {
    pub class: usize,
    /// The own rows; those of the class come first.
    pub own: Vec<Own>,
    pub weights: Vec<f64>,
    /// Features whose weights may differ from the common ones, in the order in which they came.
    pub touched: Vec<u32>,
    pub epochs: usize,
    rounds: usize,
    /// How far rows may violate their conditions before they join.
    pub room: f64,
    pub converged: bool,
}

impl Lane {
    /// A class without own rows, at these weights.
    pub fn new(class: usize, weights: Vec<f64>, room: f64) -> Self {
        Lane { class, own: vec![], weights, touched: vec![], epochs: 0, rounds: 0, room, converged: true }
    }

    /// A row gets a variable of its own.
    pub fn join(&mut self, problem: &Rare<'_>, row: u32, positive: bool, alpha: f64) {
        let i = row as usize;
        let (sign, factor) = if positive { (1.0, problem.factor(self.class)) } else { (-1.0, 1.0) };
        let cost = problem.costs[i] * factor;
        let curvature = problem.samples.norms[i] + diagonal(problem.loss, cost);
        self.own.push(Own { row, sign, cost, curvature, alpha });
    }

    /// Improves the variables of the own rows until their projected gradients are within `tolerance` of one another, or for
    /// so many epochs. Answers with whether they are.
    pub fn solve(&mut self, problem: &Rare<'_>, tolerance: f64, epochs: usize, run: &Run<'_>) -> Result<bool> {
        let seed = run.seed.fork("order").at(self.class).at(self.rounds);
        self.rounds += 1;
        let mut order = Order::new(self.own.len(), seed.stream());
        let everywhere = (f64::INFINITY, f64::NEG_INFINITY);
        let mut bounds = everywhere;
        for _ in 0..epochs {
            run.check()?;
            order.shuffle();
            let (most, least) = self.epoch(problem, &mut order, bounds);
            self.epochs += 1;
            bounds =
                (if most <= 0.0 { f64::INFINITY } else { most }, if least >= 0.0 { f64::NEG_INFINITY } else { least });
            if most - least <= tolerance {
                if order.complete() {
                    return Ok(true);
                }
                order.restore();
                bounds = everywhere;
            }
        }
        Ok(false)
    }

    /// Visits the active own rows once; answers with the largest and the smallest projected gradient.
    fn epoch(&mut self, problem: &Rare<'_>, order: &mut Order<impl rand::Rng>, bounds: (f64, f64)) -> (f64, f64) {
        let squared = problem.loss == Loss::SquaredHinge;
        let (mut most, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
        let Lane { own, weights, .. } = self;
        let (columns, bias) = (problem.samples.columns(), problem.samples.bias());
        let (starts, all_ids, all_values) = (problem.rows.starts(), problem.rows.ids(), problem.rows.values());
        let mut place = 0;
        while place < order.active() {
            let one = &mut own[order.at(place)];
            let (alpha, limit) = (one.alpha, if squared { f64::INFINITY } else { one.cost });
            let entries = starts[one.row as usize]..starts[one.row as usize + 1];
            let (ids, values) = (&all_ids[entries.clone()], &all_values[entries]);
            let mut score = bias * weights[columns];
            ids.iter().zip(values).for_each(|(&j, x)| score += x * weights[j as usize]);
            let g = one.sign * score - 1.0 + alpha * diagonal(problem.loss, one.cost);
            let (low, high) = (alpha <= 0.0, alpha >= limit);
            if (low && g > bounds.0) || (high && g < bounds.1) {
                order.leave_out(place);
                continue;
            }
            place += 1;
            let projected = if (low && g > 0.0) || (high && g < 0.0) { 0.0 } else { g };
            (most, least) = (most.max(projected), least.min(projected));
            let new = (alpha - g / one.curvature).clamp(0.0, limit);
            if new != alpha {
                one.alpha = new;
                let step = one.sign * (new - alpha);
                ids.iter().zip(values).for_each(|(&j, x)| weights[j as usize] += step * x);
                weights[columns] += step * bias;
            }
        }
        (most, least)
    }

    /// What the own rows add to the dual objective.
    pub fn conjugates(&self, problem: &Rare<'_>) -> f64 {
        self.own.iter().map(|one| problem.loss.conjugate(one.alpha, 0.0, one.cost)).sum()
    }

    /// How much more the rows of the class cost than if they did not have it.
    pub fn positive_loss(&self, problem: &Rare<'_>) -> f64 {
        let more = |one: &Own| {
            let score = problem.samples.dot(one.row as usize, &self.weights);
            one.cost * problem.loss.of(score) - problem.costs[one.row as usize] * problem.loss.of(-score)
        };
        self.own.iter().take_while(|one| one.sign > 0.0).map(more).sum()
    }

    /// How many variables are not 0.
    pub fn support(&self) -> usize {
        self.own.iter().filter(|one| one.alpha > 0.0).count()
    }

    /// Bytes that grow with the own rows.
    pub fn bytes(&self) -> u64 {
        (self.own.capacity() * size_of::<Own>() + 4 * self.touched.capacity()) as u64
    }
}

/// What the squared hinge adds to the curvature.
fn diagonal(loss: Loss, cost: f64) -> f64 {
    if loss == Loss::SquaredHinge { 0.5 / cost } else { 0.0 }
}
