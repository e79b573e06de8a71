//! Weights of several classes as bytes, only those that are not 0.
//!
//! Little-endian: `PV` and the version, bytes of a value (4 or 8), columns and vectors (8 bytes each), then for each vector
//! its id, how many entries it has, whether they are all of its columns (1) or some (0), for some the columns as
//! differences (numbers of variable length), and the values. A vector is written as all its columns where that is shorter.
//!
//! **Size.** 9 to 13 bytes an entry in double precision, for words of Zipf's law mostly 9, against 8 · columns a class;
//! [`Packer::dense_bytes`] says what the latter would have been.
//! **Damage.** Counts are compared with the bytes that are left before anything is allocated: what a message makes
//! is at most nine times as large as the message, whatever it says.

use crate::varint::{put, take};
use base::{Error, Hold, Memory, Result};

const MAGIC: [u8; 3] = *b"PV1";
/// Bytes before the first vector.
const HEAD: usize = 20;

/// In how many bytes a value travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireFormat {
    /// Four: rounded, for weights that are kept so.
    Single,
    /// Eight: bit by bit.
    Double,
}

impl WireFormat {
    fn bytes(self) -> usize {
        match self {
            WireFormat::Single => 4,
            WireFormat::Double => 8,
        }
    }
}

/// Writes a bundle, vector by vector.
pub struct Packer {
    columns: usize,
    precision: WireFormat,
    vectors: u64,
    bytes: Vec<u8>,
    entries: Vec<(u32, f64)>,
}

impl Packer {
    /// An empty bundle of vectors of that many columns, at most 2³².
    pub fn new(columns: usize, precision: WireFormat) -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.push(precision.bytes() as u8);
        bytes.extend_from_slice(&(columns as u64).to_le_bytes());
        bytes.extend_from_slice(&0u64.to_le_bytes());
        Packer { columns, precision, vectors: 0, bytes, entries: vec![] }
    }

    /// Adds the vector of a class (or whatever the id stands for): entries (column, value), columns ascending.
    pub fn add(&mut self, id: u64, entries: impl IntoIterator<Item = (u32, f64)>) -> Result<()> {
        self.entries.clear();
        let mut least = 0;
        for (column, value) in entries {
            if u64::from(column) < least || column as usize >= self.columns {
                let right = format!("ascending, below {}", self.columns);
                return Err(Error::size(format!("columns of vector {id}"), right, column));
            }
            least = u64::from(column) + 1;
            let rounded = match self.precision {
                WireFormat::Single => f64::from(value as f32),
                WireFormat::Double => value,
            };
            if !rounded.is_finite() {
                return Err(Error::size(format!("column {column} of vector {id}"), "a finite number", value));
            }
            if rounded != 0.0 {
                self.entries.push((column, rounded));
            }
        }
        let (value, bytes) = (self.precision.bytes(), &mut self.bytes);
        put(bytes, id);
        put(bytes, self.entries.len() as u64);
        let full = self.entries.len() * (value + 1) >= self.columns * value;
        bytes.push(u8::from(full));
        let write = |bytes: &mut Vec<u8>, x: f64| match self.precision {
            WireFormat::Single => bytes.extend_from_slice(&(x as f32).to_le_bytes()),
            WireFormat::Double => bytes.extend_from_slice(&x.to_le_bytes()),
        };
        if full {
            let mut rest = self.entries.iter().peekable();
            for column in 0..self.columns {
                write(bytes, rest.next_if(|(c, _)| *c as usize == column).map_or(0.0, |e| e.1));
            }
        } else {
            let mut least = 0;
            for &(column, _) in &self.entries {
                put(bytes, u64::from(column) - least);
                least = u64::from(column) + 1;
            }
            self.entries.iter().for_each(|e| write(bytes, e.1));
        }
        self.vectors += 1;
        Ok(())
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Bytes that the vectors so far would take with all their zeros.
    pub fn dense_bytes(&self) -> u64 {
        self.vectors
            .saturating_mul(8u64.saturating_add((self.columns as u64).saturating_mul(self.precision.bytes() as u64)))
    }

    /// The bundle as bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes[HEAD - 8..HEAD].copy_from_slice(&self.vectors.to_le_bytes());
        self.bytes
    }
}

/// What was in a bundle.
#[derive(Debug)]
pub struct Bundle {
    ids: Vec<u64>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    _hold: Hold,
}

impl Bundle {
    /// Reads a bundle of vectors of that many columns from the front of a message, which may go on after it.
    pub fn read(message: &mut &[u8], columns: usize, memory: &Memory) -> Result<Self> {
        let mut rest = *message;
        let bundle = Self::parse(&mut rest, columns, memory)?;
        *message = rest;
        Ok(bundle)
    }

    fn parse(rest: &mut &[u8], columns: usize, memory: &Memory) -> Result<Self> {
        let head = split(rest, HEAD)?;
        let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap_or_default());
        let size = match (head[..3] == MAGIC, head[3]) {
            (true, 4) => 4,
            (true, 8) => 8,
            _ => return Err(refuse("begins otherwise; use the same build on all ranks")),
        };
        if number(4) != columns as u64 {
            return Err(Error::size("columns of a bundle", columns, number(4)));
        }
        let vectors = usize::try_from(number(12)).ok().filter(|&v| v <= rest.len() / 3);
        let vectors = vectors.ok_or_else(|| refuse(format!("{} vectors in {} bytes", number(12), rest.len())))?;
        // An entry is a value and, unless the vector is full, at least a byte: as if all were single and full.
        let most = rest.len() / size;
        let bytes = 16 * (vectors as u64 + 1) + 12 * most as u64;
        let hold = memory.take(bytes, "weights of another rank")?;
        let mut bundle = Bundle {
            ids: Vec::with_capacity(vectors),
            starts: Vec::with_capacity(vectors + 1),
            columns: Vec::with_capacity(most),
            values: Vec::with_capacity(most),
            _hold: hold,
        };
        bundle.starts.push(0);
        for _ in 0..vectors {
            let cut = || refuse("ends within a vector");
            bundle.ids.push(take(rest).ok_or_else(cut)?);
            let entries = take(rest).ok_or_else(cut)?;
            let full = split(rest, 1)?[0];
            let fits = |bytes: usize| entries <= columns as u64 && entries <= (rest.len() / bytes) as u64;
            match full {
                0 if fits(size + 1) => bundle.some(rest, (entries as usize, columns), size)?,
                1 if columns <= rest.len() / size && entries <= columns as u64 => {
                    let values = split(rest, columns * size)?;
                    for (column, bytes) in (0u32..).zip(values.chunks_exact(size)) {
                        let value = finite(bytes)?;
                        if value != 0.0 {
                            bundle.columns.push(column);
                            bundle.values.push(value);
                        }
                    }
                    let found = bundle.values.len() - bundle.starts.last().copied().unwrap_or(0);
                    if found as u64 != entries {
                        return Err(Error::size("entries of a vector", entries, found));
                    }
                }
                _ => return Err(refuse(format!("{entries} entries of {columns} columns in {} bytes", rest.len()))),
            }
            bundle.starts.push(bundle.values.len());
        }
        Ok(bundle)
    }

    /// Reads a vector of which only some columns are there; that the bytes can hold them is known.
    fn some(&mut self, rest: &mut &[u8], (entries, columns): (usize, usize), size: usize) -> Result<()> {
        let mut least = 0u64;
        for _ in 0..entries {
            let step = take(rest).ok_or_else(|| refuse("ends within the columns of a vector"))?;
            let column = least.checked_add(step).filter(|&c| c < columns as u64);
            let column = column.ok_or_else(|| refuse(format!("a column at {least} + {step} of {columns}")))?;
            self.columns.push(column as u32);
            least = column + 1;
        }
        let bytes = entries.checked_mul(size).ok_or_else(|| refuse("ends within the values of a vector"))?;
        for bytes in split(rest, bytes)?.chunks_exact(size) {
            self.values.push(finite(bytes)?);
        }
        Ok(())
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Id, columns (ascending) and values of each vector.
    pub fn vectors(&self) -> impl Iterator<Item = (u64, &[u32], &[f64])> {
        self.ids.iter().zip(self.starts.windows(2)).map(|(&id, ends)| {
            let place = ends[0]..ends[1];
            (id, &self.columns[place.clone()], &self.values[place])
        })
    }
}

fn refuse(why: impl Into<String>) -> Error {
    Error::format("weights of another rank", why.into())
}

fn split<'a>(rest: &mut &'a [u8], bytes: usize) -> Result<&'a [u8]> {
    let (front, after) = rest
        .split_at_checked(bytes)
        .ok_or_else(|| refuse(format!("{} bytes are left, expected at least {bytes}: cut off", rest.len())))?;
    *rest = after;
    Ok(front)
}

fn finite(bytes: &[u8]) -> Result<f64> {
    let value = match bytes.len() {
        4 => f64::from(f32::from_le_bytes(bytes.try_into().unwrap_or_default())),
        _ => f64::from_le_bytes(bytes.try_into().unwrap_or_default()),
    };
    if value.is_finite() { Ok(value) } else { Err(refuse(format!("a value is {value}"))) }
}
