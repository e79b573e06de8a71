//! Arrays of numbers or texts as NumPy and IDX store them, and what data they make.
//!
//! Single precision stays single and, where its bytes lie right, stays in the file; all else becomes double precision,
//! or, for pixels, single precision where nothing is lost. Whole numbers that double precision cannot hold exactly are
//! refused rather than rounded. One dimension is a column, two are points, three and four are images or series, a row
//! each; more are flattened.

use crate::reading::Reading;
use crate::window::{Owner, numbers};
use base::{Buffer, Cells, Column, Dataset, Error, Features, Points, Result, Run, Shape, Shared, Table, Targets};
use std::ops::Range;

/// An array read from a file, in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Values,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    Numbers(Buffer),
    Texts(Vec<String>),
}

/// What one element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
    /// Text of so many bytes, padded with zeros.
    Bytes(usize),
    /// Text of so many characters of four bytes, padded with zeros.
    Chars(usize),
}

impl Element {
    fn size(self) -> Option<usize> {
        match self {
            Element::I8 | Element::U8 | Element::Bool => Some(1),
            Element::F16 | Element::I16 | Element::U16 => Some(2),
            Element::F32 | Element::I32 | Element::U32 => Some(4),
            Element::F64 | Element::I64 | Element::U64 => Some(8),
            Element::Bytes(n) => Some(n),
            Element::Chars(n) => n.checked_mul(4),
        }
    }
}

/// How an array lies in its bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub(crate) element: Element,
    pub(crate) big_endian: bool,
    /// The first index moves fastest (Fortran) instead of the last.
    pub(crate) first_fastest: bool,
    pub(crate) shape: Vec<usize>,
    /// Numbers of one or two bytes become single precision, which holds them exactly, instead of double.
    pub(crate) single: bool,
}

impl Layout {
    /// How many elements and bytes, if that can be.
    fn counts(&self) -> Option<(usize, usize)> {
        let size = self.element.size().filter(|&n| n > 0)?;
        checked_counts(&self.shape, size)
    }

    /// Reads the array that fills `range` of the owner's bytes exactly.
    pub(crate) fn read(&self, name: &str, owner: &Owner, range: Range<usize>, run: &Run<'_>) -> Result<Array> {
        let bytes = (**owner).as_ref().get(range.clone()).unwrap_or(&[]);
        let count = match self.counts() {
            Some((count, needed)) if needed == bytes.len() => count,
            Some((_, needed)) => {
                let why = format!("its shape {:?} needs {needed} bytes, {} are there", self.shape, bytes.len());
                return Err(Error::format(name, why));
            }
            None => return Err(Error::format(name, format!("its shape {:?} is too large or empty", self.shape))),
        };
        let array = Array { shape: self.shape.clone(), values: self.values(name, owner, range, count, run)? };
        if matches!(self.element, Element::F16 | Element::F32 | Element::F64) {
            array.check_finite(name)?;
        }
        Ok(array)
    }

    fn values(&self, name: &str, owner: &Owner, range: Range<usize>, count: usize, run: &Run<'_>) -> Result<Values> {
        let bytes = (**owner).as_ref().get(range.clone()).unwrap_or(&[]);
        let straight = !self.first_fastest && (!self.big_endian || cfg!(target_endian = "big"));
        Ok(match self.element {
            Element::F32 if straight => Values::Numbers(Buffer::F32(numbers(owner, range, &run.memory)?)),
            Element::F64 if straight => Values::Numbers(Buffer::F64(numbers(owner, range, &run.memory)?)),
            Element::Bytes(_) | Element::Chars(_) => Values::Texts(self.texts(name, bytes, count, run)?),
            _ => Values::Numbers(self.numbers(name, bytes, run)?),
        })
    }

    fn numbers(&self, name: &str, bytes: &[u8], run: &Run<'_>) -> Result<Buffer> {
        let exact = |exact: bool, at: usize, value: String| match exact {
            true => Ok(()),
            false => Err(Error::format(
                name,
                format!(
                    "element {at} is {value}, which double precision cannot hold exactly; store it as text or smaller"
                ),
            )),
        };
        Ok(match self.element {
            Element::F32 => Buffer::F32(self.decode(bytes, |b, e| f32::from_bits(u32::of(b, e)), run)?),
            Element::F16 => self.small(bytes, |b, e| half(u16::of(b, e)), run)?,
            Element::I8 => self.small(bytes, |b, e| f32::from(i8::of(b, e)), run)?,
            Element::U8 => self.small(bytes, |b, e| f32::from(u8::of(b, e)), run)?,
            Element::I16 => self.small(bytes, |b, e| f32::from(i16::of(b, e)), run)?,
            Element::U16 => self.small(bytes, |b, e| f32::from(u16::of(b, e)), run)?,
            Element::Bool => self.small(bytes, |b, e| f32::from(u8::from(u8::of(b, e) != 0)), run)?,
            Element::F64 => Buffer::F64(self.decode(bytes, |b, e| f64::from_bits(u64::of(b, e)), run)?),
            Element::I32 => Buffer::F64(self.decode(bytes, |b, e| f64::from(i32::of(b, e)), run)?),
            Element::U32 => Buffer::F64(self.decode(bytes, |b, e| f64::from(u32::of(b, e)), run)?),
            Element::I64 => {
                for (at, &b) in bytes.as_chunks::<8>().0.iter().enumerate() {
                    let x = i64::of(b, self.big_endian);
                    exact(x as f64 as i128 == i128::from(x), at, x.to_string())?;
                }
                Buffer::F64(self.decode(bytes, |b, e| i64::of(b, e) as f64, run)?)
            }
            Element::U64 => {
                for (at, &b) in bytes.as_chunks::<8>().0.iter().enumerate() {
                    let x = u64::of(b, self.big_endian);
                    exact(x as f64 as i128 == i128::from(x), at, x.to_string())?;
                }
                Buffer::F64(self.decode(bytes, |b, e| u64::of(b, e) as f64, run)?)
            }
            Element::Bytes(_) | Element::Chars(_) => Buffer::F64(Vec::new().into()),
        })
    }

    fn small<const N: usize>(
        &self,
        bytes: &[u8],
        read: impl Fn([u8; N], bool) -> f32,
        run: &Run<'_>,
    ) -> Result<Buffer> {
        Ok(match self.single {
            true => Buffer::F32(self.decode(bytes, read, run)?),
            false => Buffer::F64(self.decode(bytes, |b, e| f64::from(read(b, e)), run)?),
        })
    }

    /// Elements in row-major order; `read` takes the bytes of one and whether they are big-endian.
    fn decode<T: Copy + Default + Send + Sync + 'static, const N: usize>(
        &self,
        bytes: &[u8],
        read: impl Fn([u8; N], bool) -> T,
        run: &Run<'_>,
    ) -> Result<Shared<T>> {
        let (elements, _) = bytes.as_chunks::<N>();
        let hold = run.memory.take_for::<T>(elements.len(), "an array")?;
        let big = self.big_endian;
        if !self.first_fastest || self.shape.len() < 2 || elements.is_empty() {
            return Ok(Shared::counted(elements.iter().map(|&b| read(b, big)).collect(), hold));
        }
        let rows = self.shape[0];
        let offsets = reversed_offsets(&self.shape[1..], run)?;
        let columns = offsets.len();
        let mut out = vec![T::default(); elements.len()];
        // Tiles, so that both sides stay in the cache.
        const TILE: usize = 64;
        for row in (0..rows).step_by(TILE) {
            for (tile, part) in offsets.chunks(TILE).enumerate() {
                for r in row..(row + TILE).min(rows) {
                    let out = &mut out[r * columns + tile * TILE..][..part.len()];
                    for (out, offset) in out.iter_mut().zip(part) {
                        *out = read(elements[r + rows * offset], big);
                    }
                }
            }
        }
        Ok(Shared::counted(out, hold))
    }

    fn texts(&self, name: &str, bytes: &[u8], count: usize, run: &Run<'_>) -> Result<Vec<String>> {
        if self.shape.len() > 1 {
            let instead = "one-dimensional arrays of text can be labels";
            return Err(Error::unsupported(format!("{name}: texts of shape {:?}", self.shape), "the reader", instead));
        }
        let size = bytes.len().checked_div(count).unwrap_or(1).max(1);
        let _hold = run.memory.take((count * size_of::<String>() + bytes.len()) as u64, "an array of texts")?;
        let wrong = |at: usize| Error::format(name, format!("element {at} is not text"));
        let text = |(at, b): (usize, &[u8])| match self.element {
            Element::Bytes(_) => {
                let end = b.iter().rposition(|&x| x != 0).map_or(0, |i| i + 1);
                std::str::from_utf8(&b[..end]).map(str::to_string).map_err(|_| wrong(at))
            }
            _ => {
                let codes = b.as_chunks::<4>().0.iter().map(|&c| u32::of(c, self.big_endian));
                let text: Option<String> = codes.map(char::from_u32).collect();
                text.map(|t| t.trim_end_matches('\0').to_string()).ok_or_else(|| wrong(at))
            }
        };
        bytes.chunks_exact(size).enumerate().map(text).collect()
    }
}

/// How many elements a shape has and how many bytes they take. No product of some of its sizes overflows either, so a 0
/// does not hide sizes that cannot be.
pub(crate) fn checked_counts(shape: &[usize], size: usize) -> Option<(usize, usize)> {
    let most = shape.iter().try_fold(size, |product, &n| product.checked_mul(n.max(1)))?;
    let count = if shape.contains(&0) { 0 } else { most / size };
    Some((count, count * size))
}

/// Where the elements of a row lie, in row-major order, when the first index moves fastest.
fn reversed_offsets(shape: &[usize], run: &Run<'_>) -> Result<Vec<usize>> {
    let count = shape.iter().product();
    let _hold = run.memory.take_for::<usize>(count, "the order of an array")?;
    let mut offsets = Vec::with_capacity(count);
    let mut index = vec![0; shape.len()];
    for _ in 0..count {
        offsets.push(index.iter().zip(shape).rev().fold(0, |offset, (&i, &n)| offset * n + i));
        for (i, &n) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < n {
                break;
            }
            *i = 0;
        }
    }
    Ok(offsets)
}

/// A whole number from its bytes in either order; the width is known when compiling, so that loops vectorise.
trait Whole<const N: usize>: Sized {
    fn of(bytes: [u8; N], big_endian: bool) -> Self;
}

macro_rules! wholes {
    ($($type:ty)+) => {
        $(impl Whole<{ size_of::<$type>() }> for $type {
            fn of(bytes: [u8; size_of::<$type>()], big_endian: bool) -> Self {
                if big_endian { <$type>::from_be_bytes(bytes) } else { <$type>::from_le_bytes(bytes) }
            }
        })+
    };
}

wholes!(i8 u8 i16 u16 i32 u32 i64 u64);

/// A number of half precision (1 sign, 5 exponent, 10 fraction bits), exactly.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

impl Array {
    /// Rows and numbers of a row.
    pub(crate) fn rows_columns(&self) -> (usize, usize) {
        let rows = self.shape.first().copied().unwrap_or(1);
        (rows, self.shape.iter().skip(1).product())
    }

    /// Makes sure that no number is infinite; NaN is missing and passes.
    fn check_finite(&self, name: &str) -> Result<()> {
        let Values::Numbers(numbers) = &self.values else { return Ok(()) };
        let (rows, columns) = self.rows_columns();
        let points = Points::dense(numbers.clone(), rows, columns)?;
        points.check(true, |i| i.to_string()).map_err(|e| Error::format(name, e.to_message()))
    }

    /// The array as data without targets.
    pub(crate) fn into_dataset(self, name: &str, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
        if self.shape.is_empty() {
            return Err(Error::format(name, "holds a single value, expected rows"));
        }
        let (rows, columns) = self.rows_columns();
        if columns == 0 || columns > how.max_columns {
            let why = format!("has {columns} columns, expected 1 to {}", how.max_columns);
            return Err(Error::format(name, why));
        }
        let numbers = match self.values {
            Values::Numbers(numbers) => numbers,
            Values::Texts(texts) => {
                let cells = Cells::categories(texts.iter().map(|t| Some(t.as_str())));
                let table = Table::new(vec![Column { name: "text".into(), cells }])?;
                return Ok(Dataset::new(table, Targets::None));
            }
        };
        let mut data = Dataset::new(Points::dense(numbers, rows, columns)?, Targets::None);
        match shape_of(&self.shape[1..]) {
            Some(shape) => {
                run.watch.note(&format!("{name}: each row is taken as {}", shape));
                data.features = Features::unnamed(columns).shaped(shape)?;
            }
            None if self.shape.len() > 2 => {
                run.watch.note(&format!("{name}: rows of shape {:?} are flattened", &self.shape[1..]));
            }
            None => {}
        }
        Ok(data)
    }

    /// The array as targets of so many rows; numbers become values and texts classes.
    pub(crate) fn into_targets(self, name: &str, target: &str, rows: usize) -> Result<Targets> {
        let (found, columns) = self.rows_columns();
        if found != rows || self.shape.is_empty() {
            return Err(Error::size(format!("{name}: rows of {target:?}"), rows, found));
        }
        Ok(match self.values {
            Values::Texts(texts) => {
                let rows: Vec<Option<String>> = texts.into_iter().map(Some).collect();
                Targets::Classes(base::Classes::from_names(&rows))
            }
            Values::Numbers(numbers) => {
                let values = numbers.get(0..numbers.len()).into_owned();
                match columns {
                    1 => Targets::Values(base::Values::new(values, target)),
                    _ => {
                        let names: Vec<String> = (0..columns).map(|i| format!("{target}{i}")).collect();
                        Targets::Values(base::Values::several(values, names)?)
                    }
                }
            }
        })
    }

    /// An array of one dimension as the cells of a column.
    pub(crate) fn into_cells(self, name: &str, run: &Run<'_>) -> Result<Cells> {
        match (self.values, &self.shape[..]) {
            (Values::Numbers(numbers), [_] | [_, 1]) => Ok(Cells::Number(numbers.to_f64(&run.memory)?)),
            (Values::Texts(texts), _) => Ok(Cells::categories(texts.iter().map(|t| Some(t.as_str())))),
            (_, shape) => Err(Error::format(name, format!("has shape {shape:?}, expected one value per row"))),
        }
    }
}

/// What rows of that shape are, taken together: pictures, or series if they are long and narrow.
fn shape_of(row: &[usize]) -> Option<Shape> {
    match *row {
        [length, channels] if channels <= length / 4 => Some(Shape::Series { length, channels }),
        [height, width] => Some(Shape::Image { height, width, channels: 1 }),
        [height, width, channels @ 1..=4] => Some(Shape::Image { height, width, channels }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_exact() {
        let table =
            [(0, 0.0), (1, 5.960_464_5e-8), (0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x3555, 0.333_251_95)];
        for (bits, value) in table {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x8000).is_sign_negative() && half(0x7e00).is_nan() && half(0xfc00) == f32::NEG_INFINITY);
    }

    #[test]
    fn reversed_order_by_definition() {
        let shape = [3, 4, 2];
        let offsets = reversed_offsets(&shape, &Run::quiet(1)).unwrap();
        let mut expected = vec![];
        for i in 0..3 {
            for j in 0..4 {
                for k in 0..2 {
                    expected.push(i + 3 * (j + 4 * k));
                }
            }
        }
        assert_eq!(offsets, expected);
    }

    #[test]
    fn a_zero_hides_no_sizes_that_cannot_be() {
        assert_eq!(checked_counts(&[3, 4], 8), Some((12, 96)));
        assert_eq!(checked_counts(&[], 8), Some((1, 8)));
        assert_eq!(checked_counts(&[0, 5], 8), Some((0, 0)));
        for shape in [&[0, 1 << 40, 1 << 40][..], &[1 << 40, 0, 1 << 40], &[1 << 61], &[usize::MAX, 2]] {
            assert_eq!(checked_counts(shape, 8), None, "{shape:?}");
        }
        // Rows that are none, of a width that no table of offsets should be made for.
        let shape = vec![0, 1 << 50];
        let layout = Layout { element: Element::F64, big_endian: false, first_fastest: true, shape, single: false };
        let owner: Owner = std::sync::Arc::new(Vec::new());
        assert!(layout.read("x", &owner, 0..0, &Run::quiet(1)).is_ok());
    }

    #[test]
    fn rows_are_images_or_series() {
        assert_eq!(shape_of(&[28, 28]), Some(Shape::Image { height: 28, width: 28, channels: 1 }));
        assert_eq!(shape_of(&[128, 9]), Some(Shape::Series { length: 128, channels: 9 }));
        assert_eq!(shape_of(&[32, 30, 3]), Some(Shape::Image { height: 32, width: 30, channels: 3 }));
        assert_eq!((shape_of(&[3, 32, 32]), shape_of(&[5])), (None, None));
    }
}
