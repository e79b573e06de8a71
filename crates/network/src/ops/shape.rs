//! Shapes as numbers, and tensors made of shapes and numbers: all known before anything runs.

use super::shapes::{constants, sizes};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_any, numbers};
use base::graph::{Element, Tensor};
use base::{Error, Result};

/// The sizes of x from one axis to another.
pub(crate) struct Shape {
    pub start: i64,
    pub end: Option<i64>,
}

impl Shape {
    fn sizes<'a>(&self, shape: &'a [usize]) -> &'a [usize] {
        let rank = shape.len() as i64;
        let bound = |i: i64| (if i < 0 { i.saturating_add(rank) } else { i }).clamp(0, rank) as usize;
        let (start, end) = (bound(self.start), bound(self.end.unwrap_or(rank)));
        &shape[start..end.max(start)]
    }

    fn tensor(&self, shape: &[usize]) -> Result<Tensor> {
        let sizes = self.sizes(shape);
        let whole = |&n: &usize| i64::try_from(n).map_err(|_| Error::size("a size", i64::MAX, n));
        Tensor::i64([sizes.len()], sizes.iter().map(whole).collect::<Result<_>>()?)
    }
}

impl Kernel for Shape {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        Ok(vec![TensorForm::new(Element::I64, [self.sizes(&needed(inputs, 0)?.form.shape).len()])])
    }

    fn known(&self, inputs: &[Option<&Known>]) -> Result<Option<Vec<Tensor>>> {
        Ok(Some(vec![self.tensor(&needed(inputs, 0)?.form.shape)?]))
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], _context: &Context<'_>) -> Result<Vec<Tensor>> {
        Ok(vec![self.tensor(needed(inputs, 0)?.shape())?])
    }

    fn pull(&self, _call: &Call<'_>, _context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        Ok(vec![None])
    }
}

/// One value everywhere, in a shape that is an input.
pub(crate) struct ConstantOfShape<'a>(pub &'a Tensor);

impl Kernel for ConstantOfShape<'_> {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        if self.0.numbers().len() != 1 {
            return Err(Error::size("values of a constant", 1, self.0.numbers().len()));
        }
        let shape = needed(inputs, 0)?.wholes("a shape")?;
        Ok(vec![TensorForm::new(self.0.element(), sizes(shape, "shape")?)])
    }

    fn run(&self, _inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Number>(value: &Tensor, form: &TensorForm, context: &Context<'_>) -> Result<Tensor> {
            let mut y = context.take::<T>(form.count()?)?;
            y.values.fill(numbers::<T>(value)?.first().copied().unwrap_or_default());
            y.tensor(form.shape.clone())
        }
        Ok(vec![by_any!(forms[0].element, go(self.0, &forms[0], context))?])
    }

    fn pull(&self, _call: &Call<'_>, _context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        Ok(vec![None])
    }
}

/// start, start + delta, … up to but without limit.
pub(crate) struct Range;

/// Start, limit and delta as one type.
fn three<T: Number>(inputs: &Inputs<'_>) -> Result<[T; 3]> {
    let one = |i: usize| match numbers::<T>(needed(inputs, i)?)? {
        &[x] => Ok(x),
        many => Err(Error::size("start, limit and delta of a range", "one number each", many.len())),
    };
    Ok([one(0)?, one(1)?, one(2)?])
}

/// How many numbers a range has.
fn count(inputs: &Inputs<'_>) -> Result<usize> {
    let wrong = |what: &str| Err(Error::parameter("delta", what, "must lead from start towards a finite limit"));
    match needed(inputs, 0)?.element() {
        Element::I64 => {
            let [start, limit, delta] = three::<i64>(inputs)?.map(i128::from);
            if delta == 0 {
                return wrong("0");
            }
            let span = (limit - start) * delta.signum();
            let steps = if span > 0 { (span as u128).div_ceil(delta.unsigned_abs()) } else { 0 };
            usize::try_from(steps).map_err(|_| Error::size("numbers of a range", "fewer", steps))
        }
        Element::Bool => Err(Error::size("numbers of a range", "f32, f64 or i64", "bool")),
        element => {
            let [start, limit, delta] = match element {
                Element::F32 => three::<f32>(inputs)?.map(f64::from),
                _ => three::<f64>(inputs)?,
            };
            let steps = ((limit - start) / delta).ceil();
            match steps.is_finite() && delta != 0.0 {
                true => Ok(steps.max(0.0) as usize),
                _ => wrong(&format!("{delta}")),
            }
        }
    }
}

impl Kernel for Range {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        // The first must be known like the others.
        let mut known = constants(inputs, "a range")?;
        let first = needed(inputs, 0)?;
        known[0] = first.value.as_ref();
        if known[0].is_none() {
            first.wholes("a range")?;
        }
        Ok(vec![TensorForm::new(first.form.element, [count(&known)?])])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Number>(
            inputs: &Inputs<'_>,
            n: usize,
            context: &Context<'_>,
            at: impl Fn([T; 3], usize) -> T,
        ) -> Result<Tensor> {
            let three = three::<T>(inputs)?;
            let mut y = context.take::<T>(n)?;
            y.values.iter_mut().enumerate().for_each(|(i, y)| *y = at(three, i));
            y.tensor([n])
        }
        let n = forms[0].count()?;
        Ok(vec![match forms[0].element {
            Element::F32 => {
                go::<f32>(inputs, n, context, |[a, _, d], i| (f64::from(a) + i as f64 * f64::from(d)) as f32)
            }
            Element::F64 => go::<f64>(inputs, n, context, |[a, _, d], i| a + i as f64 * d),
            _ => go::<i64>(inputs, n, context, |[a, _, d], i| a.wrapping_add(d.wrapping_mul(i as i64))),
        }?])
    }

    fn pull(&self, call: &Call<'_>, _context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        Ok(vec![None; call.inputs.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_counted_without_overflow() {
        let count_of = |a: i64, b: i64, d: i64| {
            let three = [a, b, d].map(|x| Tensor::i64([], vec![x]).unwrap());
            count(&[Some(&three[0]), Some(&three[1]), Some(&three[2])])
        };
        assert_eq!((count_of(0, 10, 3), count_of(10, 0, -3), count_of(3, 0, 1)), (Ok(4), Ok(4), Ok(0)));
        assert_eq!(count_of(i64::MIN, i64::MAX, 1), Ok(usize::MAX));
        assert!(count_of(0, 1, 0).is_err());
        let real = |a: f64, b: f64, d: f64| {
            let three = [a, b, d].map(|x| Tensor::f64([], vec![x]).unwrap());
            count(&[Some(&three[0]), Some(&three[1]), Some(&three[2])])
        };
        assert_eq!((real(0.0, 1.0, 0.3), real(1.0, 0.0, 0.5)), (Ok(4), Ok(0)));
        assert!(
            real(0.0, f64::NAN, 1.0).is_err() && real(0.0, f64::INFINITY, 1.0).is_err() && real(0.0, 0.0, 0.0).is_err()
        );
    }
}
