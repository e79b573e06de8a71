//! Model files, `.pel`: a record as a safetensors container.
//!
//! The arrays of the record lie in the container under path-like names; the rest is JSON text in its metadata, beside
//! `format` and `version`. There is no code in it and no name that would call anything: what comes out is plain data
//! that the catalog may or may not know. The same record gives the same bytes on every machine. On reading, arrays are
//! windows on the mapped file where they are aligned (all that we write are).
//!
//! **Limits.** Head up to 100 MB, 24 records inside each other, everything counted against the run's memory.
//! **Versions.** Version 1 is read for ever; the kept files under `golden/models` are the test.

mod container;
mod json;
mod tree;
mod weights;

pub use weights::{parse_weights, read_weights, write_weights};

use crate::source::{self, shown};
use crate::whole::write_whole;
use crate::window::Owner;
use base::{Error, Progress, Record, Result, Run};
use container::{Layout, Parts};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The newest version of the file, which is the one that is written.
const VERSION: u32 = 1;
const FORMAT: &str = "pellucid";

/// Writes a record as a model file, whole or not at all.
pub fn write_model(path: &Path, record: &Record, run: &Run<'_>) -> Result<()> {
    let layout = lay_out(record)?;
    let mut said = |done| run.report(&Progress::of("write", done, layout.len())).map_err(io::Error::other);
    write_whole(path, |out| layout.write(out, &mut said))
}

/// The bytes of a record's model file.
pub fn model_bytes(record: &Record) -> Result<Vec<u8>> {
    let layout = lay_out(record)?;
    let mut bytes = Vec::with_capacity(layout.len() as usize);
    layout.write(&mut bytes, &mut |_| Ok(())).map_err(|e| Error::format("a model in memory", e.to_string()))?;
    Ok(bytes)
}

/// Reads a model file; it is mapped, and its arrays stay in it.
pub fn read_model(path: &Path, run: &Run<'_>) -> Result<Record> {
    parse_model(&shown(path), Arc::new(source::open(path, run)?), run)
}

/// The record in the bytes of a model file; `name` is how messages call it.
pub fn parse_model(name: &str, bytes: Owner, run: &Run<'_>) -> Result<Record> {
    let parts = Parts::read(name, bytes, run)?;
    if parts.texts.get("format").map(String::as_str) != Some(FORMAT) {
        return Err(Error::format(name, "holds arrays, but is not a Pellucid model"));
    }
    let version = parts.texts.get("version").and_then(|v| v.parse::<u32>().ok());
    if !version.is_some_and(|v| (1..=VERSION).contains(&v)) {
        let found = parts.texts.get("version").map_or("none", String::as_str);
        let why = format!("has version {found}, this program knows 1 to {VERSION}: use a newer one");
        return Err(Error::format(name, why));
    }
    let Some(text) = parts.texts.get("record") else {
        return Err(Error::format(name, "has no record in its metadata"));
    };
    let mut hold = json::budget(run)?;
    let json = json::parse(text.as_bytes(), &mut hold)?
        .map_err(|e| Error::format(name, format!("its record is not JSON: {e}")))?;
    tree::read(name, json, parts, run)
}

fn lay_out(record: &Record) -> Result<Layout<'_>> {
    let (text, arrays) = tree::write(record)?;
    let texts = [("format", FORMAT.to_string()), ("record", text), ("version", VERSION.to_string())];
    Layout::new(&BTreeMap::from(texts), arrays)
}

#[cfg(test)]
mod tests;
