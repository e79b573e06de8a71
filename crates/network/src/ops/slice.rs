//! A part of a tensor: from, to, by what step, axis by axis, cut to what there is as NumPy does.

use super::moved::{moved, pull_moved};
use super::places::Places;
use super::shapes::{constants, strides, wholes};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use base::graph::Tensor;
use base::{Error, Result, Run};

/// x, starts, ends (, axes) (, steps).
pub(crate) struct Slice;

/// One axis of a slice: where it begins, how it goes on, how many there are.
#[derive(Clone, Copy)]
struct Cut {
    start: usize,
    step: i64,
    count: usize,
}

impl Kernel for Slice {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        let cuts = cuts(&x.shape, &constants(inputs, "a slice")?)?;
        Ok(vec![TensorForm::new(x.element, cuts.iter().map(|c| c.count).collect::<Vec<_>>())])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        let x = needed(inputs, 0)?;
        Ok(vec![moved(x, &places(x.shape(), inputs, context.run)?, None, &forms[0], context)?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        pull_moved(call, context, |x| places(x.shape(), call.inputs, context.run))
    }
}

fn places(shape: &[usize], inputs: &Inputs<'_>, run: &Run<'_>) -> Result<Places> {
    let (cuts, strides) = (cuts(shape, inputs)?, strides(shape));
    let sizes: Vec<usize> = cuts.iter().map(|c| c.count).collect();
    // Within the bounds that `cuts` has found nothing can overflow.
    Places::new(&sizes, run, |a, i| (cuts[a].start as i64 + i as i64 * cuts[a].step) as usize * strides[a])
}

fn cuts(shape: &[usize], inputs: &Inputs<'_>) -> Result<Vec<Cut>> {
    let starts = wholes(inputs, 1, "starts")?.unwrap_or(&[]);
    let ends = wholes(inputs, 2, "ends")?.unwrap_or(&[]);
    let (axes, steps) = (wholes(inputs, 3, "axes")?, wholes(inputs, 4, "steps")?);
    let n = starts.len();
    if ends.len() != n || axes.is_some_and(|a| a.len() != n) || steps.is_some_and(|s| s.len() != n) {
        return Err(Error::size("ends, axes and steps of a slice", n, "other numbers of them"));
    }
    let mut cuts: Vec<Cut> = shape.iter().map(|&count| Cut { start: 0, step: 1, count }).collect();
    let mut seen = vec![false; shape.len()];
    for i in 0..n {
        let along = axis(axes.map_or(i as i64, |a| a[i]), shape.len())?;
        if std::mem::replace(&mut seen[along], true) {
            return Err(Error::parameter("axes", along, "is repeated in a slice"));
        }
        cuts[along] = cut(shape[along], starts[i], ends[i], steps.map_or(1, |s| s[i]))?;
    }
    Ok(cuts)
}

/// Python's start:end:step on an axis of that size.
fn cut(size: usize, start: i64, end: i64, step: i64) -> Result<Cut> {
    let n = i64::try_from(size).map_err(|_| Error::size("an axis to slice", i64::MAX, size))?;
    let (low, high) = match step {
        0 => return Err(Error::parameter("step", 0, "must not be 0")),
        1.. => (0, n),
        _ => (-1, n - 1),
    };
    let bound = |i: i64| (if i < 0 { i.saturating_add(n) } else { i }).clamp(low, high.max(low));
    let (start, end) = (bound(start), bound(end));
    let span = if step > 0 { end - start } else { start - end };
    let count = if span > 0 { (span as u64).div_ceil(step.unsigned_abs()) as usize } else { 0 };
    Ok(Cut { start: start.max(0) as usize, step, count })
}
