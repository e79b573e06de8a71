//! Real files for tests: where they are, and unpacked.

use std::io::Read;

/// The bytes of a file among the shared data, unpacked if its name ends in `.gz`; none where the data are absent.
pub fn shared(path: &str) -> Option<Vec<u8>> {
    let packed = std::fs::read(testkit::shared(path)?).expect(path);
    if !path.ends_with(".gz") {
        return Some(packed);
    }
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect(path);
    Some(bytes)
}
