//! What becomes of one column: the contract of a part, and the numbers it makes.

use super::encoder::MOST_COLUMNS;
use super::pixels::CalibrationForm;
use super::{category, moment, number, pixels, words};
use base::{Cells, Column, Image, Record, Result, Run, Shape};
use std::borrow::Cow;

/// What becomes of one column. A new kind of part is a file with this, and a line in [`read`].
pub(crate) trait Part: Send + Sync {
    /// How many columns it makes.
    fn width(&self) -> usize;

    /// The names of the columns it makes.
    fn names(&self, column: &str) -> Vec<String>;

    /// The numbers of a column of a new table.
    fn encode<'a>(&self, column: &'a Column, run: &Run<'_>) -> Result<Encoded<'a>>;

    /// All that is needed to rebuild it.
    fn record(&self) -> Record;

    /// What the columns are when taken together.
    fn shape(&self) -> Option<Shape> {
        None
    }

    /// Whether the columns it makes mean something each by itself (words, pixels), and are no parts of one value.
    fn apart(&self) -> bool {
        false
    }

    /// Cells that would be encoded so, as far as that can be told: `values` are rows of [`Part::width`] numbers.
    fn restore(&self, values: &[f64]) -> Cells;
}

/// The part a record speaks of; `unseen` is the rule of the encoder it belongs to.
pub(crate) fn read(record: &Record, unseen: category::Unseen) -> Result<Box<dyn Part>> {
    Ok(match record.kind() {
        "number" => Box::new(number::AsIs),
        "scaled" => Box::new(number::Scaled::read(record)?),
        "date" => Box::new(moment::Parts::read(record)?),
        "one-hot" => Box::new(category::OneHot::read(record, unseen)?),
        "ordinal" => Box::new(category::Ordinal::read(record, unseen)?),
        "frequency" => Box::new(category::Frequency::read(record, unseen)?),
        "pixels" => Box::new(pixels::Pixels::read(record)?),
        "resized" => Box::new(pixels::Resized::read(record)?),
        "words" => Box::new(words::Bag::read(record)?),
        other => return Err(record.broken(format!("unknown part {other:?}; use a newer program"))),
    })
}

/// No place at all.
pub(crate) const NOWHERE: u32 = u32::MAX - 1;

/// What a column contributes to each row.
pub(crate) enum Encoded<'a> {
    /// A number.
    Numbers(Cow<'a, [f64]>),
    /// So many numbers for each row, row after row.
    Several {
        /// The numbers.
        values: Vec<f64>,
        /// How many each row has.
        width: usize,
        /// The memory taken.
        _hold: base::Hold,
    },
    /// A 1 at a place, or at none ([`NOWHERE`]).
    Places(Vec<u32>),
    /// Pictures, and the form they are brought to when a row is asked for.
    Pictures(&'a [Option<Image>], CalibrationForm),
    /// Numbers at a few places.
    Rows(Rows),
}

/// Sparse rows as they are gathered; the hold counts their memory.
pub(crate) struct Rows {
    /// Where each row starts, and after the last one where it ends.
    pub starts: Vec<usize>,
    /// Places, ascending within a row.
    pub ids: Vec<u32>,
    /// What stands there.
    pub values: Vec<f64>,
    /// The memory taken.
    pub hold: base::Hold,
}

impl Encoded<'_> {
    /// Hands every number of a row that may differ from 0 to `put`, places ascending.
    pub fn visit(&self, row: usize, mut put: impl FnMut(usize, f64)) {
        match self {
            Encoded::Numbers(numbers) => put(0, numbers[row]),
            Encoded::Several { values, width, .. } => {
                values[row * width..(row + 1) * width].iter().enumerate().for_each(|(i, &x)| put(i, x));
            }
            Encoded::Places(places) if places[row] < NOWHERE => put(places[row] as usize, 1.0),
            Encoded::Places(_) => {}
            Encoded::Pictures(images, form) => {
                let pixels = images[row].as_ref().map(|image| form.pixels(image));
                pixels.iter().flat_map(|p| p.iter()).enumerate().for_each(|(i, &x)| put(i, x));
            }
            Encoded::Rows(rows) => {
                let range = rows.starts[row]..rows.starts[row + 1];
                rows.ids[range.clone()].iter().zip(&rows.values[range]).for_each(|(&id, &x)| put(id as usize, x));
            }
        }
    }

    /// Whether a number is missing; sparse points cannot hold that.
    pub fn has_gaps(&self) -> bool {
        match self {
            Encoded::Numbers(numbers) => numbers.iter().any(|x| x.is_nan()),
            Encoded::Several { values, .. } => values.iter().any(|x| x.is_nan()),
            _ => false,
        }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Encoded::Numbers(numbers) => numbers.len(),
            Encoded::Several { values, width, .. } => values.len() / (*width).max(1),
            Encoded::Places(places) => places.len(),
            Encoded::Pictures(images, _) => images.len(),
            Encoded::Rows(rows) => rows.starts.len() - 1,
        }
    }

    /// How many numbers are handed out over all rows.
    pub fn entries(&self) -> usize {
        match self {
            Encoded::Numbers(_) | Encoded::Places(_) => self.len(),
            Encoded::Several { values, .. } => values.len(),
            Encoded::Pictures(images, form) => images.len().saturating_mul(form.count()),
            Encoded::Rows(rows) => rows.ids.len(),
        }
    }
}

/// A count of columns that a record may claim: larger ones would be asked for in vain.
pub(crate) fn believable(record: &Record, count: Option<usize>) -> Result<usize> {
    count.filter(|&n| n <= MOST_COLUMNS).ok_or_else(|| record.broken("columns of that number do not exist"))
}
