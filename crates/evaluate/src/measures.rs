//! How well predictions meet what should have come out.
//!
//! Classes: accuracy = Σ w_i [predicted = true] / Σ w_i and the confusion matrix (rows true, columns predicted). Values:
//! MSE = Σ w_i (y − ŷ)² / Σ w_i, MAE likewise with |y − ŷ|, and the coefficient of determination
//! 1 − Σ w (y − ŷ)² / Σ w (y − ȳ)². Rows without a known target do not count.

use base::{Classes, Dataset, Error, Meaning, Prediction, Result, Run, Targets, UNKNOWN, Values};

/// Measures by name, in the order they are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// Name and value.
    pub values: Vec<(&'static str, f64)>,
    /// Who was taken for whom, for classes.
    pub confusion: Option<Confusion>,
    /// How many rows counted.
    pub rows: usize,
}

/// Who was taken for whom.
#[derive(Debug, Clone, PartialEq)]
pub struct Confusion {
    /// The classes, those of the machine first, then those only the data have.
    pub names: Vec<String>,
    /// Weight of rows by true class (row) and predicted class (column).
    pub counts: Vec<Vec<f64>>,
}

impl Measures {
    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }
}

/// Judges a prediction by the targets and weights of the data it was made for.
pub fn judge(prediction: &Prediction, data: &Dataset, run: &Run<'_>) -> Result<Measures> {
    if prediction.scores.len() != data.len() {
        return Err(Error::size("predicted rows", data.len(), prediction.scores.len()));
    }
    let weight = |i: usize| data.weights.as_ref().map_or(1.0, |w| w[i]);
    match (prediction.outputs.meaning, &data.targets) {
        (Meaning::Classes, Targets::Classes(truth)) => {
            judge_classes(&prediction.classes(run)?, &prediction.outputs.names, truth, weight)
        }
        (Meaning::Values, Targets::Values(truth)) => {
            let scores = prediction.scores.to_dense(&run.memory)?;
            judge_values(&scores, prediction.outputs.names.len(), prediction.outputs.main(), truth, weight)
        }
        (meaning, targets) => Err(Error::size(
            "targets to judge by",
            format!("{} to match the model", meaning.word()),
            targets.type_name(),
        )),
    }
}

fn judge_classes(
    predicted: &[u32],
    known: &[String],
    truth: &Classes,
    weight: impl Fn(usize) -> f64,
) -> Result<Measures> {
    // Classes are matched by name: data may know others, or the same in another order.
    let mut names = known.to_vec();
    let mut place = |name: &String| match names.iter().position(|n| n == name) {
        Some(i) => i,
        None => {
            names.push(name.clone());
            names.len() - 1
        }
    };
    let recode: Vec<usize> = truth.names().iter().map(&mut place).collect();
    let mut counts = vec![vec![0.0; names.len()]; names.len()];
    let (mut total, mut right, mut rows) = (0.0, 0.0, 0);
    for (i, &p) in predicted.iter().enumerate() {
        let code = truth.codes()[i];
        if code == UNKNOWN {
            continue;
        }
        let t = recode[code as usize];
        counts[t][p as usize] += weight(i);
        total += weight(i);
        right += if t == p as usize { weight(i) } else { 0.0 };
        rows += 1;
    }
    some(rows, total)?;
    let accuracy = right / total;
    let values = vec![("accuracy", accuracy), ("error", 1.0 - accuracy)];
    Ok(Measures { values, confusion: Some(Confusion { names, counts }), rows })
}

fn judge_values(
    scores: &[f64],
    width: usize,
    main: usize,
    truth: &Values,
    weight: impl Fn(usize) -> f64,
) -> Result<Measures> {
    if main != truth.names().len() {
        return Err(Error::size("target values a row", main, truth.names().len()));
    }
    let n = scores.len() / width.max(1);
    let known: Vec<usize> = (0..n).filter(|&i| truth.row(i).iter().all(|y| !y.is_nan())).collect();
    let total: f64 = known.iter().map(|&i| weight(i)).sum::<f64>() * main as f64;
    some(known.len(), total)?;
    let mut sums = (0.0, 0.0, 0.0);
    for column in 0..main {
        let weights: f64 = known.iter().map(|&i| weight(i)).sum();
        let mean = known.iter().map(|&i| weight(i) * truth.row(i)[column]).sum::<f64>() / weights;
        for &i in &known {
            let (y, predicted) = (truth.row(i)[column], scores[i * width + column]);
            sums.0 += weight(i) * (y - predicted) * (y - predicted);
            sums.1 += weight(i) * (y - predicted).abs();
            sums.2 += weight(i) * (y - mean) * (y - mean);
        }
    }
    let mse = sums.0 / total;
    let mut values = vec![("mse", mse), ("rmse", mse.sqrt()), ("mae", sums.1 / total)];
    if sums.2 > 0.0 {
        values.push(("r2", 1.0 - sums.0 / sums.2));
    }
    Ok(Measures { values, confusion: None, rows: known.len() })
}

fn some(rows: usize, weight: f64) -> Result<()> {
    match rows > 0 && weight > 0.0 {
        true => Ok(()),
        false => Err(Error::size("rows with a known target and a weight", "at least 1", 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Link, Outputs, Points};

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| s.to_string()).collect()
    }

    fn classes(scores: &[[f64; 2]], truth: &[Option<&str>], weights: Option<Vec<f64>>) -> Result<Measures> {
        let scores = Points::from_rows(scores).unwrap();
        let outputs = Outputs::classes(names(&["b", "a"]).into(), Link::None);
        let data = Dataset::new(scores.clone(), Targets::Classes(Classes::from_names(truth)));
        judge(&Prediction { scores, outputs }, &Dataset { weights, ..data }, &Run::quiet(1))
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
    fn values_by_definition() {
        // Residuals −½, 1½, −1 of weights 1, 2, ½ around a mean of 3; the last row is not known, the last column is extra.
        let scores = Points::from_rows(&[[1.5, 9.0], [2.0, 9.0], [6.0, 9.0], [7.0, 9.0]]).unwrap();
        let outputs = Outputs { extra: 1, ..Outputs::values(names(&["y", "variance"]).into()) };
        let truth = Targets::Values(Values::new(vec![1.0, 3.5, 5.0, f64::NAN], "y"));
        let data = Dataset { weights: Some(vec![1.0, 2.0, 0.5, 4.0]), ..Dataset::new(scores.clone(), truth) };
        let m = judge(&Prediction { scores: scores.clone(), outputs: outputs.clone() }, &data, &Run::quiet(1)).unwrap();
        assert_eq!(m.rows, 3);
        assert_eq!(m.get("mse"), Some(5.25 / 3.5));
        assert_eq!(m.get("mae"), Some(4.0 / 3.5));
        assert_eq!(m.get("r2"), Some(1.0 - 5.25 / 6.5));

        // Two values a row count together, each around its own mean; weights of 1 are no weights.
        let outputs = Outputs { extra: 0, ..outputs };
        let truth = Values::several(vec![1.0, 9.0, 3.0, 10.0, 5.0, 8.0, 7.0, 9.0], names(&["y", "z"])).unwrap();
        let data = Dataset::new(scores.clone(), Targets::Values(truth));
        let m = judge(&Prediction { scores, outputs }, &data, &Run::quiet(1)).unwrap();
        assert_eq!(m.get("mse"), Some((0.25 + 1.0 + 1.0 + 1.0 + 1.0) / 8.0));
        assert_eq!(m.get("mae"), Some((0.5 + 1.0 + 1.0 + 1.0 + 1.0) / 8.0));
        assert_eq!(m.get("r2"), Some(1.0 - 4.25 / (20.0 + 2.0)));
    }
}
