//! Kernel values between training rows, in single or double precision, with bits that depend on the pair alone.
//!
//! A row of kernel values may be computed early or late, beside any others, by any thread; solvers would take another
//! way if its last bit depended on that. Therefore every inner product is one chain of multiply-adds in the order of the
//! columns ([`numeric::tile`]), wherever it stands in a block, and sparse ones add up entry after entry.
//!
//! Dense rows are packed once, in panels of neighbouring rows side by side, which the innermost loop reads as they lie.
//! Distances in single precision come from ‖x‖² + ‖u‖² − 2xᵀu of centred points, with an error of about
//! (d/8 + 4) · 2⁻²⁴ · (‖x‖² + ‖u‖²), which [`single_will_do`] weighs against the kernel's slope. In double precision
//! those that cancel are recomputed term by term.
//!
//! **Cost.** 2·d operations a value at the speed of matrix products; sparse: 2·entries of the column's row, side by side
//! for [`Source::ROWS`] rows. Memory: a copy of dense points.

use crate::block::check_signs;
use crate::function::{Digits, KernelBasis};
use crate::kernel::Kernel;
use base::{Hold, Points, Result, Run};
use numeric::{Lanes, Left, Real, Steps, TILE_ROWS, tile, tile_columns};
use std::ops::Range;

/// Below this share of ‖x‖² + ‖u‖² a distance in double precision is computed term by term.
const SHARE: f64 = 1.0 / 1024.0;

/// Where kernel values come from.
pub(crate) struct Source<T> {
    kernel: Kernel,
    points: Points,
    form: Form<T>,
    /// Squared norms, of centred points where they are centred.
    norms: Vec<T>,
    segments: Vec<Range<usize>>,
    width: usize,
    _hold: Hold,
}

enum Form<T> {
    /// Panels of [`tile_columns`] rows, column after column, a segment beginning a new one.
    Dense {
        panels: Vec<T>,
        places: Vec<u32>,
        steps: Steps,
    },
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
    /// Row after row.
    Dense(Vec<T>),
    Sparse(Lanes<T>),
    Ids,
}

/// Which columns a block of kernel values has.
#[derive(Clone, Copy)]
pub(crate) enum Columns<'a> {
    /// The n-th tile of a segment.
    Tile(usize, usize),
    /// Any.
    Ids(&'a [u32]),
}

impl<T: Digits> Source<T> {
    /// Rows computed together.
    pub const ROWS: usize = 192;

    /// Makes training rows ready, their columns cut into segments; `order` says which column of a precomputed kernel
    /// each is.
    pub fn new(
        kernel: &Kernel,
        points: &Points,
        segments: Vec<Range<usize>>,
        order: &[usize],
        run: &Run<'_>,
    ) -> Result<Self> {
        kernel.check()?;
        check_signs(kernel, points)?;
        let (n, d, wide) = (points.len(), points.columns(), tile_columns::<T>());
        let panels: usize = segments.iter().map(|s| s.len().div_ceil(wide)).sum();
        let dense = numeric_form(kernel, points) == Some(true);
        let copied = if dense { panels.saturating_mul(wide).saturating_mul(d) } else { 0 };
        let bytes = (copied as u64).saturating_mul(size_of::<T>() as u64).saturating_add(12 * n as u64);
        let hold = run.memory.take(bytes, "prepared training rows")?;
        let mut norms = vec![T::ZERO; n];
        let form = match (kernel.basis(), numeric_form(kernel, points)) {
            (KernelBasis::Precomputed, _) => Form::Matrix(order.to_vec()),
            (_, None) => Form::Pairs,
            (_, Some(true)) => {
                let mut places = vec![0; n];
                let mut next = 0;
                for segment in &segments {
                    segment.clone().enumerate().for_each(|(k, i)| places[i] = (next + k) as u32);
                    next += segment.len().next_multiple_of(wide);
                }
                let panels = pack(kernel, points, &places, copied, &mut norms);
                Form::Dense { panels, places, steps: Steps::even(d, wide) }
            }
            (_, Some(false)) => {
                if let Points::Sparse(sparse) = points {
                    norms = (0..n).map(|i| T::narrow(numeric::squared_norm(sparse.row(i).1))).collect();
                }
                Form::Sparse
            }
        };
        // Whole panels, some thousand columns.
        let width = n.clamp(1, 1008).next_multiple_of(wide);
        Ok(Source { kernel: kernel.clone(), points: points.clone(), form, norms, segments, width, _hold: hold })
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// The columns of a segment.
    pub fn segment(&self, segment: usize) -> Range<usize> {
        self.segments[segment].clone()
    }

    /// All segments.
    pub fn segments(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.segments.iter().cloned()
    }

    /// Operations a value takes, about.
    pub fn work(&self) -> usize {
        match &self.form {
            Form::Dense { .. } => 2 * self.points.columns(),
            Form::Sparse => 2 * self.points.entries() / self.points.len().max(1),
            // Whether somebody's own function is symmetric to the last bit is not known.
            Form::Matrix(_) | Form::Pairs => 1,
        }
    }

    /// Numbers between two rows of a block of so many columns.
    pub fn stride(&self, columns: usize) -> usize {
        columns.next_multiple_of(tile_columns::<T>())
    }

    /// Columns of a tile; the last of a segment may have fewer.
    pub fn width(&self) -> usize {
        self.width
    }

    /// k(x_i, x_i).
    pub fn diagonal(&self, i: usize) -> f64 {
        match &self.form {
            Form::Matrix(columns) => self.entry(i, columns[i]),
            _ => self.kernel.diagonal().unwrap_or_else(|| {
                let mut row = vec![0.0; self.points.columns()];
                self.points.write_row(i, &mut row);
                self.kernel.value(&row, &row)
            }),
        }
    }

    /// Up to [`Source::ROWS`] rows made ready.
    pub fn queries(&self, ids: &[u32]) -> Queries<T> {
        let d = self.points.columns();
        let form = match (&self.form, &self.points) {
            (Form::Dense { panels, places, .. }, _) => {
                let wide = tile_columns::<T>();
                let mut rows = Vec::with_capacity(ids.len() * d);
                for &i in ids {
                    let at = places[i as usize] as usize;
                    let panel = &panels[at / wide * wide * d..][..wide * d];
                    rows.extend(panel.iter().skip(at % wide).step_by(wide));
                }
                Ready::Dense(rows)
            }
            (Form::Sparse, Points::Sparse(sparse)) => {
                Ready::Sparse(Lanes::new(d, ids.len(), ids.iter().map(|&i| sparse.row(i as usize))))
            }
            _ => Ready::Ids,
        };
        Queries { ids: ids.to_vec(), form }
    }

    /// Kernel values of the queries with up to [`Source::width`] columns, row after row; rows are filled up with what
    /// means nothing to whole panels.
    pub fn block(&self, queries: &Queries<T>, columns: Columns<'_>) -> Result<Vec<T>> {
        let d = self.points.columns();
        let range = match columns {
            Columns::Tile(segment, t) => {
                let all = self.segment(segment);
                let first = all.start + t * self.width;
                first..all.end.min(first + self.width)
            }
            Columns::Ids(ids) => 0..ids.len(),
        };
        let own: Vec<u32>;
        let ids: &[u32] = match columns {
            Columns::Tile(..) => {
                own = range.clone().map(|i| i as u32).collect();
                &own
            }
            Columns::Ids(ids) => ids,
        };
        let stride = self.stride(ids.len());
        let mut out = vec![T::ZERO; queries.ids.len() * stride];
        match (&self.form, &queries.form, &self.points) {
            (Form::Dense { panels, places, steps }, Ready::Dense(rows), _) => {
                let gathered;
                let right = match columns {
                    Columns::Tile(..) => match ids.first() {
                        Some(&first) => &panels[places[first as usize] as usize * d..],
                        None => &panels[..0],
                    },
                    Columns::Ids(ids) => {
                        gathered = gather(panels, places, ids, d);
                        &gathered
                    }
                };
                products(rows, right, steps, &mut out, (queries.ids.len(), stride, d))?;
            }
            (Form::Sparse, Ready::Sparse(lanes), Points::Sparse(sparse)) => {
                let mut lines: Vec<&mut [T]> = out.chunks_exact_mut(stride.max(1)).collect();
                lanes.products(ids.iter().map(|&j| sparse.row(j as usize)), &mut lines);
            }
            (Form::Matrix(order), ..) => {
                for (line, &i) in out.chunks_exact_mut(stride.max(1)).zip(&queries.ids) {
                    line.iter_mut()
                        .zip(ids)
                        .for_each(|(k, &j)| *k = T::narrow(self.entry(i as usize, order[j as usize])));
                }
            }
            _ => {
                let (mut x, mut u) = (vec![0.0; d], vec![0.0; d]);
                for (line, &i) in out.chunks_exact_mut(stride.max(1)).zip(&queries.ids) {
                    self.points.write_row(i as usize, &mut x);
                    for (k, &j) in line.iter_mut().zip(ids) {
                        self.points.write_row(j as usize, &mut u);
                        *k = T::narrow(self.kernel.value(&x, &u));
                    }
                }
            }
        }
        let basis = self.kernel.basis();
        if matches!(self.form, Form::Dense { .. } | Form::Sparse) {
            let some;
            let norms: &[T] = match columns {
                Columns::Tile(..) => &self.norms[range],
                Columns::Ids(ids) => {
                    some = ids.iter().map(|&j| self.norms[j as usize]).collect::<Vec<T>>();
                    &some
                }
            };
            for (line, &i) in out.chunks_exact_mut(stride.max(1)).zip(&queries.ids) {
                self.finish(basis, i, ids, norms, &mut line[..ids.len()]);
            }
        }
        Ok(out)
    }

    /// Inner products with row `i` become kernel values.
    fn finish(&self, basis: KernelBasis<'_>, i: u32, columns: &[u32], norms: &[T], line: &mut [T]) {
        let norm = self.norms[i as usize];
        let function = match basis {
            KernelBasis::Distances(function) => function,
            KernelBasis::Inner(function) => {
                let wide = if function.needs_norms() { norms.iter().map(|n| n.wide()).collect() } else { vec![] };
                return T::finish_inner(function, line, norm.wide(), &wide);
            }
            // Neither is made of products.
            KernelBasis::Coordinates | KernelBasis::Precomputed => return,
        };
        T::squares(line, norm, norms);
        if size_of::<T>() == 8 {
            for (k, s) in line.iter_mut().enumerate() {
                if s.wide() <= SHARE * (norm + norms[k]).wide() {
                    *s = T::narrow(self.exact(i, columns[k]));
                }
            }
        }
        // A row is at distance 0 from itself; columns ascend in tiles and mostly elsewhere.
        match columns.binary_search(&i) {
            Ok(k) => line[k] = T::ZERO,
            Err(_) => columns.iter().zip(&mut *line).filter(|(j, _)| **j == i).for_each(|(_, s)| *s = T::ZERO),
        }
        T::finish_distances(function, line);
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
    match (kernel.basis(), points) {
        (KernelBasis::Coordinates, _) => None,
        (_, Points::Dense(_)) => Some(true),
        // An entry side by side costs about as much as eight dense terms.
        (_, Points::Sparse(s)) => Some(s.entries().saturating_mul(8) > s.len().saturating_mul(s.columns())),
    }
}

/// Rows less their mean (if distances are wanted) in panels, and their squared norms.
fn pack<T: Real>(kernel: &Kernel, points: &Points, places: &[u32], count: usize, norms: &mut [T]) -> Vec<T> {
    let (n, d, wide) = (points.len(), points.columns(), tile_columns::<T>());
    let (mut row, mut mean) = (vec![0.0; d], vec![0.0; d]);
    if matches!(kernel.basis(), KernelBasis::Distances(_)) {
        for i in 0..n {
            points.write_row(i, &mut row);
            mean.iter_mut().zip(&row).for_each(|(m, x)| *m += x / n as f64);
        }
    }
    let mut panels = vec![T::ZERO; count];
    for (i, norm) in norms.iter_mut().enumerate() {
        points.write_row(i, &mut row);
        row.iter_mut().zip(&mean).for_each(|(x, m)| *x -= m);
        let at = places[i] as usize;
        let panel = &mut panels[at / wide * wide * d..][..wide * d];
        panel.iter_mut().skip(at % wide).step_by(wide).zip(&row).for_each(|(p, &x)| *p = T::narrow(x));
        *norm = T::narrow(numeric::squared_norm(&row));
    }
    panels
}

/// Panels of any rows.
fn gather<T: Real>(panels: &[T], places: &[u32], ids: &[u32], d: usize) -> Vec<T> {
    let wide = tile_columns::<T>();
    let mut out = vec![T::ZERO; ids.len().next_multiple_of(wide) * d];
    for (k, &i) in ids.iter().enumerate() {
        let at = places[i as usize] as usize;
        let from = panels[at / wide * wide * d..][..wide * d].iter().skip(at % wide).step_by(wide);
        let to = out[k / wide * wide * d..][..wide * d].iter_mut().skip(k % wide).step_by(wide);
        to.zip(from).for_each(|(to, from)| *to = *from);
    }
    out
}

/// out = rows · panelsᵀ, panel by panel, so that a panel stays near while all rows meet it.
fn products<T: Real>(
    rows: &[T],
    panels: &[T],
    steps: &Steps,
    out: &mut [T],
    (count, stride, d): (usize, usize, usize),
) -> Result<()> {
    let wide = tile_columns::<T>();
    for (p, panel) in panels.chunks_exact(wide * d.max(1)).take(stride / wide).enumerate() {
        for first in (0..count).step_by(TILE_ROWS) {
            let lines = TILE_ROWS.min(count - first);
            let left = Left { data: &rows[first * d..], row: d, step: 1 };
            tile(left, (panel, steps, 0..d), &mut out[first * stride + p * wide..], stride, (lines, wide), false)?;
        }
    }
    Ok(())
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
    kernel.single_error(error) < 4e-6
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Seed, normal};

    fn drawn(n: usize, d: usize, sparse: bool, positive: bool) -> Points {
        let mut stream = Seed(4).stream();
        let mut draw = || if positive { normal(&mut stream).abs() } else { normal(&mut stream) };
        let values: Vec<f64> = (0..n * d).map(|k| if k % 3 == 0 || !sparse { draw() } else { 0.0 }).collect();
        let dense = Points::dense(values, n, d).unwrap();
        match sparse {
            true => {
                let data = testkit::as_sparse(&base::Dataset::new(dense, base::Targets::None));
                data.points().unwrap().clone()
            }
            false => dense,
        }
    }

    fn check<T: Digits>(kernel: &Kernel, points: &Points, tolerance: f64) {
        let (n, run) = (points.len(), Run::quiet(1));
        let order: Vec<usize> = (0..n).collect();
        let source: Source<T> = Source::new(kernel, points, vec![0..100, 100..n], &order, &run).unwrap();
        let all: Vec<u32> = (0..n as u32).collect();
        let whole = source.block(&source.queries(&all[..Source::<T>::ROWS.min(n)]), Columns::Ids(&all)).unwrap();
        let stride = whole.len() / Source::<T>::ROWS.min(n);
        let (mut x, mut u) = (vec![0.0; points.columns()], vec![0.0; points.columns()]);
        for i in (0..n).step_by(7) {
            for j in (0..n).step_by(5) {
                points.write_row(i, &mut x);
                points.write_row(j, &mut u);
                let expected = kernel.value(&x, &u);
                let found = whole[i * stride + j].wide();
                assert!(
                    (found - expected).abs() <= tolerance * (1.0 + expected.abs()),
                    "{kernel:?}: {found} {expected}"
                );
                assert_eq!(found.to_bits(), whole[j * stride + i].wide().to_bits(), "{kernel:?} is not symmetric");
            }
        }
        // Other company, other places, tiles of segments: the same bits.
        let some = [130u32, 3, 77, 150, 101];
        let queries = source.queries(&some);
        for (segment, first, count) in [(0, 0, 100), (1, 100, n - 100)] {
            let tile = source.block(&queries, Columns::Tile(segment, 0)).unwrap();
            let wide = tile.len() / some.len();
            let turned: Vec<u32> = (first..first + count).rev().map(|j| j as u32).collect();
            let other = source.block(&queries, Columns::Ids(&turned)).unwrap();
            for (r, &i) in some.iter().enumerate() {
                for k in 0..count {
                    let bits = |x: T| x.wide().to_bits();
                    assert_eq!(bits(tile[r * wide + k]), bits(whole[i as usize * stride + first + k]), "{kernel:?}");
                    assert_eq!(bits(tile[r * wide + k]), bits(other[r * wide + count - 1 - k]), "{kernel:?}");
                }
            }
        }
        for i in 0..n {
            let mut row = vec![0.0; points.columns()];
            points.write_row(i, &mut row);
            assert!((source.diagonal(i) - kernel.value(&row, &row)).abs() < 1e-12 * (1.0 + source.diagonal(i)));
        }
    }

    #[test]
    fn values_are_right_and_their_bits_depend_on_the_pair_alone() {
        for kernel in crate::functions::examples() {
            if matches!(kernel.basis(), KernelBasis::Precomputed) {
                continue;
            }
            for (d, sparse) in [(3, false), (50, false), (40, true)] {
                let points = drawn(170, d, sparse, kernel.non_negative());
                check::<f64>(&kernel, &points, 1e-12);
                check::<f32>(&kernel, &points, 2e-4);
            }
        }
        let gaussian = Kernel::gaussian(6.0);
        check::<f32>(&gaussian, &drawn(170, 50, false, false), 1e-6);
        assert!(single_will_do(&gaussian, &drawn(170, 50, false, false)));
        assert!(!single_will_do(&Kernel::gaussian(0.05), &drawn(170, 50, false, false)));
    }
}
