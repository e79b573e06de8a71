//! Any bytes at the door, gzipped or not, in whatever format they look like.
#![no_main]

use base::{Memory, Run};
use files::Reading;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let run = Run { memory: Memory::limited(64 << 20), ..Run::quiet(1) };
    let _ = files::read_bytes("fuzz", bytes.to_vec(), &Reading::default(), &run);
});
