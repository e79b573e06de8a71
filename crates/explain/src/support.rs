//! Scores of classifiers and regressors by the training points they rest on: c_j k(x, u_j), which sum to the decision.

use crate::entry::{AddsUp, Explain, MethodEntry, MethodNeeds};
use base::{Balance, Error, Features, Machine, Over, Points, Relevance, Result, Run};

pub(crate) static SUPPORT: MethodEntry = MethodEntry {
    over: Over::Support,
    adds_up: AddsUp::Always,
    ..MethodEntry::new(
        "support",
        "the score, attributed to training points",
        MethodNeeds::Support,
        Explain::Own(Some(|subject, points, output, run| by_support(subject.machine(), points, output, run))),
    )
};

/// How much each training point that the machine carries adds to an output; the offset is absorbed.
pub fn by_support(machine: &dyn Machine, points: &Points, output: usize, run: &Run<'_>) -> Result<Relevance> {
    let Some(sums) = machine.by_support() else {
        let instead = "only machines that are sums over training points have one";
        return Err(Error::unsupported("support", "this machine", instead));
    };
    let told = sums.contributions(points, output, run)?;
    let m = told.values.columns();
    let account = |line: &[f64]| {
        let sum: f64 = line.iter().sum();
        Balance { score: sum + told.offset, sum, absorbed: told.offset, lost: 0.0 }
    };
    let balance = match m {
        0 => vec![account(&[]); points.len()],
        _ => told.values.to_dense(&run.memory)?.chunks_exact(m).map(account).collect(),
    };
    Ok(Relevance {
        values: told.values,
        features: Features::unnamed(m),
        balance: Some(balance),
        method: "support".into(),
    })
}
