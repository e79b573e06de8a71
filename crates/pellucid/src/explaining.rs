//! Why a model says what it says of some rows: relevance in the columns of the data, and a card for each row.
//!
//! What is typical for a row is the mean of a detector's support points by their part in it, brought back through the
//! preparation: what the columns of normal rows like this one hold. Nothing but the model file is needed.

use crate::Model;
use base::{
    Cells, Dataset, Features, Inputs, Machine, Meaning, Points, Prediction, Relevance, Result, Run, Shape, number_text,
};
use explain::{Answer, Means, OneClass, Question, Tuning, explain_with, split, words};
use picture::{Image, Pixels};
use report::{Card, Deviation, Heat, Page, Section};

/// An explanation of some rows.
pub struct Told {
    /// The rows' places in the data.
    pub rows: Vec<usize>,
    /// What was found.
    pub answer: Answer,
    /// The model's own scores of these rows.
    pub prediction: Prediction,
}

/// The rows that a detector finds strangest, the strangest first; the first rows for other machines.
pub fn strangest(machine: &dyn Machine, data: &Dataset, most: usize, run: &Run<'_>) -> Result<Vec<usize>> {
    let mut rows: Vec<usize> = (0..data.len()).collect();
    if machine.outputs().meaning == Meaning::Outlier {
        let prediction = Prediction::of(machine, &data.inputs, run)?;
        let width = prediction.scores.columns().max(1);
        let scores = prediction.scores.to_dense(&run.memory)?;
        rows.sort_by(|&a, &b| scores[b * width].total_cmp(&scores[a * width]));
    }
    rows.truncate(most);
    Ok(rows)
}

/// Explains these rows of data whose inputs have the model's form.
pub fn explain_rows(
    machine: &dyn Machine,
    data: &Dataset,
    rows: &[usize],
    question: Question,
    run: &Run<'_>,
) -> Result<Told> {
    explain_rows_with(machine, data, rows, question, &Tuning::default(), run)
}

/// The same with settings of the method; what it learns from (patterns, references) is the data.
pub fn explain_rows_with(
    machine: &dyn Machine,
    data: &Dataset,
    rows: &[usize],
    question: Question,
    tuning: &Tuning,
    run: &Run<'_>,
) -> Result<Told> {
    let inputs = data.inputs.select(rows)?;
    let means = Means { tuning: tuning.clone(), background: Some(&data.inputs) };
    let answer = explain_with(machine, &inputs, question, &means, run)?;
    let prediction = Prediction::of(machine, &inputs, run)?;
    Ok(Told { rows: rows.to_vec(), answer, prediction })
}

/// A card for each row that was explained, as a page.
pub fn cards(model: &Model, data: &Dataset, source: &str, told: &Told, run: &Run<'_>) -> Result<(Page, Vec<Card>)> {
    let machine = &*model.machine;
    let method = &told.answer.relevance.method;
    let summary = format!("{} explained by {method}, {} rows of {source}.", model.learner, told.rows.len());
    let summary = match &told.answer.note {
        Some(note) => format!("{summary} Relevance is {note}."),
        None => summary,
    };
    let normal = Normal::of(machine, &told.answer, run)?;
    let all = (0..told.rows.len()).map(|k| card(data, told, k, &normal)).collect::<Result<Vec<Card>>>()?;
    let again = (0..told.rows.len()).map(|k| card(data, told, k, &normal).map(Card::section));
    let sections: Vec<Section> = again.collect::<Result<_>>()?;
    Ok((Page { title: format!("Why: {}", model.learner), summary, sections }, all))
}

/// What normal rows look like, for each row explained.
struct Normal {
    /// The typical row.
    typical: Option<Inputs>,
    /// The nearest support points, [`NEAREST`] for each row.
    nearest: Option<Inputs>,
    count: usize,
}

/// Normal examples shown.
const NEAREST: usize = 3;

impl Normal {
    fn of(machine: &dyn Machine, answer: &Answer, run: &Run<'_>) -> Result<Self> {
        let parts = split(machine);
        let Some(density) = parts.machine().density() else {
            return Ok(Normal { typical: None, nearest: None, count: 0 });
        };
        let detector = OneClass::new(&density, run)?;
        let (m, d) = (detector.support(), detector.columns());
        let count = NEAREST.min(m);
        let (mut typical, mut near) = (vec![], vec![]);
        let mut u = vec![0.0; d];
        for i in 0..answer.points.len() {
            let mut shares = detector.squared_distances(&answer.points.slice(i..i + 1), run)?;
            let mut order: Vec<usize> = (0..m).collect();
            order.sort_by(|&a, &b| shares[a].total_cmp(&shares[b]));
            near.extend_from_slice(&order[..count]);
            detector.outlierness_at(&mut shares);
            let mut mean = vec![0.0; d];
            for (j, share) in shares.iter().enumerate().filter(|(_, s)| **s > 1e-12) {
                density.centres().write_row(j, &mut u);
                mean.iter_mut().zip(&u).for_each(|(m, u)| *m += share * u);
            }
            typical.extend(mean);
        }
        let typical = Points::dense(typical, answer.points.len(), d)?;
        let nearest = density.centres().select(&near)?;
        Ok(Normal { typical: parts.restore(&typical)?, nearest: parts.restore(&nearest)?, count })
    }
}

fn card(data: &Dataset, told: &Told, k: usize, normal: &Normal) -> Result<Card> {
    let (answer, row) = (&told.answer, told.rows[k]);
    let relevance = &answer.relevance;
    let mut own = vec![0.0; relevance.values.columns()];
    relevance.values.write_row(k, &mut own);
    let mut card = Card { title: format!("Row {row}"), facts: facts(told, k)?, ..Card::default() };
    let features = &relevance.features;
    if let Some(Shape::Image { height, width, channels }) = features.shape() {
        let pixels = as_seen(data, answer, (row, k));
        let by_place: Vec<f64> = own.chunks_exact(channels.max(1)).map(|c| c.iter().sum()).collect();
        if let Some(image) = image_of(&pixels, (height, width, channels), "") {
            card.picture = Some(Heat { image, relevance: by_place });
            card.pictures = near_pictures(normal, k, (height, width, channels));
        }
        return Ok(card);
    }
    if let Some((text, all)) = as_text(data, answer, (row, k))? {
        card.text = text;
        card.absent = all.iter().filter(|w| !w.present).take(15).map(|w| (w.word.clone(), w.relevance)).collect();
    }
    card.deviations = deviations(data, told, k, &own, normal);
    card.examples =
        (0..normal.count).filter_map(|e| example(normal.nearest.as_ref()?, k * normal.count + e, &card)).collect();
    Ok(card)
}

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

fn facts(told: &Told, k: usize) -> Result<Vec<(String, String)>> {
    let outputs = &told.prediction.outputs;
    let mut scores = vec![0.0; outputs.names.len()];
    told.prediction.scores.write_row(k, &mut scores);
    let short = |x: f64| format!("{x:.4}");
    let mut facts = vec![];
    match outputs.meaning {
        Meaning::Classes => {
            let class = told.answer.outputs[k].min(scores.len() - 1);
            facts.push(("explained".to_string(), format!("{}, score {}", outputs.names[class], short(scores[class]))));
        }
        _ => {
            for (name, score) in outputs.names.iter().zip(&scores) {
                let text = match name.as_str() {
                    "outlier_score" if *score > 0.0 => format!("{} (strange: above 0)", short(*score)),
                    "outlier_score" => format!("{} (normal: below 0)", short(*score)),
                    "p_value" => format!("{} (the chance that a normal row is as strange)", short(*score)),
                    "quantile" => format!("{:.1} % of the training rows are less strange", 100.0 * score),
                    _ => short(*score),
                };
                facts.push((name.clone(), text));
            }
        }
    }
    if let Some(b) = told.answer.relevance.balance.as_ref().and_then(|b| b.get(k)) {
        let text = format!(
            "{} = {} by columns + {} absorbed + {:.1e} lost",
            short(b.score),
            short(b.sum),
            short(b.absorbed),
            b.lost
        );
        facts.push((told.answer.relevance.method.clone(), text));
    }
    Ok(facts)
}

/// The columns of a row by falling size of their relevance.
fn deviations(data: &Dataset, told: &Told, k: usize, own: &[f64], normal: &Normal) -> Vec<Deviation> {
    let features = &told.answer.relevance.features;
    let mut order: Vec<usize> = (0..own.len()).filter(|&c| own[c] != 0.0).collect();
    order.sort_by(|&a, &b| own[b].abs().total_cmp(&own[a].abs()));
    order.truncate(40);
    let support = told.answer.relevance.method.contains("support");
    let one = |&c: &usize| {
        let name = features.name(c);
        let value = match support {
            true => String::new(),
            false => cell(&data.inputs, told.rows[k], c, &name, features).unwrap_or_else(|| direct(told, k, c)),
        };
        let typical = match (&normal.typical, support) {
            (Some(inputs), false) => beside(cell(inputs, k, c, &name, features).unwrap_or_default(), &value),
            _ => String::new(),
        };
        let name = if support { format!("training point {name}") } else { name };
        Deviation { name, value, typical, relevance: own[c] }
    };
    order.iter().map(one).collect()
}

/// A number that is nothing beside another, such as a mean of zeros and a weight of 1e-9, is 0.
fn beside(typical: String, value: &str) -> String {
    match (typical.parse::<f64>(), value.parse::<f64>()) {
        (Ok(a), Ok(b)) if a.abs() < 1e-6 * b.abs() => "0".into(),
        _ => typical,
    }
}

/// The number that the machine was given, where it was given this very column.
fn direct(told: &Told, k: usize, c: usize) -> String {
    let points = &told.answer.points;
    if points.columns() != told.answer.relevance.values.columns() {
        return String::new();
    }
    let mut row = vec![0.0; points.columns()];
    points.write_row(k, &mut row);
    in_few_digits(row[c])
}

fn in_few_digits(x: f64) -> String {
    let size = x.abs();
    match size {
        // What went through a scaler and back.
        _ if size < 1e-15 => "0".into(),
        _ if x == x.trunc() && size < 1e9 => number_text(x),
        _ if (1e-3..1e6).contains(&size) => number_text((x * 1e4).round() / 1e4),
        _ => format!("{x:.3e}"),
    }
}

/// What stands in a column of a row, in words.
pub(crate) fn cell(inputs: &Inputs, row: usize, c: usize, name: &str, features: &Features) -> Option<String> {
    match inputs {
        Inputs::Table(table) => {
            let column = table.column(name)?;
            match &column.cells {
                Cells::Number(v) => v.get(row).map(|x| in_few_digits(*x)),
                cells => Some(cells.text(row).unwrap_or("missing".into()).chars().take(40).collect()),
            }
        }
        Inputs::Points(points) if points.columns() == features.count() => {
            let mut x = vec![0.0; points.columns()];
            points.write_row(row, &mut x);
            x.get(c).map(|x| in_few_digits(*x))
        }
        Inputs::Points(_) => None,
    }
}

/// A normal example, in the columns that deviate most.
fn example(inputs: &Inputs, row: usize, card: &Card) -> Option<Vec<(String, String)>> {
    let cells: Vec<(String, String)> = match inputs {
        Inputs::Table(table) => {
            let wanted = card.deviations.iter().filter_map(|d| table.column(d.name.split(':').next().unwrap_or("")));
            let mut seen = vec![];
            wanted
                .filter(|c| {
                    let fresh = !seen.contains(&c.name);
                    seen.push(c.name.clone());
                    fresh
                })
                .take(8)
                .map(|c| {
                    let text = match &c.cells {
                        Cells::Number(v) => v.get(row).map(|x| in_few_digits(*x)),
                        cells => cells.text(row),
                    };
                    (c.name.clone(), text.unwrap_or("missing".into()).chars().take(160).collect())
                })
                .collect()
        }
        Inputs::Points(points) => {
            let mut x = vec![0.0; points.columns()];
            points.write_row(row, &mut x);
            let place = |d: &Deviation| d.name.parse::<usize>().ok().filter(|&c| c < x.len());
            card.deviations.iter().take(8).filter_map(|d| Some((d.name.clone(), in_few_digits(x[place(d)?])))).collect()
        }
    };
    (!cells.is_empty()).then_some(cells)
}

/// The pixels of a row as they came from the file.
fn shown(data: &Dataset, row: usize) -> Option<Vec<f64>> {
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

fn image_of(pixels: &[f64], (rows, columns, channels): (usize, usize, usize), title: &str) -> Option<Image> {
    let pixels = match channels {
        1 => Pixels::Gray { values: pixels.to_vec(), range: None },
        3 => {
            let top = if pixels.iter().any(|v| *v > 1.0) { 255.0 } else { 1.0 };
            let byte = |v: f64| (255.0 * v / top).round().clamp(0.0, 255.0) as u8;
            Pixels::Rgb(pixels.chunks_exact(3).map(|p| [byte(p[0]), byte(p[1]), byte(p[2])]).collect())
        }
        _ => return None,
    };
    Some(Image { title: title.into(), columns, rows, pixels })
}

fn near_pictures(normal: &Normal, k: usize, form: (usize, usize, usize)) -> Vec<Image> {
    let Some(inputs) = &normal.nearest else { return vec![] };
    let one = |e: usize| {
        let data = Dataset::new(inputs.clone(), base::Targets::None);
        image_of(&shown(&data, k * normal.count + e)?, form, &format!("{}", e + 1))
    };
    (0..normal.count).filter_map(one).collect()
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

/// Relevance as data that can be written: one column for each thing told of.
pub(crate) fn as_data(relevance: &Relevance) -> Dataset {
    let features = relevance.features.clone();
    Dataset { features, ..Dataset::new(relevance.values.clone(), base::Targets::None) }
}

impl Told {
    /// Relevance as data that can be written, one column for each thing told of.
    pub fn data(&self) -> Dataset {
        as_data(&self.answer.relevance)
    }
}
