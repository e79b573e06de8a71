//! Numbers with a shape, as they flow through a graph.

use crate::{Error, Result, Shared, choices};

choices! {
    /// The type of the numbers in a tensor.
    pub enum Element {
        /// Single precision.
        F32 = "f32",
        /// Double precision.
        F64 = "f64",
        /// Whole numbers: indices and shapes.
        I64 = "i64",
        /// Yes or no: masks.
        Bool = "bool",
    }
}

/// Numbers of one type.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// Single precision.
    F32(Shared<f32>),
    /// Double precision.
    F64(Shared<f64>),
    /// Whole numbers.
    I64(Shared<i64>),
    /// Yes or no.
    Bool(Shared<bool>),
}

impl Numbers {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Numbers::F32(v) => v.len(),
            Numbers::F64(v) => v.len(),
            Numbers::I64(v) => v.len(),
            Numbers::Bool(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their type.
    pub fn element(&self) -> Element {
        match self {
            Numbers::F32(_) => Element::F32,
            Numbers::F64(_) => Element::F64,
            Numbers::I64(_) => Element::I64,
            Numbers::Bool(_) => Element::Bool,
        }
    }
}

impl Element {
    /// Bytes of one number.
    pub fn bytes(self) -> u64 {
        match self {
            Element::F32 => 4,
            Element::F64 | Element::I64 => 8,
            Element::Bool => 1,
        }
    }

    /// Whether numbers of this type have slopes.
    pub fn is_real(self) -> bool {
        matches!(self, Element::F32 | Element::F64)
    }
}

/// Numbers with a shape, row-major; no axes at all is one number.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    shape: Vec<usize>,
    numbers: Numbers,
}

impl Tensor {
    /// Numbers of exactly that shape.
    pub fn new(shape: impl Into<Vec<usize>>, numbers: Numbers) -> Result<Self> {
        let shape = shape.into();
        match count(&shape) == Some(numbers.len()) {
            true => Ok(Tensor { shape, numbers }),
            false => Err(Error::size("numbers of a tensor", format!("the product of {shape:?}"), numbers.len())),
        }
    }

    /// Single precision numbers of that shape.
    pub fn f32(shape: impl Into<Vec<usize>>, values: Vec<f32>) -> Result<Self> {
        Self::new(shape, Numbers::F32(values.into()))
    }

    /// Double precision numbers of that shape.
    pub fn f64(shape: impl Into<Vec<usize>>, values: Vec<f64>) -> Result<Self> {
        Self::new(shape, Numbers::F64(values.into()))
    }

    /// Whole numbers of that shape.
    pub fn i64(shape: impl Into<Vec<usize>>, values: Vec<i64>) -> Result<Self> {
        Self::new(shape, Numbers::I64(values.into()))
    }

    /// Yes or no of that shape.
    pub fn bool(shape: impl Into<Vec<usize>>, values: Vec<bool>) -> Result<Self> {
        Self::new(shape, Numbers::Bool(values.into()))
    }

    /// Sizes from the outermost to the innermost axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The numbers.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// The type of the numbers.
    pub fn element(&self) -> Element {
        self.numbers.element()
    }

    /// The numbers in double precision, whatever they are; yes is 1.
    pub fn to_f64(&self) -> Vec<f64> {
        match &self.numbers {
            Numbers::F32(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Numbers::F64(v) => v.to_vec(),
            Numbers::I64(v) => v.iter().map(|&x| x as f64).collect(),
            Numbers::Bool(v) => v.iter().map(|&x| f64::from(u8::from(x))).collect(),
        }
    }

    /// The whole numbers, if that is what they are.
    pub fn wholes(&self) -> Option<&[i64]> {
        match &self.numbers {
            Numbers::I64(v) => Some(v),
            _ => None,
        }
    }
}

/// How many numbers a shape has, if that can be counted.
pub(super) fn count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_must_fit() {
        assert!(Tensor::f32([2, 3], vec![0.0; 6]).is_ok());
        assert!(Tensor::f32([2, 3], vec![0.0; 5]).is_err());
        assert!(Tensor::i64([], vec![7]).is_ok_and(|t| t.wholes() == Some(&[7])));
        assert!(Tensor::f64([usize::MAX, 2], vec![]).is_err());
        assert_eq!(Tensor::bool([2], vec![true, false]).map(|t| t.to_f64()), Ok(vec![1.0, 0.0]));
    }
}
