//! What a fit of a support vector machine will take, by rules of thumb.

use crate::settings::SolverSettings;
use base::{Plan, Size};

/// About a third of the rows become support vectors, each of which needs a row of the kernel; steps are some ten for
/// each row and pass over a working set.
pub(crate) fn plan(size: &Size, solver: &SolverSettings, beyond: &str) -> Plan {
    let (n, d) = (size.rows as f64, size.entries as f64 / size.rows.max(1) as f64);
    let support = n / 3.0;
    let cache = (solver.cache as f64 * 1048576.0).min(4.0 * n * n);
    Plan {
        fit: 2.0 * support * n * (d + 8.0) + 40.0 * n * n.min(2048.0),
        predict: 2.0 * support * (d + size.outputs.max(1) as f64),
        bytes: cache + 4.0 * size.entries as f64 + 32.0 * n,
        advice: (n > 1e5).then(|| format!("{n:.0} rows: the time grows with the square of the rows; {beyond}")),
    }
}
