//! The measures with their intervals.

use crate::Block;
use base::{Dataset, Prediction, Result, Run, short_number as short};
use evaluate::{Measures, intervals};

/// Draws for the intervals; beyond some rows fewer, since the intervals are narrow then and judging takes long.
const DRAWS: usize = 400;
/// Draws times rows at most.
const WORK: usize = 8_000_000;
/// Fewer draws than these say nothing about 2.5 %.
const LEAST: usize = 100;

/// The table of measures; shares have Wilson's interval, all others that of the bootstrap.
pub(crate) fn measure_blocks(
    prediction: &Prediction,
    data: &Dataset,
    measures: &Measures,
    run: &Run<'_>,
) -> Result<Vec<Block>> {
    let draws = (WORK / data.len().max(1)).min(DRAWS);
    let found = match draws >= LEAST && measures.rows >= 10 {
        true => intervals(prediction, data, measures, draws, run)?,
        false => vec![None; measures.values.len()],
    };
    let row = |((name, value), drawn): (&(&str, f64), &Option<(f64, f64)>)| {
        let interval = match (*name, drawn) {
            ("accuracy" | "error", _) if data.weights.is_none() => Some(wilson(*value, measures.rows)),
            (_, drawn) => *drawn,
        };
        let text = interval.map_or(String::new(), |(low, high)| format!("{} to {}", short(low), short(high)));
        vec![measures.label(name), short(*value), text]
    };
    let rows = measures.values.iter().zip(&found).map(row).collect();
    let head = ["measure", "value", "95 % interval"].map(String::from).to_vec();
    let how = match found.iter().any(Option::is_some) {
        true => format!(
            "Intervals: Wilson's for accuracy and error, others from {draws} bootstrap samples of the evaluation \
                 rows. They hold for this fitted model on new rows from the same population."
        ),
        false => "Intervals are Wilson's; other measures have none with so few or so many rows.".to_string(),
    };
    let warnings = measures.warnings().into_iter().map(|w| Block::Text(format!("Warning: {w}.")));
    Ok(warnings.chain([Block::Table { head, rows }, Block::Text(how)]).collect())
}

/// Wilson's interval for a share of `n` rows.
fn wilson(share: f64, n: usize) -> (f64, f64) {
    let (z, n) = (1.959_963_984_540_054, n as f64);
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        // statsmodels' proportion_confint(8, 10, method="wilson") gives 0.4901625 to 0.9433178.
        let (low, high) = wilson(0.8, 10);
        assert!((low - 0.490_162_5).abs() < 1e-6 && (high - 0.943_317_8).abs() < 1e-6);
        assert_eq!(wilson(1.0, 5).1, 1.0);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.12345, -12.345, 123456.0, f64::NAN].map(short), ["0.1235", "-12.3450", "123456", "NaN"]);
    }
}
