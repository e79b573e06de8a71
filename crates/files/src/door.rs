//! The door: a file in, data out, whatever the format.
//!
//! The format is told by content, the name only helps where content cannot decide. One `match` leads to the readers.

use crate::reading::{Format, Reading};
use crate::source::{self, Content, is_stdin, shown};
use crate::whole::write_whole;
use crate::window::Owner;
use crate::{idx, images, npy, npz};
use base::{Dataset, Error, Inputs, Result, Run, Targets};
use std::path::Path;
use std::sync::Arc;

/// Bytes that are enough to tell a format.
const HEAD: usize = 1 << 16;

/// Which format a file is, by its first bytes and its name.
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
    if !is_stdin(path) && path.is_dir() {
        return match how.format {
            None | Some(Format::Folder) => images::read_folder(path, run),
            Some(other) => Err(Error::format(name, format!("is a folder, expected a file of format {}", other.word()))),
        };
    }
    let mut data = read_content(&name, source::open(path, run)?, how, run)?;
    // Images of MNIST lie beside their labels.
    if let Some(labels) = idx::labels_beside(path).filter(|_| matches!(data.targets, Targets::None)) {
        let beside = shown(&labels);
        let owner: Owner = Arc::new(source::open(&labels, run)?);
        data.targets = idx::read(&beside, &owner, run)?.into_targets(&beside, "label", data.len())?;
        run.watch.note(&format!("{name}: labels are taken from {beside}"));
    }
    Ok(data)
}

/// Reads data from bytes, gzipped or not; `name` is how messages call them.
pub fn read_bytes(name: &str, bytes: Vec<u8>, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let content = source::unpack(name, Content::new(bytes, run)?, run)?;
    read_content(name, content, how, run)
}

fn read_content(name: &str, content: Content, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let head = &content[..content.len().min(HEAD)];
    let Some(format) = how.format.or_else(|| recognise(name, head)) else {
        return Err(Error::format(name, "is of no format known here; say which with --format"));
    };
    let length = content.len();
    let owner: Owner = Arc::new(content);
    match format {
        Format::Npy => npy::read(name, &owner, 0..length, run)?.into_dataset(name, how, run),
        Format::Npz => npz::read(name, &owner, how, run),
        Format::Idx => idx::read(name, &owner, run)?.into_dataset(name, how, run),
        Format::Png | Format::Jpeg => images::read(name, (*owner).as_ref(), how, run),
        #[cfg(feature = "parquet")]
        Format::Parquet => crate::parquet::read(name, &owner, how, run),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => {
            Err(Error::unsupported("Parquet", "this build", "build with the feature parquet, or convert to CSV"))
        }
        Format::Folder => Err(Error::format(name, "is a file, expected a folder of pictures")),
        Format::Model => Err(Error::format(name, "is a model, expected data")),
        Format::Csv | Format::LibSvm | Format::Xmc | Format::Arff => {
            Err(Error::unsupported(format!("the format {}", format.word()), "this build", "use NPY"))
        }
    }
}

/// Writes data in the format that the name's ending tells, whole or not at all. Without place for targets in the
/// format, they are left out and that is said aloud.
pub fn write_data(path: &Path, data: &Dataset, run: &Run<'_>) -> Result<()> {
    let name = shown(path);
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let points = || match &data.inputs {
        Inputs::Points(points) => Ok(points),
        Inputs::Table(_) => Err(Error::unsupported(
            format!("{name}: a table with typed columns"),
            "arrays of NumPy",
            "write CSV, or prepare it first",
        )),
    };
    match ending.as_str() {
        "npy" => {
            let points = points()?;
            if data.targets != Targets::None {
                run.watch.note(&format!("{name}: an NPY file has no place for targets, use NPZ to keep them"));
            }
            write_whole(path, |out| npy::write_points(out, points))
        }
        "npz" => points().and_then(|_| write_whole(path, |out| npz::write(out, data))),
        _ => Err(Error::unsupported(
            format!("{name}: writing data to a file of this name"),
            "this build",
            "use .npy or .npz",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_format() {
        let table: [(&[u8], Option<Format>); 12] = [
            (b"\x93NUMPY\x01\0", Some(Format::Npy)),
            (b"PK\x03\x04", Some(Format::Npz)),
            (b"PAR1", Some(Format::Parquet)),
            (b"\x89PNG\r\n\x1a\n", Some(Format::Png)),
            (b"\xff\xd8\xff\xe0", Some(Format::Jpeg)),
            (b"\0\0\x08\x03", Some(Format::Idx)),
            (b"\0\0\x07\x03", None),
            (b"\0\0\x08", None),
            (b"\x10\x01\0\0\0\0\0\0{\"", Some(Format::Model)),
            (b"\x10\x01\0\0\0\0\0\0x", None),
            (b"", None),
            (b"1,2\n", None),
        ];
        for (head, format) in table {
            assert_eq!(recognise("x", head), format, "{head:?}");
        }
    }
}
