//! Eigenvalues of symmetric matrices, singular values, least squares.
//!
//! The work is faer's, run on one thread, so that the bits do not depend on the number of threads. Signs are settled:
//! of each eigenvector or right singular vector the component of largest size (the first of equals) is positive.
//!
//! **Cost.** O(n³) for eigenvalues, O(m·n·min(m, n)) for singular values. Cancel is heard before the work begins.
//!
//! - G. H. Golub, C. F. Van Loan: *Matrix Computations.* 4th ed., Johns Hopkins 2013, sections 5.5, 8.3, 8.6.

use crate::{Mat, MatMut, product};
use base::{Error, Hold, Place, Progress, Result, Run};

/// A = V diag(values) Vᵀ.
#[derive(Debug)]
pub struct Eigen {
    /// Ascending.
    pub values: Vec<f64>,
    /// n x n, row after row; column j belongs to value j.
    pub vectors: Vec<f64>,
    _hold: Hold,
}

/// A = U diag(values) Vᵀ with min(m, n) singular values.
#[derive(Debug)]
pub struct Svd {
    /// Descending.
    pub values: Vec<f64>,
    /// m x min(m, n), row after row.
    pub u: Vec<f64>,
    /// n x min(m, n), row after row.
    pub v: Vec<f64>,
    _hold: Hold,
}

/// The shortest x that minimises ‖A x − b‖.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastSquares {
    /// columns of A x columns of b, row after row.
    pub solution: Vec<f64>,
    /// How many singular values are above the cut.
    pub rank: usize,
    /// The singular values, descending.
    pub values: Vec<f64>,
}

/// Eigenvalues and eigenvectors of a symmetric matrix, of which the lower half is read.
pub fn eigen(run: &Run<'_>, a: Mat<'_, f64>) -> Result<Eigen> {
    let n = a.rows();
    if a.columns() != n {
        return Err(Error::size("columns of a square matrix", n, a.columns()));
    }
    // Vectors twice (faer's and ours), and as much again to work in.
    let hold = start(run, "eigenvalues", a, n.saturating_mul(n).saturating_mul(4))?;
    if n == 0 {
        return Ok(Eigen { values: vec![], vectors: vec![], _hold: hold });
    }
    let (values, vectors) = patiently(run, (n, n), a, |a| {
        let found = a.self_adjoint_eigen(faer::Side::Lower).map_err(|_| no_end("eigenvalues"))?;
        let signs = signs(found.U());
        Ok((found.S().column_vector().iter().copied().collect(), rows_of(found.U(), &signs)))
    })?;
    Ok(Eigen { values, vectors, _hold: hold })
}

/// The thin singular value decomposition.
pub fn svd(run: &Run<'_>, a: Mat<'_, f64>) -> Result<Svd> {
    let (m, n) = (a.rows(), a.columns());
    let hold = start(run, "singular values", a, (m.saturating_add(n)).saturating_mul(m.min(n)).saturating_mul(4))?;
    let (values, u, v) = patiently(run, (m, n), a, |a| {
        let found = a.thin_svd().map_err(|_| no_end("singular values"))?;
        let values: Vec<f64> = found.S().column_vector().iter().copied().collect();
        let signs = signs(found.V());
        Ok((values, rows_of(found.U(), &signs), rows_of(found.V(), &signs)))
    })?;
    Ok(Svd { values, u, v, _hold: hold })
}

/// The singular values alone, descending.
pub fn singular_values(run: &Run<'_>, a: Mat<'_, f64>) -> Result<Vec<f64>> {
    let _hold = start(run, "singular values", a, a.rows().saturating_mul(a.columns()).saturating_mul(2))?;
    patiently(run, (a.rows(), a.columns()), a, |a| a.singular_values().map_err(|_| no_end("singular values")))
}

/// Decompositions of so many operations and more are waited for on another thread.
const LONG: f64 = 2e8;

/// Computes `f` of the matrix. The decompositions are single calls that cannot be asked to stop: long ones work on a
/// copy on a thread of their own, while this one listens. When told to stop it leaves the thread to end by itself, unheard.
fn patiently<T: Send + 'static>(
    run: &Run<'_>,
    (m, n): (usize, usize),
    a: Mat<'_, f64>,
    f: impl FnOnce(faer::MatRef<'_, f64>) -> Result<T> + Send + 'static,
) -> Result<T> {
    if m as f64 * n as f64 * m.min(n) as f64 <= LONG {
        return f(a.faer());
    }
    let copy = a.faer().to_owned();
    let hold = run.memory.take_for::<f64>(m.saturating_mul(n), "a matrix to be decomposed")?;
    let (tell, told) = std::sync::mpsc::channel();
    let work = move || {
        let answer = f(copy.as_ref());
        drop(hold);
        // Nobody listens any more if the work was given up.
        let _ = tell.send(answer);
    };
    if std::thread::Builder::new().name("pellucid-decompose".into()).spawn(work).is_err() {
        return Err(Error::data(Place::Whole, "the system starts no thread for a decomposition"));
    }
    loop {
        match told.recv_timeout(std::time::Duration::from_millis(20)) {
            Ok(answer) => return answer,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => run.check()?,
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return Err(no_end("decomposition")),
        }
    }
}

/// The shortest of all x that minimise ‖A x − b‖ for each column of b, through the singular values of A.
///
/// Singular values up to `tolerance` · the largest count as 0; `None` means max(m, n) · 2⁻⁵², the rounding error of
/// the decomposition itself.
pub fn least_squares(run: &Run<'_>, a: Mat<'_, f64>, b: Mat<'_, f64>, tolerance: Option<f64>) -> Result<LeastSquares> {
    let (m, n, sides) = (a.rows(), a.columns(), b.columns());
    if b.rows() != m {
        return Err(Error::size("rows of the right-hand side", m, b.rows()));
    }
    if let Some(t) = tolerance.filter(|t| !(t.is_finite() && *t >= 0.0)) {
        return Err(Error::parameter("tolerance", t, "must be finite and at least 0"));
    }
    let parts = svd(run, a)?;
    let k = parts.values.len();
    let tolerance = tolerance.unwrap_or(m.max(n) as f64 * f64::EPSILON);
    let cut = tolerance * parts.values.first().copied().unwrap_or(0.0);
    let rank = parts.values.iter().filter(|s| **s > cut).count();
    // x = V diag(1/s) Uᵀ b over the first `rank` values.
    let _hold = run.memory.take_for::<f64>(k.saturating_add(n).saturating_mul(sides), "the solution")?;
    let (mut c, mut solution) = (vec![0.0; k * sides], vec![0.0; n * sides]);
    product(run, Mat::new(&parts.u, m, k)?.transposed(), b, MatMut::new(&mut c, k, sides)?, 1.0, false)?;
    for (row, s) in c.chunks_exact_mut(sides.max(1)).zip(&parts.values) {
        row.iter_mut().for_each(|c| *c = if *s > cut { *c / s } else { 0.0 });
    }
    product(
        run,
        Mat::new(&parts.v, n, k)?,
        Mat::new(&c, k, sides)?,
        MatMut::new(&mut solution, n, sides)?,
        1.0,
        false,
    )?;
    Ok(LeastSquares { solution, rank, values: parts.values })
}

/// Asks for leave and memory, and refuses what is not finite: the iterations would not end well.
fn start(run: &Run<'_>, stage: &str, a: Mat<'_, f64>, numbers: usize) -> Result<Hold> {
    run.report(&Progress::of(stage, 0, 1))?;
    let (lines, _) = if a.is_transposed() { (a.columns(), a.rows()) } else { (a.rows(), a.columns()) };
    if (0..lines).any(|i| a.line(i).iter().any(|x| !x.is_finite())) {
        return Err(Error::data(Place::Whole, format!("{stage} of a matrix with a number that is not finite")));
    }
    run.memory.take_for::<f64>(numbers, stage)
}

fn no_end(what: &str) -> Error {
    Error::data(Place::Whole, format!("the iteration for the {what} did not end; rescale the data"))
}

/// For each column −1 where its component of largest size is negative.
fn signs(vectors: faer::MatRef<'_, f64>) -> Vec<f64> {
    let sign = |column: faer::ColRef<'_, f64>| {
        let largest = column.iter().fold(0.0f64, |best, &x| if x.abs() > best.abs() { x } else { best });
        if largest < 0.0 { -1.0 } else { 1.0 }
    };
    vectors.col_iter().map(sign).collect()
}

/// The numbers row after row, columns times their signs.
fn rows_of(m: faer::MatRef<'_, f64>, signs: &[f64]) -> Vec<f64> {
    let row = |i: usize| (0..m.ncols()).map(move |j| signs[j] * m[(i, j)]);
    (0..m.nrows()).flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram;
    use base::{Memory, Seed};

    fn run(threads: usize) -> Run<'static> {
        Run { threads, ..Run::quiet(1) }
    }

    fn drawn(seed: u64, n: usize) -> Vec<f64> {
        (0..n).map(|i| Seed(seed).at(i).unit() - 0.5).collect()
    }

    fn times(a: &[f64], b: &[f64], m: usize, k: usize, n: usize) -> Vec<f64> {
        let entry = |i: usize, j: usize| (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
        (0..m * n).map(|e| entry(e / n, e % n)).collect()
    }

    fn transpose(a: &[f64], m: usize, n: usize) -> Vec<f64> {
        (0..m * n).map(|e| a[e % m * n + e / m]).collect()
    }

    fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() < tolerance)
    }

    fn unit(n: usize) -> Vec<f64> {
        (0..n * n).map(|e| f64::from(e / n == e % n)).collect()
    }

    #[test]
    fn eigenvectors_are_orthonormal_and_give_the_matrix_back() {
        for n in [0, 1, 2, 5, 40] {
            let raw = drawn(1, n * n);
            let a: Vec<f64> = raw.iter().zip(transpose(&raw, n, n)).map(|(x, y)| x + y).collect();
            let e = eigen(&run(1), Mat::new(&a, n, n).unwrap()).unwrap();
            assert!(e.values.windows(2).all(|w| w[0] <= w[1]));
            let vt = transpose(&e.vectors, n, n);
            assert!(close(&times(&vt, &e.vectors, n, n, n), &unit(n), 1e-13));
            let scaled: Vec<f64> = e.vectors.iter().enumerate().map(|(i, v)| v * e.values[i % n]).collect();
            assert!(close(&times(&scaled, &vt, n, n, n), &a, 1e-13));
            let again = eigen(&run(4), Mat::new(&a, n, n).unwrap()).unwrap();
            assert_eq!((e.values, e.vectors), (again.values, again.vectors));
        }
    }

    #[test]
    fn singular_vectors_are_orthonormal_and_give_the_matrix_back() {
        for (m, n) in [(0, 3), (3, 0), (1, 1), (7, 3), (3, 7), (60, 20)] {
            let a = drawn(2, m * n);
            let k = m.min(n);
            let s = svd(&run(1), Mat::new(&a, m, n).unwrap()).unwrap();
            assert!(s.values.windows(2).all(|w| w[0] >= w[1]) && s.values.len() == k);
            assert!(close(&times(&transpose(&s.u, m, k), &s.u, k, m, k), &unit(k), 1e-13));
            assert!(close(&times(&transpose(&s.v, n, k), &s.v, k, n, k), &unit(k), 1e-13));
            let scaled: Vec<f64> = s.u.iter().enumerate().map(|(i, v)| v * s.values[i % k]).collect();
            assert!(close(&times(&scaled, &transpose(&s.v, n, k), m, k, n), &a, 1e-13));
            assert!(close(&singular_values(&run(1), Mat::new(&a, m, n).unwrap()).unwrap(), &s.values, 1e-13));
            let again = svd(&run(4), Mat::new(&a, m, n).unwrap()).unwrap();
            assert_eq!((s.values, s.u, s.v), (again.values, again.u, again.v));
        }
    }

    #[test]
    fn least_squares_is_normal_and_shortest() {
        for (m, n) in [(30, 4), (4, 9), (1, 1)] {
            let (a, b) = (drawn(3, m * n), drawn(4, m * 2));
            let found = least_squares(&run(1), Mat::new(&a, m, n).unwrap(), Mat::new(&b, m, 2).unwrap(), None).unwrap();
            assert_eq!(found.rank, m.min(n));
            // The residual is orthogonal to the columns of A.
            let fit = times(&a, &found.solution, m, n, 2);
            let residual: Vec<f64> = fit.iter().zip(&b).map(|(f, b)| f - b).collect();
            assert!(close(&times(&transpose(&a, m, n), &residual, n, m, 2), &vec![0.0; n * 2], 1e-12));
        }
        // Two equal columns: rank 1, and the shortest solution shares the weight equally.
        let a = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
        let b = [2.0, 4.0, 6.0];
        let found = least_squares(&run(1), Mat::new(&a, 3, 2).unwrap(), Mat::column(&b), None).unwrap();
        assert!(found.rank == 1 && close(&found.solution, &[1.0, 1.0], 1e-14), "{found:?}");
        let all_cut = least_squares(&run(1), Mat::new(&a, 3, 2).unwrap(), Mat::column(&b), Some(1.0)).unwrap();
        assert_eq!((all_cut.rank, &all_cut.solution[..]), (0, &[0.0, 0.0][..]));
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let a = [1.0, f64::NAN, 0.0, 1.0];
        let a = Mat::new(&a, 2, 2).unwrap();
        assert!(matches!(eigen(&run(1), a), Err(Error::Data { .. })));
        assert!(matches!(svd(&run(1), a), Err(Error::Data { .. })));
        let b = drawn(1, 100);
        let b = Mat::new(&b, 10, 10).unwrap();
        let poor = || Run { memory: Memory::limited(100), ..run(1) };
        assert!(matches!(eigen(&poor(), b), Err(Error::Memory { .. })));
        assert!(matches!(svd(&poor(), b), Err(Error::Memory { .. })));
        assert!(matches!(least_squares(&run(1), b, Mat::column(&[1.0]), None), Err(Error::Size { .. })));
        assert!(least_squares(&run(1), b, b, Some(f64::NAN)).is_err());
        assert!(eigen(&run(1), b.part(0..3, 0..4).unwrap()).is_err());
        let mut g = vec![0.0; 100];
        gram(&run(1), b, MatMut::new(&mut g, 10, 10).unwrap()).unwrap();
        let values = eigen(&run(1), Mat::new(&g, 10, 10).unwrap()).unwrap().values;
        let singular = singular_values(&run(1), b).unwrap();
        assert!(values.iter().rev().zip(&singular).all(|(e, s)| (e - s * s).abs() < 1e-13));
    }
}
