//! The door: a file in, data out, whatever the format.
//!
//! The format is told by content, the name only helps where content cannot decide. One `match` leads to the readers.

use crate::reading::{Format, Reading};
use crate::source::{self, Content, shown};
use crate::window::Owner;
use base::{Dataset, Error, Result, Run};
use std::path::Path;
use std::sync::Arc;

/// Which format a file is, by its first bytes (a few hundred are enough) and its name.
pub fn recognise(_name: &str, head: &[u8]) -> Option<Format> {
    let magics: [(&[u8], Format); 8] = [
        (b"\x93NUMPY", Format::Npy),
        (b"PK\x03\x04", Format::Npz),
        (b"PK\x05\x06", Format::Npz),
        (b"PAR1", Format::Parquet),
        (b"\x89PNG\r\n\x1a\n", Format::Png),
        (b"\xff\xd8\xff", Format::Jpeg),
        (b"\0\0", Format::Idx),
        (b"", Format::Model),
    ];
    let fits = |format: Format| match format {
        // Two zeros, a known type of number, a small count of dimensions.
        Format::Idx => matches!(head, [_, _, 8 | 9 | 11..=14, 1..=8, ..]),
        // The length of a head below 4 GB, then JSON.
        Format::Model => matches!(head, [_, _, _, _, 0, 0, 0, 0, b'{', ..]),
        _ => true,
    };
    magics.into_iter().find(|&(magic, format)| head.starts_with(magic) && fits(format)).map(|(_, format)| format)
}

/// Reads a data file, a folder of pictures, or standard input (`-`).
pub fn read(path: &Path, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let name = shown(path);
    read_content(&name, source::open(path, run)?, how, run)
}

/// Reads data from bytes, gzipped or not; `name` is how messages call them.
pub fn read_bytes(name: &str, bytes: Vec<u8>, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let content = source::unpack(name, Content::new(bytes, run)?, run)?;
    read_content(name, content, how, run)
}

fn read_content(name: &str, content: Content, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let head = &content[..content.len().min(4096)];
    let Some(format) = how.format.or_else(|| recognise(name, head)) else {
        return Err(Error::format(name, "is of no format known here; say which with --format"));
    };
    let _owner: Owner = Arc::new(content);
    match format {
        Format::Model => Err(Error::format(name, "is a model, expected data")),
        other => Err(Error::unsupported(other.word(), "this build", "convert it to CSV or NPY")),
    }
}
