//! Resampling along axes: nearest, linear or cubic.
//!
//! Each axis is resampled by itself: an element of the result is a weighted sum of a few elements (taps) of the axis.
//! With scale s an element i lies at (i + ½)/s − ½ (`half_pixel`), i/s (`asymmetric`) or i (n − 1)/(m − 1)
//! (`align_corners`); `pytorch_half_pixel` is `half_pixel`, but 0 where one element is left. Outside the edge counts,
//! or, excluded, nothing and the rest is made to sum to 1. The smooth filter is as much wider as the axis shrinks.
//! Pull back: the same weights the other way.
//!
//! **Cost.** One pass for each axis that changes.
//! **Source.** ONNX, operator Resize (opset 19).

use super::moved::{moved, pull_moved};
use super::places::Places;
use super::shapes::{around, constants, given, product, sizes, strides};
use super::taps::{Taps, place, rounded};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use base::graph::{Numbers, Resizing, Tensor};
use base::{Error, Result, Run};
use numeric::{Real, each_chunk_mut};

/// x (, roi) (, scales) (, sizes).
pub(crate) struct Resize<'a> {
    pub resizing: Resizing,
    pub places: &'a str,
    pub rounding: &'a str,
    pub cubic: f64,
    pub exclude: bool,
    pub smooth: bool,
}

/// An axis: old size, new size, scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scaled {
    pub n: usize,
    pub m: usize,
    pub scale: f64,
}

impl Kernel for Resize<'_> {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        if self.resizing != Resizing::Nearest && !x.element.is_real() {
            return Err(Error::size("numbers to resample", "f32 or f64", x.element.word()));
        }
        place(self.places, Scaled { n: 1, m: 1, scale: 1.0 }, 0)?;
        rounded(self.rounding, 0.0)?;
        let axes = scaled(&x.shape, &constants(inputs, "a scale or size")?)?;
        Ok(vec![TensorForm::new(x.element, axes.iter().map(|a| a.m).collect::<Vec<_>>())])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        let x = needed(inputs, 0)?;
        let axes = scaled(x.shape(), inputs)?;
        Ok(vec![match self.resizing {
            Resizing::Nearest => moved(x, &self.nearest(x.shape(), &axes, context.run)?, None, &forms[0], context)?,
            _ => by_real!(x.element(), resampled(self, x, &axes, context))?,
        }])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        let x = needed(call.inputs, 0)?;
        let axes = scaled(x.shape(), call.inputs)?;
        if self.resizing == Resizing::Nearest {
            return pull_moved(call, context, |x| self.nearest(x.shape(), &axes, context.run));
        }
        let mut pulled = vec![None; call.inputs.len()];
        if let Some(g) = call.gradient().filter(|_| call.wants(0)) {
            pulled[0] = Some(by_real!(g.element(), resampled_back(self, g, &axes, context))?);
        }
        Ok(pulled)
    }
}

impl Resize<'_> {
    fn nearest(&self, shape: &[usize], axes: &[Scaled], run: &Run<'_>) -> Result<Places> {
        let (strides, sizes) = (strides(shape), axes.iter().map(|a| a.m).collect::<Vec<_>>());
        let mut wrong = None;
        let places = Places::new(&sizes, run, |a, i| {
            let found = place(self.places, axes[a], i).and_then(|x| rounded(self.rounding, x));
            match found {
                Ok(x) => x.clamp(0.0, (axes[a].n - 1) as f64) as usize * strides[a],
                Err(e) => {
                    wrong = Some(e);
                    0
                }
            }
        })?;
        wrong.map_or(Ok(places), Err)
    }
}

/// What becomes of each axis.
fn scaled(shape: &[usize], inputs: &Inputs<'_>) -> Result<Vec<Scaled>> {
    // An input without numbers stands for one that is absent.
    let there = |i: usize| given(inputs, i).filter(|t| !t.numbers().is_empty());
    let axes: Vec<Scaled> = match (there(2), there(3)) {
        (Some(scales), None) => {
            let single = matches!(scales.numbers(), Numbers::F32(_));
            // In the precision the scales have: 10 · 0.7 is 7 there, and less than 7 elsewhere.
            let times = |n: usize, s: f64| if single { f64::from(n as f32 * s as f32) } else { n as f64 * s };
            let values = scales.to_f64();
            if values.len() != shape.len() || !scales.element().is_real() {
                return Err(Error::size("scales", format!("{} real numbers", shape.len()), values.len()));
            }
            if let Some(bad) = values.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
                return Err(Error::parameter("scale", bad, "must be greater than 0"));
            }
            shape.iter().zip(values).map(|(&n, scale)| Scaled { n, m: times(n, scale) as usize, scale }).collect()
        }
        (None, Some(asked)) => {
            let asked =
                sizes(asked.wholes().ok_or_else(|| Error::size("sizes", "i64", asked.element().word()))?, "sizes")?;
            if asked.len() != shape.len() {
                return Err(Error::size("sizes", shape.len(), asked.len()));
            }
            shape.iter().zip(asked).map(|(&n, m)| Scaled { n, m, scale: m as f64 / n as f64 }).collect()
        }
        (both, _) => {
            let found = if both.is_some() { "both" } else { "none" };
            return Err(Error::size("inputs of a resize", "scales or sizes", found));
        }
    };
    match axes.iter().find(|a| a.n == 0 && a.m > 0) {
        Some(axis) => Err(Error::size("elements to resample", "at least 1", format!("0, to become {}", axis.m))),
        None => Ok(axes),
    }
}

/// Axes that change, and their taps.
fn changes(op: &Resize<'_>, axes: &[Scaled], run: &Run<'_>) -> Result<Vec<(usize, Taps)>> {
    let changed = (0..axes.len()).filter(|&a| axes[a].n != axes[a].m || axes[a].scale != 1.0);
    changed.map(|a| Ok((a, Taps::new(op, axes[a], run)?))).collect()
}

fn resampled<T: Real + Number>(op: &Resize<'_>, x: &Tensor, axes: &[Scaled], context: &Context<'_>) -> Result<Tensor> {
    let mut y = x.clone();
    if axes.iter().any(|a| a.m == 0) {
        return context.take::<T>(0)?.tensor(axes.iter().map(|a| a.m).collect::<Vec<_>>());
    }
    for (a, taps) in changes(op, axes, context.run)? {
        let mut shape = y.shape().to_vec();
        let (_, n, inner) = around(&shape, a);
        shape[a] = axes[a].m;
        let mut next = context.take::<T>(TensorForm::new(T::ELEMENT, shape.clone()).count()?)?;
        let values = numbers::<T>(&y)?;
        each_chunk_mut(context.run, &mut next.values, axes[a].m * inner, |o, out| {
            let x = &values[o * n * inner..][..n * inner];
            for (i, out) in out.chunks_exact_mut(inner).enumerate() {
                out.fill(T::ZERO);
                for (k, w) in taps.of(i) {
                    let w = T::narrow(w);
                    out.iter_mut().zip(&x[k * inner..]).for_each(|(y, &x)| *y += w * x);
                }
            }
            Ok(())
        })?;
        y = next.tensor(shape)?;
    }
    Ok(y)
}

fn resampled_back<T: Real + Number>(
    op: &Resize<'_>,
    g: &Tensor,
    axes: &[Scaled],
    context: &Context<'_>,
) -> Result<Tensor> {
    let mut d = g.clone();
    if axes.iter().any(|a| a.m == 0) {
        let shape: Vec<usize> = axes.iter().map(|a| a.n).collect();
        return context.zeros::<T>(product(&shape))?.tensor(shape);
    }
    for (a, taps) in changes(op, axes, context.run)?.into_iter().rev() {
        let mut shape = d.shape().to_vec();
        let (_, m, inner) = around(&shape, a);
        shape[a] = axes[a].n;
        let mut next = context.zeros::<T>(product(&shape))?;
        let values = numbers::<T>(&d)?;
        each_chunk_mut(context.run, &mut next.values, axes[a].n * inner, |o, out| {
            for (i, g) in values[o * m * inner..][..m * inner].chunks_exact(inner).enumerate() {
                for (k, w) in taps.of(i) {
                    let w = T::narrow(w);
                    out[k * inner..].iter_mut().zip(g).for_each(|(d, &g)| *d += w * g);
                }
            }
            Ok(())
        })?;
        d = next.tensor(shape)?;
    }
    Ok(d)
}
