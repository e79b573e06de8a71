//! Why a model says what it says of some rows: relevance in the columns of the data, and a card for each row.
//!
//! What is typical for a row is the mean of a detector's support points by their part in it, brought back through the
//! preparation: what the columns of normal rows like this one hold. Nothing but the model file is needed.

use base::{
    Cells, Dataset, Features, Inputs, Machine, Meaning, Points, Prediction, Relevance, Result, Run, Shape, number_text,
};
use explain::{Answer, Means, OneClass, Over, Question, Tuning, explain_until, split, words};
use interop::Model;
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
        return different(&data.inputs, rows, most);
    }
    rows.truncate(most);
    Ok(rows)
}

/// Rows that are looked at for each that is picked, at most.
const LOOKED_AT: usize = 50;

/// The first rows that are no near copies of those before them; copies fill up what is lacking.
fn different(inputs: &Inputs, order: Vec<usize>, most: usize) -> Result<Vec<usize>> {
    let near: Vec<usize> = order.into_iter().take(most.saturating_mul(LOOKED_AT)).collect();
    let some = inputs.select(&near)?;
    let (mut picked, mut copies) = (vec![], vec![]);
    for k in 0..near.len() {
        match picked.iter().any(|&p| alike(&some, p, k)) {
            true => copies.push(k),
            false => picked.push(k),
        }
        if picked.len() == most {
            break;
        }
    }
    picked.extend(copies);
    picked.truncate(most);
    picked.sort_unstable();
    Ok(picked.into_iter().map(|k| near[k]).collect())
}

/// Whether two rows have the same in nearly all columns that say anything.
fn alike(inputs: &Inputs, a: usize, b: usize) -> bool {
    let (mut same, mut all) = (0usize, 0usize);
    let mut count = |equal: bool, nothing: bool| {
        all += usize::from(!nothing);
        same += usize::from(equal && !nothing);
    };
    match inputs {
        Inputs::Table(table) => {
            for column in table.columns() {
                match &column.cells {
                    Cells::Number(v) => {
                        let (x, y) = (v.get(a).copied().unwrap_or(0.0), v.get(b).copied().unwrap_or(0.0));
                        let close =
                            x == y || (x - y).abs() <= 1e-3 * x.abs().max(y.abs()) || (x.is_nan() && y.is_nan());
                        count(close, x == 0.0 && y == 0.0);
                    }
                    Cells::Image(_) | Cells::Id(_) => {}
                    cells => count(cells.text(a) == cells.text(b), false),
                }
            }
        }
        Inputs::Points(points) => {
            let (mut x, mut y) = (vec![0.0; points.columns()], vec![0.0; points.columns()]);
            points.write_row(a, &mut x);
            points.write_row(b, &mut y);
            x.iter().zip(&y).for_each(|(x, y)| count(x == y, *x == 0.0 && *y == 0.0));
        }
    }
    // Two of three columns in a narrow table are not near, nine of ten in any are.
    all > 0 && same * 10 >= all * 9 || (all >= 8 && same * 10 >= all * 8)
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

/// The same with settings of the method; what it learns from (patterns, references) is the data. Fewer rows are told where
/// time is up.
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
    let answer = explain_until(machine, &inputs, question, &means, run)?;
    // Time may have been up before all were done.
    let rows = &rows[..answer.outputs.len()];
    let prediction = Prediction::of(machine, &data.inputs.select(rows)?, run)?;
    Ok(Told { rows: rows.to_vec(), answer, prediction })
}

/// A card for each row that was explained, as a page.
pub fn cards(model: &Model, data: &Dataset, source: &str, told: &Told, run: &Run<'_>) -> Result<(Page, Vec<Card>)> {
    let machine = &*model.machine;
    let method = &told.answer.relevance.method;
    let summary = format!("{} explained by {method}, {} rows of {source}.", model.spec.name, told.rows.len());
    let summary = match &told.answer.note {
        Some(note) => format!("{summary} Relevance is {note}."),
        None => summary,
    };
    let summary = told.answer.warnings.iter().fold(summary, |all, warning| format!("{all} Warning: {warning}."));
    let normal = Normal::of(machine, &told.answer, run)?;
    let all = (0..told.rows.len()).map(|k| card(data, told, k, &normal)).collect::<Result<Vec<Card>>>()?;
    let again = (0..told.rows.len()).map(|k| card(data, told, k, &normal).map(Card::section));
    let sections: Vec<Section> = again.collect::<Result<_>>()?;
    Ok((Page { title: format!("Why: {}", model.spec.name), summary, sections }, all))
}

/// What normal rows look like, for each row explained.
struct Normal {
    /// The typical row.
    typical: Option<Inputs>,
    /// The nearest support points that are normal, up to [`NEAREST`] for each row.
    nearest: Option<Inputs>,
    /// Where those of each row begin, and the end of the last.
    starts: Vec<usize>,
}

/// Normal examples shown.
const NEAREST: usize = 3;
/// Support points that are looked at for them: those at the edge may be anomalies themselves.
const CANDIDATES: usize = 64;

impl Normal {
    fn of(machine: &dyn Machine, answer: &Answer, run: &Run<'_>) -> Result<Self> {
        let parts = split(machine);
        let Some(density) = parts.machine().density() else {
            return Ok(Normal { typical: None, nearest: None, starts: vec![] });
        };
        let detector = OneClass::new(&density, run)?;
        let (m, d) = (detector.support(), detector.columns());
        let (mut typical, mut near, mut starts) = (vec![], vec![], vec![0]);
        let mut u = vec![0.0; d];
        for i in 0..answer.points.len() {
            let mut shares = detector.squared_distances(&answer.points.slice(i..i + 1), run)?;
            let mut order: Vec<usize> = (0..m).collect();
            order.sort_by(|&a, &b| shares[a].total_cmp(&shares[b]));
            // A row of the training data may be among them: it is no example beside itself.
            let others: Vec<usize> = order.into_iter().filter(|&j| shares[j] > 0.0).take(CANDIDATES).collect();
            let scores = parts.machine().compute(&Inputs::Points(density.centres().select(&others)?), run)?;
            let mut line = vec![0.0; scores.columns()];
            let normal = others.iter().enumerate().filter(|(k, _)| {
                scores.write_row(*k, &mut line);
                line.first().is_some_and(|score| *score <= 0.0)
            });
            near.extend(normal.map(|(_, &j)| j).take(NEAREST));
            starts.push(near.len());
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
        Ok(Normal { typical: parts.restore(&typical, run)?, nearest: parts.restore(&nearest, run)?, starts })
    }
}

impl Normal {
    /// The examples beside a row.
    fn of_row(&self, k: usize) -> std::ops::Range<usize> {
        match self.starts.get(k..k + 2) {
            Some(&[from, to]) => from..to,
            _ => 0..0,
        }
    }
}

fn card(data: &Dataset, told: &Told, k: usize, normal: &Normal) -> Result<Card> {
    let (answer, row) = (&told.answer, told.rows[k]);
    let relevance = &answer.relevance;
    let mut own = vec![0.0; relevance.values.columns()];
    relevance.values.write_row(k, &mut own);
    let mut card = Card { title: format!("Row {row}"), facts: facts(data, told, k)?, ..Card::default() };
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
    card.examples = normal.of_row(k).filter_map(|e| example(normal.nearest.as_ref()?, e, &card)).collect();
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

fn facts(data: &Dataset, told: &Told, k: usize) -> Result<Vec<(String, String)>> {
    let outputs = &told.prediction.outputs;
    let mut scores = vec![0.0; outputs.names.len()];
    told.prediction.scores.write_row(k, &mut scores);
    let short = |x: f64| format!("{x:.4}");
    let mut facts = vec![];
    match outputs.meaning {
        Meaning::Classes => {
            let class = told.answer.outputs[k].min(scores.len() - 1);
            facts.push(("explained".to_string(), format!("{}, score {}", outputs.names[class], short(scores[class]))));
            let main = outputs.main();
            if let Some(all) = told.prediction.probabilities(&Run::quiet(0))?
                && let Some(p) = all.get(k * main + class)
            {
                facts.push(("probability".to_string(), short(*p)));
            }
        }
        _ => {
            for (name, score) in outputs.names.iter().zip(&scores) {
                let text = match name.as_str() {
                    "outlier_score" if *score > 0.0 => format!("{} (anomaly: score > 0)", short(*score)),
                    "outlier_score" => format!("{} (normal: score <= 0)", short(*score)),
                    "p_value" => format!("{} (the chance that a normal row is as strange)", short(*score)),
                    "quantile" => format!("{:.1} % of the training rows are less strange", 100.0 * score),
                    _ => short(*score),
                };
                facts.push((name.clone(), text));
            }
        }
    }
    if let Some(truth) = crate::gallery::truth(data, told.rows[k]) {
        facts.push(("true".to_string(), truth));
    }
    if let Some(b) = told.answer.relevance.balance.as_ref().and_then(|b| b.get(k)) {
        let text = format!(
            "{} {} = {} by columns + {} absorbed + {:.1e} lost",
            told.quantity(k),
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
    let support = told.answer.over == Over::Support;
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
    let data = Dataset::new(inputs.clone(), base::Targets::None);
    let one = |(e, place): (usize, usize)| image_of(&shown(&data, place)?, form, &format!("{}", e + 1));
    normal.of_row(k).enumerate().filter_map(one).collect()
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
    /// What the explained number of a row is called: `score of Adelie`, `log-odds of fraud`, `outlierness`.
    pub fn quantity(&self, k: usize) -> String {
        let names = &self.prediction.outputs.names;
        match (self.prediction.outputs.meaning, self.answer.outputs.get(k).and_then(|&c| names.get(c))) {
            (Meaning::Classes, Some(name)) => format!("{} of {name}", self.answer.quantity),
            _ => self.answer.quantity.to_string(),
        }
    }

    /// For detectors: whether a row is an anomaly, and how its outlier score stands to what is explained.
    pub fn verdict(&self, k: usize) -> Option<String> {
        let outputs = &self.prediction.outputs;
        let place = outputs.names.iter().position(|n| n == "outlier_score")?;
        let score = self.score(k, place)?;
        let what = if score > 0.0 { "anomaly" } else { "normal" };
        let explained = self.answer.relevance.balance.as_ref().and_then(|b| b.get(k)).map(|b| b.score);
        let relation = match explained {
            // Outlierness is −log g, the outlier score log ρ − log g: the threshold ρ is what lies between them. With a
            // kernel of heavy tails it is m/g, and the logarithm of their ratio is told.
            Some(o) if self.answer.quantity == "outlierness" => match self.threshold(k) {
                Some(threshold) if (score - (o - threshold)).abs() <= 1e-9 * o.abs().max(1.0) => {
                    format!(" = outlierness {o:.4} less its threshold {threshold:.4}")
                }
                _ => format!(", the logarithm of outlierness {o:.4} over its threshold {:.4}", o / score.exp()),
            },
            _ => String::new(),
        };
        Some(format!("{what}, outlier_score {score:.4}{relation}"))
    }

    /// Outlierness less the outlier score, where that is the same for the first rows.
    fn threshold(&self, k: usize) -> Option<f64> {
        let place = self.prediction.outputs.names.iter().position(|n| n == "outlier_score")?;
        let balance = self.answer.relevance.balance.as_ref()?;
        let at = |i: usize| Some(balance.get(i)?.score - self.score(i, place)?);
        let other = at(if k == 0 { 1 } else { 0 });
        let own = at(k)?;
        let same = |other: f64| (own - other).abs() <= 1e-9 * own.abs().max(1.0);
        (other.is_none_or(same)).then_some(own)
    }

    fn score(&self, k: usize, place: usize) -> Option<f64> {
        let mut scores = vec![0.0; self.prediction.outputs.names.len()];
        if k >= self.prediction.scores.len() {
            return None;
        }
        self.prediction.scores.write_row(k, &mut scores);
        scores.get(place).copied()
    }

    /// What stands in a column of the row explained, as it came from the file; empty where that is not known.
    pub fn value(&self, data: &Dataset, k: usize, column: usize) -> String {
        if self.answer.over == Over::Support {
            return String::new();
        }
        let features = &self.answer.relevance.features;
        let found = cell(&data.inputs, self.rows[k], column, &features.name(column), features);
        found.unwrap_or_else(|| direct(self, k, column))
    }

    /// What a column is called: pixels and moments by their place.
    pub fn column(&self, column: usize) -> String {
        let features = &self.answer.relevance.features;
        let name = features.name(column);
        match features.shape() {
            _ if self.answer.over == Over::Support => format!("training point {name}"),
            Some(Shape::Image { width, channels, .. }) if name.parse::<usize>().is_ok() => {
                let (place, channel) = (column / channels.max(1), column % channels.max(1));
                let of = if channels > 1 { format!(", channel {channel}") } else { String::new() };
                format!("pixel at row {}, column {}{of}", place / width.max(1), place % width.max(1))
            }
            _ => name,
        }
    }

    /// Relevance as data that can be written, one column for each thing told of.
    pub fn data(&self) -> Dataset {
        as_data(&self.answer.relevance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Catalog, Column, Table, Targets};
    use pellucid::{KNOWN, prepared};
    use std::sync::Arc;

    /// Rows around the origin, and behind them the given strange ones; eight columns.
    fn table(strange: &[[f64; 2]]) -> Dataset {
        let normal = (0..60).map(|i| [f64::from(i % 8), f64::from(i % 7)]);
        let rows: Vec<[f64; 2]> = normal.chain(strange.iter().copied()).collect();
        let column = |c: usize| Column {
            name: format!("x{c}"),
            cells: Cells::Number(rows.iter().map(|r| r[c % 2] + 10.0 * c as f64).collect::<Vec<_>>().into()),
        };
        Dataset::new(Table::new((0..8).map(column).collect()).unwrap(), Targets::None)
    }

    fn detector(data: &Dataset, run: &Run<'_>) -> Arc<dyn Machine> {
        let mut learner = KNOWN.learner("one-class-svm").unwrap();
        learner.set_text("nu", "0.2").unwrap();
        prepared("auto", data, learner).unwrap().1.fit(data, None, run).unwrap().machine
    }

    /// Anomalies of the training data are support vectors at their bound: neither they nor their like are normal.
    #[test]
    fn x15_examples_beside_an_anomaly_are_normal_and_not_itself() {
        let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
        let data = table(&[[40.0, 40.0], [41.0, 40.0], [40.0, 41.0], [-30.0, 25.0]]);
        let machine = detector(&data, &run);
        let scores = |inputs: &Inputs| {
            let found = Prediction::of(&*machine, inputs, &run).unwrap().scores;
            let dense = found.to_dense(&run.memory).unwrap();
            dense.chunks(found.columns()).map(|row| row[0]).collect::<Vec<f64>>()
        };
        let rows = strangest(&*machine, &data, 4, &run).unwrap();
        assert!(scores(&data.inputs.select(&rows).unwrap()).iter().all(|s| *s > 0.0), "these are anomalies");
        let told = explain_rows(&*machine, &data, &rows, Question::default(), &run).unwrap();
        let normal = Normal::of(&*machine, &told.answer, &run).unwrap();
        let examples = normal.nearest.as_ref().unwrap();
        // What was kept in the model is as normal as it says, but for the rounding of the way there and back.
        assert!(scores(examples).iter().all(|s| *s <= 1e-9), "{:?}", scores(examples));
        let (Inputs::Table(shown), Inputs::Table(all)) = (examples, &data.inputs) else { panic!("tables stay tables") };
        for (k, &row) in rows.iter().enumerate() {
            assert_eq!(normal.of_row(k).len(), NEAREST, "row {row}");
            for e in normal.of_row(k) {
                let far = |c: usize| {
                    let (Cells::Number(x), Cells::Number(y)) = (&shown.columns()[c].cells, &all.columns()[c].cells)
                    else {
                        panic!("numbers stay numbers")
                    };
                    (x[e] - y[row]).abs() > 5.0
                };
                assert!((0..8).any(far), "row {row} beside itself or another anomaly");
            }
        }
    }

    #[test]
    fn d42_the_strangest_rows_are_different_ones() {
        let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
        let mut strange = vec![[90.0, 90.0]; 12];
        strange.extend([[60.0, -50.0], [-50.0, 40.0]]);
        let data = table(&strange);
        // Fitted on normal rows, so that copies are as strange as they are far.
        let machine = detector(&table(&[]), &run);
        let found = strangest(&*machine, &data, 3, &run).unwrap();
        let mut kinds: Vec<usize> = found.iter().map(|&r| r.clamp(71, 99)).collect();
        kinds.sort_unstable();
        assert!(found.iter().all(|&r| r >= 60), "{found:?}");
        assert_eq!(kinds, [71, 72, 73], "one of the twelve copies and each of the others: {found:?}");
        // Where there are no others left, copies fill up, and none comes twice.
        let copies = data.select(&(60..72).collect::<Vec<_>>()).unwrap();
        let mut all = strangest(&*machine, &copies, 5, &run).unwrap();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 5);
    }
}
