//! `pellucid explain`: why a model says what it says of some rows.

use crate::arguments::Explain;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::explain::LayerRecord;
use pellucid::job::{self, DataSource, Explanations, Numbers};
use pellucid::picture::View;
use pellucid::{Cluster, Clusters, Dataset, Error, Explanation, Grouping, Run, ViewOptions, plural};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Rows told in words at most.
const SHOWN: usize = 20;

/// Runs the command.
pub fn run(arguments: &Explain) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let done = job(arguments, &run)?.run(&run)?;
    terminal.clear();
    let (data, json, output) = (&done.data, arguments.running.json, arguments.output.as_deref());
    match &done.explained {
        Explanations::Rows(told, layers) => {
            warn(told);
            if told.rows.len() < done.asked {
                show::warn(&format!("stopped: {} of {} rows were explained", told.rows.len(), done.asked));
            }
            tell_rows((told, layers.as_deref()), data, output, json)?;
        }
        Explanations::Gallery(hung) => {
            hung.told.iter().for_each(warn);
            tell_gallery(&hung.told, data, (output, arguments.also.is_empty()), json)?;
        }
        Explanations::Clusters(found) => {
            let Some(page) = &arguments.clusters else { return Ok(ExitCode::SUCCESS) };
            match json {
                true => show::say_json(&clusters_object(found, page))?,
                false => show::say(&clusters_text(found, page))?,
            }
        }
        Explanations::Numbers(numbers) => {
            numbers.warnings.iter().for_each(|warning| show::warn(warning));
            let Some(path) = output else { return Ok(ExitCode::SUCCESS) };
            tell_numbers(numbers, data, (path, done.asked), json)?;
        }
        Explanations::Unfinished(rows) => {
            let (all, path) = (done.asked, output.map(|p| p.display().to_string()).unwrap_or_default());
            let again =
                format!("{rows} of {all} rows are done and kept next to it; the same command with --resume continues");
            show::complain(&format!("{path} is incomplete: {again}"));
            return Ok(ExitCode::from(130));
        }
    }
    Ok(match done.unbalanced().filter(|_| arguments.running.strict) {
        Some(why) => {
            show::complain(&why);
            ExitCode::from(1)
        }
        None => ExitCode::SUCCESS,
    })
}

/// What the options ask for.
fn job(arguments: &Explain, run: &Run<'_>) -> Result<job::Explain, Error> {
    let (network, choice) = (&arguments.network, &arguments.looking);
    let source = DataSource {
        reading: arguments.reading.reading()?,
        target: arguments.target.clone(),
        ..DataSource::new(&arguments.data)
    };
    let views = choice.view.iter().filter_map(|word| View::from_word(word)).collect();
    let grouping = Grouping { side: arguments.places, ..Grouping::default() };
    let also = arguments.also.iter().map(|path| network.model(path, None, run));
    Ok(job::Explain {
        rows: arguments.rows.clone(),
        methods: arguments.method.clone(),
        class: arguments.class.clone(),
        settings: arguments.settings.clone(),
        also: also.collect::<Result<_, _>>()?,
        looking: ViewOptions { views, root: choice.root, best: choice.best, sigma: choice.blur },
        layers: arguments.layers,
        clusters: arguments.clusters.clone().map(|page| (page, grouping)),
        output: arguments.output.clone(),
        resume: arguments.resume,
        ..job::Explain::new(network.model(&arguments.model, None, run)?, source)
    })
}

/// One method, row by row.
fn tell_rows(
    (told, layers): (&Explanation, Option<&[LayerRecord]>),
    data: &Dataset,
    output: Option<&Path>,
    json: bool,
) -> Result<(), Trouble> {
    if json {
        let mut object = object(told, data, output);
        if let Some(layers) = layers {
            object["layers"] = layers.iter().map(layer_object).collect();
        }
        return show::say_json(&object);
    }
    show::say(&(text(told, data, output) + &layers.map_or(String::new(), |l| layers_text(l, &told.rows))))
}

/// Several methods; one alone is told as it always was.
fn tell_gallery(
    told: &[Explanation],
    data: &Dataset,
    (output, one_model): (Option<&Path>, bool),
    json: bool,
) -> Result<(), Trouble> {
    if json {
        let mut objects: Vec<Value> = told.iter().map(|told| object(told, data, output)).collect();
        let alone = objects.len() == 1 && one_model;
        let file = output.map(|f| f.display().to_string());
        return show::say_json(&if alone { objects.remove(0) } else { json!({ "methods": objects, "file": file }) });
    }
    told.iter().try_for_each(|told| show::say(&text(told, data, None)))?;
    output.map_or(Ok(()), |path| show::say(&format!("written: {}", path.display())))
}

/// What went to a file of numbers.
fn tell_numbers(numbers: &Numbers, data: &Dataset, (path, all): (&Path, usize), json: bool) -> Result<(), Trouble> {
    match (&numbers.first, json) {
        (Some(told), true) => {
            let mut object = object(told, data, Some(path));
            object["explained"] = json!(all);
            show::say_json(&object)
        }
        (Some(told), false) if told.rows.len() < all => {
            let method = &told.answer.relevance.method;
            show::say(&format!("method: {method} ({})\nwritten: {}\n", plural(all, "row"), path.display()))
        }
        (Some(told), false) => show::say(&text(told, data, Some(path))),
        (None, true) => show::say_json(&json!({ "explained": all, "file": path.display().to_string() })),
        (None, false) => show::say(&format!("written: {}\n", path.display())),
    }
}

fn layer_object(layer: &LayerRecord) -> Value {
    let numbers = |list: &[f64]| list.iter().map(|x| show::number(*x)).collect::<Vec<_>>();
    json!({
        "node": layer.node, "rule": layer.rule, "absorbed": numbers(&layer.absorbed), "lost": numbers(&layer.lost),
    })
}

/// Nodes that kept anything, row by row, from the score to the inputs.
fn layers_text(layers: &[LayerRecord], rows: &[usize]) -> String {
    let mut text = String::new();
    for (k, row) in rows.iter().enumerate().take(SHOWN) {
        text += &format!(
            "row {row}, relevance not passed on, from the score to the inputs:\n  {:>12}  {:>12}  rule      node\n",
            "absorbed", "lost"
        );
        for layer in layers.iter().filter(|l| l.absorbed[k] != 0.0 || l.lost[k] != 0.0) {
            let [absorbed, lost] = [layer.absorbed[k], layer.lost[k]].map(show::short);
            text += &format!("  {absorbed:>12}  {lost:>12}  {:<8}  {}\n", layer.rule, layer.node);
        }
    }
    text
}

/// The columns of one row with the most relevance.
fn most(told: &Explanation, k: usize, count: usize) -> Vec<(usize, f64)> {
    let relevance = &told.answer.relevance;
    let mut own = vec![0.0; relevance.values.columns()];
    relevance.values.write_row(k, &mut own);
    let mut order: Vec<usize> = (0..own.len()).filter(|&c| own[c] != 0.0).collect();
    order.sort_by(|&a, &b| own[b].abs().total_cmp(&own[a].abs()));
    order.truncate(count);
    order.into_iter().map(|c| (c, own[c])).collect()
}

/// Warns of attributions that are not what they seem.
fn warn(told: &Explanation) {
    told.answer.warnings.iter().for_each(|warning| show::warn(warning));
}

fn text(told: &Explanation, data: &Dataset, file: Option<&Path>) -> String {
    let relevance = &told.answer.relevance;
    let mut text = format!("method: {} ({})\n", relevance.method, plural(told.rows.len(), "row"));
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
            text += &format!(": {}", b.equation());
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
        text += &format!("and {}\n", plural(told.rows.len() - SHOWN, "more row"));
    }
    if let Some(file) = file {
        text += &format!("written: {}\n", file.display());
    }
    text
}

fn object(told: &Explanation, data: &Dataset, file: Option<&Path>) -> Value {
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

fn clusters_text(found: &Clusters, page: &Path) -> String {
    let mut text =
        format!("method: {}, {}, the most anomalous first\n", found.method, plural(found.clusters.len(), "cluster"));
    for (k, c) in found.clusters.iter().enumerate() {
        let rows: Vec<String> = c.examples.iter().map(usize::to_string).collect();
        text += &format!(
            "cluster {}: outlier score {:.2}, {} predicted as {} ({:.1} % of them), such as {}\n",
            k + 1,
            c.strange,
            plural(c.rows.len(), "row"),
            c.class,
            100.0 * c.share,
            rows.join(", ")
        );
    }
    text + &format!("written: {}\n", page.display())
}

fn clusters_object(found: &Clusters, page: &Path) -> Value {
    let cluster = |c: &Cluster| {
        let truths: Vec<Value> = c.truths.iter().map(|(name, count)| json!({ "class": name, "rows": count })).collect();
        json!({
            "class": c.class, "strangeness": show::number(c.strange), "share": show::number(c.share),
            "rows": c.rows, "truths": truths,
        })
    };
    let clusters: Vec<Value> = found.clusters.iter().map(cluster).collect();
    json!({ "method": found.method, "clusters": clusters, "file": page.display().to_string() })
}
