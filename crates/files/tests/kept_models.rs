//! Model files that were once written stay readable for ever, and are still written byte by byte the same.
//!
//! The files and the script that made them, from the definition and not by this crate, are in `golden/models`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test speaks by panicking, and says what it skips")]

use base::{Buffer, Field, Record, Run};
use pellucid_files::{model_bytes, read_model};
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden/models").join(name)
}

/// The record that `make.py` writes.
fn expected() -> Record {
    let leaf =
        |x: f64, means: [f64; 2]| Record::new("leaf", 3).with_array("means", &[2, 1], means.to_vec()).with("offset", x);
    let leaves = vec![leaf(-0.0, [1.5, f64::NAN]), leaf(f64::NEG_INFINITY, [f64::INFINITY, -0.0])];
    Record::new("chain", 2)
        .with("machine", Record::new("forest", 1).with("parts", leaves))
        .with("ids", vec![0, u32::MAX, 7])
        .with("rows", vec![0, u64::MAX])
        .with_array("single", &[3], vec![1.5f32, -2.25, 3.0])
        .with_array("scalar", &[], vec![0.1])
        .with_array("empty", &[0, 4], Vec::<f64>::new())
        .with("c", 0.1)
        .with("tiny", 2.5e-7)
        .with("odd", f64::NAN)
        .with("top", f64::INFINITY)
        .with("k", -3i64)
        .with("yes", true)
        .with("name", "äö \"x\"\n")
        .with("names", vec!["a".to_string(), String::new()])
        .with("none", Vec::<String>::new())
}

#[test]
fn version_1_is_read_and_written_the_same() {
    let kept = std::fs::read(path("version1.pel")).unwrap();
    let written = model_bytes(&expected()).unwrap();
    assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&kept));
    assert!(written == kept);
    let read = read_model(&path("version1.pel"), &Run::quiet(1)).unwrap();
    // Equal bytes again: NaN differs from itself, its bytes do not.
    assert!(model_bytes(&read).unwrap() == kept);
    assert_eq!(read.part("machine").unwrap().parts("parts").unwrap()[0].number("offset").unwrap().to_bits(), 1 << 63);
}

#[test]
fn files_laid_out_by_others_are_read() {
    let foreign = read_model(&path("foreign.pel"), &Run::quiet(1)).unwrap();
    let ours = read_model(&path("version1.pel"), &Run::quiet(1)).unwrap();
    assert!(model_bytes(&foreign).unwrap() == model_bytes(&ours).unwrap());
    let Field::Array { shape, values: Buffer::F32(v) } = &foreign.fields()["single"] else { panic!() };
    assert_eq!((&shape[..], &v[..]), (&[3][..], &[1.5f32, -2.25, 3.0][..]));
}
