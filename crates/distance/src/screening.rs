//! The k nearest of dense points by products in single precision, and for certain the right ones.
//!
//! Points and queries are centred on the mean of the points, scaled by a power of 2 so that no point leaves [−1, 1],
//! and rounded to f32. For query q and point r the product gives t = ‖r‖²/2 − qᵀr, whose order is that of the
//! distances, with an error of at most
//!
//! E = 1.01 · u · ((d + 24) ‖q‖ ρ + 4 ρ²) + (d + 8) · 2⁻⁵² · (‖q‖ + ρ)² + d · (2⁻¹¹⁰ + s² 2⁻¹⁰⁷⁴),  u = 2⁻²⁴, ρ = max ‖r‖, s the scale:
//!
//! a sum of d products in any order errs by at most d·u·‖q‖‖r‖; rounding the inputs, ‖r‖²/2 and the difference adds a
//! few u; the second part covers the double precision in which candidates are finally ranked, the third underflow in both.
//! [`numeric::Screen`] keeps all that could be among the k nearest given E; they are ranked by
//! [`numeric::squared_distance`] on the original numbers. A query for which E is useless is compared with every point.
//!
//! **Cost.** 2·m·n·d single-precision operations; memory for a part of the points in single precision, as large as
//! the run's memory allows, which changes the speed but not the result.

use base::{Dense, Points, Progress, Result, Run};
use numeric::{Mat, MatMut, Screen, Smallest, each, each_chunk_mut, product, squared_distance, squared_norm};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Points compared with a block of queries in one go.
pub const POINTS: usize = 2048;
/// Rounding to single precision: relative error at most.
pub const UNIT: f64 = 1.0 / (1 << 24) as f64;
/// Bytes of points in single precision held at once at most.
const PART: u64 = 512 << 20;

/// Centre, scale and size of the points.
pub struct Frame {
    pub mean: Vec<f64>,
    pub scale: f64,
    /// The largest norm of a centred and scaled point.
    pub radius: f64,
}

impl Frame {
    /// Looks at all points twice.
    pub fn new(run: &Run<'_>, points: &Dense) -> Result<Self> {
        const ROWS: usize = 1024;
        let (n, d) = (points.len(), points.columns());
        let mut mean = numeric::sum_blocks(run, n, n.div_ceil(64).max(ROWS), d, |rows, sum| {
            rows.for_each(|i| sum.iter_mut().zip(points.row(i).iter()).for_each(|(s, x)| *s += x / n as f64));
            Ok(())
        })?;
        mean.iter_mut().for_each(|m| *m = if m.is_finite() { *m } else { 0.0 });
        let parts = numeric::blocks(run, n, ROWS, |rows| {
            let (mut largest, mut norm) = (0.0f64, 0.0f64);
            let mut line = vec![0.0; d];
            for i in rows {
                line.iter_mut().zip(points.row(i).iter()).zip(&mean).for_each(|((y, x), m)| *y = x - m);
                largest = line.iter().fold(largest, |a, x| a.max(x.abs()));
                norm = norm.max(squared_norm(&line));
            }
            Ok((largest, norm))
        })?;
        let (largest, norm) = parts.into_iter().fold((0.0f64, 0.0f64), |a, b| (a.0.max(b.0), a.1.max(b.1)));
        // A power of 2, so that scaling is exact; beyond the range of doubles screening gives up by itself.
        let scale = if largest > 0.0 { (-largest.log2().ceil().clamp(-1000.0, 1000.0)).exp2() } else { 1.0 };
        Ok(Frame { mean, scale, radius: norm.sqrt() * scale })
    }

    /// Centres and scales a row.
    pub fn place(&self, row: &mut [f64]) {
        row.iter_mut().zip(&self.mean).for_each(|(x, m)| *x = (*x - m) * self.scale);
    }

    /// Writes a row centred, scaled and rounded.
    fn round(&self, row: &[f64], out: &mut [f32]) {
        for ((out, x), m) in out.iter_mut().zip(row).zip(&self.mean) {
            *out = ((x - m) * self.scale) as f32;
        }
    }

    /// The largest error of a computed t, for a query of this centred and scaled norm.
    fn margin(&self, norm: f64) -> f64 {
        let (d, rho) = (self.mean.len() as f64, self.radius);
        1.01 * UNIT * ((d + 24.0) * norm * rho + 4.0 * rho * rho) + self.ranking_error(norm)
    }

    /// What the double precision of the final ranking and underflow add to the error.
    pub fn ranking_error(&self, norm: f64) -> f64 {
        let (d, rho) = (self.mean.len() as f64, self.radius);
        // The smallest double, 2⁻¹⁰⁷⁴, as a squared distance in our scale.
        let least = (0.5f64.powi(537) * self.scale).powi(2);
        (d + 8.0) * f64::EPSILON * (norm + rho) * (norm + rho) + d * (0.5f64.powi(110) + least)
    }
}

/// The k nearest points of each query: squared distance and place, nearest first; k is at most the number of points.
pub fn nearest(
    run: &Run<'_>,
    frame: &Frame,
    points: &Dense,
    queries: &Points,
    k: usize,
) -> Result<Vec<Vec<(f64, u32)>>> {
    let (m, n, d) = (queries.len(), points.len(), points.columns());
    let limit = 256 + 8 * k;
    // Small enough for several threads, large enough to pay for arranging the points anew.
    let block = (m / 16).clamp(16, 256).min(m.max(1));
    let blocks = m.div_ceil(block);
    let per_block = 4 * block as u64 * (POINTS + d) as u64;
    let _tiles = run.memory.take(per_block * numeric::threads(run).min(blocks) as u64, "distances of neighbours")?;
    let _kept = run.memory.take((m as u64).saturating_mul(8 * limit as u64), "candidates for neighbours")?;
    let row_bytes = 4 * (d as u64 + 1);
    let part = ((PART.min(run.memory.free() / 2) / row_bytes) as usize).clamp(POINTS.min(n), n.max(1));
    let (mut singles, _held) = run.memory.filled(part.saturating_mul(d), 0.0f32, "points in single precision")?;
    let mut halves = vec![0.0f32; part];

    // The norm in double precision decides the margin; a query that is too far away is left to be compared directly.
    let mut screens: Vec<Vec<Screen>> = each(run, blocks, |b| {
        let mut line = vec![0.0; d];
        let screen = |i: usize| {
            queries.write_row(i, &mut line);
            frame.place(&mut line);
            Screen::new(k, frame.margin(squared_norm(&line).sqrt()), limit)
        };
        Ok(rows(b, block, m).map(screen).collect())
    })?;
    let (done, total) = (AtomicU64::new(0), (blocks * n.div_ceil(part)) as u64);
    let alone = Run { threads: 1, ..run.clone() };
    for start in (0..n).step_by(part) {
        let count = part.min(n - start);
        arrange(run, frame, points, start..start + count, &mut singles, &mut halves)?;
        each_chunk_mut(run, &mut screens, 1, |b, screens| {
            run.report(&Progress::of("neighbours", done.fetch_add(1, Relaxed), total))?;
            let range = rows(b, block, m);
            let mut rounded = vec![0.0f32; range.len() * d];
            let mut line = vec![0.0; d];
            for (i, out) in range.clone().zip(rounded.chunks_exact_mut(d)) {
                queries.write_row(i, &mut line);
                frame.round(&line, out);
            }
            let left = Mat::new(&rounded, range.len(), d)?;
            let mut tile = vec![0.0f32; range.len() * POINTS];
            for first in (0..count).step_by(POINTS) {
                let width = POINTS.min(count - first);
                let right = Mat::new(&singles[first * d..(first + width) * d], width, d)?.transposed();
                let out = &mut tile[..range.len() * width];
                product(&alone, left, right, MatMut::new(out, range.len(), width)?, 1.0, false)?;
                for (screen, products) in screens.iter_mut().flatten().zip(out.chunks_exact(width)) {
                    screen.show(products, &halves[first..first + width], (start + first) as u32);
                }
            }
            Ok(())
        })?;
    }
    let ranked = each(run, blocks, |b| {
        let mut query = vec![0.0; d];
        let rank = |(i, screen): (usize, &Screen)| {
            queries.write_row(i, &mut query);
            let mut best = Smallest::new(k);
            let mut show = |j: usize| best.push(squared_distance(&query, &points.row(j)), j);
            match screen.clone().candidates() {
                Some(candidates) => candidates.iter().for_each(|&j| show(j as usize)),
                None => (0..n).for_each(&mut show),
            }
            best.finish().into_iter().map(|(distance, j)| (distance, j as u32)).collect::<Vec<_>>()
        };
        Ok(rows(b, block, m).zip(&screens[b]).map(rank).collect::<Vec<_>>())
    })?;
    Ok(ranked.into_iter().flatten().collect())
}

fn rows(b: usize, block: usize, m: usize) -> Range<usize> {
    b * block..m.min((b + 1) * block)
}

/// Points `range` rounded, and half their squared norms.
fn arrange(
    run: &Run<'_>,
    frame: &Frame,
    points: &Dense,
    range: Range<usize>,
    singles: &mut [f32],
    halves: &mut [f32],
) -> Result<()> {
    const ROWS: usize = 256;
    let d = points.columns();
    let count = range.len();
    let mut pieces: Vec<_> = singles[..count * d].chunks_mut(ROWS * d).zip(halves[..count].chunks_mut(ROWS)).collect();
    each_chunk_mut(run, &mut pieces, 1, |p, pieces| {
        for (singles, halves) in pieces {
            for (i, (out, half)) in singles.chunks_exact_mut(d).zip(halves.iter_mut()).enumerate() {
                frame.round(&points.row(range.start + p * ROWS + i), out);
                let norm: f64 = out.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
                *half = (0.5 * norm) as f32;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Memory, Seed};

    /// The definition: all distances, sorted by distance, then place.
    fn twin(points: &[f64], queries: &[f64], d: usize, k: usize) -> Vec<Vec<(f64, u32)>> {
        let one = |q: &[f64]| {
            let mut all: Vec<(f64, u32)> =
                points.chunks_exact(d).enumerate().map(|(j, p)| (squared_distance(q, p), j as u32)).collect();
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            all.truncate(k);
            all
        };
        queries.chunks_exact(d).map(one).collect()
    }

    fn check(n: usize, m: usize, d: usize, k: usize, shape: impl Fn(f64, usize) -> f64) {
        let draw =
            |seed: u64, count: usize| (0..count).map(|e| shape(Seed(seed).at(e).unit(), e / d)).collect::<Vec<_>>();
        let (points, mut queries) = (draw(1, n * d), draw(2, m * d));
        // Some queries are points.
        let shared = (m / 2).min(n) * d;
        queries[..shared].copy_from_slice(&points[..shared]);
        let expected = twin(&points, &queries, d, k);
        let dense = Dense::new(points, n, d).unwrap();
        let queries = Points::dense(queries, m, d).unwrap();
        for (threads, memory) in [(1, Memory::unlimited()), (4, Memory::limited(64 << 20))] {
            let run = Run { threads, memory, ..Run::quiet(1) };
            let frame = Frame::new(&run, &dense).unwrap();
            assert_eq!(nearest(&run, &frame, &dense, &queries, k).unwrap(), expected, "{n} {m} {d} {k}");
        }
    }

    #[test]
    fn finds_what_looking_at_all_finds() {
        check(1, 1, 1, 1, |u, _| u);
        check(50, 7, 3, 5, |u, _| u);
        check(3000, 40, 20, 7, |u, _| u - 0.5);
        check(5000, 300, 13, 3, |u, _| (u * 4.0).floor());
        check(700, 30, 8, 10, |u, _| 1e8 + u);
        check(700, 30, 8, 10, |u, i| if i % 2 == 0 { 1e8 + u } else { u - 1e8 });
        check(700, 30, 8, 3, |u, i| if i == 5 { 1e290 } else { u * 1e280 });
        check(700, 30, 8, 3, |u, _| u * 1e-280);
        check(700, 30, 8, 3, |_, _| 3.0);
        check(700, 30, 8, 3, |u, i| if i < 10 { 1e40 * u } else { u });
    }

    /// The bound is met by products that are really computed, on data made to be hard: large norms, small distances.
    #[test]
    fn computed_values_stay_within_the_margin() {
        let (n, d) = (300, 700);
        let values: Vec<f64> =
            (0..n * d).map(|e| Seed(3).at(e).unit() + if e / d % 3 == 0 { 1.0 } else { 0.0 }).collect();
        let dense = Dense::new(values.clone(), n, d).unwrap();
        let run = Run::quiet(1);
        let frame = Frame::new(&run, &dense).unwrap();
        let (mut singles, mut halves) = (vec![0.0; n * d], vec![0.0; n]);
        arrange(&run, &frame, &dense, 0..n, &mut singles, &mut halves).unwrap();
        let view = Mat::new(&singles, n, d).unwrap();
        let mut products = vec![0.0f32; n * n];
        product(&run, view, view.transposed(), MatMut::new(&mut products, n, n).unwrap(), 1.0, false).unwrap();
        for q in 0..n {
            let centred =
                |i: usize| (0..d).map(|c| (values[i * d + c] - frame.mean[c]) * frame.scale).collect::<Vec<_>>();
            let query = centred(q);
            let norm = squared_norm(&query);
            let margin = frame.margin(norm.sqrt());
            assert!(norm.sqrt() <= frame.radius * (1.0 + 1e-12));
            for r in 0..n {
                let exact = 0.5 * (squared_distance(&query, &centred(r)) - norm);
                let seen = f64::from(halves[r] - products[q * n + r]);
                assert!((seen - exact).abs() <= margin, "{q} {r}: off by {}, margin {margin}", (seen - exact).abs());
            }
        }
    }
}
