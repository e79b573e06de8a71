//! Relevance walks back through a graph, from what is explained to where the explanation is to be told.
//!
//! It begins as the value of one column of a node (or output), each row its own, or as 1 for walks of gradients, and is
//! handed from node to node by the rules of a composite; what arrives from several sides adds up, in the order of the
//! nodes. What rules keep is accounted for row by row, so that score = sum + absorbed + lost. A [`Walker`] is a composite
//! bound to a network: rules are chosen and weights made ready once, and any number of walks share one run of the
//! network (its tape).
//!
//! **Cost.** That of the rules: about one pull back a node and, for rules with other weights than the layer's own, as
//! many passes forward. **Limits.** Rows lie along the first axis of what flows; a network that moves them elsewhere is
//! explained, but its accounts are kept for equal parts of each tensor.

use crate::parts::WeightParts;
use crate::positions::Positions;
use crate::rule::{Call, Composite, Rule};
use base::graph::{Element, Numbers, Source, Tensor};
use base::{Balance, Error, Place, Progress, Result, Run};
use network::{Network, Tape};
use std::collections::HashMap;
use std::sync::Arc;

/// Where a walk ended.
#[derive(Debug)]
pub struct Walk {
    /// Relevance at the first end.
    pub relevance: Tensor,
    /// Relevance at all ends, the first included.
    pub ends: Vec<Tensor>,
    /// The accounts of each row.
    pub balance: Vec<Balance>,
    /// Which rule each node on the way was given, from the end to the beginning.
    pub taken: Vec<(String, &'static str)>,
    /// What each of these nodes kept, for each row: absorbed by constants, lost to stabilisers.
    pub kept: Vec<(Vec<f64>, Vec<f64>)>,
}

/// What a walk begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// The score itself.
    Score,
    /// 1, as gradients do.
    One,
}

/// A composite bound to a network.
pub struct Walker<'n> {
    network: &'n Network,
    start: Source,
    ends: Vec<Source>,
    positions: Positions,
    /// The nodes on the way with their rules, in the order of the graph.
    rules: Vec<(usize, Arc<dyn Rule>)>,
    parts: WeightParts,
}

/// Walks from column `column` of `start` back to `end`, through what a run of the network left behind.
pub fn walk(
    network: &Network,
    tape: &Tape<'_>,
    (start, column): (Source, usize),
    end: Source,
    composite: &Composite,
    run: &Run<'_>,
) -> Result<Walk> {
    let rows = tape.value(start)?.shape().first().copied().unwrap_or(1);
    Walker::new(network, start, &[end], composite)?.walk(tape, &vec![column; rows], Begin::Score, run)
}

impl<'n> Walker<'n> {
    /// Rules for every node between `start` and `ends`; a node without one is an error that names it.
    pub fn new(network: &'n Network, start: Source, ends: &[Source], composite: &Composite) -> Result<Self> {
        let graph = network.graph();
        let positions = Positions::of(graph, start, ends);
        let mut reached = vec![false; graph.nodes().len()];
        if let Source::Node(i, _) = start {
            reached[i] = true;
        }
        let mut rules = vec![];
        for i in (0..graph.nodes().len()).rev().filter(|&i| positions.leads[i]) {
            if !reached[i] {
                continue;
            }
            for (source, _) in graph.nodes()[i].inputs.iter().zip(&positions.wanted[i]).filter(|(_, w)| **w) {
                if let Some(Source::Node(j, _)) = source {
                    reached[*j] = true;
                }
            }
            rules.push((i, composite.rule(&positions.spot(graph, i))?.clone()));
        }
        rules.reverse();
        Ok(Walker { network, start, ends: ends.to_vec(), positions, rules, parts: WeightParts::default() })
    }

    /// The names of the nodes on the way with their rules, in the order of the graph.
    pub fn plan(&self) -> Vec<(&str, &'static str)> {
        let nodes = self.network.graph().nodes();
        self.rules.iter().map(|(i, rule)| (nodes[*i].name.as_str(), rule.word())).collect()
    }

    /// Walks back from the column that is asked for in each row.
    pub fn walk(&self, tape: &Tape<'_>, columns: &[usize], begin: Begin, run: &Run<'_>) -> Result<Walk> {
        let value = tape.value(self.start)?;
        let (seed, scores) = seed(value, columns, begin)?;
        let rows = columns.len();
        let mut balance: Vec<Balance> = scores.iter().map(|&score| Balance { score, ..Balance::default() }).collect();
        let slopes = self.slopes(tape, columns, run)?;
        let mut arrived: HashMap<Source, Tensor> = HashMap::from([(self.start, seed)]);
        let (mut taken, mut kept) = (vec![], vec![]);
        for (step, (i, rule)) in self.rules.iter().rev().enumerate() {
            run.report(&Progress::of("relevance", step as u64, self.rules.len() as u64))?;
            let node = &self.network.graph().nodes()[*i];
            let relevances: Vec<Option<Tensor>> =
                (0..node.outputs).map(|port| arrived.remove(&Source::Node(*i, port))).collect();
            let Some(relevance) = relevances.iter().flatten().next() else { continue };
            taken.push((node.name.clone(), rule.word()));
            let inputs: Vec<Option<&Tensor>> =
                node.inputs.iter().map(|s| s.map(|s| tape.value(s)).transpose()).collect::<Result<_>>()?;
            let call = Call {
                network: self.network,
                tape,
                parts: &self.parts,
                rows,
                place: *i,
                node,
                inputs: &inputs,
                nonnegative: &self.positions.nonnegative(node),
                wanted: &self.positions.wanted[*i],
                output: tape.value(Source::Node(*i, 0))?,
                relevance,
                relevances: &relevances,
                slope: slopes.get(i),
            };
            let back = rule.back(&call, run)?;
            back.absorbed.iter().zip(&mut balance).for_each(|(x, b)| b.absorbed += x);
            back.lost.iter().zip(&mut balance).for_each(|(x, b)| b.lost += x);
            kept.push((back.absorbed, back.lost));
            for ((source, relevance), wanted) in node.inputs.iter().zip(back.inputs).zip(call.wanted) {
                if let (Some(source), Some(relevance), true) = (source, relevance, *wanted) {
                    let relevance = in_element(relevance, tape.value(*source)?.element())?;
                    let sum = match arrived.remove(source) {
                        Some(before) => self.network.sum(&before, &relevance, run)?,
                        None => relevance,
                    };
                    arrived.insert(*source, sum);
                }
            }
        }
        let mut ends = vec![];
        for end in &self.ends {
            ends.push(match arrived.remove(end) {
                Some(relevance) => relevance,
                None => {
                    let shape = tape.value(*end)?.shape().to_vec();
                    Tensor::f64(shape.clone(), vec![0.0; shape.iter().product()])?
                }
            });
            let sums = row_sums(&ends[ends.len() - 1], rows);
            sums.into_iter().zip(&mut balance).for_each(|(sum, b)| b.sum += sum);
        }
        let relevance = ends.first().cloned().ok_or_else(|| Error::size("ends of a walk", "at least 1", 0))?;
        Ok(Walk { relevance, ends, balance, taken, kept })
    }

    /// The slope at the outputs of nodes whose rules ask for it.
    fn slopes(&self, tape: &Tape<'_>, columns: &[usize], run: &Run<'_>) -> Result<HashMap<usize, Tensor>> {
        let asked: Vec<usize> = self.rules.iter().filter(|(_, rule)| rule.needs_slope()).map(|(i, _)| *i).collect();
        if asked.is_empty() {
            return Ok(HashMap::new());
        }
        let (ones, _) = seed(tape.value(self.start)?, columns, Begin::One)?;
        let sources: Vec<Source> = asked.iter().map(|&i| Source::Node(i, 0)).collect();
        let found = tape.pull(&[(self.start, ones)], &sources, run)?;
        Ok(asked.into_iter().zip(found).filter_map(|(i, t)| t.map(|t| (i, t))).collect())
    }
}

/// What a walk begins with, and the score of each row.
pub(crate) fn seed(value: &Tensor, columns: &[usize], begin: Begin) -> Result<(Tensor, Vec<f64>)> {
    let width = match value.shape() {
        &[_] => 1,
        &[_, width] => width,
        other => return Err(Error::size("what is explained", "rows, or rows x columns", format!("{other:?}"))),
    };
    if value.shape()[0] != columns.len() {
        return Err(Error::size("columns to explain, one per row", value.shape()[0], columns.len()));
    }
    if let Some(column) = columns.iter().find(|c| **c >= width) {
        return Err(Error::size("column to explain", format!("below {width}"), column));
    }
    let all = value.to_f64();
    let scores: Vec<f64> = columns.iter().enumerate().map(|(i, c)| all[i * width + c]).collect();
    if let Some(row) = scores.iter().position(|s| !s.is_finite()) {
        return Err(Error::data(
            Place::Whole,
            format!("the score of row {row} is {}; are the weights and inputs finite?", scores[row]),
        ));
    }
    let mut seed = vec![0.0; all.len()];
    for (i, (&c, &score)) in columns.iter().zip(&scores).enumerate() {
        seed[i * width + c] = if begin == Begin::One { 1.0 } else { score };
    }
    Ok((in_element(Tensor::f64(value.shape(), seed)?, value.element())?, scores))
}

/// Real numbers in the precision that is asked for.
fn in_element(tensor: Tensor, element: Element) -> Result<Tensor> {
    match (tensor.element(), element) {
        (Element::F64, Element::F32) => {
            Tensor::f32(tensor.shape(), tensor.to_f64().into_iter().map(|x| x as f32).collect())
        }
        (Element::F32, Element::F64) => Tensor::f64(tensor.shape(), tensor.to_f64()),
        _ => Ok(tensor),
    }
}

/// The sum of each row, in double precision.
pub(crate) fn row_sums(tensor: &Tensor, rows: usize) -> Vec<f64> {
    fn sums<T: Copy>(values: &[T], rows: usize, wide: impl Fn(T) -> f64) -> Vec<f64> {
        let width = values.len() / rows.max(1);
        (0..rows).map(|i| network::total_of(values[i * width..(i + 1) * width].iter().map(|x| wide(*x)))).collect()
    }
    match tensor.numbers() {
        Numbers::F32(v) => sums(v, rows, f64::from),
        Numbers::F64(v) => sums(v, rows, |x| x),
        _ => vec![0.0; rows],
    }
}
