//! Any bytes read as ONNX give a graph or an error, within a small budget of memory; a graph can be written and read.
#![no_main]

use base::{Error, Memory, Run};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let run = Run { memory: Memory::limited(64 << 20), ..Run::quiet(1) };
    let none = |name: &str| Err(Error::format(name, "is not there"));
    if let Ok(model) = network::read_onnx("fuzz", bytes, &none, &run)
        && let Ok(written) = network::write_onnx(&model.graph, &run)
    {
        // Shapes that do not fit are found when a run is planned, not here.
        let _ = network::read_onnx("again", &written, &none, &run);
    }
});
