//! What built-in kernels have in common: checks, values of single pairs, powers of distances, nodes of graphs.

use crate::function::{OfDistances, OfInner};
use base::graph::{Binary, Draft, Op, Source};
use base::{Error, Record, Result};
use numeric::Real;

/// Makes sure that a parameter is above 0 and finite.
pub(super) fn positive(name: &str, x: f64) -> Result<()> {
    match x > 0.0 && x.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(name, x, "must be greater than 0 and finite")),
    }
}

/// Makes sure that a parameter is finite.
pub(super) fn finite(name: &str, x: f64) -> Result<()> {
    match x.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(name, x, "must be finite")),
    }
}

/// A small whole number of a record.
pub(super) fn count(record: &Record, name: &str) -> Result<u32> {
    let n = record.count(name)?;
    u32::try_from(n).map_err(|_| record.broken(format!("{name} is {n}")))
}

/// k(x, u) of a kernel of inner products.
pub(super) fn value_of_inner(kernel: &dyn OfInner, x: &[f64], u: &[f64]) -> f64 {
    let mut one = [numeric::dot(x, u)];
    kernel.finish(&mut one, numeric::squared_norm(x), &[numeric::squared_norm(u)]);
    one[0]
}

/// k(x, u) of a kernel of distances.
pub(super) fn value_of_distance(kernel: &dyn OfDistances, x: &[f64], u: &[f64]) -> f64 {
    let mut one = [numeric::squared_distance(x, u)];
    kernel.finish(&mut one);
    one[0]
}

/// Squared distances become distances to the power q.
pub(super) fn powers<T: Real>(squares: &mut [T], q: f64) {
    match q {
        2.0 => {}
        1.0 => squares.iter_mut().for_each(|s| *s = s.root()),
        4.0 => squares.iter_mut().for_each(|s| *s = *s * *s),
        _ => squares.iter_mut().for_each(|s| *s = T::narrow(s.wide().powf(0.5 * q))),
    }
}

/// Adds `factor` · (x − u): the gradient of a function of the distance, whose derivative divided by it is `factor`.
pub(super) fn add_apart(factor: f64, x: &[f64], u: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(x).zip(u).for_each(|((o, x), u)| *o += factor * (x - u));
}

/// Inner products of the rows with the centres.
pub(super) fn inner_nodes(draft: &mut Draft, centres: Source) -> Source {
    draft.node("products", Op::Dense { transposed: true }, &[Draft::INPUT, centres])
}

/// γ · from + offset.
pub(super) fn affine_nodes(draft: &mut Draft, from: Source, gamma: f64, offset: f64) -> Result<Source> {
    let gamma = draft.number("gamma", gamma)?;
    let scaled = draft.node("scaled", Op::Binary(Binary::Mul), &[from, gamma]);
    let offset = draft.number("added", offset)?;
    Ok(draft.node("shifted", Op::Binary(Binary::Add), &[scaled, offset]))
}
