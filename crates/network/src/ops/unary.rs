//! Functions of one number, element by element.
//!
//! Values and slopes are in `functions`; here are types, pieces and threads. Real numbers take every function, whole
//! numbers what stays whole (|x|, −x, sign, x itself), yes and no only `not` and x itself.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use crate::ops::functions::{slope, value};
use base::graph::{Element, Tensor, Unary};
use base::{Error, Result};
use numeric::{Real, each_chunk_mut};

/// Elements one thread takes in one go.
const PIECE: usize = 1 << 14;
/// Elements that go through all steps of a function while they are in the first-level cache.
const LINE: usize = 1 << 10;

/// A function of each element.
pub(crate) struct Each(pub Unary);

impl Kernel for Each {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let form = &needed(inputs, 0)?.form;
        let out = match (self.0, form.element) {
            (Unary::Identity, any) => any,
            (Unary::Not, Element::Bool) => Element::Bool,
            (Unary::Not, _) => return Err(Error::size("inputs", "bool", form.element.word())),
            (Unary::IsNan | Unary::IsInf, Element::F32 | Element::F64) => Element::Bool,
            (_, Element::F32 | Element::F64) => form.element,
            (Unary::Abs | Unary::Neg | Unary::Sign, Element::I64) => Element::I64,
            (_, other) => return Err(Error::size(format!("inputs of {:?}", self.0), "f32 or f64", other.word())),
        };
        match self.0 {
            Unary::Celu(a) if a == 0.0 || !a.is_finite() => Err(Error::parameter("alpha", a, "must not be 0")),
            _ => Ok(vec![TensorForm::new(out, form.shape.clone())]),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn real<T: Real + Number>(op: Unary, x: &Tensor, context: &Context<'_>) -> Result<Tensor> {
            let values = numbers::<T>(x)?;
            let mut y = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut y.values, PIECE, |piece, out| {
                let lines = values[piece * PIECE..].chunks(LINE);
                out.chunks_mut(LINE).zip(lines).for_each(|(out, x)| value(op, &x[..out.len()], out));
                Ok(())
            })?;
            y.tensor(x.shape())
        }
        fn asked<T: Real + Number>(x: &Tensor, context: &Context<'_>, ask: fn(f64) -> bool) -> Result<Tensor> {
            map::<T, bool>(x, context, |v| ask(v.wide()))
        }
        let x = needed(inputs, 0)?;
        let y = match (self.0, x.element()) {
            (Unary::Identity, _) => (*x).clone(),
            (Unary::Not, _) => map::<bool, bool>(x, context, |v| !v)?,
            (Unary::IsNan, element) => by_real!(element, asked(x, context, f64::is_nan))?,
            (Unary::IsInf, element) => by_real!(element, asked(x, context, f64::is_infinite))?,
            (Unary::Abs, Element::I64) => map::<i64, i64>(x, context, i64::wrapping_abs)?,
            (Unary::Neg, Element::I64) => map::<i64, i64>(x, context, i64::wrapping_neg)?,
            (Unary::Sign, Element::I64) => map::<i64, i64>(x, context, i64::signum)?,
            (op, element) => by_real!(element, real(op, x, context))?,
        };
        Ok(vec![y])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(
            op: Unary,
            call: &Call<'_>,
            gradient: &Tensor,
            context: &Context<'_>,
        ) -> Result<Tensor> {
            let x = needed(call.inputs, 0)?;
            let (values, g) = (numbers::<T>(x)?, numbers::<T>(gradient)?);
            let mut dx = context.take::<T>(values.len())?;
            each_chunk_mut(context.run, &mut dx.values, PIECE, |piece, out| {
                let lines = values[piece * PIECE..].chunks(LINE).zip(g[piece * PIECE..].chunks(LINE));
                for (out, (x, g)) in out.chunks_mut(LINE).zip(lines) {
                    match op {
                        // So common, and so cheap, that one pass must do.
                        Unary::Relu => out.iter_mut().zip(x.iter().zip(g)).for_each(|(d, (&x, &g))| {
                            *d = if x > T::ZERO { g } else { T::ZERO };
                        }),
                        _ => {
                            slope(op, &x[..out.len()], out);
                            out.iter_mut().zip(g).for_each(|(d, &g)| *d *= g);
                        }
                    }
                }
                Ok(())
            })?;
            dx.tensor(x.shape())
        }
        let Some(gradient) = call.gradient().filter(|_| call.wants(0)) else { return Ok(vec![None]) };
        match (self.0, needed(call.inputs, 0)?.element()) {
            (Unary::Identity, _) => Ok(vec![Some(gradient.clone())]),
            (Unary::Floor | Unary::Ceil | Unary::Round | Unary::Sign | Unary::Not, _) => Ok(vec![None]),
            (Unary::IsNan | Unary::IsInf, _) | (_, Element::I64 | Element::Bool) => Ok(vec![None]),
            (op, element) => Ok(vec![Some(by_real!(element, go(op, call, gradient, context))?)]),
        }
    }
}

/// A function of each element to another type, in one pass.
fn map<A: Number, B: Number>(x: &Tensor, context: &Context<'_>, f: impl Fn(A) -> B + Sync) -> Result<Tensor> {
    let values = numbers::<A>(x)?;
    let mut y = context.take::<B>(values.len())?;
    each_chunk_mut(context.run, &mut y.values, PIECE, |piece, out| {
        out.iter_mut().zip(&values[piece * PIECE..]).for_each(|(y, &x)| *y = f(x));
        Ok(())
    })?;
    y.tensor(x.shape())
}
