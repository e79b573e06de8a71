#![no_main]
//! Any bytes as records of JSON: a table or an error, within the budget.

use base::{Memory, Run};
use files::{Reading, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let run = Run { memory: Memory::limited(64 << 20), ..Run::quiet(1) };
    if let Ok(data) = text::json::read("fuzz", bytes, &Reading::default(), &run) {
        assert!(data.check().is_ok());
    }
});
