//! Products of matrices, many at a time: the last two axes are rows and columns, the others are broadcast.
//!
//! As in NumPy a vector on the left is a row, on the right a column, and the axis it was given goes again. Where only
//! the left side has many matrices they are one tall matrix and the product is one. Gradients are g · bᵀ and aᵀ · g,
//! summed over the matrices along which a side was repeated, in order.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use crate::ops::broadcast::{Broadcast, broadcast_shape};
use base::graph::Tensor;
use base::{Error, Result, Run};
use numeric::{Mat, MatMut, Real, each_chunk_mut, product};

/// A product of matrices.
pub(crate) struct MatMul;

/// The sizes of all the products.
struct Sizes {
    rows: usize,
    inner: usize,
    columns: usize,
    /// For each product the places of its two factors.
    pairs: Vec<[usize; 2]>,
    shape: Vec<usize>,
}

impl Sizes {
    fn new(a: &[usize], b: &[usize]) -> Result<Self> {
        let (Some((&inner, before)), true) = (a.split_last(), !b.is_empty()) else {
            return Err(Error::size("axes of factors", "at least 1 each", format!("{} and {}", a.len(), b.len())));
        };
        let (rows, a_batch) = before.split_last().map_or((1, before), |(&rows, batch)| (rows, batch));
        let (depth, columns, b_batch) = match *b {
            [depth] => (depth, 1, &b[..0]),
            [ref batch @ .., depth, columns] => (depth, columns, batch),
            [] => (0, 0, b),
        };
        if inner != depth {
            return Err(Error::size("rows of the right factor", inner, depth));
        }
        let shape = broadcast_shape(&[a_batch, b_batch])?;
        let walk = Broadcast::new([a_batch, b_batch], &shape);
        let mut full = shape.clone();
        full.extend((a.len() > 1).then_some(rows));
        full.extend((b.len() > 1).then_some(columns));
        // A batch of empty matrices may be of any length: it is not walked through.
        let empty = TensorForm::new(base::graph::Element::F64, full.clone()).count()? == 0;
        let mut pairs = vec![];
        if !empty {
            let count = shape.iter().product();
            walk.stretches(0..count, |range, [i, j], [s, t]| {
                pairs.extend((0..range.len()).map(|k| [i + k * s, j + k * t]));
            });
        }
        Ok(Sizes { rows, inner, columns, pairs, shape: full })
    }

    /// The same as one product, if only the left side has more than one matrix.
    fn joined(mut self) -> Self {
        let tall = self.pairs.iter().enumerate().all(|(i, pair)| *pair == [i, 0]);
        if tall && self.pairs.len() > 1 {
            self.rows *= self.pairs.len();
            self.pairs = vec![[0, 0]];
        }
        self
    }
}

/// Matrix `i` of many.
fn matrix<T: Real>(values: &[T], i: usize, rows: usize, columns: usize) -> Result<Mat<'_, T>> {
    Mat::new(&values[i * rows * columns..][..rows * columns], rows, columns)
}

/// The run for each of many products: its threads serve them all, or the only one.
fn inside<'r>(run: &Run<'r>, count: usize) -> Run<'r> {
    Run { threads: if count > 1 { 1 } else { run.threads }, ..run.clone() }
}

impl Kernel for MatMul {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let (a, b) = (&needed(inputs, 0)?.form, &needed(inputs, 1)?.form);
        if a.element != b.element || !a.element.is_real() {
            return Err(Error::size("factors", "both f32 or both f64", format!("{:?} and {:?}", a.element, b.element)));
        }
        a.count()?;
        b.count()?;
        Ok(vec![TensorForm::new(a.element, Sizes::new(&a.shape, &b.shape)?.shape)])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(
            a: &Tensor,
            b: &Tensor,
            form: &TensorForm,
            context: &Context<'_>,
        ) -> Result<Vec<Tensor>> {
            let sizes = Sizes::new(a.shape(), b.shape())?.joined();
            let (a, b) = (numbers::<T>(a)?, numbers::<T>(b)?);
            let (rows, inner, columns) = (sizes.rows, sizes.inner, sizes.columns);
            let mut y = context.take::<T>(form.count()?)?;
            let own = inside(context.run, sizes.pairs.len());
            each_chunk_mut(context.run, &mut y.values, rows.saturating_mul(columns), |i, out| {
                let [left, right] = sizes.pairs[i];
                let (left, right) = (matrix(a, left, rows, inner)?, matrix(b, right, inner, columns)?);
                product(&own, left, right, MatMut::new(out, rows, columns)?, T::ONE, false)
            })?;
            Ok(vec![y.tensor(form.shape.clone())?])
        }
        let (a, b, form) = (needed(inputs, 0)?, needed(inputs, 1)?, needed(&[forms.first()], 0)?.to_owned());
        by_real!(a.element(), go(a, b, form, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(call: &Call<'_>, g: &Tensor, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
            let (a, b) = (needed(call.inputs, 0)?, needed(call.inputs, 1)?);
            let sizes = Sizes::new(a.shape(), b.shape())?.joined();
            let (xs, ys, g) = (numbers::<T>(a)?, numbers::<T>(b)?, numbers::<T>(g)?);
            let (rows, inner, columns) = (sizes.rows, sizes.inner, sizes.columns);
            let mut pulled = vec![None; 2];
            for (side, tensor, one) in [(0, a, rows.saturating_mul(inner)), (1, b, inner.saturating_mul(columns))] {
                if !call.wants(side) {
                    continue;
                }
                let mut out = context.zeros::<T>(numbers::<T>(tensor)?.len())?;
                let count = out.values.len() / one.max(1);
                // Which products each matrix of this side takes part in.
                let mut uses = vec![vec![]; count];
                let pairs = if count == 0 { &[] } else { &sizes.pairs[..] };
                pairs.iter().enumerate().for_each(|(i, pair)| uses[pair[side]].push(i));
                let own = inside(context.run, count);
                each_chunk_mut(context.run, &mut out.values, one, |place, out| {
                    for &i in &uses[place] {
                        let g = matrix(g, i, rows, columns)?;
                        let [left, right] = sizes.pairs[i];
                        match side {
                            0 => {
                                let right = matrix(ys, right, inner, columns)?.transposed();
                                product(&own, g, right, MatMut::new(out, rows, inner)?, T::ONE, true)?;
                            }
                            _ => {
                                let left = matrix(xs, left, rows, inner)?.transposed();
                                product(&own, left, g, MatMut::new(out, inner, columns)?, T::ONE, true)?;
                            }
                        }
                    }
                    Ok(())
                })?;
                pulled[side] = Some(out.tensor(tensor.shape())?);
            }
            Ok(pulled)
        }
        match call.gradient() {
            Some(g) => by_real!(g.element(), go(call, g, context)),
            None => Ok(vec![None; 2]),
        }
    }
}
