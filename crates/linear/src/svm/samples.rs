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

/// The training rows in the form that solvers read, and what it takes to keep them.
pub(crate) struct Rows {
    form: Form,
    columns: usize,
    bias: f64,
    norms: Vec<f64>,
    _hold: Hold,
}

enum Form {
    Dense(Shared<f64>),
    Sparse(Sparse),
}

/// Rows with a constant feature at their end. Slices, taken once: what keeps them asks its owner for every row.
#[derive(Clone, Copy)]
pub(crate) struct Samples<'a> {
    form: Slices<'a>,
    columns: usize,
    /// The value of the constant feature; 0 where there is none.
    bias: f64,
    /// ‖x_i‖², the constant feature included.
    pub norms: &'a [f64],
}

#[derive(Clone, Copy)]
enum Slices<'a> {
    Dense(&'a [f64]),
    Sparse { starts: &'a [usize], ids: &'a [u32], values: &'a [f64] },
}

/// One row without the constant feature.
#[derive(Clone, Copy)]
pub(crate) enum SampleRow<'a> {
    Dense(&'a [f64]),
    Sparse(&'a [u32], &'a [f64]),
}

impl Rows {
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
        let mut rows = Rows { form, columns: d, bias, norms: vec![0.0; n], _hold: hold };
        let samples = rows.samples();
        let norm = |i: usize| match samples.row(i) {
            SampleRow::Dense(x) | SampleRow::Sparse(_, x) => bias * bias + squared_norm(x),
        };
        rows.norms = (0..n).map(norm).collect();
        Ok(rows)
    }

    /// Sparse rows, without the constant feature.
    pub fn sparse(&self) -> Option<&Sparse> {
        match &self.form {
            Form::Dense(_) => None,
            Form::Sparse(sparse) => Some(sparse),
        }
    }

    /// The rows as solvers see them.
    pub fn samples(&self) -> Samples<'_> {
        let form = match &self.form {
            Form::Dense(values) => Slices::Dense(values),
            Form::Sparse(sparse) => {
                Slices::Sparse { starts: sparse.starts(), ids: sparse.ids(), values: sparse.values() }
            }
        };
        Samples { form, columns: self.columns, bias: self.bias, norms: &self.norms }
    }
}

impl<'a> Samples<'a> {
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
        match self.form {
            Slices::Dense(values) => values.len(),
            Slices::Sparse { starts, .. } => starts.last().zip(starts.first()).map_or(0, |(last, first)| last - first),
        }
    }

    /// Numbers of row `i` that are looked at, the constant feature included.
    pub fn entries_of(&self, i: usize) -> usize {
        let own = match self.row(i) {
            SampleRow::Dense(x) | SampleRow::Sparse(_, x) => x.len(),
        };
        own + usize::from(self.bias != 0.0)
    }

    /// Whether rows are sparse.
    pub fn is_sparse(&self) -> bool {
        matches!(self.form, Slices::Sparse { .. })
    }

    /// Row `i` without the constant feature.
    #[inline]
    pub fn row(&self, i: usize) -> SampleRow<'a> {
        match self.form {
            Slices::Dense(values) => SampleRow::Dense(&values[i * self.columns..(i + 1) * self.columns]),
            Slices::Sparse { starts, ids, values } => {
                let range = starts[i]..starts[i + 1];
                SampleRow::Sparse(&ids[range.clone()], &values[range])
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
