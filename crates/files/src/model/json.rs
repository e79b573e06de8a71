//! JSON read under a budget: every value is counted before it is kept, names may not stand twice.
//!
//! A short text can make a large tree (`[[],[],…`: 3 bytes become 32), so it is the tree that is counted. Depth is
//! bounded by the parser (128).

use base::{Hold, Result, Run};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Flag(bool),
    /// A number without fraction or exponent that fits.
    Whole(i64),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Map(BTreeMap<String, Json>),
}

/// Bytes that a value in a list or map takes at most besides its text, with the container's own share.
const VALUE: u64 = 2 * size_of::<Json>() as u64;

/// Reads a text as JSON; `Err` has the reason. The tree is counted in `hold`.
pub(super) fn parse(text: &[u8], hold: &mut Hold) -> Result<std::result::Result<Json, String>> {
    let budget = Budget(RefCell::new((hold, None)));
    let mut source = serde_json::Deserializer::from_slice(text);
    let parsed = (&budget).deserialize(&mut source).and_then(|json| source.end().map(|()| json));
    match budget.0.into_inner().1 {
        Some(error) => Err(error),
        None => Ok(parsed.map_err(|e| e.to_string())),
    }
}

/// A hold that starts empty, for [`parse`].
pub(super) fn budget(run: &Run<'_>) -> Result<Hold> {
    run.memory.take(0, "the head of a model file")
}

/// The text of a string as JSON has it, quotes included.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The memory that values are counted in, and the error once it is used up.
struct Budget<'h>(RefCell<(&'h mut Hold, Option<base::Error>)>);

impl Budget<'_> {
    fn take<E: serde::de::Error>(&self, bytes: u64) -> std::result::Result<(), E> {
        let (hold, failed) = &mut *self.0.borrow_mut();
        let sum = hold.bytes().saturating_add(bytes);
        hold.resize(sum, "the head of a model file").map_err(|error| {
            *failed = Some(error);
            E::custom("out of memory")
        })
    }
}

impl<'de> DeserializeSeed<'de> for &Budget<'_> {
    type Value = Json;
    fn deserialize<D: Deserializer<'de>>(self, source: D) -> std::result::Result<Json, D::Error> {
        self.take(VALUE)?;
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &Budget<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> std::result::Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, x: bool) -> std::result::Result<Json, E> {
        Ok(Json::Flag(x))
    }

    fn visit_i64<E>(self, x: i64) -> std::result::Result<Json, E> {
        Ok(Json::Whole(x))
    }

    fn visit_u64<E>(self, x: u64) -> std::result::Result<Json, E> {
        Ok(i64::try_from(x).map_or(Json::Number(x as f64), Json::Whole))
    }

    fn visit_f64<E>(self, x: f64) -> std::result::Result<Json, E> {
        Ok(Json::Number(x))
    }

    fn visit_str<E: serde::de::Error>(self, x: &str) -> std::result::Result<Json, E> {
        self.take(x.len() as u64)?;
        Ok(Json::Text(x.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> std::result::Result<Json, A::Error> {
        let mut map = BTreeMap::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.take(VALUE + key.len() as u64)?;
            let value = entries.next_value_seed(self)?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the name {key:?} is duplicated")));
            }
            map.insert(key, value);
        }
        Ok(Json::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Memory;

    #[test]
    fn trees_are_counted_and_names_unique() {
        let run = Run { memory: Memory::limited(10_000), ..Run::quiet(1) };
        let read = |text: &str| parse(text.as_bytes(), &mut budget(&run).unwrap());
        let good = read(r#"{"a": [1, -2.5, "x\n", true, null], "b": {}}"#).unwrap().unwrap();
        let list = vec![Json::Whole(1), Json::Number(-2.5), Json::Text("x\n".into()), Json::Flag(true), Json::Null];
        let map = [("a".to_string(), Json::List(list)), ("b".to_string(), Json::Map(BTreeMap::new()))];
        assert_eq!(good, Json::Map(map.into()));
        assert!(read(r#"{"a":1,"a":2}"#).unwrap().unwrap_err().contains("is duplicated"));
        assert!(read("{} x").unwrap().is_err() && read("").unwrap().is_err());
        assert!(read(&"[".repeat(1000)).unwrap().unwrap_err().contains("recursion"));
        assert!(matches!(read(&format!("[{}0]", "0,".repeat(1000))), Err(base::Error::Memory { .. })));
        assert_eq!(quoted("a\"\n\u{1}é"), "\"a\\\"\\n\\u0001é\"");
    }
}
