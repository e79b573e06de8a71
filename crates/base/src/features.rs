//! What goes into a machine: how many columns, their names and kinds, and the shape behind them.

use crate::{Cells, Error, Field, Record, Result, Table};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The columns a machine takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    form: Form,
    shape: Option<Shape>,
    /// How columns were written in the text they come from, where that is not the plain way: by name.
    written: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq)]
enum Form {
    /// Numbers without names: their count.
    Unnamed(usize),
    /// Numbers with names.
    Named(Arc<[String]>),
    /// Typed columns of a table.
    Table(Arc<[Feature]>),
}

/// A column of a table as a machine expects it.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// The column's name.
    pub name: String,
    /// What it must hold.
    pub kind: FeatureKind,
}

/// The type of a column, without its rows.
#[derive(Debug, Clone, PartialEq)]
pub enum FeatureKind {
    /// A number.
    Number,
    /// One of these levels.
    Category(Arc<[String]>),
    /// Free text.
    Text,
    /// A picture.
    Image,
    /// A moment.
    Date,
    /// A name of the row.
    Id,
}

impl FeatureKind {
    /// The kind of these cells.
    pub fn of(cells: &Cells) -> Self {
        match cells {
            Cells::Number(_) => FeatureKind::Number,
            Cells::Category { levels, .. } => FeatureKind::Category(levels.clone()),
            Cells::Text(_) => FeatureKind::Text,
            Cells::Image(_) => FeatureKind::Image,
            Cells::Date(_) => FeatureKind::Date,
            Cells::Id(_) => FeatureKind::Id,
        }
    }

    /// The kind in a word.
    pub fn name(&self) -> &'static str {
        match self {
            FeatureKind::Number => "number",
            FeatureKind::Category(_) => "category",
            FeatureKind::Text => "text",
            FeatureKind::Image => "image",
            FeatureKind::Date => "date",
            FeatureKind::Id => "id",
        }
    }
}

/// What the columns are when taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Pixels, row after row, the channels of a pixel side by side.
    Image {
        /// Rows of pixels.
        height: usize,
        /// Pixels in a row.
        width: usize,
        /// Numbers of a pixel.
        channels: usize,
    },
    /// Moments one after the other, the channels of a moment side by side.
    Series {
        /// Moments.
        length: usize,
        /// Numbers of a moment.
        channels: usize,
    },
}

impl Shape {
    /// How many numbers that makes.
    pub fn count(&self) -> Option<usize> {
        match *self {
            Shape::Image { height, width, channels } => height.checked_mul(width)?.checked_mul(channels),
            Shape::Series { length, channels } => length.checked_mul(channels),
        }
    }

    /// Adds a shape, where there is one, to a record.
    pub(crate) fn put(shape: Option<Shape>, record: Record) -> Record {
        match shape {
            None => record,
            Some(Shape::Image { height, width, channels }) => {
                record.with("image", vec![height as u64, width as u64, channels as u64])
            }
            Some(Shape::Series { length, channels }) => record.with("series", vec![length as u64, channels as u64]),
        }
    }

    /// The shape that a record tells of.
    pub(crate) fn get(record: &Record) -> Option<Shape> {
        let sizes = |name: &str| match record.fields().get(name) {
            Some(Field::Wholes(sizes)) => Some(sizes.iter().map(|&s| s as usize).collect::<Vec<_>>()),
            _ => None,
        };
        match (sizes("image").as_deref(), sizes("series").as_deref()) {
            (Some(&[height, width, channels]), _) => Some(Shape::Image { height, width, channels }),
            (_, Some(&[length, channels])) => Some(Shape::Series { length, channels }),
            _ => None,
        }
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Shape::Image { height, width, channels: 1 } => write!(f, "a grayscale image of {height} x {width}"),
            Shape::Image { height, width, channels } => write!(f, "an image of {height} x {width} x {channels}"),
            Shape::Series { length, channels } => write!(f, "a time series of {length} steps x {channels}"),
        }
    }
}

impl Features {
    /// Numbers without names.
    pub fn unnamed(count: usize) -> Self {
        Features { form: Form::Unnamed(count), shape: None, written: BTreeMap::new() }
    }

    /// Numbers with names.
    pub fn named(names: impl Into<Arc<[String]>>) -> Self {
        Features { form: Form::Named(names.into()), shape: None, written: BTreeMap::new() }
    }

    /// The typed columns of a table.
    pub fn of_table(table: &Table) -> Self {
        let feature = |c: &crate::Column| Feature { name: c.name.clone(), kind: FeatureKind::of(&c.cells) };
        Self::typed(table.columns().iter().map(feature).collect::<Vec<_>>())
    }

    /// Typed columns.
    pub fn typed(columns: impl Into<Arc<[Feature]>>) -> Self {
        Features { form: Form::Table(columns.into()), shape: None, written: BTreeMap::new() }
    }

    /// The same columns, which together make this shape.
    pub fn shaped(self, shape: Shape) -> Result<Self> {
        match shape.count() == Some(self.count()) {
            true => Ok(Features { shape: Some(shape), ..self }),
            false => Err(Error::size("columns of a shape", format!("{shape:?}"), self.count())),
        }
    }

    /// How many columns.
    pub fn count(&self) -> usize {
        match &self.form {
            Form::Unnamed(count) => *count,
            Form::Named(names) => names.len(),
            Form::Table(columns) => columns.len(),
        }
    }

    /// The name of column `i`; without names its number.
    pub fn name(&self, i: usize) -> String {
        let named = match &self.form {
            Form::Unnamed(_) => None,
            Form::Named(names) => names.get(i).cloned(),
            Form::Table(columns) => columns.get(i).map(|c| c.name.clone()),
        };
        named.unwrap_or_else(|| i.to_string())
    }

    /// The names, where numbers have some.
    pub fn names(&self) -> Option<&Arc<[String]>> {
        match &self.form {
            Form::Named(names) => Some(names),
            _ => None,
        }
    }

    /// The typed columns, if these are the columns of a table.
    pub fn table(&self) -> Option<&Arc<[Feature]>> {
        match &self.form {
            Form::Table(columns) => Some(columns),
            _ => None,
        }
    }

    /// The same columns, with how they were written in the text they come from; others than these are forgotten.
    pub fn written_as(self, written: &BTreeMap<String, String>) -> Self {
        let known: std::collections::HashSet<String> = (0..self.count()).map(|i| self.name(i)).collect();
        let written = written.iter().filter(|(name, _)| known.contains(*name));
        let written = written.map(|(name, how)| (name.clone(), how.clone())).collect();
        Features { written, ..self }
    }

    /// How columns were written in the text they come from (`1.234,5`, `dmy`), by name; the plain way is not told.
    pub fn written(&self) -> &BTreeMap<String, String> {
        &self.written
    }

    /// What the columns are when taken together.
    pub fn shape(&self) -> Option<Shape> {
        self.shape
    }

    /// These columns as plain data, for a machine's record.
    pub fn record(&self) -> Record {
        let record = match &self.form {
            Form::Unnamed(count) => Record::new("features", 1).with("count", *count),
            Form::Named(names) => Record::new("features", 1).with("names", &names[..]),
            Form::Table(columns) => {
                let part = |c: &Feature| {
                    let record = Record::new("feature", 1).with("name", c.name.as_str()).with("kind", c.kind.name());
                    match &c.kind {
                        FeatureKind::Category(levels) => record.with("levels", &levels[..]),
                        _ => record,
                    }
                };
                Record::new("features", 1).with("columns", columns.iter().map(part).collect::<Vec<_>>())
            }
        };
        let record = match self.written.is_empty() {
            true => record,
            false => {
                let names: Vec<String> = self.written.keys().cloned().collect();
                let how: Vec<String> = self.written.values().cloned().collect();
                record.with("written_columns", &names[..]).with("written_as", &how[..])
            }
        };
        Shape::put(self.shape, record)
    }

    /// Columns from plain data.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect("features", 1)?;
        let features = if record.has("count") {
            Features::unnamed(record.count("count")?)
        } else if record.has("names") {
            Features::named(record.texts("names")?)
        } else {
            let kind = |part: &Record| {
                Ok(match part.text("kind")? {
                    "number" => FeatureKind::Number,
                    "category" => FeatureKind::Category(part.texts("levels")?.into()),
                    "text" => FeatureKind::Text,
                    "image" => FeatureKind::Image,
                    "date" => FeatureKind::Date,
                    "id" => FeatureKind::Id,
                    other => return Err(part.broken(format!("unknown kind of column {other:?}"))),
                })
            };
            let read = |part: &Record| Ok(Feature { name: part.text("name")?.to_string(), kind: kind(part)? });
            Features::typed(record.parts("columns")?.iter().map(read).collect::<Result<Vec<_>>>()?)
        };
        let features = match record.has("written_columns") {
            false => features,
            true => {
                let (names, how) = (record.texts("written_columns")?, record.texts("written_as")?);
                if names.len() != how.len() {
                    return Err(record.broken("columns and how they are written differ in number"));
                }
                let written = names.iter().cloned().zip(how.iter().cloned()).collect();
                features.written_as(&written)
            }
        };
        match Shape::get(record) {
            Some(shape) => features.shaped(shape),
            None => Ok(features),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_bring_everything_back() {
        let levels: Arc<[String]> = vec!["a".to_string(), "b".to_string()].into();
        let columns = vec![
            Feature { name: "x".into(), kind: FeatureKind::Number },
            Feature { name: "c".into(), kind: FeatureKind::Category(levels) },
            Feature { name: "t".into(), kind: FeatureKind::Text },
        ];
        for features in [
            Features::unnamed(12).shaped(Shape::Image { height: 2, width: 2, channels: 3 }).unwrap(),
            Features::unnamed(4).shaped(Shape::Series { length: 4, channels: 1 }).unwrap(),
            Features::named(vec!["u".to_string(), "v".to_string()]),
            Features::typed(columns.clone()),
            Features::typed(columns).written_as(&[("x".into(), "1.234,5".into()), ("q".into(), "dmy".into())].into()),
        ] {
            assert!(features.written().keys().all(|name| name == "x"));
            assert_eq!(Features::read(&features.record()), Ok(features));
        }
        assert!(Features::unnamed(5).shaped(Shape::Series { length: 4, channels: 1 }).is_err());
        let huge = Shape::Image { height: usize::MAX, width: 2, channels: 1 };
        assert!(Features::unnamed(5).shaped(huge).is_err());
    }
}
