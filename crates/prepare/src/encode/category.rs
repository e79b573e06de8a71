//! Categories: one-hot, the place of a level in an order, or its share in training.
//!
//! - **one-hot**: levels a, b, c become the columns `name=a`, `name=b`, `name=c`, one of which is 1;
//! - **ordinal**: a level becomes its place, from 0, in the order of the numbers if all levels are numbers, else of the
//!   alphabet, else as the setting `order` says: `low<mid<high`, several separated by `;`, each for the columns that
//!   have levels of it;
//! - **frequency**: a level becomes its (weighted) share of the training rows.
//!
//! **Unseen levels** are refused with row, column, level and what is known, or ignored: one-hot zeros, ordinal a gap
//! for `impute` to fill, frequency 0. **Gaps**: to one-hot and frequency a gap is a level of its own if training had
//! some (`name=(missing)`), and else a level not seen; to ordinal a gap stays a gap.

use super::part::{Encoded, NOWHERE, Part};
use crate::schema;
use base::{Advice, Cells, Column, Error, Message, Place, Record, Result, Run, UNKNOWN};
use std::borrow::Cow;

base::choices! {
    /// What a category becomes.
    pub enum Coding {
        /// A column for each level.
        OneHot = "one-hot",
        /// The place of the level in an order.
        Ordinal = "ordinal",
        /// The share of the level in training.
        Frequency = "frequency",
    }
}

base::choices! {
    /// What happens to a level that training has not seen.
    pub enum Unseen {
        /// It is an error that names the row and the level.
        Refuse = "refuse" | "error",
        /// It is nothing: zeros, or a gap where the level would be a place.
        Ignore = "ignore",
    }
}

base::choices! {
    /// What happens to a category with too many levels.
    pub enum Beyond {
        /// It is an error that names the column.
        Refuse = "refuse" | "error",
        /// Its levels become their shares in training.
        Frequency = "frequency",
    }
}

base::settings! {
    /// Settings for columns of categories.
    pub struct Categories {
        /// encoding of categories
        pub coding: Coding = Coding::OneHot, in Range::Any;
        /// what to do with a level not seen in training
        pub unseen: Unseen = Unseen::Refuse, in Range::Any, as "handle_unknown";
        /// maximum number of levels of a category
        pub max_levels: usize = 10000, in Range::AtLeast(2.0), was "most_levels";
        /// what to do with a category with more levels
        pub beyond: Beyond = Beyond::Refuse, in Range::Any;
        /// order of the levels, such as low<mid<high;s<m<l; default: numeric, else alphabetical
        pub order: String = String::new(), in Range::Any;
    }
}

impl Categories {
    /// The part for a column of categories.
    pub(crate) fn part(
        &self,
        column: &Column,
        (codes, levels): (&[u32], &[String]),
        weights: Option<&[f64]>,
    ) -> Result<Box<dyn Part>> {
        // Weights of the levels, and last of the gaps.
        let mut shares = vec![0.0; levels.len() + 1];
        for (row, &code) in codes.iter().enumerate() {
            shares[(code as usize).min(levels.len())] += weights.map_or(1.0, |w| w[row]);
        }
        let gap = shares[levels.len()];
        let used: Vec<(String, f64)> = levels.iter().cloned().zip(shares).filter(|(_, share)| *share > 0.0).collect();
        let total: f64 = used.iter().map(|u| u.1).sum::<f64>() + gap;
        let coding = match (used.len() > self.max_levels, self.beyond) {
            (false, _) => self.coding,
            (true, Beyond::Frequency) => Coding::Frequency,
            (true, Beyond::Refuse) => {
                let why = format!(
                    "has {} levels, more than max_levels = {}; leave it out or encode by frequency",
                    used.len(),
                    self.max_levels
                );
                let why = Message::from(why).with(Advice::option("ignore", &column.name));
                let why = why.with(Advice::prepare("encode:beyond=frequency"));
                return Err(Error::data(Place::Column(column.name.clone()), why));
            }
        };
        let names = || used.iter().map(|u| u.0.clone()).collect::<Vec<_>>();
        let unseen = self.unseen;
        Ok(match coding {
            Coding::OneHot => Box::new(OneHot { levels: names(), gaps: gap > 0.0, unseen }),
            Coding::Ordinal => Box::new(Ordinal { levels: self.ordered(&column.name, names())?, unseen }),
            Coding::Frequency => {
                let shares = used.iter().map(|u| u.1 / total).collect();
                let gaps = (gap > 0.0).then_some(gap / total);
                Box::new(Frequency { levels: names(), shares, gaps, unseen })
            }
        })
    }

    /// The levels in the order that is given, else that of numbers, else that of the alphabet.
    fn ordered(&self, column: &str, mut levels: Vec<String>) -> Result<Vec<String>> {
        for order in self.orders()? {
            if levels.iter().any(|level| order.contains(level)) {
                if let Some(level) = levels.iter().find(|level| !order.contains(level)) {
                    let why = format!("the level {level:?} is not in the order {}", order.join("<"));
                    return Err(Error::data(Place::Column(column.into()), why));
                }
                return Ok(order);
            }
        }
        let number = |level: &String| level.trim().parse::<f64>().ok().filter(|x| !x.is_nan());
        match levels.iter().map(number).collect::<Option<Vec<f64>>>() {
            Some(numbers) => {
                let mut both: Vec<(f64, String)> = numbers.into_iter().zip(levels).collect();
                both.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
                Ok(both.into_iter().map(|(_, level)| level).collect())
            }
            None => {
                levels.sort_unstable();
                Ok(levels)
            }
        }
    }

    /// The orders that are given.
    pub(crate) fn orders(&self) -> Result<Vec<Vec<String>>> {
        let mut orders = vec![];
        for text in self.order.split(';').filter(|t| !t.trim().is_empty()) {
            let order: Vec<String> = text.split('<').map(|level| level.trim().to_string()).collect();
            let distinct: std::collections::HashSet<&String> = order.iter().collect();
            if distinct.len() < order.len() || order.len() < 2 {
                let must = "must be at least two different levels with < between them, such as low<mid<high";
                return Err(Error::parameter("order", text.trim(), must));
            }
            orders.push(order);
        }
        Ok(orders)
    }
}

/// The error about a level or gap that training has not seen.
fn refusal(column: &Column, row: usize, level: Option<&str>, known: &[String], way_out: &str) -> Error {
    const SHOWN: usize = 8;
    let what = match level {
        Some(level) => format!("the level {level:?} was not seen in training"),
        None => "is missing, which did not occur in training".to_string(),
    };
    let some = known.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if known.len() > SHOWN { format!(" and {} more", known.len() - SHOWN) } else { String::new() };
    let place = Place::Cell { row, column: column.name.clone() };
    let (step, effect) = way_out.split_once(' ').unwrap_or((way_out, ""));
    let why = Message::from(format!("{what}; known are {some}{more}"));
    Error::data(place, why.with_effect(Advice::prepare(step), effect))
}

/// For each row the place of its level; gaps are at `gap` if they are known, and what is unknown is refused or nowhere.
fn places(column: &Column, levels: &[String], gap: Option<u32>, unseen: Unseen, way_out: &str) -> Result<Vec<u32>> {
    let ask = |row: usize, level: Option<&str>| match unseen {
        Unseen::Ignore => Ok(NOWHERE),
        Unseen::Refuse => Err(refusal(column, row, level, levels, way_out)),
    };
    let mut codes = schema::codes(column, levels, |row, level| ask(row, Some(level)))?;
    for (row, code) in codes.iter_mut().enumerate().filter(|(_, c)| **c == UNKNOWN) {
        *code = match gap {
            Some(place) => place,
            None => ask(row, None)?,
        };
    }
    Ok(codes)
}

/// A 1 at the place of the level, and one more place if there were gaps.
pub(crate) struct OneHot {
    levels: Vec<String>,
    gaps: bool,
    unseen: Unseen,
}

impl OneHot {
    pub fn read(record: &Record, unseen: Unseen) -> Result<Self> {
        record.expect("one-hot", 1)?;
        Ok(OneHot { levels: record.texts("levels")?.to_vec(), gaps: record.flag("gaps")?, unseen })
    }
}

impl Part for OneHot {
    fn width(&self) -> usize {
        self.levels.len() + usize::from(self.gaps)
    }

    fn names(&self, column: &str) -> Vec<String> {
        let mut names: Vec<String> = self.levels.iter().map(|l| format!("{column}={l}")).collect();
        names.extend(self.gaps.then(|| format!("{column}=(missing)")));
        names
    }

    fn encode<'a>(&self, column: &'a Column, _: &Run<'_>) -> Result<Encoded<'a>> {
        let gap = self.gaps.then_some(self.levels.len() as u32);
        let way_out = "one-hot=ignore takes it as none of them";
        places(column, &self.levels, gap, self.unseen, way_out).map(Encoded::Places)
    }

    fn record(&self) -> Record {
        Record::new("one-hot", 1).with("levels", &self.levels[..]).with("gaps", self.gaps)
    }

    /// The level with the largest number; none where all are 0.
    fn restore(&self, values: &[f64]) -> Cells {
        let code = |row: &[f64]| match base::argmax(row) {
            place if row[place as usize] > 0.0 && (place as usize) < self.levels.len() => place,
            _ => UNKNOWN,
        };
        let codes: Vec<u32> = values.chunks_exact(self.width().max(1)).map(code).collect();
        Cells::Category { codes: codes.into(), levels: self.levels.iter().cloned().collect() }
    }
}

/// The place of the level in an order.
pub(crate) struct Ordinal {
    levels: Vec<String>,
    unseen: Unseen,
}

impl Ordinal {
    pub fn read(record: &Record, unseen: Unseen) -> Result<Self> {
        record.expect("ordinal", 1)?;
        Ok(Ordinal { levels: record.texts("levels")?.to_vec(), unseen })
    }
}

impl Part for Ordinal {
    fn width(&self) -> usize {
        1
    }

    fn names(&self, column: &str) -> Vec<String> {
        vec![column.to_string()]
    }

    fn encode<'a>(&self, column: &'a Column, _: &Run<'_>) -> Result<Encoded<'a>> {
        let way_out = "ordinal=ignore takes it as missing";
        let places = places(column, &self.levels, Some(NOWHERE), self.unseen, way_out)?;
        let number = |&place: &u32| if place == NOWHERE { f64::NAN } else { f64::from(place) };
        Ok(Encoded::Numbers(Cow::Owned(places.iter().map(number).collect())))
    }

    fn record(&self) -> Record {
        Record::new("ordinal", 1).with("levels", &self.levels[..])
    }

    fn restore(&self, values: &[f64]) -> Cells {
        let last = self.levels.len().saturating_sub(1) as f64;
        let code = |x: &f64| if x.is_nan() { UNKNOWN } else { x.round().clamp(0.0, last) as u32 };
        let codes: Vec<u32> = values.iter().map(code).collect();
        Cells::Category { codes: codes.into(), levels: self.levels.iter().cloned().collect() }
    }
}

/// The share of the level in training.
pub(crate) struct Frequency {
    levels: Vec<String>,
    shares: Vec<f64>,
    gaps: Option<f64>,
    unseen: Unseen,
}

impl Frequency {
    pub fn read(record: &Record, unseen: Unseen) -> Result<Self> {
        record.expect("frequency", 1)?;
        let levels = record.texts("levels")?.to_vec();
        let shares = record.array_of("shares", &[levels.len()])?;
        let gaps = record.has("gaps").then(|| record.number("gaps")).transpose()?;
        match shares.iter().chain(&gaps).all(|s| (0.0..=1.0).contains(s)) {
            true => Ok(Frequency { levels, shares, gaps, unseen }),
            false => Err(record.broken("a frequency lies outside [0, 1]")),
        }
    }
}

impl Part for Frequency {
    fn width(&self) -> usize {
        1
    }

    fn names(&self, column: &str) -> Vec<String> {
        vec![column.to_string()]
    }

    fn encode<'a>(&self, column: &'a Column, _: &Run<'_>) -> Result<Encoded<'a>> {
        let gap = self.gaps.map(|_| self.levels.len() as u32);
        let way_out = "frequency=ignore takes it as 0";
        let places = places(column, &self.levels, gap, self.unseen, way_out)?;
        let all: Vec<f64> = self.shares.iter().copied().chain(self.gaps).collect();
        let share = |&place: &u32| all.get(place as usize).copied().unwrap_or(0.0);
        Ok(Encoded::Numbers(Cow::Owned(places.iter().map(share).collect())))
    }

    fn record(&self) -> Record {
        Record::new("frequency", 1)
            .with("levels", &self.levels[..])
            .with_array("shares", &[self.shares.len()], self.shares.clone())
            .with_some("gaps", self.gaps)
    }

    /// The level whose share is the closest, the first of equals.
    fn restore(&self, values: &[f64]) -> Cells {
        let code = |x: &f64| base::argmax(&self.shares.iter().map(|s| -(s - x).abs()).collect::<Vec<_>>());
        let codes: Vec<u32> = values.iter().map(code).collect();
        Cells::Category { codes: codes.into(), levels: self.levels.iter().cloned().collect() }
    }
}
