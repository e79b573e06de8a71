//! How often each label was met in training, and how likely it is that a true label was written down at all.
//!
//! The propensity of a label that n of N rows have is p = 1 / (1 + C e^{−A ln(n + B)}), C = (ln N − 1)(B + 1)^A, with A = 0.55 and
//! B = 1.5: who writes down rare labels forgets them more often than common ones. **Limits.** A and B were measured on two
//! collections; the authors use others for those (0.5, 0.4 for Wikipedia; 0.6, 2.6 for Amazon) and these for all else.
//! Below N = 3 rows C is negative and propensities are no probabilities; none are given then.
//!
//! - H. Jain, Y. Prabhu, M. Varma: *Extreme multi-label loss functions for recommendation, tagging, ranking & other missing
//!   label applications.* KDD 2016, 935-944.

use base::{LabelSets, Record, Result, Targets};
use std::sync::Arc;

const A: f64 = 0.55;
const B: f64 = 1.5;

/// How many training rows have each label.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelFrequencies {
    /// The labels' names.
    pub names: Arc<[String]>,
    /// How many rows have each.
    pub counts: Vec<u32>,
    /// How many rows there are.
    pub rows: usize,
}

impl LabelFrequencies {
    /// Of the rows whose labels are known.
    pub fn of(sets: &LabelSets) -> Self {
        let mut counts = vec![0; sets.names().len()];
        let known: Vec<&[u32]> = (0..sets.len()).filter_map(|i| sets.get(i)).collect();
        known.iter().copied().flatten().for_each(|&label| counts[label as usize] += 1);
        LabelFrequencies { names: sets.names().clone(), counts, rows: known.len() }
    }

    /// Of targets that are label sets.
    pub fn of_targets(targets: &Targets) -> Option<Self> {
        match targets {
            Targets::Sets(sets) => Some(Self::of(sets)),
            _ => None,
        }
    }

    /// 1/p of a label that so many rows have; none of too few rows.
    pub fn inverse_propensity(&self, count: u32) -> Option<f64> {
        let c = ((self.rows as f64).ln() - 1.0) * (B + 1.0).powf(A);
        (self.rows >= 3).then(|| 1.0 + c * (f64::from(count) + B).powf(-A))
    }

    /// These numbers as plain data.
    pub fn record(&self) -> Record {
        Record::new("label frequencies", 1)
            .with("names", &self.names[..])
            .with("counts", self.counts.clone())
            .with("rows", self.rows)
    }

    /// Numbers from plain data.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect("label frequencies", 1)?;
        let (names, counts) = (record.texts("names")?, record.ids("counts")?);
        match names.len() == counts.len() {
            true => Ok(LabelFrequencies { names: names.into(), counts: counts.to_vec(), rows: record.count("rows")? }),
            false => Err(record.broken("its counts do not fit its names")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_and_survive_their_record() {
        let names: Vec<String> = ["a", "b", "c"].map(str::to_string).into();
        let sets = LabelSets::new(vec![0, 2, 2, 3, 3, 4], vec![0, 2, 2, 2], names, vec![3]).unwrap();
        let found = LabelFrequencies::of(&sets);
        assert_eq!((&found.counts[..], found.rows), (&[1, 0, 3][..], 4));
        assert_eq!(LabelFrequencies::read(&found.record()), Ok(found.clone()));
        // By the definition: C = (ln 4 − 1) 2.5^0.55, 1/p = 1 + C (n + 1.5)^−0.55.
        let c = (4f64.ln() - 1.0) * 2.5f64.powf(0.55);
        assert!((found.inverse_propensity(3).unwrap() - (1.0 + c / 4.5f64.powf(0.55))).abs() < 1e-15);
        assert_eq!(LabelFrequencies { rows: 2, ..found }.inverse_propensity(1), None);
    }
}
