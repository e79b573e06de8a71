//! Whether contenders differ over several problems, by their ranks alone.
//!
//! Friedman's statistic of k contenders on n problems with mean ranks R_j is
//! χ² = 12 n / (k (k + 1)) · (Σ_j R_j² − k (k + 1)² / 4), divided by 1 − Σ (t³ − t) / (n k (k² − 1)) for ties of t, with
//! k − 1 degrees of freedom. If it is improbable, each contender is compared with the best by
//! z = (R_j − R_best) / √(k (k + 1) / (6 n)), and the p-values are made larger for being many by Holm's procedure.
//!
//! - J. Demšar: *Statistical comparisons of classifiers over multiple data sets.* JMLR 7 (2006) 1–30.

use crate::average_ranks;
use base::{Error, Result};
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

/// What ranks say of contenders over several problems.
#[derive(Debug, Clone, PartialEq)]
pub struct Friedman {
    /// Mean rank of each contender, 1 is best.
    pub ranks: Vec<f64>,
    /// Friedman's χ², corrected for ties.
    pub statistic: f64,
    /// The probability of such a statistic if all contenders were equal.
    pub p: f64,
    /// The contender with the smallest mean rank; the first of equals.
    pub best: usize,
    /// Holm's p-value of each contender against the best; 1 for the best itself.
    pub against_best: Vec<f64>,
}

/// The test for scores given problem by problem, where more is better.
pub fn friedman(scores: &[Vec<f64>]) -> Result<Friedman> {
    let (n, k) = (scores.len(), scores.first().map_or(0, Vec::len));
    if n < 2 || k < 2 || scores.iter().any(|row| row.len() != k) {
        return Err(Error::size("scores for Friedman's test", "2 problems or more of 2 contenders or more", n * k));
    }
    let ranks = average_ranks(scores);
    let (many, each) = (n as f64, k as f64);
    let spread = ranks.iter().map(|r| r * r).sum::<f64>() - each * (each + 1.0) * (each + 1.0) / 4.0;
    let tied = 1.0 - scores.iter().map(|row| ties(row)).sum::<f64>() / (many * each * (each * each - 1.0));
    let plain = 12.0 * many / (each * (each + 1.0)) * spread;
    let statistic = if tied > 0.0 { plain / tied } else { 0.0 };
    let wrong = |e: &dyn std::fmt::Display| Error::parameter("contenders", k, e.to_string());
    let law = ChiSquared::new(each - 1.0).map_err(|e| wrong(&e))?;
    let normal = Normal::new(0.0, 1.0).map_err(|e| wrong(&e))?;
    let best = (0..k).min_by(|&a, &b| ranks[a].total_cmp(&ranks[b])).unwrap_or(0);
    let width = (each * (each + 1.0) / (6.0 * many)).sqrt();
    let others: Vec<usize> = (0..k).filter(|&j| j != best).collect();
    let raw: Vec<f64> = others.iter().map(|&j| 2.0 * normal.cdf(-(ranks[j] - ranks[best]) / width)).collect();
    let mut against_best = vec![1.0; k];
    others.iter().zip(holm(&raw)).for_each(|(&j, p)| against_best[j] = p);
    Ok(Friedman { p: law.sf(statistic.max(0.0)), ranks, statistic, best, against_best })
}

/// Σ (t³ − t) over the groups of equal scores.
fn ties(row: &[f64]) -> f64 {
    // Every member of a group of t counts t² − 1 once.
    let group = |x: f64| row.iter().filter(|y| **y == x).count() as f64;
    row.iter().map(|&x| group(x) * group(x) - 1.0).sum()
}

/// Holm's step-down p-values: the smallest of m is multiplied by m, the next by m − 1, and none is below one before it.
///
/// - S. Holm: *A simple sequentially rejective multiple test procedure.* Scand. J. Statist. 6 (1979) 65–70.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least: f64 = 0.0;
    for (i, &j) in order.iter().enumerate() {
        least = least.max(((p.len() - i) as f64 * p[j]).min(1.0));
        adjusted[j] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistic_is_that_of_scipy() {
        // scipy 1.17.1, friedmanchisquare of the three columns.
        let scores = [[0.9, 0.8, 0.7], [0.6, 0.6, 0.5], [0.8, 0.9, 0.3], [0.7, 0.2, 0.2]].map(|r| r.to_vec());
        let test = friedman(&scores).unwrap();
        let expected = (5.571_428_571_428_571, 0.061_685_012_567_976_05);
        assert!((test.statistic - expected.0).abs() < 1e-12, "{}", test.statistic);
        assert!((test.p - expected.1).abs() < 1e-12, "{}", test.p);
        assert_eq!((test.best, test.against_best[0]), (0, 1.0));
        assert!(test.against_best[1] < test.against_best[0] && test.against_best[2] < test.against_best[1]);
    }

    #[test]
    fn equals_do_not_differ() {
        let test = friedman(&[vec![1.0; 4], vec![2.0; 4]]).unwrap();
        assert_eq!((test.statistic, test.p), (0.0, 1.0));
        assert!(test.against_best.iter().all(|&p| p == 1.0));
        assert!(friedman(&[vec![1.0, 2.0]]).is_err());
        assert!(friedman(&[vec![1.0, 2.0], vec![1.0]]).is_err());
    }

    #[test]
    fn holm_by_hand() {
        // statsmodels' multipletests(..., method="holm") gives the same for this list.
        let p = holm(&[0.01, 0.04, 0.03, 0.5]);
        let expected = [0.04, 0.09, 0.09, 0.5];
        assert!(p.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{p:?}");
        assert!(holm(&[]).is_empty());
    }
}
