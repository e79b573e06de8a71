//! Targets as numbers for least squares: values as they are, classes as +1 for the own and −1 for every other.
//!
//! One-hot targets would be the same up to a factor of 2 where an offset is fitted, and have the same winners.

use base::{Certificate, Dataset, Link, Outputs, Result, Targets, values_of};
use std::sync::Arc;

/// What comes out, and the targets as rows x outputs. Classes without rows are left out, and the certificate says so.
pub(super) fn targets_of(data: &Dataset, certificate: &mut Certificate) -> Result<(Outputs, Vec<f64>)> {
    let Targets::Classes(classes) = &data.targets else {
        let values = values_of(data)?;
        return Ok((Outputs::values(values.names().clone()), values.values().to_vec()));
    };
    let counts = classes.counts();
    let (kept, empty): (Vec<usize>, Vec<usize>) = (0..counts.len()).partition(|&c| counts[c] > 0);
    for c in empty {
        certificate.warn(format!("class {:?} has no rows and cannot be predicted", classes.names()[c]));
    }
    let names: Arc<[String]> = kept.iter().map(|&c| classes.names()[c].clone()).collect();
    let mut targets = Vec::with_capacity(data.len() * kept.len());
    for i in 0..data.len() {
        targets.extend(kept.iter().map(|&c| if classes.get(i) == Some(c) { 1.0 } else { -1.0 }));
    }
    Ok((Outputs::classes(names, Link::None), targets))
}
