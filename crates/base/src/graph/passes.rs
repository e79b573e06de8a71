//! What becomes of gradients on their way through operations: whether outputs follow inputs or move in steps.

use super::{Binary, Element, Unary};

/// What an operation does to the gradient of one of its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// It passes.
    Gradient,
    /// It is 0 almost everywhere, while the output changes.
    Step,
    /// Both: pieces with a gradient and jumps between them.
    Jumps,
    /// The output does not depend on the input's numbers.
    Nothing,
}

/// A step if it holds, else the gradient passes.
pub(super) fn step_if(holds: bool) -> Passes {
    if holds { Passes::Step } else { Passes::Gradient }
}

/// What becomes of the gradient of numbers that become another type.
pub(super) fn to_element(to: Element) -> Passes {
    match to {
        Element::I64 | Element::Bool => Passes::Step,
        Element::F32 | Element::F64 => Passes::Gradient,
    }
}

/// What becomes of the gradients of a function of two numbers.
pub(super) fn through_binary(binary: Binary) -> Passes {
    match binary {
        Binary::Equal | Binary::Less | Binary::LessOrEqual | Binary::Greater => Passes::Step,
        Binary::GreaterOrEqual | Binary::And | Binary::Or | Binary::Xor => Passes::Step,
        Binary::Mod | Binary::Fmod => Passes::Jumps,
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Pow => Passes::Gradient,
        Binary::Max | Binary::Min | Binary::Prelu => Passes::Gradient,
    }
}

/// What becomes of the gradient of a function number by number.
pub(super) fn through_unary(unary: Unary) -> Passes {
    match unary {
        Unary::Floor | Unary::Ceil | Unary::Round | Unary::Sign => Passes::Step,
        Unary::Not | Unary::IsNan | Unary::IsInf => Passes::Step,
        Unary::ThresholdedRelu(a) if a != 0.0 => Passes::Jumps,
        Unary::Relu | Unary::LeakyRelu(_) | Unary::ThresholdedRelu(_) | Unary::Elu(_) => Passes::Gradient,
        Unary::Selu(..) | Unary::Celu(_) | Unary::Gelu(_) | Unary::Softplus | Unary::Softsign => Passes::Gradient,
        Unary::Sigmoid | Unary::HardSigmoid(..) | Unary::HardSwish | Unary::Swish(_) => Passes::Gradient,
        Unary::Mish | Unary::Tanh | Unary::Erf | Unary::Exp | Unary::Log | Unary::Sqrt => Passes::Gradient,
        Unary::Abs | Unary::Neg | Unary::Reciprocal | Unary::Identity => Passes::Gradient,
        Unary::Sin | Unary::Cos | Unary::Tan | Unary::Asin | Unary::Acos | Unary::Atan => Passes::Gradient,
        Unary::Sinh | Unary::Cosh => Passes::Gradient,
    }
}
