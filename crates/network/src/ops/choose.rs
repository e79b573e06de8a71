//! Choosing and bounding: one of two elements by a condition, and elements brought between two numbers.
//!
//! Where: the gradient goes to the element that was chosen. Clip: min(max(x, low), high), the gradient passes where x
//! lies within the bounds; the bounds themselves have none.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use crate::ops::broadcast::{Broadcast, broadcast_shape};
use crate::ops::sums::sum_to;
use base::graph::{Element, Tensor};
use base::{Error, Result};
use numeric::{Real, each_chunk_mut};

/// Elements one thread takes in one go.
const PIECE: usize = 1 << 14;

/// a where a condition holds, else b.
pub(crate) struct Where;

impl Kernel for Where {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let (c, a, b) = (&needed(inputs, 0)?.form, &needed(inputs, 1)?.form, &needed(inputs, 2)?.form);
        if c.element != Element::Bool {
            return Err(Error::size("the condition", "bool", c.element.word()));
        }
        if a.element != b.element {
            return Err(Error::size("the third input", a.element.word(), b.element.word()));
        }
        Ok(vec![TensorForm::new(a.element, broadcast_shape(&[&c.shape, &a.shape, &b.shape])?)])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Number>(inputs: [&Tensor; 3], form: &TensorForm, context: &Context<'_>) -> Result<Vec<Tensor>> {
            let walk = Broadcast::new(inputs.map(Tensor::shape), &form.shape);
            let (c, a, b) = (numbers::<bool>(inputs[0])?, numbers::<T>(inputs[1])?, numbers::<T>(inputs[2])?);
            let mut y = context.take::<T>(form.count()?)?;
            each_chunk_mut(context.run, &mut y.values, PIECE, |piece, out| {
                let start = piece * PIECE;
                walk.stretches(start..start + out.len(), |range, [h, i, j], [r, s, t]| {
                    let chosen = |k: usize| if c[h + k * r] { a[i + k * s] } else { b[j + k * t] };
                    out[range].iter_mut().enumerate().for_each(|(k, y)| *y = chosen(k));
                });
                Ok(())
            })?;
            Ok(vec![y.tensor(form.shape.clone())?])
        }
        let inputs = [*needed(inputs, 0)?, *needed(inputs, 1)?, *needed(inputs, 2)?];
        let form = needed(&[forms.first()], 0)?.to_owned();
        match form.element {
            Element::F32 => go::<f32>(inputs, form, context),
            Element::F64 => go::<f64>(inputs, form, context),
            Element::I64 => go::<i64>(inputs, form, context),
            Element::Bool => go::<bool>(inputs, form, context),
        }
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(call: &Call<'_>, g: &Tensor, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
            let mut pulled = vec![None; 3];
            let (c, values) = (needed(call.inputs, 0)?, numbers::<T>(g)?);
            let walk = Broadcast::new([c.shape()], g.shape());
            let c = numbers::<bool>(c)?;
            for (i, when) in [(1, true), (2, false)] {
                if call.wants(i) {
                    let mut full = context.take::<T>(values.len())?;
                    each_chunk_mut(context.run, &mut full.values, PIECE, |piece, out| {
                        let start = piece * PIECE;
                        walk.stretches(start..start + out.len(), |range, [h], [r]| {
                            let g = &values[start + range.start..];
                            for (k, (d, &g)) in out[range].iter_mut().zip(g).enumerate() {
                                *d = if c[h + k * r] == when { g } else { T::ZERO };
                            }
                        });
                        Ok(())
                    })?;
                    let shape = needed(call.inputs, i)?.shape();
                    pulled[i] = Some(sum_to::<T>(full.tensor(g.shape())?, shape, context)?);
                }
            }
            Ok(pulled)
        }
        match call.gradient() {
            Some(g) if g.element().is_real() => by_real!(g.element(), go(call, g, context)),
            _ => Ok(vec![None; 3]),
        }
    }
}

/// Elements brought between two numbers.
pub(crate) struct Clip;

/// A bound, if there is one.
fn bound<T: Number>(inputs: &Inputs<'_>, i: usize) -> Result<Option<T>> {
    let tensor = inputs.get(i).copied().flatten();
    tensor.map(|t| numbers::<T>(t).map(|v| v.first().copied())).transpose().map(Option::flatten)
}

impl Kernel for Clip {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        for form in inputs.iter().skip(1).flatten().map(|k| &k.form) {
            if form.element != x.element || form.count()? != 1 {
                return Err(Error::size("a bound", format!("one {}", x.element.word()), format!("{form:?}")));
            }
        }
        match x.element {
            Element::Bool => Err(Error::size("inputs", "numbers", x.element.word())),
            _ => Ok(vec![x.clone()]),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Number>(inputs: &Inputs<'_>, context: &Context<'_>) -> Result<Vec<Tensor>> {
            let x = needed(inputs, 0)?;
            let (low, high) = (bound::<T>(inputs, 1)?, bound::<T>(inputs, 2)?);
            let values = numbers::<T>(x)?;
            let mut y = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut y.values, PIECE, |piece, out| {
                out.copy_from_slice(&values[piece * PIECE..][..out.len()]);
                // Comparisons with NaN are false, so that NaN stays.
                if let Some(low) = low {
                    out.iter_mut().for_each(|y| *y = if *y < low { low } else { *y });
                }
                if let Some(high) = high {
                    out.iter_mut().for_each(|y| *y = if *y > high { high } else { *y });
                }
                Ok(())
            })?;
            Ok(vec![y.tensor(x.shape())?])
        }
        match needed(inputs, 0)?.element() {
            Element::I64 => go::<i64>(inputs, context),
            other => by_real!(other, go(inputs, context)),
        }
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(call: &Call<'_>, g: &Tensor, context: &Context<'_>) -> Result<Tensor> {
            let (x, values) = (needed(call.inputs, 0)?, numbers::<T>(g)?);
            let (low, high) = (bound::<T>(call.inputs, 1)?, bound::<T>(call.inputs, 2)?);
            let inside = |x: T| low.is_none_or(|low| x >= low) && high.is_none_or(|high| x <= high);
            let (xs, mut dx) = (numbers::<T>(x)?, context.take::<T>(values.len())?);
            each_chunk_mut(context.run, &mut dx.values, PIECE, |piece, out| {
                let pairs = xs[piece * PIECE..].iter().zip(&values[piece * PIECE..]);
                out.iter_mut().zip(pairs).for_each(|(d, (&x, &g))| *d = if inside(x) { g } else { T::ZERO });
                Ok(())
            })?;
            dx.tensor(x.shape())
        }
        let mut pulled = vec![None; call.inputs.len()];
        if let Some(g) = call.gradient().filter(|g| call.wants(0) && g.element().is_real()) {
            pulled[0] = Some(by_real!(g.element(), go(call, g, context))?);
        }
        Ok(pulled)
    }
}
