//! One of very many small problems, over kernel values that were all computed beforehand.
//!
//! Two thousand classes of two rows make two million problems of four coordinates. What matters there is not the
//! arithmetic but everything around it: nothing is fetched, kept or locked here. A problem is gathered into a small
//! square, solved by pairs of coordinates ([`crate::pair`]) and judged as any other.

use crate::pair::{Working, WorkingRows};
use crate::solve::{Problem, Solution, Until, edges, gap, thresholds};
use base::{Result, Run};
use numeric::Real;

/// The values among the coordinates of a problem.
struct Square<T>(Vec<Vec<T>>);

impl<T: Real> WorkingRows<T> for Square<T> {
    fn ready(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    fn row(&self, i: usize) -> &[T] {
        &self.0[i]
    }
}

/// Solves a problem whose columns are these rows of `whole`; products are left out.
pub(crate) fn solve_small<T: Real>(
    whole: &[Vec<T>],
    diagonal: &[f64],
    columns: &[u32],
    problem: &Problem,
    until: Until,
    run: &Run<'_>,
) -> Result<Solution> {
    let ids: Vec<usize> = problem.which.iter().map(|&w| columns[w as usize] as usize).collect();
    let mut square = Square(ids.iter().map(|&i| ids.iter().map(|&j| whole[i][j]).collect()).collect());
    let count = ids.len();
    let slopes = |beta: &[f64], square: &Square<T>| -> Vec<f64> {
        let product = |row: &Vec<T>| row.iter().zip(beta).map(|(k, b)| k.wide() * b).sum::<f64>();
        square.0.iter().zip(&problem.linear).map(|(row, c)| product(row) + c).collect()
    };
    let gradient = slopes(&problem.start, &square);
    let mut working = Working {
        beta: problem.start.clone(),
        low: problem.low.clone(),
        high: problem.high.clone(),
        gradient,
        diagonal: ids.iter().map(|&i| diagonal[i]).collect(),
        split: problem.split,
    };
    let mut steps = 0;
    let (violation, interrupted) = loop {
        let left = working.solve(&mut square, until.tolerance, until.steps - steps, run)?;
        steps += left.steps;
        // By definition, not by what was added up on the way.
        working.gradient = slopes(&working.beta, &square);
        let edges = edges(problem, &working.beta, &working.gradient);
        let violation = edges.iter().map(|(least, most)| most - least).fold(0.0, f64::max);
        if violation <= until.tolerance || left.interrupted || steps >= until.steps || left.steps == 0 {
            break (violation, left.interrupted);
        }
    };
    let converged = violation <= until.tolerance;
    let (beta, gradient) = (working.beta, working.gradient);
    let thresholds = thresholds(problem, &beta, &gradient);
    Ok(Solution {
        products: vec![],
        thresholds,
        objective: 0.5 * (0..count).map(|v| beta[v] * (gradient[v] + problem.linear[v])).sum::<f64>(),
        energy: 0.5 * beta.iter().zip(&working.diagonal).map(|(b, k)| b * b * k).sum::<f64>(),
        gap: gap(problem, &beta, &gradient, thresholds),
        beta,
        violation,
        steps,
        converged,
        interrupted: interrupted && !converged,
    })
}
