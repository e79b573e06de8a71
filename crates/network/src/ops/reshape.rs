//! The same numbers in another shape: reshape, flatten, squeeze, unsqueeze. Nothing is copied.

use super::shapes::{constants, product, wholes};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use base::graph::Tensor;
use base::{Error, Result};

/// A new shape for the same numbers.
pub(crate) enum Reshape<'a> {
    /// The shape is an input; `zero`: 0 means 0, not the size x has there.
    To { zero: bool },
    /// Two axes: those before, and those from here on.
    Flatten { axis: i64 },
    /// Without axes of size 1.
    Squeeze { axes: &'a [i64] },
    /// With new axes of size 1.
    Unsqueeze { axes: &'a [i64] },
}

impl Kernel for Reshape<'_> {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        let shape = match self {
            Reshape::To { zero } => {
                let known = constants(inputs, "a shape")?;
                to(&x.shape, wholes(&known, 1, "a shape")?.unwrap_or(&[]), *zero)?
            }
            Reshape::Flatten { axis: first } => {
                let first = if *first == x.shape.len() as i64 { x.shape.len() } else { axis(*first, x.shape.len())? };
                vec![product(&x.shape[..first]), product(&x.shape[first..])]
            }
            Reshape::Squeeze { axes } => squeezed(&x.shape, axes)?,
            Reshape::Unsqueeze { axes } => unsqueezed(&x.shape, axes)?,
        };
        Ok(vec![TensorForm::new(x.element, shape)])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], _context: &Context<'_>) -> Result<Vec<Tensor>> {
        Ok(vec![Tensor::new(forms[0].shape.clone(), needed(inputs, 0)?.numbers().clone())?])
    }

    fn pull(&self, call: &Call<'_>, _context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        let mut pulled = vec![None; call.inputs.len()];
        if let Some(g) = call.gradient().filter(|_| call.wants(0)) {
            pulled[0] = Some(Tensor::new(needed(call.inputs, 0)?.shape(), g.numbers().clone())?);
        }
        Ok(pulled)
    }
}

/// The shape that is asked for, with 0 and −1 replaced.
fn to(shape: &[usize], asked: &[i64], zero: bool) -> Result<Vec<usize>> {
    let wrong = |must: &str| Err(Error::parameter("shape", format!("{asked:?}"), must.to_string()));
    let mut sizes = Vec::with_capacity(asked.len());
    let mut rest = None;
    for (i, &n) in asked.iter().enumerate() {
        match (n, usize::try_from(n)) {
            (0, _) if !zero => match shape.get(i) {
                Some(&n) => sizes.push(n),
                None => return wrong("has a 0 where x has no axis"),
            },
            (_, Ok(n)) => sizes.push(n),
            (-1, _) if rest.is_none() => {
                rest = Some(i);
                sizes.push(1);
            }
            _ => return wrong("must be sizes and at most one -1"),
        }
    }
    let (have, others) = (product(shape), product(&sizes));
    if let Some(i) = rest {
        if others == 0 || have % others != 0 {
            return wrong(&format!("does not divide the {have} numbers of {shape:?}"));
        }
        sizes[i] = have / others;
    }
    match product(&sizes) == have {
        true => Ok(sizes),
        false => wrong(&format!("must have as many numbers as {shape:?}")),
    }
}

fn squeezed(shape: &[usize], axes: &[i64]) -> Result<Vec<usize>> {
    if axes.is_empty() {
        return Ok(shape.iter().copied().filter(|&n| n != 1).collect());
    }
    let gone: Vec<usize> = axes.iter().map(|&a| axis(a, shape.len())).collect::<Result<_>>()?;
    match gone.iter().find(|&&a| shape[a] != 1) {
        Some(&a) => Err(Error::size(format!("size of axis {a}, to be squeezed"), 1, shape[a])),
        None => Ok((0..shape.len()).filter(|a| !gone.contains(a)).map(|a| shape[a]).collect()),
    }
}

fn unsqueezed(shape: &[usize], axes: &[i64]) -> Result<Vec<usize>> {
    let rank = shape.len() + axes.len();
    let mut new: Vec<usize> = axes.iter().map(|&a| axis(a, rank)).collect::<Result<_>>()?;
    new.sort_unstable();
    if new.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Error::parameter("axes", format!("{axes:?}"), "must not name an axis twice"));
    }
    let mut sizes = shape.to_vec();
    new.iter().for_each(|&a| sizes.insert(a, 1));
    Ok(sizes)
}
