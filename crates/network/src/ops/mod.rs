//! One file for each operation, or for a few that are alike.

mod arg_max;
mod arithmetic;
mod batch;
mod binary;
mod broadcast;
mod cast;
mod choose;
mod concat;
mod conv;
mod conv_transpose;
mod correlate;
mod cum_sum;
mod dense;
mod depthwise;
mod distance;
mod dropout;
mod expand;
mod fold;
mod functions;
mod gather;
mod index;
mod local_response;
mod matmul;
mod moved;
mod norms;
mod one_hot;
mod pad;
mod padded;
mod panels;
mod places;
mod pool;
mod reduce;
mod reduce_back;
mod reshape;
mod resize;
mod scatter;
mod shape;
mod shapes;
mod slice;
mod sliding;
mod soft_pool;
mod softmax;
mod split;
mod sums;
mod taps;
mod top_k;
mod transpose;
mod turned;
mod unary;
mod unfold;
mod winograd;

pub(crate) use batch::running;
pub(crate) use conv::{Conv, FREE};
pub use sums::total_of;

use crate::kernel::{Context, Kernel};
use base::Result;
use base::graph::{Op, Tensor};

/// The kernel of an operation.
pub(crate) fn kernel(op: &Op) -> Box<dyn Kernel + '_> {
    match op {
        Op::Dense { transposed } => Box::new(dense::Dense { transposed: *transposed }),
        Op::Unary(unary) => Box::new(unary::Each(*unary)),
        Op::Binary(binary) => Box::new(binary::Both(*binary)),
        Op::Where => Box::new(choose::Where),
        Op::Clip => Box::new(choose::Clip),
        Op::MatMul => Box::new(matmul::MatMul),
        Op::Conv { window, groups } => Box::new(conv::Conv { window, groups: *groups, bounds: FREE }),
        Op::ConvTranspose { window, groups, extra } => {
            Box::new(conv_transpose::ConvTranspose { window, groups: *groups, extra })
        }
        Op::Pool { pooling, window } => Box::new(pool::Pool { pooling: *pooling, window }),
        Op::BatchNorm { epsilon } => Box::new(norms::BatchNorm { epsilon: *epsilon }),
        Op::LayerNorm { axis, epsilon } => Box::new(norms::RowNorm::Layer { axis: *axis, epsilon: *epsilon }),
        Op::GroupNorm { groups, epsilon } => Box::new(norms::RowNorm::Group { groups: *groups, epsilon: *epsilon }),
        Op::LocalResponse { size, alpha, beta, bias } => {
            Box::new(local_response::LocalResponse { size: *size, alpha: *alpha, beta: *beta, bias: *bias })
        }
        Op::Distance { q } => Box::new(distance::Distance { q: *q }),
        Op::SoftPool { pooling } => Box::new(soft_pool::SoftPool(*pooling)),
        Op::Dropout { rate } => Box::new(dropout::Dropout { rate: *rate }),
        Op::Reduce { reduction, axes, keep } => Box::new(reduce::Reduce { reduction: *reduction, axes, keep: *keep }),
        Op::ArgMax { axis, keep, last, smallest } => {
            Box::new(arg_max::ArgMax { axis: *axis, keep: *keep, last: *last, smallest: *smallest })
        }
        Op::TopK { axis, largest } => Box::new(top_k::TopK { axis: *axis, largest: *largest }),
        Op::Softmax { axis, log } => Box::new(softmax::Softmax { axis: *axis, log: *log }),
        Op::CumSum { exclusive, reverse } => Box::new(cum_sum::CumSum { exclusive: *exclusive, reverse: *reverse }),
        Op::Concat { axis } => Box::new(concat::Concat { axis: *axis }),
        Op::Split { axis, sizes } => Box::new(split::Split { axis: *axis, sizes }),
        Op::Reshape { zero } => Box::new(reshape::Reshape::To { zero: *zero }),
        Op::Flatten { axis } => Box::new(reshape::Reshape::Flatten { axis: *axis }),
        Op::Squeeze { axes } => Box::new(reshape::Reshape::Squeeze { axes }),
        Op::Unsqueeze { axes } => Box::new(reshape::Reshape::Unsqueeze { axes }),
        Op::Transpose { order } => Box::new(transpose::Transpose(order)),
        Op::Pad { filling } => Box::new(pad::Pad(*filling)),
        Op::Slice => Box::new(slice::Slice),
        Op::Gather { axis } => Box::new(gather::Gather::Slices { axis: *axis }),
        Op::GatherElements { axis } => Box::new(gather::Gather::Elements { axis: *axis }),
        Op::GatherNd { batch } => Box::new(gather::Gather::Nd { batch: *batch }),
        Op::Scatter(scatter) => Box::new(scatter::Replace(*scatter)),
        Op::Expand => Box::new(expand::Repeat::Expand),
        Op::Tile => Box::new(expand::Repeat::Tile),
        Op::Resize { resizing, places, rounding, cubic, exclude, smooth } => Box::new(resize::Resize {
            resizing: *resizing,
            places,
            rounding,
            cubic: *cubic,
            exclude: *exclude,
            smooth: *smooth,
        }),
        Op::Shape { start, end } => Box::new(shape::Shape { start: *start, end: *end }),
        Op::ConstantOfShape { value } => Box::new(shape::ConstantOfShape(value)),
        Op::Range => Box::new(shape::Range),
        Op::Cast { to } => Box::new(cast::Cast(*to)),
        Op::OneHot { axis } => Box::new(one_hot::OneHot { axis: *axis }),
    }
}

/// The sum of two tensors of the same form.
pub(crate) fn add(a: &Tensor, b: &Tensor, context: &Context<'_>) -> Result<Tensor> {
    binary::sum(a, b, context)
}
