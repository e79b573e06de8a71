//! What a regression did on rows it has not seen.

use crate::Block;
use crate::measures::measure_blocks;
use base::{Dataset, Error, Prediction, Result, Run, Targets};
use evaluate::Measures;
use picture::{Group, Histogram, ScatterPlot};

/// Points drawn at most; more would only overprint each other.
const POINTS: usize = 3000;

/// Measures, predicted over true values, and the residuals.
pub fn value_blocks(prediction: &Prediction, data: &Dataset, measures: &Measures, run: &Run<'_>) -> Result<Vec<Block>> {
    let Targets::Values(truth) = &data.targets else {
        return Err(Error::size("targets of a report on values", "values", data.targets.type_name()));
    };
    let mut blocks = measure_blocks(prediction, data, measures, run)?;
    let width = prediction.outputs.names.len();
    let scores = prediction.scores.to_dense(&run.memory)?;
    let step = data.len().div_ceil(POINTS).max(1);
    let pairs: Vec<[f64; 2]> = (0..data.len()).step_by(step).map(|i| [truth.row(i)[0], scores[i * width]]).collect();
    let finite = || pairs.iter().flatten().copied().filter(|x| x.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let name = &truth.names()[0];
    let residuals = pairs.iter().map(|p| p[0] - p[1]).collect();
    let scatter = ScatterPlot {
        title: "Predicted vs true".into(),
        x_label: format!("true {name}"),
        y_label: "predicted".into(),
        classes: vec![0; pairs.len()],
        names: vec!["rows".into()],
        lines: if low <= high { vec![vec![[low, low], [high, high]]] } else { vec![] },
        points: pairs,
        square: true,
        ..ScatterPlot::default()
    };
    let histogram = Histogram {
        title: "Residuals".into(),
        x_label: "true minus predicted".into(),
        groups: vec![Group { name: "rows".into(), values: residuals }],
        ..Histogram::default()
    };
    blocks.push(Block::Pictures(vec![Box::new(scatter), Box::new(histogram)]));
    Ok(blocks)
}
