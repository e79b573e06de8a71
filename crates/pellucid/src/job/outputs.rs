//! What may be written: never over a file that is read, and a model only over a model.

use base::{Error, Result, Run};
use std::path::Path;

/// Endings that say a file is no model of ours.
const OTHER: &[&str] = &[
    "onnx",
    "csv",
    "tsv",
    "txt",
    "json",
    "jsonl",
    "html",
    "npy",
    "npz",
    "libsvm",
    "svm",
    "model",
    "arff",
    "parquet",
    "xlsx",
    "png",
    "jpg",
    "jpeg",
    "svg",
    "safetensors",
    "gz",
];

/// Refuses an output that is one of the inputs, by whatever path it is named.
pub fn guard(output: &Path, inputs: &[&Path]) -> Result<()> {
    match inputs.iter().find(|input| same(output, input)) {
        Some(input) => {
            let why = format!("would overwrite {}, which is an input; choose another file", input.display());
            Err(Error::File { file: output.display().to_string(), why })
        }
        None => Ok(()),
    }
}

/// The same where there may be no output, and inputs that are no files.
pub(super) fn guard_inputs(output: Option<&Path>, inputs: &[Option<&Path>]) -> Result<()> {
    let inputs: Vec<&Path> = inputs.iter().flatten().copied().collect();
    output.map_or(Ok(()), |output| guard(output, &inputs))
}

/// The same for a model, which also is not written over other things or under a name that speaks of them.
pub fn guard_model(output: &Path, inputs: &[&Path], run: &Run<'_>) -> Result<()> {
    guard(output, inputs)?;
    let refuse = |why: String| Err(Error::File { file: output.display().to_string(), why });
    let ending = output.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if OTHER.contains(&ending.as_str()) {
        let stem = output.with_extension("pel");
        let instead = match ending.as_str() {
            "onnx" | "model" | "safetensors" => {
                format!("then: pellucid convert {} {}", stem.display(), output.display())
            }
            _ => "predictions, reports and data are written by other commands".to_string(),
        };
        return refuse(format!("a model is stored as .pel: -o {}; {instead}", stem.display()));
    }
    match output.is_file() && files::format_of(output, run).is_ok_and(|format| format != files::Format::Model) {
        true => refuse("exists and is not a model; choose another file".into()),
        false => Ok(()),
    }
}

fn same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(one), Ok(other)) if one == other => true,
        (Ok(one), Ok(other)) => linked(&one, &other),
        _ => false,
    }
}

/// Whether two paths are one file under two names.
#[cfg(unix)]
fn linked(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (a.metadata(), b.metadata()) {
        (Ok(a), Ok(b)) => a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn linked(_: &Path, _: &Path) -> bool {
    false
}
