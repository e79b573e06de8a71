//! Products of points with sparse matrices, one result row at a time.
//!
//! The right factor lies by rows (for weights: each feature with the outputs it counts for), so a row of points visits only
//! the features it has and the outputs these have. Sums run in the order of the features for every thread count.
//!
//! **Cost.** Additions for a row: Σ over its entries of the entries of that row of the factor.

use base::{Error, Points, Result, Run, Sparse};

/// Rows of the result computed in one go.
const ROWS: usize = 64;

/// Adds row `i` of `points` · b to `out`.
fn row_times_sparse(points: &Points, i: usize, b: &Sparse, out: &mut [f64]) {
    let mut add = |id: usize, value: f64| {
        let (outputs, weights) = b.row(id);
        outputs.iter().zip(weights).for_each(|(&k, w)| out[k as usize] += value * w);
    };
    match points {
        Points::Sparse(sparse) => {
            let (ids, values) = sparse.row(i);
            ids.iter().zip(values).for_each(|(&id, &value)| add(id as usize, value));
        }
        Points::Dense(dense) => {
            dense.row(i).iter().enumerate().filter(|(_, x)| **x != 0.0).for_each(|(j, x)| add(j, *x))
        }
    }
}

/// Adds points · b to the first columns of `out`, which has `width` numbers for each point.
pub fn points_times_sparse(run: &Run<'_>, points: &Points, b: &Sparse, out: &mut [f64], width: usize) -> Result<()> {
    if b.len() != points.columns() {
        return Err(Error::size("rows of the right factor", points.columns(), b.len()));
    }
    if Some(out.len()) != points.len().checked_mul(width) || b.columns() > width {
        return Err(Error::size("numbers of the result", format!("{} x {width}", points.len()), out.len()));
    }
    if width == 0 {
        return Ok(());
    }
    crate::each_chunk_mut(run, out, ROWS * width, |block, lines| {
        for (i, line) in lines.chunks_exact_mut(width).enumerate() {
            row_times_sparse(points, block * ROWS + i, b, &mut line[..b.columns()]);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mat, MatMut, points_times};
    use base::{Memory, Seed};

    fn drawn(rows: usize, columns: usize, fraction: f64, seed: Seed) -> Sparse {
        let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
        for i in 0..rows {
            for j in (0..columns).filter(|j| seed.at(i * columns + j).unit() < fraction) {
                ids.push(j as u32);
                values.push(seed.at(i).at(j).unit() - 0.5);
            }
            starts.push(ids.len());
        }
        Sparse::new(starts, ids, values, columns).unwrap()
    }

    #[test]
    fn agrees_with_dense_weights_and_shows_no_threads() {
        for case in 0..24 {
            let seed = Seed(case).fork("sparse weights");
            let size = |i: usize, most: f64| (seed.at(i).unit() * most) as usize;
            let (n, d, k, extra) = (size(0, 300.0), size(1, 60.0), 1 + size(2, 40.0), size(3, 3.0));
            let points = Points::Sparse(drawn(n, d, 0.3, seed.fork("points")));
            let weights = drawn(d, k, [0.0, 0.2, 1.0][case as usize % 3], seed.fork("weights"));
            let memory = Memory::unlimited();
            let full = Points::Sparse(weights.clone()).to_dense(&memory).unwrap();
            let mut expected = vec![0.0; n * k];
            let out = MatMut::new(&mut expected, n, k).unwrap();
            points_times(&Run::quiet(1), &points, Mat::new(&full, d, k).unwrap(), out).unwrap();
            let dense = Points::dense(points.to_dense(&memory).unwrap().to_vec(), n, d).unwrap();
            let width = k + extra;
            let compute = |points: &Points, threads: usize| {
                let mut out = vec![0.0; n * width];
                points_times_sparse(&Run { threads, ..Run::quiet(1) }, points, &weights, &mut out, width).unwrap();
                out
            };
            let one = compute(&points, 1);
            assert_eq!(one, compute(&points, 4));
            assert_eq!(one, compute(&dense, 1));
            for (line, expected) in one.chunks_exact(width).zip(expected.chunks_exact(k)) {
                assert!(line.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12));
                assert!(line[k..].iter().all(|x| *x == 0.0));
            }
        }
    }

    #[test]
    fn sizes_that_do_not_match_are_refused() {
        let points = Points::dense(vec![1.0; 6], 2, 3).unwrap();
        let weights = |rows| drawn(rows, 4, 0.5, Seed(1));
        let run = Run::quiet(1);
        assert!(points_times_sparse(&run, &points, &weights(2), &mut [0.0; 8], 4).is_err());
        assert!(points_times_sparse(&run, &points, &weights(3), &mut [0.0; 7], 4).is_err());
        assert!(points_times_sparse(&run, &points, &weights(3), &mut [0.0; 6], 3).is_err());
        assert!(points_times_sparse(&run, &points, &weights(3), &mut [0.0; 8], 4).is_ok());
    }
}
