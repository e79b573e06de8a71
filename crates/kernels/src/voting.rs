//! Scores of very many classes one against one: votes and margins are added up pair by pair, and no decision is kept.
//!
//! Two thousand classes decide two million pairs for a row: kept, they would take 16 MB a row, and adding the two parts
//! of a pair would go all over them. Instead sixteen rows go through the pairs side by side ([`numeric::Duels`]).
//!
//! **Cost.** 2·m·(classes − 1) operations a row; rows x centres kernel values at once, in blocks.

use crate::expansion::{Expansion, ROWS, VALUES, squashed};
use base::{Machine, Points, Result, Run};
use numeric::{Duels, VOTERS, each_chunk_mut, threads};

/// Groups of rows that go through the coefficients together.
const GROUPS: usize = 4;

impl Expansion {
    /// Writes the scores of all rows.
    pub(crate) fn vote(&self, points: &Points, run: &Run<'_>, scores: &mut [f64]) -> Result<()> {
        let (n, m, classes) = (points.len(), self.centres().len(), self.outputs().names.len());
        let duels = Duels { starts: self.starts(), coefficients: self.coefficients(), offsets: self.offsets() };
        let against = self.against(run)?;
        let rows = ((VALUES / m.max(1)).clamp(VOTERS, ROWS) / VOTERS * VOTERS).min(n);
        let (mut values, _hold) = run.memory.filled(rows.saturating_mul(m), 0.0, "kernel values")?;
        let each = GROUPS * VOTERS * (m + 2 * classes);
        let _held = run.memory.take_for::<f64>(threads(run).saturating_mul(each), "votes of pairs of classes")?;
        for start in (0..n).step_by(rows.max(1)) {
            let block = points.slice(start..n.min(start + rows));
            let values = &mut values[..block.len() * m];
            against.block(&block, values, run)?;
            let own = &mut scores[start * classes..(start + block.len()) * classes];
            each_chunk_mut(run, own, GROUPS * VOTERS * classes, |chunk, own| {
                // Places of rows beyond the last stay 0, and what comes of them is not looked at.
                let rows = own.len() / classes;
                let mut groups = vec![vec![[0.0; VOTERS]; m]; rows.div_ceil(VOTERS)];
                for (l, line) in values.chunks_exact(m.max(1)).skip(chunk * GROUPS * VOTERS).take(rows).enumerate() {
                    groups[l / VOTERS].iter_mut().zip(line).for_each(|(to, &k)| to[l % VOTERS] = k);
                }
                let votes = duels.votes(&groups, || run.check())?;
                for (l, out) in own.chunks_exact_mut(classes).enumerate() {
                    let (votes, l) = (&votes[l / VOTERS], l % VOTERS);
                    for (c, out) in out.iter_mut().enumerate() {
                        *out = votes.won[c][l] + squashed(votes.sums[c][l]);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Decisions, Expansion, ExpansionParts, Kernel};
    use base::{Features, Inputs, Machine, Points, Run, Seed, normal};

    #[test]
    fn r10_votes_of_very_many_classes_are_those_of_their_decisions() {
        // Classes of one or two centres, more pairs than are ever kept, rows that fill no block.
        let (classes, d, n) = (400, 3, 21);
        let mut s = Seed(5).stream();
        let mut drawn = |count: usize| (0..count).map(|_| normal(&mut s)).collect::<Vec<f64>>();
        let counts: Vec<usize> = (0..classes).map(|c| 1 + c % 2).collect();
        let m: usize = counts.iter().sum();
        let machine = Expansion::new(ExpansionParts {
            kernel: Kernel::gaussian(1.0),
            reading: Decisions::Pairs,
            inputs: Features::unnamed(d),
            names: (0..classes).map(|c| format!("{c}")).collect(),
            centres: Points::dense(drawn(m * d), m, d).unwrap(),
            coefficients: drawn(m * (classes - 1)),
            offsets: drawn(classes * (classes - 1) / 2),
            counts,
            rows: None,
            seen: vec![],
        })
        .unwrap();
        let points = Points::dense(drawn(n * d), n, d).unwrap();
        let score = |threads: usize, points: &Points| {
            let run = Run { threads, ..Run::quiet(1) };
            machine.compute(&Inputs::Points(points.clone()), &run).unwrap().to_dense(&run.memory).unwrap()
        };
        let run = Run::quiet(1);
        let decisions = machine.decisions(&points, &run).unwrap();
        let found = score(1, &points);
        for (raw, found) in decisions.chunks_exact(classes * (classes - 1) / 2).zip(found.chunks_exact(classes)) {
            let mut wanted = vec![0.0; classes];
            machine.read_decisions(raw, &mut wanted);
            testkit::assert_close(found, &wanted, 1e-12, "scores");
        }
        assert_eq!(found, score(3, &points), "threads");
        for row in [0, 7, 20] {
            let alone = score(1, &points.slice(row..row + 1));
            assert_eq!(alone[..], found[row * classes..(row + 1) * classes], "row {row} alone");
        }
    }
}
