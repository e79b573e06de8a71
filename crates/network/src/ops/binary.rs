//! Functions of two numbers, element by element, shapes broadcast.
//!
//! What is computed is in `arithmetic`, how tensors are walked through together in `broadcast`. Gradients are computed
//! in the shape of the result and summed over the axes along which an operand was repeated.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use crate::ops::arithmetic::{Back, back, compared, divides, logic, real, whole};
use crate::ops::broadcast::{Broadcast, broadcast_shape};
use crate::ops::sums::sum_to;
use base::graph::{Binary, Element, Tensor};
use base::{Error, Result};
use numeric::{Real, each_chunk_mut};

/// Elements one thread takes in one go.
const PIECE: usize = 1 << 14;

/// A function of the elements of two tensors.
pub(crate) struct Both(pub Binary);

impl Kernel for Both {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let (a, b) = (&needed(inputs, 0)?.form, &needed(inputs, 1)?.form);
        if a.element != b.element {
            return Err(Error::size("the second input", a.element.word(), b.element.word()));
        }
        let element = match a.element {
            Element::Bool if logic(self.0).is_some() => Element::Bool,
            Element::F32 | Element::F64 | Element::I64 if compared::<f64>(self.0).is_some() => Element::Bool,
            Element::F32 | Element::F64 | Element::I64 if whole(self.0).is_some() => a.element,
            other => return Err(Error::unsupported(self.0.word(), other.word(), "cast the inputs first")),
        };
        Ok(vec![TensorForm::new(element, broadcast_shape(&[&a.shape, &b.shape])?)])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        let (a, b, form) = (needed(inputs, 0)?, needed(inputs, 1)?, needed(&[forms.first()], 0)?.to_owned());
        let pair = Operands { a, b, shape: &form.shape, context };
        let y = match (a.element(), form.element) {
            (Element::F32, Element::F32) => pair.computed::<f32>(self.0),
            (Element::F64, Element::F64) => pair.computed::<f64>(self.0),
            (Element::I64, Element::I64) => {
                if divides(self.0) && numbers::<i64>(b)?.contains(&0) {
                    return Err(Error::parameter("divisor", 0, "whole numbers cannot be divided by 0"));
                }
                pair.by(whole(self.0))
            }
            (Element::Bool, _) => pair.by(logic(self.0)),
            (Element::F32, _) => pair.by(compared::<f32>(self.0)),
            (Element::F64, _) => pair.by(compared::<f64>(self.0)),
            (Element::I64, _) => pair.by(compared::<i64>(self.0)),
        };
        Ok(vec![y?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: Binary, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
            let mut pulled = vec![None; 2];
            let (Some(g), Some((to_a, to_b))) = (call.gradient(), back::<T>(op)) else { return Ok(pulled) };
            let (a, b) = (needed(call.inputs, 0)?, needed(call.inputs, 1)?);
            for (i, (side, way)) in [(a, to_a), (b, to_b)].into_iter().enumerate() {
                if call.wants(i) {
                    // Products are common; a loop that knows them is faster than one that calls.
                    let full = match (way, op, i) {
                        (Back::Same, ..) => g.clone(),
                        (_, Binary::Mul, 0) => slopes::<T>(a, b, g, context, |_, b, g| g * b)?,
                        (_, Binary::Mul, _) => slopes::<T>(a, b, g, context, |a, _, g| g * a)?,
                        (Back::By(slope), ..) => slopes::<T>(a, b, g, context, slope)?,
                    };
                    pulled[i] = Some(sum_to::<T>(full, side.shape(), context)?);
                }
            }
            Ok(pulled)
        }
        let element = needed(call.inputs, 0)?.element();
        match element.is_real() {
            true => by_real!(element, go(self.0, call, context)),
            false => Ok(vec![None; 2]),
        }
    }
}

/// Two tensors and the shape they are broadcast to.
struct Operands<'a> {
    a: &'a Tensor,
    b: &'a Tensor,
    shape: &'a [usize],
    context: &'a Context<'a>,
}

impl Operands<'_> {
    /// Real numbers; the common functions have loops of their own.
    fn computed<T: Real + Number>(&self, op: Binary) -> Result<Tensor> {
        match op {
            Binary::Add => self.walk(|a: T, b: T| a + b),
            Binary::Sub => self.walk(|a: T, b: T| a - b),
            Binary::Mul => self.walk(|a: T, b: T| a * b),
            Binary::Div => self.walk(|a: T, b: T| a / b),
            other => self.by(real::<T>(other)),
        }
    }

    /// By a function that the form has made sure of.
    fn by<A: Number, B: Number>(&self, f: Option<fn(A, A) -> B>) -> Result<Tensor> {
        match f {
            Some(f) => self.walk(f),
            None => Err(Error::unsupported("this function", self.a.element().word(), "cast the inputs first")),
        }
    }

    fn walk<A: Number, B: Number>(&self, f: impl Fn(A, A) -> B + Sync) -> Result<Tensor> {
        let (a, b) = (numbers::<A>(self.a)?, numbers::<A>(self.b)?);
        let walk = Broadcast::new([self.a.shape(), self.b.shape()], self.shape);
        let count = TensorForm::new(B::ELEMENT, self.shape).count()?;
        let mut y = self.context.take::<B>(count)?;
        each_chunk_mut(self.context.run, &mut y.values, PIECE, |piece, out| {
            let start = piece * PIECE;
            walk.stretches(start..start + out.len(), |range, [i, j], steps| {
                let out = &mut out[range];
                let n = out.len();
                match steps {
                    [1, 1] => out.iter_mut().zip(&a[i..i + n]).zip(&b[j..j + n]).for_each(|((y, &a), &b)| *y = f(a, b)),
                    [1, 0] => out.iter_mut().zip(&a[i..i + n]).for_each(|(y, &a)| *y = f(a, b[j])),
                    [0, 1] => out.iter_mut().zip(&b[j..j + n]).for_each(|(y, &b)| *y = f(a[i], b)),
                    [s, t] => out.iter_mut().enumerate().for_each(|(k, y)| *y = f(a[i + k * s], b[j + k * t])),
                }
            });
            Ok(())
        })?;
        y.tensor(self.shape)
    }
}

/// f(a, b, g) in the shape of g.
fn slopes<T: Real + Number>(
    a: &Tensor,
    b: &Tensor,
    g: &Tensor,
    context: &Context<'_>,
    f: impl Fn(T, T, T) -> T + Sync,
) -> Result<Tensor> {
    let walk = Broadcast::new([a.shape(), b.shape()], g.shape());
    let (a, b, values) = (numbers::<T>(a)?, numbers::<T>(b)?, numbers::<T>(g)?);
    let mut out = context.take::<T>(values.len())?;
    each_chunk_mut(context.run, &mut out.values, PIECE, |piece, out| {
        let start = piece * PIECE;
        walk.stretches(start..start + out.len(), |range, [i, j], steps| {
            let g = &values[start + range.start..start + range.end];
            let pairs = out[range].iter_mut().zip(g);
            match steps {
                [1, 1] => pairs.zip(a[i..].iter().zip(&b[j..])).for_each(|((d, &g), (&a, &b))| *d = f(a, b, g)),
                [1, 0] => pairs.zip(&a[i..]).for_each(|((d, &g), &a)| *d = f(a, b[j], g)),
                [0, 1] => pairs.zip(&b[j..]).for_each(|((d, &g), &b)| *d = f(a[i], b, g)),
                [s, t] => pairs.enumerate().for_each(|(k, (d, &g))| *d = f(a[i + k * s], b[j + k * t], g)),
            }
        });
        Ok(())
    })?;
    out.tensor(g.shape())
}

/// The sum of two tensors of the same form.
pub(crate) fn sum(a: &Tensor, b: &Tensor, context: &Context<'_>) -> Result<Tensor> {
    fn go<T: Real + Number>(a: &Tensor, b: &Tensor, context: &Context<'_>) -> Result<Tensor> {
        Operands { a, b, shape: a.shape(), context }.computed::<T>(Binary::Add)
    }
    if a.shape() != b.shape() {
        return Err(Error::size("gradients that meet", format!("{:?}", a.shape()), format!("{:?}", b.shape())));
    }
    by_real!(a.element(), go(a, b, context))
}
