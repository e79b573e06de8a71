//! Kernel values between training rows, in single or double precision, with bits that depend on the pair alone.
//!
//! A row of kernel values may be computed early or late, beside any others, by any thread; solvers would take another
//! way if its last bit depended on that. Therefore dense products always have the same shape ([`Source::ROWS`] x
//! [`Source::width`], filled up with zeros), and sparse ones add up entry after entry for each pair by itself.
//!
//! Distances in single precision come from ‖x‖² + ‖u‖² − 2xᵀu of centred points: their error is at most
//! about (d/8 + 4) · 2⁻²⁴ · (‖x‖² + ‖u‖²), which [`single_will_do`] weighs against the kernel's slope. In double
//! precision those that cancel are recomputed term by term.
//!
//! **Cost.** 2·d operations a value at the speed of matrix products; sparse: 2·entries of the column's row, side by side
//! for [`Source::ROWS`] rows. Memory: a copy of dense points.

use crate::block::check_signs;
use crate::kernel::{From, Kernel};
use base::{Hold, Points, Result, Run, Sparse};
use numeric::{Mat, MatMut, Real, product};

/// Below this share of ‖x‖² + ‖u‖² a distance in double precision is computed term by term.
const SHARE: f64 = 1.0 / 1024.0;
/// No such column among the queries.
const NOWHERE: u32 = u32::MAX;

/// Where kernel values come from.
pub(crate) struct Source<T> {
    kernel: Kernel,
    points: Points,
    form: Form<T>,
    /// Squared norms, of centred points where they are centred.
    norms: Vec<f64>,
    width: usize,
    _hold: Hold,
}

enum Form<T> {
    /// Row after row, less the mean if distances are wanted.
    Dense(Vec<T>),
    Sparse,
    /// Values of pairs, one by one.
    Pairs,
    /// The points are rows of the kernel matrix, and this is the column of each.
    Matrix(Vec<usize>),
}

/// Rows made ready for products with any columns.
pub(crate) struct Queries<T> {
    ids: Vec<u32>,
    form: Ready<T>,
}

enum Ready<T> {
    /// [`Source::ROWS`] x d.
    Dense(Vec<T>),
    /// For each column of the points its place among the used ones; and used x [`Source::ROWS`].
    Sparse(Vec<u32>, Vec<T>),
    Ids,
}

impl<T: Real> Source<T> {
    /// Rows computed together.
    pub const ROWS: usize = 128;

    /// Makes training rows ready; `order` says which column of a precomputed kernel each is.
    pub fn new(kernel: &Kernel, points: &Points, order: &[usize], run: &Run<'_>) -> Result<Self> {
        kernel.check()?;
        check_signs(kernel, points)?;
        let (n, d) = (points.len(), points.columns());
        let dense = numeric_form(kernel, points) == Some(true);
        let copied = if dense { n.saturating_mul(d) } else { 0 };
        let hold = run.memory.take(
            (copied as u64).saturating_mul(size_of::<T>() as u64).saturating_add(8 * n as u64),
            "training rows made ready",
        )?;
        let mut row = vec![0.0; d];
        let mut norms = vec![0.0; n];
        let form = match (kernel, numeric_form(kernel, points)) {
            (Kernel::Precomputed, _) => Form::Matrix(order.to_vec()),
            (_, None) => Form::Pairs,
            (_, Some(true)) => {
                let mut mean = vec![0.0; d];
                if kernel.from() == From::Distances {
                    for i in 0..n {
                        points.write_row(i, &mut row);
                        mean.iter_mut().zip(&row).for_each(|(m, x)| *m += x / n as f64);
                    }
                }
                let mut values = Vec::with_capacity(n * d);
                for (i, norm) in norms.iter_mut().enumerate() {
                    points.write_row(i, &mut row);
                    row.iter_mut().zip(&mean).for_each(|(x, m)| *x -= m);
                    values.extend(row.iter().map(|&x| T::narrow(x)));
                    *norm = numeric::squared_norm(&row);
                }
                Form::Dense(values)
            }
            (_, Some(false)) => {
                if let Points::Sparse(sparse) = points {
                    norms = (0..n).map(|i| numeric::squared_norm(sparse.row(i).1)).collect();
                }
                Form::Sparse
            }
        };
        let width = n.next_multiple_of(64).clamp(64, 1024);
        Ok(Source { kernel: kernel.clone(), points: points.clone(), form, norms, width, _hold: hold })
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Columns computed together, at most.
    pub fn width(&self) -> usize {
        self.width
    }

    /// k(x_i, x_i).
    pub fn diagonal(&self, i: usize) -> f64 {
        match &self.form {
            Form::Matrix(columns) => self.entry(i, columns[i]),
            _ => match self.kernel {
                Kernel::Exponential { .. } | Kernel::ChiSquared { .. } => 1.0,
                Kernel::Student { a, .. } => 1.0 / a,
                _ => {
                    let mut row = vec![0.0; self.points.columns()];
                    self.points.write_row(i, &mut row);
                    self.kernel.value(&row, &row)
                }
            },
        }
    }

    /// Up to [`Source::ROWS`] rows made ready.
    pub fn queries(&self, ids: &[u32]) -> Queries<T> {
        let d = self.points.columns();
        let form = match (&self.form, &self.points) {
            (Form::Dense(values), _) => {
                let mut block = vec![T::ZERO; Self::ROWS * d];
                for (out, &i) in block.chunks_exact_mut(d.max(1)).zip(ids) {
                    out.copy_from_slice(&values[i as usize * d..(i as usize + 1) * d]);
                }
                Ready::Dense(block)
            }
            (Form::Sparse, Points::Sparse(sparse)) => {
                let mut places = vec![NOWHERE; d];
                let mut used = vec![];
                for (r, &i) in ids.iter().enumerate() {
                    let (columns, values) = sparse.row(i as usize);
                    for (&c, &x) in columns.iter().zip(values) {
                        let place = &mut places[c as usize];
                        if *place == NOWHERE {
                            *place = (used.len() / Self::ROWS) as u32;
                            used.resize(used.len() + Self::ROWS, T::ZERO);
                        }
                        used[*place as usize * Self::ROWS + r] = T::narrow(x);
                    }
                }
                Ready::Sparse(places, used)
            }
            _ => Ready::Ids,
        };
        Queries { ids: ids.to_vec(), form }
    }

    /// Kernel values of the queries with up to [`Source::width`] columns: queries x columns, row after row.
    pub fn tile(&self, queries: &Queries<T>, columns: &[u32], run: &Run<'_>) -> Result<Vec<T>> {
        let (count, width, d) = (columns.len(), self.width, self.points.columns());
        let mut out = vec![T::ZERO; Self::ROWS * width];
        match (&self.form, &queries.form, &self.points) {
            (Form::Dense(values), Ready::Dense(block), _) => {
                let mut right: Vec<T> = Vec::with_capacity(width * d);
                for &j in columns {
                    right.extend_from_slice(&values[j as usize * d..(j as usize + 1) * d]);
                }
                right.resize(width * d, T::ZERO);
                // One thread: the caller spreads tiles.
                let alone = Run { threads: 1, ..run.clone() };
                let (left, right) = (Mat::new(block, Self::ROWS, d)?, Mat::new(&right, width, d)?.transposed());
                product(&alone, left, right, MatMut::new(&mut out, Self::ROWS, width)?, T::ONE, false)?;
            }
            (Form::Sparse, Ready::Sparse(places, used), Points::Sparse(sparse)) => {
                sparse_products(sparse, places, used, columns, &mut out, width);
            }
            (Form::Matrix(order), ..) => {
                for (line, &i) in out.chunks_exact_mut(width).zip(&queries.ids) {
                    line.iter_mut()
                        .zip(columns)
                        .for_each(|(k, &j)| *k = T::narrow(self.entry(i as usize, order[j as usize])));
                }
            }
            _ => {
                let (mut x, mut u) = (vec![0.0; d], vec![0.0; d]);
                for (line, &i) in out.chunks_exact_mut(width).zip(&queries.ids) {
                    self.points.write_row(i as usize, &mut x);
                    for (k, &j) in line.iter_mut().zip(columns) {
                        self.points.write_row(j as usize, &mut u);
                        *k = T::narrow(self.kernel.value(&x, &u));
                    }
                }
            }
        }
        let mut tile = Vec::with_capacity(queries.ids.len() * count);
        for (line, &i) in out.chunks_exact_mut(width).zip(&queries.ids) {
            let line = &mut line[..count];
            if matches!(self.form, Form::Dense(_) | Form::Sparse) {
                self.finish(i, columns, line);
            }
            tile.extend_from_slice(line);
        }
        Ok(tile)
    }

    /// Inner products with row `i` become kernel values.
    fn finish(&self, i: u32, columns: &[u32], line: &mut [T]) {
        let norm = self.norms[i as usize];
        if self.kernel.from() == From::Inner {
            if matches!(self.kernel, Kernel::ArcCos { .. }) {
                let norms: Vec<f64> = columns.iter().map(|&j| self.norms[j as usize]).collect();
                return self.kernel.finish_inner(line, norm, &norms);
            }
            return self.kernel.finish_inner(line, norm, &[]);
        }
        for (s, &j) in line.iter_mut().zip(columns) {
            let other = self.norms[j as usize];
            let square = norm + other - 2.0 * s.wide();
            *s = T::narrow(if square > 0.0 && i != j { square } else { 0.0 });
        }
        if size_of::<T>() == 8 {
            for (s, &j) in line.iter_mut().zip(columns) {
                if s.wide() <= SHARE * (norm + self.norms[j as usize]) {
                    *s = T::narrow(self.exact(i, j));
                }
            }
        }
        self.kernel.finish_distances(line);
    }

    /// The squared distance of one pair, term by term.
    fn exact(&self, i: u32, j: u32) -> f64 {
        let d = self.points.columns();
        let (mut x, mut u) = (vec![0.0; d], vec![0.0; d]);
        self.points.write_row(i as usize, &mut x);
        self.points.write_row(j as usize, &mut u);
        numeric::squared_distance(&x, &u)
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        match &self.points {
            Points::Dense(dense) => {
                let at = i * dense.columns() + j;
                dense.values().get(at..at + 1)[0]
            }
            Points::Sparse(sparse) => {
                let (ids, values) = sparse.row(i);
                ids.binary_search(&(j as u32)).map_or(0.0, |at| values[at])
            }
        }
    }
}

/// Whether products serve, and if so whether of dense numbers; sparse points with many entries are written out.
fn numeric_form(kernel: &Kernel, points: &Points) -> Option<bool> {
    match (kernel.from(), points) {
        (From::Coordinates, _) => None,
        (_, Points::Dense(_)) => Some(true),
        // An entry side by side costs about as much as eight dense terms.
        (_, Points::Sparse(s)) => Some(s.entries().saturating_mul(8) > s.len().saturating_mul(s.columns())),
    }
}

/// out = products of queries (places, used x ROWS) with rows of sparse points, queries x columns.
fn sparse_products<T: Real>(sparse: &Sparse, places: &[u32], used: &[T], columns: &[u32], out: &mut [T], width: usize) {
    let rows = Source::<T>::ROWS;
    let mut sums = vec![T::ZERO; rows];
    for (c, &j) in columns.iter().enumerate() {
        sums.fill(T::ZERO);
        let (ids, values) = sparse.row(j as usize);
        for (&id, &x) in ids.iter().zip(values) {
            let place = places[id as usize];
            if place != NOWHERE {
                T::add_line(&mut sums, T::narrow(x), &used[place as usize * rows..(place as usize + 1) * rows]);
            }
        }
        sums.iter().enumerate().for_each(|(r, &s)| out[r * width + c] = s);
    }
}

/// Whether single precision changes kernel values by less than about 1e-6.
pub(crate) fn single_will_do(kernel: &Kernel, points: &Points) -> bool {
    let (n, d) = (points.len(), points.columns());
    let mut row = vec![0.0; d];
    let mut mean = vec![0.0; d];
    for i in 0..n {
        points.write_row(i, &mut row);
        mean.iter_mut().zip(&row).for_each(|(m, x)| *m += x / n.max(1) as f64);
    }
    let centred = !points.is_sparse() || numeric_form(kernel, points) == Some(true);
    let mut largest = 0.0f64;
    for i in 0..n {
        points.write_row(i, &mut row);
        if centred {
            row.iter_mut().zip(&mean).for_each(|(x, m)| *x -= m);
        }
        largest = largest.max(numeric::squared_norm(&row));
    }
    // Rounding errors add up like a random walk.
    let error = f64::from(f32::EPSILON) * (1.0 + (d as f64).sqrt() / 8.0) * largest;
    match *kernel {
        Kernel::Exponential { gamma, q: 2.0 } | Kernel::Student { gamma, q: 2.0, .. } => gamma * error < 4e-6,
        // Roots and other powers magnify errors of small distances.
        Kernel::Exponential { .. } | Kernel::Student { .. } | Kernel::Own(_) | Kernel::Precomputed => false,
        Kernel::ChiSquared { .. } | Kernel::Intersection => true,
        // Values without bound need all digits of theirs.
        Kernel::Linear | Kernel::Polynomial { .. } | Kernel::Sigmoid { .. } | Kernel::ArcCos { .. } => false,
    }
}
