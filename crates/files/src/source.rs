//! Opening: from a path to bytes, plain or unpacked, counted while they live.
//!
//! Large plain files are mapped, small ones, pipes and standard input (`-`) are read. Gzip, of one or many members, is
//! recognised by its first bytes and unpacked; the room for it is asked of [`Run::memory`] before it is used, so a
//! bomb ends at the limit with an error and not at the end of the machine's memory.
//!
//! **Limits.** A mapped file must not be cut short by another program while it is in use; files written by this crate
//! are replaced, never changed in place, and so are safe.
#![allow(unsafe_code, reason = "mapping a file into memory")]

use crate::reading::file_error;
use base::{Error, Hold, Progress, Result, Run};
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Deref;
use std::path::Path;

/// Files at least this long are mapped rather than read; below it a mapping costs more than it saves.
const MAP_FROM: u64 = 1 << 16;
/// Bytes read or unpacked at a time: fits the second-level cache.
const CHUNK: usize = 1 << 18;
/// The most that deflate can shrink: 258 bytes in 2 bits.
const DEFLATE_MOST: u64 = 1032;

/// The bytes of a file, mapped or in memory, counted against the budget of a run while they live.
#[derive(Debug)]
pub struct Content {
    kept: Kept,
    _hold: Hold,
}

#[derive(Debug)]
enum Kept {
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
}

impl Content {
    /// Takes over bytes that are in memory already.
    pub fn new(bytes: Vec<u8>, run: &Run<'_>) -> Result<Self> {
        let hold = run.memory.take(bytes.len() as u64, "the bytes of a file")?;
        Ok(Content { kept: Kept::Owned(bytes), _hold: hold })
    }
}

impl AsRef<[u8]> for Content {
    fn as_ref(&self) -> &[u8] {
        match &self.kept {
            Kept::Mapped(map) => map,
            Kept::Owned(bytes) => bytes,
        }
    }
}

impl Deref for Content {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_ref()
    }
}

/// Whether the path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// How the file is named in messages: as it was given.
pub(crate) fn shown(path: &Path) -> String {
    match is_stdin(path) {
        true => "standard input".to_string(),
        false => path.display().to_string(),
    }
}

/// All bytes of a file, unpacked if it is gzipped; `-` is standard input.
pub fn open(path: &Path, run: &Run<'_>) -> Result<Content> {
    let name = shown(path);
    if is_stdin(path) {
        let content = gather(&name, &mut std::io::stdin().lock(), None, "read", run)?;
        return unpack(&name, not_empty(&name, content)?, run);
    }
    unpack(&name, not_empty(&name, open_plain(path, run)?)?, run)
}

/// All bytes of a file as they are.
pub(crate) fn open_plain(path: &Path, run: &Run<'_>) -> Result<Content> {
    let name = shown(path);
    let (file, length) = open_file(path, &name)?;
    match length {
        Some(length) if length >= MAP_FROM => map(&name, &file, length, run),
        _ => gather(&name, &mut &file, length, "read", run),
    }
}

/// The same bytes, unpacked if they are gzipped.
pub fn unpack(name: &str, content: Content, run: &Run<'_>) -> Result<Content> {
    match is_gzip(&content) {
        true => gather(name, &mut MultiGzDecoder::new(&content[..]), unpacked_length(&content), "unpack", run),
        false => Ok(content),
    }
}

/// The bytes of a file one after the other, unpacked if it is gzipped; `-` is standard input.
pub(crate) fn reader(path: &Path) -> Result<Box<dyn Read + Send>> {
    let name = shown(path);
    let mut reader: Box<dyn Read + Send> = match is_stdin(path) {
        true => Box::new(std::io::stdin()),
        false => Box::new(open_file(path, &name)?.0),
    };
    let mut head = Vec::with_capacity(2);
    reader.by_ref().take(2).read_to_end(&mut head).map_err(|e| file_error(&name, &e))?;
    if head.is_empty() {
        return Err(empty(&name));
    }
    let packed = is_gzip(&head);
    let whole = std::io::BufReader::with_capacity(CHUNK, std::io::Cursor::new(head).chain(reader));
    Ok(if packed { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) })
}

/// Reads to the end in pieces, asking for room before it is used. `expected` is a guess that saves growing.
pub(crate) fn gather(
    name: &str,
    reader: &mut dyn Read,
    expected: Option<u64>,
    stage: &str,
    run: &Run<'_>,
) -> Result<Content> {
    let what = format!("{name} in memory");
    let mut hold = run.memory.take(0, &what)?;
    let mut bytes = Vec::new();
    // One byte more than expected, so that the end is seen without growing; a guess that does not fit is dropped.
    let room = expected.and_then(|n| usize::try_from(n.saturating_add(1)).ok());
    if let Some(room) = room.filter(|&n| hold.resize(n as u64, &what).is_ok()) {
        grow(&mut bytes, room, &what, run)?;
    }
    loop {
        if bytes.len() == bytes.capacity() {
            let wanted = (2 * bytes.capacity()).max(CHUNK);
            let capacity = match hold.resize(wanted as u64, &what) {
                Ok(()) => wanted,
                // The last of the budget may still be enough.
                Err(error) => {
                    let left = bytes.capacity().saturating_add(usize::try_from(run.memory.free()).unwrap_or(0));
                    if left < bytes.capacity().saturating_add(CHUNK / 4) {
                        return Err(error);
                    }
                    hold.resize(left as u64, &what)?;
                    left
                }
            };
            grow(&mut bytes, capacity, &what, run)?;
        }
        let start = bytes.len();
        bytes.resize(bytes.capacity().min(start.saturating_add(CHUNK)), 0);
        let count = match reader.read(&mut bytes[start..]) {
            Ok(count) => count,
            Err(e) if e.kind() == ErrorKind::Interrupted => {
                bytes.truncate(start);
                continue;
            }
            Err(e) => return Err(broken(name, stage, &e)),
        };
        bytes.truncate(start + count);
        run.report(&Progress { stage, done: bytes.len() as u64, total: expected, value: None })?;
        if count == 0 {
            return Ok(Content { kept: Kept::Owned(bytes), _hold: hold });
        }
    }
}

/// Room for `capacity` bytes; a machine that has not so much says so as an error.
fn grow(bytes: &mut Vec<u8>, capacity: usize, what: &str, run: &Run<'_>) -> Result<()> {
    bytes.try_reserve_exact(capacity - bytes.len()).map_err(|_| Error::Memory {
        what: what.into(),
        asked: capacity as u64,
        used: run.memory.used(),
        limit: run.memory.limit(),
    })
}

fn map(name: &str, file: &File, length: u64, run: &Run<'_>) -> Result<Content> {
    let hold = run.memory.take(length, &format!("{name} mapped into memory"))?;
    // SAFETY: the map is read-only and private to this value. What remains is that another program cuts the file
    // short meanwhile, which no reader can exclude; the header of this file says so.
    let map = unsafe { memmap2::Mmap::map(file) }.map_err(|e| file_error(name, &e))?;
    Ok(Content { kept: Kept::Mapped(map), _hold: hold })
}

/// The open file and, if it is an ordinary one, its length.
fn open_file(path: &Path, name: &str) -> Result<(File, Option<u64>)> {
    let file = File::open(path).map_err(|e| file_error(name, &e))?;
    let about = file.metadata().map_err(|e| file_error(name, &e))?;
    if about.is_dir() {
        return Err(Error::File { file: name.into(), why: "is a folder, expected a file".into() });
    }
    Ok((file, about.is_file().then_some(about.len())))
}

fn not_empty(name: &str, content: Content) -> Result<Content> {
    if content.is_empty() { Err(empty(name)) } else { Ok(content) }
}

fn empty(name: &str) -> Error {
    Error::format(name, "is empty")
}

fn broken(name: &str, stage: &str, error: &std::io::Error) -> Error {
    match (stage, error.kind()) {
        ("unpack", ErrorKind::UnexpectedEof) => Error::format(name, "its compressed data are truncated"),
        ("unpack", _) => Error::format(name, format!("its compressed data are corrupt: {error}")),
        _ => file_error(name, error),
    }
}

fn is_gzip(head: &[u8]) -> bool {
    head.starts_with(&[0x1f, 0x8b])
}

/// What the last member claims to unpack to, if that is possible at all; right for files of one member below 4 GB.
fn unpacked_length(packed: &[u8]) -> Option<u64> {
    let claim = u64::from(u32::from_le_bytes(*packed.last_chunk::<4>()?));
    (claim <= (packed.len() as u64).saturating_mul(DEFLATE_MOST)).then_some(claim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Memory;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    fn limited(bytes: u64) -> Run<'static> {
        Run { memory: Memory::limited(bytes), ..Run::quiet(1) }
    }

    #[test]
    fn gzip_of_one_and_many_members_is_unpacked() {
        let text: Vec<u8> = (0..1_000_000u32).flat_map(|i| (i % 251).to_le_bytes()).collect();
        let run = Run::quiet(1);
        for packed in [gzip(&text), text.chunks(900_000).flat_map(gzip).collect()] {
            let content = unpack("x", Content::new(packed, &run).unwrap(), &run).unwrap();
            assert!(content[..] == text[..]);
            assert!(run.memory.used() >= text.len() as u64);
        }
        assert_eq!(run.memory.used(), 0);
    }

    #[test]
    fn bombs_end_at_the_limit() {
        let mut bomb = gzip(&vec![0; 50 << 20]);
        for claim in [50u32 << 20, 7, u32::MAX] {
            let n = bomb.len();
            bomb[n - 4..].copy_from_slice(&claim.to_le_bytes());
            let run = limited(5 << 20);
            let error = unpack("b.gz", Content::new(bomb.clone(), &run).unwrap(), &run).unwrap_err();
            assert!(matches!(error, Error::Memory { .. }), "{error}");
            assert!(run.memory.peak() <= 5 << 20);
        }
        // What just fits the limit is read.
        let run = limited(1 << 20);
        let packed = Content::new([&[1; 500_000][..], &[2; 400_000]].map(gzip).concat(), &run).unwrap();
        assert_eq!(unpack("fits", packed, &run).unwrap().len(), 900_000);
    }

    #[test]
    fn cut_and_damaged_gzip_is_told_apart() {
        let run = Run::quiet(1);
        let good = gzip(&[7; 1000]);
        let says = |bytes: &[u8]| unpack("x.gz", Content::new(bytes.to_vec(), &run).unwrap(), &run).map(|_| ());
        assert_eq!(says(&good[..good.len() - 9]).unwrap_err().to_string(), "x.gz: its compressed data are truncated");
        let mut bad = good.clone();
        bad[good.len() - 6] ^= 1;
        assert!(says(&bad).unwrap_err().to_string().starts_with("x.gz: its compressed data are corrupt"));
    }

    #[test]
    fn files_are_mapped_read_and_streamed_alike() {
        let folder = std::env::temp_dir().join(format!("pellucid-source-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let run = Run::quiet(1);
        for length in [1usize, 2, 1000, MAP_FROM as usize, 300_000] {
            let bytes: Vec<u8> = (0..length).map(|i| (i * i % 251) as u8).collect();
            for packed in [false, true] {
                let path = folder.join("data");
                std::fs::write(&path, if packed { gzip(&bytes) } else { bytes.clone() }).unwrap();
                assert!(open(&path, &run).unwrap()[..] == bytes[..]);
                let mut streamed = Vec::new();
                reader(&path).unwrap().read_to_end(&mut streamed).unwrap();
                assert!(streamed == bytes);
            }
        }
        std::fs::write(folder.join("none"), b"").unwrap();
        let says = |path: &Path| (open(path, &run).unwrap_err().to_string(), reader(path).err().map(|e| e.to_string()));
        let (opened, streamed) = says(&folder.join("none"));
        assert!(opened.ends_with("none: is empty") && streamed == Some(opened));
        let (opened, streamed) = says(&folder);
        assert!(opened.ends_with("is a folder, expected a file") && streamed == Some(opened));
        let (opened, streamed) = says(&folder.join("absent"));
        assert!(opened.contains("absent: No such file") && streamed == Some(opened));
        let run = limited(1000);
        std::fs::write(folder.join("large"), vec![0; 100_000]).unwrap();
        assert!(matches!(open(&folder.join("large"), &run), Err(Error::Memory { asked: 100_000, .. })));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn cancelling_is_heard() {
        struct Never;
        impl base::Watch for Never {
            fn step(&self, _: &Progress<'_>) -> base::Verdict {
                base::Verdict::Cancel
            }
        }
        let run = Run { watch: &Never, ..Run::quiet(1) };
        let packed = Content::new(gzip(&[0; 10]), &run).unwrap();
        assert_eq!(unpack("x", packed, &run).unwrap_err(), Error::Cancelled);
    }
}
