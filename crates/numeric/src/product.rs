//! Products of matrices on several threads, with the same bits for any number of them.
//!
//! out = alpha · a · b (+ out). The result is cut into a grid of tiles that depends on the sizes alone; each tile is
//! computed by one thread with faer's sequential product, in stretches of the inner dimension whose length is fixed,
//! and cancel is heard between stretches. Where the result is small and the inner dimension long (a Gram matrix of few
//! columns), the stretches are spread over threads instead and their partial results added in order.
//!
//! **Cost.** 2·m·n·k operations; tiles pack their own panels, so that bytes moved per tile are some thousandth of them.
//! **Limits.** Rounding error of an entry is at most k · ε · Σ|aᵢ bᵢ|, as for any order of summation.

use crate::pool::for_work;
use crate::{Mat, MatMut, Real, each, each_chunk_mut};
use base::{Error, Progress, Result, Run};
use faer::{Accum, Par, linalg::matmul::matmul};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Rows and columns of a tile at most.
const TILE: usize = 512;
/// Terms of the inner sum computed in one go.
const STRETCH: usize = 4096;
/// From this many operations on the inner sum is worth cutting among threads.
const LONG: usize = 1 << 24;

/// out = alpha · a · b, added to what `out` holds if `accumulate`.
pub fn product<T: Real>(
    run: &Run<'_>,
    a: Mat<'_, T>,
    b: Mat<'_, T>,
    out: MatMut<'_, T>,
    alpha: T,
    accumulate: bool,
) -> Result<()> {
    let (m, n, k) = (a.rows(), b.columns(), a.columns());
    if b.rows() != k {
        return Err(Error::size("rows of the right factor", k, b.rows()));
    }
    check_out(&out, m, n)?;
    let (rows, columns) = (cuts(m), cuts(n));
    let beta = if accumulate { Accum::Add } else { Accum::Replace };
    let small = rows.len() * columns.len() <= 1;
    if small && is_long(m, n, k) {
        return stretched(run, k, out, beta, |range, part| {
            let (a, b) = (a.faer().subcols(range.start, range.len()), b.faer().subrows(range.start, range.len()));
            tile_product(part, Accum::Replace, a, b, alpha);
        });
    }
    let (a, b) = (a.faer(), b.faer());
    if small && k <= STRETCH {
        // Tiny work: no tiles to list, nobody to ask.
        tile_product(out.faer(), beta, a, b, alpha);
        return Ok(());
    }
    let tiles = tiles(out.faer(), &rows, &columns, |_, _| true);
    fill(&for_work(run, m.saturating_mul(n).saturating_mul(k)), tiles, k, |tile, range| {
        let beta = if range.start == 0 { beta } else { Accum::Add };
        let a = a.submatrix(tile.row, range.start, tile.out.nrows(), range.len());
        let b = b.submatrix(range.start, tile.column, range.len(), tile.out.ncols());
        tile_product(tile.out.as_mut(), beta, a, b, alpha);
    })
}

/// out = aᵀ a, of which one half is computed and mirrored.
pub fn gram<T: Real>(run: &Run<'_>, a: Mat<'_, T>, mut out: MatMut<'_, T>) -> Result<()> {
    let (k, n) = (a.rows(), a.columns());
    check_out(&out, n, n)?;
    let ranges = cuts(n);
    let view = a.faer();
    if ranges.len() <= 1 && is_long(n, n, k) {
        return stretched(run, k, out, Accum::Replace, |range, part| {
            let a = view.subrows(range.start, range.len());
            tile_product(part, Accum::Replace, a.transpose(), a, T::ONE);
        });
    }
    let lower = tiles(out.again().faer(), &ranges, &ranges, |i, j| i >= j);
    fill(&for_work(run, n.saturating_mul(n).saturating_mul(k)), lower, k, |tile, range| {
        let beta = if range.start == 0 { Accum::Replace } else { Accum::Add };
        let left = view.submatrix(range.start, tile.row, range.len(), tile.out.nrows());
        let right = view.submatrix(range.start, tile.column, range.len(), tile.out.ncols());
        tile_product(tile.out.as_mut(), beta, left.transpose(), right, T::ONE);
    })?;
    out.mirror();
    Ok(())
}

/// out = a · x.
pub fn times_vector<T: Real>(run: &Run<'_>, a: Mat<'_, T>, x: &[T], out: &mut [T]) -> Result<()> {
    const LINES: usize = 512;
    if x.len() != a.columns() {
        return Err(Error::size("numbers of the vector", a.columns(), x.len()));
    }
    if out.len() != a.rows() {
        return Err(Error::size("numbers of the result", a.rows(), out.len()));
    }
    let run = &for_work(run, a.rows().saturating_mul(a.columns()));
    if !a.is_transposed() {
        return each_chunk_mut(run, out, LINES, |block, out| {
            out.iter_mut().enumerate().for_each(|(i, y)| *y = T::dot(a.line(block * LINES + i), x));
            Ok(())
        });
    }
    // Columns lie together: each block of them adds up a vector of its own.
    let blocks = x.len().div_ceil(LINES);
    let _hold = run.memory.take_for::<T>(blocks.saturating_mul(out.len()), "partial products")?;
    let parts = crate::blocks(run, x.len(), LINES, |range| {
        let mut part = vec![T::ZERO; a.rows()];
        for i in range {
            part.iter_mut().zip(a.line(i)).for_each(|(y, &v)| *y += v * x[i]);
        }
        Ok(part)
    })?;
    out.fill(T::ZERO);
    for part in parts {
        out.iter_mut().zip(part).for_each(|(y, p)| *y += p);
    }
    Ok(())
}

fn check_out<T: Real>(out: &MatMut<'_, T>, rows: usize, columns: usize) -> Result<()> {
    match (out.rows(), out.columns()) == (rows, columns) {
        true => Ok(()),
        false => {
            let found = format!("{} x {}", out.rows(), out.columns());
            Err(Error::size("matrix for the result", format!("{rows} x {columns}"), found))
        }
    }
}

fn is_long(m: usize, n: usize, k: usize) -> bool {
    k >= 2 * STRETCH && m.saturating_mul(n).saturating_mul(k) >= LONG
}

/// 0..n in as few parts of at most [`TILE`] as can be, of nearly equal size, edges at multiples of 16.
pub(crate) fn cuts(n: usize) -> Vec<Range<usize>> {
    let parts = n.div_ceil(TILE);
    let size = n.div_ceil(parts.max(1)).next_multiple_of(16);
    (0..n).step_by(size.max(1)).map(|start| start..n.min(start + size)).collect()
}

/// A part of the result with the place of its first row and column.
pub(crate) struct Tile<'a, T> {
    pub row: usize,
    pub column: usize,
    pub out: faer::MatMut<'a, T>,
}

/// The tiles of `out` for which `keep(i, j)` holds.
pub(crate) fn tiles<'a, T: Real>(
    out: faer::MatMut<'a, T>,
    rows: &[Range<usize>],
    columns: &[Range<usize>],
    keep: impl Fn(usize, usize) -> bool,
) -> Vec<Tile<'a, T>> {
    let mut tiles = Vec::with_capacity(rows.len() * columns.len());
    let mut below = out;
    for (i, row) in rows.iter().enumerate() {
        let (mut right, rest) = below.split_at_row_mut(row.len());
        below = rest;
        for (j, column) in columns.iter().enumerate() {
            let (tile, rest) = right.split_at_col_mut(column.len());
            right = rest;
            if keep(i, j) {
                tiles.push(Tile { row: row.start, column: column.start, out: tile });
            }
        }
    }
    tiles
}

/// One tile on one thread.
///
/// faer is slower by up to a half where the rows of the left factor do not lie together. Such a factor is copied piece
/// by piece, each small enough for the cache, which costs a few hundredths.
fn tile_product<T: Real>(
    mut out: faer::MatMut<'_, T>,
    mut beta: Accum,
    left: faer::MatRef<'_, T>,
    right: faer::MatRef<'_, T>,
    alpha: T,
) {
    const DEPTH: usize = 256;
    const SMALL: usize = 64;
    let (m, n, k) = (left.nrows(), right.ncols(), left.ncols());
    if left.col_stride() == 1 || m.min(n).min(k) < SMALL {
        return matmul(out, beta, left, right, alpha, Par::Seq);
    }
    let mut copy = vec![T::ZERO; m * DEPTH.min(k)];
    for start in (0..k).step_by(DEPTH) {
        let depth = DEPTH.min(k - start);
        let rows = &mut copy[..m * depth];
        turn(left.subcols(start, depth), rows);
        let rows = faer::MatRef::from_row_major_slice(&*rows, m, depth);
        matmul(out.as_mut(), beta, rows, right.subrows(start, depth), alpha, Par::Seq);
        beta = Accum::Add;
    }
}

/// Writes a matrix whose columns lie together row after row, in squares that fit the registers.
fn turn<T: Real>(from: faer::MatRef<'_, T>, out: &mut [T]) {
    const SIDE: usize = 8;
    let (rows, columns) = (from.nrows(), from.ncols());
    let lines: Vec<Option<&[T]>> = from.col_iter().map(|c| c.try_as_col_major().map(|c| c.as_slice())).collect();
    let whole = |i: usize, j: usize| {
        let mut square = [[T::ZERO; SIDE]; SIDE];
        for (c, line) in lines.get(j..j + SIDE)?.iter().enumerate() {
            let line = (*line)?.get(i..i + SIDE)?;
            (0..SIDE).for_each(|r| square[r][c] = line[r]);
        }
        Some(square)
    };
    for i in (0..rows).step_by(SIDE) {
        for j in (0..columns).step_by(SIDE) {
            match whole(i, j) {
                Some(square) => {
                    for (r, row) in square.iter().enumerate() {
                        out[(i + r) * columns + j..][..SIDE].copy_from_slice(row);
                    }
                }
                None => {
                    for r in i..rows.min(i + SIDE) {
                        (j..columns.min(j + SIDE)).for_each(|c| out[r * columns + c] = from[(r, c)]);
                    }
                }
            }
        }
    }
}

/// Computes every tile, stretch after stretch of the inner dimension `k`; cancel is heard before each.
fn fill<T: Real>(
    run: &Run<'_>,
    mut tiles: Vec<Tile<'_, T>>,
    k: usize,
    compute: impl Fn(&mut Tile<'_, T>, Range<usize>) + Sync,
) -> Result<()> {
    let stretches = k.div_ceil(STRETCH).max(1);
    let total = (tiles.len() * stretches) as u64;
    let done = AtomicU64::new(0);
    each_chunk_mut(run, &mut tiles, 1, |_, tile| {
        for s in 0..stretches {
            run.report(&Progress::of("product", done.fetch_add(1, Relaxed), total))?;
            tile.iter_mut().for_each(|tile| compute(tile, s * STRETCH..k.min((s + 1) * STRETCH)));
        }
        Ok(())
    })
}

/// Adds up the partial results of the stretches of a long inner dimension, in groups that bound the memory.
fn stretched<T: Real>(
    run: &Run<'_>,
    k: usize,
    out: MatMut<'_, T>,
    beta: Accum,
    compute: impl Fn(Range<usize>, faer::MatMut<'_, T>) + Sync,
) -> Result<()> {
    const GROUP: usize = 16;
    let (m, n) = (out.rows(), out.columns());
    let stretches = k.div_ceil(STRETCH);
    let _hold = run.memory.take_for::<T>((m * n).saturating_mul(GROUP), "partial products")?;
    let mut out = out.faer();
    if beta == Accum::Replace {
        out.fill(T::ZERO);
    }
    for group in (0..stretches).step_by(GROUP) {
        let parts = each(run, GROUP.min(stretches - group), |i| {
            let s = group + i;
            run.report(&Progress::of("product", s as u64, stretches as u64))?;
            let mut part = faer::Mat::zeros(m, n);
            compute(s * STRETCH..k.min((s + 1) * STRETCH), part.as_mut());
            Ok(part)
        })?;
        parts.iter().for_each(|part| out += part);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Memory, Seed, Verdict, Watch};

    fn run(threads: usize) -> Run<'static> {
        Run { threads, ..Run::quiet(1) }
    }

    fn drawn<T: Real>(seed: u64, n: usize) -> Vec<T> {
        (0..n).map(|i| T::narrow(Seed(seed).at(i).unit() - 0.5)).collect()
    }

    /// The definition: Σ over the inner index in double precision.
    fn twin<T: Real>(a: Mat<'_, T>, b: Mat<'_, T>, i: usize, j: usize) -> f64 {
        (0..a.columns()).map(|l| a.get(i, l).wide() * b.get(l, j).wide()).sum()
    }

    fn check<T: Real>(m: usize, n: usize, k: usize, tolerance: f64) {
        let (a, b, c) = (drawn::<T>(1, m * k), drawn::<T>(2, k * n), drawn::<T>(3, m * n));
        for (ta, tb, tc, add) in [(false, false, false, false), (true, false, true, true), (false, true, false, true)] {
            let left = if ta { Mat::new(&a, k, m).unwrap().transposed() } else { Mat::new(&a, m, k).unwrap() };
            let right = if tb { Mat::new(&b, n, k).unwrap().transposed() } else { Mat::new(&b, k, n).unwrap() };
            let compute = |threads| {
                let mut out = c.clone();
                let view = if tc {
                    MatMut::new(&mut out, n, m).unwrap().transposed()
                } else {
                    MatMut::new(&mut out, m, n).unwrap()
                };
                product(&run(threads), left, right, view, T::narrow(2.0), add).unwrap();
                out
            };
            let (one, four) = (compute(1), compute(4));
            assert!(one.iter().zip(&four).all(|(x, y)| x.wide().to_bits() == y.wide().to_bits()), "threads show");
            let out = if tc { Mat::new(&one, n, m).unwrap().transposed() } else { Mat::new(&one, m, n).unwrap() };
            let before = if tc { Mat::new(&c, n, m).unwrap().transposed() } else { Mat::new(&c, m, n).unwrap() };
            for (i, j) in (0..200).map(|s| (s * 7919 % m.max(1), s * 104_729 % n.max(1))).filter(|_| m * n > 0) {
                let expected = 2.0 * twin(left, right, i, j) + if add { before.get(i, j).wide() } else { 0.0 };
                let error = (out.get(i, j).wide() - expected).abs();
                assert!(error <= tolerance * (k as f64 + 1.0), "{m} {n} {k} at ({i}, {j}): off by {error:e}");
            }
        }
    }

    #[test]
    fn agrees_with_the_definition_and_shows_no_threads() {
        for (m, n, k) in [
            (0, 0, 0),
            (1, 1, 1),
            (3, 0, 2),
            (2, 3, 0),
            (1, 7, 5),
            (17, 5, 33),
            (530, 1100, 70),
            (70, 99, 300),
            (600, 40, 9000),
        ] {
            check::<f64>(m, n, k, 1e-15);
            check::<f32>(m, n, k, 1e-6);
        }
        check::<f64>(65, 33, 10_001, 1e-15);
        check::<f32>(65, 33, 10_001, 1e-6);
    }

    #[test]
    fn gram_is_the_product_with_the_transpose() {
        for (k, n) in [(0, 3), (5, 0), (1, 1), (7, 5), (100, 600), (40_000, 33)] {
            let a = drawn::<f64>(4, k * n);
            let a = Mat::new(&a, k, n).unwrap();
            let compute = |threads| {
                let mut out = vec![f64::NAN; n * n];
                gram(&run(threads), a, MatMut::new(&mut out, n, n).unwrap()).unwrap();
                out
            };
            let (one, four) = (compute(1), compute(4));
            assert!(one.iter().zip(&four).all(|(x, y)| x.to_bits() == y.to_bits()));
            for (i, j) in (0..200).map(|s| (s * 7919 % n.max(1), s * 104_729 % n.max(1))).filter(|_| n > 0) {
                let (found, expected) = (one[i * n + j], twin(a.transposed(), a, i, j));
                assert!(
                    (found - expected).abs() < 1e-14 * (k as f64 + 1.0),
                    "{k} {n} ({i}, {j}): {found} for {expected}"
                );
                assert_eq!(one[i * n + j], one[j * n + i]);
            }
        }
    }

    #[test]
    fn vectors_are_narrow_matrices() {
        for (m, n) in [(0, 0), (1, 1), (5, 0), (0, 4), (700, 33), (33, 1700)] {
            let (a, x, y) = (drawn::<f64>(5, m * n), drawn::<f64>(6, n), drawn::<f64>(7, m));
            let a = Mat::new(&a, m, n).unwrap();
            let compute = |threads, a: Mat<'_, f64>, x: &[f64]| {
                let mut out = vec![f64::NAN; a.rows()];
                times_vector(&run(threads), a, x, &mut out).unwrap();
                out
            };
            for (a, x) in [(a, &x), (a.transposed(), &y)] {
                let (one, four) = (compute(1, a, x), compute(4, a, x));
                assert!(one.iter().zip(&four).all(|(x, y)| x.to_bits() == y.to_bits()));
                for (i, value) in one.iter().enumerate() {
                    assert!((value - twin(a, Mat::column(x), i, 0)).abs() < 1e-12);
                }
            }
        }
    }

    struct After(AtomicU64);
    impl Watch for After {
        fn step(&self, _: &Progress<'_>) -> Verdict {
            if self.0.fetch_add(1, Relaxed) < 3 { Verdict::GoOn } else { Verdict::Cancel }
        }
    }

    #[test]
    fn sizes_cancel_and_memory_are_heard() {
        let a = drawn::<f64>(1, 1100 * 1100);
        let square = Mat::new(&a, 1100, 1100).unwrap();
        let mut out = vec![0.0; 1100 * 1100];
        for threads in [1, 2] {
            let watch = After(AtomicU64::new(0));
            let run = Run { watch: &watch, ..run(threads) };
            let result = product(&run, square, square, MatMut::new(&mut out, 1100, 1100).unwrap(), 1.0, false);
            assert_eq!(result, Err(Error::Cancelled));
        }
        let wrong = product(&run(1), square, square, MatMut::new(&mut out, 1, 1_210_000).unwrap(), 1.0, false);
        assert!(matches!(wrong, Err(Error::Size { .. })));
        let poor = Run { memory: Memory::limited(1000), ..run(1) };
        let long = Mat::new(&a, 40_000, 30).unwrap_or(Mat::strided(&a, 40_000, 30, 30).unwrap());
        let result = gram(&poor, long, MatMut::new(&mut out[..900], 30, 30).unwrap());
        assert!(matches!(result, Err(Error::Memory { .. })));
        assert!(times_vector(&run(1), square, &a[..3], &mut out[..1100]).is_err());
    }
}
