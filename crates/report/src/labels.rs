//! What a machine of label sets did on rows it has not seen: measures, and how frequent and rare labels fare.
//!
//! There is no confusion matrix: with sets nobody can say which label was taken for which.

use crate::Block;
use base::short_number as short;
use evaluate::{LabelCounts, Measures, by_frequency};

/// Labels shown by name at most.
const SHOWN: usize = 20;

/// Measures, labels by how often training has met them, the most frequent ones and those with the most errors.
pub fn label_blocks(measures: &Measures) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        measures.warnings().into_iter().map(|w| Block::Text(format!("Warning: {w}."))).collect();
    let rows = measures.values.iter().map(|(name, value)| vec![measures.label(name), short(*value)]).collect();
    blocks.push(Block::Table { head: ["measure", "value"].map(String::from).to_vec(), rows });
    let Some(counts) = &measures.labels else { return blocks };
    blocks.extend(groups(counts));
    let mut order: Vec<usize> = (0..counts.names.len()).collect();
    let truths = |l: usize| counts.tp[l] + counts.fn_[l];
    order.sort_by(|&a, &b| truths(b).total_cmp(&truths(a)).then(a.cmp(&b)));
    blocks.push(Block::Text("The labels that most of these rows have:".into()));
    blocks.push(by_name(counts, &order));
    let errors = |l: usize| counts.fp[l] + counts.fn_[l];
    order.sort_by(|&a, &b| errors(b).total_cmp(&errors(a)).then(a.cmp(&b)));
    order.retain(|&l| errors(l) > 0.0);
    if !order.is_empty() {
        blocks.push(Block::Text("The labels with the most errors, missed or named wrongly:".into()));
        blocks.push(by_name(counts, &order));
    }
    blocks
}

/// Labels in groups by their training rows, where these are known.
fn groups(counts: &LabelCounts) -> Vec<Block> {
    let groups = by_frequency(counts);
    if groups.is_empty() {
        return vec![];
    }
    let head = ["training rows", "labels", "true here", "in the best 5", "precision", "recall", "micro F1", "macro F1"];
    let row = |g: &evaluate::FrequencyGroup| {
        let shares = [g.in_five, g.precision, g.recall, g.f1_micro, g.f1_macro].map(short);
        [&[g.name(), g.labels.to_string(), short(g.truths)][..], &shares].concat()
    };
    let text = "Labels by the number of training rows that have them. Most labels are rare, most occurrences are of \
         frequent ones: measures over rows tell of the latter, macro F1 of the former.";
    let table = Block::Table { head: head.map(String::from).to_vec(), rows: groups.iter().map(row).collect() };
    vec![Block::Text(text.into()), table]
}

fn by_name(counts: &LabelCounts, order: &[usize]) -> Block {
    let row = |&l: &usize| {
        let trained = counts.trained.as_ref().map_or(String::new(), |t| t[l].to_string());
        let numbers = [counts.tp[l] + counts.fn_[l], counts.tp[l], counts.fn_[l], counts.fp[l], counts.f1(l)];
        [&[counts.names[l].clone(), trained][..], &numbers.map(short)].concat()
    };
    let head = ["label", "training rows", "true here", "found", "missed", "named wrongly", "F1"];
    Block::Table { head: head.map(String::from).to_vec(), rows: order.iter().take(SHOWN).map(row).collect() }
}
