//! `pellucid explain`: why a model says what it says of some rows.

use crate::arguments::Explain;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::explain::{Layer, Method, Question, by_layer};
use pellucid::job::{self, Explaining, Source, unbalanced};
use pellucid::picture::{Look, Size, png};
use pellucid::{Dataset, Error, Model, Run, Told, cards, explain_rows_with, files};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Rows told in words at most.
const SHOWN: usize = 20;

/// Runs the command.
pub fn run(arguments: &Explain) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    for output in arguments.output.iter().chain(&arguments.clusters) {
        let read = arguments.also.iter().chain([&arguments.model, &arguments.data]);
        job::guard(output, &read.map(|p| p.as_path()).collect::<Vec<_>>())?;
    }
    let begun = begin(arguments, &run)?;
    let output = arguments.output.as_deref();
    let (several, ending) = (begun.methods.len() > 1 || !arguments.also.is_empty(), output.map(ending));
    if let Some(page) = &arguments.clusters {
        return super::clusters::run(arguments, &begun, page, &terminal, &run);
    }
    if numbers(arguments) {
        return super::relevance::run(arguments, &begun, &terminal, &run);
    }
    let looking = !arguments.looking.view.is_empty() || arguments.looking.root;
    if arguments.layers && (several || looking) {
        return Err(Error::parameter("layers", true, "takes one method, told in words or as JSON").into());
    }
    if several || looking || ending == Some("png") {
        return super::looking::run(arguments, &begun, &terminal, &run);
    }
    let question = Question { method: begun.methods.first().copied(), output: begun.output };
    let told = explain_rows_with(&*begun.model.machine, &begun.data, &begun.rows, question, &begun.tuning, &run)?;
    if let Some(path) = output {
        write(path, &begun.model, &begun.data, &arguments.data, &told, &run)?;
    }
    let layers = match arguments.layers {
        true => Some(layers(&begun, &told, &run)?),
        false => None,
    };
    terminal.clear();
    warn(&told);
    unfinished(&told, begun.rows.len());
    match arguments.running.json {
        true => {
            let mut object = object(&told, &begun.data, output);
            if let Some(layers) = &layers {
                object["layers"] = layers.iter().map(layer_object).collect();
            }
            show::say_json(&object)?;
        }
        false => show::say(
            &(text(&told, &begun.data, output) + &layers.map_or(String::new(), |l| layers_text(&l, &told.rows))),
        )?,
    }
    Ok(judged(arguments, unbalanced(&told)))
}

/// What each node kept of the rows that were told.
fn layers(begun: &Explaining, told: &Told, run: &Run<'_>) -> Result<Vec<Layer>, Error> {
    let method = Method::find(&told.answer.relevance.method)?;
    by_layer(&*begun.model.machine, &begun.data.inputs.select(&told.rows)?, (method, begun.output), &begun.tuning, run)
}

fn layer_object(layer: &Layer) -> Value {
    let numbers = |list: &[f64]| list.iter().map(|x| show::number(*x)).collect::<Vec<_>>();
    json!({
        "node": layer.node, "rule": layer.rule, "absorbed": numbers(&layer.absorbed), "lost": numbers(&layer.lost),
    })
}

/// Nodes that kept anything, row by row, from the score to the inputs.
fn layers_text(layers: &[Layer], rows: &[usize]) -> String {
    let mut text = String::new();
    for (k, row) in rows.iter().enumerate().take(SHOWN) {
        text += &format!(
            "row {row}, kept on the way from the score:\n  {:>12}  {:>12}  rule      node\n",
            "absorbed", "lost"
        );
        for layer in layers.iter().filter(|l| l.absorbed[k] != 0.0 || l.lost[k] != 0.0) {
            let [absorbed, lost] = [layer.absorbed[k], layer.lost[k]].map(show::short);
            text += &format!("  {absorbed:>12}  {lost:>12}  {:<8}  {}\n", layer.rule, layer.node);
        }
    }
    text
}

/// The exit code, with what is wrong said aloud under `--strict`.
pub(super) fn judged(arguments: &Explain, wrong: Option<String>) -> ExitCode {
    match wrong.filter(|_| arguments.running.strict) {
        Some(why) => {
            show::complain(&why);
            ExitCode::from(1)
        }
        None => ExitCode::SUCCESS,
    }
}

/// Whether numbers are to be written to a file.
fn numbers(arguments: &Explain) -> bool {
    arguments.output.as_deref().is_some_and(|p| matches!(ending(p), "npy" | "csv"))
}

fn begin(arguments: &Explain, run: &Run<'_>) -> Result<Explaining, Error> {
    let model = Model::load_with(&arguments.model, &arguments.network.reading(None, run)?, run)?;
    let asked = job::Explain {
        source: source(arguments)?,
        rows: arguments.rows.clone(),
        all: numbers(arguments) || arguments.clusters.is_some(),
        methods: arguments.method.clone(),
        output: arguments.class.clone(),
        settings: arguments.settings.clone(),
    };
    asked.begin(model, run)
}

/// The rows to explain.
pub(super) fn source(arguments: &Explain) -> Result<Source, Error> {
    let reading = arguments.reading.reading()?;
    Ok(Source { reading, target: arguments.target.clone(), ..Source::new(&arguments.data) })
}

pub(super) fn ending(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or("")
}

fn write(path: &Path, model: &Model, data: &Dataset, source: &Path, told: &Told, run: &Run<'_>) -> Result<(), Error> {
    let name = source.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    match ending(path) {
        "html" => {
            let (page, _) = cards(model, data, &name, told, run)?;
            let html = page.to_html()?;
            files::write_whole(path, |out| out.write_all(html.as_bytes()))
        }
        "" => {
            let folder = files::Folder::begin(path)?;
            files::write_data(&path.join("relevance.csv"), &told.data(), run)?;
            let (page, all) = cards(model, data, &name, told, run)?;
            let html = page.to_html()?;
            files::write_whole(&path.join("cards.html"), |out| out.write_all(html.as_bytes()))?;
            for (row, card) in told.rows.iter().zip(all) {
                let look = Look { size: Size { width: 480.0, height: 0.0 }, ..Look::default() };
                let bytes = png(&card.drawing().to_svg(&look)?, 2.0)?;
                files::write_whole(&path.join(format!("row-{row}.png")), |out| out.write_all(&bytes))?;
            }
            folder.finish()
        }
        _ => Err(Error::parameter("output", path.display(), "must end in .html, .png, .npy or .csv, or be a folder")),
    }
}

/// The columns of one row with the most relevance.
fn most(told: &Told, k: usize, count: usize) -> Vec<(usize, f64)> {
    let relevance = &told.answer.relevance;
    let mut own = vec![0.0; relevance.values.columns()];
    relevance.values.write_row(k, &mut own);
    let mut order: Vec<usize> = (0..own.len()).filter(|&c| own[c] != 0.0).collect();
    order.sort_by(|&a, &b| own[b].abs().total_cmp(&own[a].abs()));
    order.truncate(count);
    order.into_iter().map(|c| (c, own[c])).collect()
}

/// Warns of attributions that are not what they seem.
pub(super) fn warn(told: &Told) {
    told.answer.warnings.iter().for_each(|warning| show::warn(warning));
}

/// Says so if time was up before all rows were explained.
pub(super) fn unfinished(told: &Told, asked: usize) {
    if told.rows.len() < asked {
        show::warn(&format!("stopped: {} of {asked} rows were explained", told.rows.len()));
    }
}

pub(super) fn text(told: &Told, data: &Dataset, file: Option<&Path>) -> String {
    let relevance = &told.answer.relevance;
    let rows = told.rows.len();
    let mut text = format!("method: {} ({rows} {})\n", relevance.method, if rows == 1 { "row" } else { "rows" });
    if let Some(note) = &told.answer.note {
        text += &format!("note: {note}\n");
    }
    for (k, row) in told.rows.iter().enumerate().take(SHOWN) {
        text += &format!("row {row}");
        if let Some(verdict) = told.verdict(k) {
            text += &format!(": {verdict}\n  {}", told.quantity(k));
        } else {
            text += &format!(", {}", told.quantity(k));
        }
        if let Some(b) = relevance.balance.as_ref().and_then(|b| b.get(k)) {
            let numbers = [b.score, b.sum, b.absorbed, b.lost].map(show::short);
            text += &format!(
                ": {} = {} by columns + {} absorbed + {} lost",
                numbers[0], numbers[1], numbers[2], numbers[3]
            );
        }
        text.push('\n');
        let lines: Vec<[String; 3]> = most(told, k, 6)
            .into_iter()
            .map(|(c, r)| [told.column(c), told.value(data, k, c), show::short(r)])
            .collect();
        let wide = |place: usize| lines.iter().map(|l| l[place].chars().count()).max().unwrap_or(0);
        let (names, values) = (wide(0), wide(1));
        for [name, value, r] in &lines {
            let value = if values > 0 { format!("  {value:>values$}") } else { String::new() };
            text += &format!("  {name:<names$}{value}  {r:>12}\n");
        }
    }
    if told.rows.len() > SHOWN {
        text += &format!("and {} more rows\n", told.rows.len() - SHOWN);
    }
    if let Some(file) = file {
        text += &format!("written: {}\n", file.display());
    }
    text
}

pub(super) fn object(told: &Told, data: &Dataset, file: Option<&Path>) -> Value {
    let relevance = &told.answer.relevance;
    let row = |(k, row): (usize, &usize)| {
        let balance = relevance.balance.as_ref().and_then(|b| b.get(k)).map(|b| {
            let n = show::number;
            json!({ "score": n(b.score), "sum": n(b.sum), "absorbed": n(b.absorbed), "lost": n(b.lost) })
        });
        let columns: Vec<Value> = most(told, k, 20)
            .into_iter()
            .map(|(c, r)| {
                let (name, value) = (relevance.features.name(c), told.value(data, k, c));
                json!({ "column": name, "value": value, "relevance": show::number(r) })
            })
            .collect();
        json!({
            "row": row, "output": told.answer.outputs[k], "quantity": told.quantity(k), "verdict": told.verdict(k),
            "balance": balance, "most": columns,
        })
    };
    let rows: Vec<Value> = told.rows.iter().enumerate().map(row).collect();
    json!({
        "method": relevance.method, "note": told.answer.note, "warnings": told.answer.warnings, "rows": rows,
        "file": file.map(|f| f.display().to_string()),
    })
}
