//! Typed columns to numbers: each kind of column has its part, and the parts stand side by side.
//!
//! | column | becomes | file |
//! |---|---|---|
//! | number | itself, or a standard score with gaps at the mean | `number.rs` |
//! | date | hour, weekday, month and days since the first row, as far as they vary | `moment.rs` |
//! | category | one-hot, the place in an order, or the share in training | `category.rs` |
//! | text | counts or tf-idf weights of words | `words.rs` |
//! | image | its pixels, brought to one size where asked | `pixels.rs` |
//! | id | nothing: it names rows, and is left out | |
//!
//! At prediction columns are matched by name. [`Encode`] says what becomes of each kind; the steps of the catalog
//! (`steps.rs`) are named choices of it, several of which join to one.

mod category;
mod encoder;
mod moment;
mod number;
mod part;
mod pixels;
mod steps;
mod words;

pub use category::{Beyond, Categories, Coding, Unseen};
pub use encoder::Encoder;
pub use moment::{DateEncoding, Dates};
pub use number::{Numbers, Scaling};
pub use pixels::Pictures;
pub use steps::{
    BagOfWords, DateParts, Frequency, OneHot, Ordinal, Resize, TfIdf, join, speaks_of, table_step, takes_points,
};
pub use words::{Weights, Words};

use crate::schema;
use base::{
    Cells, Certificate, Dataset, Error, Features, Fitted, Inputs, Learner, Needs, Param, Place, Plan, Record, Result,
    Run, Settings, Size, Traits, Value, Wanted, Weighting,
};
use part::Part;
use std::sync::Arc;

/// What becomes of each kind of column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Encode {
    /// Columns of categories.
    pub categories: Categories,
    /// Columns of text.
    pub words: Words,
    /// Columns of numbers.
    pub numbers: Numbers,
    /// Columns of dates.
    pub dates: Dates,
    /// Columns of pictures.
    pub pictures: Pictures,
}

impl Encode {
    fn groups(&self) -> [&dyn Settings; 5] {
        [&self.categories, &self.words, &self.numbers, &self.dates, &self.pictures]
    }

    fn groups_mut(&mut self) -> [&mut dyn Settings; 5] {
        [&mut self.categories, &mut self.words, &mut self.numbers, &mut self.dates, &mut self.pictures]
    }

    /// Every order of levels must be that of some column.
    fn check_orders(&self, table: &base::Table) -> Result<()> {
        let known = |level: &String| {
            table.columns().iter().any(|c| matches!(&c.cells, Cells::Category { levels, .. } if levels.contains(level)))
        };
        match self.categories.orders()?.into_iter().find(|order| !order.iter().any(known)) {
            Some(order) => Err(Error::parameter("order", order.join("<"), "no category has one of these levels")),
            None => Ok(()),
        }
    }
}

impl Settings for Encode {
    fn params(&self) -> Vec<Param> {
        self.groups().iter().flat_map(|g| g.params()).collect()
    }

    fn get(&self, name: &str) -> Result<Value> {
        base::find_setting(&self.params(), name)?;
        let absent = || Error::parameter("setting", name, "no such setting");
        self.groups().iter().find_map(|g| g.get(name).ok()).ok_or_else(absent)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<()> {
        base::find_setting(&self.params(), name)?;
        let has = |g: &&mut &mut dyn Settings| g.params().iter().any(|p| p.name == name);
        self.groups_mut().iter_mut().find(has).map_or(Ok(()), |g| g.set(name, value))
    }
}

impl Learner for Encode {
    fn name(&self) -> &'static str {
        "encode"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: true, missing: true, weights: Weighting::Exact })
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let Inputs::Table(table) = &data.inputs else {
            return Err(Error::unsupported("points", "the encoding of a table", "they are numbers already"));
        };
        self.check_orders(table)?;
        let mut certificate = Certificate::direct();
        let weights = data.weights.as_deref();
        let (mut parts, mut kept) = (vec![], vec![]);
        for column in table.columns() {
            let part: Box<dyn Part> = match &column.cells {
                Cells::Number(values) => self.numbers.part(values, weights)?,
                Cells::Date(values) => match self.dates.part(values, weights, &self.numbers)? {
                    Some(part) => part,
                    None => {
                        certificate.warn(format!("column {:?} is a date and was left out", column.name));
                        continue;
                    }
                },
                Cells::Category { codes, levels } => self.categories.part(column, (codes, levels), weights)?,
                Cells::Text(_) => self.words.part(column, weights, &mut certificate, run)?,
                Cells::Image(images) => self.pictures.part(column, images)?,
                Cells::Id(_) => {
                    certificate.warn(format!("column {:?} names the rows and was left out", column.name));
                    continue;
                }
            };
            parts.push(part);
            kept.push(schema::feature(column));
        }
        if parts.is_empty() {
            return Err(Error::data(Place::Whole, "no column is left to train on"));
        }
        let features = Features::typed(kept).written_as(data.features.written());
        let machine = Encoder::new(features, parts, self.categories.unseen)?;
        certificate.fact("columns made", machine.width() as f64);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let entries = size.entries as f64;
        Plan { fit: 2.0 * entries, predict: 2.0 * size.columns as f64, bytes: 16.0 * entries, advice: None }
    }
}

#[cfg(test)]
mod tests;
