//! Products of sparse rows with dense matrices.
//!
//! A · B adds up scaled rows of B, one result row at a time; Aᵀ · B sums over rows of A, so blocks of rows (fixed by
//! the data) each fill a matrix of their own and these are added in order.
//!
//! **Cost.** 2 · entries · columns of B; bound by memory. Aᵀ · B takes up to [`PARTS`] result matrices of memory.

use crate::pool::for_work;
use crate::{Mat, MatMut, add_scaled, each_chunk_mut, product, sparse_dot, sum_blocks};
use base::{Error, Points, Progress, Result, Run, Sparse};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Rows of the result computed in one go.
const ROWS: usize = 256;
/// Into how many blocks the rows of A are cut at most for Aᵀ · B.
pub const PARTS: usize = 16;

/// out = a · b for sparse `a`.
pub fn sparse_times(run: &Run<'_>, a: &Sparse, b: Mat<'_, f64>, mut out: MatMut<'_, f64>) -> Result<()> {
    if b.rows() != a.columns() {
        return Err(Error::size("rows of the right factor", a.columns(), b.rows()));
    }
    if (out.rows(), out.columns()) != (a.len(), b.columns()) {
        let found = format!("{} x {}", out.rows(), out.columns());
        return Err(Error::size("matrix for the result", format!("{} x {}", a.len(), b.columns()), found));
    }
    if out.is_transposed() {
        return Err(Error::unsupported("a transposed result", "a sparse product", "give rows that lie together"));
    }
    let run = &for_work(run, a.entries().saturating_mul(b.columns()));
    // A single column, however it is stored, is a vector: dots, not scaled rows of length 1.
    let vector: Option<Vec<f64>> = (b.columns() == 1).then(|| (0..b.rows()).map(|i| b.get(i, 0)).collect());
    let (blocks, done) = (a.len().div_ceil(ROWS) as u64, AtomicU64::new(0));
    each_chunk_mut(run, &mut out.line_groups(ROWS), 1, |_, groups| {
        run.report(&Progress::of("sparse product", done.fetch_add(1, Relaxed), blocks))?;
        for (i, line) in groups.iter_mut().flat_map(|group| group.each()) {
            let (ids, values) = a.row(i);
            if let Some(vector) = &vector {
                line[0] = sparse_dot(ids, values, vector);
                continue;
            }
            line.fill(0.0);
            for (&id, &value) in ids.iter().zip(values) {
                add_row(line, value, b, id as usize);
            }
        }
        Ok(())
    })
}

/// out = aᵀ · b for sparse `a`.
pub fn sparse_transposed_times(run: &Run<'_>, a: &Sparse, b: Mat<'_, f64>, mut out: MatMut<'_, f64>) -> Result<()> {
    let width = b.columns();
    if b.rows() != a.len() {
        return Err(Error::size("rows of the right factor", a.len(), b.rows()));
    }
    if (out.rows(), out.columns()) != (a.columns(), width) {
        let found = format!("{} x {}", out.rows(), out.columns());
        return Err(Error::size("matrix for the result", format!("{} x {width}", a.columns()), found));
    }
    let run = &for_work(run, a.entries().saturating_mul(width));
    let length = a.columns().saturating_mul(width);
    // A block must have more work than the zeros it fills and the sum it joins.
    let wanted = (a.entries().saturating_mul(width) / (4 * length.max(1))).clamp(1, PARTS);
    let block = a.len().div_ceil(wanted).max(1);
    let total = sum_blocks(run, a.len(), block, length, |rows, sum| {
        run.report(&Progress::of("sparse product", rows.start as u64, a.len() as u64))?;
        for i in rows {
            let (ids, values) = a.row(i);
            for (&id, &value) in ids.iter().zip(values) {
                let id = id as usize;
                add_row(&mut sum[id * width..(id + 1) * width], value, b, i);
            }
        }
        Ok(())
    })?;
    for (i, row) in total.chunks_exact(width.max(1)).enumerate() {
        row.iter().enumerate().for_each(|(j, &value)| out.set(i, j, value));
    }
    Ok(())
}

/// line ← line + scale · row `i` of b.
fn add_row(line: &mut [f64], scale: f64, b: Mat<'_, f64>, i: usize) {
    match b.is_transposed() {
        false => add_scaled(line, scale, b.line(i)),
        true => line.iter_mut().enumerate().for_each(|(j, y)| *y += scale * b.get(i, j)),
    }
}

/// out = points · b for points of either form.
pub fn points_times(run: &Run<'_>, points: &Points, b: Mat<'_, f64>, out: MatMut<'_, f64>) -> Result<()> {
    match points {
        Points::Sparse(sparse) => sparse_times(run, sparse, b, out),
        Points::Dense(dense) => {
            let values = dense.values().to_f64(&run.memory)?;
            product(run, Mat::new(&values, dense.len(), dense.columns())?, b, out, 1.0, false)
        }
    }
}

/// out = pointsᵀ · b for points of either form.
pub fn points_transposed_times(run: &Run<'_>, points: &Points, b: Mat<'_, f64>, out: MatMut<'_, f64>) -> Result<()> {
    match points {
        Points::Sparse(sparse) => sparse_transposed_times(run, sparse, b, out),
        Points::Dense(dense) => {
            let values = dense.values().to_f64(&run.memory)?;
            product(run, Mat::new(&values, dense.len(), dense.columns())?.transposed(), b, out, 1.0, false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Memory, Seed};

    /// Sparse points where every third number is there, and the same points dense.
    fn both(rows: usize, columns: usize) -> (Sparse, Points) {
        let seed = Seed(9).fork("sparse");
        let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
        for i in 0..rows {
            for j in (0..columns).filter(|j| seed.at(i * columns + j).unit() < 0.3) {
                ids.push(j as u32);
                values.push(seed.at(i).at(j).unit() - 0.5);
            }
            starts.push(ids.len());
        }
        let sparse = Sparse::new(starts, ids, values, columns).unwrap();
        let dense = Points::Sparse(sparse.clone()).to_dense(&Memory::unlimited()).unwrap().to_vec();
        (sparse, Points::dense(dense, rows, columns).unwrap())
    }

    #[test]
    fn agrees_with_the_dense_product_and_shows_no_threads() {
        for (rows, columns, width) in [(0, 3, 2), (3, 0, 2), (1, 1, 1), (700, 40, 1), (700, 5, 7), (1300, 33, 16)] {
            let (sparse, dense) = both(rows, columns);
            let numbers = |n: usize| (0..n).map(|i| Seed(5).at(i).unit() - 0.5).collect::<Vec<_>>();
            let (right, left) = (numbers(columns * width), numbers(rows * width));
            for transposed in [false, true] {
                let view = |data, r, c| match transposed {
                    false => Mat::new(data, r, c).unwrap(),
                    true => Mat::new(data, c, r).unwrap().transposed(),
                };
                let (b, bt) = (view(&right, columns, width), view(&left, rows, width));
                let compute = |threads: usize, points: &Points| {
                    let run = Run { threads, ..Run::quiet(1) };
                    let (mut times, mut back) = (vec![f64::NAN; rows * width], vec![f64::NAN; columns * width]);
                    points_times(&run, points, b, MatMut::new(&mut times, rows, width).unwrap()).unwrap();
                    points_transposed_times(&run, points, bt, MatMut::new(&mut back, columns, width).unwrap()).unwrap();
                    times.extend(back);
                    times
                };
                let sparse = Points::Sparse(sparse.clone());
                let (one, four, plain) = (compute(1, &sparse), compute(4, &sparse), compute(1, &dense));
                assert!(one.iter().zip(&four).all(|(x, y)| x.to_bits() == y.to_bits()));
                assert!(one.iter().zip(&plain).all(|(x, y)| (x - y).abs() < 1e-12));
            }
        }
    }

    #[test]
    fn sizes_and_memory_are_heard() {
        let (sparse, _) = both(50, 6);
        let (b, mut out) = (vec![0.0; 60], vec![0.0; 60]);
        let run = Run::quiet(1);
        let b = Mat::new(&b, 6, 10).unwrap();
        assert!(sparse_times(&run, &sparse, b, MatMut::new(&mut out, 6, 10).unwrap()).is_err());
        assert!(sparse_transposed_times(&run, &sparse, b, MatMut::new(&mut out, 6, 10).unwrap()).is_err());
        let poor = Run { memory: Memory::limited(8), ..run };
        let tall = vec![0.0; 50];
        let result = sparse_transposed_times(&poor, &sparse, Mat::column(&tall), MatMut::column(&mut out[..6]));
        assert!(matches!(result, Err(Error::Memory { .. })));
    }
}
