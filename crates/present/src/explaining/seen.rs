//! Rows as people know them: cells in words, numbers in few digits, pictures as they came, texts with their words coloured.

use super::Explanation;
use base::{Cells, Dataset, Features, Inputs, Result, cell_number};
use explain::{Answer, words};
use picture::{ImagePlot, Pixels};

/// The numbers of a picture or series: as they came from the file where they are as many as relevance has, else as the
/// machine takes them. `row` counts in the data, `k` in the answer.
pub(crate) fn as_seen(data: &Dataset, answer: &Answer, (row, k): (usize, usize)) -> Vec<f64> {
    let mut pixels = vec![0.0; answer.relevance.values.columns()];
    match shown(data, row) {
        Some(values) if values.len() == pixels.len() => pixels = values,
        _ if answer.points.columns() == pixels.len() => answer.points.write_row(k, &mut pixels),
        _ => {}
    }
    pixels
}

/// A text with its words coloured, and all words with their relevance; none where columns are no words.
pub(crate) fn as_text(data: &Dataset, answer: &Answer, (row, k): (usize, usize)) -> Result<Option<Coloured>> {
    let (relevance, features) = (&answer.relevance, &answer.relevance.features);
    let Inputs::Table(table) = &data.inputs else { return Ok(None) };
    let width = relevance.values.columns();
    let named = (0..features.count()).any(|c| features.name(c).contains(':'));
    if answer.direct.values.columns() != width || !named {
        return Ok(None);
    }
    let (mut own, mut counts) = (vec![0.0; width], vec![0.0; width]);
    relevance.values.write_row(k, &mut own);
    answer.points.write_row(k, &mut counts);
    let all = words(&own, &counts, features)?;
    let text = table.columns().iter().find_map(|c| match &c.cells {
        Cells::Text(texts) => texts.get(row),
        _ => None,
    });
    Ok(Some((coloured(text.unwrap_or(""), &all), all)))
}

/// Pieces of a text with how much each has, and the words behind them.
type Coloured = (Vec<(String, f64)>, Vec<explain::Word>);

/// The number that the machine was given, where it was given this very column.
pub(super) fn direct(told: &Explanation, k: usize, c: usize) -> String {
    let points = &told.answer.points;
    if points.columns() != told.answer.relevance.values.columns() {
        return String::new();
    }
    let mut row = vec![0.0; points.columns()];
    points.write_row(k, &mut row);
    cell_number(row[c])
}

/// What stands in a column of a row, in words.
pub(crate) fn cell(inputs: &Inputs, row: usize, c: usize, name: &str, features: &Features) -> Option<String> {
    match inputs {
        Inputs::Table(table) => {
            let column = table.column(name)?;
            match &column.cells {
                Cells::Number(v) => v.get(row).map(|x| cell_number(*x)),
                cells => Some(cells.text(row).unwrap_or("missing".into()).chars().take(40).collect()),
            }
        }
        Inputs::Points(points) if points.columns() == features.count() => {
            let mut x = vec![0.0; points.columns()];
            points.write_row(row, &mut x);
            x.get(c).map(|x| cell_number(*x))
        }
        Inputs::Points(_) => None,
    }
}

/// The pixels of a row as they came from the file.
pub(super) fn shown(data: &Dataset, row: usize) -> Option<Vec<f64>> {
    match &data.inputs {
        Inputs::Points(points) => {
            let mut x = vec![0.0; points.columns()];
            points.write_row(row, &mut x);
            Some(x)
        }
        Inputs::Table(table) => table.columns().iter().find_map(|c| match &c.cells {
            Cells::Image(images) => images.get(row)?.as_ref().map(|i| i.values.get(0..i.values.len()).into_owned()),
            _ => None,
        }),
    }
}

pub(super) fn image_of(
    pixels: &[f64],
    (rows, columns, channels): (usize, usize, usize),
    title: &str,
) -> Option<ImagePlot> {
    let pixels = match channels {
        1 => Pixels::Gray { values: pixels.to_vec(), range: None },
        3 => {
            let top = if pixels.iter().any(|v| *v > 1.0) { 255.0 } else { 1.0 };
            let byte = |v: f64| (255.0 * v / top).round().clamp(0.0, 255.0) as u8;
            Pixels::Rgb(pixels.chunks_exact(3).map(|p| [byte(p[0]), byte(p[1]), byte(p[2])]).collect())
        }
        _ => return None,
    };
    Some(ImagePlot { title: title.into(), columns, rows, pixels })
}

/// A text with its words coloured: a word is found as it is, else by the longest beginning that is a (stemmed) word.
fn coloured(text: &str, words: &[explain::Word]) -> Vec<(String, f64)> {
    let present: std::collections::HashMap<&str, f64> =
        words.iter().filter(|w| w.present).map(|w| (w.word.as_str(), w.relevance)).collect();
    let piece = |token: &str| {
        let plain: String = token.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let beginnings = (3..=plain.chars().count()).rev().map(|n| plain.chars().take(n).collect::<String>());
        let found = present
            .get(plain.as_str())
            .copied()
            .or_else(|| beginnings.into_iter().find_map(|b| present.get(b.as_str()).copied()));
        (token.to_string(), found.unwrap_or(0.0))
    };
    text.split_whitespace().map(piece).collect()
}
