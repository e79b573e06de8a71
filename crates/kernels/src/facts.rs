//! What a kernel machine says of its support and of the data it was given.

use crate::kernel::Kernel;
use base::{Certificate, Dataset, Points, Result};

/// Deviations of columns further apart than this are worth a warning.
const WILD: f64 = 1e3;

/// Support vectors: how many, how many at their bound, and what a large share of them means.
pub(crate) fn support(certificate: &mut Certificate, data: &Dataset, support: usize, bounded: usize) {
    let share = support as f64 / data.len().max(1) as f64;
    certificate.fact("support vectors", support as f64);
    certificate.fact("support vectors at their bound", bounded as f64);
    certificate.fact("support vectors between the bounds", support.saturating_sub(bounded) as f64);
    certificate.fact("share of support vectors", share);
    if share > 0.9 && data.len() >= 50 {
        certificate.warn(format!(
            "{:.0} % of the rows are support vectors: the kernel is too narrow, or the classes overlap; \
             try a smaller gamma or another c",
            100.0 * share
        ));
    }
}

/// Warns of columns whose scales are so unlike that the largest rules every distance.
pub(crate) fn scales(certificate: &mut Certificate, data: &Dataset, kernel: &Kernel) -> Result<()> {
    if matches!(kernel, Kernel::Precomputed | Kernel::Own(_)) {
        return Ok(());
    }
    let deviations = deviations(data.points()?);
    let places = || (0..deviations.len()).filter(|&c| deviations[c] > 0.0);
    let order = |a: &usize, b: &usize| deviations[*a].total_cmp(&deviations[*b]);
    if let (Some(least), Some(most)) = (places().min_by(order), places().max_by(order))
        && deviations[most] > WILD * deviations[least]
    {
        certificate.warn(format!(
            "deviations of columns run from {:.3e} ({}) to {:.3e} ({}), and the largest rules the kernel: --prepare scale \
             brings them together and travels with the model",
            deviations[least],
            data.features.name(least),
            deviations[most],
            data.features.name(most)
        ));
    }
    Ok(())
}

/// The deviation of each column.
fn deviations(points: &Points) -> Vec<f64> {
    let (n, d) = (points.len().max(1) as f64, points.columns());
    let (mut row, mut means, mut squares) = (vec![0.0; d], vec![0.0; d], vec![0.0; d]);
    for i in 0..points.len() {
        points.write_row(i, &mut row);
        means.iter_mut().zip(&row).for_each(|(m, x)| *m += x / n);
    }
    for i in 0..points.len() {
        points.write_row(i, &mut row);
        squares.iter_mut().zip(&row).zip(&means).for_each(|((s, x), m)| *s += (x - m) * (x - m) / n);
    }
    squares.iter().map(|s| s.sqrt()).collect()
}
