//! What a classifier did on rows it has not seen, in pictures and tables.

use crate::examples::example_blocks;
use crate::measures::measure_blocks;
use crate::{Block, region_picture};
use base::{Dataset, Error, Link, Machine, Prediction, Result, Run, Targets};
use evaluate::{Confusion, Measures, calibration, precision_recall, roc};
use picture::{LinePlot, Matrix, MatrixReading, Picture, Reference, Series};

/// Classes shown in curves at most.
const SHOWN: usize = 8;

/// Measures with intervals, the confusion matrix, curves, regions, and examples of each kind of error.
pub fn class_blocks(
    machine: &dyn Machine,
    prediction: &Prediction,
    data: &Dataset,
    measures: &Measures,
    run: &Run<'_>,
) -> Result<Vec<Block>> {
    let Some(confusion) = &measures.confusion else {
        return Err(Error::size("targets of a report on classes", "classes", data.targets.type_name()));
    };
    let mut blocks = measure_blocks(prediction, data, measures, run)?;
    let mut pictures: Vec<Box<dyn Picture>> = vec![Box::new(confusion_picture(confusion))];
    pictures.extend(curves(prediction, data, run)?);
    pictures.extend(region_picture(machine, data, run)?.map(|p| Box::new(p) as Box<dyn Picture>));
    blocks.push(Block::Pictures(pictures));
    blocks.extend(example_blocks(prediction, data, run)?);
    Ok(blocks)
}

/// ROC and precision-recall curves, class by class (two classes: the positive one), and calibration.
fn curves(prediction: &Prediction, data: &Dataset, run: &Run<'_>) -> Result<Vec<Box<dyn Picture>>> {
    let Targets::Classes(truth) = &data.targets else { return Ok(vec![]) };
    let (width, known) = (prediction.outputs.names.len(), prediction.outputs.main());
    let scores = prediction.scores.to_dense(&run.memory)?;
    let weight = |i: usize| data.weight(i);
    let names = &prediction.outputs.names[..known];
    let positive = truth.positive().and_then(|c| names.iter().position(|n| *n == truth.names()[c]));
    let shown: Vec<usize> = if known == 2 { vec![positive.unwrap_or(1)] } else { (0..known.min(SHOWN)).collect() };
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
    let perfect = Reference::Diagonal("perfect".into());
    let [roc, recall] = curve_pair(rocs, recalls);
    let calibration = LinePlot {
        marks: true,
        ..unit_lines("Calibration", ["predicted probability", "observed frequency"], believed, perfect)
    };
    let all = [roc, recall, calibration];
    Ok(all.into_iter().filter(|l| !l.series.is_empty()).map(|l| Box::new(l) as Box<dyn Picture>).collect())
}

/// The pictures of ROC and precision-recall curves.
pub(crate) fn curve_pair(rocs: Vec<Series>, recalls: Vec<Series>) -> [LinePlot; 2] {
    let chance = Reference::Diagonal("chance".into());
    [
        unit_lines("ROC (area)", ["false positive rate", "true positive rate"], rocs, chance),
        unit_lines("Precision and recall (area)", ["recall", "precision"], recalls, Reference::None),
    ]
}

/// Lines in the unit square.
fn unit_lines(title: &str, [x, y]: [&str; 2], series: Vec<Series>, reference: Reference) -> LinePlot {
    LinePlot {
        title: title.into(),
        x_label: x.into(),
        y_label: y.into(),
        series,
        x_range: Some((0.0, 1.0)),
        y_range: Some((0.0, 1.0)),
        reference,
        square: true,
        ..LinePlot::default()
    }
}

/// The picture of a confusion matrix.
pub(crate) fn confusion_picture(confusion: &Confusion) -> Matrix {
    Matrix {
        title: "Confusion matrix".into(),
        row_label: "true".into(),
        column_label: "predicted".into(),
        rows: confusion.names.clone(),
        columns: confusion.names.clone(),
        values: confusion.counts.concat(),
        reading: MatrixReading::Counts,
    }
}
