//! What a threshold does: ROC and precision-recall curves, and how far probabilities can be believed.
//!
//! Rows with a score above the threshold count as positive. From +∞ downwards the threshold meets the scores in order;
//! equal scores move together, so that the area under the ROC curve by the trapezoid rule is the probability that a
//! positive scores above a negative, ties counting half. The area under the precision-recall curve is the mean
//! precision at the positives (no interpolation). O(n log n).

use base::{Error, Result};

/// A curve with the thresholds behind its points.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Horizontal: false positive rate, or recall.
    pub x: Vec<f64>,
    /// Vertical: true positive rate, or precision.
    pub y: Vec<f64>,
    /// A row is positive if its score is at least this.
    pub thresholds: Vec<f64>,
    /// The area under it.
    pub area: f64,
}

/// Weight of positives and negatives at least as high as each score, from the highest down.
fn steps(scores: &[f64], positive: &[bool], weight: &dyn Fn(usize) -> f64) -> Result<Vec<(f64, f64, f64)>> {
    if scores.len() != positive.len() {
        return Err(Error::size("scores of a curve", positive.len(), scores.len()));
    }
    let mut order: Vec<usize> = (0..scores.len()).filter(|&i| weight(i) > 0.0).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut out: Vec<(f64, f64, f64)> = vec![];
    let (mut up, mut down) = (0.0, 0.0);
    for (k, &i) in order.iter().enumerate() {
        if positive[i] {
            up += weight(i);
        } else {
            down += weight(i);
        }
        if order.get(k + 1).is_none_or(|&next| scores[next] != scores[i]) {
            out.push((scores[i], up, down));
        }
    }
    match up > 0.0 && down > 0.0 {
        true => Ok(out),
        false => Err(Error::size("kinds of rows for a curve", "positive and negative ones", "one kind")),
    }
}

/// The receiver operating characteristic, from (0, 0) to (1, 1).
pub fn roc(scores: &[f64], positive: &[bool], weight: &dyn Fn(usize) -> f64) -> Result<Curve> {
    let steps = steps(scores, positive, weight)?;
    let (_, ups, downs) = steps[steps.len() - 1];
    let mut curve = Curve { x: vec![0.0], y: vec![0.0], thresholds: vec![f64::INFINITY], area: 0.0 };
    for (threshold, up, down) in steps {
        let (x, y) = (down / downs, up / ups);
        let last = curve.x.len() - 1;
        curve.area += (x - curve.x[last]) * 0.5 * (y + curve.y[last]);
        curve.x.push(x);
        curve.y.push(y);
        curve.thresholds.push(threshold);
    }
    Ok(curve)
}

/// Precision over recall, from the highest threshold down; begins at recall 0 with precision 1 by convention.
pub fn precision_recall(scores: &[f64], positive: &[bool], weight: &dyn Fn(usize) -> f64) -> Result<Curve> {
    let steps = steps(scores, positive, weight)?;
    let (_, ups, _) = steps[steps.len() - 1];
    let mut curve = Curve { x: vec![0.0], y: vec![1.0], thresholds: vec![f64::INFINITY], area: 0.0 };
    for (threshold, up, down) in steps {
        let (recall, precision) = (up / ups, up / (up + down));
        curve.area += (recall - curve.x[curve.x.len() - 1]) * precision;
        curve.x.push(recall);
        curve.y.push(precision);
        curve.thresholds.push(threshold);
    }
    Ok(curve)
}

/// How often rows of about the same predicted probability are positive.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Mean predicted probability of each bin that has rows.
    pub predicted: Vec<f64>,
    /// Share of positives there.
    pub observed: Vec<f64>,
    /// Weight of rows there.
    pub weight: Vec<f64>,
    /// Mean |predicted − observed|, weighted by rows.
    pub error: f64,
}

/// Cuts [0, 1] into equal bins and compares predicted with observed shares.
pub fn calibration(
    probabilities: &[f64],
    positive: &[bool],
    weight: &dyn Fn(usize) -> f64,
    bins: usize,
) -> Result<Calibration> {
    if probabilities.len() != positive.len() {
        return Err(Error::size("probabilities", positive.len(), probabilities.len()));
    }
    if let Some(p) = probabilities.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(Error::parameter("probability", p, "must lie between 0 and 1"));
    }
    let bins = bins.max(1);
    let mut sums = vec![(0.0, 0.0, 0.0); bins];
    for (i, &p) in probabilities.iter().enumerate() {
        let bin = ((p * bins as f64) as usize).min(bins - 1);
        sums[bin].0 += weight(i);
        sums[bin].1 += weight(i) * p;
        sums[bin].2 += if positive[i] { weight(i) } else { 0.0 };
    }
    sums.retain(|s| s.0 > 0.0);
    let total: f64 = sums.iter().map(|s| s.0).sum();
    Ok(Calibration {
        predicted: sums.iter().map(|s| s.1 / s.0).collect(),
        observed: sums.iter().map(|s| s.2 / s.0).collect(),
        weight: sums.iter().map(|s| s.0).collect(),
        error: sums.iter().map(|s| (s.1 - s.2).abs()).sum::<f64>() / total.max(f64::MIN_POSITIVE),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    fn drawn(case: u64) -> (Vec<f64>, Vec<bool>, Vec<f64>) {
        let seed = Seed(case).fork("curves");
        let n = 5 + case as usize % 40;
        let scores = (0..n).map(|i| (6.0 * seed.at(i).unit()).floor() / 6.0).collect();
        let positive = (0..n).map(|i| i == 0 || (i > 1 && seed.at(1000 + i).unit() < 0.4)).collect();
        let weights = (0..n).map(|i| 0.1 + seed.at(2000 + i).unit()).collect();
        (scores, positive, weights)
    }

    #[test]
    fn the_area_is_the_order_of_pairs() {
        for case in 0..200 {
            let (scores, positive, weights) = drawn(case);
            let curve = roc(&scores, &positive, &|i| weights[i]).unwrap();
            let (mut right, mut all) = (0.0, 0.0);
            for i in (0..scores.len()).filter(|&i| positive[i]) {
                for j in (0..scores.len()).filter(|&j| !positive[j]) {
                    let w = weights[i] * weights[j];
                    all += w;
                    right += w * if scores[i] > scores[j] {
                        1.0
                    } else if scores[i] == scores[j] {
                        0.5
                    } else {
                        0.0
                    };
                }
            }
            assert!((curve.area - right / all).abs() < 1e-12, "case {case}");
            assert_eq!((curve.x[0], curve.y[0]), (0.0, 0.0));
            let last = curve.x.len() - 1;
            assert!((curve.x[last] - 1.0).abs() < 1e-12 && (curve.y[last] - 1.0).abs() < 1e-12);
            assert!(curve.x.windows(2).all(|w| w[0] <= w[1]) && curve.y.windows(2).all(|w| w[0] <= w[1]));
        }
    }

    #[test]
    fn every_point_is_what_its_threshold_does() {
        for case in 0..50 {
            let (scores, positive, weights) = drawn(case);
            let sum = |f: &dyn Fn(usize) -> bool| (0..scores.len()).filter(|&i| f(i)).map(|i| weights[i]).sum::<f64>();
            let (r, p) = (
                roc(&scores, &positive, &|i| weights[i]).unwrap(),
                precision_recall(&scores, &positive, &|i| weights[i]).unwrap(),
            );
            for (k, &t) in r.thresholds.iter().enumerate().skip(1) {
                let tp = sum(&|i| positive[i] && scores[i] >= t);
                let fp = sum(&|i| !positive[i] && scores[i] >= t);
                assert!((r.y[k] - tp / sum(&|i| positive[i])).abs() < 1e-12);
                assert!((r.x[k] - fp / sum(&|i| !positive[i])).abs() < 1e-12);
                assert!((p.y[k] - tp / (tp + fp)).abs() < 1e-12 && p.x[k] == r.y[k]);
            }
        }
        assert!(roc(&[1.0, 2.0], &[true, true], &|_| 1.0).is_err());
        assert!(roc(&[1.0], &[true, false], &|_| 1.0).is_err());
    }

    #[test]
    fn honest_probabilities_are_calibrated() {
        let seed = Seed(1);
        let n = 20_000;
        let p: Vec<f64> = (0..n).map(|i| seed.at(i).unit()).collect();
        let positive: Vec<bool> = (0..n).map(|i| seed.at(n + i).unit() < p[i]).collect();
        let c = calibration(&p, &positive, &|_| 1.0, 10).unwrap();
        assert!(c.error < 0.03 && c.predicted.len() == 10, "{c:?}");
        assert_eq!(c.weight.iter().sum::<f64>(), n as f64);
        let squared: Vec<f64> = p.iter().map(|p| p * p).collect();
        assert!(calibration(&squared, &positive, &|_| 1.0, 10).unwrap().error > 0.1);
        assert!(calibration(&[1.5], &[true], &|_| 1.0, 10).is_err());
    }
}
