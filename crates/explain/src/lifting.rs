//! DeepLIFT: the change of the score from a reference, by the rescale rule (`deep_lift.rs`) or by reveal-cancel
//! (`reveal_cancel.rs`); Σ R_i = f(x) − f(x̃) where every operation keeps differences.
//!
//! DeepSHAP is the mean of the rescale rule over references from the data (S. Lundberg, S.-I. Lee, NIPS 2017, section 4.2).
//!
//! **Cost.** The reference goes through once, each block of rows once and back (reveal-cancel: see there).

use crate::attribution::relevance_of;
use crate::deep_lift;
use crate::entry::{AddsUp, Explain, MethodEntry, MethodNeeds};
use crate::net::Net;
use crate::parts::WeightParts;
use crate::positions::Positions;
use crate::reveal_cancel::RevealCancel;
use crate::rows::Rows;
use crate::rule::Composite;
use crate::walk::{Begin, Walker, seed};
use base::graph::{Source, Tensor};
use base::{Balance, Progress, Relevance, Result, Run};
use network::Tape;
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) static DEEP_LIFT: MethodEntry = MethodEntry {
    settings: &["reference"],
    adds_up: AddsUp::Through(deep_lift::keeps),
    ..MethodEntry::new(
        "deep-lift",
        "DeepLIFT, rescale rule: the change of the score from a reference, layer by layer",
        MethodNeeds::SmoothNetwork,
        Explain::Rows(rescaled),
    )
};

pub(crate) static DEEP_LIFT_REVEAL_CANCEL: MethodEntry = MethodEntry {
    settings: &["reference"],
    adds_up: AddsUp::Through(deep_lift::keeps),
    ..MethodEntry::new(
        "deep-lift-reveal-cancel",
        "DeepLIFT, reveal-cancel rule: positive and negative contributions separately",
        MethodNeeds::SmoothNetwork,
        Explain::Rows(revealed),
    )
};

/// References that DeepSHAP averages over.
const REFERENCES: usize = 20;

pub(crate) static DEEP_SHAP: MethodEntry = MethodEntry {
    adds_up: AddsUp::Through(deep_lift::keeps),
    passes: |_| REFERENCES,
    ..MethodEntry::new(
        "deep-shap",
        "DeepSHAP: DeepLIFT (rescale rule), averaged over rows of the data as references",
        MethodNeeds::SmoothNetwork,
        Explain::Rows(averaged),
    )
};

/// A network with its reference.
struct Lifting<'n> {
    net: &'n Net,
    positions: Positions,
    reference: Vec<f64>,
    /// The scores of the reference.
    at_start: Vec<f64>,
    composite: Composite,
}

fn rescaled(rows: &Rows<'_>, outputs: &[usize], run: &Run<'_>) -> Result<Relevance> {
    let lent = rows.net(run)?;
    by_rescaling(&Lifting::new(&lent.net, rows, run)?, DEEP_LIFT.name, rows, outputs, run)
}

/// The mean over references of what the rescale rule says: Σ R_i = f(x) − mean f(x̃).
fn averaged(rows: &Rows<'_>, outputs: &[usize], run: &Run<'_>) -> Result<Relevance> {
    let lent = rows.net(run)?;
    let others = rows.others(REFERENCES)?;
    let (n, d, count) = (rows.points.len(), others.columns(), others.len() as f64);
    let (mut all, _hold) = run.memory.filled(n.saturating_mul(d), 0.0, "relevance")?;
    let mut balance = vec![Balance::default(); n];
    let mut reference = vec![0.0; d];
    for k in 0..others.len() {
        run.report(&Progress::of("references", k as u64, others.len() as u64))?;
        others.write_row(k, &mut reference);
        let lifting = Lifting::from(&lent.net, reference.clone(), run)?;
        let one = by_rescaling(&lifting, DEEP_SHAP.name, rows, outputs, run)?;
        let values = one.values.to_dense(&run.memory)?;
        all.iter_mut().zip(&values[..]).for_each(|(a, v)| *a += v / count);
        for (mean, b) in balance.iter_mut().zip(one.balance.iter().flatten()) {
            mean.score += b.score / count;
            mean.sum += b.sum / count;
            mean.absorbed += b.absorbed / count;
            mean.lost += b.lost / count;
        }
    }
    relevance_of(all, (n, d), Some(balance), DEEP_SHAP.name)
}

fn by_rescaling(
    lifting: &Lifting<'_>,
    name: &str,
    rows: &Rows<'_>,
    outputs: &[usize],
    run: &Run<'_>,
) -> Result<Relevance> {
    let net = lifting.net;
    let walker = Walker::new(&net.network, net.start, &[Source::Input(0)], &lifting.composite)?;
    let d = lifting.reference.len();
    lifting.explain(rows, outputs, name, run, |tape, columns| {
        let mut passed = walker.walk(tape, columns, Begin::One, run)?.relevance.to_f64();
        let x = tape.value(Source::Input(0))?;
        let changes = x.to_f64().into_iter().enumerate().map(|(i, x)| x - lifting.reference[i % d]);
        passed.iter_mut().zip(changes).for_each(|(m, change)| *m *= change);
        Ok(passed)
    })
}

fn revealed(rows: &Rows<'_>, outputs: &[usize], run: &Run<'_>) -> Result<Relevance> {
    let lent = rows.net(run)?;
    let lifting = Lifting::new(&lent.net, rows, run)?;
    let net = lifting.net;
    let parts = WeightParts::default();
    lifting.explain(rows, outputs, DEEP_LIFT_REVEAL_CANCEL.name, run, |tape, columns| {
        let x = tape.value(Source::Input(0))?;
        let repeated = Tensor::f64(x.shape(), lifting.reference.repeat(columns.len()))?;
        RevealCancel {
            network: &net.network,
            start: net.start,
            positions: &lifting.positions,
            rescale: &lifting.composite,
            parts: &parts,
            rows: tape,
            reference: &net.network.tape(&[repeated], run)?,
        }
        .explain(columns, run)
    })
}

impl<'n> Lifting<'n> {
    /// Runs the reference of the settings, 0 if they name none.
    fn new(net: &'n Net, rows: &Rows<'_>, run: &Run<'_>) -> Result<Self> {
        let d = rows.points.columns();
        Self::from(net, rows.tuning.reference_of(d)?.unwrap_or_else(|| vec![0.0; d]), run)
    }

    /// Runs a reference.
    fn from(net: &'n Net, reference: Vec<f64>, run: &Run<'_>) -> Result<Self> {
        let d = reference.len();
        let graph = net.network.graph();
        let positions = Positions::of(graph, net.start, &[Source::Input(0)]);
        let (mut seen, mut at_start) = (HashMap::new(), vec![]);
        net.blocks(&base::Points::dense(reference.clone(), 1, d)?, &[0], run, |tape, _, _| {
            for (i, node) in graph.nodes().iter().enumerate() {
                if let (true, Some(Some(x))) = (positions.leads[i] && deep_lift::bends(&node.op), node.inputs.first()) {
                    let pair = (one_row(tape.value(*x)?)?, one_row(tape.value(Source::Node(i, 0))?)?);
                    seen.insert(i, pair);
                }
            }
            at_start = one_row(tape.value(net.start)?)?.to_f64();
            Ok(())
        })?;
        let composite = deep_lift::rescale(Arc::new(seen));
        Ok(Lifting { net, positions, reference, at_start, composite })
    }

    /// Explains block after block and keeps accounts of what is missed.
    fn explain(
        &self,
        rows: &Rows<'_>,
        outputs: &[usize],
        name: &str,
        run: &Run<'_>,
        lift: impl Fn(&Tape<'_>, &[usize]) -> Result<Vec<f64>>,
    ) -> Result<Relevance> {
        let (n, d) = (rows.points.len(), self.reference.len());
        let (mut all, _hold) = run.memory.filled(n.saturating_mul(d), 0.0, "relevance")?;
        let mut balance = vec![];
        self.net.blocks(rows.points, outputs, run, |tape, rows, columns| {
            let scores = seed(tape.value(self.net.start)?, columns, Begin::One)?.1;
            let found = lift(tape, columns)?;
            all[rows.start * d..rows.end * d].copy_from_slice(&found[..rows.len() * d]);
            for (k, own) in found.chunks_exact(d).take(rows.len()).enumerate() {
                let (score, sum, absorbed) = (scores[k], own.iter().sum::<f64>(), self.at_start[columns[k]]);
                balance.push(Balance { score, sum, absorbed, lost: score - absorbed - sum });
            }
            Ok(())
        })?;
        relevance_of(all, (n, d), Some(balance), name)
    }
}

/// The first row of a tensor.
fn one_row(tensor: &Tensor) -> Result<Tensor> {
    let mut shape = tensor.shape().to_vec();
    let each = tensor.numbers().len() / shape.first().copied().unwrap_or(1).max(1);
    if let Some(rows) = shape.first_mut() {
        *rows = 1;
    }
    Tensor::f64(shape, tensor.to_f64()[..each].to_vec())
}
