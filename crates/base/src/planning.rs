//! What a fit will take, told before it begins.

use crate::{Dataset, Inputs, Targets};

/// The size of a fit, for planning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// How many stored numbers: rows times columns if dense.
    pub entries: usize,
    /// How many classes or values to predict.
    pub outputs: usize,
}

impl Size {
    /// The size of these data as a learner will meet them.
    pub fn of(data: &Dataset) -> Self {
        let outputs = match &data.targets {
            Targets::None => 0,
            Targets::Classes(c) => c.names().len(),
            Targets::Values(v) => v.names().len(),
            Targets::Sets(s) => s.names().len(),
        };
        let (rows, columns) = (data.len(), data.inputs.columns());
        let entries = match &data.inputs {
            Inputs::Points(points) => points.entries(),
            Inputs::Table(_) => rows.saturating_mul(columns),
        };
        Size { rows, columns, entries, outputs }
    }
}

/// What a fit will take.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Floating-point operations of the fit.
    pub fit: f64,
    /// Floating-point operations to predict one row.
    pub predict: f64,
    /// Bytes at the peak, beyond the data.
    pub bytes: f64,
    /// A better suited machine, or what to look out for.
    pub advice: Option<String>,
}
