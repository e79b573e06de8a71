//! What a machine says of itself, in plain data: kind, version, named fields, nested parts.
//!
//! Machines know records and file formats know records; nobody knows both. Reading is strict: a field that is absent
//! or of another type is an error that names it, never a default.

use crate::{Buffer, Error, Result, Shared};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A machine or a state of work as plain data.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    kind: String,
    version: u32,
    fields: BTreeMap<String, Field>,
}

/// One thing a record says.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// A number; any, NaN and infinity included.
    Number(f64),
    /// A whole number.
    Whole(i64),
    /// Yes or no.
    Flag(bool),
    /// A text.
    Text(String),
    /// Texts in order.
    Texts(Vec<String>),
    /// Numbers with a shape, row-major.
    Array {
        /// Sizes from the outermost to the innermost.
        shape: Vec<usize>,
        /// The numbers.
        values: Buffer,
    },
    /// Whole numbers, for indices and counts.
    Wholes(Shared<u64>),
    /// Whole numbers with a sign, for axes, offsets and whole weights.
    Signed(Shared<i64>),
    /// Small whole numbers, for columns of sparse rows and class codes.
    Ids(Shared<u32>),
    /// A record inside.
    Part(Box<Record>),
    /// Records inside, in order.
    Parts(Vec<Record>),
}

impl Field {
    fn type_name(&self) -> &'static str {
        match self {
            Field::Number(_) => "a number",
            Field::Whole(_) => "a whole number",
            Field::Flag(_) => "a flag",
            Field::Text(_) => "a text",
            Field::Texts(_) => "texts",
            Field::Array { .. } => "an array",
            Field::Wholes(_) => "whole numbers",
            Field::Signed(_) => "whole numbers with a sign",
            Field::Ids(_) => "ids",
            Field::Part(_) => "a part",
            Field::Parts(_) => "parts",
        }
    }
}

macro_rules! readers {
    ($($(#[$doc:meta])* $name:ident -> $type:ty { $pattern:pat => $value:expr } $word:literal;)+) => {
        $(
            $(#[$doc])*
            pub fn $name(&self, name: &str) -> Result<$type> {
                match self.field(name)? {
                    $pattern => Ok($value),
                    other => Err(self.wrong(name, $word, other)),
                }
            }
        )+
    };
}

impl Record {
    /// An empty record of that kind and version.
    pub fn new(kind: impl Into<String>, version: u32) -> Self {
        Record { kind: kind.into(), version, fields: BTreeMap::new() }
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, name: &str, field: impl Into<Field>) -> Self {
        self.fields.insert(name.into(), field.into());
        self
    }

    /// Adds an array of that shape, row-major; the product of the shape is the caller's promise.
    #[must_use]
    pub fn with_array(self, name: &str, shape: &[usize], values: impl Into<Buffer>) -> Self {
        self.with(name, Field::Array { shape: shape.to_vec(), values: values.into() })
    }

    /// Adds a field if there is one.
    #[must_use]
    pub fn with_some(self, name: &str, field: Option<impl Into<Field>>) -> Self {
        match field {
            Some(field) => self.with(name, field),
            None => self,
        }
    }

    /// Which machine or state this is.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The version of that kind.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// All fields, by name.
    pub fn fields(&self) -> &BTreeMap<String, Field> {
        &self.fields
    }

    /// Whether a field of that name is there.
    pub fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// Makes sure of kind and version before reading; versions 1 to `newest` are known.
    pub fn expect(&self, kind: &str, newest: u32) -> Result<()> {
        self.expect_within(kind, 1..=newest)
    }

    /// The same, where versions before the first of these are read no more.
    pub fn expect_within(&self, kind: &str, versions: RangeInclusive<u32>) -> Result<()> {
        if self.kind != kind {
            return Err(self.broken(format!("is of kind {:?}, expected {kind:?}", self.kind)));
        }
        let (oldest, newest) = (*versions.start(), *versions.end());
        let version = self.version;
        match version {
            _ if versions.contains(&version) => Ok(()),
            _ if version > 0 && version < oldest => {
                let why =
                    format!("{kind:?} has version {version}, this program reads {oldest} and later: it was written");
                Err(self.broken(format!("{why} before the first release; fit the model again from its data")))
            }
            _ => {
                Err(self
                    .broken(format!("has version {version}, this program knows {oldest} to {newest}: use a newer one")))
            }
        }
    }

    readers! {
        /// A number.
        number -> f64 { Field::Number(x) => *x } "a number";
        /// A whole number.
        whole -> i64 { Field::Whole(x) => *x } "a whole number";
        /// Yes or no.
        flag -> bool { Field::Flag(x) => *x } "a flag";
        /// A text.
        text -> &str { Field::Text(x) => x } "a text";
        /// Texts.
        texts -> &[String] { Field::Texts(x) => x } "texts";
        /// Whole numbers.
        wholes -> &Shared<u64> { Field::Wholes(x) => x } "whole numbers";
        /// Whole numbers with a sign.
        signed -> &Shared<i64> { Field::Signed(x) => x } "whole numbers with a sign";
        /// Ids.
        ids -> &Shared<u32> { Field::Ids(x) => x } "ids";
        /// A part.
        part -> &Record { Field::Part(x) => x } "a part";
        /// Parts.
        parts -> &[Record] { Field::Parts(x) => x } "parts";
    }

    /// A whole number that counts something.
    pub fn count(&self, name: &str) -> Result<usize> {
        let value = self.whole(name)?;
        usize::try_from(value).map_err(|_| self.broken(format!("field {name:?} is {value}, expected a count")))
    }

    /// An array and its shape, whose product is checked against the numbers there.
    pub fn array(&self, name: &str) -> Result<(&[usize], &Buffer)> {
        let (shape, values) = match self.field(name)? {
            Field::Array { shape, values } => (shape, values),
            other => return Err(self.wrong(name, "an array", other)),
        };
        let count = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        match count == Some(values.len()) {
            true => Ok((shape, values)),
            false => Err(self.broken(format!("field {name:?} has shape {shape:?} but {} numbers", values.len()))),
        }
    }

    /// An array that must have exactly this shape, in double precision.
    pub fn array_of(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
        let (found, values) = self.array(name)?;
        match found == shape {
            true => Ok(values.get(0..values.len()).into_owned()),
            false => Err(self.broken(format!("field {name:?} has shape {found:?}, expected {shape:?}"))),
        }
    }

    /// A table: an array of two dimensions, with its rows and columns.
    pub fn table(&self, name: &str) -> Result<(&Buffer, usize, usize)> {
        match self.array(name)? {
            (&[rows, columns], values) => Ok((values, rows, columns)),
            (shape, _) => Err(self.broken(format!("field {name:?} has shape {shape:?}, expected two dimensions"))),
        }
    }

    /// An error about this record.
    pub fn broken(&self, why: impl Into<crate::Message>) -> Error {
        Error::format(format!("record of {:?}", self.kind), why)
    }

    fn field(&self, name: &str) -> Result<&Field> {
        self.fields.get(name).ok_or_else(|| self.broken(format!("field {name:?} is missing")))
    }

    fn wrong(&self, name: &str, expected: &str, found: &Field) -> Error {
        self.broken(format!("field {name:?} is {}, expected {expected}", found.type_name()))
    }
}

macro_rules! from {
    ($($type:ty => |$x:ident| $field:expr;)+) => {
        $(impl From<$type> for Field { fn from($x: $type) -> Field { $field } })+
    };
}

from! {
    f64 => |x| Field::Number(x);
    i64 => |x| Field::Whole(x);
    usize => |x| Field::Whole(i64::try_from(x).unwrap_or(i64::MAX));
    u32 => |x| Field::Whole(i64::from(x));
    bool => |x| Field::Flag(x);
    &str => |x| Field::Text(x.to_string());
    String => |x| Field::Text(x);
    Vec<String> => |x| Field::Texts(x);
    &[String] => |x| Field::Texts(x.to_vec());
    Vec<u64> => |x| Field::Wholes(x.into());
    Vec<i64> => |x| Field::Signed(x.into());
    Shared<i64> => |x| Field::Signed(x);
    Vec<u32> => |x| Field::Ids(x.into());
    Shared<u32> => |x| Field::Ids(x);
    Shared<u64> => |x| Field::Wholes(x);
    Record => |x| Field::Part(Box::new(x));
    Vec<Record> => |x| Field::Parts(x);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_is_strict() {
        let record = Record::new("toy", 2).with("k", 3usize).with("name", "x").with_array("w", &[2, 2], vec![0.0; 3]);
        assert_eq!(record.count("k"), Ok(3));
        assert_eq!(record.text("name"), Ok("x"));
        let says = |e: Result<usize>| e.unwrap_err().to_string();
        assert_eq!(says(record.count("q")), "record of \"toy\": field \"q\" is missing");
        assert_eq!(says(record.count("name")), "record of \"toy\": field \"name\" is a text, expected a whole number");
        assert!(record.array("w").is_err(), "three numbers are no 2 x 2 table");
        assert!(Record::new("toy", 1).with("k", -1i64).count("k").is_err());
        assert!(record.expect("toy", 2).is_ok());
        assert!(record.expect("toy", 1).is_err() && record.expect("other", 2).is_err());
        let version = |version, versions| Record::new("toy", version).expect_within("toy", versions);
        assert!(version(2, 2..=3).is_ok() && version(3, 2..=3).is_ok());
        let older = version(1, 2..=3).unwrap_err().to_string();
        assert!(older.ends_with("was written before the first release; fit the model again from its data"), "{older}");
        for unknown in [0, 4] {
            let newer = version(unknown, 2..=3).unwrap_err().to_string();
            assert!(newer.ends_with("this program knows 2 to 3: use a newer one"), "{newer}");
        }
    }
}
