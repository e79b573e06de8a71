//! Heads of Parquet pages, looked at before any page is unpacked.
//!
//! A page says how large it will be when unpacked, and the reader makes that much room before it looks at the page. Here
//! every page of every column is visited first: its size must fit into what its column is told to take, and that is
//! counted. A head is a structure of Thrift's compact protocol, of which only two numbers matter: field 2, the size when
//! unpacked, and field 3, the size as it lies there. O(pages).

use base::{Error, Result};
use parquet::file::metadata::ParquetMetaData;

/// Structures inside structures at most.
const DEEPEST: usize = 8;

/// Makes sure of all pages; answers with the bytes that the largest row group takes when unpacked.
pub(crate) fn largest_group(name: &str, bytes: &[u8], metadata: &ParquetMetaData) -> Result<u64> {
    let mut largest = 0u64;
    for group in metadata.row_groups() {
        let mut sum = 0u64;
        for column in group.columns() {
            let told = u64::try_from(column.uncompressed_size()).map_err(|_| damaged(name, "a negative size"))?;
            let (start, length) = column.byte_range();
            let end = start.checked_add(length).filter(|&end| end <= bytes.len() as u64);
            let end = end.ok_or_else(|| damaged(name, "a column that ends behind the file"))?;
            let mut at = start as usize;
            while (at as u64) < end {
                let head = Head::read(&bytes[at..end as usize]);
                let head = head.ok_or_else(|| damaged(name, "a page without a header"))?;
                if head.unpacked > told {
                    let why = format!("a page of {} bytes in a column of {told}", head.unpacked);
                    return Err(damaged(name, &why));
                }
                let next = (at as u64).checked_add(head.length).and_then(|a| a.checked_add(head.packed));
                at = next.filter(|&n| n <= end).ok_or_else(|| damaged(name, "a page that ends behind its column"))?
                    as usize;
            }
            sum = sum.saturating_add(told);
        }
        largest = largest.max(sum);
    }
    Ok(largest)
}

fn damaged(name: &str, what: &str) -> Error {
    Error::format(name, format!("is a damaged Parquet file: it has {what}"))
}

/// What matters of a page's head.
struct Head {
    length: u64,
    packed: u64,
    unpacked: u64,
}

impl Head {
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut thrift = Thrift { bytes, at: 0 };
        let (mut id, mut packed, mut unpacked) = (0i64, None, None);
        while let Some((field, kind)) = thrift.field(id)? {
            id = field;
            match (field, kind) {
                (2, 5) => unpacked = Some(thrift.whole()?),
                (3, 5) => packed = Some(thrift.whole()?),
                _ => thrift.skip(kind, DEEPEST)?,
            }
        }
        let size = |x: Option<i64>| u64::try_from(x?).ok();
        Some(Head { length: thrift.at as u64, packed: size(packed)?, unpacked: size(unpacked)? })
    }
}

/// Thrift's compact protocol, as far as it must be known to step over it.
struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn step(&mut self, count: u64) -> Option<()> {
        let at = (self.at as u64).checked_add(count).filter(|&at| at <= self.bytes.len() as u64)?;
        self.at = at as usize;
        Some(())
    }

    /// Seven bits a byte, the lowest first.
    fn natural(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Signs are kept in the lowest bit.
    fn whole(&mut self) -> Option<i64> {
        self.natural().map(|n| (n >> 1) as i64 ^ -((n & 1) as i64))
    }

    /// Number and type of the next field after `last`; the inner `None` ends the structure.
    fn field(&mut self, last: i64) -> Option<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        let id = match head >> 4 {
            0 => self.whole()?,
            delta => last.checked_add(i64::from(delta))?,
        };
        Some(Some((id, head & 15)))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let deeper = depth.checked_sub(1)?;
        match kind {
            1 | 2 => Some(()),
            3 => self.step(1),
            4..=6 => self.natural().map(|_| ()),
            7 => self.step(8),
            8 => {
                let length = self.natural()?;
                self.step(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.natural()? } else { u64::from(head >> 4) };
                (0..count).try_for_each(|_| match head & 15 {
                    1 | 2 => self.step(1),
                    kind => self.skip(kind, deeper),
                })
            }
            12 => {
                let mut id = 0;
                while let Some((field, kind)) = self.field(id)? {
                    id = field;
                    self.skip(kind, deeper)?;
                }
                Some(())
            }
            _ => None, // Maps do not occur in the heads of pages.
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_stepped_over() {
        // type 0, unpacked 100, packed 60, then a structure with a number, a text and a list, and a flag.
        let head = [
            0x15, 0x00, 0x15, 0xc8, 0x01, 0x15, 0x78, 0x2c, 0x15, 0x04, 0x18, 0x02, b'a', b'b', 0x19, 0x25, 0x02, 0x04,
            0x00, 0x11, 0x00, 0xff,
        ];
        let found = Head::read(&head).unwrap();
        assert_eq!((found.length, found.unpacked, found.packed), (21, 100, 60));
        for end in 0..21 {
            assert!(Head::read(&head[..end]).is_none(), "cut at {end}");
        }
        // Negative sizes, endless numbers and endless depth are refused.
        assert!(Head::read(&[0x25, 0x01, 0x15, 0x02, 0x00]).is_none());
        assert!(Head::read(&[0x25, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).is_none());
        assert!(Head::read(&[0x5c; 40]).is_none());
    }
}
