//! One operation by itself, on numbers of the caller's choosing: what relevance rules are made of.
//!
//! [`Network::apply`] and [`Network::pull_back`] run an operation of the closed set and its pull back with any inputs,
//! so a rule that asks for clamped weights or other inputs costs what the layer costs. [`Network::each`] and
//! [`Network::lines`] are the passes between: one over the elements, one that also sums each line in double precision.
//! Buffers are the network's and are used again.
//!
//! **Cost.** That of the operation; one pass over memory for the others. Work is cut by the data alone.

use crate::kernel::{Call, Context, Known, TensorForm};
use crate::network::Network;
use crate::number::{Number, numbers};
use crate::ops::{add, kernel};
use base::graph::{Element, Op, Tensor};
use base::{Error, Result, Run};
use numeric::{Real, each_chunk_mut};

/// Elements one thread takes in one go.
const PIECE: usize = 1 << 14;

/// A function of N numbers, in either precision.
pub trait Formula<const N: usize>: Sync {
    /// Its value.
    fn of<T: Real>(&self, x: [T; N]) -> T;
}

/// A function of lines of N tensors that also gives two sums of each line.
pub trait LineFunction<const N: usize>: Sync {
    /// Fills line `line` and answers with its sums.
    fn fill<T: Real>(&self, line: usize, x: [&[T]; N], out: &mut [T]) -> [f64; 2];
}

impl Network {
    /// The first output of an operation for these inputs.
    pub fn apply(&self, op: &Op, inputs: &[Option<&Tensor>], run: &Run<'_>) -> Result<Tensor> {
        let known: Vec<Option<Known>> = inputs
            .iter()
            .map(|t| t.map(|t| Known { form: TensorForm::new(t.element(), t.shape()), value: Some(t.clone()) }))
            .collect();
        let kernel = kernel(op);
        let forms = kernel.forms(&known.iter().map(Option::as_ref).collect::<Vec<_>>(), 1)?;
        let given = kernel.run(inputs, &forms, &self.context(run))?;
        given.into_iter().next().ok_or_else(|| Error::size("outputs of an operation", "at least 1", 0))
    }

    /// Pulls gradients of an operation's outputs back to the inputs that are `wanted`.
    ///
    /// `outputs` is what came out, for operations whose slope is told by it; linear ones may get none.
    pub fn pull_back(
        &self,
        op: &Op,
        inputs: &[Option<&Tensor>],
        outputs: &[Tensor],
        gradients: &[Option<Tensor>],
        wanted: &[bool],
        run: &Run<'_>,
    ) -> Result<Vec<Option<Tensor>>> {
        kernel(op).pull(&Call { inputs, outputs, gradients, wanted }, &self.context(run))
    }

    /// The sum of two tensors of one form.
    pub fn sum(&self, a: &Tensor, b: &Tensor, run: &Run<'_>) -> Result<Tensor> {
        alike([a, b])?;
        add(a, b, &self.context(run))
    }

    /// A function of the elements of some tensors of one form.
    pub fn each<const N: usize>(&self, x: [&Tensor; N], f: &impl Formula<N>, run: &Run<'_>) -> Result<Tensor> {
        fn go<T: Real + Number, const N: usize>(
            x: [&Tensor; N],
            f: &impl Formula<N>,
            context: &Context<'_>,
        ) -> Result<Tensor> {
            let values = slices::<T, N>(x)?;
            let mut out = context.take::<T>(values[0].len())?;
            each_chunk_mut(context.run, &mut out.values, PIECE, |piece, out| {
                let part = values.map(|v| &v[piece * PIECE..][..out.len()]);
                out.iter_mut().enumerate().for_each(|(i, o)| *o = f.of(part.map(|p| p[i])));
                Ok(())
            })?;
            out.tensor(x[0].shape())
        }
        alike(x)?;
        match x[0].element() {
            Element::F32 => go::<f32, N>(x, f, &self.context(run)),
            Element::F64 => go::<f64, N>(x, f, &self.context(run)),
            other => Err(Error::size("numbers", "f32 or f64", other.word())),
        }
    }

    /// The same line by line, `length` elements each, with two sums for each line.
    pub fn lines<const N: usize>(
        &self,
        x: [&Tensor; N],
        length: usize,
        f: &impl LineFunction<N>,
        run: &Run<'_>,
    ) -> Result<(Tensor, Vec<[f64; 2]>)> {
        fn go<T: Real + Number, const N: usize>(
            x: [&Tensor; N],
            length: usize,
            f: &impl LineFunction<N>,
            context: &Context<'_>,
        ) -> Result<(Tensor, Vec<[f64; 2]>)> {
            let values = slices::<T, N>(x)?;
            let mut out = context.take::<T>(values[0].len())?;
            let mut sums = vec![[0.0; 2]; values[0].len() / length.max(1)];
            let at_once = (PIECE / length.max(1)).max(1);
            let mut pieces: Vec<_> =
                out.values.chunks_mut(at_once * length.max(1)).zip(sums.chunks_mut(at_once)).collect();
            each_chunk_mut(context.run, &mut pieces, 1, |piece, list| {
                for (out, sums) in list {
                    for (k, (line, sum)) in out.chunks_exact_mut(length.max(1)).zip(sums.iter_mut()).enumerate() {
                        let i = piece * at_once + k;
                        *sum = f.fill(i, values.map(|v| &v[i * length..][..length]), line);
                    }
                }
                Ok(())
            })?;
            Ok((out.tensor(x[0].shape())?, sums))
        }
        alike(x)?;
        if length == 0 || !x[0].numbers().len().is_multiple_of(length) {
            return Err(Error::size("elements of a line", format!("a part of {}", x[0].numbers().len()), length));
        }
        match x[0].element() {
            Element::F32 => go::<f32, N>(x, length, f, &self.context(run)),
            Element::F64 => go::<f64, N>(x, length, f, &self.context(run)),
            other => Err(Error::size("numbers", "f32 or f64", other.word())),
        }
    }

    fn context<'a>(&'a self, run: &'a Run<'a>) -> Context<'a> {
        Context { run, pool: self.pool(), training: None }
    }
}

fn slices<T: Number, const N: usize>(x: [&Tensor; N]) -> Result<[&[T]; N]> {
    let mut out: [&[T]; N] = [&[]; N];
    for (o, t) in out.iter_mut().zip(x) {
        *o = numbers::<T>(t)?;
    }
    Ok(out)
}

/// Makes sure that tensors have one form.
fn alike<const N: usize>(x: [&Tensor; N]) -> Result<()> {
    let form = |t: &Tensor| format!("{} {:?}", t.element().word(), t.shape());
    match x.iter().find(|t| t.shape() != x[0].shape() || t.element() != x[0].element()) {
        Some(other) => Err(Error::size("tensors taken together", form(x[0]), form(other))),
        None => Ok(()),
    }
}
