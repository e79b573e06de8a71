//! How a file is to be read: everything has a default that looks at the content.

use base::{Error, FeatureKind};
use std::collections::BTreeMap;

/// How to read a data file.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The format; recognised by content if not given.
    pub format: Option<Format>,
    /// Whether the first line of a table names its columns.
    pub header: Header,
    /// The byte between fields of a table; guessed if not given.
    pub separator: Option<u8>,
    /// Whether a quote at the start of a field opens it, as in RFC 4180, or is a letter like others; guessed if not
    /// given.
    pub quotes: Option<bool>,
    /// Whether numbers are written with a decimal comma; guessed if not given.
    pub decimal_comma: Option<bool>,
    /// Words that stand for a missing value besides the empty field.
    pub missing: Vec<String>,
    /// What columns must hold, by name; the others are guessed. A model's own columns come in here at prediction.
    pub kinds: BTreeMap<String, FeatureKind>,
    /// Whether column ids of sparse text start at 0; by default from 1, from 0 where a 0 is met (XMC always from 0).
    pub zero_based: Option<bool>,
    /// Sorts the ids of a sparse row instead of refusing a row that is not ascending.
    pub sort_ids: bool,
    /// How many attributes of an ARFF file are labels: n > 0 the first n, n < 0 the last -n, 0 none; if not given, the
    /// relation's name is asked (`-C n`), then the attributes' names.
    pub labels: Option<i64>,
    /// The most columns a table or dense array may have.
    pub max_columns: usize,
    /// Height and width of each image in a stacked picture; guessed if not given.
    pub stack: Option<(usize, usize)>,
}

impl Default for Reading {
    fn default() -> Self {
        let words = ["?", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "null", "None"];
        Reading {
            format: None,
            header: Header::Auto,
            separator: None,
            quotes: None,
            decimal_comma: None,
            missing: words.map(String::from).to_vec(),
            kinds: BTreeMap::new(),
            zero_based: None,
            sort_ids: false,
            labels: None,
            max_columns: 1 << 20,
            stack: None,
        }
    }
}

base::choices! {
    /// Whether the first line of a table names its columns.
    pub enum Header {
        /// Looks at the first lines.
        Auto = "auto",
        /// It does.
        Yes = "yes",
        /// It is data.
        No = "no",
    }
}

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
    }
}

/// An error of the operating system about a file.
pub(crate) fn file_error(name: &str, error: &std::io::Error) -> Error {
    Error::File { file: name.into(), why: error.to_string() }
}
