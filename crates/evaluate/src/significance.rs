//! Whether a difference between machines is more than chance.

use base::{Error, Result};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

/// The two-sided p-value of the paired t-test on differences over folds, corrected for their overlap.
///
/// t = d̄ / √((1/n + share/(1 − share)) s²) with n − 1 degrees of freedom, where `share` is the part of the rows that each
/// fold holds out; `share` = 0 is the plain test, which finds differences too easily because training sets overlap.
///
/// - C. Nadeau, Y. Bengio: *Inference for the generalization error.* Machine Learning 52 (2003) 239–281.
pub fn paired_t(differences: &[f64], share: f64) -> Result<f64> {
    let n = differences.len();
    if n < 2 || !(0.0..1.0).contains(&share) {
        return Err(Error::size("differences for a t-test", "at least 2, with a fraction below 1", n));
    }
    let mean = differences.iter().sum::<f64>() / n as f64;
    let variance = differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1) as f64;
    if variance == 0.0 {
        return Ok(if mean == 0.0 { 1.0 } else { 0.0 });
    }
    let t = mean / ((1.0 / n as f64 + share / (1.0 - share)) * variance).sqrt();
    let law = StudentsT::new(0.0, 1.0, (n - 1) as f64).map_err(|e| Error::parameter("t", t, e.to_string()))?;
    Ok((2.0 * law.cdf(-t.abs())).min(1.0))
}

/// What McNemar's test says of two machines on the same rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McNemar {
    /// Rows only the first gets right.
    pub first: u64,
    /// Rows only the second gets right.
    pub second: u64,
    /// Two-sided exact p-value.
    pub p: f64,
}

/// McNemar's exact test: of the rows on which exactly one of two machines is right, each is as likely to be which.
pub fn mc_nemar(first: &[bool], second: &[bool]) -> Result<McNemar> {
    if first.len() != second.len() {
        return Err(Error::size("rows of McNemar's test", first.len(), second.len()));
    }
    let only = |a: &[bool], b: &[bool]| a.iter().zip(b).filter(|(a, b)| **a && !**b).count() as u64;
    let (a, b) = (only(first, second), only(second, first));
    let n = a + b;
    let p = match n {
        0 => 1.0,
        _ => {
            let law = Binomial::new(0.5, n).map_err(|e| Error::parameter("rows", n, e.to_string()))?;
            (2.0 * law.cdf(a.min(b))).min(1.0)
        }
    };
    Ok(McNemar { first: a, second: b, p })
}

/// The mean rank of each contender over several problems; the largest score has rank 1, equals share theirs.
pub fn average_ranks(scores: &[Vec<f64>]) -> Vec<f64> {
    let contenders = scores.first().map_or(0, Vec::len);
    let mut sums = vec![0.0; contenders];
    for row in scores {
        for (i, sum) in sums.iter_mut().enumerate() {
            let above = row.iter().filter(|s| **s > row[i]).count() as f64;
            let equal = row.iter().filter(|s| **s == row[i]).count() as f64;
            *sum += above + 0.5 * (equal + 1.0);
        }
    }
    sums.iter().map(|s| s / scores.len().max(1) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t_tests_are_those_of_tables() {
        // scipy 1.17.1, ttest_1samp([0.1, 0.3, -0.1, 0.2, 0.4], 0): p = 0.10453999977837554.
        let d = [0.1, 0.3, -0.1, 0.2, 0.4];
        let p = paired_t(&d, 0.0).unwrap();
        assert!((p - 0.104_539_999_778_375_54).abs() < 1e-9, "{p}");
        assert!(paired_t(&d, 0.1).unwrap() > p, "the correction is careful");
        assert_eq!(paired_t(&[0.0, 0.0], 0.0), Ok(1.0));
        assert_eq!(paired_t(&[1.0, 1.0], 0.0), Ok(0.0));
        assert!(paired_t(&[1.0], 0.0).is_err() && paired_t(&d, 1.0).is_err());
    }

    #[test]
    fn mc_nemar_counts_disagreements() {
        let first: Vec<bool> = (0..20).map(|i| i != 0).collect();
        let second: Vec<bool> = (0..20).map(|i| !(1..=7).contains(&i)).collect();
        let test = mc_nemar(&first, &second).unwrap();
        // Eight disagreements, one against seven: 2 · (C(8,0) + C(8,1)) / 2⁸.
        assert_eq!((test.first, test.second), (7, 1));
        assert!((test.p - 2.0 * 9.0 / 256.0).abs() < 1e-12);
        assert_eq!(mc_nemar(&first, &first).unwrap().p, 1.0);
        assert!(mc_nemar(&first, &[true]).is_err());
    }

    #[test]
    fn ranks_share_ties() {
        let ranks = average_ranks(&[vec![0.9, 0.8, 0.9], vec![0.5, 0.7, 0.6]]);
        assert_eq!(ranks, [(1.5 + 3.0) / 2.0, (3.0 + 1.0) / 2.0, (1.5 + 2.0) / 2.0]);
    }
}
