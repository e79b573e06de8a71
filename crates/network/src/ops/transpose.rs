//! Axes in another order.
//!
//! Axes that stay together are merged first, so that (n, c, h, w) ↔ (n, h, w, c) becomes a batch of tables turned. If
//! the last axis stays, rows are copied; else squares of the two fastest axes are turned one by one, so that lines of
//! cache that are read and written stay close. Pull back: the inverse order.

use super::shapes::{PIECE, product, strides};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_any, by_real, numbers};
use base::graph::Tensor;
use base::{Error, Result, Run};
use numeric::{Real, each_chunk_mut};
use std::ops::Range;

/// Side of the squares that are turned.
const SIDE: usize = 32;

/// The old axis for each new one; empty: reversed.
pub(crate) struct Transpose<'a>(pub &'a [usize]);

impl Transpose<'_> {
    fn order(&self, rank: usize) -> Result<Vec<usize>> {
        if self.0.is_empty() {
            return Ok((0..rank).rev().collect());
        }
        let mut sorted = self.0.to_vec();
        sorted.sort_unstable();
        match sorted.iter().copied().eq(0..rank) {
            true => Ok(self.0.to_vec()),
            false => {
                Err(Error::parameter("order", format!("{:?}", self.0), format!("must name each of {rank} axes once")))
            }
        }
    }
}

impl Kernel for Transpose<'_> {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        let order = self.order(x.shape.len())?;
        Ok(vec![TensorForm::new(x.element, order.iter().map(|&a| x.shape[a]).collect::<Vec<_>>())])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Number>(x: &Tensor, order: &[usize], form: &TensorForm, context: &Context<'_>) -> Result<Tensor> {
            let mut y = context.take::<T>(form.count()?)?;
            transpose(numbers::<T>(x)?, x.shape(), order, &mut y.values, context.run)?;
            y.tensor(form.shape.clone())
        }
        let x = needed(inputs, 0)?;
        let order = self.order(x.shape().len())?;
        Ok(vec![by_any!(x.element(), go(x, &order, &forms[0], context))?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(g: &Tensor, back: &[usize], shape: &[usize], context: &Context<'_>) -> Result<Tensor> {
            let mut dx = context.take::<T>(product(shape))?;
            transpose(numbers::<T>(g)?, g.shape(), back, &mut dx.values, context.run)?;
            dx.tensor(shape)
        }
        let Some(g) = call.gradient().filter(|_| call.wants(0)) else { return Ok(vec![None]) };
        let x = needed(call.inputs, 0)?;
        let back = inverse(&self.order(x.shape().len())?);
        Ok(vec![Some(by_real!(x.element(), go(g, &back, x.shape(), context))?)])
    }
}

/// The order that undoes an order.
pub(super) fn inverse(order: &[usize]) -> Vec<usize> {
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| back[old] = new);
    back
}

/// x of a shape with its axes in another order.
pub(super) fn transpose<T: Number>(
    x: &[T],
    shape: &[usize],
    order: &[usize],
    y: &mut [T],
    run: &Run<'_>,
) -> Result<()> {
    if y.is_empty() {
        return Ok(());
    }
    let (shape, order) = merged(shape, order);
    if order.len() < 2 {
        y.copy_from_slice(x);
        return Ok(());
    }
    let from = strides(&shape);
    let sizes: Vec<usize> = order.iter().map(|&a| shape[a]).collect();
    let to = strides(&sizes);
    let axes: Vec<Axis> = (0..order.len()).map(|i| Axis { size: sizes[i], from: from[order[i]], to: to[i] }).collect();
    // Threads share the outermost axis of the result.
    let lines = (PIECE / axes[0].to).max(if axes[0].from == 1 { SIDE } else { 1 });
    each_chunk_mut(run, y, lines * axes[0].to, |piece, y| {
        let first = piece * lines;
        turn(x, y, &axes, first..first + y.len() / axes[0].to);
        Ok(())
    })
}

/// An axis of the result: its size, and how far apart its elements lie in both.
struct Axis {
    size: usize,
    from: usize,
    to: usize,
}

/// Those indices of the first axis, to the beginning of y.
fn turn<T: Number>(x: &[T], y: &mut [T], axes: &[Axis], first: Range<usize>) {
    let last = axes.len() - 1;
    let fast = axes.iter().position(|a| a.from == 1).unwrap_or(last);
    // All but the last and the one that is fastest in x are walked one by one.
    let walked: Vec<usize> = (0..last).filter(|&a| a != fast).collect();
    let size = |a: usize| if a == 0 { first.len() } else { axes[a].size };
    let shift = first.start * axes[0].from;
    let (b, sb) = (axes[last].size, axes[last].from);
    for i in 0..walked.iter().map(|&a| size(a)).product() {
        let (mut rest, mut from, mut to) = (i, shift, 0);
        for &a in walked.iter().rev() {
            let k = rest % size(a);
            rest /= size(a);
            from += k * axes[a].from;
            to += k * axes[a].to;
        }
        if fast == last {
            y[to..to + b].copy_from_slice(&x[from..from + b]);
            continue;
        }
        let (a, sa) = (size(fast), axes[fast].to);
        for a0 in (0..a).step_by(SIDE) {
            for b0 in (0..b).step_by(SIDE) {
                let width = SIDE.min(b - b0);
                for i in a0..a.min(a0 + SIDE) {
                    let mut place = from + i + b0 * sb;
                    for y in &mut y[to + i * sa + b0..][..width] {
                        *y = x[place];
                        place += sb;
                    }
                }
            }
        }
    }
}

/// Shape and order without axes of size 1, and with axes that stay together as one.
fn merged(shape: &[usize], order: &[usize]) -> (Vec<usize>, Vec<usize>) {
    // Groups of old axes, in the new order.
    let mut groups: Vec<(usize, usize, usize)> = vec![];
    for &old in order.iter().filter(|&&a| shape[a] != 1) {
        match groups.last_mut() {
            Some((_, end, size)) if *end <= old && shape[*end..old].iter().all(|&n| n == 1) => {
                *end = old + 1;
                *size *= shape[old];
            }
            _ => groups.push((old, old + 1, shape[old])),
        }
    }
    let mut by_old: Vec<usize> = (0..groups.len()).collect();
    by_old.sort_unstable_by_key(|&g| groups[g].0);
    let sizes = by_old.iter().map(|&g| groups[g].2).collect();
    (sizes, inverse(&by_old))
}
