//! How well a detector's scores find the rows that labels call anomalous.
//!
//! A detector learns without labels; two classes, one of them the positive one (the anomalies), judge it. The area under
//! the ROC curve and the average precision look at the order of the scores alone; precision at n is the fraction of
//! anomalies among the n rows with the largest scores, n being how many anomalies there are (rows that share the last
//! score count by their mean). Where a border is known (an `outlier_score` above 0 is an anomaly, or above a threshold)
//! the confusion matrix and what follows from it are given too. Cost: one sort of the rows.

use crate::{Confusion, Measures, precision_recall, roc};
use base::{Classes, Error, Place, Result};

/// Judges scores, one per row, by labels; rows without a known label or with weight 0 do not count.
pub(crate) fn judge_anomalies(
    scores: &[f64],
    border: Option<f64>,
    truth: &Classes,
    weight: &dyn Fn(usize) -> f64,
) -> Result<Measures> {
    let Some(positive) = truth.positive() else {
        let why = format!(
            "evaluating a detector needs the positive class (the anomalies); the target has {} classes",
            truth.names().len()
        );
        return Err(Error::data(Place::Whole, why));
    };
    let rows: Vec<usize> = (0..scores.len()).filter(|&i| truth.get(i).is_some() && weight(i) > 0.0).collect();
    let marks: Vec<bool> = rows.iter().map(|&i| truth.get(i) == Some(positive)).collect();
    let scores: Vec<f64> = rows.iter().map(|&i| scores[i]).collect();
    let weights = |k: usize| weight(rows[k]);
    if !marks.contains(&true) || !marks.contains(&false) {
        let why = format!(
            "evaluating a detector needs rows of class {:?} and rows of another class",
            truth.names()[positive]
        );
        return Err(Error::data(Place::Whole, why));
    }
    let mut values = vec![
        ("auc", roc(&scores, &marks, &weights)?.area),
        ("average_precision", precision_recall(&scores, &marks, &weights)?.area),
        ("precision_at_n", precision_at_n(&scores, &marks, &weights)),
    ];
    let name = truth.names()[positive].clone();
    let mut confusion = None;
    if let Some(border) = border {
        // All classes but the positive one are normal here.
        let normal: Vec<&str> =
            truth.names().iter().enumerate().filter(|(c, _)| *c != positive).map(|(_, n)| n.as_str()).collect();
        let mut counts = vec![vec![0.0; 2]; 2];
        for (k, score) in scores.iter().enumerate() {
            counts[usize::from(marks[k])][usize::from(*score > border)] += weights(k);
        }
        let c = Confusion { names: vec![normal.join(" or "), name.clone()], counts };
        let of = c.class(1);
        values.extend([
            ("precision", of.precision()),
            ("recall", of.recall()),
            ("specificity", of.specificity()),
            ("f1", of.f1()),
        ]);
        confusion = Some(c);
    }
    Ok(Measures { values, confusion, labels: None, rows: rows.len(), positive: Some(name) })
}

/// The fraction of anomalies among the rows with the largest scores, as many as there are anomalies by weight.
fn precision_at_n(scores: &[f64], marks: &[bool], weight: &dyn Fn(usize) -> f64) -> f64 {
    let wanted: f64 = (0..marks.len()).filter(|&k| marks[k]).map(weight).sum();
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let (mut taken, mut found) = (0.0, 0.0);
    for equals in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let total: f64 = equals.iter().map(|&k| weight(k)).sum();
        let right: f64 = equals.iter().filter(|&&k| marks[k]).map(|&k| weight(k)).sum();
        let part = ((wanted - taken) / total).min(1.0);
        taken += part * total;
        found += part * right;
        if part < 1.0 {
            break;
        }
    }
    found / wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Link, Meaning, Outputs, Run, Targets};

    fn judged(name: &str, scores: &[f64], labels: &[&str]) -> Result<Measures> {
        let names: Vec<String> = vec![name.to_string()];
        let outputs = Outputs { meaning: Meaning::Outlier, link: Link::None, ..Outputs::values(names.into()) };
        let points = base::Points::dense(scores.to_vec(), scores.len(), 1).unwrap();
        let labels: Vec<Option<&str>> = labels.iter().map(|l| Some(*l)).collect();
        let data = base::Dataset::new(points.clone(), Targets::Classes(Classes::from_names(&labels)));
        crate::judge(&base::Prediction { scores: points, outputs }, &data, &Run::quiet(1))
    }

    #[test]
    fn d13_detectors_are_judged_by_labels() {
        let labels = ["bad", "good", "good", "bad", "good", "good"];
        let m = judged("outlier_score", &[3.0, 2.0, -1.0, 1.0, -2.0, -3.0], &labels).unwrap();
        // By hand: of 8 pairs 7 are in order; precision at the two anomalies is 1 and 2/3; the first two hold one.
        assert_eq!(m.get("auc"), Some(7.0 / 8.0));
        assert!((m.get("average_precision").unwrap() - 0.5 * (1.0 + 2.0 / 3.0)).abs() < 1e-12);
        assert_eq!(m.get("precision_at_n"), Some(0.5));
        assert_eq!((m.get("recall"), m.get("precision")), (Some(1.0), Some(2.0 / 3.0)));
        assert_eq!(m.label("precision_at_n"), "precision_at_n (bad)");
        assert_eq!(m.confusion.unwrap().counts, [[3.0, 1.0], [0.0, 2.0]]);
        // An error of reconstruction orders rows, but no number of it is a border.
        let m = judged("outlier score", &[3.0, 2.0, 0.1, 1.0, 0.2, 0.3], &labels).unwrap();
        assert_eq!((m.get("recall"), m.confusion), (None, None));
        // Equal scores count by their mean: two anomalies among four equals.
        let m = judged("outlier_score", &[1.0; 6], &labels).unwrap();
        assert!((m.get("precision_at_n").unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert!(judged("outlier_score", &[1.0, 2.0], &["good", "good"]).is_err());
        assert!(
            judged("outlier_score", &[1.0, 2.0, 3.0], &["a", "b", "c"])
                .unwrap_err()
                .to_string()
                .contains("the anomalies")
        );
    }
}
