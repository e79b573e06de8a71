//! Whether the first row names the columns, and what the columns seem to hold.
//!
//! **Header.** The first row names the columns if some column shows it and not more of them speak against it, whatever
//! else is in the row: names may come twice or be empty. A column shows it if its first cell is a word above numbers or
//! dates (a few odd cells among them do not matter), or of another type than all the others; or is a word that never comes
//! again in a column of few levels. A number above numbers speaks against it. Cells that count 0, 1, 2, ... or go on in
//! equal steps (years) over three columns or more, apart from the first or last, are names. So is a row of words that
//! look like names over longer texts, and one of words behind an empty cell above names of rows. So is, too, a row that has half or more of the names the reader was told to expect.

use super::body::{Kind, is_gap};
use super::cell::{Cell, Dialect, is_soft_gap};
use crate::Reading;
use crate::text::{date, day, local, number};
use std::collections::HashSet;

/// Whether the first of these rows names the columns.
pub(crate) fn is_header(rows: &[Vec<Cell<'_>>], dialect: &Dialect, how: &Reading) -> bool {
    let Some((first, rest)) = rows.split_first() else { return false };
    let seen: HashSet<&[u8]> = first.iter().map(|c| c.text).collect();
    let told = |names: &mut dyn Iterator<Item = &String>| {
        let (count, found) =
            names.fold((0, 0), |(n, k), name| (n + 1, k + usize::from(seen.contains(name.as_bytes()))));
        found > 0 && 2 * found >= count
    };
    if told(&mut how.kinds.keys()) || told(&mut how.types.keys()) {
        return true;
    }
    if rest.is_empty() || first.iter().all(|c| is_gap(c, dialect)) {
        return false;
    }
    if counts(first) || goes_on(first, dialect) || names_texts(first, rest, dialect) || has_index(first, rest, dialect)
    {
        return true;
    }
    let votes: Vec<i32> = (0..first.len()).map(|column| vote(column, first[column], rest, dialect)).collect();
    let count = |vote: i32| votes.iter().filter(|v| **v == vote).count();
    let (shown, hinted, against, again) = (count(SHOWN), count(HINTED), count(-HINTED), count(-SHOWN));
    match shown {
        // A word that comes again in its column is a level of it.
        0 => hinted > 0 && hinted >= against && again == 0,
        _ => shown + hinted >= against,
    }
}

/// Whether a row has several cells and all of them are words.
pub(crate) fn is_header_like(row: &[Cell<'_>], dialect: &Dialect) -> bool {
    row.len() > 1 && row.iter().all(|c| !c.text.is_empty() && is_word(c, dialect))
}

/// Whether a cell is neither missing nor a number or date in any style.
pub(crate) fn is_word(cell: &Cell<'_>, dialect: &Dialect) -> bool {
    !is_gap(cell, dialect) && broad_kind(cell, dialect) == Kind::Words
}

/// Whether the cells are 0, 1, 2, ...
fn counts(cells: &[Cell<'_>]) -> bool {
    let number = |cell: &Cell<'_>| number::natural(cell.text).filter(|n| n.1 == cell.text.len()).map(|n| n.0);
    let counting = cells.iter().zip(0..).take_while(|(cell, i)| number(cell) == Some(*i)).count();
    cells.len() > 2 && counting >= cells.len() - 1 && counting > 1
}

/// Whether behind or before a word or a few whole numbers go on in equal steps, as years do.
fn goes_on(cells: &[Cell<'_>], dialect: &Dialect) -> bool {
    let number = |cell: &Cell<'_>| number::natural(cell.text).filter(|n| n.1 == cell.text.len()).map(|n| n.0 as i64);
    let words = cells.iter().filter(|c| is_word(c, dialect)).count();
    let numbers: Option<Vec<i64>> = cells.iter().filter(|c| !is_word(c, dialect)).map(number).collect();
    let Some(numbers) = numbers.filter(|n| words > 0 && words < 7 && n.len() > 2) else { return false };
    let step = numbers[1].wrapping_sub(numbers[0]);
    step != 0 && numbers.windows(2).all(|w| w[1].wrapping_sub(w[0]) == step)
}

/// Whether nothing stands above names of rows, and words that never come again above all else.
fn has_index(first: &[Cell<'_>], rest: &[Vec<Cell<'_>>], dialect: &Dialect) -> bool {
    let [corner, names @ ..] = first else { return false };
    let mut seen = HashSet::new();
    let again = |i: usize, name: &Cell<'_>| rest.iter().any(|row| row.get(i + 1).is_some_and(|c| c.text == name.text));
    corner.text.is_empty()
        && !names.is_empty()
        && names.iter().enumerate().all(|(i, name)| is_word(name, dialect) && !again(i, name))
        && rest.iter().all(|row| row.first().is_some_and(|c| !c.text.is_empty() && seen.insert(c.text)))
}

/// Whether words that look like names stand above texts none of which is one of them.
fn names_texts(first: &[Cell<'_>], rest: &[Vec<Cell<'_>>], dialect: &Dialect) -> bool {
    const USUAL: [&str; 28] = [
        "id",
        "name",
        "text",
        "title",
        "label",
        "class",
        "target",
        "date",
        "category",
        "type",
        "city",
        "country",
        "state",
        "comment",
        "message",
        "description",
        "url",
        "email",
        "address",
        "author",
        "review",
        "sentence",
        "word",
        "key",
        "value",
        "status",
        "gender",
        "color",
    ];
    let distinct: HashSet<&[u8]> = first.iter().map(|c| c.text).collect();
    let like_name = |c: &Cell<'_>| {
        let fits = |b: &u8| b.is_ascii_alphanumeric() || b"_-. ".contains(b);
        c.text.len() <= 30 && c.text.first().is_some_and(u8::is_ascii_alphabetic) && c.text.iter().all(fits)
    };
    let usual = |c: &Cell<'_>| USUAL.iter().any(|w| c.text.eq_ignore_ascii_case(w.as_bytes()));
    let comes = |column: usize| rest.iter().any(|row| row.get(column).is_some_and(|c| c.text == first[column].text));
    distinct.len() == first.len()
        && first.iter().all(|c| like_name(c) && is_word(c, dialect))
        && first.iter().any(usual)
        && !(0..first.len()).any(comes)
}

/// A column shows that its first cell is its name, or hints at it; negative if it says the contrary.
const SHOWN: i32 = 2;
const HINTED: i32 = 1;

/// What a column says of its first cell: [`SHOWN`], [`HINTED`], the negative of one of them, or nothing (0).
fn vote(column: usize, first: Cell<'_>, rest: &[Vec<Cell<'_>>], dialect: &Dialect) -> i32 {
    let cells: Vec<Cell<'_>> =
        rest.iter().filter_map(|row| row.get(column).copied()).filter(|c| !is_gap(c, dialect)).collect();
    if cells.is_empty() || is_gap(&first, dialect) {
        return 0;
    }
    let kinds: Vec<Kind> = cells.iter().map(|c| broad_kind(c, dialect)).collect();
    let count = |kind| kinds.iter().filter(|k| **k == kind).count();
    // A few odd cells are for the reader of the column to judge.
    let mostly = |kind| {
        let soft = cells.iter().filter(|c| is_soft_gap(c.text)).count();
        count(kind) > 0 && 10 * count(kind) >= 6 * (cells.len() - soft.min(cells.len() - 1))
    };
    match broad_kind(&first, dialect) {
        Kind::Words if mostly(Kind::Number) || mostly(Kind::Date) => {
            return if is_soft_gap(first.text) { 0 } else { SHOWN };
        }
        kind @ (Kind::Number | Kind::Date) => {
            let other = cells.len() > 1 && count(Kind::Words) == cells.len();
            return if other { SHOWN } else { -i32::from(mostly(kind)) };
        }
        _ => {}
    }
    let levels: HashSet<&[u8]> = cells.iter().map(|c| c.text).collect();
    match levels.contains(first.text) {
        true => -SHOWN,
        false => i32::from(2 * levels.len() <= cells.len()),
    }
}

/// What a cell is as it is read at first: in the plain way.
fn kind_of(cell: &Cell<'_>, dialect: &Dialect) -> Kind {
    if number::whole(cell.text, dialect.point).is_some() || number::is_not_finite_word(cell.text) {
        Kind::Number
    } else if date::parse(cell.text).is_some() {
        Kind::Date
    } else {
        Kind::Words
    }
}

/// What a cell is, in whatever way it is written.
fn broad_kind(cell: &Cell<'_>, dialect: &Dialect) -> Kind {
    match kind_of(cell, dialect) {
        Kind::Words if local::styles_of(cell.text) != 0 => Kind::Number,
        Kind::Words if day::orders_of(cell.text) != 0 => Kind::Date,
        kind => kind,
    }
}

/// What a column seems to hold, from some of its rows: numbers or dates if all of them are, or if none says otherwise.
/// Words that stand for a gap between numbers say nothing, unless there is nothing else.
pub(crate) fn kind_of_column(column: usize, rows: &[Vec<Cell<'_>>], dialect: &Dialect) -> Kind {
    let mut kind = None;
    let mut soft = false;
    for cell in rows.iter().filter_map(|row| row.get(column)).filter(|c| !is_gap(c, dialect)) {
        let found = kind_of(cell, dialect);
        if found == Kind::Words && is_soft_gap(cell.text) {
            soft = true;
            continue;
        }
        if found == Kind::Words || kind.is_some_and(|k| k != found) {
            return Kind::Words;
        }
        kind = Some(found);
    }
    kind.unwrap_or(if soft { Kind::Words } else { Kind::Number })
}

/// Names made unique: one that came before gets `_2`, `_3`, ... Says which were changed.
pub(crate) fn unique(names: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut seen: HashSet<String> = names.iter().cloned().collect();
    let mut taken = HashSet::new();
    let mut changed = Vec::new();
    let mut next = std::collections::HashMap::new();
    let unique = names.into_iter().map(|name| {
        if taken.insert(name.clone()) {
            return name;
        }
        let number: &mut usize = next.entry(name.clone()).or_insert(2);
        let mut other = format!("{name}_{number}");
        while !seen.insert(other.clone()) {
            *number += 1;
            other = format!("{name}_{number}");
        }
        taken.insert(other.clone());
        changed.push(other.clone());
        other
    });
    (unique.collect(), changed)
}
