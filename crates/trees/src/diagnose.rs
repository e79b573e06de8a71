//! How far a forest's answer to a query can be relied on.
//!
//! - Dot-product sum: the mean over pairs of trees of p_s·p_t, their class probabilities; 1 if all trees agree fully.
//!   Over all pairs Σ_{s≠t} p_s·p_t = ‖Σ p‖² − Σ‖p‖², so it takes O(trees · classes) and not O(trees²).
//! - In-bounds score: the share of nodes on the query's path whose box of training rows contains the query, averaged
//!   over trees. Boxes are nested, so a query that has left one is outside of all that follow.
//!
//! - M. Fiterau: *Discovering Compact and Informative Structures through Data Partitioning.* Thesis, 2015, section 3.3.

use crate::boxes::inside;
use crate::machine::Forest;
use base::{Error, Inputs, Machine, Meaning, Progress, Result, Run, check_inputs};

/// What a forest says of its own answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diagnosis {
    /// Agreement of the trees, from 0 to 1 (dot-product sum); 1 for a single tree.
    pub dps: f64,
    /// Share of nodes in whose box the query lies (in-bounds score); none if the forest was fitted without boxes.
    pub ibs: Option<f64>,
}

/// Rows diagnosed in one go.
const ROWS: usize = 64;

impl Forest {
    /// The diagnosis of each row; only for forests of classes.
    pub fn diagnose(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Vec<Diagnosis>> {
        if self.outputs.meaning != Meaning::Classes {
            return Err(Error::unsupported("a diagnosis", "a regression forest", "fit a classification forest"));
        }
        check_inputs(&self.features, self.facets().missing.admits, inputs)?;
        let points = self.points(inputs)?;
        let d = self.features.count();
        let _hold = run.memory.take_for::<Diagnosis>(points.len().saturating_mul(2), "diagnoses")?;
        let copies = numeric::threads(run).saturating_mul(ROWS).min(points.len()).saturating_mul(d);
        let _rows = run.memory.take_for::<f64>(copies, "rows of a forest's block")?;
        let blocks = numeric::blocks(run, points.len(), ROWS, |range| {
            run.report(&Progress::of("diagnose", range.start as u64, points.len() as u64))?;
            let rows = self.written_out(points, range);
            let mut sums = vec![0.0; self.outputs.names.len()];
            Ok(rows.chunks_exact(d).map(|row| self.diagnose_row(row, &mut sums)).collect::<Vec<_>>())
        })?;
        Ok(blocks.concat())
    }

    fn diagnose_row(&self, row: &[f64], sums: &mut [f64]) -> Diagnosis {
        sums.fill(0.0);
        let (trees, width) = (self.trees() as f64, 2 * row.len());
        let (mut alone, mut shares) = (0.0, 0.0);
        for &root in &self.roots[..self.trees()] {
            let (mut at, mut path, mut within, mut lost) = (root as usize, 0u32, 0u32, false);
            let leaf = loop {
                if let Some(boxes) = &self.boxes {
                    path += 1;
                    lost = lost || !inside(&boxes[at * width..(at + 1) * width], row);
                    within += u32::from(!lost);
                }
                let node = &self.nodes[at];
                if node.is_leaf() {
                    break node.right as usize;
                }
                at = if node.goes_left(row[node.column()]) { at + 1 } else { node.right as usize };
            };
            shares += f64::from(within) / f64::from(path.max(1));
            self.leaves.add(leaf, 1.0, sums);
            alone += self.leaves.of(leaf).1.iter().map(|p| p * p).sum::<f64>();
        }
        let dps = match self.trees() {
            1 => 1.0,
            _ => (sums.iter().map(|s| s * s).sum::<f64>() - alone) / (trees * (trees - 1.0)),
        };
        Diagnosis { dps, ibs: self.boxes.is_some().then_some(shares / trees) }
    }
}
