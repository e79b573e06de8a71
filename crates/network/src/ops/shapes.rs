//! Sizes, strides and inputs that several operations look at in the same way.

use crate::kernel::{Inputs, Known};
use base::graph::{Numbers, Tensor};
use base::{Error, Result};

/// Numbers one thread takes in one go.
pub(super) const PIECE: usize = 1 << 14;

/// The product of sizes. Beside a size of 0 the others may be anything, hence no overflow.
pub(super) fn product(sizes: &[usize]) -> usize {
    sizes.iter().fold(1, |product, &n| product.saturating_mul(n))
}

/// How far apart neighbours along each axis lie.
pub(super) fn strides(shape: &[usize]) -> Vec<usize> {
    (1..=shape.len()).map(|from| product(&shape[from..])).collect()
}

/// Elements before, along and after an axis.
pub(super) fn around(shape: &[usize], axis: usize) -> (usize, usize, usize) {
    (product(&shape[..axis]), shape[axis], product(&shape[axis + 1..]))
}

/// An input that may be absent.
pub(super) fn given<'a, T>(inputs: &[Option<&'a T>], i: usize) -> Option<&'a T> {
    inputs.get(i).copied().flatten()
}

/// The numbers of the inputs from the second on, which must be known before anything runs.
pub(super) fn constants<'a>(inputs: &[Option<&'a Known>], what: &str) -> Result<Vec<Option<&'a Tensor>>> {
    let absent =
        || Error::unsupported(format!("{what} that depends on the data"), "this network", "it must be a constant");
    let value = |known: Option<&'a Known>| known.map(|k| k.value.as_ref().ok_or_else(absent)).transpose();
    std::iter::once(Ok(None)).chain(inputs.iter().skip(1).map(|k| value(*k))).collect()
}

/// The whole numbers of an input that may be absent.
pub(super) fn wholes<'a>(inputs: &Inputs<'a>, i: usize, what: &str) -> Result<Option<&'a [i64]>> {
    let Some(tensor) = given(inputs, i) else { return Ok(None) };
    tensor.wholes().map(Some).ok_or_else(|| Error::size(what, "i64", tensor.element().word()))
}

/// The one whole number of an input.
pub(super) fn whole(tensor: &Tensor, what: &str) -> Result<i64> {
    match tensor.wholes() {
        Some(&[one]) => Ok(one),
        _ => Err(Error::size(what, "one i64", format!("{:?} {}", tensor.shape(), tensor.element().word()))),
    }
}

/// Sizes as a tensor has them.
pub(super) fn sizes(wholes: &[i64], what: &str) -> Result<Vec<usize>> {
    let size = |&n: &i64| usize::try_from(n).map_err(|_| Error::parameter(what, n, "must not be negative"));
    wholes.iter().map(size).collect()
}

/// The shape two shapes broadcast to.
pub(super) fn broadcast(a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    let rank = a.len().max(b.len());
    let at = |shape: &[usize], i: usize| (i + shape.len()).checked_sub(rank).map_or(1, |i| shape[i]);
    let both = |i: usize| match (at(a, i), at(b, i)) {
        (m, n) if m == n || n == 1 => Ok(m),
        (1, n) => Ok(n),
        _ => Err(Error::size("shapes that broadcast", format!("{a:?}"), format!("{b:?}"))),
    };
    (0..rank).map(both).collect()
}

/// A stretch of a tensor's numbers in a shape of its own, shared and not copied.
pub(super) fn stretch(x: &Tensor, start: usize, shape: Vec<usize>) -> Result<Tensor> {
    let range = start..start.saturating_add(product(&shape)).min(x.numbers().len());
    let numbers = match x.numbers() {
        Numbers::F32(v) => Numbers::F32(v.slice(range)),
        Numbers::F64(v) => Numbers::F64(v.slice(range)),
        Numbers::I64(v) => Numbers::I64(v.slice(range)),
        Numbers::Bool(v) => Numbers::Bool(v.slice(range)),
    };
    Tensor::new(shape, numbers)
}
