//! Any bytes read as a model give a record or an error; a record is written and read again the same.
#![no_main]

use base::{Memory, Run};
use std::sync::Arc;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let run = Run { memory: Memory::limited(64 << 20), ..Run::quiet(1) };
    if let Ok(record) = files::parse_model("fuzz", Arc::new(bytes.to_vec()), &run) {
        let written = files::model_bytes(&record).expect("what was read can be written");
        let back = files::parse_model("again", Arc::new(written.clone()), &run).expect("what was written can be read");
        assert!(files::model_bytes(&back).expect("and written again") == written);
    }
});
