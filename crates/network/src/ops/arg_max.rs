//! The place of the largest or smallest element along an axis. A NaN counts as both, as in NumPy; there is no slope.

use super::shapes::{PIECE, around};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use crate::number::{Number, numbers};
use base::graph::{Element, Tensor};
use base::{Error, Result};
use numeric::each_chunk_mut;
use std::cmp::Ordering;

/// Where the extreme is.
pub(crate) struct ArgMax {
    pub axis: i64,
    pub keep: bool,
    pub last: bool,
    pub smallest: bool,
}

impl Kernel for ArgMax {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        let along = axis(self.axis, x.shape.len())?;
        if x.shape[along] == 0 {
            return Err(Error::size("elements to choose from", "at least 1", 0));
        }
        if x.element == Element::Bool {
            return Err(Error::size("numbers to compare", "f32, f64 or i64", "bool"));
        }
        let mut shape = x.shape.clone();
        match self.keep {
            true => shape[along] = 1,
            false => _ = shape.remove(along),
        }
        Ok(vec![TensorForm::new(Element::I64, shape)])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Number>(op: &ArgMax, x: &Tensor, form: &TensorForm, context: &Context<'_>) -> Result<Tensor> {
            let (_, n, inner) = around(x.shape(), axis(op.axis, x.shape().len())?);
            let values = numbers::<T>(x)?;
            let mut y = context.take::<i64>(form.count()?)?;
            let piece = (PIECE / n.max(1)).max(1);
            each_chunk_mut(context.run, &mut y.values, piece, |k, y| {
                for (i, y) in y.iter_mut().enumerate() {
                    let at = k * piece + i;
                    let line = &values[at / inner * n * inner + at % inner..];
                    *y = match inner {
                        1 => op.find(line[..n].iter()),
                        _ => op.find(line.iter().step_by(inner).take(n)),
                    } as i64;
                }
                Ok(())
            })?;
            y.tensor(form.shape.clone())
        }
        let x = needed(inputs, 0)?;
        Ok(vec![by_ordered!(x.element(), go(self, x, &forms[0], context))?])
    }

    fn pull(&self, _call: &Call<'_>, _context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        Ok(vec![None])
    }
}

impl ArgMax {
    fn find<'x, T: Number>(&self, line: impl Iterator<Item = &'x T>) -> usize {
        match (self.smallest, self.last) {
            (false, false) => find(line, false, |x, best| x > best),
            (false, true) => find(line, true, |x, best| x >= best),
            (true, false) => find(line, false, |x, best| x < best),
            (true, true) => find(line, true, |x, best| x <= best),
        }
    }
}

/// The place of the element that none is better than; what is not a number is better than all.
fn find<'x, T: Number>(mut line: impl Iterator<Item = &'x T>, last: bool, better: impl Fn(&T, &T) -> bool) -> usize {
    let Some(mut best) = line.next() else { return 0 };
    let mut found = 0;
    for (i, x) in line.enumerate() {
        if better(x, best) || (!is_number(x) && (last || is_number(best))) {
            (best, found) = (x, i + 1);
        }
    }
    found
}

fn is_number<T: Number>(x: &T) -> bool {
    x.partial_cmp(x).is_some()
}

/// Which comes first: the larger or the smaller; what is not a number comes before all, and all such are equal.
pub(super) fn order<T: Number>(a: &T, b: &T, largest: bool) -> Ordering {
    match (a.partial_cmp(b), largest) {
        (Some(order), false) => order,
        (Some(order), true) => order.reverse(),
        (None, _) => is_number(a).cmp(&is_number(b)),
    }
}

/// Calls a generic function with the type that an element says, for types that are compared by size.
macro_rules! by_ordered {
    ($element:expr, $f:ident($($argument:expr),* $(,)?)) => {
        match $element {
            base::graph::Element::I64 => $f::<i64>($($argument),*),
            other => crate::number::by_real!(other, $f($($argument),*)),
        }
    };
}
pub(super) use by_ordered;
