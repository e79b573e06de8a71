//! What a column of words is when all of its cells are known: numbers or dates in some style, or words indeed.
//!
//! A column is of numbers if one style (`local.rs`) reads every cell that is not missing, of dates if one order
//! (`day.rs`) does. If that fails for less than a tenth of the cells they are odd, and an error with their place: a typo,
//! a line of totals, a word for a gap that nobody told. If more than half of the cells are numbers the user is told.
//! Where two styles read all cells and give different numbers, the rest of the file decides, or the user must.

use super::cell::is_soft_gap;
use crate::Reading;
use crate::text::date;
use crate::text::day::{self, ORDERS, Order, Parts};
use crate::text::local::{self, Group, STYLES, Style};
use crate::text::words::Words;
use base::{Advice, FeatureKind, Message, UNKNOWN};
use std::collections::BTreeSet;

/// What all cells of a column are.
pub(crate) struct Survey {
    /// Cells with a value.
    pub present: usize,
    /// Cells like `-` or `unknown`, which are gaps if the others are numbers or dates.
    pub soft: usize,
    /// How many cells each style reads.
    styles: [usize; STYLES.len()],
    /// How many cells each order reads.
    orders: [usize; ORDERS.len()],
    /// Numbers in parentheses.
    bracketed: usize,
    /// Numbers with a percent sign.
    percent: usize,
    /// Currencies that come.
    currencies: BTreeSet<&'static str>,
    /// Whole numbers with a zero in front.
    pub zeros: usize,
}

/// What is known of a column and its file before.
pub(crate) struct Known<'a> {
    /// What the column must be.
    pub must: Option<&'a FeatureKind>,
    /// How it was written where a model was fitted.
    pub written: Option<&'a str>,
    /// How to read.
    pub how: &'a Reading,
    /// The decimal sign of the file.
    pub point: u8,
    /// Whether numbers of the file show a decimal point.
    pub point_shown: bool,
    /// What separates the fields.
    pub separator: u8,
    /// The order of dates that another column of the file shows.
    pub order: Option<Order>,
}

/// What a column is to be.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    Words,
    /// Words, though so many cells fit; the code of the first that does not.
    Mixed(&'static str, usize, u32),
    Numbers(Style),
    Dates(Order),
    /// The word of that code is odd: what it is not, and what to do.
    Odd(u32, Message),
}

impl Survey {
    pub fn of(words: &Words, codes: &[u32]) -> Survey {
        let mut counts = vec![0usize; words.len()];
        codes.iter().filter(|c| **c != UNKNOWN).for_each(|&c| counts[c as usize] += 1);
        let mut survey = Survey {
            present: 0,
            soft: 0,
            styles: [0; STYLES.len()],
            orders: [0; ORDERS.len()],
            bracketed: 0,
            percent: 0,
            currencies: BTreeSet::new(),
            zeros: 0,
        };
        for (word, count) in words.iter().zip(counts) {
            survey.present += count;
            if is_soft_gap(word) {
                survey.soft += count;
                continue;
            }
            let styles = local::styles_of(word);
            if styles != 0 {
                (0..STYLES.len()).filter(|i| styles >> i & 1 == 1).for_each(|i| survey.styles[i] += count);
                if let Some(bare) = local::bare(word) {
                    survey.bracketed += if bare.bracketed { count } else { 0 };
                    match bare.unit {
                        Some("%") => survey.percent += count,
                        Some(currency) => drop(survey.currencies.insert(currency)),
                        None => {}
                    }
                }
                let zero = word.len() > 1 && word[0] == b'0' && word.iter().all(u8::is_ascii_digit);
                survey.zeros += if zero { count } else { 0 };
                continue;
            }
            let orders = day::orders_of(word);
            (0..ORDERS.len()).filter(|i| orders >> i & 1 == 1).for_each(|i| survey.orders[i] += count);
        }
        survey
    }

    /// Cells that have a value unless the column is one of numbers or dates.
    fn all(&self) -> usize {
        self.present - self.soft
    }

    /// The order that reads all dates, if it is the only one of day and month.
    pub fn shown_order(&self) -> Option<Order> {
        let full = |i: usize| self.orders[i] == self.all() && self.all() > 0;
        match (full(1), full(2)) {
            (true, false) => Some(ORDERS[1]),
            (false, true) => Some(ORDERS[2]),
            _ => None,
        }
    }

    /// What the column is.
    pub fn judge(&self, words: &Words, known: &Known<'_>) -> Verdict {
        let must_be = |kind: &FeatureKind| known.must == Some(kind);
        let free = known.must.is_none();
        if !(free || must_be(&FeatureKind::Number) || must_be(&FeatureKind::Date)) || self.present == 0 {
            return Verdict::Words;
        }
        if (free || must_be(&FeatureKind::Number)) && self.all() > 0 {
            let full: Vec<Style> = self.full_styles(known);
            if !full.is_empty() && (self.bracketed < self.all() || !free) {
                return self.one_style(&full, words, known);
            }
        }
        if (free || must_be(&FeatureKind::Date)) && self.all() > 0 {
            let allowed = |o: &Order| given_order(known).is_none_or(|given| given == *o);
            let full: Vec<Order> = match given_order(known).filter(|o| o.compact) {
                Some(given) if !free => {
                    let reads = |w: &[u8]| given.moment(w).is_some() || is_soft_gap(w);
                    if words.iter().all(reads) { vec![given] } else { vec![] }
                }
                _ => {
                    let full = ORDERS.iter().zip(self.orders).filter(|(_, n)| *n == self.all()).map(|(o, _)| *o);
                    full.filter(allowed).collect()
                }
            };
            if !full.is_empty() {
                return one_order(&full, words, known);
            }
        }
        self.odd(words, known)
    }

    /// Styles that read all cells and that are allowed; with each decimal sign the plainest.
    fn full_styles(&self, known: &Known<'_>) -> Vec<Style> {
        let mut full: Vec<Style> = vec![];
        for (style, fits) in STYLES.into_iter().zip(self.styles) {
            if fits == self.all() && allowed(style, known) && !full.iter().any(|s| s.point == style.point) {
                full.push(style);
            }
        }
        full
    }

    /// Which of the styles that read all cells it is.
    fn one_style(&self, full: &[Style], words: &Words, known: &Known<'_>) -> Verdict {
        let units = match () {
            _ if self.percent > 0 && self.percent < self.all() => {
                let without = |w: &[u8]| local::bare(w).is_some_and(|b| b.unit != Some("%"));
                first(words, without).map(|code| (code, "has no percent sign, as other cells have"))
            }
            _ if self.currencies.len() > 1 => {
                let unit = |w: &[u8]| local::bare(w).and_then(|b| b.unit);
                let usual = words.iter().find_map(unit);
                first(words, |w| unit(w).is_some() && unit(w) != usual).map(|code| (code, "has another currency"))
            }
            _ => None,
        };
        if let Some((code, what)) = units {
            return Verdict::Odd(code, format!("{what}; bring the column to one unit, or read it as words").into());
        }
        let &[one, other] = full else { return Verdict::Numbers(full[0]) };
        let Some(code) = first(words, |w| one.number(w) != other.number(w)) else {
            return Verdict::Numbers(if one.point == known.point { one } else { other });
        };
        // The one with the point has groups of commas, or the one with the comma groups of points.
        let (pointed, comma) = if one.point == b'.' { (one, other) } else { (other, one) };
        let grouped = |w: &[u8]| w.contains(&b',');
        let digits = |w: &[u8]| w.iter().filter(|b| b.is_ascii_digit()).count();
        let plain_long = words.iter().any(|w| !grouped(w) && digits(w) > 3 && !is_soft_gap(w));
        let plain_short = words.iter().any(|w| !grouped(w) && digits(w) > 0 && digits(w) <= 3);
        match () {
            _ if known.point == b',' => Verdict::Numbers(comma),
            _ if comma.group == Group::Point => Verdict::Numbers(pointed),
            _ if known.point_shown => Verdict::Numbers(pointed),
            _ if plain_long => Verdict::Numbers(comma),
            _ if plain_short || known.separator == b',' => Verdict::Numbers(pointed),
            _ => {
                let word = words.word(code as usize);
                let (a, b) = (pointed.number(word).unwrap_or(f64::NAN), comma.number(word).unwrap_or(f64::NAN));
                let why = Message::from(format!("may be {a} or {b}; say which"));
                Verdict::Odd(code, why.with(Advice::option("decimal", ".")).with(Advice::option("decimal", ",")))
            }
        }
    }

    /// What is to be said of a column that is of one kind in part.
    fn odd(&self, words: &Words, known: &Known<'_>) -> Verdict {
        let best =
            |fits: &[usize]| fits.iter().enumerate().rev().max_by_key(|(_, n)| **n).map_or((0, 0), |(i, n)| (i, *n));
        let allowed_fits: Vec<usize> =
            STYLES.iter().zip(self.styles).map(|(s, n)| if allowed(*s, known) { n } else { 0 }).collect();
        let ((style, numbers), (order, dates)) = (best(&allowed_fits), best(&self.orders));
        let number = |w: &[u8]| STYLES[style].number(w).is_some() || is_soft_gap(w);
        let moment = |w: &[u8]| ORDERS[order].moment(w).is_some() || is_soft_gap(w);
        let (what, fits, code) = match known.must {
            Some(FeatureKind::Date) => ("date", dates, first(words, |w| !moment(w))),
            Some(_) => ("number", numbers, first(words, |w| !number(w))),
            None if dates > numbers => ("date", dates, first(words, |w| !moment(w))),
            None => ("number", numbers, first(words, |w| !number(w))),
        };
        let Some(code) = code else { return Verdict::Words };
        if known.must.is_some() {
            return Verdict::Odd(code, format!("is not a {what}").into());
        }
        match fits {
            _ if 10 * fits >= 9 * self.all() && fits > 1 => Verdict::Odd(code, odd_cell(what, fits).into()),
            _ if 2 * fits > self.all() && fits > 1 => Verdict::Mixed(what, fits, code),
            _ => Verdict::Words,
        }
    }
}

/// What an odd cell is not.
pub(crate) fn odd_cell(what: &str, others: usize) -> String {
    format!("is not a {what}, as {others} other cells are")
}

/// The number of the first word for which this holds.
fn first(words: &Words, holds: impl Fn(&[u8]) -> bool) -> Option<u32> {
    words.iter().position(holds).map(|i| i as u32)
}

/// Whether the user, or the model, allows this style.
fn allowed(style: Style, known: &Known<'_>) -> bool {
    if let Some(comma) = known.how.decimal_comma
        && (style.point == b',') != comma
    {
        return false;
    }
    let group = |given: char| match given {
        ',' => Group::Comma,
        '.' => Group::Point,
        '\'' => Group::Quote,
        _ => Group::Blank,
    };
    if known.how.thousands.is_some_and(|given| style.group != Group::Nothing && style.group != group(given)) {
        return false;
    }
    match known.written.and_then(Style::from_text).filter(|_| known.how.decimal_comma.is_none()) {
        Some(before) => style.point == before.point && (style.group == Group::Nothing || style.group == before.group),
        None => true,
    }
}

/// The order of dates that the user, or the model, names.
fn given_order(known: &Known<'_>) -> Option<Order> {
    let given = known.how.date_format.as_deref().and_then(Order::from_text);
    given.or_else(|| known.written.and_then(Order::from_text))
}

/// Which of the orders that read all cells it is.
fn one_order(full: &[Order], words: &Words, known: &Known<'_>) -> Verdict {
    let &[one, other] = full else { return Verdict::Dates(full[0]) };
    let Some(code) = first(words, |w| one.moment(w) != other.moment(w)) else { return Verdict::Dates(one) };
    let dotted = words.iter().any(|w| w.contains(&b'.') && !is_soft_gap(w));
    // Days that are all the first of a month are months, not the first twelve days of a year.
    let first_of_month = |order: &Order| {
        let moments = words.iter().filter_map(|w| order.moment(w));
        words.len() > 2 && moments.map(date::text).all(|t| t.is_some_and(|t| t.get(7..10) == Some("-01")))
    };
    let months: Vec<&Order> = full.iter().filter(|o| first_of_month(o)).collect();
    match known.order.filter(|order| full.contains(order)) {
        Some(order) => Verdict::Dates(order),
        None if months.len() == 1 => Verdict::Dates(*months[0]),
        // Points are written between day, month and year only.
        None if dotted => Verdict::Dates(Order { parts: Parts::DayMonthYear, compact: false }),
        None => {
            let why = Message::from("is ambiguous: day, month, year or month, day, year? Give the date format");
            let orders = ["dmy", "mdy"].map(|order| Advice::option("date-format", order));
            Verdict::Odd(code, orders.into_iter().fold(why, Message::with))
        }
    }
}

/// Numbers of the cells, gaps where there are none.
pub(crate) fn numbers(style: Style, words: &Words, codes: &[u32], values: &mut [f64]) {
    let known: Vec<f64> = words.iter().map(|w| style.number(w).unwrap_or(f64::NAN)).collect();
    fill(&known, codes, values);
}

/// Moments of the cells, gaps where there are none.
pub(crate) fn moments(order: Order, words: &Words, codes: &[u32], values: &mut [f64]) {
    let known: Vec<f64> = words.iter().map(|w| order.moment(w).unwrap_or(f64::NAN)).collect();
    fill(&known, codes, values);
}

fn fill(known: &[f64], codes: &[u32], values: &mut [f64]) {
    for (value, code) in values.iter_mut().zip(codes) {
        *value = known.get(*code as usize).copied().unwrap_or(f64::NAN);
    }
}
