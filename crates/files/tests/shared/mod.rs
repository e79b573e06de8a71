//! Real files for tests: where they are, and unpacked.

#![allow(clippy::print_stdout, reason = "says which tests are skipped")]

use std::io::Read;
use std::path::Path;

/// The bytes of a file among the shared data, unpacked if its name ends in `.gz`; where the data are absent, none, which
/// is said.
pub fn shared(path: &str) -> Option<Vec<u8>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    let Ok(packed) = std::fs::read(&file) else {
        println!("skipped: {path} is not here");
        return None;
    };
    if !path.ends_with(".gz") {
        return Some(packed);
    }
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect(path);
    Some(bytes)
}
