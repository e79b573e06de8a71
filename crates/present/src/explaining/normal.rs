//! What normal rows look like, beside each row that a detector explains.
//!
//! What is typical for a row is the mean of a detector's support points by their part in it, brought back through the
//! preparation: what the columns of normal rows like this one hold. Nothing but the model file is needed.

use base::{Inputs, Machine, Points, Result, Run};
use explain::{Answer, split};

/// What normal rows look like, for each row explained.
pub(super) struct Normal {
    /// The typical row.
    pub(super) typical: Option<Inputs>,
    /// The nearest support points that are normal, up to [`NEAREST`] for each row.
    pub(super) nearest: Option<Inputs>,
    /// Where those of each row begin, and the end of the last.
    starts: Vec<usize>,
}

/// Normal examples shown.
const NEAREST: usize = 3;
/// Support points that are looked at for them: those at the edge may be anomalies themselves.
const CANDIDATES: usize = 64;

impl Normal {
    pub(super) fn of(machine: &dyn Machine, answer: &Answer, run: &Run<'_>) -> Result<Self> {
        let parts = split(machine);
        let none = || Ok(Normal { typical: None, nearest: None, starts: vec![] });
        let Some(own) = parts.machine().facets().explains.filter(|own| own.quantity().is_some_and(|q| q.references))
        else {
            return none();
        };
        let ready = own.ready(run)?;
        let Some(references) = ready.references() else { return none() };
        let centres = references.points();
        let (m, d) = (centres.len(), centres.columns());
        let (mut typical, mut near, mut starts) = (vec![], vec![], vec![0]);
        let mut u = vec![0.0; d];
        for i in 0..answer.points.len() {
            let mut shares = references.squared_distances(&answer.points.slice(i..i + 1), run)?;
            let mut order: Vec<usize> = (0..m).collect();
            order.sort_by(|&a, &b| shares[a].total_cmp(&shares[b]));
            // A row of the training data may be among them: it is no example beside itself.
            let others: Vec<usize> = order.into_iter().filter(|&j| shares[j] > 0.0).take(CANDIDATES).collect();
            let scores = parts.machine().compute(&Inputs::Points(centres.select(&others)?), run)?;
            let mut line = vec![0.0; scores.columns()];
            let normal = others.iter().enumerate().filter(|(k, _)| {
                scores.write_row(*k, &mut line);
                line.first().is_some_and(|score| *score <= 0.0)
            });
            near.extend(normal.map(|(_, &j)| j).take(NEAREST));
            starts.push(near.len());
            references.value_at(&mut shares);
            let mut mean = vec![0.0; d];
            for (j, share) in shares.iter().enumerate().filter(|(_, s)| **s > 1e-12) {
                centres.write_row(j, &mut u);
                mean.iter_mut().zip(&u).for_each(|(m, u)| *m += share * u);
            }
            typical.extend(mean);
        }
        let typical = Points::dense(typical, answer.points.len(), d)?;
        let nearest = centres.select(&near)?;
        Ok(Normal { typical: parts.restore(&typical, run)?, nearest: parts.restore(&nearest, run)?, starts })
    }

    /// The examples beside a row.
    pub(super) fn of_row(&self, k: usize) -> std::ops::Range<usize> {
        match self.starts.get(k..k + 2) {
            Some(&[from, to]) => from..to,
            _ => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain_rows_with;
    use base::{Catalog, Cells, Prediction};
    use explain::{Question, Tuning};
    use pellucid::job::most_anomalous;
    use pellucid::{KNOWN, prepared};

    /// Anomalies of the training data are support vectors at their bound: neither they nor their like are normal.
    #[test]
    fn x15_examples_beside_an_anomaly_are_normal_and_not_itself() {
        let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
        let data = testkit::toy_anomalies(&[[40.0, 40.0], [41.0, 40.0], [40.0, 41.0], [-30.0, 25.0]]);
        let mut learner = KNOWN.learner("one-class-svm").unwrap();
        learner.set_text("nu", "0.2").unwrap();
        let machine = prepared("auto", &data, learner).unwrap().1.fit(&data, None, &run).unwrap().machine;
        let scores = |inputs: &Inputs| {
            let found = Prediction::of(&*machine, inputs, &run).unwrap().scores;
            let dense = found.to_dense(&run.memory).unwrap();
            dense.chunks(found.columns()).map(|row| row[0]).collect::<Vec<f64>>()
        };
        let rows = most_anomalous(&*machine, &data, 4, &run).unwrap();
        assert!(scores(&data.inputs.select(&rows).unwrap()).iter().all(|s| *s > 0.0), "these are anomalies");
        let told = explain_rows_with(&*machine, &data, &rows, Question::default(), &Tuning::default(), &run).unwrap();
        let normal = Normal::of(&*machine, &told.answer, &run).unwrap();
        let examples = normal.nearest.as_ref().unwrap();
        // What was kept in the model is as normal as it says, but for the rounding of the way there and back.
        assert!(scores(examples).iter().all(|s| *s <= 1e-9), "{:?}", scores(examples));
        let (Inputs::Table(shown), Inputs::Table(all)) = (examples, &data.inputs) else { panic!("tables stay tables") };
        for (k, &row) in rows.iter().enumerate() {
            assert_eq!(normal.of_row(k).len(), NEAREST, "row {row}");
            for e in normal.of_row(k) {
                let far = |c: usize| {
                    let (Cells::Number(x), Cells::Number(y)) = (&shown.columns()[c].cells, &all.columns()[c].cells)
                    else {
                        panic!("numbers stay numbers")
                    };
                    (x[e] - y[row]).abs() > 5.0
                };
                assert!((0..8).any(far), "row {row} beside itself or another anomaly");
            }
        }
    }
}
