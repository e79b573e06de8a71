//! A node of ONNX being read: its inputs and attributes, asked for by name.

use super::message::{Attribute, Node, Tensor};
use super::wire::FILE;
use base::graph::Source;
use base::{Error, Result};

/// A node with its inputs found.
pub(super) struct Call<'a> {
    pub node: &'a Node<'a>,
    pub inputs: Vec<Option<Source>>,
    /// The version of its domain's operators.
    pub opset: i64,
}

impl<'a> Call<'a> {
    /// An input that must be there.
    pub fn input(&self, i: usize) -> Result<Source> {
        self.optional(i).ok_or_else(|| Error::format(FILE, format!("its input {i} is absent")))
    }

    /// An input that may be there.
    pub fn optional(&self, i: usize) -> Option<Source> {
        self.inputs.get(i).copied().flatten()
    }

    /// All inputs, of which there must be one or more and none absent.
    pub fn all(&self) -> Result<Vec<Source>> {
        (0..self.inputs.len().max(1)).map(|i| self.input(i)).collect()
    }

    /// How many outputs somebody asks for.
    pub fn outputs(&self) -> usize {
        self.node.outputs.len()
    }

    fn attribute(&self, name: &str) -> Option<&'a Attribute<'a>> {
        self.node.attributes.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    pub fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    pub fn int(&self, name: &str, default: i64) -> Result<i64> {
        match self.attribute(name) {
            None => Ok(default),
            Some(Attribute::Int(value)) => Ok(*value),
            Some(_) => Err(wrong(name, "a whole number")),
        }
    }

    /// A whole number that counts something.
    pub fn size(&self, name: &str, default: usize) -> Result<usize> {
        let value = self.int(name, default as i64)?;
        usize::try_from(value).map_err(|_| Error::parameter(name, value, "must not be negative"))
    }

    pub fn flag(&self, name: &str, default: bool) -> Result<bool> {
        match self.int(name, i64::from(default))? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Error::parameter(name, other, "must be 0 or 1")),
        }
    }

    pub fn float(&self, name: &str, default: f64) -> Result<f64> {
        match self.attribute(name) {
            None => Ok(default),
            Some(Attribute::Float(value)) => Ok(f64::from(*value)),
            Some(_) => Err(wrong(name, "a number")),
        }
    }

    pub fn text(&self, name: &str, default: &'a str) -> Result<&'a str> {
        match self.attribute(name) {
            None => Ok(default),
            Some(Attribute::Text(bytes)) => std::str::from_utf8(bytes).map_err(|_| wrong(name, "UTF-8")),
            Some(_) => Err(wrong(name, "a text")),
        }
    }

    pub fn ints(&self, name: &str) -> Result<Option<&'a [i64]>> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Ints(values)) => Ok(Some(values)),
            Some(_) => Err(wrong(name, "whole numbers")),
        }
    }

    /// Whole numbers that count something.
    pub fn sizes(&self, name: &str) -> Result<Option<Vec<usize>>> {
        let Some(values) = self.ints(name)? else { return Ok(None) };
        let sizes: Option<Vec<usize>> = values.iter().map(|&v| usize::try_from(v).ok()).collect();
        let negative = || Error::parameter(name, format!("{values:?}"), "must not be negative");
        sizes.ok_or_else(negative).map(Some)
    }

    pub fn floats(&self, name: &str) -> Result<Option<&'a [f32]>> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Floats(values)) => Ok(Some(values)),
            Some(_) => Err(wrong(name, "numbers")),
        }
    }

    pub fn texts(&self, name: &str) -> Result<Option<Vec<String>>> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Texts(values)) => {
                Ok(Some(values.iter().map(|t| String::from_utf8_lossy(t).into_owned()).collect()))
            }
            Some(_) => Err(wrong(name, "texts")),
        }
    }

    pub fn tensor(&self, name: &str) -> Result<Option<&'a Tensor<'a>>> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Tensor(tensor)) => Ok(Some(tensor)),
            Some(_) => Err(wrong(name, "a tensor")),
        }
    }

    /// Refuses outputs beyond the first ones, which nothing here computes.
    pub fn at_most(&self, outputs: usize) -> Result<()> {
        match self.node.outputs.iter().skip(outputs).find(|name| !name.is_empty()) {
            None => Ok(()),
            Some(name) => {
                let what = format!("its output {name:?} (beyond the first {outputs})");
                Err(Error::unsupported(what, "the ONNX import", "remove what uses it from the model"))
            }
        }
    }
}

fn wrong(name: &str, expected: &str) -> Error {
    Error::format(FILE, format!("its attribute {name:?} is not {expected}"))
}
