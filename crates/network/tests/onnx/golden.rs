//! The cases that `golden/make_onnx.py` collected.

use base::graph::Tensor;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A model with inputs and the outputs that are right.
pub struct Case {
    pub name: String,
    pub model: Vec<u8>,
    pub inputs: Vec<Value>,
    pub outputs: Vec<Value>,
}

pub enum Value {
    Tensor(Tensor),
    Texts(Vec<String>),
}

impl Value {
    pub fn tensor(&self) -> Tensor {
        match self {
            Value::Tensor(tensor) => tensor.clone(),
            Value::Texts(_) => panic!("texts where numbers are expected"),
        }
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The bytes of a model of the shared data, if they are there.
pub fn shared_model(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(testkit::shared(&format!("models/{name}"))?).unwrap())
}

pub fn cases(file: &str) -> Vec<Case> {
    let packed = std::fs::read(root().join("golden/onnx").join(file)).unwrap();
    let mut bytes = vec![];
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    let mut rest = Rest(&bytes);
    let count = rest.count();
    let cases = (0..count).map(|_| rest.case()).collect();
    assert!(rest.0.is_empty());
    cases
}

struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take(&mut self, n: usize) -> &[u8] {
        let (bytes, rest) = self.0.split_at(n);
        self.0 = rest;
        bytes
    }

    fn count(&mut self) -> usize {
        u32::from_le_bytes(self.take(4).try_into().unwrap()) as usize
    }

    fn blob(&mut self) -> Vec<u8> {
        let n = self.count();
        self.take(n).to_vec()
    }

    fn case(&mut self) -> Case {
        let (name, model) = (String::from_utf8(self.blob()).unwrap(), self.blob());
        let mut values = || (0..self.count()).map(|_| self.value()).collect();
        let inputs = values();
        Case { name, model, inputs, outputs: values() }
    }

    fn value(&mut self) -> Value {
        let letter = self.take(1)[0];
        let axes = self.count();
        let shape: Vec<usize> = (0..axes).map(|_| self.count()).collect();
        let n: usize = shape.iter().product();
        Value::Tensor(
            match letter {
                b'f' => Tensor::f32(shape, self.numbers(n, f32::from_le_bytes)),
                b'd' => Tensor::f64(shape, self.numbers(n, f64::from_le_bytes)),
                b'i' => Tensor::i64(shape, self.numbers(n, i64::from_le_bytes)),
                b'b' => Tensor::bool(shape, self.take(n).iter().map(|&b| b != 0).collect()),
                _ => return Value::Texts((0..n).map(|_| String::from_utf8(self.blob()).unwrap()).collect()),
            }
            .unwrap(),
        )
    }

    fn numbers<T, const N: usize>(&mut self, n: usize, of: fn([u8; N]) -> T) -> Vec<T> {
        self.take(N * n).chunks_exact(N).map(|b| of(b.try_into().unwrap())).collect()
    }
}
