//! The kinds of errors a classifier makes, each with rows that show it.

use crate::Block;
use base::{Cells, Dataset, Inputs, Points, Prediction, Result, Run, Shape, Targets};
use picture::{ImageGrid, ImagePlot, Pixels};

/// Kinds of errors shown at most.
const KINDS: usize = 8;

/// Rows of one class that were taken for another.
struct Kind {
    truth: String,
    said: String,
    rows: Vec<usize>,
}

/// The most frequent kinds of errors: cells of a row for tables, pictures for pictures.
pub(crate) fn example_blocks(prediction: &Prediction, data: &Dataset, run: &Run<'_>) -> Result<Vec<Block>> {
    let kinds = kinds(prediction, data, run)?;
    if kinds.is_empty() {
        return Ok(vec![Block::Text("No row was misclassified.".into())]);
    }
    let text = match kinds.len() {
        n if n > KINDS => format!("The {KINDS} most frequent of {n} kinds of errors, each with one of its rows:"),
        _ => "All kinds of errors, each with one of its rows:".to_string(),
    };
    let mut blocks = vec![Block::Text(text)];
    let shown = || kinds.iter().take(KINDS);
    let images: Vec<ImagePlot> = shown().filter_map(|k| image(data, k)).collect();
    let looks = |k: &Kind| cells(data, k.rows[0]);
    let with_looks = images.is_empty() && shown().any(|k| !looks(k).is_empty());
    let mut head = ["true", "predicted", "rows", "first row"].map(String::from).to_vec();
    head.extend(with_looks.then(|| "what it looks like".to_string()));
    let row = |k: &Kind| {
        let mut row = vec![k.truth.clone(), k.said.clone(), k.rows.len().to_string(), k.rows[0].to_string()];
        row.extend(with_looks.then(|| looks(k)));
        row
    };
    blocks.push(Block::Table { head, rows: shown().map(row).collect() });
    if !images.is_empty() {
        let title = "Misclassified: true, predicted".to_string();
        blocks.push(Block::Pictures(vec![Box::new(ImageGrid { title, images, columns: 4, shared: false })]));
    }
    Ok(blocks)
}

/// All kinds of errors, the most frequent first.
fn kinds(prediction: &Prediction, data: &Dataset, run: &Run<'_>) -> Result<Vec<Kind>> {
    let Targets::Classes(truth) = &data.targets else { return Ok(vec![]) };
    let predicted = prediction.classes(run)?;
    let mut found = std::collections::BTreeMap::<(&String, &String), Vec<usize>>::new();
    for (row, &p) in predicted.iter().enumerate() {
        let Some(t) = truth.get(row) else { continue };
        let (t, p) = (&truth.names()[t], &prediction.outputs.names[p as usize]);
        if t != p {
            found.entry((t, p)).or_default().push(row);
        }
    }
    let kind = |((t, p), rows): ((&String, &String), Vec<usize>)| Kind { truth: t.clone(), said: p.clone(), rows };
    let mut kinds: Vec<Kind> = found.into_iter().map(kind).collect();
    kinds.sort_by_key(|k| std::cmp::Reverse(k.rows.len())); // Stable: equals stay in the order of their names.
    Ok(kinds)
}

/// Some cells of a row in words; nothing for points and pictures.
fn cells(data: &Dataset, row: usize) -> String {
    let Inputs::Table(table) = &data.inputs else { return String::new() };
    let cell = |c: &base::Column| {
        let text: String = c.cells.text(row).unwrap_or("missing".into()).chars().take(24).collect();
        format!("{} = {text}", c.name)
    };
    let plain = table.columns().iter().filter(|c| !matches!(c.cells, Cells::Image(_)));
    plain.take(8).map(cell).collect::<Vec<_>>().join(", ")
}

/// The first row of a kind as a picture, if it is one.
fn image(data: &Dataset, kind: &Kind) -> Option<ImagePlot> {
    let row = kind.rows[0];
    let (rows, columns, channels, values) = match &data.inputs {
        Inputs::Points(Points::Dense(dense)) => {
            let Some(Shape::Image { height, width, channels }) = data.features.shape() else { return None };
            (height, width, channels, dense.row(row).into_owned())
        }
        Inputs::Points(_) => return None,
        Inputs::Table(table) => {
            let images = table.columns().iter().find_map(|c| match &c.cells {
                Cells::Image(images) => Some(images),
                _ => None,
            })?;
            let image = images.get(row)?.as_ref()?;
            let values = image.values.get(0..image.values.len()).into_owned();
            (image.height, image.width, image.channels, values)
        }
    };
    let pixels = match channels {
        1 => Pixels::Gray { values, range: None },
        3 => {
            // Files hold 0 to 255 or 0 to 1.
            let top = if values.iter().any(|v| *v > 1.0) { 255.0 } else { 1.0 };
            let byte = |v: f64| (255.0 * v / top).round().clamp(0.0, 255.0) as u8;
            Pixels::Rgb(values.chunks_exact(3).map(|p| [byte(p[0]), byte(p[1]), byte(p[2])]).collect())
        }
        _ => return None,
    };
    Some(ImagePlot { title: format!("{}, {}", kind.truth, kind.said), columns, rows, pixels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Classes, Features, Link, Outputs};

    #[test]
    fn errors_are_counted_by_kind_and_pictures_are_shown() {
        let codes = vec![0, 0, 0, 1, 1, 2];
        let said = [0, 1, 1, 1, 2, 2];
        let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let scores: Vec<[f64; 3]> =
            said.iter().map(|&s| std::array::from_fn(|c| f64::from(u8::from(c == s)))).collect();
        let outputs = Outputs::classes(names.clone().into(), Link::Identity);
        let prediction = Prediction { scores: Points::from_rows(&scores).unwrap(), outputs };
        let pixels: Vec<[f64; 4]> = (0..6).map(|i| [i as f64; 4]).collect();
        let targets = Targets::Classes(Classes::new(codes, names).unwrap());
        let mut data = Dataset::new(Points::from_rows(&pixels).unwrap(), targets);
        let run = Run::quiet(1);
        let blocks = example_blocks(&prediction, &data, &run).unwrap();
        let Block::Table { head, rows } = &blocks[1] else { panic!("a table") };
        assert_eq!((head.len(), blocks.len()), (4, 2));
        assert_eq!(rows[0], ["a", "b", "2", "1"]);
        assert_eq!(rows[1], ["b", "c", "1", "4"]);
        let shape = Shape::Image { height: 2, width: 2, channels: 1 };
        data.features = Features::unnamed(4).shaped(shape).unwrap();
        assert_eq!(example_blocks(&prediction, &data, &run).unwrap().len(), 3);
        let kind = Kind { truth: "a".into(), said: "b".into(), rows: vec![1] };
        assert_eq!(image(&data, &kind).unwrap().pixels, Pixels::Gray { values: vec![1.0; 4], range: None });
    }
}
