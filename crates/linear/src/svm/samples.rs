//! The training rows as a dual solver sees them: inner products with a weight vector, sums of rows into one, lengths.
//!
//! An intercept is the weight of one more feature that has the same value in all rows; it stands last in every weight
//! vector and is part of ‖w‖, as in LIBLINEAR.
//!
//! Dense rows that are mostly 0 are kept as sparse ones: a step then touches only what is not 0.
//! **Cost.** 12 bytes for each number that is not 0, or 8 for every number.

use base::{Hold, Points, Result, Run, Shared, Sparse};
use numeric::{
    EIGHT, add_dense_to_each, add_scaled, add_sparse_to_each, dot, dots_of_dense, dots_of_sparse, sparse_dot,
    squared_norm,
};

/// Of dense rows less than this fraction is not 0, where they are kept as sparse ones.
const MOSTLY_ZERO: f64 = 0.5;

/// Rows with a constant feature at their end.
pub(crate) struct Samples {
    form: Form,
    columns: usize,
    /// The value of the constant feature; 0 where there is none.
    bias: f64,
    /// ‖x_i‖², the constant feature included.
    pub norms: Vec<f64>,
    _hold: Hold,
}

enum Form {
    Dense(Shared<f64>),
    Sparse(Sparse),
}

/// One row without the constant feature.
#[derive(Clone, Copy)]
pub(crate) enum SampleRow<'a> {
    Dense(&'a [f64]),
    Sparse(&'a [u32], &'a [f64]),
}

impl Samples {
    /// The points; `bias` is the value of the constant feature, 0 for none.
    pub fn new(points: &Points, bias: f64, run: &Run<'_>) -> Result<Self> {
        let (n, d) = (points.len(), points.columns());
        let mut hold = run.memory.take_for::<f64>(n, "lengths of rows")?;
        let form = match points {
            Points::Sparse(sparse) => Form::Sparse(sparse.clone()),
            Points::Dense(dense) => {
                let values = dense.values().to_f64(&run.memory)?;
                let filled = values.iter().filter(|x| **x != 0.0).count();
                if (filled as f64) < MOSTLY_ZERO * values.len() as f64 {
                    let bytes = 8 * n as u64 + 12 * filled as u64 + 8 * n as u64;
                    hold.resize(bytes, "training rows without their zeros")?;
                    Form::Sparse(without_zeros(&values, n, d)?)
                } else {
                    Form::Dense(values)
                }
            }
        };
        let mut samples = Samples { form, columns: d, bias, norms: vec![], _hold: hold };
        samples.norms = (0..n)
            .map(|i| {
                bias * bias
                    + match samples.row(i) {
                        SampleRow::Dense(x) | SampleRow::Sparse(_, x) => squared_norm(x),
                    }
            })
            .collect();
        Ok(samples)
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.norms.len()
    }

    /// How many weights a vector has: one for each column, and one for the constant feature if there is one.
    pub fn width(&self) -> usize {
        self.columns + usize::from(self.bias != 0.0)
    }

    /// The value of the constant feature; 0 where there is none.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// How many columns, without the constant feature.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Numbers of all rows that are looked at.
    pub fn entries(&self) -> usize {
        match &self.form {
            Form::Dense(values) => values.len(),
            Form::Sparse(sparse) => sparse.entries(),
        }
    }

    /// Whether rows are sparse.
    pub fn is_sparse(&self) -> bool {
        matches!(self.form, Form::Sparse(_))
    }

    /// Sparse rows, without the constant feature.
    pub fn sparse(&self) -> Option<&Sparse> {
        match &self.form {
            Form::Dense(_) => None,
            Form::Sparse(sparse) => Some(sparse),
        }
    }

    /// Row `i` without the constant feature.
    pub fn row(&self, i: usize) -> SampleRow<'_> {
        match &self.form {
            Form::Dense(values) => SampleRow::Dense(&values[i * self.columns..(i + 1) * self.columns]),
            Form::Sparse(sparse) => {
                let (ids, values) = sparse.row(i);
                SampleRow::Sparse(ids, values)
            }
        }
    }

    /// x_i · w.
    pub fn dot(&self, i: usize, w: &[f64]) -> f64 {
        let sum = match self.row(i) {
            SampleRow::Dense(x) => dot(x, w),
            SampleRow::Sparse(ids, values) => sparse_dot(ids, values, w),
        };
        match self.bias {
            0.0 => sum,
            bias => sum + bias * w[self.columns],
        }
    }

    /// w ← w + s·x_i.
    pub fn add(&self, i: usize, s: f64, w: &mut [f64]) {
        match self.row(i) {
            SampleRow::Dense(x) => add_scaled(w, s, x),
            SampleRow::Sparse(ids, values) => {
                ids.iter().zip(values).for_each(|(&id, x)| w[id as usize] += s * x);
            }
        }
        if self.bias != 0.0 {
            w[self.columns] += s * self.bias;
        }
    }

    /// x_i · w for eight vectors side by side.
    pub fn dots(&self, i: usize, w: &[[f64; EIGHT]]) -> [f64; EIGHT] {
        let mut sums = match self.row(i) {
            SampleRow::Dense(x) => dots_of_dense(x, w),
            SampleRow::Sparse(ids, values) => dots_of_sparse(ids, values, w),
        };
        if self.bias != 0.0 {
            sums.iter_mut().zip(&w[self.columns]).for_each(|(sum, w)| *sum += self.bias * w);
        }
        sums
    }

    /// w ← w + s·x_i for eight vectors side by side.
    pub fn add_to_each(&self, i: usize, scales: &[f64; EIGHT], w: &mut [[f64; EIGHT]]) {
        match self.row(i) {
            SampleRow::Dense(x) => add_dense_to_each(x, scales, w),
            SampleRow::Sparse(ids, values) => add_sparse_to_each(ids, values, scales, w),
        }
        if self.bias != 0.0 {
            w[self.columns].iter_mut().zip(scales).for_each(|(w, s)| *w += s * self.bias);
        }
    }

    /// Calls `f` with every feature of row `i` that is not 0 and its value, the constant feature last.
    pub fn each(&self, i: usize, mut f: impl FnMut(usize, f64)) {
        match self.row(i) {
            SampleRow::Dense(x) => x.iter().enumerate().filter(|(_, x)| **x != 0.0).for_each(|(j, &x)| f(j, x)),
            SampleRow::Sparse(ids, values) => ids.iter().zip(values).for_each(|(&id, &x)| f(id as usize, x)),
        }
        if self.bias != 0.0 {
            f(self.columns, self.bias);
        }
    }
}

/// The rows without their zeros.
fn without_zeros(values: &[f64], n: usize, d: usize) -> Result<Sparse> {
    let (mut starts, mut ids, mut kept) = (Vec::with_capacity(n + 1), vec![], vec![]);
    starts.push(0);
    for row in values.chunks_exact(d.max(1)) {
        for (j, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            ids.push(j as u32);
            kept.push(x);
        }
        starts.push(ids.len());
    }
    Sparse::new(starts, ids, kept, d)
}
