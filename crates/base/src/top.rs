//! The best k outputs of each row, without the scores of all.
//!
//! Of a machine with thousands of classes nobody wants rows x classes scores: rows are computed in blocks of some
//! [`BLOCK`] scores, and of each row only its best are kept.
//!
//! **Cost.** O(outputs) a row beyond the scores, whatever k is; k scores and their outputs are kept.

use crate::{Error, Inputs, Machine, Progress, Result, Run};

/// Scores that are held at once.
const BLOCK: usize = 1 << 20;

/// The best outputs of some rows, each row's best first; of equal scores the first output wins.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Top {
    /// How many there are for each row.
    pub k: usize,
    /// Which outputs: rows x k.
    pub outputs: Vec<u32>,
    /// Their scores: rows x k.
    pub scores: Vec<f64>,
}

impl Top {
    /// Room for `rows` rows.
    pub fn with_capacity(rows: usize, k: usize) -> Self {
        let count = rows.saturating_mul(k);
        Top { k, outputs: Vec::with_capacity(count), scores: Vec::with_capacity(count) }
    }

    /// Adds a row with all its scores; `among` is working space.
    pub fn push(&mut self, scores: &[f64], among: &mut Vec<(f64, u32)>) {
        best_scores(scores, self.k, among);
        self.outputs.extend(among.iter().map(|(_, output)| output));
        self.scores.extend(among.iter().map(|(score, _)| score));
    }

    /// The outputs and scores of row `i`.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = i * self.k..(i + 1) * self.k;
        (&self.outputs[range.clone()], &self.scores[range])
    }
}

impl dyn Machine {
    /// The best `k` outputs of each row; fewer where the machine has fewer.
    pub fn top(&self, inputs: &Inputs, k: usize, run: &Run<'_>) -> Result<Top> {
        let (main, width) = (self.outputs().main(), self.outputs().names.len());
        let k = k.min(main);
        if k == 0 {
            return Err(Error::parameter("top", "0", "must be at least 1, for a machine with outputs"));
        }
        let (mut top, mut among) = (Top::with_capacity(inputs.len(), k), vec![]);
        self.each_block(inputs, "best outputs", run, &mut |_, scores| {
            scores.chunks_exact(width).for_each(|row| top.push(&row[..main], &mut among));
            Ok(())
        })?;
        Ok(top)
    }

    /// Hands on the outputs of all rows, row after row, block by block, each block with the number of its first row.
    pub fn each_block(
        &self,
        inputs: &Inputs,
        stage: &str,
        run: &Run<'_>,
        look: &mut dyn FnMut(usize, &[f64]) -> Result<()>,
    ) -> Result<()> {
        let rows = (BLOCK / self.outputs().names.len().max(1)).max(1);
        for start in (0..inputs.len()).step_by(rows) {
            run.report(&Progress::of(stage, start as u64, inputs.len() as u64))?;
            let block = inputs.slice(start..inputs.len().min(start + rows))?;
            look(start, &self.compute(&block, run)?.to_dense(&run.memory)?)?;
        }
        Ok(())
    }
}

/// The best k of a row's scores, best first.
///
/// Candidates are gathered in a buffer of twice the size that is wanted and cut to k whenever it is full; from then on
/// only what beats the k-th goes in.
pub fn best_scores(scores: &[f64], k: usize, among: &mut Vec<(f64, u32)>) {
    let k = k.min(scores.len());
    among.clear();
    if k == 0 {
        return;
    }
    let full = (2 * k).max(k + 64);
    let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let mut floor = f64::NEG_INFINITY;
    for (output, &score) in scores.iter().enumerate() {
        // Of equal scores the first is there already.
        if score > floor || among.len() < k {
            // 0 and -0 are equal; the order above would tell them apart.
            among.push((score + 0.0, output as u32));
        }
        if among.len() == full {
            among.select_nth_unstable_by(k - 1, order);
            among.truncate(k);
            floor = among[k - 1].0;
        }
    }
    among.sort_unstable_by(order);
    among.truncate(k);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    /// All outputs sorted, as the definition says.
    fn sorted(scores: &[f64], k: usize) -> Vec<(f64, u32)> {
        let mut all: Vec<(f64, u32)> = scores.iter().enumerate().map(|(i, s)| (*s, i as u32)).collect();
        all.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap());
        all.truncate(k);
        all
    }

    #[test]
    fn best_outputs_are_those_of_a_full_sort() {
        for case in 0..300 {
            let seed = Seed(case).fork("top");
            let count = 1 + (seed.at(0).unit() * 400.0) as usize;
            let k = 1 + (seed.at(1).unit() * 1.2 * count as f64) as usize;
            // Few levels bring ties, many none; some rows ascend, the worst order for a buffer of the best.
            let levels = [2.0, 10.0, 1e9][case as usize % 3];
            let mut scores: Vec<f64> =
                (0..count).map(|i| ((seed.at(2).at(i).unit() - 0.5) * levels).round() / levels).collect();
            if case % 4 == 0 {
                scores.sort_by(f64::total_cmp);
            }
            let (mut top, mut among) = (Top::with_capacity(1, k), vec![]);
            top.push(&scores, &mut among);
            let expected = sorted(&scores, k);
            assert_eq!(among.len(), expected.len());
            assert!(among.iter().zip(&expected).all(|(a, b)| a.1 == b.1 && a.0 == b.0), "case {case}");
        }
    }
}
