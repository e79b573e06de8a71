//! Damaged files give data or an error: never a panic, never more memory than the limit.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test speaks by panicking, and says what it skips")]

mod mutate;

use base::{Dataset, Error, Memory, Result, Run};
use mutate::mutations;
use pellucid_files::{Reading, parse_model, read_bytes};
use std::path::PathBuf;
use std::sync::Arc;

const COUNT: usize = 10_000;
/// Small, so that a size read from damaged bytes is refused and not allocated.
const LIMIT: u64 = 4 << 20;

fn golden(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Reads many damaged copies; returns how many could still be read.
fn damage<T>(seed: &[u8], read: impl Fn(Vec<u8>, &Run<'_>) -> Result<T>) -> usize {
    let run = Run { memory: Memory::limited(LIMIT), ..Run::quiet(1) };
    assert!(read(seed.to_vec(), &run).is_ok(), "the undamaged file is not read");
    let mut fine = 0;
    for bytes in mutations(&[seed], COUNT, 17) {
        match read(bytes, &run) {
            Ok(_) => fine += 1,
            Err(Error::Cancelled) => panic!("nobody cancelled"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        assert!(run.memory.peak() <= LIMIT);
        assert_eq!(run.memory.used(), 0, "memory is not given back");
    }
    fine
}

fn data(seed: &[u8]) -> usize {
    damage(seed, |bytes, run| -> Result<Dataset> {
        let data = read_bytes("damaged", bytes, &Reading::default(), run)?;
        data.check()?;
        Ok(data)
    })
}

#[test]
fn damaged_arrays() {
    for name in ["npy/version1.npy", "npy/version3.npy", "npy/single.npy", "npy/deflated.npz"] {
        let fine = data(&golden(name));
        assert!(fine > 0 && fine < COUNT, "{name}: {fine} of {COUNT} could be read");
    }
}

#[test]
fn damaged_idx() {
    let images = [&[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4][..], &[7; 24]].concat();
    assert!(data(&images) < COUNT);
    let values = [&[0, 0, 0x0e, 1, 0, 0, 0, 2][..], &[0x3f; 16]].concat();
    assert!(data(&values) < COUNT);
}

#[test]
fn damaged_pictures() {
    for name in ["gray16.png", "palette.png", "rgba.png", "stack.png", "gray.jpg", "rgb.jpg"] {
        assert!(data(&golden(&format!("images/{name}"))) < COUNT, "{name}");
    }
}

#[test]
fn damaged_models() {
    for name in ["models/version1.pel", "models/foreign.pel"] {
        let fine = damage(&golden(name), |bytes, run| parse_model("damaged", Arc::new(bytes), run));
        assert!(fine > 0 && fine < COUNT, "{name}: {fine} of {COUNT} could be read");
    }
}

#[test]
fn damaged_gzip() {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&golden("npy/version1.npy")).unwrap();
    assert!(data(&packed.finish().unwrap()) < COUNT);
}

#[cfg(feature = "parquet")]
#[test]
fn damaged_parquet() {
    assert!(data(&golden("parquet/mixed.parquet")) < COUNT);
}
