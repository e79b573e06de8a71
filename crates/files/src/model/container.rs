//! The safetensors layout: named arrays of numbers behind a head in JSON.
//!
//! ```text
//! u64 length of the head | head: {"__metadata__": {text: text}, name: {"dtype", "shape", "data_offsets"}} | numbers
//! ```
//! Lengths are little-endian, offsets count from the end of the head, and the arrays fill the rest of the file without
//! overlap or hole. We write wider numbers first and pad the head with spaces to a multiple of 8, so that every array
//! of a mapped file is aligned; on reading neither is assumed. Everything is checked before anything is allocated.

use super::json::{self, Json};
use crate::array::checked_counts;
use crate::window::{Owner, Stored, numbers, write_le};
use base::{Error, Field, Hold, Result, Run, Shared};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;

/// The longest head that is read or written, as other readers of the layout have it.
const HEAD_MOST: u64 = 100_000_000;

/// The types of number a model stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    F32,
    F64,
    U32,
    U64,
    I64,
}

impl Type {
    const ALL: [Type; 5] = [Type::F32, Type::F64, Type::U32, Type::U64, Type::I64];

    fn word(self) -> &'static str {
        match self {
            Type::F32 => "F32",
            Type::F64 => "F64",
            Type::U32 => "U32",
            Type::U64 => "U64",
            Type::I64 => "I64",
        }
    }

    fn size(self) -> usize {
        match self {
            Type::F32 | Type::U32 => 4,
            Type::F64 | Type::U64 | Type::I64 => 8,
        }
    }
}

/// An array as a field of a record has it.
fn array_of(field: &Field) -> Option<(Type, Vec<usize>)> {
    match field {
        Field::Array { shape, values: base::Buffer::F32(_) } => Some((Type::F32, shape.clone())),
        Field::Array { shape, values: base::Buffer::F64(_) } => Some((Type::F64, shape.clone())),
        Field::Wholes(v) => Some((Type::U64, vec![v.len()])),
        Field::Signed(v) => Some((Type::I64, vec![v.len()])),
        Field::Ids(v) => Some((Type::U32, vec![v.len()])),
        _ => None,
    }
}

/// Texts and arrays laid out, ready to be written.
pub(super) struct Layout<'a> {
    head: String,
    /// In the order in which they lie in the file.
    arrays: Vec<&'a Field>,
    numbers: u64,
}

impl<'a> Layout<'a> {
    /// Lays out texts and arrays by name; the same content gives the same bytes.
    pub(super) fn new(texts: &BTreeMap<&str, String>, arrays: BTreeMap<String, &'a Field>) -> Result<Self> {
        let mut list = Vec::with_capacity(arrays.len());
        for (name, field) in &arrays {
            let (kind, shape) =
                array_of(field).ok_or_else(|| Error::format("a model", format!("field {name:?} is not an array")))?;
            let found = match field {
                Field::Array { values, .. } => values.len(),
                Field::Wholes(v) => v.len(),
                Field::Signed(v) => v.len(),
                Field::Ids(v) => v.len(),
                _ => 0,
            };
            match checked_counts(&shape, kind.size()) {
                Some((n, bytes)) if n == found => list.push((name, kind, shape, bytes, *field)),
                _ => return Err(Error::size(format!("numbers of {name:?}"), format!("{shape:?}"), found)),
            }
        }
        // Stable: names stay in order within a width.
        list.sort_by_key(|&(_, kind, ..)| std::cmp::Reverse(kind.size()));
        let (mut end, mut described) = (0u64, BTreeMap::new());
        for (name, kind, shape, bytes, _) in &list {
            let start = end;
            end = start.checked_add(*bytes as u64).ok_or_else(|| Error::size("bytes of a model", "64 bits", "more"))?;
            let (word, shape) = (kind.word(), join(shape));
            let line = format!(r#"{{"dtype":"{word}","shape":[{shape}],"data_offsets":[{start},{end}]}}"#);
            described.insert(name.as_str(), line);
        }
        let mut head = String::from(r#"{"__metadata__":{"#);
        for (i, (key, text)) in texts.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(head, "{comma}{}:{}", json::quoted(key), json::quoted(text));
        }
        head.push('}');
        for (name, line) in described {
            let _ = write!(head, ",{}:{line}", json::quoted(name));
        }
        head.push('}');
        while !head.len().is_multiple_of(8) {
            head.push(' ');
        }
        if head.len() as u64 > HEAD_MOST {
            let instead = "store fewer texts (levels, names, words) in the machine";
            return Err(Error::unsupported(
                format!("a model whose texts take {} bytes", head.len()),
                "a .pel file",
                instead,
            ));
        }
        Ok(Layout { head, arrays: list.into_iter().map(|(.., field)| field).collect(), numbers: end })
    }

    /// How many bytes [`Layout::write`] writes.
    pub(super) fn len(&self) -> u64 {
        8 + self.head.len() as u64 + self.numbers
    }

    /// Writes all; `said` hears how many bytes are done.
    pub(super) fn write(&self, out: &mut dyn Write, said: &mut dyn FnMut(u64) -> io::Result<()>) -> io::Result<()> {
        let mut done = 8 + self.head.len() as u64;
        out.write_all(&(self.head.len() as u64).to_le_bytes())?;
        out.write_all(self.head.as_bytes())?;
        let mut said = |bytes: usize| {
            done += bytes as u64;
            said(done)
        };
        for field in &self.arrays {
            match field {
                Field::Array { values: base::Buffer::F32(v), .. } => write_le(v, out, &mut said)?,
                Field::Array { values: base::Buffer::F64(v), .. } => write_le(v, out, &mut said)?,
                Field::Wholes(v) => write_le(v, out, &mut said)?,
                Field::Signed(v) => write_le(v, out, &mut said)?,
                Field::Ids(v) => write_le(v, out, &mut said)?,
                _ => {}
            }
        }
        Ok(())
    }
}

fn join(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// A file taken apart: its texts, and where its arrays lie.
pub(super) struct Parts {
    pub(super) texts: BTreeMap<String, String>,
    pub(super) arrays: BTreeMap<String, Array>,
    owner: Owner,
    /// Counts the head while it is in use.
    _head: Hold,
}

/// An array of the file, checked against its bytes.
#[derive(Debug)]
pub(super) struct Array {
    kind: Type,
    shape: Vec<usize>,
    range: Range<usize>,
}

impl Parts {
    /// Takes a file apart.
    pub(super) fn read(name: &str, owner: Owner, run: &Run<'_>) -> Result<Self> {
        let broken = |why: String| Error::format(name, why);
        let bytes = (*owner).as_ref();
        let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
            return Err(broken(format!("is not a model: {} bytes are too few", bytes.len())));
        };
        let length = u64::from_le_bytes(*length);
        if length > HEAD_MOST {
            return Err(broken(format!(
                "is not a model: its header would take {length} bytes, at most {HEAD_MOST} are read"
            )));
        }
        let Some(head) = rest.get(..length as usize) else {
            return Err(broken(format!("is truncated: its header takes {length} bytes, {} are there", rest.len())));
        };
        let mut hold = json::budget(run)?;
        let head = json::parse(head, &mut hold)?.map_err(|e| broken(format!("its header is not JSON: {e}")))?;
        let Json::Map(mut head) = head else { return Err(broken("its header is not a JSON object".into())) };
        let mut texts = BTreeMap::new();
        match head.remove("__metadata__") {
            Some(Json::Map(map)) => {
                for (key, value) in map {
                    let Json::Text(text) = value else { return Err(broken(format!("metadata {key:?} is not text"))) };
                    texts.insert(key, text);
                }
            }
            Some(_) => return Err(broken("its metadata are not a JSON object".into())),
            None => {}
        }
        let start = 8 + length as usize;
        let mut arrays = BTreeMap::new();
        for (key, value) in head {
            let array = array(value, start, bytes.len()).map_err(|e| broken(format!("array {key:?}: {e}")))?;
            arrays.insert(key, array);
        }
        check_cover(&arrays, start, bytes.len()).map_err(broken)?;
        Ok(Parts { texts, arrays, owner, _head: hold })
    }

    /// An array as a record has it: a window on the file where it lies right, else a counted copy.
    pub(super) fn field(&self, array: Array, run: &Run<'_>) -> Result<Field> {
        fn seen<T: Stored>(parts: &Parts, range: Range<usize>, run: &Run<'_>) -> Result<Shared<T>> {
            numbers(&parts.owner, range, &run.memory)
        }
        let Array { kind, shape, range } = array;
        Ok(match kind {
            Type::F32 => Field::Array { shape, values: base::Buffer::F32(seen(self, range, run)?) },
            Type::F64 => Field::Array { shape, values: base::Buffer::F64(seen(self, range, run)?) },
            Type::U32 => Field::Ids(seen(self, range, run)?),
            Type::U64 => Field::Wholes(seen(self, range, run)?),
            Type::I64 => Field::Signed(seen(self, range, run)?),
        })
    }
}

/// The description of an array, checked; `start` and `end` bound the numbers in the file.
fn array(json: Json, start: usize, end: usize) -> std::result::Result<Array, String> {
    let Json::Map(mut map) = json else { return Err("is not described by an object".into()) };
    let kind = match map.remove("dtype") {
        Some(Json::Text(word)) => Type::ALL.into_iter().find(|t| t.word() == word).ok_or_else(|| {
            let known = Type::ALL.map(Type::word).join(", ");
            format!("has numbers of type {word:?}, a model has {known}")
        })?,
        _ => return Err("has no dtype".into()),
    };
    let sizes = |json: Option<Json>, what: &str| match json {
        Some(Json::List(list)) => list
            .into_iter()
            .map(|n| match n {
                Json::Whole(n) => usize::try_from(n).map_err(|_| format!("{n} in its {what} is negative or too large")),
                _ => Err(format!("its {what} contains something other than whole numbers")),
            })
            .collect::<std::result::Result<Vec<_>, _>>(),
        _ => Err(format!("has no {what}")),
    };
    let shape = sizes(map.remove("shape"), "shape")?;
    let offsets = sizes(map.remove("data_offsets"), "data_offsets")?;
    if let Some((key, _)) = map.first_key_value() {
        return Err(format!("is described by an unknown key {key:?}"));
    }
    let &[from, to] = &offsets[..] else { return Err("does not have two data_offsets".into()) };
    if from > to || to > end - start {
        return Err(format!("lies at {from} to {to} of {} bytes", end - start));
    }
    match checked_counts(&shape, kind.size()) {
        Some((_, bytes)) if bytes == to - from => Ok(Array { kind, shape, range: start + from..start + to }),
        _ => Err(format!("has shape {shape:?} of {} but {} bytes", kind.word(), to - from)),
    }
}

/// Makes sure that the arrays fill the file without overlap or hole.
fn check_cover(arrays: &BTreeMap<String, Array>, start: usize, end: usize) -> std::result::Result<(), String> {
    let mut ranges: Vec<(usize, usize)> = arrays.values().map(|a| (a.range.start, a.range.end)).collect();
    ranges.sort_unstable();
    let mut at = start;
    for (from, to) in ranges {
        if from != at {
            let what = if from < at { "overlap" } else { "leave a hole" };
            return Err(format!("its arrays {what} at byte {}", from.min(at)));
        }
        at = to;
    }
    match at == end {
        true => Ok(()),
        false => Err(format!("its arrays end at byte {at}, the file at {end}")),
    }
}
