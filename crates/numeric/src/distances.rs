//! Squared Euclidean distances between all pairs of two sets of points, by products, without losing digits.
//!
//! ‖a − b‖² = ‖a‖² + ‖b‖² − 2 aᵀb costs one matrix product, but cancels where the points are close compared with their
//! distance from the origin. Therefore dense points are first centred on the mean of the reference set, and every
//! result that is at most [`SHARE`] of ‖a‖² + ‖b‖² is recomputed term by term from the original numbers. Few dense
//! columns are computed term by term throughout. Sparse points with few entries are not centred (that would fill them).
//!
//! **Error.** Relative error at most (d + 8) · 2⁻⁵² / SHARE for d columns, (d + 2) · 2⁻⁵³ where recomputed; equal points
//! have distance exactly 0, nothing is negative. Beyond the range of doubles (coordinates above 1e150 or all below
//! 1e-150) squares overflow to ∞ or underflow to 0.
//! **Cost.** 2·m·n·d operations for dense points; for sparse reference points m · entries.

use crate::pool::for_work;
use crate::vector::{add_squares, combine};
use crate::{Lanes, Mat, MatMut, each_chunk_mut, product, sparse_dot, squared_distance, squared_norm, sum_blocks};
use base::{Error, Hold, Points, Progress, Result, Run, Sparse};
use std::borrow::Cow;
use std::ops::Range;

/// Results at most this share of ‖a‖² + ‖b‖² are recomputed directly.
pub const SHARE: f64 = 1.0 / 1024.0;
/// Up to so many dense columns the direct sum is as fast as the product.
const FEW: usize = 12;
/// Query rows computed in one go.
const ROWS: usize = 1024;
/// Numbers that queries written out in one go may take.
const WRITTEN: usize = 1 << 22;
/// Query rows of one piece of parallel work.
const PIECE: usize = 16;
/// The same for sparse queries that meet sparse points.
const BESIDE: usize = 128;

/// out = squared distances from each of `a` (rows of `out`) to each of `b` (columns of `out`).
pub fn squared_distances(run: &Run<'_>, a: &Points, b: &Points, out: MatMut<'_, f64>) -> Result<()> {
    Prepared::new(run, b)?.squared_distances(run, a, out)
}

/// A reference set made ready for repeated queries.
pub struct Prepared {
    points: Points,
    form: Form,
    _hold: Hold,
}

enum Form {
    /// Few dense columns, stored column after column.
    Few(Vec<f64>),
    /// The points less their mean, row after row, and the squared norms of these and of the points themselves.
    Dense { centre: Vec<f64>, centred: Vec<f64>, norms: Vec<f64>, plain: Vec<f64> },
    /// The squared norms of sparse rows.
    Sparse { norms: Vec<f64> },
}

impl Prepared {
    /// Makes a reference set ready; dense points are copied (counted), sparse points shared.
    pub fn new(run: &Run<'_>, points: &Points) -> Result<Self> {
        let (n, d) = (points.len(), points.columns());
        let numbers = match points {
            Points::Sparse(_) => n,
            Points::Dense(_) => n.saturating_mul(d.saturating_add(2)).saturating_add(d),
        };
        let hold = run.memory.take_for::<f64>(numbers, "prepared reference points")?;
        let form = match points {
            Points::Sparse(sparse) => Form::Sparse { norms: norms_of(sparse) },
            Points::Dense(dense) if d <= FEW => {
                let mut columns = vec![0.0; n * d];
                for i in 0..n {
                    dense.row(i).iter().enumerate().for_each(|(c, &x)| columns[c * n + i] = x);
                }
                Form::Few(columns)
            }
            Points::Dense(dense) => {
                let centre = mean(run, points)?;
                let mut centred = vec![0.0; n * d];
                less_centre(run, points, 0..n, &centre, &mut centred)?;
                let norms = centred.chunks_exact(d).map(squared_norm).collect();
                let plain = (0..n).map(|i| squared_norm(&dense.row(i))).collect();
                Form::Dense { centre, centred, norms, plain }
            }
        };
        Ok(Prepared { points: points.clone(), form, _hold: hold })
    }

    /// The largest relative error of a distance between points of `columns` columns.
    pub fn relative_error(columns: usize) -> f64 {
        (columns as f64 + 8.0) * f64::EPSILON / SHARE
    }

    /// The reference points themselves.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// out = squared distances from each query (rows of `out`) to each reference point (columns of `out`).
    pub fn squared_distances(&self, run: &Run<'_>, queries: &Points, mut out: MatMut<'_, f64>) -> Result<()> {
        let (m, n, d) = (queries.len(), self.points.len(), self.points.columns());
        if queries.columns() != d {
            return Err(Error::size("columns of the points", d, queries.columns()));
        }
        if (out.rows(), out.columns()) != (m, n) {
            let found = format!("{} x {}", out.rows(), out.columns());
            return Err(Error::size("matrix for the distances", format!("{m} x {n}"), found));
        }
        if out.is_transposed() {
            return Err(Error::unsupported("a transposed result", "distances", "exchange the two sets of points"));
        }
        let run = &for_work(run, queries.entries().saturating_mul(n));
        // Sparse queries with few entries are cheaper left as they are, though the reference is then not centred.
        let thin = queries.is_sparse() && queries.entries().saturating_mul(8) < m.saturating_mul(d);
        let block = (WRITTEN / d.max(1)).clamp(PIECE, ROWS);
        for start in (0..m).step_by(block) {
            run.report(&Progress::of("distances", start as u64, m as u64))?;
            let rows = start..m.min(start + block);
            let part = out.again().part(rows.clone(), 0..n)?;
            match (&self.form, &self.points, queries) {
                (Form::Few(columns), ..) => self.directly(run, queries, rows, columns, part)?,
                (Form::Dense { plain, .. }, Points::Dense(dense), Points::Sparse(sparse)) if thin => {
                    let dot = |i: usize, j: usize| {
                        let (ids, values) = sparse.row(i);
                        sparse_dot(ids, values, &dense.row(j))
                    };
                    self.by_dots(run, queries, rows, plain, dot, part)?;
                }
                (Form::Dense { centre, centred, norms, .. }, ..) => {
                    self.by_product(run, queries, rows, (centre, centred, norms), part)?;
                }
                (Form::Sparse { norms }, ..) => self.by_rows(run, queries, rows, norms, part)?,
            }
        }
        Ok(())
    }

    /// The distance of one pair, term by term from the original numbers.
    pub fn exact(&self, queries: &Points, i: usize, j: usize) -> f64 {
        between(&row_of(queries, i), &row_of(&self.points, j))
    }

    fn directly(
        &self,
        run: &Run<'_>,
        queries: &Points,
        rows: Range<usize>,
        columns: &[f64],
        mut out: MatMut<'_, f64>,
    ) -> Result<()> {
        let (n, d) = (self.points.len(), self.points.columns());
        each_chunk_mut(run, &mut out.line_groups(PIECE), 1, |_, groups| {
            let mut query = vec![0.0; d];
            for (i, line) in groups.iter_mut().flat_map(|group| group.each()) {
                queries.write_row(rows.start + i, &mut query);
                line.fill(0.0);
                query.iter().zip(columns.chunks_exact(n)).for_each(|(&x, y)| add_squares(line, x, y));
            }
            Ok(())
        })
    }

    fn by_product(
        &self,
        run: &Run<'_>,
        queries: &Points,
        rows: Range<usize>,
        (centre, centred, norms): (&[f64], &[f64], &[f64]),
        mut out: MatMut<'_, f64>,
    ) -> Result<()> {
        let (n, d) = (self.points.len(), self.points.columns());
        let (mut block, _hold) = run.memory.filled(rows.len().saturating_mul(d), 0.0, "prepared queries")?;
        less_centre(run, queries, rows.clone(), centre, &mut block)?;
        let right = Mat::new(centred, n, d)?.transposed();
        product(run, Mat::new(&block, rows.len(), d)?, right, out.again(), 1.0, false)?;
        each_chunk_mut(run, &mut out.line_groups(PIECE), 1, |_, groups| {
            for (i, line) in groups.iter_mut().flat_map(|group| group.each()) {
                let norm = squared_norm(&block[i * d..(i + 1) * d]);
                self.finish(queries, rows.start + i, norm, norms, line);
            }
            Ok(())
        })
    }

    fn by_rows(
        &self,
        run: &Run<'_>,
        queries: &Points,
        rows: Range<usize>,
        norms: &[f64],
        mut out: MatMut<'_, f64>,
    ) -> Result<()> {
        let Points::Sparse(reference) = &self.points else { return Ok(()) };
        let d = reference.columns();
        let every: Vec<u32> = if queries.is_sparse() { vec![] } else { (0..d as u32).collect() };
        let beside = if queries.is_sparse() { BESIDE } else { PIECE };
        each_chunk_mut(run, &mut out.line_groups(beside), 1, |_, groups| {
            let (places, mut lines): (Vec<usize>, Vec<&mut [f64]>) =
                groups.iter_mut().flat_map(|group| group.each()).unzip();
            let own: Vec<Row<'_>> = places.iter().map(|i| row_of(queries, rows.start + i)).collect();
            let entries = own.iter().map(Row::entries).sum();
            let _hold = run.memory.take(Lanes::<f64>::bytes(d, own.len(), entries), "queries side by side")?;
            let lanes = Lanes::new(d, own.len(), own.iter().map(|row| row.parts(&every)));
            lanes.products((0..reference.len()).map(|j| reference.row(j)), &mut lines);
            for ((i, row), line) in places.iter().zip(&own).zip(lines) {
                self.finish(queries, rows.start + i, row.squared_norm(), norms, line);
            }
            Ok(())
        })
    }

    fn by_dots(
        &self,
        run: &Run<'_>,
        queries: &Points,
        rows: Range<usize>,
        norms: &[f64],
        dot: impl Fn(usize, usize) -> f64 + Sync,
        mut out: MatMut<'_, f64>,
    ) -> Result<()> {
        each_chunk_mut(run, &mut out.line_groups(PIECE), 1, |_, groups| {
            for (i, line) in groups.iter_mut().flat_map(|group| group.each()) {
                let i = rows.start + i;
                line.iter_mut().enumerate().for_each(|(j, out)| *out = dot(i, j));
                self.finish(queries, i, row_of(queries, i).squared_norm(), norms, line);
            }
            Ok(())
        })
    }

    /// Inner products to distances; those where digits cancelled are computed anew.
    fn finish(&self, queries: &Points, i: usize, norm: f64, norms: &[f64], line: &mut [f64]) {
        if !combine(line, norm, norms, SHARE) {
            return;
        }
        let query = row_of(queries, i);
        for (j, out) in line.iter_mut().enumerate() {
            let safe = *out > SHARE * (norm + norms[j]);
            if !safe {
                *out = between(&query, &row_of(&self.points, j));
            }
        }
    }
}

/// A point in either form.
enum Row<'a> {
    Dense(Cow<'a, [f64]>),
    Sparse(&'a [u32], &'a [f64]),
}

fn row_of(points: &Points, i: usize) -> Row<'_> {
    match points {
        Points::Dense(dense) => Row::Dense(dense.row(i)),
        Points::Sparse(sparse) => {
            let (ids, values) = sparse.row(i);
            Row::Sparse(ids, values)
        }
    }
}

impl Row<'_> {
    fn squared_norm(&self) -> f64 {
        match self {
            Row::Dense(values) => squared_norm(values),
            Row::Sparse(_, values) => squared_norm(values),
        }
    }

    fn entries(&self) -> usize {
        match self {
            Row::Dense(values) => values.len(),
            Row::Sparse(_, values) => values.len(),
        }
    }

    /// Its ids and values; `every` has the ids of dense ones.
    fn parts<'a>(&'a self, every: &'a [u32]) -> (&'a [u32], &'a [f64]) {
        match self {
            Row::Dense(values) => (every, values),
            Row::Sparse(ids, values) => (ids, values),
        }
    }
}

/// ‖a − b‖² term by term.
fn between(a: &Row<'_>, b: &Row<'_>) -> f64 {
    match (a, b) {
        (Row::Dense(a), Row::Dense(b)) => squared_distance(a, b),
        (Row::Dense(dense), Row::Sparse(ids, values)) | (Row::Sparse(ids, values), Row::Dense(dense)) => {
            let mut next = 0;
            let mut sum = 0.0;
            for (c, x) in dense.iter().enumerate() {
                let there = ids.get(next).is_some_and(|&id| id as usize == c);
                let e = x - if there { values[next] } else { 0.0 };
                next += usize::from(there);
                sum += e * e;
            }
            sum
        }
        (Row::Sparse(a, x), Row::Sparse(b, y)) => {
            let (mut i, mut j, mut sum) = (0, 0, 0.0);
            while i < a.len() || j < b.len() {
                let (p, q) = (a.get(i).copied().unwrap_or(u32::MAX), b.get(j).copied().unwrap_or(u32::MAX));
                // An id of u32::MAX itself still moves on, as the lengths are asked first.
                let (left, right) = (i < a.len() && p <= q, j < b.len() && q <= p);
                let e = if left { x[i] } else { 0.0 } - if right { y[j] } else { 0.0 };
                sum += e * e;
                i += usize::from(left);
                j += usize::from(right);
            }
            sum
        }
    }
}

fn norms_of(sparse: &Sparse) -> Vec<f64> {
    (0..sparse.len()).map(|i| squared_norm(sparse.row(i).1)).collect()
}

/// The mean of dense points; 0 where it is beyond the range of doubles. Any centre is right, a near one is precise.
fn mean(run: &Run<'_>, points: &Points) -> Result<Vec<f64>> {
    let (n, d) = (points.len(), points.columns());
    let mut sum = sum_blocks(run, n, n.div_ceil(64).max(256), d, |rows, sum| {
        let mut row = vec![0.0; d];
        for i in rows {
            points.write_row(i, &mut row);
            sum.iter_mut().zip(&row).for_each(|(s, x)| *s += x / n as f64);
        }
        Ok(())
    })?;
    sum.iter_mut().for_each(|s| *s = if s.is_finite() { *s } else { 0.0 });
    Ok(sum)
}

/// Writes rows of points less a centre.
fn less_centre(run: &Run<'_>, points: &Points, rows: Range<usize>, centre: &[f64], out: &mut [f64]) -> Result<()> {
    const LINES: usize = 64;
    let d = centre.len();
    each_chunk_mut(run, out, LINES * d, |chunk, out| {
        for (i, line) in out.chunks_exact_mut(d).enumerate() {
            points.write_row(rows.start + chunk * LINES + i, line);
            line.iter_mut().zip(centre).for_each(|(x, c)| *x -= c);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Buffer, Memory, Seed, Verdict, Watch};

    /// Points with some rows equal to others and one at the origin, around an offset.
    fn drawn(seed: u64, n: usize, d: usize, offset: f64, density: f64) -> Vec<f64> {
        let value = |i: usize, c: usize| {
            let s = Seed(seed).at(i).at(c);
            if s.fork("there").unit() < density { offset + s.unit() - 0.5 } else { 0.0 }
        };
        let source = |i: usize| if i % 5 == 4 { i - 1 } else { i };
        (0..n * d).map(|e| if e / d == 7 { 0.0 } else { value(source(e / d), e % d) }).collect()
    }

    fn to_sparse(values: &[f64], n: usize, d: usize) -> Points {
        let (mut starts, mut ids, mut kept) = (vec![0], vec![], vec![]);
        for i in 0..n {
            for c in (0..d).filter(|c| values[i * d + c] != 0.0) {
                ids.push(c as u32);
                kept.push(values[i * d + c]);
            }
            starts.push(ids.len());
        }
        Points::Sparse(Sparse::new(starts, ids, kept, d).unwrap())
    }

    fn forms(values: &[f64], n: usize, d: usize) -> [Points; 3] {
        // Single precision only for values that fit it exactly.
        let exact: Vec<f32> = values.iter().map(|&x| x as f32).collect();
        let single = match exact.iter().zip(values).all(|(&a, &b)| f64::from(a) == b) {
            true => Buffer::from(exact),
            false => Buffer::from(values.to_vec()),
        };
        [Points::dense(values.to_vec(), n, d).unwrap(), to_sparse(values, n, d), Points::dense(single, n, d).unwrap()]
    }

    fn compute(threads: usize, a: &Points, b: &Points) -> Vec<f64> {
        let run = Run { threads, ..Run::quiet(1) };
        let mut out = vec![f64::NAN; a.len() * b.len()];
        squared_distances(&run, a, b, MatMut::new(&mut out, a.len(), b.len()).unwrap()).unwrap();
        out
    }

    #[test]
    fn the_relative_error_is_bounded_in_all_forms() {
        for (m, n, d) in [(0, 3, 2), (3, 0, 20), (1, 1, 1), (9, 20, 3), (40, 33, 13), (1030, 70, 30), (30, 600, 200)] {
            for (offset, round, density) in [(0.0, 0.0, 0.4), (1e8, 0.0, 0.05), (3.0, 256.0, 0.4), (-1e4, 0.0, 0.9)] {
                let shape = |v: Vec<f64>| match round > 0.0 {
                    true => v.iter().map(|x| (x * round).round() / round).collect(),
                    false => v,
                };
                // The first rows of a are rows of b.
                let b = shape(drawn(1, n, d, offset, density));
                let mut a = shape(drawn(2, m, d, offset, density));
                let shared = m.min(n).min(10) * d;
                a[..shared].copy_from_slice(&b[..shared]);
                let bound = Prepared::relative_error(d);
                let full = [forms(&a, m, d), forms(&b, n, d)];
                for (left, right) in full[0].iter().flat_map(|l| full[1].iter().map(move |r| (l, r))) {
                    let found = compute(1, left, right);
                    let four = compute(4, left, right);
                    assert!(found.iter().zip(&four).all(|(x, y)| x.to_bits() == y.to_bits()), "threads show");
                    for (e, &value) in found.iter().enumerate() {
                        let (i, j) = (e / n, e % n);
                        let exact: f64 = (0..d).map(|c| (a[i * d + c] - b[j * d + c]).powi(2)).sum();
                        let wrong = (value - exact).abs();
                        assert!(wrong <= bound * exact, "{m} {n} {d} {offset}: {value} for {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn clusters_far_apart_keep_their_inner_distances() {
        // Two clusters 1e8 apart: no centre is near both, so inner distances must be recomputed.
        let (n, d) = (60, 20);
        let place = |i: usize| if i.is_multiple_of(2) { 1e8 } else { -1e8 };
        let values: Vec<f64> = (0..n * d).map(|e| place(e / d) + Seed(4).at(e).unit()).collect();
        let points = Points::dense(values.clone(), n, d).unwrap();
        for (e, found) in compute(2, &points, &points).into_iter().enumerate() {
            let exact: f64 = (0..d).map(|c| (values[e / n * d + c] - values[e % n * d + c]).powi(2)).sum();
            assert!((found - exact).abs() <= 1e-12 * exact);
        }
    }

    #[test]
    fn extremes_give_infinity_or_zero_and_no_nan() {
        for d in [2, 20] {
            let points =
                Points::dense([vec![1e200; d], vec![-1e200; d], vec![1e-200; d], vec![f64::MAX; d]].concat(), 4, d);
            let found = compute(1, &points.clone().unwrap(), &points.unwrap());
            assert!((0..4).all(|i| found[5 * i] == 0.0), "{found:?}");
            assert!(found.iter().all(|x| !x.is_nan()) && found[1] == f64::INFINITY, "{found:?}");
        }
    }

    struct Never;
    impl Watch for Never {
        fn step(&self, _: &Progress<'_>) -> Verdict {
            Verdict::Cancel
        }
    }

    #[test]
    fn sizes_memory_and_cancel_are_heard() {
        let points = Points::dense(vec![0.5; 400], 20, 20).unwrap();
        let mut out = vec![0.0; 400];
        let mut attempt = |run: &Run<'_>, rows: usize| {
            squared_distances(run, &points, &points, MatMut::new(&mut out[..rows * 20], rows, 20).unwrap())
        };
        assert!(matches!(attempt(&Run::quiet(1), 19), Err(Error::Size { .. })));
        let poor = Run { memory: Memory::limited(1000), ..Run::quiet(1) };
        assert!(matches!(attempt(&poor, 20), Err(Error::Memory { .. })));
        assert_eq!(attempt(&Run { watch: &Never, ..Run::quiet(1) }, 20), Err(Error::Cancelled));
        let narrow = Points::dense(vec![0.5; 40], 4, 10).unwrap();
        assert!(
            squared_distances(&Run::quiet(1), &narrow, &points, MatMut::new(&mut out[..80], 4, 20).unwrap()).is_err()
        );
    }
}
