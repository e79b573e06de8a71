//! What a classifier did on rows it has not seen, in pictures and tables.

use crate::Block;
use base::{Dataset, Error, Inputs, Link, Prediction, Result, Run, Targets};
use evaluate::{Measures, calibration, precision_recall, roc};
use picture::{Lines, Matrix, Picture, Reading, Reference, Series};

/// Classes shown in curves and examples at most.
const SHOWN: usize = 8;

/// Measures with intervals, the confusion matrix, curves, and examples of each kind of error.
pub fn class_blocks(prediction: &Prediction, data: &Dataset, measures: &Measures, run: &Run<'_>) -> Result<Vec<Block>> {
    let (Some(confusion), Targets::Classes(truth)) = (&measures.confusion, &data.targets) else {
        return Err(Error::size("targets of a report on classes", "classes", data.targets.type_name()));
    };
    let rows = measures.values.iter().map(|(name, value)| {
        let interval = match *name {
            "accuracy" | "error" => wilson(*value, measures.rows),
            _ => String::new(),
        };
        vec![name.to_string(), format!("{value:.4}"), interval]
    });
    let head = ["measure", "value", "95 % interval"].map(String::from).to_vec();
    let mut blocks = vec![Block::Table { head, rows: rows.collect() }];
    let mut pictures: Vec<Box<dyn Picture>> = vec![Box::new(Matrix {
        title: "Who was taken for whom".into(),
        row_label: "true".into(),
        column_label: "predicted".into(),
        rows: confusion.names.clone(),
        columns: confusion.names.clone(),
        values: confusion.counts.concat(),
        reading: Reading::Counts,
    })];
    pictures.extend(curves(prediction, data, run)?);
    blocks.push(Block::Pictures(pictures));
    let predicted = prediction.classes(run)?;
    let names = &prediction.outputs.names;
    let mut wrong: Vec<(String, String, Vec<usize>)> = vec![];
    for (row, &p) in predicted.iter().enumerate() {
        let Some(t) = truth.get(row) else { continue };
        let (t, p) = (&truth.names()[t], &names[p as usize]);
        if t == p {
            continue;
        }
        match wrong.iter_mut().find(|(a, b, _)| a == t && b == p) {
            Some((_, _, rows)) => rows.push(row),
            None => wrong.push((t.clone(), p.clone(), vec![row])),
        }
    }
    wrong.sort_by(|a, b| b.2.len().cmp(&a.2.len()).then((&a.0, &a.1).cmp(&(&b.0, &b.1))));
    if wrong.is_empty() {
        blocks.push(Block::Text("No row was taken for another class.".into()));
    } else {
        blocks.push(Block::Text("The most frequent errors, each with one of its rows:".into()));
        let rows = wrong.iter().take(SHOWN).map(|(t, p, rows)| {
            vec![t.clone(), p.clone(), rows.len().to_string(), rows[0].to_string(), example(data, rows[0])]
        });
        let head = ["true", "predicted", "rows", "first", "what it looks like"].map(String::from).to_vec();
        blocks.push(Block::Table { head, rows: rows.collect() });
    }
    Ok(blocks)
}

/// Some cells of a row.
fn example(data: &Dataset, row: usize) -> String {
    let Inputs::Table(table) = &data.inputs else { return String::new() };
    let cell = |c: &base::Column| {
        let text: String = c.cells.text(row).unwrap_or("missing".into()).chars().take(24).collect();
        format!("{} = {text}", c.name)
    };
    table.columns().iter().take(8).map(cell).collect::<Vec<_>>().join(", ")
}

/// ROC and precision-recall curves, class by class (two classes: the second), and calibration.
fn curves(prediction: &Prediction, data: &Dataset, run: &Run<'_>) -> Result<Vec<Box<dyn Picture>>> {
    let Targets::Classes(truth) = &data.targets else { return Ok(vec![]) };
    let (width, known) = (prediction.outputs.names.len(), prediction.outputs.main());
    let scores = prediction.scores.to_dense(&run.memory)?;
    let weight = |i: usize| data.weights.as_ref().map_or(1.0, |w| w[i]);
    let shown: Vec<usize> = if known == 2 { vec![1] } else { (0..known.min(SHOWN)).collect() };
    let (mut rocs, mut recalls, mut believed) = (vec![], vec![], vec![]);
    let probabilities = prediction.probabilities(run)?;
    for class in shown {
        let name = &prediction.outputs.names[class];
        let marks: Vec<bool> =
            (0..data.len()).map(|i| truth.get(i).is_some_and(|t| &truth.names()[t] == name)).collect();
        let score = |i: usize| match (&probabilities, prediction.outputs.link) {
            (Some(p), Link::Identity) => p[i * known + class],
            (Some(p), _) if known > 2 => p[i * known + class],
            _ if known == 2 => scores[i * width + class] - scores[i * width + 1 - class],
            _ => scores[i * width + class],
        };
        let of_class: Vec<f64> = (0..data.len()).map(score).collect();
        let Ok(curve) = roc(&of_class, &marks, &weight) else { continue };
        let label = format!("{name} ({:.3})", curve.area);
        rocs.push(Series { name: label, x: curve.x, y: curve.y, ..Series::default() });
        let curve = precision_recall(&of_class, &marks, &weight)?;
        let label = format!("{name} ({:.3})", curve.area);
        recalls.push(Series { name: label, x: curve.x, y: curve.y, steps: true, ..Series::default() });
        if let Some(p) = &probabilities {
            let p: Vec<f64> = (0..data.len()).map(|i| p[i * known + class].clamp(0.0, 1.0)).collect();
            let c = calibration(&p, &marks, &weight, 10)?;
            believed.push(Series { name: name.clone(), x: c.predicted, y: c.observed, ..Series::default() });
        }
    }
    let unit = Some((0.0, 1.0));
    let lines = |title: &str, x: &str, y: &str, series: Vec<Series>, reference: Reference, marks: bool| Lines {
        title: title.into(),
        x_label: x.into(),
        y_label: y.into(),
        series,
        x_range: unit,
        y_range: unit,
        reference,
        square: true,
        marks,
        ..Lines::default()
    };
    let all = [
        lines(
            "ROC (area)",
            "false positive rate",
            "true positive rate",
            rocs,
            Reference::Diagonal("chance".into()),
            false,
        ),
        lines("Precision and recall (area)", "recall", "precision", recalls, Reference::None, false),
        lines(
            "Calibration",
            "predicted probability",
            "observed share",
            believed,
            Reference::Diagonal("perfect".into()),
            true,
        ),
    ];
    Ok(all.into_iter().filter(|l| !l.series.is_empty()).map(|l| Box::new(l) as Box<dyn Picture>).collect())
}

/// Wilson's interval for a share of `n` rows.
fn wilson(share: f64, n: usize) -> String {
    let (z, n) = (1.959_963_984_540_054, n as f64);
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    format!("{:.4} to {:.4}", (middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        // statsmodels' proportion_confint(8, 10, method="wilson") gives 0.4901625 to 0.9433178.
        assert_eq!(wilson(0.8, 10), "0.4902 to 0.9433");
        assert_eq!(wilson(1.0, 5).split(' ').next_back(), Some("1.0000"));
    }
}
