//! The Gram matrix of some points, and whether it is what a kernel promises: symmetric and without negative eigenvalues.
//!
//! By Mercer's theorem a kernel is an inner product of features exactly if every such matrix is positive semi-definite.
//! A matrix can only refute that; a negative eigenvalue beyond rounding does.
//!
//! **Cost.** n²·d operations, n³ for the eigenvalues; n² numbers, counted as long as they are there.

use crate::block::Against;
use crate::kernel::Kernel;
use base::{Hold, Points, Result, Run, Shared};
use numeric::{Mat, eigen};

/// What a Gram matrix shows of its kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mercer {
    /// The largest |K_ij − K_ji|.
    pub asymmetry: f64,
    /// The smallest eigenvalue of the symmetric part.
    pub smallest: f64,
    /// The largest eigenvalue of the symmetric part.
    pub largest: f64,
}

impl Mercer {
    /// Whether the matrix is symmetric and positive semi-definite up to rounding.
    pub fn holds(&self) -> bool {
        let rounding = 1e-10 * self.largest.abs().max(f64::MIN_POSITIVE);
        self.asymmetry <= rounding && self.smallest >= -rounding
    }
}

/// K_ij = k(x_i, x_j), row after row.
pub fn gram(kernel: &Kernel, points: &Points, run: &Run<'_>) -> Result<Shared<f64>> {
    let (matrix, hold) = held(kernel, points, run)?;
    Ok(Shared::counted(matrix, hold))
}

/// The same to write to, with what counts it.
fn held(kernel: &Kernel, points: &Points, run: &Run<'_>) -> Result<(Vec<f64>, Hold)> {
    let n = points.len();
    let (mut matrix, hold) = run.memory.filled(n.saturating_mul(n), 0.0, "Gram matrix")?;
    Against::new(kernel, points, run)?.block(points, &mut matrix, run)?;
    Ok((matrix, hold))
}

/// Looks at the Gram matrix of some points.
pub fn mercer(kernel: &Kernel, points: &Points, run: &Run<'_>) -> Result<Mercer> {
    let n = points.len();
    let (mut matrix, _hold) = held(kernel, points, run)?;
    let mut asymmetry = 0.0f64;
    for i in 0..n {
        for j in 0..i {
            let (a, b) = (matrix[i * n + j], matrix[j * n + i]);
            asymmetry = asymmetry.max((a - b).abs());
            (matrix[i * n + j], matrix[j * n + i]) = (0.5 * (a + b), 0.5 * (a + b));
        }
    }
    let values = eigen(run, Mat::new(&matrix, n, n)?)?.values;
    let edge = |f: fn(f64, f64) -> f64| values.iter().copied().reduce(f).unwrap_or(0.0);
    Ok(Mercer { asymmetry, smallest: edge(f64::min), largest: edge(f64::max) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::{Linear, Sigmoid, examples};
    use base::{Seed, normal};

    #[test]
    fn r4_the_matrix_is_counted_as_long_as_it_is_there() {
        let run = Run { memory: base::Memory::limited(1 << 20), ..Run::quiet(1) };
        let points = Points::dense((0..200).map(f64::from).collect::<Vec<f64>>(), 200, 1).unwrap();
        let matrix = gram(&Kernel::new(Linear), &points, &run).unwrap();
        assert_eq!((matrix[3 * 200 + 7], run.memory.used()), (21.0, 200 * 200 * 8));
        drop(matrix);
        assert_eq!(run.memory.used(), 0);
        let more = Points::dense(vec![1.0; 400], 400, 1).unwrap();
        assert!(matches!(gram(&Kernel::new(Linear), &more, &run), Err(base::Error::Memory { asked: 1_280_000, .. })));
    }

    #[test]
    fn kernels_that_promise_it_are_positive_and_the_others_are_found_out() {
        let mut stream = Seed(8).stream();
        let values: Vec<f64> = (0..60 * 3).map(|_| normal(&mut stream).abs()).collect();
        let points = Points::dense(values, 60, 3).unwrap();
        let run = Run::quiet(1);
        for kernel in examples().into_iter().filter(|k| k.positive_definite()) {
            let found = mercer(&kernel, &points, &run).unwrap();
            assert!(found.holds(), "{kernel:?} {found:?}");
        }
        for kernel in [Kernel::exponential(1.0, 4.0), Kernel::new(Sigmoid { gamma: 1.0, coef0: -1.0 })] {
            let found = mercer(&kernel, &points, &run).unwrap();
            assert!(!kernel.positive_definite() && !found.holds(), "{kernel:?} {found:?}");
        }
    }
}
