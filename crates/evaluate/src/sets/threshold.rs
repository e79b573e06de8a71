//! Thresholds of label sets with the best F1 on held-out rows: one for all labels, or one for each.
//!
//! One threshold t for all maximises micro F1 = 2 TP/(2 TP + FP + FN) of the sets {l: s_l > t}; one for each label maximises
//! the label's own F1 and so macro F1 (Yang's SCut). A label with few held-out rows cannot tell its threshold and takes
//! that for all (a single row would put it just below that row's score). Of equals the highest threshold wins; it is set midway
//! between the scores it parts.
//!
//! **Cost.** A sort of the scores that are kept (`held.rs`). **Limits.** No threshold lies below their floor. The F1 found is
//! optimistic, for the threshold was chosen by it.
//!
//! - Y. Yang: *A study of thresholding strategies for text categorization.* SIGIR 2001, 137-145.
//! - R.-E. Fan, C.-J. Lin: *A study on threshold selection for multi-label classification.* Technical report, NTU 2007.

use super::held::HeldScores;

/// A threshold with the F1 it has on the rows it was chosen by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SetThreshold {
    /// Labels with a score above it are meant.
    pub threshold: f64,
    /// F1 there.
    pub f1: f64,
}

/// The threshold for all labels with the best micro F1.
pub fn threshold_for_all(held: &HeldScores) -> SetThreshold {
    let mut pairs: Vec<(f64, f64, bool)> =
        held.rows.iter().flat_map(|r| r.pairs.iter().map(|p| (p.score, r.weight, p.is_true))).collect();
    let unknown: f64 = held.rows.iter().map(|r| r.weight * r.unknown as f64).sum();
    best_cut(&mut pairs, unknown, held.floor)
}

/// The threshold for each of so many labels with the best F1 of its own; labels with a weight of held-out rows below
/// `least` take that for all.
pub fn threshold_for_each(held: &HeldScores, labels: usize, least: f64) -> Vec<f64> {
    let all = threshold_for_all(held).threshold;
    let mut pairs: Vec<Vec<(f64, f64, bool)>> = vec![vec![]; labels];
    for row in &held.rows {
        row.pairs.iter().for_each(|p| pairs[p.label as usize].push((p.score, row.weight, p.is_true)));
    }
    let own = |pairs: &mut Vec<(f64, f64, bool)>| {
        let rows: f64 = pairs.iter().filter(|p| p.2).map(|p| p.1).sum();
        if rows < least { all } else { best_cut(pairs, 0.0, held.floor).threshold }
    };
    pairs.iter_mut().map(own).collect()
}

/// The cut of scores with weights and marks that has the best F1; `missed` is the weight of marked ones without a score.
fn best_cut(pairs: &mut [(f64, f64, bool)], missed: f64, floor: f64) -> SetThreshold {
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all = missed + pairs.iter().filter(|p| p.2).map(|p| p.1).sum::<f64>();
    // Above all scores nothing is meant.
    let mut best = SetThreshold { threshold: pairs.first().map_or(0.0, |p| p.0), f1: 0.0 };
    let (mut found, mut wrong) = (0.0, 0.0);
    for (i, &(score, weight, is_true)) in pairs.iter().enumerate() {
        if score <= floor {
            break;
        }
        found += if is_true { weight } else { 0.0 };
        wrong += if is_true { 0.0 } else { weight };
        let next = pairs.get(i + 1).map(|p| p.0);
        if next == Some(score) {
            continue;
        }
        let f1 = 2.0 * found / (found + wrong + all);
        if f1 > best.f1 {
            best = SetThreshold { threshold: between(score, next, floor), f1 };
        }
    }
    best
}

/// A threshold below a score, and not below the next one nor the floor.
fn between(score: f64, next: Option<f64>, floor: f64) -> f64 {
    let below = next.map_or(floor, |next| next.max(floor));
    match below.is_finite() {
        // The middle of neighbouring numbers may round to the upper one.
        true => Some(0.5 * score + 0.5 * below).filter(|t| *t < score).unwrap_or(below),
        false => score - score.abs().max(1.0),
    }
}
