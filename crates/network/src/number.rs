//! From tensors to slices of one type and back.

use base::graph::{Element, Numbers, Tensor};
use base::{Error, Result};

/// A type of number that tensors hold.
pub(crate) trait Number: Copy + Default + PartialEq + PartialOrd + Send + Sync + 'static {
    /// Which it is.
    const ELEMENT: Element;
    /// The numbers of a tensor of this type.
    fn of(tensor: &Tensor) -> Option<&[Self]>;
    /// Numbers that somebody shares.
    fn shared(values: base::Shared<Self>) -> Numbers;
}

macro_rules! numbers {
    ($($type:ty => $variant:ident;)+) => {
        $(impl Number for $type {
            const ELEMENT: Element = Element::$variant;
            fn of(tensor: &Tensor) -> Option<&[Self]> {
                match tensor.numbers() {
                    Numbers::$variant(values) => Some(values),
                    _ => None,
                }
            }
            fn shared(values: base::Shared<Self>) -> Numbers {
                Numbers::$variant(values)
            }
        })+
    };
}

numbers! {
    f32 => F32;
    f64 => F64;
    i64 => I64;
    bool => Bool;
}

/// The numbers of a tensor that must be of type `T`.
pub(crate) fn numbers<T: Number>(tensor: &Tensor) -> Result<&[T]> {
    T::of(tensor).ok_or_else(|| Error::size("numbers of a tensor", T::ELEMENT.word(), tensor.element().word()))
}

/// Calls a generic function with the type that an element says: `by_real!(element, f(arguments))` is `f::<f32>(…)` or
/// `f::<f64>(…)`, and an error for other types.
macro_rules! by_real {
    ($element:expr, $f:ident($($argument:expr),* $(,)?)) => {
        match $element {
            base::graph::Element::F32 => $f::<f32>($($argument),*),
            base::graph::Element::F64 => $f::<f64>($($argument),*),
            other => Err(base::Error::size("numbers", "f32 or f64", other.word())),
        }
    };
}
pub(crate) use by_real;

/// The same for every type of number.
macro_rules! by_any {
    ($element:expr, $f:ident($($argument:expr),* $(,)?)) => {
        match $element {
            base::graph::Element::F32 => $f::<f32>($($argument),*),
            base::graph::Element::F64 => $f::<f64>($($argument),*),
            base::graph::Element::I64 => $f::<i64>($($argument),*),
            base::graph::Element::Bool => $f::<bool>($($argument),*),
        }
    };
}
pub(crate) use by_any;
