//! What an operation does to relevance: classes of operations that share their rules.

use base::graph::{Binary, Op, Pooling, Reduction, Unary};

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

impl Class {
    /// The class of an operation, with those inputs `wanted` that are no constants.
    pub fn of(op: &Op, wanted: &[bool]) -> Class {
        let wants = |i: usize| wanted.get(i).copied().unwrap_or(false);
        let only_first = wants(0) && !wanted.iter().skip(1).any(|w| *w);
        match op {
            Op::Dense { .. } if only_first => Class::Dense,
            Op::Conv { .. } | Op::ConvTranspose { .. } if only_first => Class::Convolution,
            Op::MatMul if wants(0) != wants(1) => Class::Dense,
            Op::Dense { .. } | Op::MatMul => Class::Product,
            Op::Distance { .. } if only_first => Class::Distance,
            Op::SoftPool { .. } => Class::SoftPool,
            Op::Pool { pooling: Pooling::Max, .. } => Class::Winner,
            Op::Pool { pooling: Pooling::Average | Pooling::AveragePadded, .. } => Class::Mean,
            Op::Reduce { reduction: Reduction::Sum | Reduction::Mean, .. } => Class::Mean,
            Op::Reduce { reduction: Reduction::Max | Reduction::Min, .. } => Class::Winner,
            Op::Reduce { reduction: Reduction::SumSquare | Reduction::L1 | Reduction::L2, .. } => Class::Measure,
            Op::Softmax { log: false, .. } => Class::Softmax,
            Op::Binary(Binary::Pow) if only_first => Class::Curve,
            Op::Resize { .. } | Op::CumSum { .. } if only_first => Class::Mean,
            Op::BatchNorm { .. } if only_first => Class::BatchNorm,
            Op::LayerNorm { .. } | Op::GroupNorm { .. } if only_first => Class::Norm,
            Op::LocalResponse { .. } => Class::Norm,
            Op::Unary(unary) => of_unary(*unary),
            Op::Clip if only_first => Class::Activation,
            Op::Binary(Binary::Prelu) if only_first => Class::Activation,
            Op::Binary(Binary::Add | Binary::Sub) => Class::Sum,
            Op::Binary(Binary::Mul) if wants(0) && wants(1) => Class::Product,
            Op::Binary(Binary::Mul) => Class::Scale,
            Op::Binary(Binary::Div) if only_first => Class::Scale,
            Op::Binary(Binary::Max | Binary::Min) => Class::Winner,
            Op::Where if !wants(0) => Class::Winner,
            Op::Concat { .. } => Class::Moved,
            Op::Split { .. } | Op::Flatten { .. } | Op::Squeeze { .. } | Op::Unsqueeze { .. } => Class::Moved,
            Op::Reshape { .. } | Op::Transpose { .. } | Op::Pad { .. } | Op::Slice if only_first => Class::Moved,
            Op::Gather { .. } | Op::GatherElements { .. } | Op::GatherNd { .. } if only_first => Class::Moved,
            Op::Expand | Op::Tile if only_first => Class::Moved,
            Op::Cast { .. } | Op::Dropout { .. } => Class::Moved,
            // Written out, so that a new operation is asked for its class: those of the above whose weights are no
            // constants, and those that have no class at all.
            Op::Conv { .. } | Op::ConvTranspose { .. } | Op::Distance { .. } => Class::Other,
            Op::Pool { pooling: Pooling::Lp(_), .. } => Class::Other,
            Op::Reduce { reduction: Reduction::Product | Reduction::LogSum | Reduction::LogSumExp, .. } => Class::Other,
            Op::Softmax { log: true, .. } | Op::Resize { .. } | Op::CumSum { .. } => Class::Other,
            Op::BatchNorm { .. } | Op::LayerNorm { .. } | Op::GroupNorm { .. } => Class::Other,
            Op::Clip | Op::Where | Op::Range => Class::Other,
            Op::Binary(Binary::Pow | Binary::Prelu | Binary::Div | Binary::Mod | Binary::Fmod) => Class::Other,
            Op::Binary(Binary::Equal | Binary::Less | Binary::LessOrEqual | Binary::Greater) => Class::Other,
            Op::Binary(Binary::GreaterOrEqual | Binary::And | Binary::Or | Binary::Xor) => Class::Other,
            Op::Reshape { .. } | Op::Transpose { .. } | Op::Pad { .. } | Op::Slice => Class::Other,
            Op::Gather { .. } | Op::GatherElements { .. } | Op::GatherNd { .. } | Op::Scatter(_) => Class::Other,
            Op::Expand | Op::Tile | Op::ArgMax { .. } | Op::TopK { .. } | Op::OneHot { .. } => Class::Other,
            Op::Shape { .. } | Op::ConstantOfShape { .. } => Class::Other,
        }
    }
}

fn of_unary(unary: Unary) -> Class {
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
