//! What a detector did on rows whose labels are known, in pictures and tables.

use crate::Block;
use crate::classes::{confusion_picture, curve_pair};
use crate::measures::measure_blocks;
use base::{Dataset, Prediction, Result, Run, Targets};
use evaluate::{Measures, precision_recall, roc};
use picture::{Picture, Series};

/// Measures with intervals, the confusion matrix where the detector decides, and the curves of its scores.
pub fn anomaly_blocks(
    prediction: &Prediction,
    data: &Dataset,
    measures: &Measures,
    run: &Run<'_>,
) -> Result<Vec<Block>> {
    let mut blocks = measure_blocks(prediction, data, measures, run)?;
    let mut pictures: Vec<Box<dyn Picture>> = vec![];
    pictures.extend(measures.confusion.as_ref().map(|c| Box::new(confusion_picture(c)) as Box<dyn Picture>));
    if let (Targets::Classes(truth), Some(name)) = (&data.targets, &measures.positive) {
        let width = prediction.outputs.names.len();
        let scores = prediction.scores.to_dense(&run.memory)?;
        let known: Vec<usize> = (0..data.len()).filter(|&i| truth.get(i).is_some()).collect();
        let of_row: Vec<f64> = known.iter().map(|&i| scores[i * width]).collect();
        let marks: Vec<bool> = known.iter().map(|&i| truth.get(i) == truth.positive()).collect();
        let weight = |k: usize| data.weight(known[k]);
        let series = |area: f64, x: Vec<f64>, y: Vec<f64>, steps: bool| {
            vec![Series { name: format!("{name} ({area:.3})"), x, y, steps, ..Series::default() }]
        };
        let (one, other) = (roc(&of_row, &marks, &weight)?, precision_recall(&of_row, &marks, &weight)?);
        let pair = curve_pair(series(one.area, one.x, one.y, false), series(other.area, other.x, other.y, true));
        pictures.extend(pair.into_iter().map(|l| Box::new(l) as Box<dyn Picture>));
    }
    blocks.push(Block::Pictures(pictures));
    Ok(blocks)
}
