//! Numbers that cross the border: arrays of Python are looked at where they lie, ours go out as a `bytearray`.
//!
//! A [`Foreign`] owns the buffer of an array, which keeps the array alive and forbids to resize it. Nobody can forbid
//! another thread of Python to write into it meanwhile: whoever changes an array while it is learned from gets what
//! NumPy itself gives in that case, numbers from before or after.

use crate::errors::raise;
use bytemuck::NoUninit;
use pellucid::{Buffer, Error, Points, Shared};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyTuple};
use std::sync::{Arc, Weak};

/// The numbers of a Python array.
pub struct Foreign<T: Element>(PyBuffer<T>);

impl<T: Element> AsRef<[T]> for Foreign<T> {
    #[allow(unsafe_code, reason = "memory of another language is looked at in place")]
    fn as_ref(&self) -> &[T] {
        match self.0.item_count() {
            0 => &[],
            // SAFETY: the buffer is contiguous (made sure of in `shared`), of type T and aligned for it (made sure of
            // by PyBuffer), and stays where it is while the PyBuffer is held.
            count => unsafe { std::slice::from_raw_parts(self.0.buf_ptr().cast::<T>(), count) },
        }
    }
}

/// Who still looks at an array of Python.
pub type Watched = Box<dyn Fn() -> bool + Send>;

/// The numbers of a contiguous array, their shape, and a way to ask whether someone still holds them.
pub fn shared<T: Element + Send + Sync + 'static>(
    array: &Bound<'_, PyAny>,
) -> PyResult<(Shared<T>, Vec<usize>, Watched)> {
    let buffer = PyBuffer::<T>::get(array)?;
    if !buffer.is_c_contiguous() {
        return Err(raise(Error::size("an array", "contiguous rows", "another layout")));
    }
    let shape = buffer.shape().to_vec();
    let owner = Arc::new(Foreign(buffer));
    let weak: Weak<Foreign<T>> = Arc::downgrade(&owner);
    Ok((Shared::owned_by(owner), shape, Box::new(move || weak.strong_count() > 0)))
}

/// An array of single or double precision.
pub fn numbers(array: &Bound<'_, PyAny>) -> PyResult<(Buffer, Vec<usize>, Watched)> {
    if let Ok((values, shape, watched)) = shared::<f64>(array) {
        return Ok((Buffer::F64(values), shape, watched));
    }
    match shared::<f32>(array) {
        Ok((values, shape, watched)) => Ok((Buffer::F32(values), shape, watched)),
        Err(_) => Err(PyTypeError::new_err("expected an array of float64 or float32 with contiguous rows")),
    }
}

/// Numbers as Python takes them in without another copy: bytes, their type as NumPy calls it, and the shape.
pub fn give<'py, T: NoUninit>(
    py: Python<'py>,
    values: &[T],
    kind: &str,
    shape: &[usize],
) -> PyResult<Bound<'py, PyTuple>> {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    let array = PyByteArray::new_with(py, bytes.len(), |to| {
        to.copy_from_slice(bytes);
        Ok(())
    })?;
    let shape = PyTuple::new(py, shape)?;
    (array, kind, shape).into_pyobject(py)
}

/// Points as Python takes them in: dense numbers, or the word `sparse` with starts, ids, values and the width.
pub fn give_points<'py>(py: Python<'py>, points: &Points) -> PyResult<Bound<'py, PyTuple>> {
    match points {
        Points::Dense(dense) => {
            let shape = [dense.len(), dense.columns()];
            match dense.values() {
                Buffer::F64(values) => give(py, values, "f8", &shape),
                Buffer::F32(values) => give(py, values, "f4", &shape),
            }
        }
        Points::Sparse(sparse) => {
            let (first, last) = (sparse.starts()[0], sparse.starts()[sparse.len()]);
            let starts: Vec<u64> = sparse.starts().iter().map(|s| (s - first) as u64).collect();
            let (ids, values) = (&sparse.ids()[first..last], &sparse.values()[first..last]);
            let parts = (
                "sparse",
                give(py, &starts, "u8", &[starts.len()])?,
                give(py, ids, "u4", &[ids.len()])?,
                give(py, values, "f8", &[values.len()])?,
                sparse.columns(),
            );
            parts.into_pyobject(py)
        }
    }
}
