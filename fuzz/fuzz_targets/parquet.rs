//! Any bytes read as parquet give data or an error, within a small budget of memory.
#![no_main]

use base::{Memory, Run};
use files::{Format, Reading};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let run = Run { memory: Memory::limited(64 << 20), ..Run::quiet(1) };
    let how = Reading { format: Some(Format::Parquet), ..Reading::default() };
    if let Ok(data) = files::read_bytes("fuzz", bytes.to_vec(), &how, &run) {
        data.check().expect("what is read fits together");
    }
});
