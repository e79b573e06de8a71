//! A card for each row that was explained: facts, the columns that say most, normal examples, pictures, coloured words.

use super::Explanation;
use super::normal::Normal;
use super::seen::{as_seen, as_text, cell, direct, image_of, shown};
use base::{Cells, Dataset, Inputs, Meaning, Result, Run, Shape, cell_number, percent, plural};
use explain::Over;
use interop::Model;
use picture::ImagePlot;
use report::{Card, Deviation, Heat, Page, Section};

/// A card for each row that was explained, as a page.
pub fn cards(
    model: &Model,
    data: &Dataset,
    source: &str,
    told: &Explanation,
    run: &Run<'_>,
) -> Result<(Page, Vec<Card>)> {
    let machine = &*model.machine;
    let method = &told.answer.relevance.method;
    let summary = format!("{} explained by {method}, {} of {source}.", model.spec.name, plural(told.rows.len(), "row"));
    let summary = match &told.answer.note {
        Some(note) => format!("{summary} Relevance is {note}."),
        None => summary,
    };
    let summary = told.answer.warnings.iter().fold(summary, |all, warning| format!("{all} Warning: {warning}."));
    let normal = Normal::of(machine, &told.answer, run)?;
    let all = (0..told.rows.len()).map(|k| card(data, told, k, &normal)).collect::<Result<Vec<Card>>>()?;
    let again = (0..told.rows.len()).map(|k| card(data, told, k, &normal).map(Card::section));
    let sections: Vec<Section> = again.collect::<Result<_>>()?;
    Ok((Page { title: format!("Explanations: {}", model.spec.name), summary, sections }, all))
}

fn card(data: &Dataset, told: &Explanation, k: usize, normal: &Normal) -> Result<Card> {
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

fn facts(data: &Dataset, told: &Explanation, k: usize) -> Result<Vec<(String, String)>> {
    let outputs = &told.prediction.outputs;
    let mut scores = vec![0.0; outputs.names.len()];
    told.prediction.scores.write_row(k, &mut scores);
    let short = base::short_number;
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
                    "p_value" => format!("{} (probability of a normal row being at least as anomalous)", short(*score)),
                    "quantile" => format!("{} of the training rows are less anomalous", percent(*score)),
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
        let text = format!("{} {}", told.quantity(k), b.equation());
        facts.push((told.answer.relevance.method.clone(), text));
    }
    Ok(facts)
}

/// The columns of a row by falling size of their relevance.
fn deviations(data: &Dataset, told: &Explanation, k: usize, own: &[f64], normal: &Normal) -> Vec<Deviation> {
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
                        Cells::Number(v) => v.get(row).map(|x| cell_number(*x)),
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
            card.deviations.iter().take(8).filter_map(|d| Some((d.name.clone(), cell_number(x[place(d)?])))).collect()
        }
    };
    (!cells.is_empty()).then_some(cells)
}

fn near_pictures(normal: &Normal, k: usize, form: (usize, usize, usize)) -> Vec<ImagePlot> {
    let Some(inputs) = &normal.nearest else { return vec![] };
    let data = Dataset::new(inputs.clone(), base::Targets::None);
    let one = |(e, place): (usize, usize)| image_of(&shown(&data, place)?, form, &format!("{}", e + 1));
    normal.of_row(k).enumerate().filter_map(one).collect()
}
