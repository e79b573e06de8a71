//! Elements added around a tensor, or cut off where a pad is negative; cutting comes first.

use super::moved::{moved, moved_back};
use super::places::{OUTSIDE, Places};
use super::shapes::{constants, given, strides, wholes};
use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, axis, needed};
use base::graph::{Element, Filling, Tensor};
use base::{Error, Result, Run};

/// x, pads (, value) (, axes).
pub(crate) struct Pad(pub Filling);

/// One axis: what is left after cutting, and how much comes before and after.
#[derive(Clone, Copy)]
struct Rim {
    cut: usize,
    left: usize,
    before: usize,
    size: usize,
}

impl Kernel for Pad {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        if let Some(value) = given(inputs, 2)
            && (value.form.element != x.element || value.form.count()? != 1)
        {
            let expected = format!("one {}", x.element.word());
            return Err(Error::size("the value to pad with", expected, format!("{:?}", value.form)));
        }
        // Pads and axes must be constants, the value may be anything.
        let constant: Vec<Option<&Known>> =
            inputs.iter().enumerate().map(|(i, k)| if i == 2 { None } else { *k }).collect();
        let rims = self.rims(&x.shape, &constants(&constant, "pads")?)?;
        Ok(vec![TensorForm::new(x.element, rims.iter().map(|r| r.size).collect::<Vec<_>>())])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        let x = needed(inputs, 0)?;
        let places = self.places(x.shape(), inputs, context.run)?;
        Ok(vec![moved(x, &places, given(inputs, 2), &forms[0], context)?])
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        let mut pulled = vec![None; call.inputs.len()];
        let Some(g) = call.gradient().filter(|_| call.wants(0) || call.wants(2)) else { return Ok(pulled) };
        let x = needed(call.inputs, 0)?;
        let (dx, outside) = moved_back(x, &self.places(x.shape(), call.inputs, context.run)?, g, context)?;
        pulled[0] = Some(dx);
        if let Some(value) = given(call.inputs, 2).filter(|_| call.wants(2)) {
            pulled[2] = Some(match value.element() {
                Element::F32 => Tensor::f32(value.shape(), vec![outside as f32])?,
                _ => Tensor::f64(value.shape(), vec![outside])?,
            });
        }
        Ok(pulled)
    }
}

impl Pad {
    fn rims(&self, shape: &[usize], inputs: &Inputs<'_>) -> Result<Vec<Rim>> {
        let pads = wholes(inputs, 1, "pads")?.unwrap_or(&[]);
        let axes = match wholes(inputs, 3, "axes")? {
            Some(axes) => axes.iter().map(|&a| axis(a, shape.len())).collect::<Result<Vec<_>>>()?,
            None => (0..shape.len()).collect(),
        };
        if pads.len() != 2 * axes.len() {
            return Err(Error::size("pads", 2 * axes.len(), pads.len()));
        }
        let mut rims: Vec<Option<Rim>> = vec![None; shape.len()];
        for (i, &a) in axes.iter().enumerate() {
            if rims[a].replace(self.rim(shape[a], pads[i], pads[i + axes.len()])?).is_some() {
                return Err(Error::parameter("axes", a, "is repeated in a pad"));
            }
        }
        let whole = |n: usize| Rim { cut: 0, left: n, before: 0, size: n };
        Ok(rims.into_iter().zip(shape).map(|(rim, &n)| rim.unwrap_or(whole(n))).collect())
    }

    fn rim(&self, n: usize, begin: i64, end: i64) -> Result<Rim> {
        let wrong =
            |must: &str| Error::parameter("pads", format!("{begin} and {end}"), format!("{must} (axis of {n})"));
        let part = |pad: i64| usize::try_from(pad.max(0)).map_err(|_| wrong("must be sizes"));
        let off = |pad: i64| usize::try_from(pad.min(0).unsigned_abs()).map_err(|_| wrong("must be sizes"));
        let (before, after, cut) = (part(begin)?, part(end)?, off(begin)?);
        let left = n.checked_sub(cut).and_then(|n| n.checked_sub(off(end).ok()?));
        let left = left.ok_or_else(|| wrong("crops more than the tensor has"))?;
        if left == 0 && before + after > 0 && self.0 != Filling::Constant {
            return Err(wrong("have no element to take from"));
        }
        let size = left.checked_add(before).and_then(|n| n.checked_add(after)).ok_or_else(|| wrong("are too many"))?;
        Ok(Rim { cut, left, before, size })
    }

    fn places(&self, shape: &[usize], inputs: &Inputs<'_>, run: &Run<'_>) -> Result<Places> {
        let (rims, strides) = (self.rims(shape, inputs)?, strides(shape));
        let sizes: Vec<usize> = rims.iter().map(|r| r.size).collect();
        Places::new(&sizes, run, |a, i| self.place(rims[a], i).map_or(OUTSIDE, |p| p * strides[a]))
    }

    /// Where along x's axis an element comes from.
    fn place(&self, rim: Rim, i: usize) -> Option<usize> {
        let (i, n) = (i as i128 - rim.before as i128, rim.left as i128);
        let inside = match self.0 {
            Filling::Constant if !(0..n).contains(&i) => return None,
            Filling::Constant => i,
            Filling::Edge => i.clamp(0, n - 1),
            Filling::Wrap => i.rem_euclid(n),
            // Mirrored at both ends again and again: a walk there and back.
            Filling::Reflect if n == 1 => 0,
            Filling::Reflect => {
                let around = i.rem_euclid(2 * (n - 1));
                around.min(2 * (n - 1) - around)
            }
        };
        Some(rim.cut + inside as usize)
    }
}
