//! Any bytes read as a model of LIBSVM give a model or an error, within a small budget; a model can be written and read.
#![no_main]

use base::{Memory, Run};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let run = Run { memory: Memory::limited(16 << 20), ..Run::quiet(1) };
    if let Ok(model) = files::parse_svm_model("fuzz", bytes, &run) {
        let written = files::svm_model_bytes(&model).expect("what was read can be written");
        assert!(files::parse_svm_model("again", &written, &run).is_ok());
    }
});
