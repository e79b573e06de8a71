//! ONNX's types of numbers, and which of ours stands for each.
//!
//! float, double, int64 and bool are ours too. The others are read where a wider type of ours holds every value:
//! float16 and bfloat16 become f32, the smaller whole numbers i64. Results then differ from ONNX's only where the
//! narrow type would have rounded or wrapped around.

use super::wire::FILE;
use base::graph::Element;
use base::{Error, Result};

/// A type of numbers in ONNX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    /// Its number in the file.
    pub code: i64,
    pub name: &'static str,
    /// What it becomes; texts become places in a list of texts.
    pub element: Element,
    /// Bytes of one number in raw data; 0 for texts, which are never raw.
    pub width: usize,
}

const fn kind(code: i64, name: &'static str, element: Element, width: usize) -> Kind {
    Kind { code, name, element, width }
}

const KINDS: [Kind; 14] = [
    kind(1, "float", Element::F32, 4),
    kind(2, "uint8", Element::I64, 1),
    kind(3, "int8", Element::I64, 1),
    kind(4, "uint16", Element::I64, 2),
    kind(5, "int16", Element::I64, 2),
    kind(6, "int32", Element::I64, 4),
    kind(7, "int64", Element::I64, 8),
    kind(8, "string", Element::I64, 0),
    kind(9, "bool", Element::Bool, 1),
    kind(10, "float16", Element::F32, 2),
    kind(11, "double", Element::F64, 8),
    kind(12, "uint32", Element::I64, 4),
    kind(13, "uint64", Element::I64, 8),
    kind(16, "bfloat16", Element::F32, 2),
];

impl Kind {
    /// The type of that number in the file.
    pub fn of(code: i64) -> Result<Kind> {
        KINDS.into_iter().find(|k| k.code == code).ok_or_else(|| {
            const OTHERS: [(i64, &str); 4] =
                [(0, "no type"), (14, "complex64"), (15, "complex128"), (21, "a type of 4 bits")];
            let known = OTHERS.iter().find(|(c, _)| *c == code).map(|(_, name)| (*name).to_string());
            let what = format!("a tensor of {}", known.unwrap_or_else(|| format!("type {code}")));
            Error::unsupported(what, FILE, "export the model with float, double, int64 or bool")
        })
    }

    /// The type of that name.
    pub fn named(name: &str) -> Result<Kind> {
        KINDS.into_iter().find(|k| k.name == name).ok_or_else(|| Error::size("type of numbers", "one of ONNX's", name))
    }

    /// Ours as ONNX's.
    pub fn native(element: Element) -> Kind {
        let code = match element {
            Element::F32 => 1,
            Element::F64 => 11,
            Element::I64 => 7,
            Element::Bool => 9,
        };
        // The table holds all four.
        KINDS.into_iter().find(|k| k.code == code).unwrap_or(KINDS[0])
    }

    /// Whether nothing changes when it is read.
    pub fn is_native(self) -> bool {
        Kind::native(self.element) == self
    }

    /// The range of a narrow type of whole numbers, in which casts wrap around: the least, and how many there are.
    pub fn wraps(self) -> Option<(i64, i64)> {
        match self.name {
            "uint8" => Some((0, 1 << 8)),
            "int8" => Some((-(1 << 7), 1 << 8)),
            "uint16" => Some((0, 1 << 16)),
            "int16" => Some((-(1 << 15), 1 << 16)),
            "uint32" => Some((0, 1 << 32)),
            "int32" => Some((-(1 << 31), 1 << 32)),
            _ => None,
        }
    }
}
