//! Relevance walks back through a graph, from what is explained to where the explanation is to be told.
//!
//! It begins as the value of one column of a node (or output) and is handed from node to node by the rules of a
//! composite; what arrives from several sides adds up. What rules keep is accounted for row by row, so that
//! score = sum + absorbed + lost.

use crate::rule::{Call, Composite};
use base::graph::{Source, Tensor};
use base::{Balance, Error, Progress, Result, Run};
use network::{Network, Tape};
use std::collections::HashMap;

/// Where a walk ended.
#[derive(Debug)]
pub struct Walk {
    /// Relevance where it was asked for.
    pub relevance: Tensor,
    /// The accounts of each row.
    pub balance: Vec<Balance>,
    /// Which rule each node on the way was given, from the end to the beginning.
    pub taken: Vec<(String, &'static str)>,
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
    let nodes = network.graph().nodes();
    let value = tape.value(start)?;
    let (rows, width) = match value.shape() {
        &[rows] => (rows, 1),
        &[rows, width] => (rows, width),
        other => return Err(Error::size("what is explained", "rows, or rows x columns", format!("{other:?}"))),
    };
    if column >= width {
        return Err(Error::size("column to explain", format!("below {width}"), column));
    }
    let only = |numbers: &dyn Fn(f64) -> f64| {
        let kept = value.to_f64().into_iter().enumerate();
        let kept = kept.map(|(i, x)| if i % width == column { numbers(x) } else { 0.0 }).collect();
        Tensor::f64(value.shape(), kept)
    };
    let mut arrived: HashMap<Source, Tensor> = HashMap::from([(start, only(&|x| x)?)]);
    let mut balance = vec![Balance::default(); rows];
    per_row(&arrived[&start], rows).zip(&mut balance).for_each(|(score, b)| b.score = score);
    let leads = leading(network, end);
    let on_the_way: Vec<usize> = match start {
        Source::Node(last, _) => (0..=last).filter(|&i| leads[i]).collect(),
        _ => vec![],
    };
    let slopes = slopes(network, tape, (start, only(&|_| 1.0)?), &on_the_way, composite, run)?;
    let mut taken = vec![];
    for (step, &i) in on_the_way.iter().rev().enumerate() {
        run.report(&Progress::of("relevance", step as u64, on_the_way.len() as u64))?;
        let (node, source) = (&nodes[i], Source::Node(i, 0));
        let Some(relevance) = arrived.remove(&source) else { continue };
        let rule = composite.rule(node)?;
        taken.push((node.name.clone(), rule.word()));
        let inputs: Vec<Option<&Tensor>> =
            node.inputs.iter().map(|s| s.map(|s| tape.value(s)).transpose()).collect::<Result<_>>()?;
        let wanted: Vec<bool> = node
            .inputs
            .iter()
            .map(|s| s.is_some_and(|s| s == end || matches!(s, Source::Node(j, _) if leads[j])))
            .collect();
        let call = Call {
            node,
            inputs: &inputs,
            wanted: &wanted,
            output: tape.value(source)?,
            relevance: &relevance,
            slope: slopes.get(&source),
        };
        let back = rule.back(&call, run)?;
        back.absorbed.iter().zip(&mut balance).for_each(|(x, b)| b.absorbed += x);
        back.lost.iter().zip(&mut balance).for_each(|(x, b)| b.lost += x);
        for (source, relevance) in node.inputs.iter().zip(back.inputs) {
            let (Some(source), Some(relevance)) = (source, relevance) else { continue };
            let sum = match arrived.remove(source) {
                Some(before) => {
                    let both = before.to_f64().iter().zip(relevance.to_f64()).map(|(a, b)| a + b).collect();
                    Tensor::f64(before.shape(), both)?
                }
                None => relevance,
            };
            arrived.insert(*source, sum);
        }
    }
    let relevance = match arrived.remove(&end) {
        Some(relevance) => relevance,
        None => {
            let shape = tape.value(end)?.shape().to_vec();
            Tensor::f64(shape.clone(), vec![0.0; shape.iter().product()])?
        }
    };
    per_row(&relevance, rows).zip(&mut balance).for_each(|(sum, b)| b.sum = sum);
    Ok(Walk { relevance, balance, taken })
}

/// The sum of each row.
fn per_row(tensor: &Tensor, rows: usize) -> impl Iterator<Item = f64> {
    let values = tensor.to_f64();
    let width = (values.len() / rows.max(1)).max(1);
    (0..rows).map(move |i| values[i * width..(i + 1) * width].iter().sum())
}

/// For each node whether it depends on `end`.
fn leading(network: &Network, end: Source) -> Vec<bool> {
    let mut leads: Vec<bool> = vec![];
    for node in network.graph().nodes() {
        let through = |s: &Source| *s == end || matches!(s, Source::Node(j, _) if leads[*j]);
        let found = node.inputs.iter().flatten().any(through);
        leads.push(found);
    }
    // What lies at the end itself is where the walk stops.
    if let Source::Node(i, _) = end {
        leads[..=i].fill(false);
    }
    leads
}

/// The slope at the outputs of nodes whose rules ask for it.
fn slopes(
    network: &Network,
    tape: &Tape<'_>,
    seed: (Source, Tensor),
    on_the_way: &[usize],
    composite: &Composite,
    run: &Run<'_>,
) -> Result<HashMap<Source, Tensor>> {
    let nodes = network.graph().nodes();
    let mut asked = vec![];
    for &i in on_the_way {
        if composite.rule(&nodes[i]).is_ok_and(|rule| rule.needs_slope()) {
            asked.push(Source::Node(i, 0));
        }
    }
    if asked.is_empty() {
        return Ok(HashMap::new());
    }
    let found = tape.pull(&[seed], &asked, run)?;
    Ok(asked.into_iter().zip(found).filter_map(|(s, t)| t.map(|t| (s, t))).collect())
}
