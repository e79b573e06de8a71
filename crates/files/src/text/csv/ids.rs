//! Which columns name the rows and say nothing about them: row numbers, keys, serial numbers.
//!
//! Numbers name rows if all are there, whole and different, and the column is called so (`id`, `index`, `nr`, `key`,
//! `customer_id`, `PassengerId`); or if it has no name and they ascend all but a few times; or if it is the first column
//! and counts 0, 1, 2, ... or 1, 2, 3, ... to the end over 20 rows or more, unless it is called after a time or a place on
//! an axis. Words name rows if all are there and different, and the column is called so, or they are single words and
//! not long. Measurements, years and prices that happen to be different are none.

use crate::text::words::Words;

/// Rows it takes to believe a column that is not named so.
const ENOUGH: usize = 20;

/// Whether a column of this name is likely to name rows.
pub(crate) fn is_id_name(name: &str) -> bool {
    const WHOLE: [&str; 31] = [
        "id",
        "ids",
        "key",
        "uuid",
        "guid",
        "index",
        "idx",
        "row",
        "rows",
        "rowid",
        "rownum",
        "rownames",
        "rowname",
        "row names",
        "row number",
        "row_number",
        "no",
        "no.",
        "nr",
        "nr.",
        "#",
        "unnamed: 0",
        "obs",
        "obs.",
        "sno",
        "s.no",
        "s.no.",
        "serial",
        "seqn",
        "sl no",
        "record",
    ];
    const ENDS: [&str; 18] = [
        "_id", " id", "-id", ".id", "_key", " key", "_uuid", "_guid", "_no", " no", " no.", ".no", "_nr", " nr",
        "_index", "_idx", "_ids", "_row",
    ];
    let name = name.trim();
    let lower = name.to_ascii_lowercase();
    // customerId, CustomerNo, but not Paid or Casino.
    let camel = ["Id", "ID", "No", "Nr", "Key"].iter().any(|end| {
        name.strip_suffix(end).and_then(|rest| rest.bytes().next_back()).is_some_and(|b| b.is_ascii_lowercase())
    });
    WHOLE.contains(&lower.as_str()) || camel || ENDS.iter().any(|end| lower.len() > end.len() && lower.ends_with(end))
}

/// Whether a column of this name is likely to name rows by words.
pub(crate) fn is_word_id_name(name: &str) -> bool {
    let lower = name.trim().to_ascii_lowercase();
    is_id_name(name) || lower == "name" || lower.ends_with("_name")
}

/// Whether a column of this name may well count from 0 or 1 and mean it.
fn is_axis(name: &str) -> bool {
    const WORDS: [&str; 26] = [
        "t", "x", "n", "time", "day", "days", "week", "weeks", "month", "months", "year", "years", "hour", "hours",
        "minute", "second", "age", "step", "epoch", "period", "quarter", "rank", "dose", "distance", "position", "lag",
    ];
    WORDS.contains(&name.trim().to_ascii_lowercase().as_str())
}

/// Whether these numbers name the rows. `unnamed` says that the header has no name for the column.
pub(crate) fn numbers_name_rows(name: &str, unnamed: bool, first: bool, columns: usize, values: &[f64]) -> bool {
    let named = is_id_name(name) && !unnamed;
    if values.len() < 3 || columns < 2 || !(named || unnamed || first) {
        return false;
    }
    if !values.iter().all(|x| x.fract() == 0.0) {
        return false;
    }
    let ascends = values.windows(2).filter(|w| w[1] > w[0]).count();
    let nearly = 20 * (values.len() - 1 - ascends) < values.len();
    if (named || (unnamed && nearly)) && all_different(values, ascends) {
        return true;
    }
    let counts = matches!(values[0], 0.0 | 1.0) && values.windows(2).all(|w| w[1] == w[0] + 1.0);
    first && counts && values.len() >= ENOUGH && columns > 2 && !is_axis(name)
}

fn all_different(values: &[f64], ascends: usize) -> bool {
    if ascends + 1 == values.len() {
        return true;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.windows(2).all(|w| w[0] != w[1])
}

/// Whether these words, one for each of `rows` rows if all are different, name the rows.
pub(crate) fn words_name_rows(name: &str, rows: usize, words: &Words) -> bool {
    if words.len() != rows || rows < 2 {
        return false;
    }
    if is_word_id_name(name) {
        return true;
    }
    let (mut bytes, mut blanks, mut foreign) = (0, 0, 0);
    for word in words.iter() {
        bytes += word.len();
        blanks += usize::from(memchr::memchr2(b' ', b'\n', word).is_some());
        foreign += word.iter().filter(|b| !b.is_ascii()).count();
    }
    // Sentences of languages without blanks are long and not in ASCII.
    rows >= ENOUGH && 20 * blanks <= rows && bytes <= 40 * rows && 2 * foreign <= bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d6_names_of_ids() {
        for name in ["Id", "ID", "customer_id", "PassengerId", "CustomerNo", "index", "Unnamed: 0", "no", "nr.", "uuid"]
        {
            assert!(is_id_name(name), "{name}");
        }
        for name in ["humid", "Paid", "PAID", "casino", "Casino", "year", "price", "width", "valid", "x", "number"] {
            assert!(!is_id_name(name), "{name}");
        }
    }

    #[test]
    fn d6_numbers_that_name_rows() {
        let count = |from: i32, n: i32| (from..from + n).map(f64::from).collect::<Vec<_>>();
        assert!(numbers_name_rows("0", true, true, 3, &count(1, 150)));
        assert!(numbers_name_rows("Id", false, false, 3, &[30.0, 10.0, 20.0]));
        assert!(numbers_name_rows("case", false, true, 3, &count(0, 20)));
        assert!(!numbers_name_rows("case", false, true, 3, &count(2, 20)));
        assert!(!numbers_name_rows("case", false, true, 3, &count(0, 19)));
        assert!(!numbers_name_rows("case", false, false, 3, &count(0, 20)));
        assert!(!numbers_name_rows("year", false, true, 3, &count(1, 20)));
        assert!(!numbers_name_rows("Id", false, true, 3, &[1.0, 2.0, 2.0]));
        assert!(!numbers_name_rows("Id", false, true, 3, &[1.0, 2.5, 3.0]));
        assert!(!numbers_name_rows("Id", false, true, 3, &[1.0, f64::NAN, 3.0]));
        assert!(!numbers_name_rows("", true, true, 3, &[5.0, 1.0, 9.0, 2.0]));
        assert!(!numbers_name_rows("price", false, true, 3, &[199.0, 205.0, 300.0]));
    }
}
