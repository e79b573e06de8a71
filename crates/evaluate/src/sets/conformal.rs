//! Label sets with a stated coverage, from held-out rows, whatever the machine: {l: s_l ≥ cut}.
//!
//! Two promises, for a new row drawn like the n held-out ones, on average over the draw of these:
//!
//! - all: with probability at least 1 − α the set holds all true labels of the row. The cut is the k-th smallest of
//!   the rows' lowest true scores, k = ⌊α (n + 1)⌋ (split conformal prediction with the score min over true labels);
//! - missed: the fraction of the row's true labels that the set misses is at most α in expectation. The cut is the largest one
//!   with (Σ_i L_i(cut) + 1)/(n + 1) ≤ α, L_i being that fraction in held-out row i (conformal risk control).
//!
//! Below k = 1, that is with fewer than 1/α − 1 rows, only the set of all labels keeps the promise, and the cut is −∞. A true
//! label that the machine does not know is missed by every set; a row without labels misses none. Rows of weight w count
//! as w rows.
//!
//! **Cost.** A sort. **Limits.** Rows must be exchangeable: no drift. The promise is about the mean over rows, not for each kind of
//! row; sets of rows with unusual labels may miss more often. A machine that ranks badly keeps the promise with large sets.
//! Labels that nobody has written down count as false here, as they do in the data.
//!
//! - V. Vovk, A. Gammerman, G. Shafer: *Algorithmic Learning in a Random World.* Springer 2005.
//! - A. Angelopoulos, S. Bates, A. Fisch, L. Lei, T. Schuster: *Conformal risk control.* ICLR 2024.

use super::held::{HeldRow, HeldScores};
use base::{Error, Result};

base::choices! {
    /// What a set promises.
    pub enum Promise {
        /// All true labels are in it.
        All = "all",
        /// Few of the true labels are missed.
        Missed = "missed",
    }
}

/// The cut that keeps the promise at level `alpha`; labels with a score of at least that are in the set.
pub fn conformal_cut(held: &HeldScores, promise: Promise, alpha: f64) -> Result<f64> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(Error::parameter("alpha", alpha, "must lie between 0 and 1, both excluded"));
    }
    let n: f64 = held.rows.iter().map(|r| r.weight).sum();
    // What each true score adds to the loss once the cut is above it.
    let mut losses: Vec<(f64, f64)> = vec![];
    for row in &held.rows {
        match promise {
            Promise::All => losses.push((lowest(row), row.weight)),
            Promise::Missed => {
                let truths = row.pairs.iter().filter(|p| p.is_true).count() + row.unknown;
                let one = row.weight / truths.max(1) as f64;
                losses.extend(row.pairs.iter().filter(|p| p.is_true).map(|p| (p.score, one)));
                losses.extend(std::iter::repeat_n((f64::NEG_INFINITY, one), row.unknown));
            }
        }
    }
    losses.sort_by(|a, b| a.0.total_cmp(&b.0));
    // A cut at a score misses what lies below it: the largest score below which the losses are few enough. Sums of
    // fractions are a little off, which must not cost a row.
    let most = alpha * (n + 1.0) - 1.0 + 1e-9;
    let (mut below, mut cut, mut i) = (0.0, f64::NEG_INFINITY, 0);
    while i < losses.len() && below <= most {
        cut = losses[i].0;
        let equal = losses[i..].iter().take_while(|l| l.0 == cut);
        let (count, sum) = equal.fold((0, 0.0), |(count, sum), l| (count + 1, sum + l.1));
        below += sum;
        i += count;
    }
    Ok(cut)
}

/// The lowest score of a true label; above all where there are none, below all where one is not known.
fn lowest(row: &HeldRow) -> f64 {
    match row.unknown {
        0 => row.pairs.iter().filter(|p| p.is_true).map(|p| p.score).fold(f64::INFINITY, f64::min),
        _ => f64::NEG_INFINITY,
    }
}
