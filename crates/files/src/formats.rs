//! The table of formats: for each its word, the bytes it begins with and its reader.
//!
//! A new format is a file with its reader, a variant here and a row in [`READERS`]. Formats that begin with bytes of their
//! own are told by these; texts are told by their lines (`text/recognise.rs`).

use crate::reading::Reading;
use crate::window::Owner;
use crate::{idx, images, npy, npz, text};
use base::{Dataset, Error, Result, Run};

base::choices! {
    /// The formats of data and models.
    pub enum Format {
        /// Fields separated by commas, semicolons, tabs or others.
        Csv = "csv",
        /// Label and `id:value` pairs, as LIBSVM and svmlight write them.
        LibSvm = "libsvm",
        /// As LIBSVM, with label sets and a header line of counts.
        Xmc = "xmc",
        /// Weka's attribute-relation files, dense or sparse.
        Arff = "arff",
        /// One NumPy array.
        Npy = "npy",
        /// Several NumPy arrays.
        Npz = "npz",
        /// The format of MNIST.
        Idx = "idx",
        /// Columns of Apache Parquet.
        Parquet = "parquet",
        /// Records of JSON: one a line, or an array of them.
        Json = "json",
        /// A picture, or a stack of them.
        Png = "png",
        /// A photograph.
        Jpeg = "jpeg",
        /// A folder of pictures, one folder a class.
        Folder = "folder",
        /// A machine of Pellucid.
        Model = "pel",
        /// A model of another tool.
        Onnx = "onnx",
        /// A support vector machine of LIBSVM.
        SvmModel = "libsvm-model",
        /// A linear machine of LIBLINEAR.
        LinearModel = "liblinear-model",
    }
}

/// A file that was opened and whose format is known.
pub(crate) struct Opened<'a> {
    /// How messages call it.
    pub name: &'a str,
    /// Its bytes, unpacked.
    pub owner: &'a Owner,
    /// How it is to be read.
    pub how: &'a Reading,
    /// What reading may use.
    pub run: &'a Run<'a>,
}

impl Opened<'_> {
    fn bytes(&self) -> &[u8] {
        (**self.owner).as_ref()
    }
}

/// A format's row of the table.
pub(crate) struct Reader {
    pub format: Format,
    /// What its files begin with, one of these; none for texts.
    pub magic: &'static [&'static [u8]],
    /// What must hold besides, by name and first bytes.
    pub fits: fn(&str, &[u8]) -> bool,
    /// Reads data.
    pub read: fn(&Opened<'_>) -> Result<Dataset>,
    /// Whether it gives columns the types that were asked for while it reads.
    pub typed: bool,
}

impl Reader {
    const fn new(format: Format, magic: &'static [&'static [u8]], read: fn(&Opened<'_>) -> Result<Dataset>) -> Self {
        Reader { format, magic, fits: |_, _| true, read, typed: false }
    }
}

/// All formats, in the order in which they are tried.
pub(crate) static READERS: &[Reader] = &[
    Reader::new(Format::Npy, &[b"\x93NUMPY"], |f| {
        npy::read(f.name, f.owner, 0..f.bytes().len(), f.run)?.into_dataset(f.name, f.how, f.run)
    }),
    Reader::new(Format::Npz, &[b"PK\x03\x04", b"PK\x05\x06"], |f| npz::read(f.name, f.owner, f.how, f.run)),
    Reader::new(Format::Parquet, &[b"PAR1"], parquet),
    Reader::new(Format::Png, &[b"\x89PNG\r\n\x1a\n"], picture),
    Reader::new(Format::Jpeg, &[b"\xff\xd8\xff"], picture),
    Reader {
        // Two zeros, a known type of number, a small count of dimensions.
        fits: |_, head| matches!(head, [_, _, 8 | 9 | 11..=14, 1..=8, ..]),
        ..Reader::new(Format::Idx, &[b"\0\0"], |f| {
            idx::read(f.name, f.owner, f.run)?.into_dataset(f.name, f.how, f.run)
        })
    },
    Reader {
        // A word of its own, not the beginning of a column's name.
        fits: |_, head| matches!(head.get(8), Some(b' ' | b'\t')),
        ..Reader::new(Format::SvmModel, &[b"svm_type"], no_data)
    },
    Reader {
        fits: |_, head| matches!(head.get(11), Some(b' ' | b'\t')),
        ..Reader::new(Format::LinearModel, &[b"solver_type"], no_data)
    },
    Reader {
        // The length of a head below 4 GB, then JSON.
        fits: |_, head| matches!(head, [_, _, _, _, 0, 0, 0, 0, b'{', ..]),
        ..Reader::new(Format::Model, &[b""], no_data)
    },
    Reader { fits: starts_like_onnx, ..Reader::new(Format::Onnx, &[b""], no_data) },
    Reader::new(Format::Folder, &[], |f| Err(Error::format(f.name, "is a file, expected a folder of images"))),
    Reader { typed: true, ..Reader::new(Format::Csv, &[], |f| text::csv::read(f.name, f.bytes(), f.how, f.run)) },
    Reader { typed: true, ..Reader::new(Format::Json, &[], |f| text::json::read(f.name, f.bytes(), f.how, f.run)) },
    Reader::new(Format::LibSvm, &[], |f| text::libsvm::read(f.name, f.bytes(), f.how, f.run)),
    Reader::new(Format::Xmc, &[], |f| text::xmc::read(f.name, f.bytes(), f.how, f.run)),
    Reader::new(Format::Arff, &[], |f| text::arff::read(f.name, f.bytes(), f.how, f.run)),
];

/// The row of a format.
pub(crate) fn reader(format: Format) -> Result<&'static Reader> {
    let found = READERS.iter().find(|r| r.format == format);
    found.ok_or_else(|| Error::unsupported(format!("the format {}", format.word()), "this build", "convert the file"))
}

/// The format of a file that begins with bytes of its own.
pub(crate) fn by_magic(name: &str, head: &[u8]) -> Option<Format> {
    let begins = |r: &&Reader| r.magic.iter().any(|magic| head.starts_with(magic)) && (r.fits)(name, head);
    READERS.iter().find(begins).map(|r| r.format)
}

fn picture(file: &Opened<'_>) -> Result<Dataset> {
    images::read(file.name, file.bytes(), file.how, file.run)
}

fn no_data(file: &Opened<'_>) -> Result<Dataset> {
    Err(Error::format(file.name, "is a model, expected data"))
}

#[cfg(feature = "parquet")]
fn parquet(file: &Opened<'_>) -> Result<Dataset> {
    crate::parquet::read(file.name, file.owner, file.how, file.run)
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &Opened<'_>) -> Result<Dataset> {
    Err(Error::unsupported("Parquet", "this build", "build with the feature parquet, or convert to CSV"))
}

/// Whether bytes begin as a model of ONNX: the version of its layout, then another of a model's fields. Some writers begin
/// with another field; the name then decides.
fn starts_like_onnx(name: &str, head: &[u8]) -> bool {
    // Field numbers 2 to 8 and 14 with their wire types.
    const FIELDS: [u8; 8] = [0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42, 0x72];
    match head {
        [0x08, 1..=40, next, ..] if FIELDS.contains(next) => true,
        [first, ..] => name.to_ascii_lowercase().ends_with(".onnx") && (*first == 0x08 || FIELDS.contains(first)),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_one_row() {
        let base::Kind::Choice(words) = <Format as base::Setting>::KIND else { panic!("formats are words") };
        for word in words {
            let rows = READERS.iter().filter(|r| r.format.word() == *word);
            assert_eq!(rows.count(), 1, "{word}");
        }
    }
}
