//! Cholesky factorisation of symmetric positive definite matrices, block by block.
//!
//! A = L Lᵀ. For each block of columns: factor the square on the diagonal, solve the panel below it, subtract the
//! panel's product from what remains. Panels and products are cut into tiles by the size alone and spread over threads,
//! cancel is heard between blocks. Only the lower half is read.
//!
//! **Cost.** n³/3 operations. **Limits.** A pivot that is not positive ends the work with an error that names it: the
//! matrix is not positive definite to working precision, and adding to its diagonal would be right.
//!
//! - G. H. Golub, C. F. Van Loan: *Matrix Computations.* 4th ed., Johns Hopkins 2013, section 4.2.

use crate::product::{cuts, tiles};
use crate::{Mat, MatMut, Real, each, each_chunk_mut};
use base::{Error, Hold, Place, Progress, Result, Run};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::matmul::triangular::{
    self,
    BlockStructure::{Rectangular as Full, TriangularLower as Lower},
};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Par, linalg::cholesky::llt::factor, linalg::matmul::matmul};
use std::slice::from_ref;

/// Columns factored at a time.
const BLOCK: usize = 256;
/// Right-hand sides solved at a time.
const SIDES: usize = 64;

/// Replaces the lower half of a square matrix by its Cholesky factor; the upper half is left alone.
pub fn cholesky_in_place<T: Real>(run: &Run<'_>, mut a: MatMut<'_, T>) -> Result<()> {
    let n = a.rows();
    if a.columns() != n {
        return Err(Error::size("columns of a square matrix", n, a.columns()));
    }
    let _hold = run.memory.take_for::<T>(BLOCK.min(n).saturating_mul(n), "a panel of the factor")?;
    for start in (0..n).step_by(BLOCK) {
        run.report(&Progress::of("cholesky", start as u64, n as u64))?;
        let width = BLOCK.min(n - start);
        let rest = a.again().faer().submatrix_mut(start, start, n - start, n - start);
        let (mut square, _, mut panel, mut below) = rest.split_at_mut(width, width);
        factor_square(square.as_mut(), start)?;
        let height = panel.nrows();
        if height == 0 {
            break;
        }
        let square = square.as_ref();
        // L₂₁ = A₂₁ L₁₁⁻ᵀ: rows of the panel are independent.
        let mut strips = tiles(panel.as_mut(), &cuts(height), from_ref(&(0..width)), |_, _| true);
        each_chunk_mut(run, &mut strips, 1, |_, strips| {
            strips
                .iter_mut()
                .for_each(|s| solve_lower_triangular_in_place(square, s.out.as_mut().transpose_mut(), Par::Seq));
            Ok(())
        })?;
        drop(strips);
        // A₂₂ ← A₂₂ − L₂₁ L₂₁ᵀ, lower tiles only.
        let panel = panel.as_ref();
        let mut lower = tiles(below.as_mut(), &cuts(height), &cuts(height), |i, j| i >= j);
        each_chunk_mut(run, &mut lower, 1, |_, tiles| {
            for tile in tiles {
                let left = panel.subrows(tile.row, tile.out.nrows());
                let right = panel.subrows(tile.column, tile.out.ncols()).transpose();
                let out = tile.out.as_mut();
                match tile.row == tile.column {
                    // On the diagonal the upper half is not ours to write.
                    true => {
                        triangular::matmul(out, Lower, Accum::Add, left, Full, right, Full, -T::ONE, Par::Seq);
                    }
                    false => matmul(out, Accum::Add, left, right, -T::ONE, Par::Seq),
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Factors a small square at `start` of the whole.
fn factor_square<T: Real>(square: faer::MatMut<'_, T>, start: usize) -> Result<()> {
    let scratch = factor::cholesky_in_place_scratch::<T>(square.nrows(), Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    let mut square = square;
    let not_finite = (0..square.nrows()).find(|&i| (0..=i).any(|j| !square[(i, j)].wide().is_finite()));
    let result = factor::cholesky_in_place(square.as_mut(), Default::default(), Par::Seq, stack, Default::default());
    let failed = match result {
        Ok(_) => not_finite,
        Err(factor::LltError::NonPositivePivot { index }) => Some(index),
    };
    match failed {
        None => Ok(()),
        Some(index) => {
            let why = "the matrix is not positive definite there; add to its diagonal or leave out dependent columns";
            Err(Error::data(Place::Column(format!("pivot {}", start + index)), why))
        }
    }
}

/// A factored matrix, for solving and for determinants.
pub struct Cholesky<T> {
    factor: Vec<T>,
    n: usize,
    _hold: Hold,
}

impl<T: Real> Cholesky<T> {
    /// Factors a symmetric positive definite matrix, of which the lower half is read.
    pub fn new(run: &Run<'_>, a: Mat<'_, T>) -> Result<Self> {
        let n = a.rows();
        if a.columns() != n {
            return Err(Error::size("columns of a square matrix", n, a.columns()));
        }
        let (mut factor, hold) = run.memory.filled(n.saturating_mul(n), T::ZERO, "the Cholesky factor")?;
        for i in 0..n {
            for j in 0..=i {
                factor[i * n + j] = a.get(i, j);
            }
        }
        cholesky_in_place(run, MatMut::new(&mut factor, n, n)?)?;
        Ok(Cholesky { factor, n, _hold: hold })
    }

    /// Rows and columns of the matrix.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// L, with zeros above the diagonal.
    pub fn factor(&self) -> Result<Mat<'_, T>> {
        Mat::new(&self.factor, self.n, self.n)
    }

    /// b ← A⁻¹ b, for any number of columns.
    pub fn solve(&self, run: &Run<'_>, b: MatMut<'_, T>) -> Result<()> {
        self.sides(run, b, |l, mut side| {
            solve_lower_triangular_in_place(l, side.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(l.transpose(), side, Par::Seq);
        })
    }

    /// b ← L⁻¹ b, for any number of columns.
    pub fn solve_half(&self, run: &Run<'_>, b: MatMut<'_, T>) -> Result<()> {
        self.sides(run, b, |l, side| solve_lower_triangular_in_place(l, side, Par::Seq))
    }

    fn sides(
        &self,
        run: &Run<'_>,
        b: MatMut<'_, T>,
        solve: impl Fn(faer::MatRef<'_, T>, faer::MatMut<'_, T>) + Sync,
    ) -> Result<()> {
        if b.rows() != self.n {
            return Err(Error::size("rows of the right-hand side", self.n, b.rows()));
        }
        let l = self.factor()?.faer();
        let columns = b.columns();
        let ranges: Vec<_> = (0..columns).step_by(SIDES).map(|c| c..columns.min(c + SIDES)).collect();
        let mut sides = tiles(b.faer(), from_ref(&(0..self.n)), &ranges, |_, _| true);
        each_chunk_mut(run, &mut sides, 1, |i, sides| {
            run.report(&Progress::of("solve", (i * SIDES) as u64, columns as u64))?;
            sides.iter_mut().for_each(|side| solve(l, side.out.as_mut()));
            Ok(())
        })
    }

    /// log det A = 2 Σ log Lᵢᵢ.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.n).map(|i| self.factor[i * self.n + i].wide().ln()).sum::<f64>()
    }

    /// xᵀ A⁻¹ x = ‖L⁻¹ x‖².
    pub fn quadratic(&self, run: &Run<'_>, x: &[T]) -> Result<f64> {
        let _hold = run.memory.take_for::<T>(x.len(), "a right-hand side")?;
        let mut y = x.to_vec();
        self.solve_half(run, MatMut::column(&mut y))?;
        Ok(y.iter().map(|y| y.wide() * y.wide()).sum())
    }

    /// The diagonal of A⁻¹: (A⁻¹)ⱼⱼ = Σᵢ (L⁻¹)ᵢⱼ².
    pub fn inverse_diagonal(&self, run: &Run<'_>) -> Result<Vec<f64>> {
        let n = self.n;
        let at_once = crate::threads(run).saturating_mul(SIDES.min(n.max(1)));
        let _hold = run.memory.take_for::<T>(n.saturating_mul(at_once), "columns of the inverse factor")?;
        let l = self.factor()?.faer();
        let parts = each(run, n.div_ceil(SIDES), |block| {
            run.report(&Progress::of("inverse diagonal", (block * SIDES) as u64, n as u64))?;
            let first = block * SIDES;
            let count = SIDES.min(n - first);
            // The unit vectors of this block are 0 above `first`, and so are the solutions.
            let mut columns = faer::Mat::<T>::zeros(n - first, count);
            (0..count).for_each(|j| columns[(j, j)] = T::ONE);
            let corner = l.submatrix(first, first, n - first, n - first);
            solve_lower_triangular_in_place(corner, columns.as_mut(), Par::Seq);
            let square = |j: usize| columns.col(j).iter().map(|v| v.wide() * v.wide()).sum::<f64>();
            Ok((0..count).map(square).collect::<Vec<_>>())
        })?;
        Ok(parts.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{gram, product};
    use base::{Memory, Seed, Verdict, Watch};

    fn run(threads: usize) -> Run<'static> {
        Run { threads, ..Run::quiet(1) }
    }

    /// BᵀB + n·I for drawn B: positive definite, well conditioned.
    fn definite<T: Real>(n: usize) -> Vec<T> {
        let b: Vec<T> = (0..n * n).map(|i| T::narrow(Seed(8).at(i).unit() - 0.5)).collect();
        let mut a = vec![T::ZERO; n * n];
        gram(&run(1), Mat::new(&b, n, n).unwrap(), MatMut::new(&mut a, n, n).unwrap()).unwrap();
        (0..n).for_each(|i| a[i * n + i] += T::narrow(n as f64));
        a
    }

    fn check<T: Real>(n: usize, tolerance: f64) {
        let data = definite::<T>(n);
        let a = Mat::new(&data, n, n).unwrap();
        let one = Cholesky::new(&run(1), a).unwrap();
        let four = Cholesky::new(&run(4), a).unwrap();
        let bits = |v: &[T]| v.iter().map(|x| x.wide().to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&one.factor), bits(&four.factor));
        let l = one.factor().unwrap();
        assert!((0..n).all(|i| (i + 1..n).all(|j| l.get(i, j) == T::ZERO)), "the upper half is written to");
        let mut back = vec![T::ZERO; n * n];
        product(&run(1), l, l.transposed(), MatMut::new(&mut back, n, n).unwrap(), T::ONE, false).unwrap();
        let scale = 1.0 + n as f64;
        let worst = back.iter().zip(&data).map(|(x, y)| (x.wide() - y.wide()).abs()).fold(0.0, f64::max);
        assert!(worst < tolerance * scale, "{n}: off by {worst:e}");
        // A x = b, checked by multiplying back; several right-hand sides, more than one block of them.
        let b: Vec<T> = (0..n * 70).map(|i| T::narrow(Seed(3).at(i).unit())).collect();
        let solve = |threads| {
            let mut x = b.clone();
            one.solve(&run(threads), MatMut::new(&mut x, n, 70).unwrap()).unwrap();
            x
        };
        let x = solve(1);
        assert_eq!(bits(&x), bits(&solve(4)));
        let mut again = vec![T::ZERO; n * 70];
        product(&run(1), a, Mat::new(&x, n, 70).unwrap(), MatMut::new(&mut again, n, 70).unwrap(), T::ONE, false)
            .unwrap();
        assert!(again.iter().zip(&b).all(|(x, y)| (x.wide() - y.wide()).abs() < 10.0 * tolerance * scale));
        // (A⁻¹)ⱼⱼ and xᵀA⁻¹x by solving.
        let diagonal = one.inverse_diagonal(&run(1)).unwrap();
        assert_eq!(diagonal.len(), n);
        assert_eq!(diagonal, one.inverse_diagonal(&run(4)).unwrap());
        for j in (0..n).step_by(1 + n / 5) {
            let mut e = vec![T::ZERO; n];
            e[j] = T::ONE;
            let quadratic = one.quadratic(&run(1), &e).unwrap();
            one.solve(&run(1), MatMut::column(&mut e)).unwrap();
            assert!((e[j].wide() - diagonal[j]).abs() < tolerance && (quadratic - diagonal[j]).abs() < tolerance);
        }
    }

    #[test]
    fn factors_multiply_back_and_solutions_solve() {
        for n in [0, 1, 2, 33, 256, 300, 700] {
            check::<f64>(n, 1e-13);
            check::<f32>(n, 1e-4);
        }
        let identity = [4.0, 0.0, 0.0, 9.0];
        let c = Cholesky::new(&run(1), Mat::new(&identity, 2, 2).unwrap()).unwrap();
        assert!((c.log_determinant() - 36f64.ln()).abs() < 1e-15);
        assert_eq!(c.inverse_diagonal(&run(1)).unwrap(), [0.25, 1.0 / 9.0]);
    }

    struct Never;
    impl Watch for Never {
        fn step(&self, _: &Progress<'_>) -> Verdict {
            Verdict::Cancel
        }
    }

    #[test]
    fn failures_are_named() {
        let n = 400;
        let mut a = definite::<f64>(n);
        a[300 * n + 300] = -1.0;
        let says = |a: &[f64]| match Cholesky::new(&run(2), Mat::new(a, n, n).unwrap()) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert!(says(&a).contains("pivot 300") && says(&a).contains("not positive definite"), "{}", says(&a));
        a[300 * n + 300] = f64::NAN;
        assert!(says(&a).contains("not positive definite"), "{}", says(&a));
        let a = definite::<f64>(n);
        let a = Mat::new(&a, n, n).unwrap();
        let poor = Run { memory: Memory::limited(1000), ..run(1) };
        assert!(matches!(Cholesky::new(&poor, a), Err(Error::Memory { .. })));
        let stopped = Run { watch: &Never, ..run(1) };
        assert!(matches!(Cholesky::new(&stopped, a), Err(Error::Cancelled)));
        assert!(Cholesky::new(&run(1), a.part(0..3, 0..2).unwrap()).is_err());
        let whole = Cholesky::new(&run(1), a).unwrap();
        assert!(whole.solve(&run(1), MatMut::column(&mut [1.0])).is_err());
    }
}
