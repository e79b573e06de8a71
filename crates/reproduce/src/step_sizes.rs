//! Gradient descent at a minimum: what the rate η does to the distance along the steepest direction.
//!
//! Along the eigenvector of the largest eigenvalue ρ each step multiplies the distance by 1 − ηρ: between 0 and 1 it is
//! smooth, between −1 and 0 it oscillates, below −1 it grows. Shown on a quadratic bowl, and on a small network at a
//! minimum of its cost, whose ρ is found by Lanczos' iteration.

use super::{Finding, Outcome};
use base::graph::Tensor;
use base::{Result, Run, normal};
use numeric::{Lbfgs, Objective};
use pellucid::network::diagnose::{NetworkCost, Spectrum, descend, half_squares, spectrum};
use pellucid::network::{Network, SoftCommittee};
use pellucid::picture::{LinePlot, Reference, Series};

/// ηρ: below 1, between 1 and 2, above 2.
const SHARES: [f64; 5] = [0.3, 0.9, 1.5, 1.9, 2.1];
const STEPS: usize = 12;

/// Does the experiment.
pub(super) fn run(run: &Run<'_>) -> Result<Outcome> {
    let mut outcome = Outcome {
        about: "The factor by which one step changes the distance along the steepest direction; in theory 1 - \
             ηρ. Negative factors are steps to the other side; absolute values above 1 diverge."
            .into(),
        ..Outcome::default()
    };
    let curves = [4.0, 1.0, 0.5];
    let mut bowl = |x: &[f64], g: &mut [f64]| {
        g.iter_mut().zip(x).zip(curves).for_each(|((g, x), c)| *g = c * x);
        Ok(x.iter().zip(curves).map(|(x, c)| 0.5 * c * x * x).sum())
    };
    let edges = spectrum(&mut bowl, &[0.0; 3], (1e-9, 20), run)?;
    outcome.findings.push(Finding::beside("bowl: largest eigenvalue", edges.largest.value, 4.0, 1e-8));
    show("bowl", &mut bowl, &[0.0; 3], (&edges, 1.0, 1e-6), &mut outcome, run)?;

    // A committee of three units fitted to noisy values, with a little decay so that the minimum is a strict one.
    let mut stream = run.seed.fork("step sizes").stream();
    let x: Vec<f64> = (0..120).map(|_| normal(&mut stream)).collect();
    let value = |x: &[f64]| (1.5 * x[0]).sin() - 0.5 * x[1];
    let targets: Vec<f64> = x.chunks(2).map(|x| value(x) + 0.2 * normal(&mut stream)).collect();
    let committee = SoftCommittee { columns: 2, units: 3, ..SoftCommittee::default() };
    let mut network = Network::new(committee.graph(run.seed.fork("committee"))?);
    let start = network.parameters();
    let (inputs, loss) = ([Tensor::f64([60, 2], x)?], half_squares(&targets));
    let mut cost = NetworkCost::new(&mut network, &inputs, &loss, run)?;
    let mut cost = |x: &[f64], g: &mut [f64]| {
        let value = cost.value_and_gradient(x, g)?;
        g.iter_mut().zip(x).for_each(|(g, x)| *g += 1e-3 * x);
        Ok(value + 5e-4 * x.iter().map(|x| x * x).sum::<f64>())
    };
    let minimum = Lbfgs { tolerance: 1e-10, steps: 20_000, memory: 20 }.minimise(run, &start, &mut cost)?.point;
    let edges = spectrum(&mut cost, &minimum, (1e-8, 50), run)?;
    outcome.findings.push(Finding::alone("network: largest eigenvalue", edges.largest.value));
    outcome.findings.push(Finding::alone("network: smallest eigenvalue", edges.smallest.value));
    // So near to the minimum that the cost is a bowl to three digits.
    show("network", &mut cost, &minimum, (&edges, 1e-4, 5e-3), &mut outcome, run)?;
    Ok(outcome)
}

/// Descends with each rate from a little beside the minimum.
fn show(
    name: &str,
    objective: &mut dyn Objective,
    minimum: &[f64],
    (edges, distance, tolerance): (&Spectrum, f64, f64),
    outcome: &mut Outcome,
    run: &Run<'_>,
) -> Result<()> {
    let (rho, direction) = (edges.largest.value, &edges.largest.vector);
    let start: Vec<f64> = minimum.iter().zip(direction).map(|(m, u)| m + distance * u).collect();
    let mut series = vec![];
    for share in SHARES {
        let way = descend(objective, &start, (share / rho, STEPS), (minimum, direction), run)?;
        let what = format!("{name}: factor of a step at η = {share}/ρ");
        outcome.findings.push(Finding::beside(what, way.offsets[1] / way.offsets[0], 1.0 - share, tolerance));
        series.push(Series {
            name: format!("η = {share}/ρ"),
            x: (0..way.offsets.len()).map(|t| t as f64).collect(),
            y: way.offsets.iter().map(|o| o / way.offsets[0]).collect(),
            ..Series::default()
        });
    }
    outcome.pictures.push(Box::new(LinePlot {
        title: format!("Descent near the minimum of a {name}"),
        x_label: "step".into(),
        y_label: "distance, as a fraction of the first".into(),
        series,
        marks: true,
        reference: Reference::Level(String::new(), 0.0),
        ..LinePlot::default()
    }));
    Ok(())
}
