//! How well predictions meet what should have come out.
//!
//! Classes: everything of the confusion matrix (accuracy, balanced accuracy, macro and weighted precision, recall and
//! F1 by both definitions); for two classes precision, recall, specificity, F1 and average precision of the positive one
//! (marked in the targets, else the rarer); the area under the ROC curve (two classes) or its mean over one-versus-rest;
//! log-loss and Brier score where there are probabilities.
//! Label sets: precision, nDCG and recall of the best k, with and without propensities, coverage error, and of the sets
//! themselves F1, Hamming loss, subset accuracy (`sets/`).
//! Values: MSE = Σ w (y − ŷ)² / Σ w, its root, MAE, and the coefficient of determination
//! 1 − Σ w (y − ŷ)² / Σ w (y − ȳ)². Rows without a known target do not count; weights count as repeated rows.

use crate::sets::judge_scores;
use crate::{Confusion, Decision, LabelCounts, precision_recall, roc};
use base::{Classes, Dataset, Error, Link, Meaning, Prediction, Result, Run, Targets, UNKNOWN, Values};

/// Measures by name, in the order they are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// Name and value.
    pub values: Vec<(&'static str, f64)>,
    /// The confusion matrix, for classes.
    pub confusion: Option<Confusion>,
    /// Label by label, for label sets.
    pub labels: Option<LabelCounts>,
    /// How many rows counted.
    pub rows: usize,
    /// The class that measures of one class speak of.
    pub positive: Option<String>,
}

/// The measures that speak of the positive class alone.
const OF_POSITIVE: [&str; 6] = ["precision", "recall", "specificity", "f1", "average_precision", "precision_at_n"];

impl Measures {
    /// What a measure is called where people read it: with its class, if it speaks of one alone.
    pub fn label(&self, name: &str) -> String {
        match &self.positive {
            Some(class) if OF_POSITIVE.contains(&name) => format!("{name} ({class})"),
            _ if name == "f1_macro_b" => "f1_macro_b (F1 of macro precision and macro recall)".to_string(),
            _ => name.to_string(),
        }
    }

    /// What a reader of these numbers should know: classes that were never predicted, labels that are not known.
    pub fn warnings(&self) -> Vec<String> {
        if let Some(labels) = &self.labels {
            let empty = labels.empty_rows;
            let have = base::agree(empty, "has", "have");
            let rows = base::plural(empty, "row");
            let ranked = format!("{rows} {have} no label and {have} no part in measures of the best labels");
            return labels.unknown().into_iter().chain((empty > 0).then_some(ranked)).collect();
        }
        let Some(c) = &self.confusion else { return vec![] };
        let never: Vec<usize> = (0..c.names.len())
            .filter(|&k| c.counts[k].iter().sum::<f64>() > 0.0 && c.counts.iter().all(|row| row[k] <= 0.0))
            .collect();
        match &never[..] {
            [] => vec![],
            [k] => vec![format!("no row was predicted as {:?}", c.names[*k])],
            many => {
                let some: Vec<String> = many.iter().take(3).map(|&k| format!("{:?}", c.names[k])).collect();
                let rest = if many.len() > 3 { ", ..." } else { "" };
                vec![format!("{} classes were never predicted: {}{rest}", many.len(), some.join(", "))]
            }
        }
    }

    /// The name of a measure where it had another one in the last release: `bac` is `balanced_accuracy`.
    pub fn current_name(name: &str) -> &str {
        if name == "bac" { "balanced_accuracy" } else { name }
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<f64> {
        let name = Measures::current_name(name);
        self.values.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }

    /// Whether more of that measure is better.
    pub fn larger_is_better(name: &str) -> bool {
        crate::MEASURES.iter().find(|m| m.name == name).is_none_or(|m| m.larger)
    }

    /// The measure that machines are usually compared by.
    pub fn usual(targets: &Targets) -> &'static str {
        match targets {
            Targets::Values(_) => "r2",
            Targets::Sets(_) => "precision_at_1",
            _ => "accuracy",
        }
    }
}

/// Judges a prediction by the targets and weights of the data it was made for.
pub fn judge(prediction: &Prediction, data: &Dataset, run: &Run<'_>) -> Result<Measures> {
    judge_decided(prediction, None, data, run)
}

/// The same where classes are given by a threshold, if there is one.
pub fn judge_decided(
    prediction: &Prediction,
    decision: Option<&Decision>,
    data: &Dataset,
    run: &Run<'_>,
) -> Result<Measures> {
    if prediction.scores.len() != data.len() {
        return Err(Error::size("predicted rows", data.len(), prediction.scores.len()));
    }
    let weight = |i: usize| data.weight(i);
    match (prediction.outputs.meaning, &data.targets) {
        (Meaning::Classes, Targets::Classes(truth)) => {
            let predicted = match decision {
                Some(decision) => decision.classes(prediction, run)?,
                None => prediction.classes(run)?,
            };
            judge_classes(prediction, &predicted, truth, &weight, run)
        }
        (Meaning::Values, Targets::Values(truth)) => {
            let scores = prediction.scores.to_dense(&run.memory)?;
            judge_values(&scores, prediction.outputs.names.len(), prediction.outputs.main(), truth, weight)
        }
        (Meaning::Labels, Targets::Sets(truth)) => judge_scores(prediction, decision, truth, &weight, run),
        (Meaning::Outlier, Targets::Classes(truth)) => {
            let (scores, width) = (prediction.scores.to_dense(&run.memory)?, prediction.outputs.names.len());
            let first: Vec<f64> = scores.chunks_exact(width.max(1)).map(|row| row[0]).collect();
            let border = decision.map(|d| d.threshold).or(prediction.outputs.decides_anomalies().then_some(0.0));
            crate::anomalies::judge_anomalies(&first, border, truth, &weight)
        }
        (meaning, targets) => Err(Error::size(
            "targets to evaluate on",
            format!("{} to match the model", meaning.word()),
            targets.type_name(),
        )),
    }
}

fn judge_classes(
    prediction: &Prediction,
    predicted: &[u32],
    truth: &Classes,
    weight: &dyn Fn(usize) -> f64,
    run: &Run<'_>,
) -> Result<Measures> {
    let known = prediction.outputs.main();
    // Classes are matched by name: data may know others, or the same in another order.
    let mut names = prediction.outputs.names[..known].to_vec();
    let mut place = |name: &String| match names.iter().position(|n| n == name) {
        Some(i) => i,
        None => {
            names.push(name.clone());
            names.len() - 1
        }
    };
    let recode: Vec<usize> = truth.names().iter().map(&mut place).collect();
    let class = |i: usize| Some(truth.codes()[i]).filter(|&c| c != UNKNOWN).map(|c| recode[c as usize]);
    let rows: Vec<usize> = (0..predicted.len()).filter(|&i| class(i).is_some() && weight(i) > 0.0).collect();
    let mut counts = vec![vec![0.0; names.len()]; names.len()];
    for &i in &rows {
        if let Some(t) = class(i) {
            counts[t][predicted[i] as usize] += weight(i);
        }
    }
    some(rows.len())?;
    let confusion = Confusion { names, counts };
    // The positive class may be one that the machine does not know.
    let marked = truth.positive().map(|c| truth.names()[c].clone());
    let positive = marked.and_then(|name| confusion.names.iter().position(|n| *n == name));
    let (precision, recall) = confusion.macro_precision_recall();
    let (_, _, weighted) = confusion.weighted_precision_recall_f1();
    let accuracy = confusion.accuracy();
    let mut values = vec![
        ("accuracy", accuracy),
        ("error", 1.0 - accuracy),
        ("balanced_accuracy", confusion.balanced_accuracy()),
        ("precision_macro", precision),
        ("recall_macro", recall),
        ("f1_macro", confusion.macro_f1()),
        ("f1_macro_b", confusion.macro_f1_of_means()),
        ("f1_weighted", weighted),
    ];
    if let Some(positive) = positive {
        let counts = confusion.class(positive);
        values.extend([
            ("precision", counts.precision()),
            ("recall", counts.recall()),
            ("specificity", counts.specificity()),
            ("f1", counts.f1()),
        ]);
    }
    values.extend(by_scores(prediction, &rows, &class, weight, (known, positive), run)?);
    let positive = positive.map(|c| confusion.names[c].clone());
    Ok(Measures { values, confusion: Some(confusion), labels: None, rows: rows.len(), positive })
}

/// Measures that look at the scores, not only at which is largest.
fn by_scores(
    prediction: &Prediction,
    rows: &[usize],
    class: &dyn Fn(usize) -> Option<usize>,
    weight: &dyn Fn(usize) -> f64,
    (known, positive): (usize, Option<usize>),
    run: &Run<'_>,
) -> Result<Vec<(&'static str, f64)>> {
    let width = prediction.outputs.names.len();
    let scores = prediction.scores.to_dense(&run.memory)?;
    let probabilities = prediction.probabilities(run)?;
    // Probabilities order the rows; but those of a softmax round to 0 and 1 where the scores still differ.
    let score = |i: usize, c: usize| match &probabilities {
        Some(p) if known > 2 || prediction.outputs.link == Link::Identity => p[i * known + c],
        _ if known == 2 => scores[i * width + c] - scores[i * width + 1 - c],
        _ => scores[i * width + c],
    };
    let mut found = vec![];
    let against_rest = |c: usize| {
        let marks: Vec<bool> = rows.iter().map(|&i| class(i) == Some(c)).collect();
        let scores: Vec<f64> = rows.iter().map(|&i| score(i, c)).collect();
        (scores, marks)
    };
    if known == 2 {
        // A positive class that the machine does not know has no scores; any other tells the same area.
        let positive = positive.filter(|&c| c < known);
        let (scores, marks) = against_rest(positive.unwrap_or(1));
        if let Ok(curve) = roc(&scores, &marks, &|k| weight(rows[k])) {
            found.push(("auc", curve.area));
            if positive.is_some() {
                found.push(("average_precision", precision_recall(&scores, &marks, &|k| weight(rows[k]))?.area));
            }
        }
    } else {
        let areas: Vec<f64> = (0..known)
            .filter_map(|c| {
                let (scores, marks) = against_rest(c);
                roc(&scores, &marks, &|k| weight(rows[k])).ok().map(|curve| curve.area)
            })
            .collect();
        if !areas.is_empty() {
            found.push(("auc_one_vs_rest", areas.iter().sum::<f64>() / areas.len() as f64));
        }
    }
    if let Some(p) = &probabilities
        && rows.iter().all(|&i| class(i).is_some_and(|c| c < known))
    {
        let total: f64 = rows.iter().map(|&i| weight(i)).sum();
        let (mut log_loss, mut brier) = (0.0, 0.0);
        for &i in rows {
            let row = &p[i * known..(i + 1) * known];
            let Some(c) = class(i) else { continue };
            log_loss -= weight(i) * row[c].max(f64::EPSILON).ln();
            let squares: f64 = row.iter().enumerate().map(|(k, p)| (p - f64::from(u8::from(k == c))).powi(2)).sum();
            brier += weight(i) * if known == 2 { 0.5 * squares } else { squares };
        }
        found.push(("log_loss", log_loss / total));
        found.push(("brier", brier / total));
    }
    Ok(found)
}

fn judge_values(
    scores: &[f64],
    width: usize,
    main: usize,
    truth: &Values,
    weight: impl Fn(usize) -> f64,
) -> Result<Measures> {
    if main != truth.names().len() {
        return Err(Error::size("target values per row", main, truth.names().len()));
    }
    let n = scores.len() / width.max(1);
    let known: Vec<usize> = (0..n).filter(|&i| weight(i) > 0.0 && truth.row(i).iter().all(|y| !y.is_nan())).collect();
    some(known.len())?;
    let weights: f64 = known.iter().map(|&i| weight(i)).sum();
    let total = weights * main as f64;
    let (mut squares, mut sizes, mut determination, mut constant) = (0.0, 0.0, 0.0, false);
    for column in 0..main {
        let mean = known.iter().map(|&i| weight(i) * truth.row(i)[column]).sum::<f64>() / weights;
        let (mut error, mut spread) = (0.0, 0.0);
        for &i in &known {
            let (y, predicted) = (truth.row(i)[column], scores[i * width + column]);
            error += weight(i) * (y - predicted) * (y - predicted);
            sizes += weight(i) * (y - predicted).abs();
            spread += weight(i) * (y - mean) * (y - mean);
        }
        squares += error;
        constant |= spread <= 0.0;
        determination += 1.0 - error / spread;
    }
    let mse = squares / total;
    let mut values = vec![("mse", mse), ("rmse", mse.sqrt()), ("mae", sizes / total)];
    if !constant {
        values.push(("r2", determination / main as f64));
    }
    Ok(Measures { values, confusion: None, labels: None, rows: known.len(), positive: None })
}

fn some(rows: usize) -> Result<()> {
    match rows > 0 {
        true => Ok(()),
        false => Err(Error::size("rows with a known target and a weight", "at least 1", 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Outputs, Points};

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| s.to_string()).collect()
    }

    fn classes(scores: &[[f64; 2]], truth: &[Option<&str>], weights: Option<Vec<f64>>) -> Result<Measures> {
        let scores = Points::from_rows(scores).unwrap();
        let outputs = Outputs::classes(names(&["b", "a"]).into(), Link::None);
        let data = Dataset::new(scores.clone(), Targets::Classes(Classes::from_names(truth)));
        judge(&Prediction { scores, outputs }, &Dataset { weights: weights.map(Into::into), ..data }, &Run::quiet(1))
    }

    #[test]
    fn classes_are_matched_by_name() {
        let scores = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
        let m = classes(&scores, &[Some("b"), Some("a"), Some("b"), None], None).unwrap();
        assert_eq!((m.get("accuracy"), m.rows), (Some(2.0 / 3.0), 3));
        assert_eq!(m.confusion.unwrap().counts, [[1.0, 1.0], [0.0, 1.0]]);
        let m = classes(&scores, &[Some("z"), Some("a"), Some("b"), None], Some(vec![1.0, 2.0, 1.0, 9.0])).unwrap();
        assert_eq!(m.get("accuracy"), Some(0.5));
        let confusion = m.confusion.unwrap();
        assert_eq!(confusion.names, names(&["b", "a", "z"]));
        assert_eq!(confusion.counts[2], [1.0, 0.0, 0.0]);
        assert!(classes(&scores, &[None, None, None, None], None).is_err());
    }

    #[test]
    fn d1_measures_of_one_class_name_it_and_speak_of_the_rarer() {
        // Nine rows are "ok", one is "a fraud"; all are predicted "ok". The rarer class is the positive one wherever it
        // stands among the names.
        for names_of in [["a fraud", "ok"], ["ok", "zz fraud"]] {
            let ok = names_of.iter().position(|n| *n == "ok").unwrap();
            let row: [f64; 2] = std::array::from_fn(|c| f64::from(u8::from(c == ok)));
            let scores = Points::from_rows(&[row; 10]).unwrap();
            let outputs = Outputs::classes(names(&names_of).into(), Link::None);
            let truth: Vec<Option<&str>> = (0..10).map(|i| Some(names_of[if i == 3 { 1 - ok } else { ok }])).collect();
            let classes = Classes::from_names(&truth);
            let judged = |classes: Classes| {
                let data = Dataset::new(scores.clone(), Targets::Classes(classes));
                judge(&Prediction { scores: scores.clone(), outputs: outputs.clone() }, &data, &Run::quiet(1)).unwrap()
            };
            let m = judged(classes.clone());
            let fraud = names_of[1 - ok];
            assert_eq!(m.positive.as_deref(), Some(fraud));
            assert_eq!((m.get("recall"), m.get("precision"), m.get("specificity")), (Some(0.0), Some(0.0), Some(1.0)));
            assert_eq!((m.label("recall"), m.label("accuracy")), (format!("recall ({fraud})"), "accuracy".into()));
            assert_eq!(m.warnings(), [format!("no row was predicted as {fraud:?}")]);
            let m = judged(classes.with_positive("ok").unwrap());
            assert_eq!((m.get("recall"), m.get("precision"), m.get("specificity")), (Some(1.0), Some(0.9), Some(0.0)));
        }
    }

    #[test]
    fn values_by_definition() {
        // Residuals −½, 1½, −1 of weights 1, 2, ½ around a mean of 3; the last row is not known, the last column is extra.
        let scores = Points::from_rows(&[[1.5, 9.0], [2.0, 9.0], [6.0, 9.0], [7.0, 9.0]]).unwrap();
        let outputs = Outputs { extra: 1, ..Outputs::values(names(&["y", "variance"]).into()) };
        let truth = Targets::Values(Values::new(vec![1.0, 3.5, 5.0, f64::NAN], "y"));
        let data = Dataset { weights: Some(vec![1.0, 2.0, 0.5, 4.0].into()), ..Dataset::new(scores.clone(), truth) };
        let m = judge(&Prediction { scores: scores.clone(), outputs: outputs.clone() }, &data, &Run::quiet(1)).unwrap();
        assert_eq!(m.rows, 3);
        assert_eq!(m.get("mse"), Some(5.25 / 3.5));
        assert_eq!(m.get("mae"), Some(4.0 / 3.5));
        assert_eq!(m.get("r2"), Some(1.0 - 5.25 / 6.5));

        // Two values a row: errors count together, and the coefficient is the mean of the two, as scikit-learn has it.
        let outputs = Outputs { extra: 0, ..outputs };
        let truth = Values::several(vec![1.0, 9.0, 3.0, 10.0, 5.0, 8.0, 7.0, 9.0], names(&["y", "z"])).unwrap();
        let data = Dataset::new(scores.clone(), Targets::Values(truth));
        let m = judge(&Prediction { scores, outputs }, &data, &Run::quiet(1)).unwrap();
        assert_eq!(m.get("mse"), Some((0.25 + 1.0 + 1.0 + 1.0 + 1.0) / 8.0));
        assert_eq!(m.get("mae"), Some((0.5 + 1.0 + 1.0 + 1.0 + 1.0) / 8.0));
        assert_eq!(m.get("r2"), Some(0.5 * ((1.0 - 2.25 / 20.0) + (1.0 - 2.0 / 2.0))));
    }
}
