//! Which explanation is the best: areas under flipping curves, compared row by row.
//!
//! Areas of two methods on the same rows go together, so their difference is judged in pairs: mean ± t · s/√n with
//! Student's t at 95 %. A method is better than another where the whole interval lies on its side.

use crate::flipping::{Flipping, area};
use base::{Points, Relevance, Result, Run};

/// A mean with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How one method does.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The method.
    pub method: String,
    /// The area of each row.
    pub areas: Vec<f64>,
    /// The mean curve as a share of its start.
    pub curve: Vec<f64>,
    /// Its mean area.
    pub area: Interval,
    /// Its area less that of the first method, in pairs.
    pub difference: Interval,
}

/// Flips the same rows by each of several explanations; the first is what the others are compared with.
pub fn compare(flip: &Flipping<'_>, points: &Points, told: &[Relevance], run: &Run<'_>) -> Result<Vec<Compared>> {
    let mut all: Vec<Compared> = vec![];
    for relevance in told {
        let curves = flip.curves(points, relevance, run)?;
        let areas: Vec<f64> = curves.iter().map(|c| area(c)).collect();
        let mut curve = vec![0.0; curves.first().map_or(0, Vec::len)];
        for one in &curves {
            let start = if one[0] > 0.0 { one[0] } else { 1.0 };
            curve.iter_mut().zip(one).for_each(|(c, o)| *c += o / (start * curves.len() as f64));
        }
        let first = all.first().map_or(&areas, |c| &c.areas);
        let difference = paired_interval(&areas.iter().zip(first).map(|(a, b)| a - b).collect::<Vec<_>>());
        let area = paired_interval(&areas);
        all.push(Compared { method: relevance.method.clone(), areas, curve, area, difference });
    }
    Ok(all)
}

/// The mean of some differences with its 95 % interval; of fewer than two the interval has no end.
pub fn paired_interval(values: &[f64]) -> Interval {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    if values.len() < 2 {
        return Interval { mean, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    let half = student(values.len() - 1) * (variance / n).sqrt();
    Interval { mean, low: mean - half, high: mean + half }
}

/// The 97.5 % point of Student's t: a table for few degrees of freedom, Cornish and Fisher's expansion beyond.
fn student(freedom: usize) -> f64 {
    const FEW: [f64; 10] = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281];
    if let Some(t) = freedom.checked_sub(1).and_then(|i| FEW.get(i)) {
        return *t;
    }
    let (z, v) = (1.959_963_984_540_054_f64, freedom as f64);
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * v)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v * v)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v * v * v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_students_t() {
        // Known points: t(10) = 2.2281, t(11) = 2.2010, t(30) = 2.0423, t(120) = 1.9799.
        for (freedom, t) in [(1, 12.7062), (10, 2.2281), (11, 2.2010), (30, 2.0423), (120, 1.9799)] {
            assert!((student(freedom) - t).abs() < 5e-4, "{freedom}");
        }
        let interval = paired_interval(&[1.0, 2.0, 3.0]);
        assert!((interval.mean - 2.0).abs() < 1e-12 && (interval.high - 2.0 - 4.3027 / 3f64.sqrt()).abs() < 1e-4);
        assert_eq!(paired_interval(&[1.0]).low, f64::NEG_INFINITY);
        assert_eq!(paired_interval(&[]).mean, 0.0);
    }
}
