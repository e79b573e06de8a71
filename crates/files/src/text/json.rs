//! Records of JSON as a table: one record a line (JSON lines), or one array of records.
//!
//! A record is an object of names and plain values; names that come later are columns that were missing before. Numbers,
//! texts, flags and null are read as a table of text has them, so that `"12.5"` is a number where all are. Values that are
//! lists or objects are refused with their record. In messages the line is the number of the record.

use super::csv;
use crate::{Header, Reading};
use base::{Advice, Dataset, Error, Message, Result, Run};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;

/// Whether a text begins as records of JSON do.
pub(crate) fn starts_like_records(text: &[u8]) -> bool {
    let after = |from: usize| text[from..].iter().position(|b| !b.is_ascii_whitespace()).map(|i| from + i);
    let Some(first) = after(0) else { return false };
    let second = after(first + 1).map(|i| (text[i], i));
    match (text[first], second) {
        (b'{', Some((b'"', _) | (b'}', _))) => true,
        (b'[', Some((b'{', i))) => matches!(after(i + 1).map(|i| text[i]), Some(b'"' | b'}')),
        _ => false,
    }
}

/// A record, its values in the order of the file.
struct Record(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Record;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a record such as {\"a\": 1, \"b\": \"x\"}")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Record, A::Error> {
                let mut entries = vec![];
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Record(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// Hands each record of an array over.
struct Array<'a>(&'a mut dyn FnMut(Record) -> Result<()>, &'a mut Option<Error>);

impl<'de> Visitor<'de> for Array<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of records")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> std::result::Result<(), A::Error> {
        while let Some(record) = all.next_element::<Record>()? {
            if let Err(error) = (self.0)(record) {
                *self.1 = Some(error);
                return Err(serde::de::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// Hands every record over, in order.
fn each(name: &str, text: &[u8], mut take: impl FnMut(Record) -> Result<()>) -> Result<()> {
    let wrong = |e: serde_json::Error| {
        let why = e.to_string();
        let why = why.split(" at line ").next().unwrap_or("").to_string();
        Error::at(name, e.line() as u64, e.column() as u64, format!("is not valid JSON: {why}"))
    };
    if text.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[') {
        let mut failed = None;
        let mut reader = serde_json::Deserializer::from_slice(text);
        let read = reader.deserialize_seq(Array(&mut take, &mut failed)).and_then(|()| reader.end());
        return match (failed, read) {
            (Some(error), _) => Err(error),
            (None, read) => read.map_err(wrong),
        };
    }
    for record in serde_json::Deserializer::from_slice(text).into_iter::<Record>() {
        take(record.map_err(wrong)?)?;
    }
    Ok(())
}

/// Reads a table from records of JSON; `name` is used in messages.
pub fn read(name: &str, bytes: &[u8], how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let text = super::encoding::decode(name, bytes, run)?;
    let mut names: Vec<String> = vec![];
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut records = 0u64;
    let mut size = 0usize;
    each(name, &text, |Record(entries)| {
        records += 1;
        for (key, value) in entries {
            if let Value::Array(_) | Value::Object(_) = value {
                let why = format!("{key:?} is a list or an object; a table needs plain values, one for each name");
                return Err(Error::at(name, records, 0, why));
            }
            size = size.saturating_add(key.len() + 8 + if let Value::String(s) = &value { 2 * s.len() } else { 24 });
            if !places.contains_key(&key) {
                places.insert(key.clone(), names.len());
                names.push(key);
            }
        }
        if names.len() > how.max_columns {
            let why = Message::from(format!("has more than {} columns", how.max_columns));
            return Err(Error::format(name, why.with(Advice::option("max-columns", "N"))));
        }
        Ok(())
    })?;
    if names.is_empty() {
        return Err(Error::format(name, "is not a table: it has no records with values"));
    }
    let commas = usize::try_from(records).unwrap_or(usize::MAX).saturating_mul(names.len());
    let _hold = run.memory.take(size.saturating_add(commas) as u64, "records as a table")?;
    let mut table = Vec::with_capacity(size.saturating_add(commas).min(text.len().saturating_mul(4)));
    let heads: Vec<Value> = names.iter().map(|n| Value::String(n.clone())).collect();
    line(&mut table, heads.iter().map(Some));
    each(name, &text, |Record(entries)| {
        let mut row: Vec<Option<&Value>> = vec![None; names.len()];
        entries.iter().for_each(|(key, value)| row[places[key]] = Some(value));
        line(&mut table, row.into_iter());
        Ok(())
    })?;
    let how = Reading { header: Header::Yes, separator: Some(b','), quotes: Some(true), ..how.clone() };
    csv::read_made(name, &table, 0, &how, run)
}

/// A row of a table.
fn line<'a>(out: &mut Vec<u8>, values: impl Iterator<Item = Option<&'a Value>>) {
    for (i, value) in values.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        match value {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => {
                out.push(b'"');
                // A line must stay a line, so that messages count records.
                out.extend_from_slice(text.replace('"', "\"\"").replace(['\n', '\r'], " ").as_bytes());
                out.push(b'"');
            }
            Some(other) => out.extend_from_slice(other.to_string().as_bytes()),
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::mutate::survive;
    use base::Inputs;

    fn summary(text: &str) -> String {
        match read("t", text.as_bytes(), &Reading::default(), &Run::quiet(1)) {
            Err(error) => error.to_string(),
            Ok(data) => {
                let Inputs::Table(table) = data.inputs else { return "points".into() };
                let cells = |c: &base::Column| {
                    let all: Vec<String> = (0..table.rows()).map(|r| c.cells.text(r).unwrap_or("-".into())).collect();
                    format!("{}:{}={}", c.name, c.cells.type_name(), all.join("|"))
                };
                table.columns().iter().map(cells).collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn d16_records_are_a_table() {
        let expected = "z:number=1.5|2|- a:category=x, \"y\"|x|- when:date=1577836800|-|1577923200";
        let lines = "{\"z\": 1.5, \"a\": \"x, \\\"y\\\"\", \"when\": \"2020-01-01\"}\n{\"z\": 2, \"a\": \"x\", \"when\": null}\n\
                     {\"when\": \"2020-01-02\"}\n";
        assert_eq!(summary(lines), expected);
        let array = format!("[{}]", lines.trim().replace("}\n{", "},\n {"));
        assert_eq!(summary(&array), expected);
        assert_eq!(summary("{\"a\": true}\n{\"a\": false}\n{\"b\": 1}"), "a:category=true|false|- b:number=-|-|1");
        assert!(summary("{\"a\": [1]}").starts_with("t:1: \"a\" is a list or an object"));
        assert!(summary("{\"a\": 1}\n{\"a\": }\n").starts_with("t:2:7: is not valid JSON"));
        assert!(summary("[{\"a\": 1}, 5]").contains("is not valid JSON"));
        assert!(summary("{}").contains("no records with values"));
        let odd: String = (0..40)
            .map(|i| format!("{{\"a\": {}}}\n", if i == 30 { "\"1o\"".into() } else { i.to_string() }))
            .collect();
        assert!(summary(&odd).starts_with("t:31:1: \"1o\" is not a number"), "{}", summary(&odd));
    }

    #[test]
    fn spoiled_records() {
        let lines = b"{\"z\": 1.5, \"a\": \"x\"}\n{\"z\": 2, \"a\": null}\n{\"z\": -3, \"b\": true}\n";
        let array = b"[{\"z\": 1.5, \"a\": \"x\"}, {\"z\": 2, \"a\": null}]";
        survive(20_000, 1 << 20, &[lines, array], |bytes, run| read("t", bytes, &Reading::default(), run));
    }
}
