//! From filled columns to the table: what each column is, what is said of it, and which cells are odd.

use super::body::{self, Filled, Kind, Store, Trouble};
use super::cell::{self, Dialect, place_from};
use super::column::Joined;
use super::plan::Plan;
use super::survey::{self, Known, Survey, Verdict};
use super::told::Told;
use super::{cut, ids};
use crate::text::day::Order;
use crate::text::local::{Group, Style};
use crate::text::source::{Source, shown};
use base::{
    Advice, Cells, Column, Dataset, Error, FeatureKind, Features, Message, Result, Run, Shared, Table, Targets,
};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A column between reading and deciding.
enum Held {
    Numbers(Shared<f64>),
    Words(Box<(Joined, Survey)>),
    Nothing,
}

/// A table while its rows are read.
pub(crate) struct InHand<'a> {
    pub plan: &'a Plan,
    pub source: &'a Source<'a>,
    pub dialect: &'a Dialect,
    pub pieces: &'a cut::Pieces,
}

impl InHand<'_> {
    /// An error about the cell that begins at `at`.
    fn error(&self, at: usize, column: usize, what: impl Into<Message>) -> Error {
        let cell = body::shown_cell(self.source.bytes, at, self.dialect);
        let name = shown(self.plan.names[column].as_bytes());
        self.source.error(at, column + 1, what.into().map(|what| format!("{cell} {what} (column {name})")))
    }

    /// An error about a cell that is odd in its column, with what can be done.
    fn odd(&self, at: usize, column: usize, what: &str) -> Error {
        let bytes = cell::cell(self.source.bytes, at, self.dialect).map_or(&b""[..], |(cell, ..)| cell.text);
        let plain = bytes.len() < 20 && bytes.iter().all(|b| b.is_ascii_graphic() && !b"'\"".contains(b));
        let word = if plain { format!("'{}'", String::from_utf8_lossy(bytes)) } else { "WORD".to_string() };
        let name = &self.plan.names[column];
        let quoted = if name.contains([' ', '\'']) { format!("\"{name}=text\"") } else { format!("{name}=text") };
        let header = self.source.line(at) == 1 + self.plan.above as u64 && !self.plan.has_header;
        let help = Message::from(format!("{what}; correct it"))
            .with_effect(Advice::option("missing", word), "reads it as missing")
            .with_effect(Advice::option("type", quoted), "reads the column as text");
        let first = "if the first line names the columns";
        self.error(at, column, if header { help.with_effect(Advice::option("header", "yes"), first) } else { help })
    }

    /// Which columns must be read again, as words; an error where it is clear that a few cells are odd.
    pub fn again(&self, filled: &Filled) -> Result<Vec<Kind>> {
        let plan = self.plan;
        let mut again = vec![Kind::Skip; plan.kinds.len()];
        for (column, trouble) in filled.troubles.iter().enumerate() {
            let Store::Numbers(values, _) = &filled.stores[column] else { continue };
            let free = plan.must[column].is_none();
            if let Some(at) = trouble.words.first {
                let numbers = if trouble.unclear { 0 } else { values.iter().filter(|x| !x.is_nan()).count() };
                let few = 10 * numbers >= 9 * (numbers + trouble.words.count) && numbers > 1;
                match (trouble.unclear, free) {
                    (false, false) => return Err(self.error(at, column, "is not a number")),
                    (false, true) if few => return Err(self.odd(at, column, &survey::odd_cell("number", numbers))),
                    _ => again[column] = Kind::Words,
                }
            } else if trouble.rounded.count > 0 && free && !plan.has_role(column) {
                // Rounded keys would be others: they keep their digits.
                if values.iter().all(|x| x.fract() == 0.0) {
                    again[column] = Kind::Words;
                }
            }
        }
        Ok(again)
    }

    /// The columns as they are kept, and what was decided said.
    pub fn columns(&self, filled: Filled, run: &Run<'_>) -> Result<Dataset> {
        let (plan, rows) = (self.plan, &filled.rows);
        let jobs: Vec<_> = filled.stores.into_iter().map(|s| Mutex::new(Some(s))).collect();
        let held = numeric::each(run, jobs.len(), |i| {
            let store = jobs[i].lock().ok().and_then(|mut s| s.take()).unwrap_or(Store::Nothing);
            Ok(match store {
                Store::Numbers(values, hold) => Held::Numbers(Shared::counted(values, hold)),
                Store::Codes(codes, hold, parts) => {
                    let joined = Joined::new(codes, hold, parts, rows, &run.memory)?;
                    let survey = Survey::of(&joined.words, &joined.codes);
                    Held::Words(Box::new((joined, survey)))
                }
                Store::Nothing => Held::Nothing,
            })
        })?;
        let orders = held.iter().filter_map(|h| if let Held::Words(w) = h { w.1.shown_order() } else { None });
        let mut orders: Vec<Order> = orders.collect();
        orders.dedup();
        let order = if let [only] = orders[..] { Some(only) } else { None };
        let (mut told, mut written) = (Told::default(), BTreeMap::new());
        let mut columns = Vec::with_capacity(held.len());
        for (i, held) in held.into_iter().enumerate() {
            let name = &plan.names[i];
            self.tell_gaps(i, &filled.troubles[i], &mut told);
            let cells = match held {
                Held::Nothing => continue,
                Held::Numbers(values)
                    if plan.open_end && i + 1 == plan.names.len() && values.iter().all(|x| x.is_nan()) =>
                {
                    told.add(name, "is empty, has no name and is left out");
                    continue;
                }
                Held::Numbers(values) if plan.kinds[i] == Kind::Date => Cells::Date(values),
                Held::Numbers(values) => self.numbers(i, values, &filled.troubles[i], &mut told, run)?,
                Held::Words(both) => {
                    let (joined, survey) = *both;
                    self.words(i, joined, &survey, (order, &filled.troubles[i]), &mut told, &mut written, run)?
                }
            };
            if !plan.left_out[i] {
                columns.push(Column { name: name.clone(), cells });
            }
        }
        self.tell_ids(&columns, &mut told);
        told.say(self.source.name, plan.first_part, run);
        let table = Table::new(columns)?;
        let features = Features::of_table(&table).written_as(&written);
        Ok(Dataset { features, ..Dataset::new(table, Targets::None) })
    }

    fn tell_gaps(&self, column: usize, trouble: &Trouble, told: &mut Told) {
        let cell = |at: usize| body::shown_cell(self.source.bytes, at, self.dialect);
        told.gaps(self.source, &self.plan.names[column], trouble, cell);
    }

    /// Plain numbers, unless they name the rows.
    fn numbers(
        &self,
        i: usize,
        values: Shared<f64>,
        trouble: &Trouble,
        told: &mut Told,
        run: &Run<'_>,
    ) -> Result<Cells> {
        let (plan, name) = (self.plan, &self.plan.names[i]);
        let free = plan.must[i].is_none() && !plan.has_role(i);
        if free && ids::numbers_name_rows(name, plan.unnamed[i], i == 0, plan.names.len(), &values) {
            let _hold = run.memory.take(32 * values.len() as u64, "a column of texts")?;
            let texts: Vec<String> = values.iter().map(|x| base::number_text(*x)).collect();
            return Ok(Cells::Id(texts.iter().map(|t| Some(t.as_str())).collect()));
        }
        if let Some(at) = trouble.rounded.first {
            let (count, cell) = (trouble.rounded.count, body::shown_cell(self.source.bytes, at, self.dialect));
            let s = if count == 1 {
                "1 whole number beyond 2^53 is".into()
            } else {
                format!("{count} whole numbers beyond 2^53 are")
            };
            told.add(
                name,
                Message::from(format!("{s} rounded, such as {cell}"))
                    .with_effect(Advice::option("type", format!("{name}=id")), "keeps every digit"),
            );
        }
        Ok(Cells::Number(values))
    }

    /// Words, unless all of them are numbers or dates.
    #[allow(clippy::too_many_arguments, reason = "what is said and remembered goes to two places")]
    fn words(
        &self,
        i: usize,
        joined: Joined,
        survey: &Survey,
        (order, trouble): (Option<Order>, &Trouble),
        told: &mut Told,
        written: &mut BTreeMap<String, String>,
        run: &Run<'_>,
    ) -> Result<Cells> {
        let (plan, name) = (self.plan, &self.plan.names[i]);
        let known = Known {
            must: plan.must[i].as_ref(),
            written: plan.how.written.get(name).map(String::as_str),
            how: &plan.how,
            point: self.dialect.point,
            point_shown: plan.point_shown,
            separator: self.dialect.separator,
            order,
        };
        let place = |code: u32| {
            let row = joined.codes.iter().position(|c| *c == code).unwrap_or(0);
            let start = self.pieces.ranges.first().map_or(0, |r| r.start);
            place_from(self.source.bytes, start, self.dialect, row, i)
        };
        let soft = || match survey.soft {
            0 => None,
            1 => Some("1 placeholder is read as missing".to_string()),
            n => Some(format!("{n} placeholders are read as missing")),
        };
        let verdict = survey.judge(&joined.words, &known);
        match verdict {
            Verdict::Odd(code, what) if plan.must[i].is_some() && what.advice().len() == 0 => {
                return Err(self.error(place(code), i, what));
            }
            Verdict::Odd(code, what) if what.advice().len() > 0 => return Err(self.error(place(code), i, what)),
            Verdict::Odd(code, what) => return Err(self.odd(place(code), i, what.text())),
            Verdict::Mixed(what, fits, code) => {
                let line = self.source.line(place(code));
                let (all, word) = (survey.present - survey.soft, shown(joined.words.word(code as usize)));
                told.add(
                    name,
                    format!("is read as a category: {fits} of {all} cells are {what}s, {word} in line {line} is not"),
                );
            }
            Verdict::Numbers(style) => {
                // Keys with more digits than numbers have were read as words on purpose.
                let plain = style == (Style { point: self.dialect.point, group: Group::Nothing });
                let free = plan.must[i].is_none() && !plan.has_role(i);
                let keys = plain && free && plan.kinds[i] == Kind::Number && survey.soft == 0;
                if !(keys && ids::words_name_rows("id", joined.codes.len(), &joined.words)) {
                    let (mut values, hold) = run.memory.filled(joined.codes.len(), f64::NAN, "a column of numbers")?;
                    survey::numbers(style, &joined.words, &joined.codes, &mut values);
                    soft().into_iter().for_each(|what| told.happened(name, what));
                    let odd = joined.words.iter().find(|w| crate::text::number::whole(w, self.dialect.point).is_none());
                    if let Some((example, value)) = odd.and_then(|w| Some((w, style.number(w)?))) {
                        told.style(name, style, example, value);
                        written.insert(name.clone(), style.to_string());
                    }
                    return self.numbers(i, Shared::counted(values, hold), trouble, told, run);
                }
                return joined.cells(name, Some(&FeatureKind::Id), false, &run.memory);
            }
            Verdict::Dates(order) => {
                let (mut values, hold) = run.memory.filled(joined.codes.len(), f64::NAN, "a column of dates")?;
                survey::moments(order, &joined.words, &joined.codes, &mut values);
                soft().into_iter().for_each(|what| told.happened(name, what));
                told.add(name, format!("dates are read as {}", order.words()));
                written.insert(name.clone(), order.to_string());
                return Ok(Cells::Date(Shared::counted(values, hold)));
            }
            Verdict::Words => {}
        }
        joined.cells(name, plan.must[i].as_ref(), plan.has_role(i), &run.memory)
    }

    /// Says which columns were found to name the rows.
    fn tell_ids(&self, columns: &[Column], told: &mut Told) {
        let plan = self.plan;
        let found = |c: &&Column| {
            let free = plan.names.iter().position(|n| *n == c.name).is_some_and(|i| plan.must[i].is_none());
            matches!(c.cells, Cells::Id(_)) && free && plan.how.kinds.is_empty()
        };
        for column in columns.iter().filter(found) {
            told.add(
                &column.name,
                Message::from("names the rows (id), which machines leave out")
                    .with_effect(Advice::option("type", "COLUMN=category"), "keeps it"),
            );
        }
    }
}
