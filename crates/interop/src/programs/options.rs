//! Options as programs of C take them: `-c 10` before the names of files.

use base::{Error, Result};
use std::path::Path;

/// Options with their values, and the words that are left.
pub type Split<'a> = (Vec<(&'a str, &'a str)>, &'a [String]);

/// The options before the file names, with their values, and the file names.
pub fn split<'a>(words: &'a [String], bare: &[&str]) -> Result<Split<'a>> {
    let mut options = vec![];
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|w| w.starts_with('-') && w.len() > 1) {
        let flag = &word[1..];
        if bare.contains(&flag) {
            options.push((flag, ""));
            at += 1;
            continue;
        }
        let Some(value) = words.get(at + 1) else {
            return Err(Error::size(format!("the option {word}"), "a value", "none"));
        };
        options.push((flag, value.as_str()));
        at += 2;
    }
    Ok((options, &words[at..]))
}

/// The number after an option.
pub fn number(flag: &str, text: &str, right: fn(f64) -> bool, must: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() && right(x) => Ok(x),
        _ => Err(Error::parameter(format!("-{flag}"), text, must)),
    }
}

/// The whole number after an option.
pub fn whole(flag: &str, text: &str, least: usize, most: usize) -> Result<usize> {
    match text.parse::<usize>() {
        Ok(x) if (least..=most).contains(&x) => Ok(x),
        _ => Err(Error::parameter(format!("-{flag}"), text, format!("must be a whole number from {least} to {most}"))),
    }
}

/// The 0 or 1 after an option.
pub fn switch(flag: &str, text: &str) -> Result<bool> {
    whole(flag, text, 0, 1).map(|x| x == 1)
}

/// The name of a file without its folders.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| "training".into(), |name| name.to_string_lossy().into_owned())
}
