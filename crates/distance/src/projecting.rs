//! The k nearest of dense points of many columns, most of them ruled out by a few principal directions.
//!
//! Let P have orthonormal columns. Then ‖q − r‖² ≥ ‖Pᵀq − Pᵀr‖² + (‖q⊥‖ − ‖r⊥‖)², where ⊥ is what P leaves over: the
//! squared distance of (Pᵀq, ‖q⊥‖) and (Pᵀr, ‖r⊥‖). With the principal directions of a sample this bound is close
//! although it has a tenth of the columns. Bounds come as products in single precision, as in [`crate::screening`];
//! points are compared exactly in the order of their bounds until the bounds exceed the k-th distance found, which is
//! the least number of exact comparisons these bounds allow (Seidl and Kriegel).
//!
//! **Error.** For p directions, vectors in error by at most e·‖x‖, and ρ the largest norm, a computed bound t errs by at
//! most 1.01 · (u ((p + 25) ‖q‖ ρ + 4 ρ²) + e (2 ‖q‖ ρ + ρ²)) besides what [`Frame::ranking_error`] covers. Here
//! e = ε + 2 √(ε + d 2⁻⁵²), ε = ‖PᵀP − I‖ + d √p 2⁻⁵²: the norm of what is left over is a difference that may cancel.
//! A query for which too many points remain goes to [`crate::screening`].
//!
//! - T. Seidl, H.-P. Kriegel: *Optimal multi-step k-nearest neighbor search.* SIGMOD 1998, 154–165.

use crate::found::Found;
use crate::screening::{self, Frame, POINTS, UNIT};
use base::{Dense, Points, Progress, Result, Run};
use numeric::{Mat, MatMut, each_chunk_mut, eigen, gram, keep_below, product, squared_distance, squared_norm};

/// Rows looked at to find the directions.
const SAMPLE: usize = 4096;
/// Share of the variance that may be left over.
const LEFT: f64 = 0.1;
/// Candidates of one query at most.
const LIMIT: usize = 4096;
/// Queries searched for together; points arranged together.
const ROWS: usize = 256;

/// Principal directions of the points.
pub struct Projection {
    /// d x p, row after row.
    directions: Vec<f64>,
    p: usize,
    /// The error e of a projected vector, relative to its norm.
    error: f64,
}

/// Whether so many queries are worth finding directions for.
pub fn pays(queries: usize, points: &Dense) -> bool {
    let (n, d) = (points.len(), points.columns());
    (64..=1024).contains(&d) && n >= SAMPLE && queries >= ROWS && queries.saturating_mul(n) / (32 * d) >= d
}

impl Projection {
    /// The directions, or none if it would take more than a third of the columns (or of the memory that is left).
    pub fn new(run: &Run<'_>, frame: &Frame, points: &Dense) -> Result<Option<Self>> {
        let (n, d) = (points.len(), points.columns());
        let sample = SAMPLE.min(n);
        let bytes = 8 * (sample * d + 6 * d * d) as u64;
        if bytes > run.memory.free() / 3 {
            return Ok(None);
        }
        let _hold = run.memory.take(8 * (sample * d + 2 * d * d) as u64, "a sample for principal directions")?;
        let (mut rows, mut square) = (vec![0.0; sample * d], vec![0.0; d * d]);
        for (i, row) in rows.chunks_exact_mut(d).enumerate() {
            row.copy_from_slice(&points.row((i as u64 * n as u64 / sample as u64) as usize));
            frame.place(row);
        }
        gram(run, Mat::new(&rows, sample, d)?, MatMut::new(&mut square, d, d)?)?;
        let total: f64 = (0..d).map(|i| square[i * d + i]).sum();
        if !(total.is_finite() && total > 0.0) {
            return Ok(None);
        }
        let found = eigen(run, Mat::new(&square, d, d)?)?;
        let mut left = total;
        let enough = found.values.iter().rev().position(|value| {
            left -= value;
            left <= LEFT * total
        });
        // One column less than a multiple of 16, which the norm of what is left over fills up.
        let p = (enough.map_or(d, |i| i + 1) + 1).next_multiple_of(16) - 1;
        if 3 * (p + 1) > d {
            return Ok(None);
        }
        let column = |row: &[f64]| row[d - p..].iter().rev().copied().collect::<Vec<_>>();
        let directions: Vec<f64> = found.vectors.chunks_exact(d).flat_map(column).collect();
        let view = Mat::new(&directions, d, p)?;
        let mut check = vec![0.0; p * p];
        gram(run, view, MatMut::new(&mut check, p, p)?)?;
        (0..p).for_each(|i| check[i * p + i] -= 1.0);
        let skew = squared_norm(&check).sqrt();
        let epsilon = skew + d as f64 * (p as f64).sqrt() * f64::EPSILON;
        let error = epsilon + 2.0 * (epsilon + d as f64 * f64::EPSILON).sqrt();
        Ok(Some(Projection { directions, p, error }))
    }

    /// Writes the first rows of `block` (which are `placed` by the frame) projected, with the norm of what is left over.
    fn project(&self, run: &Run<'_>, placed: &[f64], d: usize, out: &mut [f32]) -> Result<()> {
        let (p, rows) = (self.p, placed.len() / d);
        let mut projected = vec![0.0; rows * p];
        let directions = Mat::new(&self.directions, d, p)?;
        product(run, Mat::new(placed, rows, d)?, directions, MatMut::new(&mut projected, rows, p)?, 1.0, false)?;
        for ((x, y), out) in placed.chunks_exact(d).zip(projected.chunks_exact(p)).zip(out.chunks_exact_mut(p + 1)) {
            out.iter_mut().zip(y).for_each(|(out, y)| *out = *y as f32);
            out[p] = (squared_norm(x) - squared_norm(y)).max(0.0).sqrt() as f32;
        }
        Ok(())
    }

    fn margin(&self, frame: &Frame, norm: f64) -> f64 {
        let (p, rho) = (self.p as f64, frame.radius);
        let single = UNIT * ((p + 25.0) * norm * rho + 4.0 * rho * rho);
        1.01 * (single + self.error * (2.0 * norm * rho + rho * rho)) + frame.ranking_error(norm)
    }
}

/// The k nearest points of each query, as [`screening::nearest`].
pub fn nearest(
    run: &Run<'_>,
    frame: &Frame,
    projection: &Projection,
    points: &Dense,
    queries: &Points,
    k: usize,
) -> Result<Vec<Vec<(f64, u32)>>> {
    let (m, n, d, width) = (queries.len(), points.len(), points.columns(), projection.p + 1);
    let alone = Run { threads: 1, ..run.clone() };
    let per_task = (ROWS * (8 * LIMIT + 4 * POINTS + 4 * width + 8 * (d + width))) as u64;
    let working = per_task.saturating_mul(numeric::threads(run) as u64);
    let arranged = 4 * (n as u64) * (width as u64 + 1);
    if arranged.saturating_add(working) > run.memory.free() {
        return screening::nearest(run, frame, points, queries, k);
    }
    let _hold = run.memory.take(arranged + working, "projected points")?;
    let (mut singles, mut halves) = (vec![0.0f32; n * width], vec![0.0f32; n]);
    let mut pieces: Vec<_> = singles.chunks_mut(ROWS * width).zip(halves.chunks_mut(ROWS)).collect();
    each_chunk_mut(run, &mut pieces, 1, |piece, pieces| {
        for (out, halves) in pieces {
            let mut placed = vec![0.0; halves.len() * d];
            for (i, row) in placed.chunks_exact_mut(d).enumerate() {
                row.copy_from_slice(&points.row(piece * ROWS + i));
                frame.place(row);
            }
            projection.project(&alone, &placed, d, out)?;
            for (row, half) in out.chunks_exact(width).zip(halves.iter_mut()) {
                *half = (0.5 * row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>()) as f32;
            }
        }
        Ok(())
    })?;
    drop(pieces);

    let search = |rows: std::ops::Range<usize>| {
        run.report(&Progress::of("neighbours", rows.start as u64, m as u64))?;
        let (mut originals, mut states) = (vec![0.0; rows.len() * d], Vec::with_capacity(rows.len()));
        let mut placed = vec![0.0; rows.len() * d];
        for (i, (row, placed)) in rows.clone().zip(originals.chunks_exact_mut(d).zip(placed.chunks_exact_mut(d))) {
            queries.write_row(i, row);
            placed.copy_from_slice(row);
            frame.place(placed);
            let norm = squared_norm(placed);
            states.push(State::new(k, norm, projection.margin(frame, norm.sqrt()), frame.scale));
        }
        let mut left = vec![0.0f32; rows.len() * width];
        projection.project(&alone, &placed, d, &mut left)?;
        let left = Mat::new(&left, rows.len(), width)?;
        let mut tile = vec![0.0f32; rows.len() * POINTS];
        for first in (0..n).step_by(POINTS) {
            let count = POINTS.min(n - first);
            let right = Mat::new(&singles[first * width..(first + count) * width], count, width)?.transposed();
            let out = &mut tile[..rows.len() * count];
            product(&alone, left, right, MatMut::new(out, rows.len(), count)?, 1.0, false)?;
            for ((state, products), query) in
                states.iter_mut().zip(out.chunks_exact(count)).zip(originals.chunks_exact(d))
            {
                state.show(products, &halves[first..first + count], first as u32, |j| {
                    squared_distance(query, &points.row(j as usize))
                });
            }
        }
        let finish =
            |(state, query): (State, &[f64])| state.finish(|j| squared_distance(query, &points.row(j as usize)));
        Ok(states.into_iter().zip(originals.chunks_exact(d)).map(finish).collect::<Vec<_>>())
    };
    let mut answers: Vec<Option<Vec<(f64, u32)>>> =
        numeric::blocks(run, m, ROWS, search)?.into_iter().flatten().collect();
    let open: Vec<usize> = (0..m).filter(|&i| answers[i].is_none()).collect();
    if !open.is_empty() {
        let rest = screening::nearest(run, frame, points, &queries.select(&open)?, k)?;
        open.into_iter().zip(rest).for_each(|(i, answer)| answers[i] = Some(answer));
    }
    Ok(answers.into_iter().flatten().collect())
}

/// What is known of the neighbours of one query.
struct State {
    found: Found,
    /// Bounds of points not yet compared.
    kept: Vec<(f32, u32)>,
    threshold: f32,
    /// Half the squared norm of the query less the margin: what turns a distance into a threshold.
    shift: f64,
    scale: f64,
    k: usize,
    overfull: bool,
}

impl State {
    fn new(k: usize, norm: f64, margin: f64, scale: f64) -> Self {
        let shift = margin - 0.5 * norm;
        let usable = shift.is_finite() && margin < 1e30;
        let threshold = if usable { f32::INFINITY } else { f32::NEG_INFINITY };
        State { found: Found::new(k), kept: vec![], threshold, shift, scale, k, overfull: !usable }
    }

    fn show(&mut self, products: &[f32], halves: &[f32], first: u32, exact: impl Fn(u32) -> f64) {
        keep_below(products, halves, self.threshold, first, &mut self.kept);
        if self.threshold == f32::INFINITY || self.kept.len() > LIMIT / 2 {
            self.refine(exact);
        }
    }

    /// Compares the most promising exactly, which lowers the threshold for all.
    fn refine(&mut self, exact: impl Fn(u32) -> f64) {
        let some = (4 * self.k).max(32).min(self.kept.len());
        if some == 0 {
            return;
        }
        self.kept.select_nth_unstable_by(some - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.kept.drain(..some).for_each(|(_, j)| self.found.push(exact(j), j));
        self.tighten();
        let threshold = self.threshold;
        self.kept.retain(|c| c.0 <= threshold);
        if self.kept.len() > LIMIT {
            self.overfull = true;
            self.kept = vec![];
            self.threshold = f32::NEG_INFINITY;
        }
    }

    /// Only points whose bound is at most that of the k-th distance can matter.
    fn tighten(&mut self) {
        let farthest = self.found.farthest() * self.scale * self.scale;
        self.threshold = ((0.5 * farthest + self.shift) as f32).next_up();
    }

    /// The neighbours; none if there are too many candidates.
    fn finish(mut self, exact: impl Fn(u32) -> f64) -> Option<Vec<(f64, u32)>> {
        self.kept.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (t, j) in std::mem::take(&mut self.kept) {
            if t > self.threshold {
                break;
            }
            self.found.push(exact(j), j);
            self.tighten();
        }
        (!self.overfull).then(|| self.found.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    /// Points near a space of few dimensions, some equal, some far away.
    fn drawn(seed: u64, n: usize, d: usize, noise: f64, offset: f64) -> Vec<f64> {
        let mixing = |a: usize, c: usize| Seed(99).at(a).at(c).unit() - 0.5;
        let row = |i: usize| {
            let i = if i % 7 == 6 { i - 1 } else { i };
            let hidden: Vec<f64> = (0..5).map(|a| Seed(seed).at(i).at(a).unit() - 0.5).collect();
            let far = if i % 101 == 100 { 1e3 } else { 1.0 };
            let at = move |c: usize| {
                let signal: f64 = hidden.iter().enumerate().map(|(a, h)| h * mixing(a, c)).sum();
                far * (signal + noise * (Seed(seed).at(i).at(1000 + c).unit() - 0.5)) + offset
            };
            (0..d).map(at).collect::<Vec<_>>()
        };
        (0..n).flat_map(row).collect()
    }

    #[test]
    fn finds_what_looking_at_all_finds() {
        let (n, m, d, k) = (SAMPLE, 300, 64, 6);
        for (noise, offset, whole) in [(0.05, 0.0, false), (0.05, 1e8, false), (0.0, 0.0, false), (0.2, 0.0, true)] {
            let shape = |v: Vec<f64>| if whole { v.iter().map(|x| (x * 8.0).round()).collect() } else { v };
            let (points, mut queries) = (shape(drawn(1, n, d, noise, offset)), shape(drawn(2, m, d, noise, offset)));
            queries[..50 * d].copy_from_slice(&points[..50 * d]);
            queries[60 * d] = 1e200;
            queries[61 * d] += 1e9;
            let dense = Dense::new(points.clone(), n, d).unwrap();
            let run = |threads| Run { threads, ..Run::quiet(1) };
            let frame = Frame::new(&run(1), &dense).unwrap();
            let projection = Projection::new(&run(1), &frame, &dense).unwrap().expect("few directions suffice");
            let given = Points::dense(queries.clone(), m, d).unwrap();
            let found = nearest(&run(1), &frame, &projection, &dense, &given, k).unwrap();
            assert_eq!(found, nearest(&run(4), &frame, &projection, &dense, &given, k).unwrap());
            for (i, (query, found)) in queries.chunks_exact(d).zip(found).enumerate() {
                let mut all: Vec<(f64, u32)> =
                    points.chunks_exact(d).zip(0..).map(|(p, j)| (squared_distance(query, p), j)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                assert_eq!(found, all[..k], "query {i}, noise {noise}, offset {offset}");
            }
        }
    }

    #[test]
    fn computed_bounds_stay_below_the_distance_and_the_margin() {
        let (n, d) = (SAMPLE, 64);
        let values = drawn(3, n, d, 0.3, 0.0);
        let dense = Dense::new(values.clone(), n, d).unwrap();
        let run = Run::quiet(1);
        let frame = Frame::new(&run, &dense).unwrap();
        let projection = Projection::new(&run, &frame, &dense).unwrap().expect("few directions suffice");
        let mut placed = values;
        placed.chunks_exact_mut(d).for_each(|row| frame.place(row));
        let width = projection.p + 1;
        let mut singles = vec![0.0f32; n * width];
        projection.project(&run, &placed, d, &mut singles).unwrap();
        let row = |i: usize| &placed[i * d..(i + 1) * d];
        let single = |i: usize| &singles[i * width..(i + 1) * width];
        for (q, r) in (0..20_000).map(|e| (e * 7919 % n, e * 104_729 % n)) {
            let norm = squared_norm(row(q));
            let exact = 0.5 * (squared_distance(row(q), row(r)) - norm);
            let half = 0.5 * single(r).iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
            let product: f32 = single(q).iter().zip(single(r)).map(|(a, b)| a * b).sum();
            let bound = f64::from(half as f32 - product);
            assert!(bound <= exact + projection.margin(&frame, norm.sqrt()), "{q} {r}: {bound} above {exact}");
        }
    }

    #[test]
    fn data_without_directions_have_none() {
        let (n, d) = (SAMPLE, 64);
        let dense = Dense::new((0..n * d).map(|e| Seed(5).at(e).unit()).collect::<Vec<_>>(), n, d).unwrap();
        let run = Run::quiet(1);
        let frame = Frame::new(&run, &dense).unwrap();
        assert!(Projection::new(&run, &frame, &dense).unwrap().is_none());
        let flat = Dense::new(vec![1.0; n * d], n, d).unwrap();
        let frame = Frame::new(&run, &flat).unwrap();
        assert!(Projection::new(&run, &frame, &flat).unwrap().is_none());
        assert!(pays(10_000, &dense) && !pays(10, &dense));
    }
}
