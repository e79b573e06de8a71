//! The head of an ARFF file: the relation's name, the attributes, and which of them are labels.
//!
//! **Labels.** Multi-label files mark some of their two-valued attributes as labels. In order: [`crate::Reading::labels`];
//! MEKA's `-C n` in the relation's name (n > 0: the first n, n < 0: the last -n), but if the name goes on to tell that
//! Weka's filter cut off the first n to put them at the end (`Remove-R1-n`), the last n; else, if all attributes at one
//! end and no others are named `TAG_...`, those.

use super::token::{blanks, word};
use crate::Reading;
use crate::text::source::{Source, shown, trimmed};
use base::{Advice, Error, Message, Result, Run};
use std::ops::Range;
use std::sync::Arc;

/// What an attribute holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Number,
    Nominal(Arc<[String]>),
    Text,
    Date,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attribute {
    pub name: String,
    pub kind: Kind,
}

/// The head of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Head {
    pub attributes: Vec<Attribute>,
    /// Which attributes are labels.
    pub labels: Range<usize>,
    /// Where the data begin.
    pub body: usize,
}

impl Head {
    /// Reads the head; `None` if the text ends before `@data`.
    pub fn read(source: &Source<'_>, how: &Reading, run: &Run<'_>) -> Result<Option<Head>> {
        let mut relation = String::new();
        let mut attributes = Vec::new();
        let mut hold = run.memory.take(0, "attributes")?;
        let mut at = 0;
        while at < source.bytes.len() {
            let end = source.end_of_line(at);
            let line = trimmed(&source.bytes[at..end]);
            let wrong = |why: String| source.error(at, 1, why);
            if let Some(rest) = after(line, "@relation") {
                relation = text(&word(rest, b"").map_err(|why| wrong(why.into()))?.0);
            } else if let Some(rest) = after(line, "@attribute") {
                if attributes.len() >= how.max_columns {
                    let why = Message::from(format!("more than {} attributes", how.max_columns));
                    return Err(source.error(at, 1, why.with(Advice::option("max-columns", "N"))));
                }
                hold.resize(hold.bytes() + 4 * line.len() as u64 + 64, "attributes")?;
                attributes.push(attribute(rest).map_err(wrong)?);
            } else if after(line, "@data").is_some() {
                let labels = labels(&relation, &attributes, how).map_err(|why| Error::format(source.name, why))?;
                return Ok(Some(Head { attributes, labels, body: (end + 1).min(source.bytes.len()) }));
            } else if !line.is_empty() && line[0] != b'%' {
                return Err(wrong(format!("{} is not a line of an ARFF header", shown(line))));
            }
            at = end + 1;
        }
        Ok(None)
    }
}

/// What follows a keyword, written in any case and followed by a blank or nothing.
pub(crate) fn after<'a>(line: &'a [u8], keyword: &str) -> Option<&'a [u8]> {
    let (head, rest) = line.split_at_checked(keyword.len())?;
    let ends = rest.first().is_none_or(|b| b" \t\r\n".contains(b));
    (head.eq_ignore_ascii_case(keyword.as_bytes()) && ends).then(|| trimmed(rest))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn attribute(line: &[u8]) -> std::result::Result<Attribute, String> {
    let (name, length) = word(line, b" \t{")?;
    let kind = trimmed(&line[length..]);
    let is = |words: &[&str]| words.iter().any(|w| kind.eq_ignore_ascii_case(w.as_bytes()));
    let kind = match kind.first() {
        Some(b'{') => Kind::Nominal(levels(kind)?.into()),
        _ if is(&["numeric", "real", "integer"]) => Kind::Number,
        _ if is(&["string"]) => Kind::Text,
        _ if after(kind, "date").is_some() => Kind::Date,
        _ => return Err(format!("{} is not an attribute type (numeric, string, date, {{a,b}})", shown(kind))),
    };
    match name.is_empty() {
        true => Err("an attribute without a name".into()),
        false => Ok(Attribute { name: text(&name), kind }),
    }
}

/// The levels of `{a, b, c}`.
fn levels(list: &[u8]) -> std::result::Result<Vec<String>, String> {
    let mut levels = Vec::new();
    let mut at = 1;
    loop {
        at += blanks(&list[at..]);
        if levels.is_empty() && list.get(at) == Some(&b'}') {
            return Ok(levels);
        }
        let (level, length) = word(&list[at..], b",}")?;
        levels.push(text(&level));
        at += length;
        at += blanks(&list[at..]);
        match list.get(at) {
            Some(b',') => at += 1,
            Some(b'}') => return Ok(levels),
            _ => return Err(format!("the levels {} are not closed by a brace", shown(list))),
        }
    }
}

/// Which attributes are labels.
fn labels(relation: &str, attributes: &[Attribute], how: &Reading) -> std::result::Result<Range<usize>, String> {
    let count = attributes.len();
    let asked = how.labels.or_else(|| by_relation(relation)).unwrap_or_else(|| by_names(attributes));
    let number = usize::try_from(asked.unsigned_abs()).unwrap_or(usize::MAX);
    if number > count {
        return Err(format!("{number} labels are declared, but there are only {count} attributes"));
    }
    let range = if asked >= 0 { 0..number } else { count - number..count };
    match attributes[range.clone()].iter().find(|a| !is_label(a)) {
        Some(other) => Err(format!("{:?} cannot be a label: it is not of type {{0,1}}", other.name)),
        None => Ok(range),
    }
}

/// Two levels, or a number that says 0 or 1.
fn is_label(attribute: &Attribute) -> bool {
    match &attribute.kind {
        Kind::Nominal(levels) => levels.len() <= 2,
        Kind::Number => true,
        _ => false,
    }
}

/// MEKA's `-C n`.
fn by_relation(relation: &str) -> Option<i64> {
    let mut words = relation.split_whitespace();
    words.by_ref().find(|w| *w == "-C" || w.ends_with(":-C"))?;
    let digits = words.next()?;
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(digits.len());
    let count: i64 = digits[..end].parse().ok()?;
    match count > 0 && relation.contains(&format!(".Remove-R1-{count}_")) {
        true => Some(-count),
        false => Some(count),
    }
}

/// Attributes named as tags at one end; none if they are all, or are not all at that end.
fn by_names(attributes: &[Attribute]) -> i64 {
    let tag = |a: &&Attribute| a.name.starts_with("TAG_");
    let all = attributes.iter().filter(tag).count();
    let first = attributes.iter().take_while(tag).count();
    let last = attributes.iter().rev().take_while(tag).count();
    match all {
        _ if all == attributes.len() => 0,
        _ if all == first => first as i64,
        _ if all == last => -(last as i64),
        _ => 0,
    }
}
