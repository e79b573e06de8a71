//! Numbers, and dates as seconds: as they are, or as standard scores whose gaps are at the mean.
//!
//! As they are, a gap stays a gap (NaN), for a later step to fill. Scaled, x becomes (x − mean) / deviation, weighted,
//! of the population, and a gap 0, which is the mean: nothing is left that sparse points could not hold, so that
//! columns of numbers can stand beside thousands of words. A column without spread is only shifted.

use super::part::{Encoded, Part};
use crate::schema;
use base::{Buffer, Cells, Column, Points, Record, Result, Run, Shared};
use numeric::Moments;
use std::borrow::Cow;

base::choices! {
    /// What becomes of numbers and dates.
    pub enum Scaling {
        /// They stay, gaps included.
        AsIs = "as-is",
        /// Standard scores, gaps at the mean.
        Scaled = "scaled",
    }
}

base::settings! {
    /// Settings for columns of numbers and dates.
    pub struct Numbers {
        /// numbers and dates: as they are, or standardised with missing values at the mean
        pub numbers: Scaling = Scaling::AsIs, in Range::Any;
    }
}

impl Numbers {
    /// The part for a column of numbers.
    pub(crate) fn part(&self, values: &Shared<f64>, weights: Option<&[f64]>) -> Result<Box<dyn Part>> {
        Ok(match self.numbers {
            Scaling::AsIs => Box::new(AsIs),
            Scaling::Scaled => {
                let moments = Moments::of(&Points::dense(Buffer::F64(values.clone()), values.len(), 1)?, weights);
                let (mean, variance) = (moments.mean[0], moments.variance[0]);
                let factor = if Moments::varies(mean, variance) { 1.0 / variance.sqrt() } else { 1.0 };
                Box::new(Scaled { shift: mean, factor })
            }
        })
    }
}

/// The number itself.
pub(crate) struct AsIs;

impl Part for AsIs {
    fn width(&self) -> usize {
        1
    }

    fn names(&self, column: &str) -> Vec<String> {
        vec![column.to_string()]
    }

    fn encode<'a>(&self, column: &'a Column, _: &Run<'_>) -> Result<Encoded<'a>> {
        schema::numbers(column).map(Encoded::Numbers)
    }

    fn record(&self) -> Record {
        Record::new("number", 1)
    }

    fn restore(&self, values: &[f64]) -> Cells {
        Cells::Number(values.to_vec().into())
    }
}

/// A standard score, gaps at the mean.
pub(crate) struct Scaled {
    shift: f64,
    factor: f64,
}

impl Scaled {
    pub fn read(record: &Record) -> Result<Self> {
        record.expect("scaled", 1)?;
        let (shift, factor) = (record.number("shift")?, record.number("factor")?);
        match shift.is_finite() && factor.is_finite() {
            true => Ok(Scaled { shift, factor }),
            false => Err(record.broken("its numbers are not finite")),
        }
    }
}

impl Part for Scaled {
    fn width(&self) -> usize {
        1
    }

    fn names(&self, column: &str) -> Vec<String> {
        vec![column.to_string()]
    }

    fn encode<'a>(&self, column: &'a Column, run: &Run<'_>) -> Result<Encoded<'a>> {
        let numbers = schema::numbers(column)?;
        let _hold = run.memory.take_for::<f64>(numbers.len(), "scaled numbers")?;
        let score = |&x: &f64| if x.is_nan() { 0.0 } else { (x - self.shift) * self.factor };
        Ok(Encoded::Numbers(Cow::Owned(numbers.iter().map(score).collect())))
    }

    fn record(&self) -> Record {
        Record::new("scaled", 1).with("shift", self.shift).with("factor", self.factor)
    }

    fn restore(&self, values: &[f64]) -> Cells {
        let back = |y: &f64| if self.factor == 0.0 { self.shift } else { y / self.factor + self.shift };
        Cells::Number(values.iter().map(back).collect::<Vec<_>>().into())
    }
}
