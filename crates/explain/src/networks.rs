//! Methods that walk back through a network, by name.

use crate::composites::{self, Basis};
use crate::deep_lift;
use crate::method::Method;
use crate::net::Net;
use crate::parts::Parts;
use crate::patterns::Patterns;
use crate::positions::Positions;
use crate::reveal_cancel::RevealCancel;
use crate::rivals::told;
use crate::rule::Composite;
use crate::rules::{BatchNormWay, Given, LinearRule, RectifyRule};
use crate::tuning::{Signs, Tuning};
use crate::walk::{Begin, Walker, seed};
use base::graph::{Source, Tensor};
use base::{Balance, Error, Machine, Place, Points, Relevance, Result, Run};
use std::collections::HashMap;
use std::sync::Arc;

/// The rules of a method and what its walk begins with; none if it is no walk.
pub(crate) fn rules_of(method: Method, tuning: &Tuning, patterns: Option<&Patterns>) -> Option<(Composite, Begin)> {
    let basis = Basis { stabiliser: tuning.stabiliser, batch_norm: tuning.batch_norm };
    let (epsilon, stabiliser) = (LinearRule::epsilon(tuning.epsilon), tuning.stabiliser);
    let alpha_beta = |alpha: f64| LinearRule::alpha_beta(alpha, alpha - 1.0, stabiliser);
    let z_plus = || match tuning.signs {
        Signs::Products => LinearRule::z_plus(true, stabiliser),
        Signs::Weights => LinearRule::z_plus_of_weights(stabiliser),
    };
    let gamma = || match tuning.signs {
        Signs::Products => LinearRule::gamma(tuning.gamma, stabiliser),
        Signs::Weights => LinearRule::gamma_of_weights(tuning.gamma, stabiliser),
    };
    let bounded = || {
        let or = |list: &[f64], own: Given| if list.is_empty() { own } else { Given::Fixed(list.to_vec()) };
        LinearRule::z_box(or(&tuning.low, Given::Least), or(&tuning.high, Given::Largest), stabiliser)
    };
    let composite = match method {
        Method::LrpZ => composites::everywhere(LinearRule::epsilon(0.0), Basis { stabiliser: 0.0, ..basis }),
        Method::LrpEpsilon => composites::everywhere(epsilon, basis),
        Method::LrpGamma => composites::everywhere(gamma(), basis),
        Method::LrpAlphaBeta => composites::everywhere(alpha_beta(tuning.alpha), basis),
        Method::LrpZPlus => composites::everywhere(z_plus(), basis),
        Method::LrpWSquare => composites::everywhere(LinearRule::w_square(false, stabiliser), basis),
        Method::LrpFlat => composites::everywhere(LinearRule::flat(stabiliser), basis),
        Method::LrpComposite => composites::layered(epsilon, z_plus(), basis),
        Method::LrpEpsilonPlus => composites::layered(epsilon, z_plus(), basis),
        Method::LrpEpsilonPlusFlat => {
            composites::begun_by(LinearRule::flat(stabiliser), true, composites::layered(epsilon, z_plus(), basis))
        }
        Method::LrpEpsilonGammaBox => {
            composites::begun_by(bounded(), false, composites::layered(epsilon, gamma(), basis))
        }
        Method::LrpEpsilonAlpha2Beta1 => composites::layered(epsilon, alpha_beta(2.0), basis),
        Method::LrpEpsilonAlpha2Beta1Flat => composites::begun_by(
            LinearRule::flat(stabiliser),
            true,
            composites::layered(epsilon, alpha_beta(2.0), basis),
        ),
        Method::DeepTaylor => composites::deep_taylor(LinearRule::w_square(false, stabiliser), basis),
        Method::DeepTaylorBounded => composites::deep_taylor(bounded(), basis),
        Method::ExcitationBackprop => composites::everywhere(LinearRule::z_plus(false, stabiliser), basis),
        Method::DeconvNet => composites::gradients(Some(RectifyRule { guided: false })),
        Method::GuidedBackprop => composites::gradients(Some(RectifyRule { guided: true })),
        Method::PatternNet | Method::PatternAttribution => {
            patterns.map_or(Composite::default(), |p| p.composite(method == Method::PatternAttribution))
        }
        _ => return None,
    };
    let gradient = matches!(method, Method::DeconvNet | Method::GuidedBackprop);
    Some((composite, if gradient { Begin::One } else { Begin::Score }))
}

/// Why a method does not fit a network; none if it does.
pub(crate) fn why_not(net: &Net, method: Method) -> Option<String> {
    if method.patterned() {
        return crate::patterns::check(net).err().map(|e| e.to_string());
    }
    if method.lifts() {
        return None;
    }
    let (composite, _) = rules_of(method, &Tuning::default(), None)?;
    Walker::new(&net.network, net.start, &[Source::Input(0)], &composite).err().map(|e| e.to_string())
}

/// A walk that is bound to its network.
struct Bound<'n> {
    walker: Walker<'n>,
    begin: Begin,
    /// Whether it keeps accounts.
    accounts: bool,
}

impl<'n> Bound<'n> {
    fn new(net: &'n Net, method: Method, tuning: &Tuning, patterns: Option<&Patterns>) -> Result<Self> {
        let own = patterns.filter(|_| method.patterned());
        let Some((composite, begin)) = rules_of(method, tuning, own) else {
            return Err(Error::unsupported(format!("the method {}", method.word()), "networks", "it is no walk"));
        };
        let walker = Walker::new(&net.network, net.start, &[Source::Input(0)], &composite)?;
        Ok(Bound { walker, begin, accounts: begin == Begin::Score && own.is_none() })
    }
}

/// What a node on the way kept of each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// The node's name.
    pub node: String,
    /// The rule it was given.
    pub rule: &'static str,
    /// What constants absorbed, for each row.
    pub absorbed: Vec<f64>,
    /// What stabilisers cost, for each row.
    pub lost: Vec<f64>,
}

/// The accounts of a walk node by node, from the score to the inputs.
pub(crate) fn layers(
    machine: &dyn Machine,
    points: &Points,
    outputs: &[usize],
    (method, tuning): (Method, &Tuning),
    run: &Run<'_>,
) -> Result<Vec<Layer>> {
    let net = Net::of(machine, tuning.batch_norm == BatchNormWay::Fused, run)?;
    let walks = method.walks() && !method.lifts() && !method.patterned();
    let bound = if walks { Some(Bound::new(&net, method, tuning, None)?) } else { None };
    let Some(bound) = bound.filter(|b| b.accounts) else {
        let instead = "methods of relevance propagation have them";
        return Err(Error::unsupported("accounts by layer", format!("the method {}", method.word()), instead));
    };
    let mut all: Vec<Layer> = vec![];
    net.blocks(points, outputs, run, |tape, rows, columns| {
        let walked = bound.walker.walk(tape, columns, bound.begin, run)?;
        if all.is_empty() {
            let layer = |(node, rule)| Layer { node, rule, absorbed: vec![], lost: vec![] };
            all = walked.taken.into_iter().map(layer).collect();
        }
        for (layer, (absorbed, lost)) in all.iter_mut().zip(&walked.kept) {
            let of = |kept: &[f64], k: usize| kept.get(k).copied().unwrap_or(0.0);
            layer.absorbed.extend((0..rows.len()).map(|k| of(absorbed, k)));
            layer.lost.extend((0..rows.len()).map(|k| of(lost, k)));
        }
        Ok(())
    })?;
    Ok(all)
}

/// Explains the output asked for in each row by walks of several methods, which share each run of the network.
pub(crate) fn explain(
    machine: &dyn Machine,
    points: &Points,
    outputs: &[usize],
    methods: &[Method],
    (tuning, background): (&Tuning, &Points),
    run: &Run<'_>,
) -> Result<Vec<Result<Relevance>>> {
    let net = Net::of(machine, tuning.batch_norm == BatchNormWay::Fused, run)?;
    let fitted = methods.iter().any(|m| m.patterned());
    let patterns = if fitted { Some(Patterns::fit(&net, background, run)?) } else { None };
    let walks = methods.iter().filter(|m| !m.lifts());
    let bound: Vec<Bound<'_>> =
        walks.map(|m| Bound::new(&net, *m, tuning, patterns.as_ref())).collect::<Result<_>>()?;
    let (n, d) = (points.len(), points.columns());
    let mut all: Vec<(Vec<f64>, Vec<Balance>)> = vec![];
    let mut holds = vec![];
    for _ in &bound {
        let (values, hold) = run.memory.filled(n.saturating_mul(d), 0.0, "relevance")?;
        holds.push(hold);
        all.push((values, vec![]));
    }
    if !bound.is_empty() {
        net.blocks(points, outputs, run, |tape, rows, columns| {
            for (b, (values, balance)) in bound.iter().zip(&mut all) {
                let walked = b.walker.walk(tape, columns, b.begin, run)?;
                values[rows.start * d..rows.end * d].copy_from_slice(&walked.relevance.to_f64()[..rows.len() * d]);
                balance.extend_from_slice(&walked.balance[..rows.len()]);
            }
            Ok(())
        })?;
    }
    let mut found = bound.iter().zip(all);
    let mut answer = |&method: &Method| {
        let next = if method.lifts() { None } else { found.next() };
        let Some((bound, (values, balance))) = next else {
            return from_reference(&net, points, outputs, method, tuning, run);
        };
        if let Some(row) = balance.iter().position(|b| method.above_zero() && b.score < 0.0) {
            return Err(Error::data(
                Place::Whole,
                format!(
                    "deep Taylor decomposition explains scores above 0, and that of row {row} is {}; ask for another class",
                    balance[row].score
                ),
            ));
        }
        told(values, (n, d), bound.accounts.then_some(balance), method.word())
    };
    Ok(methods.iter().map(&mut answer).collect())
}

/// DeepLIFT from the reference of the settings, 0 if they name none.
fn from_reference(
    net: &Net,
    points: &Points,
    outputs: &[usize],
    method: Method,
    tuning: &Tuning,
    run: &Run<'_>,
) -> Result<Relevance> {
    let d = points.columns();
    let reference = match &tuning.reference[..] {
        [] => vec![0.0; d],
        [one] => vec![*one; d],
        list if list.len() == d => list.to_vec(),
        list => return Err(Error::size("numbers of a reference", format!("1 or {d}"), list.len())),
    };
    let graph = net.network.graph();
    let positions = Positions::of(graph, net.start, &[Source::Input(0)]);
    let (mut seen, mut at_start) = (HashMap::new(), vec![]);
    net.blocks(&Points::dense(reference.clone(), 1, d)?, &[0], run, |tape, _, _| {
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
    let walker = Walker::new(&net.network, net.start, &[Source::Input(0)], &composite)?;
    let parts = Parts::default();
    let (mut all, _hold) = run.memory.filled(points.len().saturating_mul(d), 0.0, "relevance")?;
    let mut balance = vec![];
    net.blocks(points, outputs, run, |tape, rows, columns| {
        let x = tape.value(Source::Input(0))?;
        let scores = seed(tape.value(net.start)?, columns, Begin::One)?.1;
        let found = if method == Method::DeepLiftRevealCancel {
            let repeated = Tensor::f64(x.shape(), reference.repeat(columns.len()))?;
            RevealCancel {
                network: &net.network,
                start: net.start,
                positions: &positions,
                rescale: &composite,
                parts: &parts,
                rows: tape,
                reference: &net.network.tape(&[repeated], run)?,
            }
            .explain(columns, run)?
        } else {
            let mut passed = walker.walk(tape, columns, Begin::One, run)?.relevance.to_f64();
            let changes = x.to_f64().into_iter().enumerate().map(|(i, x)| x - reference[i % d]);
            passed.iter_mut().zip(changes).for_each(|(m, change)| *m *= change);
            passed
        };
        all[rows.start * d..rows.end * d].copy_from_slice(&found[..rows.len() * d]);
        for (k, own) in found.chunks_exact(d).take(rows.len()).enumerate() {
            let (score, sum, absorbed) = (scores[k], own.iter().sum::<f64>(), at_start[columns[k]]);
            balance.push(Balance { score, sum, absorbed, lost: score - absorbed - sum });
        }
        Ok(())
    })?;
    told(all, (points.len(), d), Some(balance), method.word())
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
