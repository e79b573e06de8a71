//! A kernel expansion written as a network: distances or inner products, a function of each, a weighted sum.
//!
//! Detectors with a radial kernel become a layer of distances and a soft minimum, on which relevance has rules of its
//! own: h_j = γ‖x − u_j‖^q − log c_j and −log Σ exp(−h) for the exponential kernel,
//! h_j = (a + γ‖x − u_j‖^q) / c_j and the harmonic mean for t-Student. Others have a form where their kernel has one
//! ([`crate::KernelFunction::graph`]).

use crate::expansion::{Decisions, Expansion, pair};
use base::graph::{Binary, Draft, Graph, Op, SoftPooling, Source, Unary};
use base::{Machine, Result, Run};
use density::RadialKernel;

/// The form as a network, where there is one.
pub(crate) fn graph(machine: &Expansion, run: &Run<'_>) -> Result<Option<Graph>> {
    if machine.reading() == Decisions::Sphere || machine.centres().is_empty() {
        return Ok(None);
    }
    if machine.in_logarithms() {
        return outlierness(machine, run).map(Some);
    }
    let mut draft = Draft::rows(machine.centres().columns());
    let Some(values) = values(machine, &mut draft, run)? else { return Ok(None) };
    let (m, decisions) = (machine.centres().len(), machine.offsets().len());
    let weights = draft.weight("coefficients", &[decisions, m], by_decision(machine))?;
    let offsets = draft.weight("offsets", &[decisions], machine.offsets().to_vec())?;
    let raw = draft.node("decisions", Op::Dense { transposed: true }, &[values, weights, offsets]);
    let scores = match machine.reading() {
        Decisions::Pairs => pairs(machine, &mut draft, raw)?,
        Decisions::Outlier => draft.node("strangeness", Op::Unary(Unary::Neg), &[raw]),
        _ => raw,
    };
    let scores = match machine.outputs().extra {
        0 => scores,
        _ => return Ok(None), // The share of training rows is a table, not a network.
    };
    draft.graph(scores).map(Some)
}

/// Outlierness alone, without the share of training rows: score = log ρ − log g, a column.
pub fn outlierness(machine: &Expansion, run: &Run<'_>) -> Result<Graph> {
    let mut draft = Draft::rows(machine.centres().columns());
    let (m, d) = (machine.centres().len(), machine.centres().columns());
    let centres = machine.centres().to_dense(&run.memory)?.to_vec();
    let centres = draft.weight("centres", &[m, d], centres)?;
    let coefficients = machine.coefficients();
    let (pooled, log_rho) = match machine.kernel().radial() {
        Some(RadialKernel::Student { a, gamma, q }) => {
            let distances = draft.node("distances", Op::Distance { q }, &[Draft::INPUT, centres]);
            let gamma = draft.number("gamma", gamma)?;
            let scaled = draft.node("scaled", Op::Binary(Binary::Mul), &[distances, gamma]);
            let a = draft.number("a", a)?;
            let added = draft.node("added", Op::Binary(Binary::Add), &[scaled, a]);
            let shares = draft.numbers("coefficients", coefficients.to_vec())?;
            let h = draft.node("h", Op::Binary(Binary::Div), &[added, shares]);
            (draft.node("outlierness", Op::SoftPool { pooling: SoftPooling::Harmonic }, &[h]), None)
        }
        Some(RadialKernel::Exponential { gamma, q }) => {
            let distances = draft.node("distances", Op::Distance { q }, &[Draft::INPUT, centres]);
            let gamma = draft.number("gamma", gamma)?;
            let scaled = draft.node("scaled", Op::Binary(Binary::Mul), &[distances, gamma]);
            let logs = draft.numbers("logarithms", coefficients.iter().map(|c| -c.ln()).collect())?;
            let h = draft.node("h", Op::Binary(Binary::Add), &[scaled, logs]);
            let pooling = SoftPooling::MinLogSumExp;
            let pooled = draft.node("outlierness", Op::SoftPool { pooling }, &[h]);
            (pooled, Some((-machine.offsets()[0]).ln()))
        }
        None => return Err(base::Error::unsupported("outlierness", "this kernel", "use a radial kernel")),
    };
    let score = match log_rho {
        Some(log_rho) => {
            let log_rho = draft.number("log rho", log_rho)?;
            draft.node("score", Op::Binary(Binary::Add), &[pooled, log_rho])
        }
        None => {
            // Harmonic mean m/g: log(ρ/g) = log(mean · ρ/m).
            let factor = draft.number("rho over m", -machine.offsets()[0] / m as f64)?;
            let ratio = draft.node("ratio", Op::Binary(Binary::Mul), &[pooled, factor]);
            draft.node("score", Op::Unary(Unary::Log), &[ratio])
        }
    };
    draft.graph(score)
}

/// Kernel values (rows, centres), where the kernel has nodes for them.
fn values(machine: &Expansion, draft: &mut Draft, run: &Run<'_>) -> Result<Option<Source>> {
    let (m, d) = (machine.centres().len(), machine.centres().columns());
    let centres = machine.centres().to_dense(&run.memory)?.to_vec();
    let centres = draft.weight("centres", &[m, d], centres)?;
    machine.kernel().graph(draft, centres)
}

/// Coefficients as decisions x centres, zeros written out.
fn by_decision(machine: &Expansion) -> Vec<f64> {
    let (m, decisions, width) = (machine.centres().len(), machine.offsets().len(), machine.width());
    let classes = machine.outputs().names.len();
    let mut all = vec![0.0; decisions * m];
    let mut put = |centre: usize, slot: usize, decision: usize| {
        all[decision * m + centre] = machine.coefficients()[centre * width + slot];
    };
    if machine.reading() != Decisions::Pairs {
        (0..m).for_each(|centre| (0..width).for_each(|slot| put(centre, slot, slot)));
        return all;
    }
    for own in 0..classes {
        for centre in machine.centres_of(own) {
            for slot in 0..width {
                let other = slot + usize::from(slot >= own);
                put(centre, slot, pair(own.min(other), own.max(other), classes));
            }
        }
    }
    all
}

/// Votes plus squashed sums of margins, by signs and a matrix of ±1.
fn pairs(machine: &Expansion, draft: &mut Draft, raw: Source) -> Result<Source> {
    let classes = machine.outputs().names.len();
    let decisions = machine.offsets().len();
    let mut signs = vec![0.0; classes * decisions];
    for a in 0..classes {
        for b in a + 1..classes {
            signs[a * decisions + pair(a, b, classes)] = 1.0;
            signs[b * decisions + pair(a, b, classes)] = -1.0;
        }
    }
    let signs = draft.constant("who wins", base::graph::Tensor::f64([classes, decisions], signs)?);
    let sums = draft.node("margins", Op::Dense { transposed: true }, &[raw, signs]);
    if classes == 2 {
        return Ok(sums);
    }
    let won = draft.node("won", Op::Unary(Unary::Sign), &[raw]);
    let balance = draft.node("balance", Op::Dense { transposed: true }, &[won, signs]);
    let half = draft.number("half", 0.5)?;
    let halves = draft.node("halves", Op::Binary(Binary::Mul), &[balance, half]);
    let most = draft.number("half of all", 0.5 * (classes as f64 - 1.0))?;
    let votes = draft.node("votes", Op::Binary(Binary::Add), &[halves, most]);
    let squashed = draft.node("squashed", Op::Unary(Unary::Softsign), &[sums]);
    let three = draft.number("three", 3.0)?;
    let thirds = draft.node("thirds", Op::Binary(Binary::Div), &[squashed, three]);
    Ok(draft.node("scores", Op::Binary(Binary::Add), &[votes, thirds]))
}
