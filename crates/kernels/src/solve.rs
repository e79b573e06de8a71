//! The quadratic problem behind all support vector machines, solved on working sets with the gradient of all kept exact.
//!
//! Minimises ½ βᵀKβ + cᵀβ over low ≤ β ≤ high with Σβ fixed (for two groups, if there are two: the ν-machines). It knows
//! rows of K only. A round chooses coordinates that violate the optimality conditions (the worst, some others, and those
//! that moved last), solves among them ([`crate::pair`]), and brings the gradient of all coordinates up to date by rows of
//! those that moved, fetched in blocks. What is left out of a working set is thus shrunk away but checked again in every
//! round.
//!
//! **Certificate.** With the gradient g and any threshold b, no feasible point is lower by more than
//! Σ max over v in [low, high] of (g + b)(β − v): for support vector machines this is the duality gap.
//!
//! **Cost.** Rows of K for the coordinates that ever moved; two passes over a working set for each of between n and n²
//! steps. **Ends** when the largest violation is within the tolerance, steps or time are over.

use crate::function::Digits;
use crate::pair::{Working, WorkingRows};
use crate::rows::{Piece, Rows};
use crate::small::solve_small;
use base::{Error, Hold, Progress, Result, Run};
use numeric::{Real, each_chunk_mut};
use std::ops::Range;

/// Coordinates solved together, at first and at most: three times what moved last.
const WORKING: (usize, usize) = (1024, 4096);
/// Rows that bring the gradient up to date in one go.
const BATCH: usize = 512;
/// Coordinates of a problem that is solved on the spot where all kernel values are there.
const SMALL: usize = 256;

/// A problem over some segments of the columns of K.
pub(crate) struct Problem {
    /// The segments of columns it is about.
    pub segments: Vec<usize>,
    /// For each coordinate its place among these columns.
    pub which: Vec<u32>,
    /// c.
    pub linear: Vec<f64>,
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    /// A feasible point, whose sums are kept.
    pub start: Vec<f64>,
    /// Coordinates before it and from it on each keep their sum; the number of coordinates if there is one sum.
    pub split: usize,
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until {
    /// Largest violation of the optimality conditions.
    pub tolerance: f64,
    /// Steps at most.
    pub steps: u64,
}

/// An answer with what it says of itself.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    pub beta: Vec<f64>,
    /// Kβ for every column of the segments.
    pub products: Vec<f64>,
    /// −b for each group: the gradient of coordinates between their bounds.
    pub thresholds: [f64; 2],
    pub objective: f64,
    /// ½ Σ β² K_vv, what the quadratic part would be if rows had nothing to do with one another.
    pub energy: f64,
    /// No feasible point is lower by more, if K is positive semi-definite.
    pub gap: f64,
    /// The largest violation.
    pub violation: f64,
    pub steps: u64,
    pub converged: bool,
    pub interrupted: bool,
}

impl Solution {
    /// Of a problem of so many coordinates that was stopped before it was begun; how far it is from its optimum is not known.
    pub fn untouched(count: usize) -> Self {
        Solution {
            beta: vec![0.0; count],
            products: vec![0.0; count],
            thresholds: [0.0; 2],
            objective: 0.0,
            energy: 0.0,
            gap: f64::INFINITY,
            violation: 1.0,
            steps: 0,
            converged: false,
            interrupted: true,
        }
    }
}

/// Solves a problem.
pub(crate) fn solve<T: Digits>(rows: &Rows<T>, problem: &Problem, until: Until, run: &Run<'_>) -> Result<Solution> {
    let columns: Vec<u32> = problem.segments.iter().flat_map(|&s| rows.segment(s)).map(|c| c as u32).collect();
    let count = problem.which.len();
    if let Some(whole) = rows.whole().filter(|_| count <= SMALL) {
        return solve_small(whole, rows.diagonal(), &columns, problem, until, run);
    }
    let mut beta = problem.start.clone();
    let mut products = vec![0.0; columns.len()];
    let started: Vec<(u32, f64)> =
        (0..count).filter(|&v| beta[v] != 0.0).map(|v| (problem.which[v], beta[v])).collect();
    add_products(rows, problem, &columns, &merged(started), &mut products, run)?;
    let mut gradient = vec![0.0; count];
    let (mut steps, mut interrupted) = (0, false);
    // Whether most of a working set moves, so that its rows are needed whole anyway.
    let mut most_move = false;
    let mut working_size = WORKING.0;
    // What moved last: it must be able to answer to what moves next, or both would overshoot in turn.
    let mut recent: Vec<u32> = vec![];
    let mut violation;
    loop {
        for (v, g) in gradient.iter_mut().enumerate() {
            *g = products[problem.which[v] as usize] + problem.linear[v];
        }
        let edges = edges(problem, &beta, &gradient);
        violation = edges.iter().map(|(least, most)| most - least).fold(0.0, f64::max);
        let progress = Progress { stage: "solve", done: steps, total: None, value: Some(violation) };
        interrupted |= run.step(&progress)?;
        if violation <= until.tolerance || interrupted || steps >= until.steps {
            break;
        }
        let chosen = choose(problem, &beta, &gradient, &edges, until.tolerance, (working_size, &recent, steps as u32));
        let before: Vec<f64> = chosen.iter().map(|&v| beta[v as usize]).collect();
        let pick = |from: &[f64]| chosen.iter().map(|&v| from[v as usize]).collect::<Vec<f64>>();
        let mut working = Working {
            beta: before.clone(),
            low: pick(&problem.low),
            high: pick(&problem.high),
            gradient: pick(&gradient),
            diagonal: chosen
                .iter()
                .map(|&v| rows.diagonal()[columns[problem.which[v as usize] as usize] as usize])
                .collect(),
            split: chosen.partition_point(|&v| (v as usize) < problem.split),
        };
        let ready = || {
            if most_move && rows.holds(chosen.len()) {
                let ids: Vec<u32> = chosen.iter().map(|&v| columns[problem.which[v as usize] as usize]).collect();
                for &segment in &problem.segments {
                    rows.fetch(&ids, segment, run)?;
                }
            }
            Local::new(rows, problem, &columns, &chosen, run)
        };
        let mut local = match ready() {
            // The point reached before is whole, and is kept.
            Err(Error::Stopped { .. }) => {
                interrupted = true;
                break;
            }
            other => other?,
        };
        // Exact where nothing is left out; else the rest will move things anyway, and what is left of many small
        // violations would add up to a wide gap.
        let tolerance =
            if chosen.len() == count { until.tolerance } else { (0.25 * until.tolerance).max(0.1 * violation) };
        let left = working.solve(&mut local, tolerance, until.steps - steps, run)?;
        drop(local);
        steps += left.steps;
        interrupted |= left.interrupted;
        let moved = chosen.iter().zip(&before).zip(&working.beta).filter(|((_, b), a)| a != b);
        let moved: Vec<(u32, f64)> = moved.map(|((&v, b), a)| (problem.which[v as usize], a - b)).collect();
        most_move = 2 * moved.len() > chosen.len();
        working_size = (3 * moved.len()).clamp(WORKING.0, WORKING.1);
        let latest = chosen.iter().zip(&working.beta).filter(|(v, b)| beta[**v as usize] != **b).map(|(v, _)| *v);
        let latest: Vec<u32> = latest.chain(recent).take(WORKING.1).collect();
        recent = latest;
        let mut next = products.clone();
        match add_products(rows, problem, &columns, &merged(moved), &mut next, run) {
            // Coefficients and products must belong together: those of the round before do.
            Err(Error::Stopped { .. }) => {
                interrupted = true;
                break;
            }
            other => other?,
        }
        products = next;
        chosen.iter().zip(&working.beta).for_each(|(&v, &b)| beta[v as usize] = b);
        if left.steps == 0 && !interrupted {
            // Rounding alone is left of the violation.
            break;
        }
    }
    let converged = violation <= until.tolerance;
    let thresholds = thresholds(problem, &beta, &gradient);
    let objective = 0.5 * (0..count).map(|v| beta[v] * (gradient[v] + problem.linear[v])).sum::<f64>();
    let own = |v: usize| rows.diagonal()[columns[problem.which[v] as usize] as usize];
    let energy = 0.5 * (0..count).map(|v| beta[v] * beta[v] * own(v)).sum::<f64>();
    let gap = gap(problem, &beta, &gradient, thresholds);
    let interrupted = interrupted && !converged;
    Ok(Solution { beta, products, thresholds, objective, energy, gap, violation, steps, converged, interrupted })
}

/// Coordinates that share a column count once, in the order of columns; what cancels falls away.
fn merged(mut moved: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    moved.sort_by_key(|m| m.0);
    moved.dedup_by(|b, a| {
        let same = a.0 == b.0;
        if same {
            a.1 += b.1;
        }
        same
    });
    moved.retain(|m| m.1 != 0.0);
    moved
}

/// products += Σ change · row, over all columns of the problem.
fn add_products<T: Digits>(
    rows: &Rows<T>,
    problem: &Problem,
    columns: &[u32],
    moved: &[(u32, f64)],
    products: &mut [f64],
    run: &Run<'_>,
) -> Result<()> {
    for batch in moved.chunks(BATCH) {
        let ids: Vec<u32> = batch.iter().map(|m| columns[m.0 as usize]).collect();
        let mut rest = &mut *products;
        for &segment in &problem.segments {
            let (own, after) = rest.split_at_mut(rows.segment(segment).len());
            rest = after;
            let pieces = rows.fetch(&ids, segment, run)?;
            each_chunk_mut(run, own, rows.width(), |tile, part| {
                let lines: Vec<(f64, &[T])> = pieces.iter().zip(batch).map(|(p, m)| (m.1, p.tile(tile))).collect();
                T::add_rows(part, &lines);
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// For each group the smallest gradient of what may grow and the largest of what may shrink.
pub(crate) fn edges(problem: &Problem, beta: &[f64], gradient: &[f64]) -> [(f64, f64); 2] {
    let mut edges = [(f64::INFINITY, f64::NEG_INFINITY); 2];
    for v in 0..beta.len() {
        let (least, most) = &mut edges[usize::from(v >= problem.split)];
        if beta[v] < problem.high[v] {
            *least = least.min(gradient[v]);
        }
        if beta[v] > problem.low[v] {
            *most = most.max(gradient[v]);
        }
    }
    // A group where nothing may move violates nothing.
    edges.map(|(least, most)| if least.is_finite() && most.is_finite() { (least, most) } else { (0.0, 0.0) })
}

/// A working set, ascending: coordinates that violate most, as many of those to grow as of those to shrink; some that
/// violate at all; and up to half of the set those that moved last.
fn choose(
    problem: &Problem,
    beta: &[f64],
    gradient: &[f64],
    edges: &[(f64, f64); 2],
    tolerance: f64,
    (size, recent, salt): (usize, &[u32], u32),
) -> Vec<u32> {
    let count = beta.len();
    if count <= WORKING.0 {
        return (0..count as u32).collect();
    }
    let edge = |v: usize| edges[usize::from(v >= problem.split)];
    // Among equals an order that has nothing to do with that of the rows, which may be sorted by anything.
    let mixed = |v: u32| v.wrapping_mul(0x9E37_79B1).rotate_left(16).wrapping_mul(0x85EB_CA6B);
    let ranked = |score: &dyn Fn(usize) -> f64| {
        let all = (0..count).map(|v| (score(v), v as u32)).filter(|s| s.0 > 0.5 * tolerance);
        let mut all: Vec<(f64, u32)> = all.collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(mixed(a.1).cmp(&mixed(b.1)));
        if all.len() > size {
            all.select_nth_unstable_by(size, order);
            all.truncate(size);
        }
        all.sort_unstable_by(order);
        all
    };
    let growing = ranked(&|v| if beta[v] < problem.high[v] { edge(v).1 - gradient[v] } else { 0.0 });
    let shrinking = ranked(&|v| if beta[v] > problem.low[v] { gradient[v] - edge(v).0 } else { 0.0 });
    let mut taken = vec![false; count];
    let mut chosen = Vec::with_capacity(size);
    let mut take = |v: u32| {
        if chosen.len() < size && !std::mem::replace(&mut taken[v as usize], true) {
            chosen.push(v);
        }
    };
    let most = growing.len().max(shrinking.len());
    let (first, rest) = (0..most.min(size / 8), most.min(size / 8)..most);
    for k in first {
        growing.get(k).into_iter().for_each(|s| take(s.1));
        shrinking.get(k).into_iter().for_each(|s| take(s.1));
    }
    // The worst are often alike, and what settles one settles all: others speak for the rest.
    let middle = thresholds(problem, beta, gradient);
    let wrong = |v: usize| {
        let residual = gradient[v] - middle[usize::from(v >= problem.split)];
        (residual < -tolerance && beta[v] < problem.high[v]) || (residual > tolerance && beta[v] > problem.low[v])
    };
    let mut others: Vec<u32> = (0..count).filter(|&v| wrong(v)).map(|v| v as u32).collect();
    others.sort_unstable_by_key(|&v| mixed(v ^ salt));
    others.iter().take(size / 4).for_each(|&v| take(v));
    recent.iter().take(size / 2).for_each(|&v| take(v));
    for k in rest {
        growing.get(k).into_iter().for_each(|s| take(s.1));
        shrinking.get(k).into_iter().for_each(|s| take(s.1));
    }
    // What lies between its bounds will have to give way.
    (0..count).filter(|&v| beta[v] > problem.low[v] && beta[v] < problem.high[v]).for_each(|v| take(v as u32));
    chosen.sort_unstable();
    chosen
}

/// For each group the mean gradient between the bounds, or the middle of what the others allow.
pub(crate) fn thresholds(problem: &Problem, beta: &[f64], gradient: &[f64]) -> [f64; 2] {
    let mut out = [0.0; 2];
    for (group, out) in out.iter_mut().enumerate() {
        let (mut sum, mut free) = (0.0, 0.0);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in (0..beta.len()).filter(|&v| usize::from(v >= problem.split) == group) {
            let (grows, shrinks) = (beta[v] < problem.high[v], beta[v] > problem.low[v]);
            if grows && shrinks {
                sum += gradient[v];
                free += 1.0;
            } else if grows {
                least = least.min(gradient[v]);
            } else if shrinks {
                most = most.max(gradient[v]);
            }
        }
        *out = match (free > 0.0, least.is_finite(), most.is_finite()) {
            (true, ..) => sum / free,
            (_, true, true) => 0.5 * (least + most),
            (_, true, false) => least,
            (_, false, true) => most,
            _ => 0.0,
        };
    }
    out
}

/// How much lower any feasible point can be, at most.
pub(crate) fn gap(problem: &Problem, beta: &[f64], gradient: &[f64], thresholds: [f64; 2]) -> f64 {
    let one = |v: usize| {
        let residual = gradient[v] - thresholds[usize::from(v >= problem.split)];
        residual * (beta[v] - if residual > 0.0 { problem.low[v] } else { problem.high[v] })
    };
    (0..beta.len()).map(one).sum()
}

/// Rows among a working set: gathered from pieces that are kept, or computed at the start.
struct Local<T> {
    /// Row by row; empty until it is needed.
    rows: Vec<Vec<T>>,
    /// For each row its pieces, a piece a segment; empty if the row was computed.
    pieces: Vec<Vec<Piece<T>>>,
    /// Stretches of coordinates in one tile of one segment, and the place of each coordinate in its tile.
    stretches: Vec<(usize, usize, Range<usize>)>,
    places: Vec<u32>,
    _hold: Hold,
}

impl<T: Digits> Local<T> {
    fn new(rows: &Rows<T>, problem: &Problem, columns: &[u32], chosen: &[u32], run: &Run<'_>) -> Result<Self> {
        let ids: Vec<u32> = chosen.iter().map(|&v| columns[problem.which[v as usize] as usize]).collect();
        let hold = run.memory.take_for::<T>(ids.len().saturating_mul(ids.len()), "kernel values of a working set")?;
        let place = |&v: &u32| {
            let mut at = problem.which[v as usize] as usize;
            let mut segment = 0;
            while at >= rows.segment(problem.segments[segment]).len() {
                at -= rows.segment(problem.segments[segment]).len();
                segment += 1;
            }
            (segment, at / rows.width(), (at % rows.width()) as u32)
        };
        let mut stretches: Vec<(usize, usize, Range<usize>)> = vec![];
        let mut places = Vec::with_capacity(chosen.len());
        for (k, v) in chosen.iter().enumerate() {
            let (segment, tile, at) = place(v);
            places.push(at);
            match stretches.last_mut() {
                Some((s, t, range)) if (*s, *t) == (segment, tile) => range.end = k + 1,
                _ => stretches.push((segment, tile, k..k + 1)),
            }
        }
        let mut pieces: Vec<Vec<Piece<T>>> = ids.iter().map(|_| vec![]).collect();
        for &segment in &problem.segments {
            for (own, piece) in pieces.iter_mut().zip(rows.kept(&ids, segment)) {
                own.extend(piece);
            }
        }
        let missing: Vec<usize> = (0..ids.len()).filter(|&k| pieces[k].len() < problem.segments.len()).collect();
        let wanted: Vec<u32> = missing.iter().map(|&k| ids[k]).collect();
        let mut local: Vec<Vec<T>> = ids.iter().map(|_| vec![]).collect();
        for (&k, row) in missing.iter().zip(rows.among(&wanted, &ids, run)?) {
            local[k] = row;
            pieces[k].clear();
        }
        Ok(Local { rows: local, pieces, stretches, places, _hold: hold })
    }
}

impl<T: Real> WorkingRows<T> for Local<T> {
    fn ready(&mut self, i: usize) -> Result<()> {
        if self.rows[i].is_empty() {
            let mut row = Vec::with_capacity(self.places.len());
            for (segment, tile, range) in &self.stretches {
                let from = self.pieces[i][*segment].tile(*tile);
                row.extend(self.places[range.clone()].iter().map(|&at| from[at as usize]));
            }
            self.rows[i] = row;
        }
        Ok(())
    }

    fn row(&self, i: usize) -> &[T] {
        &self.rows[i]
    }
}
