//! A table of numbers, one row a point: dense (row after row) or sparse (compressed rows).
//!
//! Dense missing values are NaN and pass only where a machine declares that it handles them; in sparse points what is
//! absent is 0. Everything else is finite: [`Points::check`] makes sure at the door, in one pass.

mod record;

use crate::{Advice, Buffer, Error, Memory, Message, Place, Result, Shared};
use std::borrow::Cow;
use std::ops::Range;

/// Points, one row each.
#[derive(Debug, Clone, PartialEq)]
pub enum Points {
    /// Every number is there.
    Dense(Dense),
    /// Only what is not 0 is there.
    Sparse(Sparse),
}

/// Numbers row after row.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    values: Buffer,
    rows: usize,
    columns: usize,
}

/// Compressed sparse rows: row i has the columns `ids[starts[i]..starts[i + 1]]`, strictly ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    starts: Shared<usize>,
    ids: Shared<u32>,
    values: Shared<f64>,
    columns: usize,
}

impl Dense {
    /// `rows` rows of `columns` numbers.
    pub fn new(values: impl Into<Buffer>, rows: usize, columns: usize) -> Result<Self> {
        let values = values.into();
        match rows.checked_mul(columns) {
            Some(count) if count == values.len() => Ok(Dense { values, rows, columns }),
            _ => Err(Error::size("numbers in a table", format!("{rows} x {columns}"), values.len())),
        }
    }

    /// The numbers, row after row.
    pub fn values(&self) -> &Buffer {
        &self.values
    }

    /// Rows `range` in double precision, row after row.
    pub fn rows(&self, range: Range<usize>) -> Cow<'_, [f64]> {
        self.values.get(range.start * self.columns..range.end * self.columns)
    }

    /// One row in double precision.
    pub fn row(&self, i: usize) -> Cow<'_, [f64]> {
        self.rows(i..i + 1)
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }
}

impl Sparse {
    /// Rows from their starts, columns and values; everything is checked.
    pub fn new(
        starts: impl Into<Shared<usize>>,
        ids: impl Into<Shared<u32>>,
        values: impl Into<Shared<f64>>,
        columns: usize,
    ) -> Result<Self> {
        let (starts, ids, values) = (starts.into(), ids.into(), values.into());
        let last = starts.last().copied();
        let ordered = starts.windows(2).all(|w| w[0] <= w[1]);
        if !ordered || last.is_none_or(|end| end > ids.len()) || ids.len() != values.len() {
            return Err(Error::size("entries of sparse rows", ids.len(), format!("{last:?} and {}", values.len())));
        }
        for (row, w) in starts.windows(2).enumerate() {
            let ids = &ids[w[0]..w[1]];
            let ascending = ids.windows(2).all(|p| p[0] < p[1]);
            if !ascending || ids.last().is_some_and(|&id| id as usize >= columns) {
                let why = format!("columns must ascend and stay below {columns}");
                return Err(Error::data(Place::Cell { row, column: "*".into() }, why));
            }
        }
        Ok(Sparse { starts, ids, values, columns })
    }

    /// Columns and values of one row.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.ids[range.clone()], &self.values[range])
    }

    /// Where each row starts, and after the last one where it ends; the first need not be 0 in a cut.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Columns of all entries.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Values of all entries.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many entries are stored.
    pub fn entries(&self) -> usize {
        self.starts[self.len()] - self.starts[0]
    }

    /// The same rows seen as `columns` wide: wider adds zeros, narrower leaves out entries.
    pub fn widen(&self, columns: usize) -> Sparse {
        if columns >= self.columns {
            return Sparse { columns, ..self.clone() };
        }
        let keep = |row: usize| {
            let (ids, values) = self.row(row);
            let end = ids.partition_point(|&id| (id as usize) < columns);
            (&ids[..end], &values[..end])
        };
        gather((0..self.len()).map(keep), self.len(), columns)
    }
}

/// Sparse rows from an iterator of checked rows.
fn gather<'a>(rows: impl Iterator<Item = (&'a [u32], &'a [f64])>, count: usize, columns: usize) -> Sparse {
    let mut starts = Vec::with_capacity(count + 1);
    let (mut ids, mut values) = (Vec::new(), Vec::new());
    starts.push(0);
    for (row_ids, row_values) in rows {
        ids.extend_from_slice(row_ids);
        values.extend_from_slice(row_values);
        starts.push(ids.len());
    }
    Sparse { starts: starts.into(), ids: ids.into(), values: values.into(), columns }
}

impl Points {
    /// Dense points from numbers row after row.
    pub fn dense(values: impl Into<Buffer>, rows: usize, columns: usize) -> Result<Self> {
        Dense::new(values, rows, columns).map(Points::Dense)
    }

    /// Dense points from rows of equal length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self> {
        let columns = rows.first().map_or(0, |r| r.as_ref().len());
        let mut values = Vec::with_capacity(rows.len() * columns);
        for (i, row) in rows.iter().enumerate() {
            if row.as_ref().len() != columns {
                return Err(Error::size(format!("numbers in row {i}"), columns, row.as_ref().len()));
            }
            values.extend_from_slice(row.as_ref());
        }
        Self::dense(values, rows.len(), columns)
    }

    /// How many points.
    pub fn len(&self) -> usize {
        match self {
            Points::Dense(d) => d.len(),
            Points::Sparse(s) => s.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many numbers a point has.
    pub fn columns(&self) -> usize {
        match self {
            Points::Dense(d) => d.columns(),
            Points::Sparse(s) => s.columns(),
        }
    }

    /// Stored numbers: all of them if dense, the entries if sparse.
    pub fn entries(&self) -> usize {
        match self {
            Points::Dense(d) => d.values.len(),
            Points::Sparse(s) => s.entries(),
        }
    }

    /// Whether only what is not 0 is stored.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Points::Sparse(_))
    }

    /// Bytes the numbers take.
    pub fn bytes(&self) -> u64 {
        match self {
            Points::Dense(d) => d.values.bytes(),
            Points::Sparse(s) => 12 * s.entries() as u64 + 8 * s.starts.len() as u64,
        }
    }

    /// Rows `range`, sharing the numbers.
    pub fn slice(&self, range: Range<usize>) -> Points {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        match self {
            Points::Dense(d) => {
                let values = d.values.slice(start * d.columns..end * d.columns);
                Points::Dense(Dense { values, rows: end - start, columns: d.columns })
            }
            Points::Sparse(s) => Points::Sparse(Sparse { starts: s.starts.slice(start..end + 1), ..s.clone() }),
        }
    }

    /// The given rows, in that order; an index may come twice. All must be below [`Points::len`].
    pub fn select(&self, rows: &[usize]) -> Result<Points> {
        if let Some(&beyond) = rows.iter().find(|&&r| r >= self.len()) {
            return Err(Error::size("row index", format!("below {}", self.len()), beyond));
        }
        Ok(match self {
            Points::Dense(d) => {
                let c = d.columns;
                let values = match &d.values {
                    Buffer::F32(v) => Buffer::from(pick(v, rows, c)),
                    Buffer::F64(v) => Buffer::from(pick(v, rows, c)),
                };
                Points::Dense(Dense { values, rows: rows.len(), columns: c })
            }
            Points::Sparse(s) => Points::Sparse(gather(rows.iter().map(|&r| s.row(r)), rows.len(), s.columns)),
        })
    }

    /// One row written out, missing columns as 0.
    pub fn write_row(&self, i: usize, out: &mut [f64]) {
        match self {
            Points::Dense(d) => out.copy_from_slice(&d.row(i)),
            Points::Sparse(s) => {
                out.fill(0.0);
                let (ids, values) = s.row(i);
                for (&id, &value) in ids.iter().zip(values) {
                    out[id as usize] = value;
                }
            }
        }
    }

    /// All points as dense numbers in double precision; a copy, where one is needed, is counted.
    pub fn to_dense(&self, memory: &Memory) -> Result<Shared<f64>> {
        match self {
            Points::Dense(d) => d.values.to_f64(memory),
            Points::Sparse(s) => {
                let count = s.len().saturating_mul(s.columns);
                let (mut values, hold) = memory.filled(count, 0.0, "sparse points written out")?;
                if s.columns > 0 {
                    values.chunks_exact_mut(s.columns).enumerate().for_each(|(i, row)| self.write_row(i, row));
                }
                Ok(Shared::counted(values, hold))
            }
        }
    }

    /// Makes sure that every number is finite; NaN passes where `missing` is allowed and the points are dense.
    /// `name` gives a column's name for the message.
    pub fn check(&self, missing: bool, name: impl Fn(usize) -> String) -> Result<()> {
        let (wrong, value) = match self {
            Points::Dense(d) => match &d.values {
                Buffer::F32(v) => match first_bad(v, f32::to_bits, 0x7f80_0000, 0x7f_ffff, missing) {
                    Some(i) => (i, f64::from(v[i])),
                    None => return Ok(()),
                },
                Buffer::F64(v) => {
                    match first_bad(v, f64::to_bits, 0x7ff0_0000_0000_0000, 0xf_ffff_ffff_ffff, missing) {
                        Some(i) => (i, v[i]),
                        None => return Ok(()),
                    }
                }
            },
            Points::Sparse(s) => {
                let range = s.starts[0]..s.starts[s.len()];
                let Some(i) = s.values[range.clone()].iter().position(|v| !v.is_finite()) else { return Ok(()) };
                let entry = range.start + i;
                let row = s.starts.partition_point(|&start| start <= entry) - 1;
                return Err(not_finite(row, name(s.ids[entry] as usize), s.values[entry]));
            }
        };
        let columns = self.columns().max(1);
        Err(not_finite(wrong / columns, name(wrong % columns), value))
    }

    /// Makes sure that numbers computed of finite ones are finite; the error says that a number became too large, and
    /// where, because nothing is missing in the user's data.
    pub fn check_computed(&self, missing: bool, name: impl Fn(usize) -> String, by: &str) -> Result<()> {
        self.check(missing, name).map_err(|error| match error {
            Error::Data { place, .. } => Error::data(
                place,
                Message::from(format!("a number became too large in {by}; rescale the columns and weights"))
                    .with(Advice::prepare("scale")),
            ),
            other => other,
        })
    }
}

/// The first number that is infinite, or NaN where missing values are not allowed.
fn first_bad<T: Copy, B: Copy + PartialEq + std::ops::BitAnd<Output = B> + From<u32>>(
    values: &[T],
    bits: fn(T) -> B,
    exponent: B,
    fraction: B,
    missing: bool,
) -> Option<usize> {
    const BLOCK: usize = 4096;
    let zero = B::from(0);
    let bad = |x: T| {
        let b = bits(x);
        (b & exponent) == exponent && !(missing && (b & fraction) != zero)
    };
    // A block without a branch vectorises; the exact place is looked for only in the block that has one.
    values.chunks(BLOCK).enumerate().find_map(|(block, chunk)| {
        let any = chunk.iter().fold(false, |any, &x| any | bad(x));
        any.then(|| chunk.iter().position(|&x| bad(x)).map(|i| block * BLOCK + i)).flatten()
    })
}

fn not_finite(row: usize, column: String, value: f64) -> Error {
    let why = match value.is_nan() {
        true => Message::from("is missing (NaN); leave the row out or fill it").with(Advice::prepare("impute=mean")),
        false => format!("{value} is not finite").into(),
    };
    Error::data(Place::Cell { row, column }, why)
}

fn pick<T: Copy>(values: &[T], rows: &[usize], columns: usize) -> Vec<T> {
    let mut out = Vec::with_capacity(rows.len() * columns);
    for &r in rows {
        out.extend_from_slice(&values[r * columns..(r + 1) * columns]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both() -> [Points; 2] {
        let dense = Points::from_rows(&[[0.0, 1.0, 0.0], [2.0, 0.0, 3.0], [0.0, 0.0, 0.0]]).unwrap();
        let sparse = Sparse::new(vec![0, 1, 3, 3], vec![1, 0, 2], vec![1.0, 2.0, 3.0], 3).unwrap();
        [dense, Points::Sparse(sparse)]
    }

    #[test]
    fn dense_and_sparse_say_the_same() {
        let memory = Memory::unlimited();
        let [a, b] = both();
        let rows = [2, 1, 1];
        for (a, b) in [
            (a.clone(), b.clone()),
            (a.slice(1..3), b.slice(1..3)),
            (a.select(&rows).unwrap(), b.select(&rows).unwrap()),
            (a.slice(1..2).select(&[0]).unwrap(), b.slice(1..2).select(&[0]).unwrap()),
        ] {
            assert_eq!(a.to_dense(&memory).unwrap(), b.to_dense(&memory).unwrap());
            assert_eq!((a.len(), a.columns()), (b.len(), b.columns()));
        }
        assert!(a.select(&[3]).is_err() && b.select(&[3]).is_err());
    }

    #[test]
    fn wrong_sizes_are_refused() {
        assert!(Points::dense(vec![0.0; 5], 2, 3).is_err());
        assert!(Points::dense(Vec::<f64>::new(), usize::MAX, 2).is_err());
        assert!(Points::from_rows(&[vec![1.0], vec![1.0, 2.0]]).is_err());
        for (starts, ids, columns) in [
            (vec![0, 2], vec![1, 0], 3),
            (vec![0, 2], vec![1, 1], 3),
            (vec![0, 2], vec![1, 3], 3),
            (vec![0, 3], vec![0, 1], 3),
            (vec![2, 0], vec![0, 1], 3),
            (vec![], vec![0, 1], 3),
        ] {
            assert!(Sparse::new(starts, ids, vec![1.0; 2], columns).is_err());
        }
    }

    #[test]
    fn finds_what_is_not_finite() {
        let name = |c: usize| format!("x{c}");
        let place = |p: &Points, missing| p.check(missing, name).err().map(|e| e.to_string());
        let mut values = vec![1.0; 30_000];
        values[20_001] = f64::NAN;
        let p = Points::dense(values.clone(), 10_000, 3).unwrap();
        assert!(place(&p, false).unwrap().starts_with("row 6668, column \"x0\": is missing"));
        assert_eq!(place(&p, true), None);
        values[20_002] = f64::INFINITY;
        let p = Points::dense(values, 10_000, 3).unwrap();
        assert_eq!(place(&p, true).unwrap(), "row 6668, column \"x1\": inf is not finite");
        let p = Points::dense(vec![1.0, f32::NEG_INFINITY], 1, 2).unwrap();
        assert_eq!(place(&p, true).unwrap(), "row 1, column \"x1\": -inf is not finite");
        let s = Sparse::new(vec![0, 0, 1, 2], vec![0, 2], vec![1.0, f64::NAN], 3).unwrap();
        let cut = Points::Sparse(s).slice(1..3);
        assert!(place(&cut, true).unwrap().starts_with("row 2, column \"x2\""));
    }

    #[test]
    fn widths_of_sparse_points_can_be_matched() {
        let [_, Points::Sparse(s)] = both() else { unreachable!() };
        assert_eq!(s.widen(5).columns(), 5);
        let narrow = s.widen(2);
        assert_eq!((narrow.entries(), narrow.row(1)), (2, (&[0u32][..], &[2.0][..])));
    }
}
