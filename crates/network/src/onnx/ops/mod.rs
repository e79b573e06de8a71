//! Operators of ONNX by name, one file for each family: how each becomes operations of ours.
//!
//! Each family has a table of rows: the operator, the attributes it may have (an attribute that is not known might
//! change the meaning, so it is refused), and the function that reads it.

mod arithmetic;
mod constants;
mod elementwise;
mod index;
mod linear;
mod missing;
mod ml;
mod ml_linear;
mod norms;
mod reduce;
mod resize;
mod shapes;
mod softmax;
mod windows;

use super::build::Builder;
use super::call::Call;
use super::message::Node;
use super::tensor::Loader;
use base::graph::Source;
use base::{Error, Result, nearest};
use std::collections::HashMap;

/// What a reader of an operator may use.
pub(super) struct Reading<'b, 'r> {
    pub builder: &'b mut Builder<'r>,
    pub loader: &'b mut Loader<'r>,
    /// The names of columns, of tensors that have them.
    pub columns: &'b mut HashMap<Source, Vec<String>>,
}

/// Reads a node and answers where its outputs are.
pub(super) type Read = fn(&mut Reading<'_, '_>, &Call<'_>) -> Result<Vec<Source>>;

/// An operator that is read.
pub(super) struct Row {
    op: &'static str,
    attributes: &'static [&'static str],
    read: Read,
}

/// A row of a table.
const fn row(op: &'static str, attributes: &'static [&'static str], read: Read) -> Row {
    Row { op, attributes, read }
}

/// The domain of machine learning's operators.
const ML: &str = "ai.onnx.ml";

const TABLES: [(&str, &[Row]); 13] = [
    ("", elementwise::ROWS),
    ("", arithmetic::ROWS),
    ("", linear::ROWS),
    ("", windows::ROWS),
    ("", norms::ROWS),
    ("", softmax::ROWS),
    ("", reduce::ROWS),
    ("", shapes::ROWS),
    ("", index::ROWS),
    ("", resize::ROWS),
    ("", constants::ROWS),
    (ML, ml::ROWS),
    (ML, ml_linear::ROWS),
];

/// An operator of ONNX that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operator {
    /// Empty for ONNX's own operators, else such as `ai.onnx.ml`.
    pub domain: &'static str,
    /// Its name.
    pub name: &'static str,
}

/// The operators that are read, by domain and name.
pub fn operators() -> Vec<Operator> {
    let row = |(domain, rows): (&'static str, &'static [Row])| rows.iter().map(move |r| (domain, r.op));
    let mut list: Vec<Operator> =
        TABLES.into_iter().flat_map(row).map(|(domain, name)| Operator { domain, name }).collect();
    list.sort();
    list
}

/// The reader of a node, or what to use instead.
pub(super) fn find(node: &Node<'_>, opset: i64) -> Result<Read> {
    let domain = if node.domain == ML { ML } else { "" };
    let mut rows = TABLES.iter().filter(|(d, _)| *d == domain).flat_map(|(_, rows)| rows.iter());
    let Some(row) = rows.find(|row| row.op == node.op) else {
        let name = if domain.is_empty() { node.op.to_string() } else { format!("{domain}.{}", node.op) };
        return Err(Error::unsupported(format!("the operator {name}"), "the ONNX import", instead(node.op, domain)));
    };
    match node.attributes.iter().find(|(name, _)| !row.attributes.contains(name)) {
        None => Ok(row.read),
        Some((name, _)) => {
            let known = match row.attributes {
                [] => "it may have none".to_string(),
                known => format!("known are {}", known.join(", ")),
            };
            let what = format!("its attribute {name:?} (operators of version {opset})");
            Err(Error::unsupported(what, "the ONNX import", known))
        }
    }
}

/// What to use instead of an operator that is not read.
fn instead(op: &str, domain: &str) -> String {
    if let Some((_, advice)) = missing::ADVICE.iter().find(|(names, _)| names.contains(&op)) {
        return (*advice).to_string();
    }
    let known = operators().into_iter().filter(|o| o.domain == domain).map(|o| o.name);
    match nearest(op, known) {
        Some(near) => format!("the nearest that is: {near}"),
        None => "the page on ONNX lists those that are".to_string(),
    }
}

/// Changes that the readers of several families need.
impl Reading<'_, '_> {
    /// 0, 1, 2, … as whole numbers, as many as an axis of x has.
    fn counting(&mut self, x: Source, axis: i64) -> Result<Source> {
        let end = if axis == -1 { None } else { Some(axis + 1) };
        let size = self.builder.shape_of(x, axis, end)?;
        let size = self.builder.add(base::graph::Op::Squeeze { axes: vec![0] }, &[size])?;
        let zero = self.builder.constant(base::graph::Tensor::i64([], vec![0])?)?;
        let one = self.builder.constant(base::graph::Tensor::i64([], vec![1])?)?;
        self.builder.add(base::graph::Op::Range, &[zero, size, one])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_operator_stands_twice_and_none_is_both_there_and_missing() {
        let all = operators();
        assert!(all.windows(2).all(|w| w[0] < w[1]), "{all:?}");
        for name in missing::ADVICE.iter().flat_map(|(names, _)| names.iter()) {
            assert!(!all.iter().any(|o| o.name == *name), "{name}");
        }
    }
}
