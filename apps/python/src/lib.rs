//! The Python package of Pellucid, its Rust side: thin. Descriptions, fits and machines cross the border as plain data;
//! what they become in Python is written there, once for all learners.

mod arrays;
mod attributes;
mod catalog;
mod data;
mod describe;
mod errors;
mod explain;
mod fit;
mod judge;
mod machine;
mod model;
mod session;
mod settings;
mod sources;
#[cfg(feature = "trial")]
mod trial;
mod wording;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<machine::Machine>()?;
    module.add_function(wrap_pyfunction!(describe::catalog, module)?)?;
    module.add_function(wrap_pyfunction!(describe::asks, module)?)?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(model::save, module)?)?;
    module.add_function(wrap_pyfunction!(model::load, module)?)?;
    module.add_function(wrap_pyfunction!(model::load_onnx, module)?)?;
    module.add_function(wrap_pyfunction!(explain::explain, module)?)?;
    module.add_function(wrap_pyfunction!(explain::methods, module)?)?;
    module.add_function(wrap_pyfunction!(explain::draw, module)?)?;
    module.add_function(wrap_pyfunction!(sources::read, module)?)?;
    module.add_function(wrap_pyfunction!(sources::generate, module)?)?;
    module.add_function(wrap_pyfunction!(sources::problems, module)?)?;
    module.add_function(wrap_pyfunction!(judge::report, module)?)?;
    module.add_function(wrap_pyfunction!(judge::compare, module)?)?;
    Ok(())
}
