//! Where to put the threshold, given what errors cost or how often one may raise a false alarm.

use crate::Curve;
use base::{Error, Result};

/// What errors cost, and how common positives are where the machine will work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Cost of a false alarm.
    pub false_alarm: f64,
    /// Cost of a miss.
    pub miss: f64,
    /// Share of positives in use, which may differ from the data's.
    pub positives: f64,
}

/// A point of a ROC curve to work at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operating {
    /// A row is positive if its score is at least this.
    pub threshold: f64,
    /// False positive rate there.
    pub false_alarms: f64,
    /// True positive rate there.
    pub recall: f64,
    /// Expected cost of a row there.
    pub cost: f64,
}

/// The point of a ROC curve with the least expected cost π·c_miss·(1 − tpr) + (1 − π)·c_alarm·fpr; the first of equals.
pub fn least_cost(roc: &Curve, costs: Costs) -> Result<Operating> {
    let right = costs.false_alarm >= 0.0 && costs.miss >= 0.0 && (0.0..=1.0).contains(&costs.positives);
    if !right {
        return Err(Error::parameter("costs", format!("{costs:?}"), "must not be negative, positives between 0 and 1"));
    }
    let cost = |k: usize| {
        costs.positives * costs.miss * (1.0 - roc.y[k]) + (1.0 - costs.positives) * costs.false_alarm * roc.x[k]
    };
    pick(roc, cost, |_| true)
}

/// The point with the highest recall among those whose false positive rate is at most `most`.
pub fn with_rate(roc: &Curve, most: f64) -> Result<Operating> {
    if !(0.0..=1.0).contains(&most) {
        return Err(Error::parameter("rate", most, "must lie between 0 and 1"));
    }
    pick(roc, |k| 1.0 - roc.y[k], |k| roc.x[k] <= most)
}

fn pick(roc: &Curve, cost: impl Fn(usize) -> f64, admitted: impl Fn(usize) -> bool) -> Result<Operating> {
    let best = (0..roc.x.len()).filter(|&k| admitted(k)).min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
    let k = best.ok_or_else(|| Error::size("points of a curve", "at least 1", 0))?;
    Ok(Operating { threshold: roc.thresholds[k], false_alarms: roc.x[k], recall: roc.y[k], cost: cost(k) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_move_the_threshold() {
        let scores = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
        let positive = [true, true, false, true, false, false];
        let curve = crate::roc(&scores, &positive, &|_| 1.0).unwrap();
        let at = |miss: f64| least_cost(&curve, Costs { false_alarm: 1.0, miss, positives: 0.5 }).unwrap();
        assert_eq!((at(0.5).threshold, at(10.0).threshold), (0.8, 0.6));
        assert!((at(10.0).cost - 0.5 / 3.0).abs() < 1e-12);
        assert_eq!(with_rate(&curve, 0.0).unwrap().threshold, 0.8);
        assert_eq!(with_rate(&curve, 0.34).unwrap().recall, 1.0);
        assert!(with_rate(&curve, 2.0).is_err());
        assert!(least_cost(&curve, Costs { false_alarm: -1.0, miss: 1.0, positives: 0.5 }).is_err());
    }
}
