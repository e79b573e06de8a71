//! Any bytes read as a model of LIBLINEAR give a model or an error, within a small budget; a model can be written and read.
#![no_main]

use base::{Memory, Run};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let run = Run { memory: Memory::limited(16 << 20), ..Run::quiet(1) };
    if let Ok(model) = files::parse_linear_model("fuzz", bytes, &run) {
        let written = files::linear_model_bytes(&model).expect("what was read can be written");
        assert_eq!(files::parse_linear_model("again", &written, &run), Ok(model));
    }
});
