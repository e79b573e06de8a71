//! Light views of numbers as a matrix: borrowed, row after row with a stride, possibly seen transposed.
//!
//! The constructors check that the view fits the numbers; after that no access can leave them.

use crate::Real;
use base::{Error, Result};
use std::ops::Range;

/// A matrix to look at.
#[derive(Debug, Clone, Copy)]
pub struct Mat<'a, T> {
    data: &'a [T],
    shape: Stored,
}

/// A matrix to write to.
#[derive(Debug)]
pub struct MatMut<'a, T> {
    data: &'a mut [T],
    shape: Stored,
}

/// How the numbers lie: `lines` lines of `length` numbers, `stride` apart; a line is a row, or a column if transposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stored {
    lines: usize,
    length: usize,
    stride: usize,
    transposed: bool,
}

impl Stored {
    fn new(available: usize, rows: usize, columns: usize, stride: usize) -> Result<Self> {
        let needed = match rows {
            0 => Some(0),
            _ => (rows - 1).checked_mul(stride).and_then(|n| n.checked_add(columns)),
        };
        if stride < columns || needed.is_none_or(|n| n > available) {
            let wanted = format!("{rows} x {columns} with {stride} numbers from row to row");
            return Err(Error::size("numbers of a matrix", wanted, available));
        }
        Ok(Stored { lines: rows, length: columns, stride, transposed: false })
    }

    fn rows(&self) -> usize {
        if self.transposed { self.length } else { self.lines }
    }

    fn columns(&self) -> usize {
        if self.transposed { self.lines } else { self.length }
    }

    /// Where a part begins (at most at `available`) and how it lies.
    fn part(&self, rows: Range<usize>, columns: Range<usize>, available: usize) -> Result<(usize, Self)> {
        let inside = |r: &Range<usize>, n: usize| r.start <= r.end && r.end <= n;
        if !inside(&rows, self.rows()) || !inside(&columns, self.columns()) {
            let whole = format!("within {} x {}", self.rows(), self.columns());
            return Err(Error::size("part of a matrix", whole, format!("{rows:?} x {columns:?}")));
        }
        let (lines, along) = if self.transposed { (columns, rows) } else { (rows, columns) };
        let start = (lines.start * self.stride + along.start).min(available);
        Ok((start, Stored { lines: lines.len(), length: along.len(), ..*self }))
    }

    /// Where the number at `row`, `column` is; both are checked, as a wrong one could meet a number of another row.
    fn at(&self, row: usize, column: usize) -> usize {
        assert!(row < self.rows() && column < self.columns(), "({row}, {column}) is outside the matrix");
        match self.transposed {
            false => row * self.stride + column,
            true => column * self.stride + row,
        }
    }
}

impl<'a, T> Mat<'a, T> {
    /// `rows` rows of `columns` numbers, one after the other.
    pub fn new(data: &'a [T], rows: usize, columns: usize) -> Result<Self> {
        match rows.checked_mul(columns) {
            Some(n) if n == data.len() => Self::strided(data, rows, columns, columns),
            _ => Err(Error::size("numbers of a matrix", format!("{rows} x {columns}"), data.len())),
        }
    }

    /// Rows that begin `stride` numbers apart.
    pub fn strided(data: &'a [T], rows: usize, columns: usize, stride: usize) -> Result<Self> {
        Ok(Mat { data, shape: Stored::new(data.len(), rows, columns, stride)? })
    }

    /// A vector as a matrix of one column.
    pub fn column(data: &'a [T]) -> Self {
        Mat { data, shape: Stored { lines: data.len(), length: 1, stride: 1, transposed: false } }
    }

    /// The same numbers with rows and columns exchanged.
    pub fn transposed(self) -> Self {
        Mat { shape: Stored { transposed: !self.shape.transposed, ..self.shape }, ..self }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.shape.rows()
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.shape.columns()
    }

    /// Whether the numbers lie column after column.
    pub fn is_transposed(&self) -> bool {
        self.shape.transposed
    }

    /// Row `i` where rows lie together, column `i` where the matrix is transposed.
    pub fn line(&self, i: usize) -> &'a [T] {
        assert!(i < self.shape.lines, "line {i} is outside the matrix");
        &self.data[i * self.shape.stride..i * self.shape.stride + self.shape.length]
    }
}

impl<'a, T: Real> Mat<'a, T> {
    /// One number; the place must be inside.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.data[self.shape.at(row, column)]
    }

    /// The part with these rows and columns.
    pub fn part(&self, rows: Range<usize>, columns: Range<usize>) -> Result<Self> {
        let (start, shape) = self.shape.part(rows, columns, self.data.len())?;
        Ok(Mat { data: &self.data[start..], shape })
    }

    pub(crate) fn faer(self) -> faer::MatRef<'a, T> {
        let Stored { lines, length, stride, transposed } = self.shape;
        let used = used(&self.shape);
        let view = match lines == 0 || length == 0 {
            true => faer::MatRef::from_row_major_slice(&self.data[..0], lines, length),
            false => faer::MatRef::from_row_major_slice_with_stride(&self.data[..used], lines, length, stride),
        };
        if transposed { view.transpose() } else { view }
    }
}

impl<'a, T: Real> MatMut<'a, T> {
    /// `rows` rows of `columns` numbers, one after the other.
    pub fn new(data: &'a mut [T], rows: usize, columns: usize) -> Result<Self> {
        match rows.checked_mul(columns) {
            Some(n) if n == data.len() => Self::strided(data, rows, columns, columns),
            _ => Err(Error::size("numbers of a matrix", format!("{rows} x {columns}"), data.len())),
        }
    }

    /// Rows that begin `stride` numbers apart.
    pub fn strided(data: &'a mut [T], rows: usize, columns: usize, stride: usize) -> Result<Self> {
        let shape = Stored::new(data.len(), rows, columns, stride)?;
        Ok(MatMut { data, shape })
    }

    /// A vector as a matrix of one column.
    pub fn column(data: &'a mut [T]) -> Self {
        let shape = Stored { lines: data.len(), length: 1, stride: 1, transposed: false };
        MatMut { data, shape }
    }

    /// The same numbers with rows and columns exchanged.
    pub fn transposed(self) -> Self {
        MatMut { shape: Stored { transposed: !self.shape.transposed, ..self.shape }, ..self }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.shape.rows()
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.shape.columns()
    }

    /// One number; the place must be inside.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.data[self.shape.at(row, column)]
    }

    /// Writes one number; the place must be inside.
    pub fn set(&mut self, row: usize, column: usize, value: T) {
        self.data[self.shape.at(row, column)] = value;
    }

    /// The matrix to look at.
    pub fn view(&self) -> Mat<'_, T> {
        Mat { data: self.data, shape: self.shape }
    }

    /// The matrix again, for a shorter time.
    pub fn again(&mut self) -> MatMut<'_, T> {
        MatMut { data: self.data, shape: self.shape }
    }

    /// Whether the numbers lie column after column.
    pub fn is_transposed(&self) -> bool {
        self.shape.transposed
    }

    /// The part with these rows and columns.
    pub fn part(self, rows: Range<usize>, columns: Range<usize>) -> Result<Self> {
        let (start, shape) = self.shape.part(rows, columns, self.data.len())?;
        Ok(MatMut { data: &mut self.data[start..], shape })
    }

    /// The lines (rows, or columns where transposed) in groups of `count`, to be written to from several threads.
    pub(crate) fn line_groups(&mut self, count: usize) -> Vec<Lines<'_, T>> {
        let Stored { lines, length, stride, .. } = self.shape;
        if lines == 0 || length == 0 {
            return vec![];
        }
        let count = count.max(1);
        let used = used(&self.shape);
        let group = |(i, data)| Lines { first: i * count, data, length, stride };
        self.data[..used].chunks_mut(count * stride).enumerate().map(group).collect()
    }

    /// Copies the lower half of a square matrix to the upper, in squares so that both sides stay in the cache.
    pub(crate) fn mirror(&mut self) {
        const SIDE: usize = 16;
        let Stored { lines: n, stride, transposed, .. } = self.shape;
        for i in (0..n).step_by(SIDE) {
            for j in (0..=i).step_by(SIDE) {
                for r in i..n.min(i + SIDE) {
                    for c in j..r.min(j + SIDE) {
                        let (low, high) = (r * stride + c, c * stride + r);
                        let (from, to) = if transposed { (high, low) } else { (low, high) };
                        self.data[to] = self.data[from];
                    }
                }
            }
        }
    }

    pub(crate) fn faer(self) -> faer::MatMut<'a, T> {
        let Stored { lines, length, stride, transposed } = self.shape;
        let used = used(&self.shape);
        let view = match lines == 0 || length == 0 {
            true => faer::MatMut::from_row_major_slice_mut(&mut self.data[..0], lines, length),
            // faer 0.24's constructor for strided mutable rows mixes up its strides, so columns are made and turned.
            false => {
                let columns = &mut self.data[..used];
                faer::MatMut::from_column_major_slice_with_stride_mut(columns, length, lines, stride).transpose_mut()
            }
        };
        if transposed { view.transpose_mut() } else { view }
    }
}

/// Some neighbouring lines of a matrix.
pub(crate) struct Lines<'a, T> {
    /// The place of the first of them in the whole.
    pub first: usize,
    data: &'a mut [T],
    length: usize,
    stride: usize,
}

impl<T> Lines<'_, T> {
    /// Each line with its place in the whole.
    pub fn each(&mut self) -> impl Iterator<Item = (usize, &mut [T])> {
        let (first, length) = (self.first, self.length);
        self.data.chunks_mut(self.stride).enumerate().map(move |(i, line)| (first + i, &mut line[..length]))
    }
}

/// How many numbers lie between the first and the last, both included.
fn used(shape: &Stored) -> usize {
    match shape.lines {
        0 => 0,
        n => (n - 1) * shape.stride + shape.length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_checked_and_show_the_right_numbers() {
        let data: Vec<f64> = (0..12).map(f64::from).collect();
        let whole = Mat::new(&data, 3, 4).unwrap();
        assert_eq!((whole.get(1, 2), whole.transposed().get(2, 1)), (6.0, 6.0));
        assert_eq!((whole.transposed().rows(), whole.transposed().columns()), (4, 3));
        let part = whole.part(1..3, 1..3).unwrap();
        assert_eq!((part.get(0, 0), part.get(1, 1), part.transposed().get(0, 1)), (5.0, 10.0, 9.0));
        assert_eq!(whole.transposed().part(1..3, 1..3).unwrap().get(0, 1), 9.0);
        assert_eq!(whole.part(3..3, 4..4).unwrap().rows(), 0);
        assert_eq!(whole.part(3..3, 0..4).unwrap().faer().ncols(), 4);
        for wrong in
            [whole.part(2..4, 0..1).is_ok(), Mat::new(&data, 5, 2).is_ok(), Mat::strided(&data, 4, 2, 4).is_ok()]
        {
            assert!(!wrong);
        }
        assert!(Mat::new(&data, usize::MAX, 2).is_err() && Mat::strided(&data, usize::MAX, 2, usize::MAX).is_err());
        assert!(Mat::strided(&data, 2, 5, 4).is_err(), "rows may not overlap");
        assert!(Mat::strided(&data, 3, 2, 5).is_ok(), "the last row need not have its whole stride");
    }

    #[test]
    fn lines_cover_the_matrix_and_nothing_else() {
        let mut data = vec![0.0f32; 11];
        let mut m = MatMut::strided(&mut data, 3, 3, 4).unwrap();
        for mut lines in m.line_groups(2) {
            lines.each().for_each(|(i, line)| line.fill(1.0 + i as f32));
        }
        assert_eq!(data, [1., 1., 1., 0., 2., 2., 2., 0., 3., 3., 3.]);
    }
}
