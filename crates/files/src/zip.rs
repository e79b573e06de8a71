//! Zip archives as NumPy writes them: entries stored or deflated, also beyond 4 GB.
//!
//! The directory at the end is believed only as far as the bytes confirm it: ranges are checked, sizes are limits for
//! unpacking, checksums are compared. Encryption, other methods and parts on several disks are refused.
//!
//! - *.ZIP File Format Specification*, version 6.3.10, PKWARE 2022.

use crate::source::gather;
use crate::window::Owner;
use base::{Error, Result, Run};
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;

/// An entry of an archive.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    deflated: bool,
    crc: u32,
    packed: Range<usize>,
    size: u64,
}

/// Little-endian numbers at known places; beyond the end there is nothing.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn u16(&self, at: usize) -> Option<u64> {
        self.number(at, 2)
    }

    fn u32(&self, at: usize) -> Option<u64> {
        self.number(at, 4)
    }

    fn u64(&self, at: usize) -> Option<u64> {
        self.number(at, 8)
    }

    fn number(&self, at: usize, width: usize) -> Option<u64> {
        let bytes = self.0.get(at..at.checked_add(width)?)?;
        Some(bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
    }

    fn slice(&self, at: usize, length: u64) -> Option<&[u8]> {
        self.0.get(at..at.checked_add(usize::try_from(length).ok()?)?)
    }
}

const END: &[u8] = b"PK\x05\x06";
const END64: &[u8] = b"PK\x06\x06";
const END64_LOCATOR: &[u8] = b"PK\x06\x07";
const DIRECTORY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";

/// The entries of an archive, in the order of its directory.
pub(crate) fn entries(name: &str, bytes: &[u8]) -> Result<Vec<Entry>> {
    let broken = |why: &str| Error::format(name, why);
    let (start, count) =
        directory(bytes).ok_or_else(|| broken("is not a complete zip archive: it may be truncated"))?;
    let (mut at, mut list) = (start, Vec::new());
    for _ in 0..count {
        let (entry, next) = entry(bytes, at).ok_or_else(|| broken("has a corrupt zip directory"))?;
        list.push(entry.map_err(|e| broken(&e))?);
        at = next;
    }
    Ok(list)
}

/// Where the directory starts and how many entries it has.
fn directory(bytes: &[u8]) -> Option<(usize, u64)> {
    // A comment of up to 64 kB may follow the end record of 22 bytes.
    let last = bytes.len().checked_sub(22)?;
    let first = last.saturating_sub(0xffff);
    let end = (first..=last).rev().find(|&at| bytes[at..].starts_with(END))?;
    let fields = Fields(&bytes[end..]);
    let (mut count, mut size, mut start) = (fields.u16(10)?, fields.u32(12)?, fields.u32(16)?);
    let locator = end.checked_sub(20).map(|at| &bytes[at..]).filter(|b| b.starts_with(END64_LOCATOR));
    if let Some(locator) = locator {
        let at = usize::try_from(Fields(locator).u64(8)?).ok()?;
        let fields = Fields(bytes.get(at..).filter(|b| b.starts_with(END64))?);
        (count, size, start) = (fields.u64(32)?, fields.u64(40)?, fields.u64(48)?);
    }
    // An entry takes 46 bytes at least, so the count cannot make us allocate more than the file has.
    let fits = start.checked_add(size)? <= end as u64 && count.checked_mul(46)? <= size;
    fits.then_some((usize::try_from(start).ok()?, count))
}

/// The entry at that place of the directory, or why it cannot be read, and where the next one starts.
fn entry(bytes: &[u8], at: usize) -> Option<(std::result::Result<Entry, String>, usize)> {
    let fields = Fields(bytes.get(at..).filter(|b| b.starts_with(DIRECTORY))?);
    let (flags, method, crc) = (fields.u16(8)?, fields.u16(10)?, fields.u32(16)? as u32);
    let (mut packed, mut size, mut local) = (fields.u32(20)?, fields.u32(24)?, fields.u32(42)?);
    let (name_length, extra_length, comment_length) = (fields.u16(28)?, fields.u16(30)?, fields.u16(32)?);
    let name = String::from_utf8_lossy(fields.slice(46, name_length)?).into_owned();
    let mut extra = Fields(fields.slice(46 + name_length as usize, extra_length)?);
    // Sizes that do not fit 32 bits stand in the extra field 1, in this order.
    while let (Some(id), Some(length)) = (extra.u16(0), extra.u16(2)) {
        if id == 1 {
            let body = Fields(extra.slice(4, length)?);
            let mut place = 0;
            for value in [&mut size, &mut packed, &mut local] {
                if *value == 0xffff_ffff {
                    *value = body.u64(place)?;
                    place += 8;
                }
            }
        }
        extra = Fields(extra.0.get(4 + length as usize..)?);
    }
    let next = at + 46 + (name_length + extra_length + comment_length) as usize;
    if flags & 1 != 0 {
        return Some((Err(format!("its entry {name:?} is encrypted")), next));
    }
    if method != 0 && method != 8 {
        return Some((
            Err(format!("its entry {name:?} is compressed by method {method}; only deflate is supported")),
            next,
        ));
    }
    let local = usize::try_from(local).ok()?;
    let head = Fields(bytes.get(local..).filter(|b| b.starts_with(LOCAL))?);
    let start = local.checked_add(30 + (head.u16(26)? + head.u16(28)?) as usize)?;
    let end = start.checked_add(usize::try_from(packed).ok()?).filter(|&end| end <= bytes.len())?;
    let entry = Entry { name, deflated: method == 8, crc, packed: start..end, size };
    Some((Ok(entry), next))
}

impl Entry {
    /// Up to `most` bytes from the entry's beginning.
    pub(crate) fn peek(&self, bytes: &[u8], most: u64) -> Vec<u8> {
        let packed = bytes.get(self.packed.clone()).unwrap_or(&[]);
        let mut head = Vec::new();
        // What cannot be unpacked is told when the whole is asked for.
        let _ = match self.deflated {
            true => DeflateDecoder::new(packed).take(most).read_to_end(&mut head),
            false => packed.take(most).read_to_end(&mut head),
        };
        head
    }

    /// The entry's bytes: a window on the archive if stored, unpacked under the run's memory limit if deflated.
    pub(crate) fn open(&self, name: &str, archive: &Owner, run: &Run<'_>) -> Result<(Owner, Range<usize>)> {
        let broken = |why: &str| Error::format(name, format!("its entry {:?} {why}", self.name));
        let packed = (**archive).as_ref().get(self.packed.clone()).unwrap_or(&[]);
        let (owner, range): (Owner, _) = match self.deflated {
            false => (archive.clone(), self.packed.clone()),
            true => {
                // One byte more than told shows that more is there.
                let mut unpacked = DeflateDecoder::new(packed).take(self.size.saturating_add(1));
                let content = gather(name, &mut unpacked, self.told(packed), "unpack", run)?;
                let length = content.len();
                (Arc::new(content), 0..length)
            }
        };
        let bytes = (*owner).as_ref().get(range.clone()).unwrap_or(&[]);
        if bytes.len() as u64 != self.size {
            return Err(broken("does not have the length that its directory states"));
        }
        let mut crc = Crc::new();
        crc.update(bytes);
        match crc.sum() == self.crc {
            true => Ok((owner, range)),
            false => Err(broken("is corrupt: its checksum differs")),
        }
    }

    /// The size told, if so many bytes can be packed into these.
    fn told(&self, packed: &[u8]) -> Option<u64> {
        (self.size / 1032 <= packed.len() as u64).then_some(self.size)
    }
}

/// What writes the bytes of an entry; it is called twice and must write the same.
pub(crate) type Fill<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

/// Writes an archive of stored entries; times are left out, so the same content gives the same bytes. Each entry is
/// written once into nothing for its length and checksum, which must stand before it, so that none is kept in memory.
pub(crate) fn write(out: &mut dyn Write, entries: &[(String, Fill<'_>)]) -> io::Result<()> {
    let small =
        |n: u64| u32::try_from(n).map_err(|_| io::Error::other("a zip archive of more than 4 GB is not written"));
    let (mut at, mut directory) = (0u64, Vec::new());
    for (name, fill) in entries {
        let mut sum = CrcWriter::new(io::sink());
        fill(&mut sum)?;
        let (crc, length) = (sum.crc.sum().to_le_bytes(), sum.length);
        let size = small(length)?.to_le_bytes();
        let name_length = u16::try_from(name.len()).map_err(io::Error::other)?.to_le_bytes();
        // Version 2.0, UTF-8 names, stored, 1 January 1980, checksum, both sizes, length of the name, no extra field.
        let head = [&[20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0][..], &crc, &size, &size, &name_length, &[0; 2]].concat();
        directory.extend_from_slice(&[DIRECTORY, &[20, 0], &head, &[0; 10], &small(at)?.to_le_bytes()].concat());
        directory.extend_from_slice(name.as_bytes());
        out.write_all(&[LOCAL, &head, name.as_bytes()].concat())?;
        fill(out)?;
        at += (LOCAL.len() + head.len() + name.len()) as u64 + length;
    }
    let count = u16::try_from(entries.len()).map_err(io::Error::other)?.to_le_bytes();
    let (size, start) = (small(directory.len() as u64)?.to_le_bytes(), small(at)?.to_le_bytes());
    out.write_all(&directory)?;
    out.write_all(&[END, &[0; 4], &count, &count, &size, &start, &[0; 2]].concat())
}

/// Counts and sums what goes through.
struct CrcWriter<W> {
    inner: W,
    crc: Crc,
    length: u64,
}

impl<W: Write> CrcWriter<W> {
    fn new(inner: W) -> Self {
        CrcWriter { inner, crc: Crc::new(), length: 0 }
    }
}

impl<W: Write> Write for CrcWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.crc.update(&bytes[..count]);
        self.length += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An archive of these bytes.
    pub(crate) fn archive(content: &[(String, Vec<u8>)]) -> Vec<u8> {
        let fill = |bytes: &Vec<u8>| -> Fill<'_> {
            let bytes = bytes.clone();
            Box::new(move |out| out.write_all(&bytes))
        };
        let entries: Vec<_> = content.iter().map(|(name, bytes)| (name.clone(), fill(bytes))).collect();
        let mut bytes = Vec::new();
        write(&mut bytes, &entries).unwrap();
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
        let (owner, run): (Owner, _) = (Arc::new(bytes.to_vec()), Run::quiet(1));
        let open = |e: Entry| {
            let (owner, range) = e.open("z", &owner, &run)?;
            Ok((e.name, (*owner).as_ref()[range].to_vec()))
        };
        entries("z", bytes)?.into_iter().map(open).collect()
    }

    #[test]
    fn archives_written_are_read_and_checked() {
        let content =
            vec![("a".to_string(), vec![1, 2, 3]), ("b/c.npy".to_string(), vec![]), ("é".into(), vec![9; 1000])];
        let bytes = archive(&content);
        assert_eq!(read(&bytes), Ok(content));
        // A comment after the end is fine, anything missing is not.
        assert!(read(&[&bytes[..], &[0; 300]].concat()).is_ok());
        assert!(read(&bytes[..bytes.len() - 1]).is_err() && read(&[]).is_err());
        let mut flipped = bytes.clone();
        flipped[31] ^= 1;
        assert!(read(&flipped).unwrap_err().to_string().contains("checksum"));
    }

    #[test]
    fn sizes_beyond_32_bits_stand_elsewhere() {
        let bytes = archive(&[("a".to_string(), vec![1, 2, 3])]);
        let start = bytes.len() - 22 - 47;
        // The directory entry with its sizes and place moved to an extra field of 28 bytes.
        let mut entry = bytes[start..start + 47].to_vec();
        for at in [20, 24, 42] {
            entry[at..at + 4].fill(0xff);
        }
        entry[30] = 28;
        let extra = [&[1, 0, 24, 0][..], &3u64.to_le_bytes(), &3u64.to_le_bytes(), &0u64.to_le_bytes()].concat();
        let directory = [entry, extra].concat();
        let (size, at) = (directory.len() as u64, start as u64);
        let numbers = [1u64, 1, size, at].map(u64::to_le_bytes).concat();
        let end64 = [END64, &44u64.to_le_bytes(), &[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0], &numbers].concat();
        let locator = [END64_LOCATOR, &[0; 4], &(at + size).to_le_bytes(), &[1, 0, 0, 0]].concat();
        let end = [END, &[0; 4], &[0xff; 12], &[0; 2]].concat();
        let large = [&bytes[..start], &directory, &end64, &locator, &end].concat();
        assert_eq!(read(&large), Ok(vec![("a".to_string(), vec![1, 2, 3])]));
        assert!(read(&[&bytes[..start], &directory, &end64, &end].concat()).is_err());
    }
}
