//! What a kernel machine says of its support and of the data it was given.

use crate::kernel::Kernel;
use base::{Certificate, Dataset, Result, Targets};
use numeric::Moments;

/// Deviations of columns further apart than this are worth a warning.
const WILD: f64 = 1e3;

/// What support vectors are of: what to do about too many of them depends on it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Support {
    /// Classes.
    Classes,
    /// Values, with the price of an error and the half width of the tube where that is given.
    Values { c: f64, epsilon: Option<f64> },
    /// What is usual.
    Usual,
}

/// Support vectors: how many, how many at their bound, and what a large fraction of them means.
pub(crate) fn support(certificate: &mut Certificate, data: &Dataset, of: Support, support: usize, bounded: usize) {
    let share = support as f64 / data.len().max(1) as f64;
    certificate.fact("support vectors", support as f64);
    certificate.fact("support vectors at their bound", bounded as f64);
    certificate.fact("support vectors between the bounds", support.saturating_sub(bounded) as f64);
    certificate.fact("fraction of support vectors", share);
    if share > 0.9 && data.len() >= 50 {
        let why = match of {
            Support::Classes => {
                "the kernel is too narrow, or the classes overlap; try a smaller gamma or another c".into()
            }
            Support::Usual => "the kernel is too narrow; try a smaller gamma or a smaller nu".into(),
            Support::Values { c, epsilon } => {
                let tube = epsilon.map_or(String::new(), |e| format!(" and epsilon = {e}"));
                let more = if epsilon.is_some() { "c and epsilon" } else { "c" };
                format!(
                    "the target has a standard deviation of {:.3e}, compared with c = {c}{tube}; scale the \
                         target, or raise {more}",
                    spread(data)
                )
            }
        };
        certificate.warn(format!("{} of the rows are support vectors: {why}", base::percent(share)));
    }
}

/// The standard deviation of the target, of several the largest.
fn spread(data: &Dataset) -> f64 {
    let Targets::Values(values) = &data.targets else { return 0.0 };
    Moments::of_rows(values.values(), values.names().len(), None).deviations().into_iter().fold(0.0, f64::max)
}

/// Warns of columns whose scales are so unlike that the largest rules every distance.
pub(crate) fn scales(certificate: &mut Certificate, data: &Dataset, kernel: &Kernel) -> Result<()> {
    if !kernel.scales_matter() {
        return Ok(());
    }
    let deviations = Moments::of(data.points()?, None).deviations();
    let places = || (0..deviations.len()).filter(|&c| deviations[c] > 0.0);
    let order = |a: &usize, b: &usize| deviations[*a].total_cmp(&deviations[*b]);
    if let (Some(least), Some(most)) = (places().min_by(order), places().max_by(order))
        && deviations[most] > WILD * deviations[least]
    {
        certificate.warn(format!(
            "standard deviations of columns range from {:.3e} ({}) to {:.3e} ({}), and the largest dominates the kernel: \
             standardise the columns (step scale)",
            deviations[least],
            data.features.name(least),
            deviations[most],
            data.features.name(most)
        ));
    }
    Ok(())
}
