//! Means with their 95 % intervals, mean ± t · s/√n with Student's t.
//!
//! Numbers of two methods on the same rows go together, so their differences are judged in pairs: a method is better than
//! another where the whole interval lies on its side.

use statrs::distribution::{ContinuousCDF, StudentsT};

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

/// The 97.5 % point of Student's t.
fn student(freedom: usize) -> f64 {
    StudentsT::new(0.0, 1.0, freedom as f64).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975))
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
