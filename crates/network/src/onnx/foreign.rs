//! Nodes of ONNX as plain data, for operators that are no part of a graph: who knows what they mean reads and makes them.

use super::build::Builder;
use super::message::{Attribute, Node};
use super::tensor::Loader;
use super::wire::{FILE, Message};
use super::write::put_tensor;
use base::graph::Tensor;
use base::{Error, Result};
use std::collections::BTreeMap;

/// A node of ONNX as plain data.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OnnxNode {
    /// The operator.
    pub op: String,
    /// Its domain, empty for ONNX's own.
    pub domain: String,
    /// The names of what goes in.
    pub inputs: Vec<String>,
    /// The names of what comes out.
    pub outputs: Vec<String>,
    /// The attributes by name.
    pub attributes: BTreeMap<String, OnnxValue>,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum OnnxValue {
    /// A number.
    Float(f32),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(String),
    /// Numbers with a shape.
    Tensor(Tensor),
    /// Numbers.
    Floats(Vec<f32>),
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Texts.
    Texts(Vec<String>),
}

impl OnnxNode {
    /// A node of a file; what it takes is counted.
    pub(super) fn of(node: &Node<'_>, builder: &mut Builder<'_>, loader: &mut Loader<'_>) -> Result<Self> {
        let list = |names: &[&str]| names.iter().map(|n| (*n).to_string()).collect::<Vec<_>>();
        let mut attributes = BTreeMap::new();
        for (name, value) in &node.attributes {
            let utf8 = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let value = match value {
                Attribute::Float(x) => OnnxValue::Float(*x),
                Attribute::Int(x) => OnnxValue::Int(*x),
                Attribute::Text(bytes) => OnnxValue::Text(utf8(bytes)),
                Attribute::Tensor(stored) => OnnxValue::Tensor(loader.load(stored)?.tensor),
                Attribute::Floats(list) => {
                    builder.count(size_of_val(&list[..]))?;
                    OnnxValue::Floats(list.clone())
                }
                Attribute::Ints(list) => {
                    builder.count(size_of_val(&list[..]))?;
                    OnnxValue::Ints(list.clone())
                }
                Attribute::Texts(list) => {
                    builder.count(list.iter().map(|t| t.len() + size_of::<String>()).sum())?;
                    OnnxValue::Texts(list.iter().map(|t| utf8(t)).collect())
                }
                Attribute::Other => {
                    let what = format!("attribute {name:?} of the operator {}", node.op);
                    return Err(Error::unsupported(what, FILE, "no subgraphs, types or lists of tensors are read"));
                }
            };
            attributes.insert((*name).to_string(), value);
        }
        let (op, domain) = (node.op.to_string(), node.domain.to_string());
        Ok(OnnxNode { op, domain, inputs: list(&node.inputs), outputs: list(&node.outputs), attributes })
    }

    /// The node as a message of a file.
    pub(super) fn message(&self) -> Message {
        let mut node = Message::default();
        self.inputs.iter().for_each(|name| node.text(1, name));
        self.outputs.iter().for_each(|name| node.text(2, name));
        node.text(3, self.outputs.first().map_or("", String::as_str));
        node.text(4, &self.op);
        for (name, value) in &self.attributes {
            let mut message = Message::default();
            message.text(1, name);
            let kind = match value {
                OnnxValue::Float(x) => {
                    message.float(2, *x);
                    1
                }
                OnnxValue::Int(x) => {
                    message.int(3, *x);
                    2
                }
                OnnxValue::Text(x) => {
                    message.text(4, x);
                    3
                }
                OnnxValue::Tensor(x) => {
                    put_tensor(&mut message, 5, name, x);
                    4
                }
                OnnxValue::Floats(list) => {
                    list.iter().for_each(|x| message.float(7, *x));
                    6
                }
                OnnxValue::Ints(list) => {
                    list.iter().for_each(|x| message.int(8, *x));
                    7
                }
                OnnxValue::Texts(list) => {
                    list.iter().for_each(|x| message.text(9, x));
                    8
                }
            };
            message.int(20, kind);
            node.message(5, message);
        }
        node.text(7, &self.domain);
        node
    }

    /// The value of an attribute, if it is there.
    pub fn get(&self, name: &str) -> Option<&OnnxValue> {
        self.attributes.get(name)
    }

    /// An error about an attribute.
    fn wrong(&self, name: &str, expected: &str) -> Error {
        Error::format(FILE, format!("attribute {name:?} of {} is not {expected}", self.op))
    }

    /// A text, or what it is if it is not there.
    pub fn text<'a>(&'a self, name: &str, default: &'a str) -> Result<&'a str> {
        match self.get(name) {
            None => Ok(default),
            Some(OnnxValue::Text(text)) => Ok(text),
            Some(_) => Err(self.wrong(name, "a text")),
        }
    }

    /// A whole number, or what it is if it is not there.
    pub fn int(&self, name: &str, default: i64) -> Result<i64> {
        match self.get(name) {
            None => Ok(default),
            Some(OnnxValue::Int(x)) => Ok(*x),
            Some(_) => Err(self.wrong(name, "a whole number")),
        }
    }

    /// Whole numbers; none if they are not there.
    pub fn ints(&self, name: &str) -> Result<&[i64]> {
        match self.get(name) {
            None => Ok(&[]),
            Some(OnnxValue::Ints(list)) => Ok(list),
            Some(_) => Err(self.wrong(name, "whole numbers")),
        }
    }

    /// Texts; none if they are not there.
    pub fn texts(&self, name: &str) -> Result<&[String]> {
        match self.get(name) {
            None => Ok(&[]),
            Some(OnnxValue::Texts(list)) => Ok(list),
            Some(_) => Err(self.wrong(name, "texts")),
        }
    }

    /// Numbers, be they a list of floats or, under the name with `_as_tensor`, a tensor; none if they are not there.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        match (self.get(&format!("{name}_as_tensor")), self.get(name)) {
            (Some(OnnxValue::Tensor(tensor)), _) => Ok(tensor.to_f64()),
            (_, Some(OnnxValue::Floats(list))) => Ok(list.iter().map(|&x| f64::from(x)).collect()),
            (None, None) => Ok(vec![]),
            _ => Err(self.wrong(name, "numbers")),
        }
    }
}
