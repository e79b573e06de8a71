//! Named tensors in plain safetensors files, as other tools exchange weights.
//!
//! The container is that of model files without a record: F32 and F64 arrays of any shape, windows on the mapped file
//! where they are aligned.

use super::container::{Layout, Parts};
use crate::source::{self, shown};
use crate::whole::write_whole;
use crate::window::Owner;
use base::graph::{Numbers, Tensor};
use base::{Buffer, Error, Field, Progress, Result, Run};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Writes tensors of real numbers as a safetensors file, whole or not at all.
pub fn write_weights(path: &Path, weights: &BTreeMap<String, Tensor>, run: &Run<'_>) -> Result<()> {
    let mut fields = BTreeMap::new();
    for (name, tensor) in weights {
        let values = match tensor.numbers() {
            Numbers::F32(v) => Buffer::F32(v.clone()),
            Numbers::F64(v) => Buffer::F64(v.clone()),
            other => {
                let what = format!("tensor {name:?} of type {}", other.element().word());
                return Err(Error::unsupported(what, "a file of weights", "f32 and f64 are"));
            }
        };
        fields.insert(name.clone(), Field::Array { shape: tensor.shape().to_vec(), values });
    }
    let arrays = fields.iter().map(|(name, field)| (name.clone(), field)).collect();
    let layout = Layout::new(&BTreeMap::from([("format", "pt".to_string())]), arrays)?;
    let mut said = |done| run.report(&Progress::of("write", done, layout.len())).map_err(io::Error::other);
    write_whole(path, |out| layout.write(out, &mut said))
}

/// Reads a safetensors file; it is mapped, and its numbers stay in it.
pub fn read_weights(path: &Path, run: &Run<'_>) -> Result<BTreeMap<String, Tensor>> {
    parse_weights(&shown(path), Arc::new(source::open(path, run)?), run)
}

/// The tensors in the bytes of a safetensors file; `name` is how messages call it.
pub fn parse_weights(name: &str, bytes: Owner, run: &Run<'_>) -> Result<BTreeMap<String, Tensor>> {
    let mut parts = Parts::read(name, bytes, run)?;
    let arrays = std::mem::take(&mut parts.arrays);
    let mut weights = BTreeMap::new();
    for (key, array) in arrays {
        let tensor = match parts.field(array, run)? {
            Field::Array { shape, values: Buffer::F32(v) } => Tensor::new(shape, Numbers::F32(v))?,
            Field::Array { shape, values: Buffer::F64(v) } => Tensor::new(shape, Numbers::F64(v))?,
            _ => return Err(Error::format(name, format!("tensor {key:?} is not of type F32 or F64"))),
        };
        weights.insert(key, tensor);
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_as_written() {
        let folder = std::env::temp_dir().join(format!("pellucid-weights-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (path, run) = (folder.join("w.safetensors"), Run::quiet(1));
        let weights: BTreeMap<String, Tensor> = [
            ("layer.weight".to_string(), Tensor::f32([2, 3], vec![1.0, -2.0, 0.5, 0.0, f32::MIN, 7.0]).unwrap()),
            ("layer.bias".to_string(), Tensor::f64([2], vec![0.1, -0.2]).unwrap()),
            ("scale".to_string(), Tensor::f32([], vec![3.0]).unwrap()),
        ]
        .into();
        write_weights(&path, &weights, &run).unwrap();
        assert_eq!(read_weights(&path, &run), Ok(weights));
        let places = [("i".to_string(), Tensor::i64([1], vec![1]).unwrap())].into();
        assert!(write_weights(&path, &places, &run).is_err());
        // As another tool writes it: no metadata, a head that is not padded.
        let head = br#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
        let bytes = [&(head.len() as u64).to_le_bytes()[..], head, &1f32.to_le_bytes(), &2f32.to_le_bytes()].concat();
        let read = parse_weights("b", Arc::new(bytes), &run).unwrap();
        assert_eq!(read["a"], Tensor::f32([2], vec![1.0, 2.0]).unwrap());
        let head = br#"{"a":{"dtype":"U32","shape":[1],"data_offsets":[0,4]}}"#;
        let bytes = [&(head.len() as u64).to_le_bytes()[..], head, &[0; 4]].concat();
        assert!(parse_weights("b", Arc::new(bytes), &run).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
