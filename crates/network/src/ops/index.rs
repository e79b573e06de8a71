//! Indices that come as numbers: checked, counted from the end where negative, and turned into places.

use super::shapes::{product, strides};
use base::graph::Tensor;
use base::{Error, Hold, Result, Run};

/// Places in a tensor, counted in memory.
pub(super) struct Indices {
    pub places: Vec<usize>,
    _hold: Hold,
}

/// An index into an axis of that size.
fn inside(index: i64, size: usize, at: usize) -> Result<usize> {
    let place = if index < 0 { i128::from(index) + size as i128 } else { i128::from(index) };
    match usize::try_from(place) {
        Ok(place) if place < size => Ok(place),
        _ => Err(Error::parameter(
            "index",
            index,
            format!("must lie in -{size}..{size} (it is number {at} of the indices)"),
        )),
    }
}

fn whole(indices: &Tensor) -> Result<&[i64]> {
    indices.wholes().ok_or_else(|| Error::size("indices", "i64", indices.element().word()))
}

/// Indices of one axis.
pub(super) fn along(indices: &Tensor, size: usize, run: &Run<'_>) -> Result<Indices> {
    let values = whole(indices)?;
    let hold = run.memory.take_for::<usize>(values.len(), "places of elements")?;
    let places = values.iter().enumerate().map(|(at, &i)| inside(i, size, at)).collect::<Result<_>>()?;
    Ok(Indices { places, _hold: hold })
}

/// Places of single elements: as the indices stand, but along one axis where they say.
pub(super) fn elements(indices: &Tensor, shape: &[usize], axis: usize, run: &Run<'_>) -> Result<Indices> {
    let mut found = along(indices, shape[axis], run)?;
    let (strides, sizes) = (strides(shape), indices.shape());
    for (at, place) in found.places.iter_mut().enumerate() {
        let (mut rest, mut sum) = (at, *place * strides[axis]);
        for a in (0..sizes.len()).rev() {
            if a != axis {
                sum += rest % sizes[a] * strides[a];
            }
            rest /= sizes[a];
        }
        *place = sum;
    }
    Ok(found)
}

/// Makes sure that indices for single elements stay inside the other axes.
pub(super) fn check_elements(indices: &[usize], shape: &[usize], axis: usize) -> Result<()> {
    let fits = indices.len() == shape.len() && (0..shape.len()).all(|a| a == axis || indices[a] <= shape[a]);
    match fits {
        true => Ok(()),
        false => Err(Error::size(
            "shape of the indices",
            format!("at most {shape:?} but for axis {axis}"),
            format!("{indices:?}"),
        )),
    }
}

/// How index vectors fall on a tensor: axes shared, axes indexed.
pub(super) struct Vectors {
    batch: usize,
    length: usize,
}

impl Vectors {
    /// The last axis of the indices holds index vectors; the first `batch` axes are shared.
    pub fn new(indices: &[usize], shape: &[usize], batch: usize) -> Result<Self> {
        let length = indices.last().copied().unwrap_or(0);
        let shared = batch < indices.len().max(1) && shape.get(..batch) == indices.get(..batch);
        match shared && length > 0 && length <= shape.len().saturating_sub(batch) {
            true => Ok(Vectors { batch, length }),
            false => {
                let expected = format!("vectors into {shape:?} with {batch} shared axes");
                Err(Error::size("shape of the indices", expected, format!("{indices:?}")))
            }
        }
    }

    /// The shape of what they choose.
    pub fn chosen(&self, indices: &[usize], shape: &[usize]) -> Vec<usize> {
        [&indices[..indices.len() - 1], &shape[self.batch + self.length..]].concat()
    }

    /// Where each slice begins, and how long the slices are.
    pub fn slices(&self, indices: &Tensor, shape: &[usize], run: &Run<'_>) -> Result<(Indices, usize)> {
        let values = whole(indices)?;
        let hold = run.memory.take_for::<usize>(values.len() / self.length, "places of slices")?;
        let strides = strides(shape);
        let each = product(&indices.shape()[self.batch..indices.shape().len() - 1]);
        let rows = product(&shape[self.batch..]);
        let start = |(at, vector): (usize, &[i64])| {
            let mut sum = at / each.max(1) * rows;
            for (k, &i) in vector.iter().enumerate() {
                sum += inside(i, shape[self.batch + k], at * self.length + k)? * strides[self.batch + k];
            }
            Ok(sum)
        };
        let places = values.chunks_exact(self.length).enumerate().map(start).collect::<Result<_>>()?;
        Ok((Indices { places, _hold: hold }, product(&shape[self.batch + self.length..])))
    }
}
