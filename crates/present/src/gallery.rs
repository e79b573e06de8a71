//! Explanations side by side: several methods, several networks, in the ways that suit pictures, texts, tables and series.

use crate::Explanation;
use crate::explaining::{as_seen, as_text, cell};
use base::{Dataset, Error, Meaning, Prediction, Result, Run, Shape, Targets};
use explain::{Answer, Context, Method, Scored, Subject, Tuning, explain_many, suited, to_unit};
use interop::Model;
use picture::{Bars, Rgb, Seen, Strips, View};
use report::{Cell, CellText, Gallery, GalleryRow};

/// How pictures are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewOptions {
    /// The views; empty: all of small pictures, heat, mask and blend of large ones.
    pub views: Vec<View>,
    /// Whether roots are taken, so that small numbers are seen.
    pub root: bool,
    /// Segments that a mask keeps; none: 50, and no more than a quarter of them.
    pub best: Option<usize>,
    /// How far a blend is blurred, in pixels.
    pub sigma: f64,
}

impl Default for ViewOptions {
    fn default() -> Self {
        ViewOptions { views: vec![], root: false, best: None, sigma: 3.0 }
    }
}

/// Pixels of a picture that is shown in all views.
const SMALL: usize = 64 * 64;
/// Segments that a mask keeps at most, unless it is said how many.
const BEST: usize = 50;
/// Columns shown of a table.
const COLUMNS: usize = 10;

/// A view with its pixels, line by line.
pub type Viewed = (View, Vec<Rgb>);

impl ViewOptions {
    /// The views of pictures of that size.
    pub fn views_of(&self, (height, width): (usize, usize)) -> Vec<View> {
        match (self.views.is_empty(), height.saturating_mul(width) <= SMALL) {
            (false, _) => self.views.clone(),
            (true, true) => View::ALL.to_vec(),
            (true, false) => vec![View::Heat, View::Mask, View::Blend],
        }
    }

    /// The width and the pixels of each view of one row of an answer; none where it is no picture.
    pub fn pixels(
        &self,
        data: &Dataset,
        answer: &Answer,
        (row, k): (usize, usize),
        tuning: &Tuning,
        run: &Run<'_>,
    ) -> Result<Option<(usize, Vec<Viewed>)>> {
        let Some(Shape::Image { height, width, channels }) = answer.relevance.features.shape() else { return Ok(None) };
        let image = to_unit(&as_seen(data, answer, (row, k)));
        let mut own = vec![0.0; image.len()];
        answer.relevance.values.write_row(k, &mut own);
        let views = self.views_of((height, width));
        let segments = match views.contains(&View::Mask) {
            true => tuning.segments((height, width)).cut(&image, (height, width, channels), run)?.of,
            false => vec![],
        };
        let quarter = segments.iter().max().map_or(0, |s| s + 1).div_ceil(4);
        let seen = Seen {
            image: &image,
            relevance: &own,
            size: (height, width, channels),
            segments: &segments,
            best: self.best.unwrap_or(quarter.min(BEST)),
            sigma: self.sigma,
            root: self.root,
        };
        let all = views.into_iter().map(|view| Ok((view, seen.pixels(view)?))).collect::<Result<_>>()?;
        Ok(Some((width, all)))
    }
}

/// A network that takes part, with the data in its form.
pub struct GalleryEntry {
    /// What it is called.
    pub name: String,
    /// The model.
    pub model: Model,
    /// The data as it takes them; all entries have the same rows.
    pub data: Dataset,
}

/// What a gallery shows.
pub struct GalleryRequest<'a> {
    /// Rows, counted in the data.
    pub rows: &'a [usize],
    /// Their names, if they have any beside their number.
    pub names: &'a [Option<String>],
    /// The methods; empty: the one that suits the first network best.
    pub methods: &'a [Method],
    /// Which output; none: the class predicted for each row.
    pub output: Option<usize>,
    /// Settings of the methods.
    pub tuning: &'a Tuning,
    /// How pictures are shown.
    pub looking: &'a ViewOptions,
}

/// A gallery, what each method told of the first network, and what one should know.
pub struct GalleryPage {
    /// The gallery.
    pub gallery: Gallery,
    /// The explanations of the first network that are there.
    pub told: Vec<Explanation>,
    /// Why others are missing.
    pub notes: Vec<String>,
}

/// Explanations of some rows by several methods and networks. A method that cannot explain a network leaves its place
/// empty and says why, unless none can.
pub fn gallery(entries: &[GalleryEntry], asking: &GalleryRequest<'_>, run: &Run<'_>) -> Result<GalleryPage> {
    let first = entries.first().ok_or_else(|| Error::size("networks to look at", "at least 1", 0))?;
    let methods = match asking.methods {
        [] => vec![suited(&*first.model.machine)],
        some => some.to_vec(),
    };
    let mut exhibits: Vec<GalleryRow> = asking
        .rows
        .iter()
        .zip(asking.names)
        .map(|(row, name)| GalleryRow {
            title: name.as_ref().map_or_else(|| format!("row {row}"), |n| format!("row {row}, {n}")),
            truth: truth(&first.data, *row),
            ..GalleryRow::default()
        })
        .collect();
    let (mut told, mut notes, mut views, mut refused) = (vec![], vec![], vec![], None);
    for (e, entry) in entries.iter().enumerate() {
        let inputs = entry.data.inputs.select(asking.rows)?;
        let context = Context { tuning: asking.tuning.clone(), background: Some(&entry.data.inputs) };
        let answers = explain_many(&*entry.model.machine, &inputs, (&methods, asking.output), &context, run)?;
        let prediction = Prediction::of(&*entry.model.machine, &inputs, run)?;
        let name = if entries.len() > 1 { entry.name.clone() } else { String::new() };
        let mut lines = says(entry, asking, &answers, &prediction, run)?;
        lines.iter_mut().for_each(|line| line.network = name.clone());
        for answer in answers {
            let answer = match answer {
                Ok(answer) => answer,
                Err(why @ (Error::Unsupported { .. } | Error::Data { .. })) => {
                    notes.push(if name.is_empty() { format!("Left out: {why}") } else { format!("{name}: {why}") });
                    lines.iter_mut().for_each(|line| line.cells.push(Cell::Absent("does not fit".into())));
                    refused.get_or_insert(why);
                    continue;
                }
                Err(other) => return Err(other),
            };
            let whose = if name.is_empty() { String::new() } else { format!("{name}: ") };
            notes.extend(answer.warnings.iter().map(|warning| format!("{whose}Warning: {warning}")));
            for (k, line) in lines.iter_mut().enumerate() {
                let place = (asking.rows[k], k);
                let pixels = asking.looking.pixels(&entry.data, &answer, place, asking.tuning, run)?;
                if let Some((width, shown)) = &pixels {
                    views = shown.iter().map(|(view, _)| view.word().to_string()).collect();
                    exhibits[k].picture.get_or_insert_with(|| (*width, original(&entry.data, &answer, place)));
                }
                line.cells.push(match pixels {
                    Some((width, shown)) => Cell::Pixels(width, shown.into_iter().map(|(_, pixels)| pixels).collect()),
                    None => other_cell(&entry.data, &answer, place)?,
                });
            }
            if e == 0 {
                let prediction = prediction.clone();
                told.push(Explanation { rows: asking.rows.to_vec(), answer, prediction });
            }
        }
        exhibits.iter_mut().zip(lines).for_each(|(exhibit, line)| exhibit.lines.push(line));
    }
    if let (Some(why), true) = (refused, told.is_empty()) {
        return Err(why);
    }
    let mut words: Vec<String> = methods.iter().map(|m| m.word().to_string()).collect();
    // A method that explains none of the networks needs no column.
    for m in (0..words.len()).rev() {
        let empty = |line: &CellText| matches!(line.cells[m], Cell::Absent(_));
        if exhibits.iter().flat_map(|e| &e.lines).all(empty) {
            words.remove(m);
            exhibits.iter_mut().flat_map(|e| &mut e.lines).for_each(|line| _ = line.cells.remove(m));
        }
    }
    let networks: Vec<&str> = entries.iter().map(|e| e.name.as_str()).collect();
    let summary = format!("{} rows explained by {}: {}.", asking.rows.len(), words.join(", "), networks.join(", "));
    let title = "Explanations side by side".to_string();
    let gallery = Gallery { title, summary, methods: words, views, inputs: exhibits, notes: notes.clone() };
    Ok(GalleryPage { gallery, told, notes })
}

/// What a row truly is.
pub(crate) fn truth(data: &Dataset, row: usize) -> Option<String> {
    match &data.targets {
        Targets::Classes(classes) => classes.get(row).map(|c| classes.names()[c].clone()),
        Targets::Values(values) => values.row(row).first().filter(|v| !v.is_nan()).map(|v| base::number_text(*v)),
        _ => None,
    }
}

/// What a network says of each row: the class with its probability and the score that is explained, or its outputs.
fn says(
    entry: &GalleryEntry,
    asking: &GalleryRequest<'_>,
    answers: &[Result<Answer>],
    prediction: &Prediction,
    run: &Run<'_>,
) -> Result<Vec<CellText>> {
    let outputs = &prediction.outputs;
    let mut lines: Vec<CellText> = asking.rows.iter().map(|_| CellText::default()).collect();
    if outputs.meaning != Meaning::Classes {
        let mut scores = vec![0.0; outputs.names.len()];
        for (k, line) in lines.iter_mut().enumerate() {
            prediction.scores.write_row(k, &mut scores);
            line.says = outputs.names.iter().zip(&scores).take(3).map(|(n, s)| format!("{n} {s:.4}")).collect();
        }
        return Ok(lines);
    }
    let (classes, shares) = (prediction.classes(run)?, prediction.probabilities(run)?);
    let explained = answers.iter().flatten().next();
    let scores = explained.map(|answer| scores(entry, answers, answer, run)).transpose()?;
    for (k, line) in lines.iter_mut().enumerate() {
        let class = classes[k] as usize;
        line.says.push(outputs.names[class].clone());
        line.says.extend(shares.as_ref().map(|s| format!("probability {:.4}", s[k * outputs.main() + class])));
        if let (Some(answer), Some(scores)) = (explained, &scores) {
            let other = outputs.names.get(answer.outputs[k]).filter(|_| answer.outputs[k] != class);
            line.says.extend(other.map(|name| format!("explained: {name}")));
            line.says.push(format!("score {:.4}", scores[k]));
        }
        line.right = truth(&entry.data, asking.rows[k]).map(|t| t == outputs.names[class]);
    }
    Ok(lines)
}

/// The score of the output explained in each row, before a softmax: from the accounts of a method that keeps them, else
/// computed.
fn scores(entry: &GalleryEntry, answers: &[Result<Answer>], answer: &Answer, run: &Run<'_>) -> Result<Vec<f64>> {
    if let Some(balance) = answers.iter().flatten().find_map(|a| a.relevance.balance.as_ref()) {
        return Ok(balance.iter().map(|b| b.score).collect());
    }
    let subject = Subject::new(&*entry.model.machine);
    let mut distinct = answer.outputs.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let mut all = vec![0.0; answer.outputs.len()];
    for output in distinct {
        let own: Vec<usize> = (0..all.len()).filter(|&k| answer.outputs[k] == output).collect();
        let found = subject.score(output, false, run)?.values(&answer.points.select(&own)?, run)?;
        own.into_iter().zip(found).for_each(|(k, score)| all[k] = score);
    }
    Ok(all)
}

/// The picture itself.
fn original(data: &Dataset, answer: &Answer, place: (usize, usize)) -> Vec<Rgb> {
    let channels = match answer.relevance.features.shape() {
        Some(Shape::Image { channels, .. }) => channels.max(1),
        _ => 1,
    };
    let byte = |v: f64| (255.0 * v).round().clamp(0.0, 255.0) as u8;
    let pixel = |p: &[f64]| match *p {
        [r, g, b] => Rgb(byte(r), byte(g), byte(b)),
        _ => {
            let level = byte(p.iter().sum::<f64>() / p.len() as f64);
            Rgb(level, level, level)
        }
    };
    to_unit(&as_seen(data, answer, place)).chunks_exact(channels).map(pixel).collect()
}

/// What is no picture: a text with coloured words, a series with strips, a table with bars.
fn other_cell(data: &Dataset, answer: &Answer, place: (usize, usize)) -> Result<Cell> {
    let (relevance, (row, k)) = (&answer.relevance, place);
    let mut own = vec![0.0; relevance.values.columns()];
    relevance.values.write_row(k, &mut own);
    if let Some(Shape::Series { length, channels }) = relevance.features.shape()
        && length * channels == own.len()
    {
        let values = as_seen(data, answer, place);
        let series = (0..channels).map(|c| values.iter().skip(c).step_by(channels).copied().collect()).collect();
        let relevance = own.chunks_exact(channels.max(1)).map(|r| r.iter().sum()).collect();
        return Ok(Cell::Strips(Strips { title: String::new(), x_label: "moment".into(), series, relevance }));
    }
    if let Some((text, _)) = as_text(data, answer, place)? {
        return Ok(Cell::Words(text));
    }
    let mut order: Vec<usize> = (0..own.len()).filter(|&c| own[c] != 0.0).collect();
    order.sort_by(|&a, &b| own[b].abs().total_cmp(&own[a].abs()));
    order.truncate(COLUMNS);
    let name = |&c: &usize| {
        let name = relevance.features.name(c);
        match cell(&data.inputs, row, c, &name, &relevance.features).filter(|v| !v.is_empty()) {
            Some(value) => format!("{name} = {value}"),
            None => name,
        }
    };
    let names = order.iter().map(name).collect();
    let values = order.iter().map(|&c| own[c]).collect();
    Ok(Cell::Bars(Bars { x_label: "relevance".into(), names, values, signed: true, ..Bars::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Catalog, Classes, Features, Points, Seed};
    use explain::Question;
    use interop::Task;
    use pellucid::KNOWN;

    fn run() -> Run<'static> {
        Run { catalog: &KNOWN, ..Run::quiet(1) }
    }

    /// Small pictures, bright at the left or at the right, and a network that tells them apart.
    fn entry(name: &str, width: usize) -> GalleryEntry {
        let pixel = |i: usize| {
            let (row, x) = (i / (4 * width), i % width);
            let bright = (x < width / 2) == row.is_multiple_of(2);
            0.3 * Seed(4).at(i).unit() + if bright { 0.6 } else { 0.0 }
        };
        let points = Points::dense((0..40 * 4 * width).map(pixel).collect::<Vec<_>>(), 40, 4 * width).unwrap();
        let features = Features::unnamed(4 * width).shaped(Shape::Image { height: 4, width, channels: 1 }).unwrap();
        let names = ["left", "right"].map(String::from).to_vec();
        let targets = Targets::Classes(Classes::new((0..40).map(|i| i % 2).collect(), names).unwrap());
        let data = Dataset { features, ..Dataset::new(points, targets) };
        let fitted = KNOWN.learner("mlp").unwrap().fit(&data, None, &run()).unwrap();
        let model = Model { task: Some(Task::Classify), ..Model::of(fitted, base::Spec::named("mlp")) };
        GalleryEntry { name: name.into(), model, data }
    }

    #[test]
    fn a_gallery_of_methods_and_networks_agrees_with_single_answers() {
        let entries = [entry("small", 6), entry("wide", 8)];
        let (tuning, looking) = (Tuning { samples: 50, ..Tuning::default() }, ViewOptions::default());
        let methods = [Method::Gradient, Method::LrpComposite, Method::GradCam, Method::LrpZ];
        let names = [None, Some("b".to_string()), None];
        let asking = GalleryRequest {
            rows: &[0, 1, 5],
            names: &names,
            methods: &methods,
            output: None,
            tuning: &tuning,
            looking: &looking,
        };
        let hung = gallery(&entries, &asking, &run()).unwrap();
        let shown = &hung.gallery;
        assert_eq!((shown.methods.len(), shown.views.len(), shown.inputs.len()), (3, 6, 3));
        assert_eq!((hung.told.len(), hung.notes.len()), (3, 2), "no convolution, said for both networks");
        assert!(hung.notes.iter().all(|n| n.contains("grad-cam")), "{:?}", hung.notes);
        for (k, input) in shown.inputs.iter().enumerate() {
            assert_eq!(input.truth.as_deref(), Some(["left", "right", "right"][k]));
            assert_eq!(input.lines.iter().map(|l| l.network.as_str()).collect::<Vec<_>>(), ["small", "wide"]);
            assert_eq!(input.picture.as_ref().map(|(w, p)| (*w, p.len())), Some((6, 24)));
            for line in &input.lines {
                assert_eq!(line.right, Some(Some(&line.says[0]) == input.truth.as_ref()));
                assert!(line.says[1].starts_with("probability 0.") || line.says[1].starts_with("probability 1."));
                assert!(line.says[2].starts_with("score "));
                assert!(line.cells.iter().all(|c| matches!(c, Cell::Pixels(_, views) if views.len() == 6)));
            }
        }
        assert_eq!(shown.inputs[1].title, "row 1, b");
        // Each answer is what its method says alone, and the score is the one explained.
        let entry = &entries[0];
        for told in &hung.told {
            let method = Method::find(&told.answer.relevance.method).unwrap();
            let question = Question { method: Some(method), output: None };
            let alone =
                crate::explain_rows_with(&*entry.model.machine, &entry.data, &[0, 1, 5], question, &tuning, &run());
            let alone = alone.unwrap().answer;
            let numbers = |p: &Points| p.to_dense(&base::Memory::unlimited()).unwrap().to_vec();
            assert_eq!(numbers(&alone.relevance.values), numbers(&told.answer.relevance.values), "{method:?}");
            if let Some(balance) = &alone.relevance.balance {
                assert_eq!(shown.inputs[2].lines[0].says[2], format!("score {:.4}", balance[2].score));
            }
        }
        // Without accounts the score is computed, and is the same.
        let alone = GalleryRequest { methods: &[Method::Gradient], ..asking };
        let again = gallery(&entries[..1], &alone, &run()).unwrap();
        assert_eq!(again.gallery.inputs[2].lines[0].says, shown.inputs[2].lines[0].says);
        assert!(again.gallery.inputs[0].lines[0].network.is_empty(), "one network needs no name");
        let other = GalleryRequest { output: Some(0), ..alone };
        let said = gallery(&entries[..1], &other, &run()).unwrap().gallery.inputs[1].lines[0].says.clone();
        assert!(said.contains(&"explained: left".to_string()), "{said:?}");
        let none = GalleryRequest { methods: &[Method::GradCam], output: None, ..other };
        assert!(gallery(&entries, &none, &run()).err().unwrap().to_string().contains("grad-cam"));
    }

    #[test]
    fn views_suit_the_size() {
        let looking = ViewOptions::default();
        assert_eq!(looking.views_of((28, 28)).len(), 6);
        assert_eq!(looking.views_of((224, 224)), [View::Heat, View::Mask, View::Blend]);
        assert_eq!(ViewOptions { views: vec![View::Gray], ..looking }.views_of((224, 224)), [View::Gray]);
    }
}
