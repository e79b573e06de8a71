//! Blocks of kernel values between any points and a reference set, in double precision, by one matrix product.
//!
//! Distances go through [`numeric::Prepared`] (centred, recomputed where digits cancel); inner products are products of
//! matrices, dense or sparse; kernels of coordinates take the points two by two.
//!
//! **Cost.** 2·m·n·d operations for m queries and n reference points, at the speed of matrix products.

use crate::function::KernelBasis;
use crate::kernel::Kernel;
use base::{Error, Hold, Memory, Points, Progress, Result, Run};
use numeric::{Mat, MatMut, Prepared, each_chunk_mut, points_times, squared_norm};

/// Query rows of one piece of parallel work.
const PIECE: usize = 16;

/// A reference set made ready for a kernel.
pub struct Against {
    kernel: Kernel,
    points: Points,
    form: Form,
}

enum Form {
    Distances(Prepared),
    /// Column after column (d x n), and the squared norms.
    Inner {
        columns: Vec<f64>,
        norms: Vec<f64>,
        _hold: Hold,
    },
    /// Row after row.
    Rows {
        values: Vec<f64>,
        _hold: Hold,
    },
}

impl Against {
    /// Makes reference points ready for a kernel.
    pub fn new(kernel: &Kernel, points: &Points, run: &Run<'_>) -> Result<Self> {
        kernel.check()?;
        let (n, d) = (points.len(), points.columns());
        let hold = || {
            let numbers = n.saturating_mul(d.saturating_add(1));
            run.memory.take_for::<f64>(numbers, "prepared reference points")
        };
        let form = match kernel.basis() {
            KernelBasis::Distances(_) => Form::Distances(Prepared::new(run, points)?),
            KernelBasis::Inner(_) | KernelBasis::Precomputed => {
                let hold = hold()?;
                let (mut columns, mut norms) = (vec![0.0; n * d], vec![0.0; n]);
                let mut row = vec![0.0; d];
                for j in 0..n {
                    points.write_row(j, &mut row);
                    norms[j] = squared_norm(&row);
                    row.iter().enumerate().for_each(|(c, &x)| columns[c * n + j] = x);
                }
                Form::Inner { columns, norms, _hold: hold }
            }
            KernelBasis::Coordinates => {
                let hold = hold()?;
                check_signs(kernel, points)?;
                Form::Rows { values: points.to_dense(&Memory::unlimited())?.to_vec(), _hold: hold }
            }
        };
        Ok(Against { kernel: kernel.clone(), points: points.clone(), form })
    }

    /// The reference points.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// out = kernel values of each query (rows of `out`) with each reference point (columns of `out`).
    pub fn block(&self, queries: &Points, out: &mut [f64], run: &Run<'_>) -> Result<()> {
        let (m, n, d) = (queries.len(), self.points.len(), self.points.columns());
        if queries.columns() != d {
            return Err(Error::size("columns of the points", d, queries.columns()));
        }
        if Some(out.len()) != m.checked_mul(n) {
            return Err(Error::size("numbers for kernel values", format!("{m} x {n}"), out.len()));
        }
        if out.is_empty() {
            return Ok(());
        }
        check_signs(&self.kernel, queries)?;
        run.report(&Progress::of("kernel", 0, m as u64))?;
        match &self.form {
            Form::Distances(prepared) => prepared.squared_distances(run, queries, MatMut::new(out, m, n)?)?,
            Form::Inner { columns, .. } => {
                points_times(run, queries, Mat::new(columns, d, n)?, MatMut::new(out, m, n)?)?;
            }
            Form::Rows { .. } => {}
        }
        let basis = self.kernel.basis();
        each_chunk_mut(run, out, PIECE * n, |piece, lines| {
            let mut query = vec![0.0; d];
            for (i, line) in lines.chunks_exact_mut(n).enumerate().map(|(i, line)| (piece * PIECE + i, line)) {
                match (basis, &self.form) {
                    (KernelBasis::Distances(function), _) => function.finish(line),
                    (KernelBasis::Inner(function), Form::Inner { norms, .. }) => {
                        queries.write_row(i, &mut query);
                        function.finish(line, squared_norm(&query), norms);
                    }
                    (KernelBasis::Coordinates, Form::Rows { values, .. }) => {
                        queries.write_row(i, &mut query);
                        let rows = values.chunks_exact(d.max(1));
                        line.iter_mut().zip(rows).for_each(|(k, row)| *k = self.kernel.value(&query, row));
                    }
                    // Precomputed values are the products themselves.
                    (KernelBasis::Precomputed | KernelBasis::Inner(_) | KernelBasis::Coordinates, _) => {}
                }
            }
            Ok(())
        })
    }

    /// out = squared distances of each query to each reference point; only for kernels of distances.
    pub fn squared_distances(&self, queries: &Points, out: &mut [f64], run: &Run<'_>) -> Result<()> {
        let (m, n) = (queries.len(), self.points.len());
        match &self.form {
            Form::Distances(prepared) => prepared.squared_distances(run, queries, MatMut::new(out, m, n)?),
            _ => {
                let what = format!("distances of the {} kernel", self.kernel.name());
                Err(Error::unsupported(what, "this machine", "use an exponential or a t-Student kernel"))
            }
        }
    }
}

/// Kernels of histograms take no negative numbers.
pub(crate) fn check_signs(kernel: &Kernel, points: &Points) -> Result<()> {
    if !kernel.non_negative() {
        return Ok(());
    }
    let mut row = vec![0.0; points.columns()];
    for i in 0..points.len() {
        points.write_row(i, &mut row);
        if let Some(c) = row.iter().position(|&x| x < 0.0) {
            let place = base::Place::Cell { row: i, column: format!("{c}") };
            let why = format!(
                "{} is negative; the {} kernel is for nonnegative data (min-max scales to them)",
                row[c],
                kernel.name()
            );
            return Err(Error::data(place, why));
        }
    }
    Ok(())
}
