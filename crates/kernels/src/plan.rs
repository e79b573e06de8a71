//! What a fit of a support vector machine will take, by rules of thumb; how many rows become support vectors is for trials.
//!
//! Memory is the most there can be: all rows of kernel values or a full cache, the largest working set, packed panels.

use crate::settings::SolverSettings;
use base::{Plan, Size};

/// About a third of the rows become support vectors, each of which needs a row of the kernel; steps are some ten for
/// each row and pass over a working set. A row has one coordinate, or two for `sides` of a tube.
pub(crate) fn plan(size: &Size, sides: usize, solver: &SolverSettings, beyond: &str) -> Plan {
    let (n, d) = (size.rows as f64, size.entries as f64 / size.rows.max(1) as f64);
    let support = n / 3.0;
    let cache = (solver.cache as f64 * 1048576.0).min(4.0 * n * n);
    // Values among a working set of coordinates; of small ones in double precision.
    let coordinates = sides as f64 * n;
    let working = match sides {
        _ if coordinates <= 1024.0 => 8.0 * coordinates * coordinates,
        1 => 4.0 * coordinates.clamp(1448.2, 4096.0).powi(2),
        _ => 6.0 * coordinates.min(4096.0).powi(2).max(1448.2 * 1448.2),
    };
    Plan {
        fit: 2.0 * support * n * (d + 8.0) + 40.0 * n * n.min(2048.0),
        predict: 2.0 * support * (d + size.outputs.max(1) as f64),
        bytes: cache + working + 4.0 * size.entries as f64 + 32.0 * n,
        advice: (n > 1e5).then(|| format!("{n:.0} rows: the time grows with the square of the rows; {beyond}")),
    }
}
