//! The k largest or smallest elements along an axis, in order, and their places; of equals the first come first.
//!
//! **Cost.** O(n + k log k) for each line. Pull back of the values: to their places.

use super::arg_max::{by_ordered, order};
use super::shapes::{around, constants, given, product, whole};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use crate::number::{Number, by_real, numbers};
use base::graph::{Element, Tensor};
use base::{Error, Result};
use numeric::{Real, each_chunk_mut};

/// x, k.
pub(crate) struct TopK {
    pub axis: i64,
    pub largest: bool,
}

impl Kernel for TopK {
    fn forms(&self, inputs: &[Option<&Known>], outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        let along = axis(self.axis, x.shape.len())?;
        let known = constants(inputs, "k")?;
        let k = given(&known, 1).map_or(Ok(0), |k| whole(k, "k"))?;
        let most = x.shape[along];
        let k = usize::try_from(k).ok().filter(|&k| k <= most);
        let k = k.ok_or_else(|| Error::parameter("k", "out of range", format!("must lie in 0..={most}")))?;
        if x.element == Element::Bool {
            return Err(Error::size("numbers to compare", "f32, f64 or i64", "bool"));
        }
        let mut shape = x.shape.clone();
        shape[along] = k;
        let both = [TensorForm::new(x.element, shape.clone()), TensorForm::new(Element::I64, shape)];
        Ok(both.into_iter().take(outputs).collect())
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Number>(op: &TopK, x: &Tensor, form: &TensorForm, context: &Context<'_>) -> Result<Vec<Tensor>> {
            let along = axis(op.axis, x.shape().len())?;
            let (_, n, inner) = around(x.shape(), along);
            let (values, k) = (numbers::<T>(x)?, form.shape[along]);
            let mut places = context.take::<i64>(form.count()?)?;
            let row = k.saturating_mul(inner);
            each_chunk_mut(context.run, &mut places.values, row, |o, places| {
                let _hold = context.run.memory.take_for::<usize>(n, "a line to choose from")?;
                let mut line: Vec<usize> = Vec::with_capacity(n);
                for j in 0..inner {
                    line.clear();
                    line.extend((0..n).map(|i| (o * n + i) * inner + j));
                    // Places grow along the line, so comparing them puts the first of equals first.
                    let before = |a: &usize, b: &usize| order(&values[*a], &values[*b], op.largest).then(a.cmp(b));
                    if k < n {
                        line.select_nth_unstable_by(k, before);
                        line.truncate(k);
                    }
                    line.sort_unstable_by(before);
                    for (i, place) in line.iter().enumerate() {
                        places[i * inner + j] = (place / inner % n) as i64;
                    }
                }
                Ok(())
            })?;
            let mut chosen = context.take::<T>(form.count()?)?;
            for (at, (y, &i)) in chosen.values.iter_mut().zip(&places.values).enumerate() {
                *y = values[(at / row * n + i as usize) * inner + at % inner];
            }
            Ok(vec![chosen.tensor(form.shape.clone())?, places.tensor(form.shape.clone())?])
        }
        let x = needed(inputs, 0)?;
        let mut both = by_ordered!(x.element(), go(self, x, &forms[0], context))?;
        both.truncate(forms.len());
        Ok(both)
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(
            x: &Tensor,
            places: &[i64],
            g: &Tensor,
            along: usize,
            context: &Context<'_>,
        ) -> Result<Tensor> {
            let (_, n, inner) = around(x.shape(), along);
            let row = product(&g.shape()[along..]);
            let mut dx = context.zeros::<T>(product(x.shape()))?;
            for (at, (&g, &i)) in numbers::<T>(g)?.iter().zip(places).enumerate() {
                dx.values[(at / row * n + i as usize) * inner + at % inner] = g;
            }
            dx.tensor(x.shape())
        }
        let Some(g) = call.gradient().filter(|_| call.wants(0)) else { return Ok(vec![None; 2]) };
        let x = needed(call.inputs, 0)?;
        let along = axis(self.axis, x.shape().len())?;
        let places = match call.outputs.get(1) {
            Some(places) => places.clone(),
            None => {
                // Nobody asked for the places: they are found again.
                let forms = [TensorForm::new(x.element(), g.shape()), TensorForm::new(Element::I64, g.shape())];
                let found = self.run(call.inputs, &forms, context)?.pop();
                found.ok_or_else(|| Error::size("outputs of top-k", 2, 0))?
            }
        };
        Ok(vec![Some(by_real!(x.element(), go(x, numbers::<i64>(&places)?, g, along, context))?), None])
    }
}
