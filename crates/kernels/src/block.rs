//! Blocks of kernel values between any points and a reference set, in double precision, by one matrix product.
//!
//! Distances go through [`numeric::Prepared`] (centred, recomputed where digits cancel); inner products are products of
//! matrices, dense or sparse; kernels of coordinates take the points two by two.
//!
//! **Cost.** 2·m·n·d operations for m queries and n reference points, at the speed of matrix products.

use crate::kernel::{From, Kernel};
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
        let form = match kernel.from() {
            From::Distances => Form::Distances(Prepared::new(run, points)?),
            from => {
                let numbers = n.saturating_mul(d.saturating_add(1));
                let hold = run.memory.take_for::<f64>(numbers, "reference points made ready")?;
                let mut row = vec![0.0; d];
                match from {
                    From::Inner => {
                        let (mut columns, mut norms) = (vec![0.0; n * d], vec![0.0; n]);
                        for j in 0..n {
                            points.write_row(j, &mut row);
                            norms[j] = squared_norm(&row);
                            row.iter().enumerate().for_each(|(c, &x)| columns[c * n + j] = x);
                        }
                        Form::Inner { columns, norms, _hold: hold }
                    }
                    _ => {
                        check_signs(kernel, points)?;
                        Form::Rows { values: points.to_dense(&Memory::unlimited())?.to_vec(), _hold: hold }
                    }
                }
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
        each_chunk_mut(run, out, PIECE * n, |piece, lines| {
            let mut query = vec![0.0; d];
            for (i, line) in lines.chunks_exact_mut(n).enumerate().map(|(i, line)| (piece * PIECE + i, line)) {
                match &self.form {
                    Form::Distances(_) => self.kernel.finish_distances(line),
                    Form::Inner { norms, .. } => {
                        queries.write_row(i, &mut query);
                        self.kernel.finish_inner(line, squared_norm(&query), norms);
                    }
                    Form::Rows { values, .. } => {
                        queries.write_row(i, &mut query);
                        let rows = values.chunks_exact(d.max(1));
                        line.iter_mut().zip(rows).for_each(|(k, row)| *k = self.kernel.value(&query, row));
                    }
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
                let what = format!("distances of the {} kernel", self.kernel.word());
                Err(Error::unsupported(what, "this machine", "use an exponential or a t-Student kernel"))
            }
        }
    }
}

/// Kernels of histograms take no negative numbers.
pub(crate) fn check_signs(kernel: &Kernel, points: &Points) -> Result<()> {
    if !matches!(kernel, Kernel::ChiSquared { .. } | Kernel::Intersection) {
        return Ok(());
    }
    let mut row = vec![0.0; points.columns()];
    for i in 0..points.len() {
        points.write_row(i, &mut row);
        if let Some(c) = row.iter().position(|&x| x < 0.0) {
            let place = base::Place::Cell { row: i, column: format!("{c}") };
            let why =
                format!("{} is negative; the {} kernel is of histograms (min-max makes them)", row[c], kernel.word());
            return Err(Error::data(place, why));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;
    use testkit::{as_sparse, toy_points};

    pub fn kernels() -> Vec<Kernel> {
        vec![
            Kernel::Linear,
            Kernel::Polynomial { gamma: 0.3, coef0: 1.0, degree: 3 },
            Kernel::Sigmoid { gamma: 0.02, coef0: -0.3 },
            Kernel::gaussian(1.5),
            Kernel::exponential(2.0, 1.0),
            Kernel::exponential(2.0, 4.0),
            Kernel::exponential(2.0, 1.3),
            Kernel::Student { a: 1.0, gamma: 0.7, q: 2.0 },
            Kernel::Student { a: 0.5, gamma: 1.0, q: 1.0 },
            Kernel::ArcCos { depth: 1 },
            Kernel::ArcCos { depth: 3 },
            Kernel::ChiSquared { gamma: 0.4 },
            Kernel::Intersection,
        ]
    }

    fn drawn(n: usize, d: usize, seed: u64, positive: bool) -> Points {
        let mut s = Seed(seed).stream();
        let draw = |_| {
            let x = base::normal(&mut s);
            if positive { x.abs() } else { x }
        };
        Points::dense((0..n * d).map(draw).collect::<Vec<f64>>(), n, d).unwrap()
    }

    #[test]
    fn blocks_are_the_values_of_pairs_dense_and_sparse() {
        let run = Run { threads: 2, ..Run::quiet(1) };
        for kernel in kernels() {
            let positive = kernel.from() == From::Coordinates;
            for d in [3, 20] {
                let (a, b) = (drawn(37, d, 1, positive), drawn(29, d, 2, positive));
                let mut out = vec![0.0; 37 * 29];
                Against::new(&kernel, &b, &run).unwrap().block(&a, &mut out, &run).unwrap();
                let (mut x, mut u) = (vec![0.0; d], vec![0.0; d]);
                for i in 0..37 {
                    for j in 0..29 {
                        a.write_row(i, &mut x);
                        b.write_row(j, &mut u);
                        let k = kernel.value(&x, &u);
                        assert!((out[i * 29 + j] - k).abs() <= 1e-12 * (1.0 + k.abs()), "{kernel:?}");
                        assert!(
                            (k - kernel.value(&u, &x)).abs() <= 1e-14 * (1.0 + k.abs()),
                            "{kernel:?} is not symmetric"
                        );
                    }
                }
            }
        }
        let data = base::Dataset::new(toy_points(20, 5, 3), base::Targets::None);
        let (dense, sparse) = (data.points().unwrap().clone(), as_sparse(&data).points().unwrap().clone());
        for kernel in kernels().into_iter().filter(|k| k.from() != From::Coordinates) {
            let block = |a: &Points, b: &Points| {
                let mut out = vec![0.0; 400];
                Against::new(&kernel, b, &run).unwrap().block(a, &mut out, &run).unwrap();
                out
            };
            let expected = block(&dense, &dense);
            for (a, b) in [(&sparse, &dense), (&dense, &sparse), (&sparse, &sparse)] {
                testkit::assert_close(&block(a, b), &expected, 1e-12, kernel.word());
            }
        }
    }

    #[test]
    fn slopes_are_finite_differences() {
        for kernel in kernels() {
            let positive = kernel.from() == From::Coordinates;
            let points = drawn(8, 4, 5, positive);
            let (mut x, mut u) = (vec![0.0; 4], vec![0.0; 4]);
            for i in 0..4 {
                points.write_row(i, &mut x);
                points.write_row(i + 4, &mut u);
                let mut slope = vec![1.0; 4];
                assert!(kernel.add_slope(&x, &u, 2.0, &mut slope));
                for c in 0..4 {
                    let h = 1e-6;
                    let at = |e: f64| {
                        let mut y = x.clone();
                        y[c] += e;
                        kernel.value(&y, &u)
                    };
                    let measured = (at(h) - at(-h)) / (2.0 * h);
                    let claimed = (slope[c] - 1.0) / 2.0;
                    assert!(
                        (measured - claimed).abs() < 1e-7 * (1.0 + claimed.abs()),
                        "{kernel:?} {measured} {claimed}"
                    );
                }
            }
        }
    }

    #[test]
    fn records_bring_kernels_back_and_wrong_ones_are_refused() {
        for kernel in kernels() {
            assert_eq!(Kernel::read(&kernel.record(), None), Ok(kernel));
        }
        assert!(Kernel::read(&base::Record::new("kernel-perpetual", 1), None).is_err());
        assert!(Kernel::read(&Kernel::Exponential { gamma: f64::NAN, q: 2.0 }.record(), None).is_err());
        let negative = Points::dense(vec![1.0, -0.5], 1, 2).unwrap();
        let error = Against::new(&Kernel::Intersection, &negative, &Run::quiet(1)).err().unwrap();
        assert!(error.to_string().contains("-0.5 is negative"), "{error}");
    }
}
