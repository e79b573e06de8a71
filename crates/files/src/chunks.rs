//! Data one piece after the other, so that prediction needs no more memory for a long file than for a short one.
//!
//! Text formats are read in blocks, from a pipe too; the others must be read as a whole and come as one piece.

use crate::door::{HEAD, read, recognise};
use crate::formats::Format;
use crate::reading::{Reading, file_error};
use crate::source::{is_stdin, reader, shown};
use crate::text;
use base::{Dataset, Error, Result, Run};
use std::io::{Cursor, Read};
use std::path::Path;

/// Data one piece after the other.
pub enum Chunks<'a> {
    /// Rows of a text as they are read.
    Text(Box<text::Stream<'a>>),
    /// All at once.
    Whole(Option<Box<Dataset>>),
}

impl Iterator for Chunks<'_> {
    type Item = Result<Dataset>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Chunks::Text(stream) => stream.next(),
            Chunks::Whole(data) => data.take().map(|data| Ok(*data)),
        }
    }
}

/// The data of a file, or of standard input (`-`), one piece after the other.
pub fn stream<'a>(path: &Path, how: &Reading, run: &Run<'a>) -> Result<Chunks<'a>> {
    let name = shown(path);
    if !is_stdin(path) && path.is_dir() {
        return read(path, how, run).map(|data| Chunks::Whole(Some(Box::new(data))));
    }
    let mut reader = reader(path)?;
    let mut head = vec![];
    reader.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(|e| file_error(&name, &e))?;
    match how.format.or_else(|| recognise(&name, &head)) {
        Some(format @ (Format::Csv | Format::LibSvm | Format::Xmc | Format::Arff)) => {
            let all = Cursor::new(head).chain(reader);
            text::stream(&name, all, format, how, run).map(|stream| Chunks::Text(Box::new(stream)))
        }
        Some(_) if is_stdin(path) => {
            Err(Error::unsupported("a pipe of this format", "prediction", "write it to a file first, or send text"))
        }
        _ => read(path, how, run).map(|data| Chunks::Whole(Some(Box::new(data)))),
    }
}
