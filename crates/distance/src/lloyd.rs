//! Lloyd's iteration for K-means, with bounds that leave out distances which cannot matter.
//!
//! Alternate: A) each row goes to the nearest centre (of equals the first), B) each centre becomes the weighted mean of
//! its rows; until no row changes. Each row keeps an upper bound u on the distance to its own centre and a lower bound
//! l on the distance to any other; when centres move, u grows by the own centre's move and l falls by the largest other
//! move. While u < max(l, half the way to the next centre) the row stays without a look (Hamerly). All other rows of a
//! block are compared with all centres by one product; where two centres are equal to the accuracy of the product,
//! distances are summed term by term. Where centres and columns are few, a product would take longer than summing term
//! by term at once. Assignments are in both cases those of the plain iteration.
//!
//! Sums of a cluster change by the rows that come and go; when more than half of the rows move, and once more at the
//! end, they are taken anew. The objective along the way is ½(Σw‖x − m‖² − Σ W_k‖c_k − m‖²) about the mean m of all.
//!
//! **Empty clusters** are re-seeded by the row farthest from its centre, of clusters with at least two rows; where all
//! rows lie on centres an empty cluster stays where it is (a dead unit).
//!
//! - S. P. Lloyd: *Least squares quantization in PCM.* IEEE Trans. Inf. Theory 28 (1982) 129–137.
//! - G. Hamerly: *Making k-means even faster.* SDM 2010, 130–140.

use crate::rows::{add_row, parts};
use base::{Buffer, Dataset, Error, Points, Progress, Result, Run};
use numeric::{Few, MatMut, Prepared, each_chunk_mut, squared_distance, sum_blocks};

/// Rows looked at in one go.
const BLOCK: usize = 512;
/// Up to so many numbers in all centres, distances are summed term by term.
const FEW: usize = 2048;
/// No cluster yet.
const NONE: u32 = u32::MAX;

/// Where the iteration ended.
pub struct Ended {
    /// k x columns, row after row.
    pub centres: Vec<f64>,
    /// The cluster of each row.
    pub labels: Vec<u32>,
    /// Σ ½ w d².
    pub objective: f64,
    /// The objective after each step.
    pub curve: Vec<f64>,
    /// Whether the last step moved no row.
    pub converged: bool,
    /// Whether the observer or time ended it.
    pub interrupted: bool,
    /// How many centres have no row.
    pub dead: usize,
}

#[derive(Clone, Copy)]
struct Row {
    label: u32,
    before: u32,
    upper: f64,
    lower: f64,
}

/// Iterates from these centres, at most `steps` times.
pub fn iterate(data: &Dataset, centres: Vec<f64>, steps: usize, run: &Run<'_>) -> Result<Ended> {
    let points = data.points()?;
    let (n, d) = (points.len(), points.columns());
    let k = centres.len() / d;
    let fresh = Row { label: NONE, before: NONE, upper: 0.0, lower: 0.0 };
    let (rows, _hold) = run.memory.filled(n, fresh, "bounds of the rows")?;
    let _held = run.memory.take_for::<f64>(centres.len().saturating_mul(4), "sums of the clusters")?;
    let mut state = State { data, points, d, centres, moves: vec![0.0; k], rows, sums: vec![0.0; k * d] };
    let (mut curve, mut converged, mut interrupted) = (vec![], false, false);
    let mut about: Option<Spread> = None;
    while curve.len() < steps {
        let value = curve.last().copied();
        if run.step(&Progress { value, ..Progress::of("k-means", curve.len() as u64, steps as u64) })? {
            interrupted = true;
            break;
        }
        match state.advance(&mut about, run) {
            Ok(Some(objective)) => curve.push(objective),
            Ok(None) => {
                converged = true;
                break;
            }
            // Centres only move when a step is complete.
            Err(Error::Stopped { .. }) => {
                interrupted = true;
                break;
            }
            Err(other) => return Err(other),
        }
    }
    let run = &run.finishing();
    if converged {
        state.add_up(run, None)?;
        let weights = state.weights(&state.tally().0);
        state.move_centres(&weights);
    }
    // Centres may have moved since the rows were looked at.
    state.assign(run)?;
    let objective = state.own_distances(run)?.iter().enumerate().map(|(i, d)| 0.5 * state.weight(i) * d).sum();
    let dead = state.tally().0.iter().filter(|c| **c == 0).count();
    let labels = state.rows.iter().map(|r| r.label).collect();
    Ok(Ended { centres: state.centres, labels, objective, curve, converged, interrupted, dead })
}

/// The mean of all rows and Σ w ‖x − mean‖².
type Spread = (Vec<f64>, f64);

struct State<'a> {
    data: &'a Dataset,
    points: &'a Points,
    d: usize,
    centres: Vec<f64>,
    /// How far each centre moved in the last step.
    moves: Vec<f64>,
    rows: Vec<Row>,
    sums: Vec<f64>,
}

impl State<'_> {
    fn k(&self) -> usize {
        self.moves.len()
    }

    /// One step: the objective after it, or nothing if no row moved.
    fn advance(&mut self, about: &mut Option<Spread>, run: &Run<'_>) -> Result<Option<f64>> {
        self.assign(run)?;
        let (mut counts, mut changed) = self.tally();
        if counts.contains(&0) {
            self.fill_empty(&mut counts, run)?;
            changed = self.tally().1;
        }
        if changed.is_empty() {
            return Ok(None);
        }
        self.add_up(run, Some(&changed[..]).filter(|c| 2 * c.len() <= self.rows.len()))?;
        let weights = self.weights(&counts);
        self.move_centres(&weights);
        let (mean, total) = match about {
            Some((mean, total)) => (mean, *total),
            None => {
                let mean = self.mean(&weights);
                // One more pass belongs to the first step, whose centres have moved.
                let total = self.spread(&run.finishing(), &mean)?;
                let (mean, total) = about.insert((mean, total));
                (mean, *total)
            }
        };
        let between = |(c, w): (&[f64], &f64)| if *w > 0.0 { w * squared_distance(c, mean) } else { 0.0 };
        let between: f64 = self.centres.chunks_exact(self.d).zip(&weights).map(between).sum();
        Ok(Some(0.5 * (total - between).max(0.0)))
    }

    fn weight(&self, i: usize) -> f64 {
        self.data.weight(i)
    }

    /// How many rows each cluster has, and which rows have changed theirs.
    fn tally(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut counts, mut changed) = (vec![0; self.k()], vec![]);
        for (i, row) in self.rows.iter().enumerate() {
            counts[row.label as usize] += 1;
            if row.label != row.before {
                changed.push(i);
            }
        }
        (counts, changed)
    }

    /// The weight of each cluster, of so many rows.
    fn weights(&self, counts: &[usize]) -> Vec<f64> {
        let Some(given) = &self.data.weights else { return counts.iter().map(|&c| c as f64).collect() };
        let mut weights = vec![0.0; self.k()];
        self.rows.iter().zip(given).for_each(|(r, w)| weights[r.label as usize] += w);
        weights
    }

    /// Step A.
    fn assign(&mut self, run: &Run<'_>) -> Result<()> {
        let (k, d, points) = (self.k(), self.d, self.points);
        if let Points::Dense(dense) = points
            && let Buffer::F64(values) = dense.values()
            && k.saturating_mul(d) <= FEW
        {
            return self.assign_few(values, run);
        }
        let centres = Points::dense(self.centres.clone(), k, d)?;
        let prepared = Prepared::new(run, &centres)?;
        let error = Prepared::relative_error(d);
        // Distances are roots and bounds take a rounding a step: a hundred steps stay far below this.
        let margin = 1.0 + 4.0 * error + 1e-9;
        let half = self.half_ways();
        let moves = &self.moves;
        let falls = self.falls();
        let one = Run { threads: 1, ..run.clone() };
        each_chunk_mut(run, &mut self.rows, BLOCK, |block, rows| {
            let first = block * BLOCK;
            let mut open = vec![];
            for (i, row) in rows.iter_mut().enumerate() {
                row.before = row.label;
                if row.label != NONE {
                    let own = row.label as usize;
                    row.upper += moves[own];
                    row.lower -= falls[own];
                    let bound = half[own].max(row.lower);
                    if row.upper * margin < bound {
                        continue;
                    }
                    row.upper = prepared.exact(points, first + i, own).sqrt();
                    if row.upper * margin < bound {
                        continue;
                    }
                }
                open.push(first + i);
            }
            if open.is_empty() {
                return Ok(());
            }
            let queries = match open.len() == rows.len() {
                true => points.slice(first..first + rows.len()),
                false => points.select(&open)?,
            };
            let (mut distances, _hold) = one.memory.filled(open.len().saturating_mul(k), 0.0, "distances")?;
            prepared.squared_distances(&one, &queries, MatMut::new(&mut distances, open.len(), k)?)?;
            for (&i, line) in open.iter().zip(distances.chunks_exact(k)) {
                let (label, own, other) = nearest(line, error, |j| prepared.exact(points, i, j));
                let row = &mut rows[i - first];
                *row = Row { label, before: row.before, upper: own.sqrt(), lower: other.sqrt() };
            }
            Ok(())
        })
    }

    /// The same where centres and columns are few: rows that the bounds do not spare meet all centres at once.
    fn assign_few(&mut self, values: &[f64], run: &Run<'_>) -> Result<()> {
        let d = self.d;
        let few = Few::new(&self.centres, d);
        // Bounds take a rounding a step: a hundred steps stay far below this.
        let margin = 1.0 + 4.0 * Prepared::relative_error(d) + 1e-9;
        let (half, falls, moves) = (self.half_ways(), self.falls(), &self.moves);
        each_chunk_mut(run, &mut self.rows, BLOCK, |block, rows| {
            let first = block * BLOCK;
            let mut open = [0u16; BLOCK];
            let mut count = 0;
            for (i, row) in rows.iter_mut().enumerate() {
                row.before = row.label;
                if row.label != NONE {
                    let own = row.label as usize;
                    row.upper += moves[own];
                    row.lower -= falls[own];
                }
                let bound = if row.label == NONE { f64::NEG_INFINITY } else { half[row.label as usize].max(row.lower) };
                open[count] = i as u16;
                count += usize::from(row.upper * margin >= bound || bound.is_nan());
            }
            let mut found = [(0, 0.0, 0.0); BLOCK];
            for run in open[..count].chunk_by(|a, b| a + 1 == *b) {
                let (begin, found) = (usize::from(run[0]), &mut found[..run.len()]);
                few.two_nearest(&values[(first + begin) * d..(first + begin + run.len()) * d], found);
                for (row, &mut (label, own, other)) in rows[begin..].iter_mut().zip(found) {
                    *row = Row { label, before: row.before, upper: own.sqrt(), lower: other.sqrt() };
                }
            }
            Ok(())
        })
    }

    /// How far the lower bounds of each cluster's rows fall: by the largest move of another centre.
    fn falls(&self) -> Vec<f64> {
        let start = ((0, 0.0), 0.0);
        let (largest, second) = self.moves.iter().enumerate().fold(start, |((at, first), second), (j, &m)| {
            if m > first { ((j, m), first) } else { ((at, first), f64::max(second, m)) }
        });
        (0..self.k()).map(|own| if own == largest.0 { second } else { largest.1 }).collect()
    }

    /// Half the distance from each centre to the nearest other one; 0 where there are too many centres to look.
    fn half_ways(&self) -> Vec<f64> {
        let k = self.k();
        let mut half = vec![if k == 1 { f64::INFINITY } else { 0.0 }; k];
        if k > 1 && k <= 1024 && k <= self.rows.len() / 4 {
            half.fill(f64::INFINITY);
            let all: Vec<&[f64]> = self.centres.chunks_exact(self.d).collect();
            for a in 0..k {
                for b in 0..a {
                    let way = 0.5 * squared_distance(all[a], all[b]).sqrt();
                    half[a] = half[a].min(way);
                    half[b] = half[b].min(way);
                }
            }
        }
        half
    }

    /// The squared distance of each row to its centre.
    fn own_distances(&self, run: &Run<'_>) -> Result<Vec<f64>> {
        let centres = Points::dense(self.centres.clone(), self.k(), self.d)?;
        let prepared = Prepared::new(run, &centres)?;
        let mut out = vec![0.0; self.rows.len()];
        each_chunk_mut(run, &mut out, BLOCK, |block, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let i = block * BLOCK + i;
                *out = prepared.exact(self.points, i, self.rows[i].label as usize);
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// Gives each empty cluster the row farthest from its centre.
    fn fill_empty(&mut self, counts: &mut [usize], run: &Run<'_>) -> Result<()> {
        let empty: Vec<usize> = (0..self.k()).filter(|&j| counts[j] == 0).collect();
        if empty.is_empty() {
            return Ok(());
        }
        let distances = self.own_distances(run)?;
        let mut order: Vec<usize> = (0..self.rows.len()).filter(|&i| distances[i] > 0.0).collect();
        order.sort_by(|&a, &b| distances[b].total_cmp(&distances[a]).then(a.cmp(&b)));
        let mut order = order.into_iter();
        for j in empty {
            let Some(i) = order.by_ref().find(|&i| counts[self.rows[i].label as usize] > 1) else { break };
            let row = &mut self.rows[i];
            counts[row.label as usize] -= 1;
            counts[j] += 1;
            *row = Row { label: j as u32, before: row.before, upper: f64::INFINITY, lower: 0.0 };
        }
        Ok(())
    }

    /// The sums of the clusters: by the rows that came and went, or anew.
    fn add_up(&mut self, run: &Run<'_>, changed: Option<&[usize]>) -> Result<()> {
        let (d, length) = (self.d, self.sums.len());
        let anew = changed.is_none();
        let count = changed.map_or(self.rows.len(), <[usize]>::len);
        let block = count.div_ceil(parts(self.points, length)).max(1);
        let sums = sum_blocks(run, count, block, length, |range, sums| {
            for place in range {
                let i = changed.map_or(place, |c| c[place]);
                let row = &self.rows[i];
                let mut add = |label: u32, weight: f64| {
                    let j = label as usize;
                    add_row(self.points, i, weight, &mut sums[j * d..(j + 1) * d]);
                };
                add(row.label, self.weight(i));
                if !anew {
                    add(row.before, -self.weight(i));
                }
            }
            Ok(())
        })?;
        match anew {
            true => self.sums = sums,
            false => self.sums.iter_mut().zip(sums).for_each(|(a, b)| *a += b),
        }
        Ok(())
    }

    /// Step B.
    fn move_centres(&mut self, weights: &[f64]) {
        for (j, centre) in self.centres.chunks_exact_mut(self.d).enumerate() {
            self.moves[j] = 0.0;
            if weights[j] > 0.0 {
                let next: Vec<f64> =
                    self.sums[j * self.d..(j + 1) * self.d].iter().map(|sum| sum / weights[j]).collect();
                self.moves[j] = squared_distance(centre, &next).sqrt();
                centre.copy_from_slice(&next);
            }
        }
    }

    /// The mean of all rows, from the sums.
    fn mean(&self, weights: &[f64]) -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        let mut mean = vec![0.0; self.d];
        self.sums.chunks_exact(self.d).for_each(|s| mean.iter_mut().zip(s).for_each(|(m, s)| *m += s / total));
        mean
    }

    /// Σ w ‖x − mean‖².
    fn spread(&self, run: &Run<'_>, mean: &[f64]) -> Result<f64> {
        let n = self.rows.len();
        let centre = Points::dense(mean.to_vec(), 1, self.d)?;
        let (mut distances, _hold) = run.memory.filled(n, 0.0, "distances to the mean")?;
        Prepared::new(run, &centre)?.squared_distances(run, self.points, MatMut::new(&mut distances, n, 1)?)?;
        Ok(distances.iter().enumerate().map(|(i, d)| self.weight(i) * d).sum())
    }
}

/// The first of the smallest, its value and the second smallest, from values with relative error `error`.
fn nearest(line: &[f64], error: f64, exact: impl Fn(usize) -> f64) -> (u32, f64, f64) {
    let (mut at, mut first, mut second) = (0, f64::INFINITY, f64::INFINITY);
    for (j, &value) in line.iter().enumerate() {
        if value < first {
            (at, second, first) = (j, first, value);
        } else if value < second {
            second = value;
        }
    }
    let limit = first * (1.0 + 4.0 * error);
    if second > limit {
        return (at as u32, first, second);
    }
    let close = (0..line.len()).filter(|&j| line[j] <= limit);
    let best = close.map(|j| (exact(j), j)).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (own, at) = best.unwrap_or((first, at));
    (at as u32, own, first)
}
