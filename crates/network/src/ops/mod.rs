//! One file for each operation, or for a few that are alike.

mod arithmetic;
mod binary;
mod broadcast;
mod choose;
mod conv;
mod conv_transpose;
mod correlate;
mod dense;
mod depthwise;
mod distance;
mod dropout;
mod functions;
mod local_response;
mod matmul;
mod norms;
mod pool;
mod sliding;
mod soft_pool;
mod sums;
mod unary;
mod unfold;

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
        Op::Conv { window, groups } => Box::new(conv::Conv { window, groups: *groups }),
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
        _ => todo!(),
    }
}

/// The sum of two tensors of the same form.
pub(crate) fn add(a: &Tensor, b: &Tensor, context: &Context<'_>) -> Result<Tensor> {
    binary::sum(a, b, context)
}
