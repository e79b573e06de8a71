//! Stored tensors to ours: raw bytes or typed lists, here or in another file.
//!
//! Sizes are checked against what is there before anything is allocated, and what is allocated is counted. Texts become
//! places in a list of texts.

use super::half::{from_bf16, from_f16};
use super::kind::Kind;
use super::message::Tensor as Stored;
use super::wire::FILE;
use base::graph::{Element, Numbers, Tensor};
use base::{Error, Memory, Result, Run, Shared};
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of another file that a model refers to.
pub type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Finds the bytes of another file by the name that a model has for it.
///
/// The name is the model's word: whoever opens files must make sure that it stays in the model's own folder.
pub type External<'a> = dyn Fn(&str) -> Result<Bytes> + 'a;

/// What tensors are loaded with; other files are asked for once.
pub(super) struct Loader<'a> {
    pub run: &'a Run<'a>,
    external: &'a External<'a>,
    files: HashMap<String, Bytes>,
}

/// A tensor, and the texts it is about if it holds places of texts.
pub(super) struct Loaded {
    pub tensor: Tensor,
    pub kind: Kind,
    pub texts: Option<Arc<[String]>>,
}

impl<'a> Loader<'a> {
    pub fn new(external: &'a External<'a>, run: &'a Run<'a>) -> Self {
        Loader { run, external, files: HashMap::new() }
    }

    /// The numbers of a stored tensor.
    pub fn load(&mut self, stored: &Stored<'_>) -> Result<Loaded> {
        let about = |e: Error| match e {
            Error::Memory { .. } | Error::Cancelled | Error::File { .. } => e,
            other => Error::format(FILE, format!("tensor {:?}: {other}", stored.name)),
        };
        let kind = Kind::of(stored.kind).map_err(about)?;
        let shape = shape(&stored.dims).map_err(about)?;
        // Checked just now.
        let count = shape.iter().product::<usize>();
        let (numbers, texts) = if kind.name == "string" {
            let (numbers, texts) = texts(stored, count, &self.run.memory).map_err(about)?;
            (numbers, Some(texts))
        } else if stored.outside {
            (self.outside(stored, kind, count).map_err(about)?, None)
        } else if let Some(raw) = stored.raw {
            (raw_numbers(raw, kind, count, &self.run.memory).map_err(about)?, None)
        } else {
            (listed(stored, kind, count, &self.run.memory).map_err(about)?, None)
        };
        Ok(Loaded { tensor: Tensor::new(shape, numbers)?, kind, texts })
    }

    fn outside(&mut self, stored: &Stored<'_>, kind: Kind, count: usize) -> Result<Numbers> {
        let entry = |key: &str| stored.external.iter().rfind(|(k, _)| *k == key).map(|(_, value)| *value);
        let number = |key: &str| match entry(key) {
            None => Ok(None),
            Some(text) => match text.parse::<usize>() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(Error::format(FILE, format!("its external {key} is {text:?}, expected a number"))),
            },
        };
        let (offset, length) = (number("offset")?.unwrap_or(0), number("length")?);
        let Some(place) = entry("location") else {
            return Err(Error::format(FILE, "its numbers are in another file that is not named"));
        };
        let bytes = match self.files.get(place) {
            Some(bytes) => bytes.clone(),
            None => {
                let bytes = (self.external)(place)?;
                self.files.insert(place.to_string(), bytes.clone());
                bytes
            }
        };
        let all = (*bytes).as_ref();
        let end = match length {
            Some(length) => offset.checked_add(length),
            None => offset.checked_add(count.saturating_mul(kind.width)),
        };
        match end.and_then(|end| all.get(offset..end)) {
            Some(raw) => raw_numbers(raw, kind, count, &self.run.memory),
            None => {
                let why = format!("its numbers go beyond the end of {place:?}, which has {} bytes", all.len());
                Err(Error::format(FILE, why))
            }
        }
    }
}

/// Sizes that are sizes, and that can be multiplied.
fn shape(dims: &[i64]) -> Result<Vec<usize>> {
    let sizes: Option<Vec<usize>> = dims.iter().map(|&n| usize::try_from(n).ok()).collect();
    let sizes = sizes.filter(|s| s.iter().try_fold(1usize, |product, &n| product.checked_mul(n)).is_some());
    sizes.ok_or_else(|| Error::format(FILE, format!("has the shape {dims:?}")))
}

fn counted<T: Send + Sync + 'static>(
    count: usize,
    values: impl Iterator<Item = T>,
    memory: &Memory,
) -> Result<Shared<T>> {
    let hold = memory.take_for::<T>(count, "weights of a network")?;
    let mut list = Vec::with_capacity(count);
    list.extend(values.take(count));
    Ok(Shared::counted(list, hold))
}

/// Little-endian numbers one after the other.
fn raw_numbers(raw: &[u8], kind: Kind, count: usize, memory: &Memory) -> Result<Numbers> {
    if count.checked_mul(kind.width) != Some(raw.len()) {
        let expected = format!("{} bytes for {count} numbers", count.saturating_mul(kind.width));
        return Err(Error::size("raw data", expected, raw.len()));
    }
    macro_rules! pieces {
        ($type:ty, $with:expr) => {{
            let pieces = raw.chunks_exact(size_of::<$type>()).map(|piece| {
                let mut bytes = [0; size_of::<$type>()];
                bytes.copy_from_slice(piece);
                $with(<$type>::from_le_bytes(bytes))
            });
            counted(count, pieces, memory)?
        }};
    }
    Ok(match kind.name {
        "float" => Numbers::F32(pieces!(f32, |x| x)),
        "double" => Numbers::F64(pieces!(f64, |x| x)),
        "float16" => Numbers::F32(pieces!(u16, from_f16)),
        "bfloat16" => Numbers::F32(pieces!(u16, from_bf16)),
        "int8" => Numbers::I64(pieces!(i8, i64::from)),
        "int16" => Numbers::I64(pieces!(i16, i64::from)),
        "int32" => Numbers::I64(pieces!(i32, i64::from)),
        "int64" => Numbers::I64(pieces!(i64, |x| x)),
        "uint8" => Numbers::I64(pieces!(u8, i64::from)),
        "uint16" => Numbers::I64(pieces!(u16, i64::from)),
        "uint32" => Numbers::I64(pieces!(u32, i64::from)),
        "uint64" => {
            let wholes = pieces!(u64, |x| x as i64);
            Numbers::I64(within(wholes)?)
        }
        _ => Numbers::Bool(pieces!(u8, |x| x != 0)),
    })
}

/// A number of 64 bits without sign that has become negative was too large.
fn within(wholes: Shared<i64>) -> Result<Shared<i64>> {
    match wholes.iter().any(|&x| x < 0) {
        true => Err(Error::unsupported("a uint64 of 2^63 or more", "networks", "use int64")),
        false => Ok(wholes),
    }
}

/// Numbers in one of the typed lists.
fn listed(stored: &Stored<'_>, kind: Kind, count: usize, memory: &Memory) -> Result<Numbers> {
    let found = match kind.name {
        "float" => stored.floats.len(),
        "double" => stored.doubles.len(),
        _ => stored.wholes.len(),
    };
    if found != count {
        return Err(Error::size("numbers", count, found));
    }
    let wholes = stored.wholes.iter();
    Ok(match (kind.name, kind.element) {
        ("float", _) => Numbers::F32(counted(count, stored.floats.iter().copied(), memory)?),
        ("double", _) => Numbers::F64(counted(count, stored.doubles.iter().copied(), memory)?),
        ("float16", _) => Numbers::F32(counted(count, wholes.map(|&x| from_f16(x as u16)), memory)?),
        ("bfloat16", _) => Numbers::F32(counted(count, wholes.map(|&x| from_bf16(x as u16)), memory)?),
        (_, Element::Bool) => Numbers::Bool(counted(count, wholes.map(|&x| x != 0), memory)?),
        ("uint64", _) => Numbers::I64(within(counted(count, wholes.copied(), memory)?)?),
        _ => Numbers::I64(counted(count, wholes.copied(), memory)?),
    })
}

/// Texts as places in the list of them.
fn texts(stored: &Stored<'_>, count: usize, memory: &Memory) -> Result<(Numbers, Arc<[String]>)> {
    if stored.texts.len() != count {
        return Err(Error::size("texts", count, stored.texts.len()));
    }
    let texts = stored.texts.iter().map(|t| String::from_utf8_lossy(t).into_owned()).collect();
    Ok((Numbers::I64(counted(count, 0..count as i64, memory)?), texts))
}
