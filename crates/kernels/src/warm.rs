//! Warm starts: the coefficients of an earlier machine, of the same rows, as a first feasible point.
//!
//! A path over C, or a fit that goes on, begins where the last one ended. Coefficients are scaled by one factor until
//! all lie within their bounds, which keeps their sum.

use crate::classes::{Sorted, Task};
use crate::expansion::{Decisions, Expansion};
use crate::solve::Problem;
use base::{Error, Machine, Record, Result};
use std::collections::HashMap;

/// An earlier machine and where its centres stood.
pub(crate) struct Warm {
    machine: Expansion,
    places: HashMap<usize, usize>,
}

impl Warm {
    /// Takes the record of an earlier machine that was fitted on as many rows.
    pub fn read(record: &Record, rows: usize) -> Result<Self> {
        let machine = Expansion::read(record)?;
        let places: HashMap<usize, usize> = match machine.rows() {
            Some(rows) => {
                rows.iter().enumerate().map(|(j, &r)| (usize::try_from(r).unwrap_or(usize::MAX), j)).collect()
            }
            None => HashMap::new(),
        };
        match places.keys().all(|&r| r < rows) {
            true => Ok(Warm { machine, places }),
            false => Err(Error::size("rows of the machine to start from", format!("at most {rows}"), "more")),
        }
    }

    /// Fills in the start of a problem.
    pub fn start(&self, task: Task, sorted: &Sorted, problem: &mut Problem) {
        let classes = self.machine.outputs().names.len();
        let slot = |sign: f64| match (task, self.machine.reading()) {
            (Task::Pair(a, b), Decisions::Pairs) if b < classes => Some(if sign > 0.0 { b - 1 } else { a }),
            (Task::Rest(c), Decisions::Rest) if c < classes => Some(c),
            _ => None,
        };
        let width = self.machine.width();
        for (v, (i, sign)) in task.rows(sorted).into_iter().enumerate() {
            if let (Some(slot), Some(&j)) = (slot(sign), self.places.get(&sorted.order[i])) {
                problem.start[v] = self.machine.coefficients()[j * width + slot];
            }
        }
        fit_in(problem);
    }
}

/// Scales a start whose sum is 0 into its box; one that cannot be is left out.
fn fit_in(problem: &mut Problem) {
    let mut factor = 1.0f64;
    for (v, &beta) in problem.start.iter().enumerate() {
        if beta > problem.high[v] {
            factor = factor.min(problem.high[v] / beta);
        } else if beta < problem.low[v] {
            factor = factor.min(problem.low[v] / beta);
        }
    }
    let size: f64 = problem.start.iter().map(|b| b.abs()).sum();
    let sum: f64 = problem.start.iter().sum();
    if !(factor > 0.0 && sum.abs() <= 1e-9 * size) {
        problem.start.fill(0.0);
        return;
    }
    for (v, beta) in problem.start.iter_mut().enumerate() {
        *beta = (*beta * factor).clamp(problem.low[v], problem.high[v]);
    }
}
