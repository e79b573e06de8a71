//! Gradients through reductions, for n rows of `inner` numbers that became one row.

use super::fold::Block;
use crate::number::Number;
use base::graph::Reduction;
use numeric::Real;

/// dx from x, what came out (y) and its gradient (g).
pub(super) fn pull_row<T: Real + Number>(reduction: Reduction, block: Block<'_, T>, y: &[T], g: &[T], dx: &mut [T]) {
    let Block { x, n, inner } = block;
    if x.is_empty() {
        return;
    }
    let mut each = |slope: &dyn Fn(f64, f64) -> f64| {
        for (x, dx) in x.chunks_exact(inner).zip(dx.chunks_exact_mut(inner)) {
            for (j, (dx, x)) in dx.iter_mut().zip(x).enumerate() {
                *dx = T::narrow(g[j].wide() * slope(x.wide(), y[j].wide()));
            }
        }
    };
    match reduction {
        Reduction::Sum => dx.chunks_exact_mut(inner).for_each(|dx| dx.copy_from_slice(g)),
        Reduction::Mean => each(&|_, _| 1.0 / n as f64),
        Reduction::L1 => each(&|x, _| if x == 0.0 { 0.0 } else { x.signum() }),
        Reduction::L2 => each(&|x, y| if y == 0.0 { 0.0 } else { x / y }),
        Reduction::SumSquare => each(&|x, _| 2.0 * x),
        Reduction::LogSum => each(&|_, y| (-y).exp()),
        Reduction::LogSumExp => each(&|x, y| if x == f64::NEG_INFINITY { 0.0 } else { (x - y).exp() }),
        Reduction::Max | Reduction::Min => {
            dx.fill(T::ZERO);
            for j in 0..inner {
                let first = x[j..].iter().step_by(inner).position(|&x| x == y[j] || x.wide().is_nan());
                if let Some(i) = first {
                    dx[i * inner + j] = g[j];
                }
            }
        }
        Reduction::Product => {
            for j in 0..inner {
                let mut before = g[j].wide();
                for i in 0..n {
                    dx[i * inner + j] = T::narrow(before);
                    before *= x[i * inner + j].wide();
                }
                let mut after = 1.0;
                for i in (0..n).rev() {
                    let d = &mut dx[i * inner + j];
                    *d = T::narrow(d.wide() * after);
                    after *= x[i * inner + j].wide();
                }
            }
        }
    }
}
