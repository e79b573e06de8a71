//! Sums over centres, variable by variable, for whole batches: Σ_j w_j (x_i − u_ji)² and Σ_j w_j (x_i − u_ji).
//!
//! Expanded, they are products of matrices: x_i² Σ w_j − 2 x_i Σ w_j u_ji + Σ w_j u_ji², with everything measured from the
//! mean of the centres. Where x is so close to a centre that this would cancel (‖x − u_j‖² at most [`NEAR`] of
//! ‖x‖² + ‖u_j‖²) the pair is added term by term. Sparse centres stay sparse and are measured from 0.
//!
//! **Cost.** 4·m·d operations a row at the speed of products; 2·m·d numbers held. **Error.** About d · 2⁻⁵² / NEAR of the
//! row's sum.

use crate::{Mat, MatMut, Prepared, each_chunk_mut, product, sparse_transposed_times, squared_norm};
use base::{Hold, Memory, Points, Result, Run, Sparse};

/// Pairs closer than this share of their squared norms are added term by term.
const NEAR: f64 = 1.0 / 1024.0;
/// Rows that one thread takes in one go.
const PIECE: usize = 8;

/// Centres made ready.
pub struct Centres {
    points: Points,
    prepared: Prepared,
    /// What everything is measured from: the mean of dense centres, 0 of sparse ones.
    origin: Vec<f64>,
    /// ‖u_j‖² measured from there.
    norms: Vec<f64>,
    form: Form,
    _hold: Hold,
}

/// The centres, and each number squared.
enum Form {
    Dense { plain: Vec<f64>, squares: Vec<f64> },
    Sparse { plain: Sparse, squares: Sparse },
}

/// Which sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CentreSum {
    /// Σ w_j (x_i − u_ji)².
    Squares,
    /// Σ w_j (x_i − u_ji).
    Differences,
}

impl Centres {
    /// Makes centres ready; copies of dense ones are counted.
    pub fn new(points: &Points, run: &Run<'_>) -> Result<Self> {
        let (m, d) = (points.len(), points.columns());
        let hold = run.memory.take_for::<f64>(points.entries().saturating_mul(2), "centres")?;
        let prepared = Prepared::new(run, points)?;
        let mut origin = vec![0.0; d];
        let form = match points {
            Points::Sparse(sparse) => {
                let first = sparse.starts()[0];
                let range = first..first + sparse.entries();
                let starts: Vec<usize> = sparse.starts().iter().map(|s| s - first).collect();
                let values: Vec<f64> = sparse.values()[range.clone()].iter().map(|x| x * x).collect();
                let squares = Sparse::new(starts, sparse.ids()[range].to_vec(), values, d)?;
                Form::Sparse { plain: sparse.clone(), squares }
            }
            Points::Dense(_) => {
                let mut plain = points.to_dense(&Memory::unlimited())?.to_vec();
                for u in plain.chunks_exact(d.max(1)) {
                    origin.iter_mut().zip(u).for_each(|(o, x)| *o += x / m as f64);
                }
                for u in plain.chunks_exact_mut(d.max(1)) {
                    u.iter_mut().zip(&origin).for_each(|(x, o)| *x -= o);
                }
                let squares = plain.iter().map(|x| x * x).collect();
                Form::Dense { plain, squares }
            }
        };
        let norms = match &form {
            Form::Dense { plain, .. } if d > 0 => plain.chunks_exact(d).map(squared_norm).collect(),
            Form::Dense { .. } => vec![0.0; m],
            Form::Sparse { squares, .. } => (0..m).map(|j| squares.row(j).1.iter().sum()).collect(),
        };
        Ok(Centres { points: points.clone(), prepared, origin, norms, form, _hold: hold })
    }

    /// How many centres.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// How many variables.
    pub fn columns(&self) -> usize {
        self.origin.len()
    }

    /// out = squared distances from each row to each centre.
    pub fn squared_distances(&self, block: &Points, out: &mut [f64], run: &Run<'_>) -> Result<()> {
        self.prepared.squared_distances(run, block, MatMut::new(out, block.len(), self.len())?)
    }

    /// out (rows x variables) = the sum for each row and variable. `weights` and `squares` are rows x centres; weights
    /// of pairs too near for products are taken out of `weights`. A centre that x equals gives nothing.
    pub fn sums(
        &self,
        block: &Points,
        squares: &[f64],
        weights: &mut [f64],
        sum: CentreSum,
        out: &mut [f64],
        run: &Run<'_>,
    ) -> Result<()> {
        let (n, m, d) = (block.len(), self.len(), self.columns());
        if n == 0 || m == 0 || d == 0 {
            return Ok(());
        }
        let _hold = run.memory.take_for::<f64>(n.saturating_mul(2 * d), "a block of relevance")?;
        let mut x = block.to_dense(&Memory::unlimited())?.to_vec();
        x.chunks_exact_mut(d).for_each(|x| x.iter_mut().zip(&self.origin).for_each(|(x, o)| *x -= o));
        let mut near: Vec<Vec<(u32, f64)>> = vec![vec![]; n];
        for (i, (line, squares)) in weights.chunks_exact_mut(m).zip(squares.chunks_exact(m)).enumerate() {
            let norm = squared_norm(&x[i * d..(i + 1) * d]);
            for (j, (w, &square)) in line.iter_mut().zip(squares).enumerate() {
                if *w != 0.0 && square <= NEAR * (norm + self.norms[j]) {
                    near[i].push((j as u32, *w));
                    *w = 0.0;
                }
            }
        }
        let weights = Mat::new(weights, n, m)?;
        let mut first = vec![0.0; n * d];
        self.times(weights, false, &mut first, run)?;
        if sum == CentreSum::Squares {
            self.times(weights, true, out, run)?;
        }
        let (x, first, near) = (&x, &first, &near);
        each_chunk_mut(run, out, PIECE * d, |piece, lines| {
            for (k, line) in lines.chunks_exact_mut(d).enumerate() {
                let i = piece * PIECE + k;
                let all: f64 = weights.line(i).iter().sum();
                let terms = line.iter_mut().zip(&x[i * d..]).zip(&first[i * d..]);
                match sum {
                    CentreSum::Squares => terms.for_each(|((r, x), wu)| *r = (x * (x * all - 2.0 * wu) + *r).max(0.0)),
                    CentreSum::Differences => terms.for_each(|((r, x), wu)| *r = x * all - wu),
                }
                self.add_near(block, i, &near[i], sum, line);
            }
            Ok(())
        })
    }

    /// out = W · U, or W · U² number by number.
    fn times(&self, w: Mat<'_, f64>, squared: bool, out: &mut [f64], run: &Run<'_>) -> Result<()> {
        let (n, m, d) = (w.rows(), self.len(), self.columns());
        match &self.form {
            Form::Dense { plain, squares } => {
                let u = Mat::new(if squared { squares } else { plain }, m, d)?;
                product(run, w, u, MatMut::new(out, n, d)?, 1.0, false)
            }
            Form::Sparse { plain, squares } => {
                let (mut turned, _hold) = run.memory.filled(n * d, 0.0, "a block of relevance")?;
                let u = if squared { squares } else { plain };
                sparse_transposed_times(run, u, w.transposed(), MatMut::new(&mut turned, d, n)?)?;
                for (i, line) in out.chunks_exact_mut(d).enumerate() {
                    line.iter_mut().zip(turned.iter().skip(i).step_by(n)).for_each(|(o, t)| *o = *t);
                }
                Ok(())
            }
        }
    }

    /// Adds the pairs that were set aside, term by term from the original numbers.
    fn add_near(&self, block: &Points, row: usize, near: &[(u32, f64)], sum: CentreSum, line: &mut [f64]) {
        if near.is_empty() {
            return;
        }
        let (mut x, mut u) = (vec![0.0; line.len()], vec![0.0; line.len()]);
        block.write_row(row, &mut x);
        for &(j, w) in near {
            self.points.write_row(j as usize, &mut u);
            let terms = line.iter_mut().zip(x.iter().zip(&u).map(|(x, u)| x - u));
            match sum {
                CentreSum::Squares => terms.for_each(|(r, z)| *r += w * z * z),
                CentreSum::Differences => terms.for_each(|(r, z)| *r += w * z),
            }
        }
    }
}
