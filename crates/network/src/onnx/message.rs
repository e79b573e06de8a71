//! The few messages of ONNX that we read, borrowed from the file's bytes.
//!
//! Field numbers are those of ONNX's `onnx.proto`. What a message takes beyond its bytes (a node of two bytes becomes a
//! value of two hundred) is counted against the run's memory as it grows. Subgraphs (of If, Loop, Scan) are not looked
//! into, since nodes that have one are refused by name; types inside types are followed only as far as `TYPES` deep.

use super::wire::{Fields, Value, damaged, varint};
use base::{Hold, Result, Run};

/// Types inside types (a sequence of maps) that are followed.
const TYPES: usize = 4;
/// Bytes that are asked for at a time.
const STEP: u64 = 1 << 16;

/// A model: what it was written with, and its graph.
#[derive(Debug, Default)]
pub(super) struct Model<'a> {
    pub ir: i64,
    pub producer: &'a str,
    /// Domains and the versions of their operators.
    pub opsets: Vec<(&'a str, i64)>,
    pub graph: Option<Graph<'a>>,
    /// What else it says of itself, by name.
    pub metadata: Vec<(&'a str, &'a str)>,
    /// Whether operators are defined in the file.
    pub functions: bool,
}

#[derive(Debug, Default)]
pub(super) struct Graph<'a> {
    pub nodes: Vec<Node<'a>>,
    pub initializers: Vec<Tensor<'a>>,
    pub inputs: Vec<ValueInfo<'a>>,
    pub outputs: Vec<ValueInfo<'a>>,
    /// Whether there are weights stored as sparse.
    pub sparse: bool,
}

#[derive(Debug, Default)]
pub(super) struct Node<'a> {
    pub inputs: Vec<&'a str>,
    pub outputs: Vec<&'a str>,
    pub name: &'a str,
    pub op: &'a str,
    pub domain: &'a str,
    pub attributes: Vec<(&'a str, Attribute<'a>)>,
}

/// The value of an attribute.
#[derive(Debug)]
pub(super) enum Attribute<'a> {
    Float(f32),
    Int(i64),
    Text(&'a [u8]),
    Tensor(Box<Tensor<'a>>),
    Floats(Vec<f32>),
    Ints(Vec<i64>),
    Texts(Vec<&'a [u8]>),
    /// Subgraphs, lists of tensors, types: nothing that we read has them.
    Other,
}

/// A tensor as it is stored: in one of several places.
#[derive(Debug, Default)]
pub(super) struct Tensor<'a> {
    pub name: &'a str,
    pub dims: Vec<i64>,
    pub kind: i64,
    pub raw: Option<&'a [u8]>,
    pub floats: Vec<f32>,
    pub doubles: Vec<f64>,
    /// Of 32 and of 64 bits, signed and not.
    pub wholes: Vec<i64>,
    pub texts: Vec<&'a [u8]>,
    /// Whether the numbers are in another file.
    pub outside: bool,
    pub external: Vec<(&'a str, &'a str)>,
}

#[derive(Debug, Default)]
pub(super) struct ValueInfo<'a> {
    pub name: &'a str,
    pub kind: Type<'a>,
}

/// What a value is.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) enum Type<'a> {
    Tensor {
        element: i64,
        /// None: of any number of axes.
        shape: Option<Vec<Size<'a>>>,
    },
    /// A sequence, a map, an optional value.
    #[default]
    Other,
}

/// The size of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Size<'a> {
    Is(i64),
    Named(&'a str),
    Unknown,
}

/// Counts what is kept.
pub(super) struct Budget {
    hold: Hold,
    used: u64,
}

impl Budget {
    pub fn new(run: &Run<'_>) -> Result<Self> {
        Ok(Budget { hold: run.memory.take(0, "an ONNX model")?, used: 0 })
    }

    /// Asks for that many bytes more.
    pub fn count(&mut self, bytes: usize) -> Result<()> {
        self.used = self.used.saturating_add(bytes as u64);
        match self.used <= self.hold.bytes() {
            true => Ok(()),
            false => self.hold.resize(self.used.saturating_add(STEP), "an ONNX model"),
        }
    }

    /// Appends to a list whose room is counted. Lists double as they grow, hence twice the size.
    pub fn push<T>(&mut self, list: &mut Vec<T>, value: T) -> Result<()> {
        self.count(2 * size_of::<T>())?;
        list.push(value);
        Ok(())
    }
}

impl<'a> Model<'a> {
    pub fn read(bytes: &'a [u8], budget: &mut Budget) -> Result<Self> {
        let mut model = Model::default();
        for field in Fields::new(bytes) {
            match field? {
                (1, Value::Varint(ir)) => model.ir = ir as i64,
                (2, Value::Bytes(name)) => model.producer = text(name)?,
                (7, Value::Bytes(graph)) => model.graph = Some(Graph::read(graph, budget)?),
                (8, Value::Bytes(opset)) => {
                    let opset = operator_set(opset)?;
                    budget.push(&mut model.opsets, opset)?;
                }
                (14, Value::Bytes(entry)) => {
                    let entry = pair(entry)?;
                    budget.push(&mut model.metadata, entry)?;
                }
                (25, _) => model.functions = true,
                (n, value) => check(n, &value, &[1, 5], &[2, 3, 4, 6, 7, 8, 14, 20])?,
            }
        }
        Ok(model)
    }
}

/// Refuses a known field of the wrong wire type; unknown fields are of newer versions and are passed over.
fn check(field: u32, value: &Value<'_>, ints: &[u32], bytes: &[u32]) -> Result<()> {
    let wrong = match value {
        Value::Varint(_) => bytes.contains(&field),
        Value::Bytes(_) => ints.contains(&field),
        _ => ints.contains(&field) || bytes.contains(&field),
    };
    if wrong { Err(damaged(format!("field {field} has the wrong type"))) } else { Ok(()) }
}

fn operator_set(bytes: &[u8]) -> Result<(&str, i64)> {
    let (mut domain, mut version) = ("", 0);
    for field in Fields::new(bytes) {
        match field? {
            (1, Value::Bytes(name)) => domain = text(name)?,
            (2, Value::Varint(v)) => version = v as i64,
            (n, value) => check(n, &value, &[2], &[1])?,
        }
    }
    Ok((domain, version))
}

impl<'a> Graph<'a> {
    fn read(bytes: &'a [u8], budget: &mut Budget) -> Result<Self> {
        let mut graph = Graph::default();
        for field in Fields::new(bytes) {
            match field? {
                (1, Value::Bytes(node)) => {
                    let node = Node::read(node, budget)?;
                    budget.push(&mut graph.nodes, node)?;
                }
                (5, Value::Bytes(tensor)) => {
                    let tensor = Tensor::read(tensor, budget)?;
                    budget.push(&mut graph.initializers, tensor)?;
                }
                (11, Value::Bytes(info)) => {
                    let info = ValueInfo::read(info, budget)?;
                    budget.push(&mut graph.inputs, info)?;
                }
                (12, Value::Bytes(info)) => {
                    let info = ValueInfo::read(info, budget)?;
                    budget.push(&mut graph.outputs, info)?;
                }
                (15, _) => graph.sparse = true,
                (n, value) => check(n, &value, &[], &[1, 2, 5, 10, 11, 12, 13, 14])?,
            }
        }
        Ok(graph)
    }
}

impl<'a> Node<'a> {
    fn read(bytes: &'a [u8], budget: &mut Budget) -> Result<Self> {
        let mut node = Node::default();
        for field in Fields::new(bytes) {
            match field? {
                (1, Value::Bytes(name)) => budget.push(&mut node.inputs, text(name)?)?,
                (2, Value::Bytes(name)) => budget.push(&mut node.outputs, text(name)?)?,
                (3, Value::Bytes(name)) => node.name = text(name)?,
                (4, Value::Bytes(op)) => node.op = text(op)?,
                (5, Value::Bytes(attribute)) => {
                    let attribute = read_attribute(attribute, budget)?;
                    budget.push(&mut node.attributes, attribute)?;
                }
                (7, Value::Bytes(domain)) => node.domain = text(domain)?,
                (n, value) => check(n, &value, &[], &[1, 2, 3, 4, 5, 6, 7])?,
            }
        }
        Ok(node)
    }
}

fn read_attribute<'a>(bytes: &'a [u8], budget: &mut Budget) -> Result<(&'a str, Attribute<'a>)> {
    let (mut name, mut kind) = ("", 0);
    let (mut float, mut int, mut string, mut tensor) = (0.0, 0, &[][..], None);
    let (mut floats, mut ints, mut texts) = (vec![], vec![], vec![]);
    let mut seen = 0;
    for field in Fields::new(bytes) {
        let (number, value) = field?;
        match (number, value) {
            (1, Value::Bytes(text_of)) => name = text(text_of)?,
            (2, Value::Four(bytes)) => float = f32::from_le_bytes(bytes),
            (3, Value::Varint(value)) => int = value as i64,
            (4, Value::Bytes(bytes)) => string = bytes,
            (5, Value::Bytes(bytes)) => {
                budget.count(size_of::<Tensor<'_>>())?;
                tensor = Some(Box::new(Tensor::read(bytes, budget)?));
            }
            (7, value) => push_floats(&mut floats, value, budget)?,
            (8, value) => push_wholes(&mut ints, value, budget)?,
            (9, Value::Bytes(bytes)) => budget.push(&mut texts, bytes)?,
            (20, Value::Varint(value)) => kind = value as i64,
            (n, value) => check(n, &value, &[3, 20], &[1, 4, 5, 6, 9, 10, 11])?,
        }
        if (2..=9).contains(&number) {
            seen = number;
        }
    }
    // Files of the first versions do not say the type: it is that of the field that is there.
    const BY_FIELD: [i64; 10] = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    let kind = if kind == 0 { BY_FIELD[seen as usize] } else { kind };
    let value = match kind {
        1 => Attribute::Float(float),
        2 => Attribute::Int(int),
        3 => Attribute::Text(string),
        4 => Attribute::Tensor(tensor.ok_or_else(|| damaged(format!("attribute {name:?} has no tensor")))?),
        6 => Attribute::Floats(floats),
        7 => Attribute::Ints(ints),
        8 => Attribute::Texts(texts),
        _ => Attribute::Other,
    };
    Ok((name, value))
}

impl<'a> Tensor<'a> {
    fn read(bytes: &'a [u8], budget: &mut Budget) -> Result<Self> {
        let mut tensor = Tensor::default();
        for field in Fields::new(bytes) {
            match field? {
                (1, value) => push_wholes(&mut tensor.dims, value, budget)?,
                (2, Value::Varint(kind)) => tensor.kind = kind as i64,
                (4, value) => push_floats(&mut tensor.floats, value, budget)?,
                (5 | 7 | 11, value) => push_wholes(&mut tensor.wholes, value, budget)?,
                (6, Value::Bytes(bytes)) => budget.push(&mut tensor.texts, bytes)?,
                (8, Value::Bytes(name)) => tensor.name = text(name)?,
                (9, Value::Bytes(raw)) => tensor.raw = Some(raw),
                (10, value) => push_doubles(&mut tensor.doubles, value, budget)?,
                (13, Value::Bytes(entry)) => {
                    let entry = pair(entry)?;
                    budget.push(&mut tensor.external, entry)?;
                }
                (14, Value::Varint(place)) => tensor.outside = place == 1,
                (3, _) => return Err(damaged("a tensor in segments")),
                (n, value) => check(n, &value, &[2, 14], &[6, 8, 9, 12, 13])?,
            }
        }
        Ok(tensor)
    }
}

fn pair(bytes: &[u8]) -> Result<(&str, &str)> {
    let (mut key, mut value) = ("", "");
    for field in Fields::new(bytes) {
        match field? {
            (1, Value::Bytes(bytes)) => key = text(bytes)?,
            (2, Value::Bytes(bytes)) => value = text(bytes)?,
            (n, other) => check(n, &other, &[], &[1, 2])?,
        }
    }
    Ok((key, value))
}

impl<'a> ValueInfo<'a> {
    fn read(bytes: &'a [u8], budget: &mut Budget) -> Result<Self> {
        let mut info = ValueInfo::default();
        for field in Fields::new(bytes) {
            match field? {
                (1, Value::Bytes(name)) => info.name = text(name)?,
                (2, Value::Bytes(kind)) => info.kind = read_type(kind, budget, 0)?,
                (n, value) => check(n, &value, &[], &[1, 2])?,
            }
        }
        Ok(info)
    }
}

fn read_type<'a>(bytes: &'a [u8], budget: &mut Budget, depth: usize) -> Result<Type<'a>> {
    if depth > TYPES {
        return Err(damaged("types inside types inside types"));
    }
    let mut found = Type::Other;
    for field in Fields::new(bytes) {
        match field? {
            (1, Value::Bytes(tensor)) => found = tensor_type(tensor, budget)?,
            // An optional tensor is a tensor that may be absent: as an input it is there.
            (9, Value::Bytes(optional)) => {
                for field in Fields::new(optional) {
                    if let (1, Value::Bytes(inner)) = field? {
                        found = read_type(inner, budget, depth + 1)?;
                    }
                }
            }
            (n, value) => check(n, &value, &[], &[1, 4, 5, 6, 8, 9])?,
        }
    }
    Ok(found)
}

fn tensor_type<'a>(bytes: &'a [u8], budget: &mut Budget) -> Result<Type<'a>> {
    let (mut element, mut shape) = (0, None);
    for field in Fields::new(bytes) {
        match field? {
            (1, Value::Varint(value)) => element = value as i64,
            (2, Value::Bytes(axes)) => {
                let mut sizes = vec![];
                for field in Fields::new(axes) {
                    if let (1, Value::Bytes(axis)) = field? {
                        budget.push(&mut sizes, size_of_axis(axis)?)?;
                    }
                }
                shape = Some(sizes);
            }
            (n, value) => check(n, &value, &[1], &[2])?,
        }
    }
    Ok(Type::Tensor { element, shape })
}

fn size_of_axis(bytes: &[u8]) -> Result<Size<'_>> {
    let mut size = Size::Unknown;
    for field in Fields::new(bytes) {
        match field? {
            (1, Value::Varint(value)) => size = Size::Is(value as i64),
            (2, Value::Bytes(name)) => size = Size::Named(text(name)?),
            (n, value) => check(n, &value, &[1], &[2, 3])?,
        }
    }
    Ok(size)
}

/// Varints, one in a field or many.
fn push_wholes(list: &mut Vec<i64>, value: Value<'_>, budget: &mut Budget) -> Result<()> {
    match value {
        Value::Varint(value) => budget.push(list, value as i64),
        Value::Bytes(mut packed) => {
            while !packed.is_empty() {
                let value = varint(&mut packed)? as i64;
                budget.push(list, value)?;
            }
            Ok(())
        }
        _ => Err(damaged("a list of whole numbers has the wrong type")),
    }
}

fn push_floats(list: &mut Vec<f32>, value: Value<'_>, budget: &mut Budget) -> Result<()> {
    match value {
        Value::Four(bytes) => budget.push(list, f32::from_le_bytes(bytes)),
        Value::Bytes(packed) if packed.len().is_multiple_of(4) => {
            budget.count(packed.len())?;
            let numbers = packed.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            list.extend(numbers);
            Ok(())
        }
        _ => Err(damaged("a list of numbers has the wrong type")),
    }
}

fn push_doubles(list: &mut Vec<f64>, value: Value<'_>, budget: &mut Budget) -> Result<()> {
    match value {
        Value::Eight(bytes) => budget.push(list, f64::from_le_bytes(bytes)),
        Value::Bytes(packed) if packed.len().is_multiple_of(8) => {
            budget.count(packed.len())?;
            list.extend(packed.chunks_exact(8).map(|b| {
                let mut all = [0; 8];
                all.copy_from_slice(b);
                f64::from_le_bytes(all)
            }));
            Ok(())
        }
        _ => Err(damaged("a list of numbers has the wrong type")),
    }
}

fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| damaged("a name is not UTF-8"))
}
