//! What operations do to what goes in: classes of them that share their relevance rules.

use super::{Binary, Pooling, Reduction, Unary};

/// A class of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// x · W + b with W and b constant.
    Dense,
    /// The same with windows: convolutions and their transposes.
    Convolution,
    /// A function of each element that bends or squashes.
    Activation,
    /// A function of each element that is not 0 at 0: kernels are made of these.
    Curve,
    /// Sums of squares or sizes, lengths.
    Measure,
    /// A softmax within a network.
    Softmax,
    /// Sums and differences of two tensors.
    Sum,
    /// Fixed weighted sums of elements: averages, resizing, running sums.
    Mean,
    /// The largest or a chosen element wins.
    Winner,
    /// Elements that change place, shape or type.
    Moved,
    /// A constant factor or divisor.
    Scale,
    /// A product of two tensors that both carry relevance.
    Product,
    /// Batch normalisation with constant statistics.
    BatchNorm,
    /// Normalisation by what goes in: layers, groups, neighbouring channels.
    Norm,
    /// Distances to constant centres.
    Distance,
    /// Soft minima and maxima of a row.
    SoftPool,
    /// None of these: only gradients pass.
    Other,
}

/// Whether input `i` is no constant.
pub(super) fn wants(wanted: &[bool], i: usize) -> bool {
    wanted.get(i).copied().unwrap_or(false)
}

/// Whether input `i` is the only one that is no constant.
pub(super) fn only(wanted: &[bool], i: usize) -> bool {
    wants(wanted, i) && wanted.iter().filter(|w| **w).count() == 1
}

/// The class of an operation whose weights, places or bounds are constants; without a class if they are not.
pub(super) fn only_first(wanted: &[bool], class: Class) -> Class {
    if only(wanted, 0) { class } else { Class::Other }
}

pub(super) fn of_pooling(pooling: Pooling) -> Class {
    match pooling {
        Pooling::Max => Class::Winner,
        Pooling::Average | Pooling::AveragePadded => Class::Mean,
        Pooling::Lp(_) => Class::Other,
    }
}

pub(super) fn of_reduction(reduction: Reduction) -> Class {
    match reduction {
        Reduction::Sum | Reduction::Mean => Class::Mean,
        Reduction::Max | Reduction::Min => Class::Winner,
        Reduction::SumSquare | Reduction::L1 | Reduction::L2 => Class::Measure,
        Reduction::Product | Reduction::LogSum | Reduction::LogSumExp => Class::Other,
    }
}

pub(super) fn of_binary(binary: Binary, wanted: &[bool]) -> Class {
    match binary {
        Binary::Add | Binary::Sub => Class::Sum,
        Binary::Mul if wants(wanted, 0) && wants(wanted, 1) => Class::Product,
        Binary::Mul => Class::Scale,
        Binary::Div => only_first(wanted, Class::Scale),
        Binary::Pow => only_first(wanted, Class::Curve),
        Binary::Prelu => only_first(wanted, Class::Activation),
        Binary::Max | Binary::Min => Class::Winner,
        Binary::Mod | Binary::Fmod | Binary::Equal | Binary::Less | Binary::LessOrEqual => Class::Other,
        Binary::Greater | Binary::GreaterOrEqual | Binary::And | Binary::Or | Binary::Xor => Class::Other,
    }
}

pub(super) fn of_unary(unary: Unary) -> Class {
    match unary {
        Unary::Identity => Class::Moved,
        Unary::Relu | Unary::LeakyRelu(_) | Unary::ThresholdedRelu(_) | Unary::Elu(_) | Unary::Selu(..) => {
            Class::Activation
        }
        Unary::Celu(_) | Unary::Gelu(_) | Unary::Softplus | Unary::Softsign | Unary::Sigmoid => Class::Activation,
        Unary::HardSigmoid(..) | Unary::HardSwish | Unary::Swish(_) | Unary::Mish | Unary::Tanh | Unary::Erf => {
            Class::Activation
        }
        Unary::Neg | Unary::Abs | Unary::Atan | Unary::Sinh | Unary::Sign => Class::Activation,
        Unary::Exp | Unary::Reciprocal => Class::Curve,
        Unary::Log | Unary::Sqrt | Unary::Floor | Unary::Ceil | Unary::Round => Class::Other,
        Unary::Sin | Unary::Cos | Unary::Tan | Unary::Asin | Unary::Acos | Unary::Cosh => Class::Other,
        Unary::Not | Unary::IsNan | Unary::IsInf => Class::Other,
    }
}
