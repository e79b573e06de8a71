//! How a file is to be read: everything has a default that looks at the content.

use crate::formats::Format;
use base::{Error, FeatureKind, Features};
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
    /// What stands between groups of three digits: a comma, a point, a blank or a single quote; guessed if not given.
    pub thousands: Option<char>,
    /// How dates are written: `dmy`, `mdy`, `ymd`, or a format such as `%d.%m.%Y`; guessed if not given.
    pub date_format: Option<String>,
    /// Words that stand for a missing value besides the empty field.
    pub missing: Vec<String>,
    /// What columns hold by the word of the user; the others are guessed.
    pub types: BTreeMap<String, ColumnType>,
    /// What columns must hold for a model, by name. The user's word goes before.
    pub kinds: BTreeMap<String, FeatureKind>,
    /// How a model's columns were written in the text it was fitted on (`Features::written`).
    pub written: BTreeMap<String, String>,
    /// Columns with a role of their own (target, weights, groups), which are never taken for row numbers.
    pub roles: Vec<String>,
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

/// What spreadsheets write where a formula failed.
pub const SPREADSHEET_ERRORS: &[&str] = &[
    "#N/A", "#NA", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#NV", "#WERT!",
    "#BEZUG!", "#ZAHL!",
];

impl Reading {
    /// Reads columns as a model was fitted on them.
    pub fn for_model(self, features: &Features) -> Self {
        let columns = features.table().map_or(&[][..], |columns| &columns[..]);
        let kinds = columns.iter().map(|c| (c.name.clone(), c.kind.clone())).collect();
        Reading { kinds, written: features.written().clone(), ..self }
    }
}

impl Default for Reading {
    fn default() -> Self {
        let words = ["?", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "null", "None", "NaT", "<NA>"];
        let missing = words.iter().chain(SPREADSHEET_ERRORS);
        Reading {
            format: None,
            header: Header::Auto,
            separator: None,
            quotes: None,
            decimal_comma: None,
            thousands: None,
            date_format: None,
            missing: missing.map(|w| w.to_string()).collect(),
            types: BTreeMap::new(),
            kinds: BTreeMap::new(),
            written: BTreeMap::new(),
            roles: Vec::new(),
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
    /// What a column holds, by the word of the user.
    pub enum ColumnType {
        /// Numbers.
        Number = "number",
        /// Levels.
        Category = "category",
        /// Free text.
        Text = "text",
        /// Moments.
        Date = "date",
        /// Names of the rows.
        Id = "id",
        /// Nothing that counts: it is left out.
        Ignore = "ignore",
    }
}

impl ColumnType {
    /// The kind of column this asks for; none for one that is left out.
    pub fn kind(self) -> Option<FeatureKind> {
        match self {
            ColumnType::Number => Some(FeatureKind::Number),
            ColumnType::Category => Some(FeatureKind::Category(Vec::new().into())),
            ColumnType::Text => Some(FeatureKind::Text),
            ColumnType::Date => Some(FeatureKind::Date),
            ColumnType::Id => Some(FeatureKind::Id),
            ColumnType::Ignore => None,
        }
    }
}

/// An error of the operating system about a file.
pub(crate) fn file_error(name: &str, error: &std::io::Error) -> Error {
    Error::File { file: name.into(), why: error.to_string() }
}
