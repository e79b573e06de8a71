//! Moments as ISO 8601 writes them: `2016-11-24`, `2016-11-24T13:58`, `2016-11-24 13:58:58.081+01:00`.
//!
//! A moment is the number of seconds since the start of 1970 (UTC); without a zone the time is taken as UTC. Days are
//! counted by the proleptic Gregorian calendar with years that begin in March, so that the leap day comes last.

use super::number;

/// The moment that `bytes` is, if it is one.
pub(crate) fn parse(bytes: &[u8]) -> Option<f64> {
    let mut rest = bytes;
    let year = digits(&mut rest, 4)?;
    expect(&mut rest, b"-")?;
    let month = digits(&mut rest, 2)?;
    expect(&mut rest, b"-")?;
    let day = digits(&mut rest, 2)?;
    let midnight = 86_400 * days(year, month, day)?;
    if rest.is_empty() {
        return Some(midnight as f64);
    }
    expect(&mut rest, b"Tt ")?;
    let hour = digits(&mut rest, 2)?;
    expect(&mut rest, b":")?;
    let minute = digits(&mut rest, 2)?;
    let (mut second, mut fraction) = (0, &rest[..0]);
    if expect(&mut rest, b":").is_some() {
        second = digits(&mut rest, 2)?;
        if expect(&mut rest, b".,").is_some() {
            let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            (fraction, rest) = rest.split_at(length);
            if fraction.is_empty() {
                return None;
            }
        }
    }
    let shift = zone(rest)?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let whole = midnight + 3600 * hour + 60 * minute + second - shift;
    Some(with_fraction(whole, fraction))
}

/// A moment as text that is read back as the same number, for years 0 to 9999.
pub fn text(seconds: f64) -> Option<String> {
    let whole = seconds.floor();
    if !(-62_167_219_200.0..253_402_300_800.0).contains(&whole) {
        return None;
    }
    let (days, second) = ((whole as i64).div_euclid(86_400), (whole as i64).rem_euclid(86_400));
    let (year, month, day) = calendar(days);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if second == 0 && seconds == whole {
        return Some(date);
    }
    let fraction = match seconds == whole {
        true => String::new(),
        // From the shortest text of the moment itself, so that reading gives back the same bits.
        false if seconds > 0.0 => format!("{seconds}").split_once('.').map_or(String::new(), |(_, f)| format!(".{f}")),
        false => format!("{}", seconds - whole).trim_start_matches('0').to_string(),
    };
    Some(format!("{date}T{:02}:{:02}:{:02}{fraction}Z", second / 3600, second / 60 % 60, second % 60))
}

/// whole + 0.fraction, rounded once.
fn with_fraction(whole: i64, fraction: &[u8]) -> f64 {
    if fraction.is_empty() {
        return whole as f64;
    }
    let digits = String::from_utf8_lossy(fraction);
    match whole >= 0 {
        true => number::whole(format!("{whole}.{digits}").as_bytes(), b'.').unwrap_or(f64::NAN),
        false => whole as f64 + number::whole(format!("0.{digits}").as_bytes(), b'.').unwrap_or(f64::NAN),
    }
}

/// Seconds east of UTC.
pub(crate) fn zone(mut rest: &[u8]) -> Option<i64> {
    match rest {
        [] | b"Z" | b"z" => return Some(0),
        _ => {}
    }
    let sign = if expect(&mut rest, b"-").is_some() { -1 } else { expect(&mut rest, b"+").map(|()| 1)? };
    let hours = digits(&mut rest, 2)?;
    let colon = expect(&mut rest, b":");
    let minutes = if colon.is_some() || !rest.is_empty() { digits(&mut rest, 2)? } else { 0 };
    (rest.is_empty() && hours < 24 && minutes < 60).then_some(sign * (3600 * hours + 60 * minutes))
}

/// Days from 1970-01-01 to this day, if there is such a day.
pub(crate) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_day = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    is_day.then(|| days_before(year, month, day))
}

fn digits(rest: &mut &[u8], count: usize) -> Option<i64> {
    let (head, tail) = rest.split_at_checked(count)?;
    if !head.iter().all(u8::is_ascii_digit) {
        return None;
    }
    *rest = tail;
    Some(head.iter().fold(0, |n, b| 10 * n + i64::from(b - b'0')))
}

fn expect(rest: &mut &[u8], any: &[u8]) -> Option<()> {
    let (first, tail) = rest.split_first()?;
    any.contains(first).then(|| *rest = tail)
}

fn days_in(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to this day.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    // March is month 0; 153 days make the five months from March to July, and again from August.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leaps + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// Year, month and day of the day that is `days` after 1970-01-01.
fn calendar(days: i64) -> (i64, i64, i64) {
    let mut year = 1969 + days.div_euclid(366).min(days.div_euclid(365));
    while days_before(year + 1, 1, 1) <= days {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days_before(year, month + 1, 1) <= days {
        month += 1;
    }
    (year, month, days - days_before(year, month, 1) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_counted_in_seconds() {
        for (text, seconds) in [
            ("1970-01-01", 0.0),
            ("2000-02-29", 951_782_400.0),
            ("2016-11-24 13:58:58.081000", 1_479_995_938.081),
            ("2016-11-24T13:58:58Z", 1_479_995_938.0),
            ("2016-11-24T14:58:58+01:00", 1_479_995_938.0),
            ("2016-11-24T08:28-0530", 1_479_995_880.0),
            ("1969-12-31T23:59:59.5", -0.5),
            ("0000-01-01", -62_167_219_200.0),
        ] {
            assert_eq!(parse(text.as_bytes()), Some(seconds), "{text}");
        }
        for text in [
            "",
            "2016",
            "2016-13-01",
            "2015-02-29",
            "1900-02-29",
            "2016-1-1",
            "2016-01-01T",
            "2016-01-01T25:00",
            "2016-01-01T10:00:00.",
            "2016-01-01x",
            "2016-01-01T10:00+1",
            "20160101",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn texts_read_back_the_same() {
        for day in (-700_000..2_900_000).step_by(997) {
            for seconds in [0.0, 1.0, 86_399.0, 3600.25] {
                let moment = 86_400.0 * f64::from(day) + seconds;
                if let Some(text) = text(moment) {
                    assert_eq!(parse(text.as_bytes()), Some(moment), "{text}");
                }
            }
        }
        assert_eq!(parse(text(1_479_995_938.081).unwrap().as_bytes()), Some(1_479_995_938.081));
        assert_eq!(text(f64::NAN), None);
        assert_eq!(text(1e15), None);
    }
}
