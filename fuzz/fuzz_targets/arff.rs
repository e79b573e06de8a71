#![no_main]
//! Any bytes as arff, whole and as a stream: a result or an error whose parts fit together, within the budget.

use base::{Memory, Run};
use files::{Format, Reading, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let run = Run { memory: Memory::limited(64 << 20), ..Run::quiet(1) };
    let how = Reading::default();
    if let Ok(data) = text::arff::read("fuzz", bytes, &how, &run) {
        assert!(data.check().is_ok());
    }
    if let Ok(parts) = text::stream("fuzz", bytes, Format::Arff, &how, &run) {
        parts.flatten().for_each(|part| assert!(part.check().is_ok()));
    }
});
