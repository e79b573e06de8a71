//! Typed columns as they are read from a file, before they become numbers.

use crate::{Buffer, Error, Place, Result, Shared, number_text};
use std::sync::Arc;

/// The code of a category or class that is not known.
pub const UNKNOWN: u32 = u32::MAX;

/// Columns of equal length, each with a name of its own.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

/// A named column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name, unique in the table.
    pub name: String,
    /// Its values.
    pub cells: Cells,
}

/// The values of a column, by type.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Numbers; NaN is missing.
    Number(Shared<f64>),
    /// One of a few levels; the code [`UNKNOWN`] is missing.
    Category {
        /// Level of each row, as an index into `levels`.
        codes: Shared<u32>,
        /// The levels' names.
        levels: Arc<[String]>,
    },
    /// Free text.
    Text(Texts),
    /// Pictures, possibly of different sizes.
    Image(Arc<[Option<Image>]>),
    /// Moments, in seconds since the start of 1970 (UTC); NaN is missing.
    Date(Shared<f64>),
    /// Names of rows: carried along, never learned from.
    Id(Texts),
}

/// A picture: rows of pixels, each with its channels side by side, values from 0 to 255.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// Numbers of a pixel: 1 gray, 3 red green blue, 4 with opacity.
    pub channels: usize,
    /// The numbers.
    pub values: Buffer,
}

/// Many texts in one piece of memory, each possibly missing. Copies share it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Texts(Arc<Collected>);

#[derive(Debug, Clone, PartialEq, Default)]
struct Collected {
    bytes: String,
    ends: Vec<usize>,
    missing: Vec<usize>,
}

impl Texts {
    /// Adds a text, or a missing one.
    pub fn push(&mut self, text: Option<&str>) {
        let all = Arc::make_mut(&mut self.0);
        match text {
            Some(text) => all.bytes.push_str(text),
            None => all.missing.push(all.ends.len()),
        }
        all.ends.push(all.bytes.len());
    }

    /// How many are missing.
    pub fn missing(&self) -> usize {
        self.0.missing.len()
    }

    /// The text of row `i`; missing, or beyond the end, is `None`.
    pub fn get(&self, i: usize) -> Option<&str> {
        let all = &*self.0;
        let end = *all.ends.get(i)?;
        let start = if i == 0 { 0 } else { all.ends[i - 1] };
        all.missing.binary_search(&i).is_err().then(|| &all.bytes[start..end])
    }

    /// How many, missing ones included.
    pub fn len(&self) -> usize {
        self.0.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.ends.is_empty()
    }

    /// All in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Bytes taken.
    pub fn bytes(&self) -> u64 {
        (self.0.bytes.len() + 8 * (self.0.ends.len() + self.0.missing.len())) as u64
    }
}

impl<'a> FromIterator<Option<&'a str>> for Texts {
    fn from_iter<I: IntoIterator<Item = Option<&'a str>>>(texts: I) -> Self {
        let mut all = Texts::default();
        texts.into_iter().for_each(|t| all.push(t));
        all
    }
}

impl Cells {
    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Cells::Number(v) | Cells::Date(v) => v.len(),
            Cells::Category { codes, .. } => codes.len(),
            Cells::Text(t) | Cells::Id(t) => t.len(),
            Cells::Image(images) => images.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the column is, in a word.
    pub fn type_name(&self) -> &'static str {
        match self {
            Cells::Number(_) => "number",
            Cells::Category { .. } => "category",
            Cells::Text(_) => "text",
            Cells::Image(_) => "image",
            Cells::Date(_) => "date",
            Cells::Id(_) => "id",
        }
    }

    /// How many rows have no value.
    pub fn missing(&self) -> usize {
        match self {
            Cells::Number(v) | Cells::Date(v) => v.iter().filter(|x| x.is_nan()).count(),
            Cells::Category { codes, .. } => codes.iter().filter(|&&c| c == UNKNOWN).count(),
            Cells::Text(t) | Cells::Id(t) => t.missing(),
            Cells::Image(images) => images.iter().filter(|i| i.is_none()).count(),
        }
    }

    /// Categories from texts, levels sorted.
    pub fn categories<'a>(texts: impl Iterator<Item = Option<&'a str>> + Clone) -> Cells {
        let mut levels: Vec<&str> = texts.clone().flatten().collect();
        levels.sort_unstable();
        levels.dedup();
        let code = |t: Option<&str>| t.and_then(|t| levels.binary_search(&t).ok()).map_or(UNKNOWN, |c| c as u32);
        let codes: Vec<u32> = texts.map(code).collect();
        Cells::Category { codes: codes.into(), levels: levels.iter().map(|l| l.to_string()).collect() }
    }

    /// The value of one row as text; missing is `None`.
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            Cells::Number(v) | Cells::Date(v) => v.get(row).filter(|x| !x.is_nan()).map(|x| number_text(*x)),
            Cells::Category { codes, levels } => levels.get(*codes.get(row)? as usize).cloned(),
            Cells::Text(t) | Cells::Id(t) => t.get(row).map(str::to_string),
            Cells::Image(images) => {
                images.get(row)?.as_ref().map(|i| format!("image {}x{}x{}", i.height, i.width, i.channels))
            }
        }
    }

    fn select(&self, rows: &[usize]) -> Cells {
        let numbers = |v: &Shared<f64>| rows.iter().map(|&r| v[r]).collect::<Vec<_>>().into();
        let texts = |t: &Texts| rows.iter().map(|&r| t.get(r)).collect();
        match self {
            Cells::Number(v) => Cells::Number(numbers(v)),
            Cells::Date(v) => Cells::Date(numbers(v)),
            Cells::Category { codes, levels } => {
                let codes: Vec<u32> = rows.iter().map(|&r| codes[r]).collect();
                Cells::Category { codes: codes.into(), levels: levels.clone() }
            }
            Cells::Text(t) => Cells::Text(texts(t)),
            Cells::Id(t) => Cells::Id(texts(t)),
            Cells::Image(images) => Cells::Image(rows.iter().map(|&r| images[r].clone()).collect()),
        }
    }
}

impl Table {
    /// Columns of equal length with names of their own.
    pub fn new(columns: Vec<Column>) -> Result<Self> {
        let rows = columns.first().map_or(0, |c| c.cells.len());
        let mut names = std::collections::HashSet::with_capacity(columns.len());
        for column in &columns {
            if column.cells.len() != rows {
                return Err(Error::size(format!("rows of column {:?}", column.name), rows, column.cells.len()));
            }
            if !names.insert(column.name.as_str()) {
                return Err(Error::data(
                    Place::Column(column.name.clone()),
                    "is a duplicate name; rename one of \
                     the columns",
                ));
            }
        }
        Ok(Table { columns, rows })
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// Takes a column out.
    pub fn remove(&mut self, name: &str) -> Option<Column> {
        let i = self.columns.iter().position(|c| c.name == name)?;
        Some(self.columns.remove(i))
    }

    /// The given rows, in that order.
    pub fn select(&self, rows: &[usize]) -> Result<Table> {
        if let Some(&beyond) = rows.iter().find(|&&r| r >= self.rows) {
            return Err(Error::size("row index", format!("below {}", self.rows), beyond));
        }
        let pick = |c: &Column| Column { name: c.name.clone(), cells: c.cells.select(rows) };
        Ok(Table { columns: self.columns.iter().map(pick).collect(), rows: rows.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_know_what_is_missing() {
        let texts: Texts = [Some("a"), None, Some(""), Some("bc")].into_iter().collect();
        assert_eq!(texts.iter().collect::<Vec<_>>(), [Some("a"), None, Some(""), Some("bc")]);
        assert_eq!(texts.get(4), None);
    }

    #[test]
    fn categories_are_sorted_and_keep_gaps() {
        let cells = Cells::categories([Some("b"), None, Some("a"), Some("b")].into_iter());
        let Cells::Category { codes, levels } = &cells else { panic!("not a category") };
        assert_eq!((&codes[..], &levels[..]), (&[1, UNKNOWN, 0, 1][..], &["a".to_string(), "b".to_string()][..]));
        assert_eq!((cells.missing(), cells.text(0), cells.text(1)), (1, Some("b".into()), None));
    }

    #[test]
    fn tables_refuse_ragged_and_twice_named_columns() {
        let column = |name: &str, n| Column { name: name.into(), cells: Cells::Number(vec![1.0; n].into()) };
        assert!(Table::new(vec![column("a", 2), column("b", 3)]).is_err());
        assert!(Table::new(vec![column("a", 2), column("a", 2)]).is_err());
        let table = Table::new(vec![column("a", 2), column("b", 2)]).unwrap();
        assert_eq!(table.select(&[1, 1, 0]).unwrap().rows(), 3);
        assert!(table.select(&[2]).is_err());
    }

    #[test]
    fn numbers_are_written_shortest() {
        let all = [7.0, -0.5, 1e300, 0.1, 1.5e-8, 0.0, f64::NAN, f64::INFINITY];
        assert_eq!(all.map(number_text), ["7", "-0.5", "1e300", "0.1", "1.5e-8", "0", "NaN", "inf"]);
    }
}
