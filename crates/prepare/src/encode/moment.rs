//! Dates: the hour, the weekday, the month and the days since the first training row, as far as they vary.
//!
//! Seconds since 1970 say nothing that a machine could use on later rows: all of them lie beyond what it has seen. The
//! parts of a date come again. In training, a part that is the same in every row is left out; the days since the first
//! row are kept where there is more than one day. A gap is a gap in every part. Beside words (`numbers=scaled`) parts
//! are standard scores with gaps at the mean, as numbers are.
//!
//! Detectors and clusterings should not see when a row was taken at all: `dates=leave-out`.

use super::number::{Numbers, Scaling};
use super::part::{Encoded, Part};
use crate::schema;
use base::{Buffer, Cells, Column, Points, Record, Result, Run, Shared};
use numeric::Moments;

base::choices! {
    /// What becomes of dates.
    pub enum DateEncoding {
        /// Hour, weekday, month and days since the first row, as far as they vary.
        Parts = "parts",
        /// Seconds since the start of 1970.
        Seconds = "seconds",
        /// Nothing.
        LeaveOut = "leave-out",
    }
}

base::settings! {
    /// Settings for columns of dates.
    pub struct Dates {
        /// encoding of dates: their parts (hour, weekday, month, days since the first row), seconds, or leave them out
        pub dates: DateEncoding = DateEncoding::Parts, in Range::Any;
    }
}

/// A part of a date.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Which {
    Hour,
    Weekday,
    Month,
    Days,
}

const ALL: [Which; 4] = [Which::Hour, Which::Weekday, Which::Month, Which::Days];
const DAY: f64 = 86_400.0;

impl Which {
    fn word(self) -> &'static str {
        match self {
            Which::Hour => "hour",
            Which::Weekday => "weekday",
            Which::Month => "month",
            Which::Days => "days",
        }
    }

    /// The part of a moment: hours with their fraction, Monday as 0, January as 1, days since `first`.
    fn of(self, moment: f64, first: f64) -> f64 {
        let days = (moment / DAY).floor();
        match self {
            _ if moment.is_nan() => f64::NAN,
            Which::Hour => (moment - days * DAY) / 3600.0,
            // The first day of 1970 was a Thursday.
            Which::Weekday => (days + 3.0).rem_euclid(7.0),
            Which::Month => month(days),
            Which::Days => (moment - first) / DAY,
        }
    }
}

/// The month of a day counted from the start of 1970, by the Gregorian calendar with years that begin in March.
fn month(days: f64) -> f64 {
    // 146,097 days make 400 years; the day of the era, then the year of the era, then the day of the year.
    let day = (days + 719_468.0).rem_euclid(146_097.0);
    let year = ((day - (day / 1460.0).floor() + (day / 36_524.0).floor() - (day / 146_096.0).floor()) / 365.0).floor();
    let day = day - (365.0 * year + (year / 4.0).floor() - (year / 100.0).floor());
    let month = ((5.0 * day + 2.0) / 153.0).floor();
    if month < 10.0 { month + 3.0 } else { month - 9.0 }
}

impl Dates {
    /// The part for a column of dates; none if it is left out.
    pub(crate) fn part(
        &self,
        values: &Shared<f64>,
        weights: Option<&[f64]>,
        numbers: &Numbers,
    ) -> Result<Option<Box<dyn Part>>> {
        Ok(match self.dates {
            DateEncoding::LeaveOut => None,
            DateEncoding::Seconds => Some(numbers.part(values, weights)?),
            DateEncoding::Parts => {
                let first = values.iter().copied().find(|x| !x.is_nan()).unwrap_or(0.0);
                let mut parts = vec![];
                for which in ALL {
                    let all: Vec<f64> = values.iter().map(|x| which.of(*x, first)).collect();
                    let there = || all.iter().filter(|x| !x.is_nan());
                    let (low, high) = (
                        there().copied().fold(f64::INFINITY, f64::min),
                        there().copied().fold(f64::NEG_INFINITY, f64::max),
                    );
                    // Within a day the days are the hours once more.
                    if high > low && (which != Which::Days || high - low >= 1.0) {
                        parts.push((which, scaling(&all, weights, numbers)?));
                    }
                }
                if parts.is_empty() {
                    parts.push((Which::Days, (0.0, 1.0)));
                }
                Some(Box::new(Parts { first, parts, scaled: numbers.numbers == Scaling::Scaled }))
            }
        })
    }
}

/// What is taken off a part and what the rest is multiplied by.
fn scaling(values: &[f64], weights: Option<&[f64]>, numbers: &Numbers) -> Result<(f64, f64)> {
    if numbers.numbers == Scaling::AsIs {
        return Ok((0.0, 1.0));
    }
    let points = Points::dense(Buffer::F64(values.to_vec().into()), values.len(), 1)?;
    let spread = Moments::of(&points, weights);
    let (mean, variance) = (spread.mean[0], spread.variance[0]);
    Ok((mean, if Moments::varies(mean, variance) { 1.0 / variance.sqrt() } else { 1.0 }))
}

/// Parts of a date, each with its shift and factor.
pub(crate) struct Parts {
    first: f64,
    parts: Vec<(Which, (f64, f64))>,
    scaled: bool,
}

impl Parts {
    pub fn read(record: &Record) -> Result<Self> {
        record.expect("date", 1)?;
        let names = record.texts("parts")?;
        let (shifts, factors) =
            (record.array_of("shifts", &[names.len()])?, record.array_of("factors", &[names.len()])?);
        let mut parts = vec![];
        for (i, name) in names.iter().enumerate() {
            let which = ALL.into_iter().find(|w| w.word() == name);
            let which = which.ok_or_else(|| record.broken(format!("unknown part of a date {name:?}")))?;
            parts.push((which, (shifts[i], factors[i])));
        }
        let first = record.number("first")?;
        let finite = first.is_finite() && parts.iter().all(|(_, (s, f))| s.is_finite() && f.is_finite());
        match finite && !parts.is_empty() {
            true => Ok(Parts { first, parts, scaled: record.flag("scaled")? }),
            false => Err(record.broken("its numbers are not finite, or there are none")),
        }
    }
}

impl Part for Parts {
    fn width(&self) -> usize {
        self.parts.len()
    }

    fn names(&self, column: &str) -> Vec<String> {
        self.parts.iter().map(|(which, _)| format!("{column}: {}", which.word())).collect()
    }

    fn encode<'a>(&self, column: &'a Column, run: &Run<'_>) -> Result<Encoded<'a>> {
        let moments = schema::numbers(column)?;
        let hold = run.memory.take_for::<f64>(moments.len().saturating_mul(self.width()), "parts of dates")?;
        let number = |moment: f64, (which, (shift, factor)): &(Which, (f64, f64))| {
            let value = (which.of(moment, self.first) - shift) * factor;
            if value.is_nan() && self.scaled { 0.0 } else { value }
        };
        let values = moments.iter().flat_map(|m| self.parts.iter().map(move |part| number(*m, part))).collect();
        Ok(Encoded::Several { values, width: self.width(), _hold: hold })
    }

    fn record(&self) -> Record {
        let names: Vec<String> = self.parts.iter().map(|(which, _)| which.word().to_string()).collect();
        Record::new("date", 1)
            .with("parts", &names[..])
            .with("first", self.first)
            .with("scaled", self.scaled)
            .with_array("shifts", &[names.len()], self.parts.iter().map(|p| p.1.0).collect::<Vec<f64>>())
            .with_array("factors", &[names.len()], self.parts.iter().map(|p| p.1.1).collect::<Vec<f64>>())
    }

    /// The moment that the days tell; without them there is none to tell.
    fn restore(&self, values: &[f64]) -> Cells {
        let days = self.parts.iter().position(|(which, _)| *which == Which::Days);
        let moment = |row: &[f64]| match days {
            Some(i) => self.first + DAY * (row[i] / self.parts[i].1.1 + self.parts[i].1.0),
            None => f64::NAN,
        };
        Cells::Date(values.chunks_exact(self.width().max(1)).map(moment).collect::<Vec<_>>().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d10_parts_are_those_of_the_calendar() {
        // 2023-12-31 14:30, a Sunday; 1969-03-01 00:00, a Saturday.
        for (moment, expected) in [(1_704_033_000.0, [14.5, 6.0, 12.0]), (-26_438_400.0, [0.0, 5.0, 3.0])] {
            let found: Vec<f64> = ALL[..3].iter().map(|w| w.of(moment, 0.0)).collect();
            assert_eq!(found, expected);
        }
        // Every day of 800 years: months follow each other and have their lengths.
        let (mut before, mut length) = (1.0, 0);
        for day in -146_097..146_097 {
            let month = month(f64::from(day));
            if month != before {
                let usual = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][before as usize - 1];
                assert!(length == usual || (before == 2.0 && length == 29), "{before} has {length}");
                assert_eq!(month, before % 12.0 + 1.0);
                (before, length) = (month, 0);
            }
            length += 1;
        }
    }
}
