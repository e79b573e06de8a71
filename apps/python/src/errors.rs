//! Errors of ours as exceptions of Python, with our text and advice in Python's words.

use crate::wording::calls;
use pellucid::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError};

/// The exception for an error.
pub fn raise(error: Error) -> PyErr {
    let text = error.worded(&calls);
    match error {
        Error::Memory { .. } => PyMemoryError::new_err(text),
        Error::File { .. } => PyOSError::new_err(text),
        Error::Cancelled => PyKeyboardInterrupt::new_err("interrupted"),
        _ => PyValueError::new_err(text),
    }
}

/// The exception for work that ended in a panic: a fault of ours.
pub fn fault(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    PyRuntimeError::new_err(format!("a bug in Pellucid, please report it: {text}"))
}
