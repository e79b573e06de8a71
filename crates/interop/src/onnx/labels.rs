//! What the outputs of other people's networks are called, from the files such names are handed around in.
//!
//! A text file has a name a line. JSON has a list of names, or an object from number to name; a name is a text, or a list
//! whose last text it is (`["n01440764", "tench"]`). Names that stand for several outputs (there are two cranes among the
//! thousand classes of ImageNet) get the number of theirs after them, from the second on.

use base::{Error, Result, Run};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// Reads the names of outputs from a file.
pub fn read_labels(path: &Path, run: &Run<'_>) -> Result<Vec<String>> {
    let file = path.display().to_string();
    let bytes = files::open(path, run)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| Error::format(&file, "names must be text in UTF-8"))?;
    labels(text).map_err(|why| Error::format(&file, why))
}

/// The names in a text; what is wrong with it otherwise.
fn labels(text: &str) -> std::result::Result<Vec<String>, String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let names = match text.chars().next() {
        None => return Err("there are no names in it".into()),
        Some('[' | '{') => from_json(serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?)?,
        Some(_) => text.lines().map(|line| line.trim().to_string()).collect(),
    };
    if let Some(place) = names.iter().position(String::is_empty) {
        return Err(format!("name {place} is empty"));
    }
    let mut seen = HashSet::new();
    let tell_apart = |(place, name): (usize, String)| {
        let alone = seen.insert(name.clone());
        if alone { name } else { format!("{name} ({place})") }
    };
    Ok(names.into_iter().enumerate().map(tell_apart).collect())
}

fn from_json(value: Value) -> std::result::Result<Vec<String>, String> {
    match value {
        Value::Array(list) => list.iter().enumerate().map(|(place, v)| name(&place.to_string(), v)).collect(),
        Value::Object(map) => {
            let at = |place: usize| {
                let key = place.to_string();
                let found = map.get(&key).ok_or(format!("{} names, but none for {key}", map.len()))?;
                name(&key, found)
            };
            (0..map.len()).map(at).collect()
        }
        _ => Err("must be a list of names, or names by number".into()),
    }
}

fn name(place: &str, value: &Value) -> std::result::Result<String, String> {
    let text = value.as_array().and_then(|list| list.last()).unwrap_or(value).as_str();
    text.map(|t| t.trim().to_string()).ok_or(format!("name {place} is {value}, which is not text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_handed_around() {
        let expected = ["tench", "crane", "crane (2)"];
        for text in [
            "tench\ncrane\r\ncrane\n",
            "\u{feff}tench\n crane \ncrane",
            r#"["tench", "crane", "crane"]"#,
            r#"{"2": "crane", "0": "tench", "1": "crane"}"#,
            r#" {"0": ["n01", "tench"], "1": ["n02", "crane"], "2": ["n03", "crane"]}"#,
        ] {
            assert_eq!(labels(text).unwrap(), expected, "{text}");
        }
        for (text, why) in [
            ("", "no names"),
            (" \n ", "no names"),
            ("a\n\nb", "name 1 is empty"),
            ("[1, 2]", "name 0 is 1, which is not text"),
            (r#"{"0": "a", "2": "b"}"#, "none for 1"),
            ("[[]]", "not text"),
            ("[", "not JSON"),
        ] {
            assert!(labels(text).unwrap_err().contains(why), "{text}: {}", labels(text).unwrap_err());
        }
    }
}
