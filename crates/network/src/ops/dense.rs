//! y = x · W + b: one matrix product forward, two back.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use base::graph::Tensor;
use base::{Error, Result};
use numeric::{Mat, MatMut, Real, product};

/// x (rows, in), W (in, out) or, transposed, (out, in), b (out).
pub(crate) struct Dense {
    pub transposed: bool,
}

impl Dense {
    fn sizes(&self, x: &[usize], w: &[usize]) -> Result<(usize, usize, usize)> {
        let (&[rows, inner], &[a, b]) = (x, w) else {
            return Err(Error::size("axes of inputs and weights", "2 and 2", format!("{} and {}", x.len(), w.len())));
        };
        let (into, out) = if self.transposed { (b, a) } else { (a, b) };
        match into == inner {
            true => Ok((rows, inner, out)),
            false => Err(Error::size("columns of the inputs", into, inner)),
        }
    }
}

impl Kernel for Dense {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let (x, w) = (&needed(inputs, 0)?.form, &needed(inputs, 1)?.form);
        let (rows, _, out) = self.sizes(&x.shape, &w.shape)?;
        if let Some(Some(bias)) = inputs.get(2)
            && (bias.form.shape != [out] || bias.form.element != x.element)
        {
            return Err(Error::size("biases", format!("{out} {}", x.element.word()), format!("{:?}", bias.form)));
        }
        match x.element == w.element && x.element.is_real() {
            true => Ok(vec![TensorForm::new(x.element, [rows, out])]),
            false => Err(Error::size("weights", x.element.word(), w.element.word())),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, _forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(op: &Dense, inputs: &Inputs<'_>, context: &Context<'_>) -> Result<Vec<Tensor>> {
            let (x, w) = (needed(inputs, 0)?, needed(inputs, 1)?);
            let (rows, inner, out) = op.sizes(x.shape(), w.shape())?;
            let mut y = context.take::<T>(rows * out)?;
            let bias = inputs.get(2).copied().flatten();
            if let Some(bias) = bias {
                let bias = numbers::<T>(bias)?;
                y.values.chunks_exact_mut(out.max(1)).for_each(|row| row.copy_from_slice(bias));
            }
            let (x, w) = (Mat::new(numbers::<T>(x)?, rows, inner)?, numbers::<T>(w)?);
            let w = if op.transposed { Mat::new(w, out, inner)?.transposed() } else { Mat::new(w, inner, out)? };
            product(context.run, x, w, MatMut::new(&mut y.values, rows, out)?, T::ONE, bias.is_some())?;
            Ok(vec![y.tensor([rows, out])?])
        }
        by_real!(needed(inputs, 0)?.element(), go(self, inputs, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: &Dense, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
            let Some(gradient) = call.gradient() else { return Ok(vec![None; call.inputs.len()]) };
            let (x, w) = (needed(call.inputs, 0)?, needed(call.inputs, 1)?);
            let (rows, inner, out) = op.sizes(x.shape(), w.shape())?;
            let g = Mat::new(numbers::<T>(gradient)?, rows, out)?;
            let mut pulled = vec![None; call.inputs.len()];
            if call.wants(0) {
                let mut dx = context.take::<T>(rows * inner)?;
                let values = numbers::<T>(w)?;
                let wt = if op.transposed {
                    Mat::new(values, out, inner)?
                } else {
                    Mat::new(values, inner, out)?.transposed()
                };
                product(context.run, g, wt, MatMut::new(&mut dx.values, rows, inner)?, T::ONE, false)?;
                pulled[0] = Some(dx.tensor([rows, inner])?);
            }
            if call.wants(1) {
                let mut dw = context.take::<T>(inner * out)?;
                let x = Mat::new(numbers::<T>(x)?, rows, inner)?;
                match op.transposed {
                    true => product(
                        context.run,
                        g.transposed(),
                        x,
                        MatMut::new(&mut dw.values, out, inner)?,
                        T::ONE,
                        false,
                    )?,
                    false => product(
                        context.run,
                        x.transposed(),
                        g,
                        MatMut::new(&mut dw.values, inner, out)?,
                        T::ONE,
                        false,
                    )?,
                }
                pulled[1] = Some(dw.tensor(w.shape())?);
            }
            if call.wants(2) {
                let mut db = context.zeros::<T>(out)?;
                for i in 0..rows {
                    db.values.iter_mut().zip(g.line(i)).for_each(|(sum, &x)| *sum += x);
                }
                pulled[2] = Some(db.tensor([out])?);
            }
            Ok(pulled)
        }
        by_real!(needed(call.inputs, 0)?.element(), go(self, call, context))
    }
}
