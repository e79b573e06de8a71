//! Scores of held-out rows: what is needed to cut label sets, without rows × labels numbers.
//!
//! Of each row the scores of its true labels are kept, and its [`KEPT`] best. Above the floor, the largest of the scores at which
//! rows were cut off, every pair of row and label is there: counts of predicted labels are exact for every threshold from
//! the floor on. Of a machine with fewer labels than that nothing is cut off and there is no floor.
//!
//! **Cost.** O(labels) a row; O(rows · (100 + labels of a row)) numbers kept.

use base::{Dataset, Error, Machine, Meaning, Place, Result, Run, Targets, best_scores};

/// How many of a row's best labels are kept.
const KEPT: usize = 100;

/// The score of a label in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The score.
    pub score: f64,
    /// The label.
    pub label: u32,
    /// Whether the row has it.
    pub is_true: bool,
}

/// A held-out row.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldRow {
    /// Its weight.
    pub weight: f64,
    /// Scores of its true labels and of its best.
    pub pairs: Vec<Pair>,
    /// True labels that the machine does not know.
    pub unknown: usize,
}

/// Held-out rows with what a machine says of them.
#[derive(Debug)]
pub struct HeldScores {
    /// The rows whose sets are known.
    pub rows: Vec<HeldRow>,
    /// The least threshold for which all that is predicted is known.
    pub floor: f64,
    _hold: base::Hold,
}

impl HeldScores {
    /// What a machine of label sets says of rows whose sets are known.
    pub fn new(machine: &dyn Machine, data: &Dataset, run: &Run<'_>) -> Result<Self> {
        let (Meaning::Labels, Targets::Sets(truth)) = (machine.outputs().meaning, &data.targets) else {
            return Err(Error::size("targets to cut label sets by", "label sets", data.targets.type_name()));
        };
        let outputs = machine.outputs();
        let (known, width) = (outputs.main(), outputs.names.len());
        let pairs = data.len().saturating_mul(KEPT.min(known)).saturating_add(truth.entries());
        let hold = run.memory.take_for::<Pair>(pairs.saturating_add(4 * data.len()), "scores of held-out rows")?;
        let place: std::collections::HashMap<&str, u32> =
            outputs.names[..known].iter().enumerate().map(|(i, n)| (n.as_str(), i as u32)).collect();
        let places: Vec<Option<u32>> = truth.names().iter().map(|n| place.get(n.as_str()).copied()).collect();
        let (mut rows, mut floor, mut best) = (vec![], f64::NEG_INFINITY, vec![]);
        machine.each_block(&data.inputs, "held-out rows", run, &mut |from, scores| {
            for (i, scores) in scores.chunks_exact(width).enumerate() {
                let weight = data.weight(from + i);
                let Some(labels) = truth.get(from + i).filter(|_| weight > 0.0) else { continue };
                let scores = &scores[..known];
                if let Some(label) = scores.iter().position(|s| s.is_nan()) {
                    let place = Place::Cell { row: from + i, column: outputs.names[label].clone() };
                    return Err(Error::data(place, "has a score that is not a number"));
                }
                let mut truths: Vec<Option<u32>> = labels.iter().map(|&l| places[l as usize]).collect();
                truths.sort_unstable();
                truths.dedup_by(|a, b| a == b && a.is_some());
                let mut pairs: Vec<Pair> = truths
                    .iter()
                    .flatten()
                    .map(|&label| Pair { score: scores[label as usize], label, is_true: true })
                    .collect();
                best_scores(scores, KEPT, &mut best);
                pairs.extend(
                    best.iter().filter(|(_, label)| !truths.contains(&Some(*label))).map(|&(score, label)| Pair {
                        score,
                        label,
                        is_true: false,
                    }),
                );
                if known > KEPT {
                    floor = best.last().map_or(floor, |last| floor.max(last.0));
                }
                rows.push(HeldRow { weight, pairs, unknown: truths.iter().filter(|t| t.is_none()).count() });
            }
            Ok(())
        })?;
        match rows.is_empty() {
            true => Err(Error::size("held-out rows whose labels are known", "at least 1", 0)),
            false => Ok(HeldScores { rows, floor, _hold: hold }),
        }
    }
}
