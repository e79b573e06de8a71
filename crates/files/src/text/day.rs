//! Dates as people write them: `31.12.2023`, `12/31/2023 14:30`, `17-08-1984`, `31 Dec 2023`, `Dec 31, 2023 2:30 PM`.
//!
//! An **order** says which of the three parts is the day, the month and the year. Which one a column has is told by all
//! of its cells together: a 31 in front is no month. Where days never exceed 12 two orders fit, and the caller must ask
//! what else the file shows. ISO 8601 (`date.rs`) is one of the ways to write year, month, day.
//!
//! Years of two digits are 1970 to 2069. Times may have hours, minutes, seconds with a fraction, AM or PM, and a zone;
//! without a zone they are taken as UTC.

use super::date;
use super::number;
use std::fmt;

/// Which part comes first, second and third.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts {
    YearMonthDay,
    DayMonthYear,
    MonthDayYear,
}

/// How dates are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Order {
    pub parts: Parts,
    /// Eight digits without anything between them; never guessed, for they are numbers too.
    pub compact: bool,
}

/// The orders that are tried.
pub(crate) const ORDERS: [Order; 3] = [
    Order { parts: Parts::YearMonthDay, compact: false },
    Order { parts: Parts::DayMonthYear, compact: false },
    Order { parts: Parts::MonthDayYear, compact: false },
];

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.parts, self.compact) {
            (Parts::YearMonthDay, false) => "ymd",
            (Parts::DayMonthYear, false) => "dmy",
            (Parts::MonthDayYear, false) => "mdy",
            (Parts::YearMonthDay, true) => "%Y%m%d",
            (Parts::DayMonthYear, true) => "%d%m%Y",
            (Parts::MonthDayYear, true) => "%m%d%Y",
        })
    }
}

impl Order {
    /// The order in words, for notes.
    pub fn words(self) -> &'static str {
        match self.parts {
            Parts::YearMonthDay => "year, month, day",
            Parts::DayMonthYear => "day, month, year",
            Parts::MonthDayYear => "month, day, year",
        }
    }

    /// The order that a format tells: `dmy`, `%d.%m.%Y %H:%M`, `DD/MM/YYYY`.
    pub fn from_text(text: &str) -> Option<Order> {
        let mut letters = String::new();
        let mut between = false;
        let part = |letter: char, letters: &mut String| {
            if !letters.contains(letter) {
                letters.push(letter);
            }
        };
        if text.contains('%') {
            let mut chars = text.chars();
            while let Some(c) = chars.next() {
                match if c == '%' { chars.next() } else { None } {
                    Some('d' | 'e') => part('d', &mut letters),
                    Some('m' | 'b' | 'B' | 'h') => part('m', &mut letters),
                    Some('Y' | 'y') => part('y', &mut letters),
                    Some('F') => letters.push_str("ymd"),
                    Some('D') => letters.push_str("mdy"),
                    Some(_) => {}
                    None => between |= letters.len() < 3,
                }
                between |= letters.len() == 3 && text.contains("%F") | text.contains("%D");
            }
        } else {
            let day = text.to_ascii_lowercase();
            // What follows a blank or T is the time.
            for c in day.split([' ', 't']).next().unwrap_or("").chars() {
                match c {
                    'd' | 'm' | 'y' => part(c, &mut letters),
                    '.' | '/' | '-' => between = true,
                    _ => return None,
                }
            }
            between |= text.len() == 3;
        }
        let parts = match letters.as_str() {
            "ymd" => Parts::YearMonthDay,
            "dmy" => Parts::DayMonthYear,
            "mdy" => Parts::MonthDayYear,
            _ => return None,
        };
        Some(Order { parts, compact: !between })
    }

    /// The moment that `text` is in this order, in seconds since the start of 1970.
    pub fn moment(self, text: &[u8]) -> Option<f64> {
        if self.parts == Parts::YearMonthDay
            && !self.compact
            && let Some(moment) = date::parse(text)
        {
            return Some(moment);
        }
        let text = std::str::from_utf8(text).ok()?.trim();
        let (day, time) = cut(text);
        let midnight = 86_400.0 * self.day(day)? as f64;
        Some(midnight + if time.is_empty() { 0.0 } else { seconds(time)? })
    }

    /// Days from the start of 1970.
    fn day(self, text: &str) -> Option<i64> {
        let (year, month, day) = if self.compact { self.compact(text)? } else { self.apart(text)? };
        date::days(year, month, day)
    }

    fn compact(self, text: &str) -> Option<(i64, i64, i64)> {
        if text.len() != 8 || !text.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number = |from: usize, to: usize| text[from..to].parse::<i64>().ok();
        match self.parts {
            Parts::YearMonthDay => Some((number(0, 4)?, number(4, 6)?, number(6, 8)?)),
            Parts::DayMonthYear => Some((number(4, 8)?, number(2, 4)?, number(0, 2)?)),
            Parts::MonthDayYear => Some((number(4, 8)?, number(0, 2)?, number(2, 4)?)),
        }
    }

    /// Three parts with something between them.
    fn apart(self, text: &str) -> Option<(i64, i64, i64)> {
        let marks = ['.', '/', '-', ' ', ','];
        let mut parts: Vec<&str> = text.split(marks).filter(|p| !p.is_empty()).collect();
        if parts.len() == 4 && is_weekday(parts[0]) {
            parts.remove(0);
        }
        let &[first, second, third] = &parts[..] else { return None };
        let (year, month, day) = match self.parts {
            Parts::YearMonthDay => (first, second, third),
            Parts::DayMonthYear => (third, second, first),
            Parts::MonthDayYear => (third, first, second),
        };
        if let Some(month) = month_named(month) {
            let year = if year.len() == 2 { short_year(year)? } else { whole(year, 4..=4)? };
            return Some((year, month, whole(day, 1..=2)?));
        }
        // Numbers alone have the same mark between them, once each.
        let mark = text.chars().find(|c| marks.contains(c))?;
        if mark == ' '
            || mark == ','
            || text.chars().filter(|c| marks.contains(c)).count() != 2
            || text.matches(mark).count() != 2
        {
            return None;
        }
        let short = year.len() == 2;
        // 1.12.10 is rather a version than a day.
        let full = short && mark == '.';
        let width = if full { 2..=2 } else { 1..=2 };
        let year = match short {
            true if self.parts != Parts::YearMonthDay => short_year(year)?,
            _ => whole(year, 4..=4)?,
        };
        Some((year, whole(month, width.clone())?, whole(day, width)?))
    }
}

/// A number of so many digits.
fn whole(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<i64> {
    (digits.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn short_year(text: &str) -> Option<i64> {
    whole(text, 2..=2).map(|y| if y < 70 { 2000 + y } else { 1900 + y })
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A month by its English name, whole or its first three letters.
fn month_named(text: &str) -> Option<i64> {
    let text = text.to_ascii_lowercase();
    let fits = |name: &&str| text == **name || text == name[..3] || (text == "sept" && name.starts_with("sept"));
    MONTHS.iter().position(fits).map(|i| i as i64 + 1)
}

fn is_weekday(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        .iter()
        .any(|name| text == *name || text == name[..3])
}

/// The date and, behind a blank, comma or T, the time; empty if there is none.
fn cut(text: &str) -> (&str, &str) {
    let Some(colon) = text.find(':') else { return (text, "") };
    let start = text[..colon].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |i| i + 1);
    match text.is_char_boundary(start) {
        true => (text[..start].trim_end_matches([' ', ',', 'T', 't']), &text[start..]),
        false => (text, ""),
    }
}

/// Seconds of a time of day: `14:30`, `2:30:15.5 PM`, `14:30+01:00`.
fn seconds(text: &str) -> Option<f64> {
    let (hour, rest) = text.split_once(':')?;
    let mut hour = whole(hour, 1..=2)?;
    let (minute, mut rest) = (whole(rest.get(..2)?, 2..=2)?, rest.get(2..)?);
    let mut second = 0.0;
    if let Some(after) = rest.strip_prefix(':') {
        let length = after.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let digits = after[..length].find('.').unwrap_or(length);
        second = number::whole(&after.as_bytes()[..length], b'.').filter(|_| digits == 2)?;
        rest = &after[length..];
    }
    rest = rest.trim_start();
    for (word, shift) in [("am", 0), ("pm", 12), ("a.m.", 0), ("p.m.", 12)] {
        if rest.get(..word.len()).is_some_and(|r| r.eq_ignore_ascii_case(word)) {
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + shift;
            rest = rest[word.len()..].trim_start();
            break;
        }
    }
    let zone = match rest {
        "UTC" | "GMT" => 0,
        rest => date::zone(rest.as_bytes())?,
    };
    (hour < 24 && minute < 60 && second < 61.0).then_some((3600 * hour + 60 * minute - zone) as f64 + second)
}

/// Which orders read this text, a bit for each of [`ORDERS`].
pub(crate) fn orders_of(text: &[u8]) -> u8 {
    // The shortest is 1/1/23; what has no digit or is long is none.
    if !(6..=40).contains(&text.len()) || !text.iter().any(u8::is_ascii_digit) {
        return 0;
    }
    ORDERS.iter().enumerate().filter(|(_, o)| o.moment(text).is_some()).map(|(i, _)| 1 << i).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(order: &str, text: &str) -> Option<f64> {
        Order::from_text(order).unwrap().moment(text.as_bytes())
    }

    #[test]
    fn d5_dates_in_every_order() {
        let newyear = 1_703_980_800.0; // 2023-12-31
        for (order, text, more) in [
            ("dmy", "31.12.2023", 0.0),
            ("dmy", "31/12/23", 0.0),
            ("dmy", "31-12-2023", 0.0),
            ("dmy", "31 Dec 2023", 0.0),
            ("dmy", "31-December-2023", 0.0),
            ("dmy", "Sun, 31 Dec 2023 10:00:00 GMT", 36_000.0),
            ("mdy", "12/31/2023", 0.0),
            ("mdy", "12/31/2023 14:30", 52_200.0),
            ("mdy", "12/31/2023 2:30:15.5 PM", 52_215.5),
            ("mdy", "12/31/2023, 12:30 am", 1800.0),
            ("mdy", "Dec 31, 2023", 0.0),
            ("ymd", "2023/12/31", 0.0),
            ("ymd", "2023-12-31T01:00:00+01:00", 0.0),
            ("ymd", "2023-12-31 01:00:00 UTC", 3600.0),
            ("ymd", "2023.12.31", 0.0),
            ("%Y%m%d", "20231231", 0.0),
            ("%d.%m.%Y %H:%M", "31.12.2023 00:01", 60.0),
            ("MM/DD/YYYY", "12/31/2023", 0.0),
        ] {
            assert_eq!(read(order, text), Some(newyear + more), "{order} {text}");
        }
        for (order, text) in [
            ("dmy", "12/31/2023"),
            ("mdy", "31/12/2023"),
            ("dmy", "30.02.2023"),
            ("dmy", "1.12.10"),
            ("dmy", "31.12-2023"),
            ("dmy", "31.12.2023 25:00"),
            ("dmy", "31.12.2023 13:00 PM"),
            ("dmy", "31.12.2023x"),
            ("dmy", "31 12 2023"),
            ("mdy", "12/31"),
            ("ymd", "20231231"),
            ("%Y%m%d", "2023-12-31"),
            ("dmy", "é1:00"),
        ] {
            assert_eq!(read(order, text), None, "{order} {text}");
        }
        assert_eq!(read("dmy", "17-08-69"), Some(3_143_923_200.0));
    }

    #[test]
    fn formats_tell_orders() {
        for (text, order) in [
            ("dmy", "dmy"),
            ("%d.%m.%Y", "dmy"),
            ("%m/%d/%y %H:%M:%S", "mdy"),
            ("%Y-%m-%d", "ymd"),
            ("%F %T", "ymd"),
            ("DD-MM-YYYY hh:mm", "dmy"),
            ("YYYYMMDD", "%Y%m%d"),
            ("%d%m%Y", "%d%m%Y"),
        ] {
            assert_eq!(Order::from_text(text).map(|o| o.to_string()).as_deref(), Some(order), "{text}");
        }
        for text in ["", "iso", "%H:%M", "dd.mm", "ydm", "%"] {
            assert_eq!(Order::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn d5_days_below_13_fit_two_orders() {
        assert_eq!(orders_of(b"01/02/2023"), 0b110);
        assert_eq!(orders_of(b"13/02/2023"), 0b010);
        assert_eq!(orders_of(b"02/13/2023"), 0b100);
        assert_eq!(orders_of(b"2023-02-13"), 0b001);
        assert_eq!(orders_of(b"123456"), 0);
    }
}
