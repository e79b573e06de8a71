//! Axes brought together: sums, means, extremes, products, norms, log-sum-exp.
//!
//! The tensor is seen as (outer, n, inner) with n what is reduced; axes that do not lie side by side are brought there
//! by a transposed copy. Real sums are taken in double precision, over sixteen lanes along rows and column by column
//! elsewhere, in an order that the shape alone decides. Whole numbers wrap around; largest and smallest let a NaN
//! through. Of nothing, a sum is 0, a product 1, a largest −∞, a mean NaN.
//!
//! Pull backs: the first of equal extremes takes all; a product's is the product of the others, by running products
//! from both ends, so that zeros need no case of their own; √ at 0 has none.

use super::fold::{Block, fold};
use super::reduce_back::pull_row;
use super::shapes::{PIECE, product};
use super::transpose::{inverse, transpose};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use crate::number::{Number, by_real, numbers};
use crate::pool::Fresh;
use base::graph::{Element, Reduction, Tensor};
use base::{Error, Result};
use numeric::{Real, each_chunk_mut};

/// Brings axes together; none named: all.
pub(crate) struct Reduce<'a> {
    pub reduction: Reduction,
    pub axes: &'a [i64],
    pub keep: bool,
}

/// The n and inner of (outer, n, inner), after its axes were put in an order if need be.
struct Seen {
    order: Option<Vec<usize>>,
    n: usize,
    inner: usize,
}

impl Reduce<'_> {
    fn reduced(&self, rank: usize) -> Result<Vec<bool>> {
        let mut reduced = vec![self.axes.is_empty(); rank];
        for &a in self.axes {
            reduced[axis(a, rank)?] = true;
        }
        Ok(reduced)
    }

    fn seen(&self, shape: &[usize]) -> Result<Seen> {
        let reduced = self.reduced(shape.len())?;
        let pick = |which: bool| (0..shape.len()).filter(|&a| reduced[a] == which).collect::<Vec<_>>();
        let (kept, gone) = (pick(false), pick(true));
        let first = gone.first().copied().unwrap_or(shape.len());
        let end = gone.last().map_or(first, |&a| a + 1);
        // Axes of size 1 do not stand between others.
        if (first..end).all(|a| reduced[a] || shape[a] == 1) {
            return Ok(Seen { order: None, n: product(&shape[first..end]), inner: product(&shape[end..]) });
        }
        let size = |axes: &[usize]| axes.iter().fold(1usize, |p, &a| p.saturating_mul(shape[a]));
        Ok(Seen { n: size(&gone), inner: 1, order: Some([kept, gone].concat()) })
    }
}

impl Kernel for Reduce<'_> {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        use Reduction::{L1, Max, Mean, Min, Product, Sum, SumSquare};
        let x = &needed(inputs, 0)?.form;
        let fits = match x.element {
            Element::F32 | Element::F64 => true,
            Element::I64 => matches!(self.reduction, Sum | Mean | Max | Min | Product | L1 | SumSquare),
            Element::Bool => matches!(self.reduction, Max | Min),
        };
        if !fits {
            let what = format!("the reduction {:?} of {}", self.reduction.word(), x.element.word());
            return Err(Error::unsupported(what, "this network", "cast to f32 first"));
        }
        let reduced = self.reduced(x.shape.len())?;
        if x.element == Element::I64 && self.reduction == Reduction::Mean && self.seen(&x.shape)?.n == 0 {
            return Err(Error::size("whole numbers to take the mean of", "at least 1", 0));
        }
        let size = |(&n, reduced): (&usize, bool)| match (reduced, self.keep) {
            (false, _) => Some(n),
            (true, keep) => keep.then_some(1),
        };
        Ok(vec![TensorForm::new(x.element, x.shape.iter().zip(reduced).filter_map(size).collect::<Vec<_>>())])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        let x = needed(inputs, 0)?;
        Ok(vec![match x.element() {
            Element::F32 => run_as::<f32>(self, x, &forms[0], context, super::fold::real::<f32>),
            Element::F64 => run_as::<f64>(self, x, &forms[0], context, super::fold::real::<f64>),
            Element::I64 => run_as::<i64>(self, x, &forms[0], context, super::fold::wholes),
            Element::Bool => run_as::<bool>(self, x, &forms[0], context, |reduction, block, out| {
                let all = reduction == Reduction::Min;
                fold(
                    block,
                    out,
                    || all,
                    |a, x| if all { a & x } else { a | x },
                    |a, b| if all { a & b } else { a | b },
                    |a| a,
                );
            }),
        }?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: &Reduce<'_>, call: &Call<'_>, g: &Tensor, context: &Context<'_>) -> Result<Tensor> {
            let x = needed(call.inputs, 0)?;
            let seen = op.seen(x.shape())?;
            let turned = turned::<T>(x, &seen, context)?;
            let values = turned.as_ref().map_or(numbers::<T>(x)?, |t| &t.values);
            let (g, y) = (numbers::<T>(g)?, numbers::<T>(&call.outputs[0])?);
            let mut dx = context.take::<T>(values.len())?;
            let Seen { n, inner, .. } = seen;
            let row = n.saturating_mul(inner);
            each_chunk_mut(context.run, &mut dx.values, row, |o, dx| {
                let part = o * inner..(o + 1) * inner;
                pull_row(
                    op.reduction,
                    Block { x: &values[o * row..][..row], n, inner },
                    &y[part.clone()],
                    &g[part],
                    dx,
                );
                Ok(())
            })?;
            let Some(order) = &seen.order else { return dx.tensor(x.shape()) };
            let shape: Vec<usize> = order.iter().map(|&a| x.shape()[a]).collect();
            let mut back = context.take::<T>(dx.values.len())?;
            transpose(&dx.values, &shape, &inverse(order), &mut back.values, context.run)?;
            back.tensor(x.shape())
        }
        let Some(g) = call.gradient().filter(|_| call.wants(0)) else { return Ok(vec![None]) };
        Ok(vec![Some(by_real!(g.element(), go(self, call, g, context))?)])
    }
}

fn run_as<T: Number>(
    op: &Reduce<'_>,
    x: &Tensor,
    form: &TensorForm,
    context: &Context<'_>,
    fold: impl Fn(Reduction, Block<'_, T>, &mut [T]) + Sync,
) -> Result<Tensor> {
    let seen = op.seen(x.shape())?;
    let turned = turned::<T>(x, &seen, context)?;
    let values = turned.as_ref().map_or(numbers::<T>(x)?, |t| &t.values);
    let mut y = context.take::<T>(form.count()?)?;
    let Seen { n, inner, .. } = seen;
    let row = n.saturating_mul(inner);
    let rows = (PIECE / row.max(1)).max(1);
    if !y.values.is_empty() {
        each_chunk_mut(context.run, &mut y.values, rows.saturating_mul(inner), |piece, y| {
            for (i, y) in y.chunks_exact_mut(inner).enumerate() {
                let start = (piece * rows + i) * row;
                fold(op.reduction, Block { x: &values[start..start + row], n, inner }, y);
            }
            Ok(())
        })?;
    }
    y.tensor(form.shape.clone())
}

/// The numbers in the order in which they are seen, if that is not their own.
fn turned<T: Number>(x: &Tensor, seen: &Seen, context: &Context<'_>) -> Result<Option<Fresh<T>>> {
    let Some(order) = &seen.order else { return Ok(None) };
    let mut turned = context.take::<T>(x.numbers().len())?;
    transpose(numbers::<T>(x)?, x.shape(), order, &mut turned.values, context.run)?;
    Ok(Some(turned))
}
