//! A record as JSON text, and back.
//!
//! ```text
//! record   {"kind": text, "version": whole, "fields": {name: field, …}}
//! field    whole | flag | text | [texts] | {"number": x or "nan", "inf", "-inf"}
//!          | {"array": name of the array in the file} | {"part": record} | {"parts": [records]}
//! ```
//! Names are sorted and numbers have the fewest digits that read back the same, so equal records give equal texts.
//! Arrays are named by the way to them, `machine/parts/0/means`.

use super::container::Parts;
use super::json::{Json, quoted};
use base::{Error, Field, Record, Result, Run};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Records inside records, at most; four levels of JSON each must stay below the parser's 128.
const DEPTH_MOST: usize = 24;

/// The record's text and its arrays by name.
pub(super) fn write(record: &Record) -> Result<(String, BTreeMap<String, &Field>)> {
    let mut writer = Writer { text: String::new(), arrays: BTreeMap::new() };
    writer.record(record, "", 0)?;
    Ok((writer.text, writer.arrays))
}

struct Writer<'a> {
    text: String,
    arrays: BTreeMap<String, &'a Field>,
}

impl<'a> Writer<'a> {
    fn record(&mut self, record: &'a Record, path: &str, depth: usize) -> Result<()> {
        if depth > DEPTH_MOST {
            return Err(record.broken(format!("lies deeper than {DEPTH_MOST} records inside each other")));
        }
        self.text.push_str(r#"{"fields":{"#);
        for (i, (name, field)) in record.fields().iter().enumerate() {
            if i > 0 {
                self.text.push(',');
            }
            self.text.push_str(&quoted(name));
            self.text.push(':');
            self.field(field, format!("{path}{}", step(name)), depth)?;
        }
        self.put(format_args!(r#"}},"kind":{},"version":{}}}"#, quoted(record.kind()), record.version()));
        Ok(())
    }

    fn field(&mut self, field: &'a Field, path: String, depth: usize) -> Result<()> {
        match field {
            Field::Whole(x) => self.put(format_args!("{x}")),
            Field::Flag(x) => self.put(format_args!("{x}")),
            Field::Text(x) => self.text.push_str(&quoted(x)),
            Field::Texts(list) => {
                let list: Vec<String> = list.iter().map(|x| quoted(x)).collect();
                self.put(format_args!("[{}]", list.join(",")));
            }
            Field::Number(x) => self.put(format_args!(r#"{{"number":{}}}"#, number(*x))),
            Field::Array { .. } | Field::Wholes(_) | Field::Signed(_) | Field::Ids(_) => {
                self.put(format_args!(r#"{{"array":{}}}"#, quoted(&path)));
                self.arrays.insert(path, field);
            }
            Field::Part(part) => {
                self.text.push_str(r#"{"part":"#);
                self.record(part, &format!("{path}/"), depth + 1)?;
                self.text.push('}');
            }
            Field::Parts(parts) => {
                self.text.push_str(r#"{"parts":["#);
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        self.text.push(',');
                    }
                    self.record(part, &format!("{path}/{i}/"), depth + 1)?;
                }
                self.text.push_str("]}");
            }
        }
        Ok(())
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(text);
    }
}

/// A name as a step of a path: without a slash of its own, so that different ways have different names. A step may
/// not look like the container's own word either.
fn step(name: &str) -> String {
    let name = name.replace('%', "%25").replace('/', "%2F");
    if name == "__metadata__" { "%__metadata__".into() } else { name }
}

fn number(x: f64) -> String {
    match x {
        _ if x.is_nan() => r#""nan""#.into(),
        f64::INFINITY => r#""inf""#.into(),
        f64::NEG_INFINITY => r#""-inf""#.into(),
        _ => serde_json::Value::from(x).to_string(),
    }
}

/// The record that a text and the arrays of a file make; every array must be used, and once.
pub(super) fn read(name: &str, json: Json, mut parts: Parts, run: &Run<'_>) -> Result<Record> {
    let mut reader = Reader { name, arrays: std::mem::take(&mut parts.arrays), parts, run };
    let record = reader.record(json, 0)?;
    match reader.arrays.first_key_value() {
        None => Ok(record),
        Some((array, _)) => Err(reader.broken(format!("the array {array:?} belongs to no field"))),
    }
}

struct Reader<'a> {
    name: &'a str,
    arrays: BTreeMap<String, super::container::Array>,
    parts: Parts,
    run: &'a Run<'a>,
}

impl Reader<'_> {
    fn record(&mut self, json: Json, depth: usize) -> Result<Record> {
        if depth > DEPTH_MOST {
            return Err(self.broken(format!("more than {DEPTH_MOST} records lie inside each other")));
        }
        let Json::Map(mut map) = json else { return Err(self.broken("a record is not a JSON object")) };
        let (kind, version, fields) = (map.remove("kind"), map.remove("version"), map.remove("fields"));
        let (Some(Json::Text(kind)), Some(Json::Whole(version)), Some(Json::Map(fields)), true) =
            (kind, version, fields, map.is_empty())
        else {
            return Err(self.broken("a record has keys other than kind, version and fields"));
        };
        let version = u32::try_from(version).map_err(|_| self.broken(format!("{version} is not a version")))?;
        let mut record = Record::new(kind, version);
        for (name, json) in fields {
            let field = self.field(&name, json, depth)?;
            record = record.with(&name, field);
        }
        Ok(record)
    }

    fn field(&mut self, name: &str, json: Json, depth: usize) -> Result<Field> {
        let wrong = || Error::format(self.name, format!("field {name:?} is of no known type"));
        Ok(match json {
            Json::Whole(x) => Field::Whole(x),
            Json::Flag(x) => Field::Flag(x),
            Json::Text(x) => Field::Text(x),
            Json::List(list) => {
                let text = |json| if let Json::Text(text) = json { Ok(text) } else { Err(wrong()) };
                Field::Texts(list.into_iter().map(text).collect::<Result<_>>()?)
            }
            Json::Map(mut map) if map.len() == 1 => match map.pop_first() {
                Some((word, json)) => match (word.as_str(), json) {
                    ("number", Json::Number(x)) => Field::Number(x),
                    ("number", Json::Whole(x)) => Field::Number(x as f64),
                    ("number", Json::Text(word)) => Field::Number(match word.as_str() {
                        "nan" => f64::NAN,
                        "inf" => f64::INFINITY,
                        "-inf" => f64::NEG_INFINITY,
                        _ => return Err(wrong()),
                    }),
                    ("array", Json::Text(array)) => match self.arrays.remove(&array) {
                        Some(array) => self.parts.field(array, self.run)?,
                        None => {
                            return Err(self.broken(format!("the array {array:?} does not exist, or is used twice")));
                        }
                    },
                    ("part", json) => Field::Part(Box::new(self.record(json, depth + 1)?)),
                    ("parts", Json::List(list)) => {
                        let parts = list.into_iter().map(|json| self.record(json, depth + 1));
                        Field::Parts(parts.collect::<Result<_>>()?)
                    }
                    _ => return Err(wrong()),
                },
                None => return Err(wrong()),
            },
            _ => return Err(wrong()),
        })
    }

    fn broken(&self, why: impl Into<base::Message>) -> Error {
        Error::format(self.name, why)
    }
}
