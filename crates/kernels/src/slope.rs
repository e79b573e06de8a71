//! The slope of a kernel expansion in its inputs, in closed form: Σ_j c_j ∂k(x, u_j)/∂x.
//!
//! Scores of pairs are votes, which do not slope, plus squashed sums of margins, which do:
//! ∂/∂s of s/(3(|s| + 1)) is 1/(3(|s| + 1)²). The score log ρ − log g slopes by −∇g/g, whose shares are computed in
//! logarithms, so that it is right however far away x is.
//!
//! **Cost.** O(centres · columns).

use crate::expansion::{Decisions, Expansion, pair};
use crate::outlierness::log_sum;
use base::Machine;
use density::RadialKernel;

/// Writes Σ_k direction_k ∂score_k/∂x to `out`.
pub(crate) fn pull(machine: &Expansion, x: &[f64], direction: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    let Some(gradient) = machine.kernel().gradient() else { return };
    let along = match machine.reading() {
        Decisions::Outlier if machine.in_logarithms() => return logarithm(machine, x, direction[0], out),
        Decisions::Outlier => vec![-direction[0]],
        Decisions::Sphere => {
            // k(x, x) slopes in both its arguments.
            gradient.add(x, x, 2.0 * direction[0], out);
            vec![direction[0]]
        }
        Decisions::Rest | Decisions::Values => direction.to_vec(),
        Decisions::Pairs => pairs(machine, x, direction),
    };
    each_centre(machine, |centre, u, width| {
        let coefficients = &machine.coefficients()[centre * width..(centre + 1) * width];
        let weight = match machine.reading() {
            Decisions::Pairs => {
                let classes = machine.outputs().names.len();
                let own = (0..classes).find(|&c| machine.centres_of(c).contains(&centre)).unwrap_or(0);
                let one = |(slot, c): (usize, &f64)| {
                    let other = slot + usize::from(slot >= own);
                    c * along[pair(own.min(other), own.max(other), classes)]
                };
                coefficients.iter().enumerate().map(one).sum()
            }
            _ => coefficients.iter().zip(&along).map(|(c, a)| c * a).sum(),
        };
        if weight != 0.0 {
            gradient.add(x, u, weight, out);
        }
    });
}

fn each_centre(machine: &Expansion, mut f: impl FnMut(usize, &[f64], usize)) {
    let mut u = vec![0.0; machine.centres().columns()];
    for centre in 0..machine.centres().len() {
        machine.centres().write_row(centre, &mut u);
        f(centre, &u, machine.width());
    }
}

/// How much each decision of a pair counts along a direction of scores.
fn pairs(machine: &Expansion, x: &[f64], direction: &[f64]) -> Vec<f64> {
    let classes = direction.len();
    if classes == 2 {
        return vec![direction[0] - direction[1]];
    }
    let mut raw = machine.offsets().to_vec();
    each_centre(machine, |centre, u, width| {
        let k = machine.kernel().value(x, u);
        let own = (0..classes).find(|&c| machine.centres_of(c).contains(&centre)).unwrap_or(0);
        for (slot, c) in machine.coefficients()[centre * width..(centre + 1) * width].iter().enumerate() {
            let other = slot + usize::from(slot >= own);
            raw[pair(own.min(other), own.max(other), classes)] += c * k;
        }
    });
    let mut sums = vec![0.0; classes];
    let mut along = vec![0.0; raw.len()];
    for a in 0..classes {
        for b in a + 1..classes {
            sums[a] += raw[pair(a, b, classes)];
            sums[b] -= raw[pair(a, b, classes)];
        }
    }
    let slope = |c: usize| direction[c] / (3.0 * (sums[c].abs() + 1.0).powi(2));
    for a in 0..classes {
        for b in a + 1..classes {
            along[pair(a, b, classes)] = slope(a) - slope(b);
        }
    }
    along
}

/// Adds `along` · ∂(−log g)/∂x.
fn logarithm(machine: &Expansion, x: &[f64], along: f64, out: &mut [f64]) {
    let Some(radial) = machine.kernel().radial() else { return };
    let logs: Vec<f64> = machine.coefficients().iter().map(|c| c.ln()).collect();
    let mut shares = vec![0.0; logs.len()];
    each_centre(machine, |centre, u, _| shares[centre] = numeric::squared_distance(x, u));
    log_sum(radial, &logs, &mut shares);
    each_centre(machine, |centre, u, _| {
        let d = numeric::squared_distance(x, u).sqrt();
        if d == 0.0 {
            return;
        }
        // −∂ log k/∂d, divided by d.
        let fall = match radial {
            RadialKernel::Exponential { gamma, q } => gamma * q * d.powf(q - 2.0),
            RadialKernel::Student { a, gamma, q } => gamma * q * d.powf(q - 2.0) / (a + gamma * d.powf(q)),
        };
        let factor = along * shares[centre] * fall;
        out.iter_mut().zip(x).zip(u).for_each(|((o, x), u)| *o += factor * (x - u));
    });
}
