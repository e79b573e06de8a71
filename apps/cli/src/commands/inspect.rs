//! `pellucid inspect`: what a file is, in plain words.

use crate::arguments::Inspect;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::files::{self, Format};
use pellucid::{
    Cells, Dataset, Inputs, Meaning, Model, Points, Reason, Run, Spec, Target, Targets, Wanted, cell_number,
    choose_target, open_onnx, percent, plural, prepare_steps, reasons,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Inspect) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let how = arguments.reading.reading()?;
    let format = match how.format {
        Some(format) => format,
        None => files::format_of(&arguments.file, &run)?,
    };
    let (text, object) = match format {
        Format::Model => model(&Model::load(&arguments.file, &run)?),
        Format::SvmModel => {
            let (text, mut object) = model(&Model::load(&arguments.file, &run)?);
            object["kind"] = json!("libsvm-model");
            (text.replacen("a model:", "a model of LIBSVM:", 1), object)
        }
        Format::LinearModel => {
            let (text, mut object) = model(&Model::load(&arguments.file, &run)?);
            object["kind"] = json!("liblinear-model");
            (text.replacen("a model:", "a model of LIBLINEAR:", 1), object)
        }
        Format::Onnx => onnx(&arguments.file, &run)?,
        format => data(format, files::read(&arguments.file, &how, &run)?, arguments.all, &run)?,
    };
    terminal.clear();
    match arguments.running.json {
        true => show::say_json(&object)?,
        false => show::say(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn model(model: &Model) -> (String, Value) {
    let (inputs, outputs) = (model.machine.inputs(), model.machine.outputs());
    let support = model.machine.support();
    let names: Vec<String> = (0..inputs.count().min(20)).map(|i| inputs.name(i)).collect();
    let mut text = format!("a model: {} fitted on {} of {}\n", model.spec.name, plural(model.rows, "row"), model.data);
    text += &format!("settings: {}\n", model.settings().join(", "));
    if !model.spec.before.is_empty() {
        text += &format!("preparation: {}\n", model.preparation().join(", "));
    }
    let form = if inputs.table().is_some() { "table column" } else { "number" };
    text += &format!("takes {}: {}", plural(inputs.count(), form), names.join(", "));
    text += if inputs.count() > names.len() { ", ...\n" } else { "\n" };
    let main = &outputs.names[..outputs.main()];
    let shown = main.iter().take(20).map(String::as_str).collect::<Vec<_>>().join(", ");
    text += &format!(
        "gives {}: {shown}{}\n",
        outputs_text(main.len(), outputs.meaning),
        if main.len() > 20 { ", ..." } else { "" }
    );
    if let Some(target) = &model.target {
        text += &format!("target: {target}\n");
    }
    if let Some(class) = &model.positive {
        text += &format!("positive class: {class}\n");
    }
    if !model.options.is_empty() {
        let words: Vec<String> = model.options.iter().map(|w| pellucid::shell_word(w)).collect();
        text += &format!("fitted with: {}\n", words.join(" "));
    }
    text += &show::certificate(&model.certificate);
    text += &match &support {
        Some(s) => format!("privacy: {} can be read out of this file\n", plural(s.points, "training row")),
        None => "privacy: this file contains no training rows\n".to_string(),
    };
    if !model.fingerprint.is_empty() {
        let count = model.fingerprint.len();
        text += &format!(
            "  it contains {}: whoever has a row can test whether it was among the training rows\n",
            plural(count, "row hash")
        );
    }
    let object = json!({
        "kind": "model", "machine": model.spec.name, "rows": model.rows, "data": model.data,
        "settings": model.settings(), "preparation": model.preparation(), "target": model.target,
        "inputs": names, "outputs": outputs.names[..], "meaning": outputs.meaning.word(),
        "certificate": show::certificate_json(&model.certificate),
        "training_rows_kept": support.map_or(0, |s| s.points), "row_hashes_kept": model.fingerprint.len(),
        "positive": model.positive, "options": model.options,
    });
    (text, object)
}

/// A model of another tool: what the file holds, and what it is as a machine, if it can be one.
fn onnx(path: &Path, run: &Run<'_>) -> Result<(String, Value), Trouble> {
    let parts = open_onnx(path, run)?;
    let graph = &parts.before.graph;
    let producer = match parts.before.producer.as_str() {
        "" => "an unknown program".to_string(),
        name => name.to_string(),
    };
    let version = parts.before.opset;
    let mut text = format!("an ONNX model, written by {producer} (opset {version})\n");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    graph.nodes().iter().for_each(|node| *counts.entry(node.op.word()).or_default() += 1);
    let counted = counts.iter().map(|(op, n)| format!("{n} {op}")).collect::<Vec<_>>().join(", ");
    let numbers: usize = graph.weights().iter().map(|w| w.tensor.numbers().len()).sum();
    let trained: usize = graph.weights().iter().filter(|w| w.trained).map(|w| w.tensor.numbers().len()).sum();
    text += &format!(
        "network: {}, {} and {}\n",
        plural(graph.nodes().len(), "operation"),
        plural(trained, "weight"),
        plural(numbers - trained, "other number")
    );
    text += &if counted.is_empty() { String::new() } else { format!("  {counted}\n") };
    for node in &parts.after {
        text += &format!("then: {}\n", node.op);
    }
    let mut inputs = vec![];
    for input in graph.inputs() {
        let sizes: Vec<String> = input.shape.iter().map(|n| n.map_or("any".into(), |n| n.to_string())).collect();
        let line = format!("{} ({}, {})", input.name, input.element.word(), sizes.join(" x "));
        text += &format!("input: {line}\n");
        inputs.push(line);
    }
    for (key, value) in &parts.before.metadata {
        let short: String = value.chars().take(60).collect();
        text += &format!("metadata: {key} = {short}{}\n", if short.len() < value.len() { "..." } else { "" });
    }
    parts.before.notes.iter().for_each(|note| text += &format!("note: {note}\n"));
    let names: Vec<&str> = graph.nodes().iter().map(|n| n.name.as_str()).collect();
    text +=
        &format!("nodes: {}{}\n", names[..names.len().min(12)].join(", "), if names.len() > 12 { ", ..." } else { "" });
    let machine = Model::load(path, run).map(|model| {
        let (inputs, outputs) = (model.machine.inputs(), model.machine.outputs());
        let shape = inputs.shape().map_or(String::new(), |shape| format!(", {shape}"));
        let shown: Vec<&str> = outputs.names.iter().take(20).map(String::as_str).collect();
        let more = if outputs.names.len() > 20 { ", ..." } else { "" };
        let takes = format!("{}{shape}", plural(inputs.count(), "number"));
        (takes, format!("{}: {}{more}", outputs_text(outputs.names.len(), outputs.meaning), shown.join(", ")))
    });
    let mut object = json!({
        "kind": "onnx", "producer": producer, "opset": version, "operations": counts, "inputs": inputs,
        "weights": trained, "nodes": names, "after": parts.after.iter().map(|n| n.op.as_str()).collect::<Vec<_>>(),
        "metadata": parts.before.metadata.iter().cloned().collect::<BTreeMap<_, _>>(), "notes": parts.before.notes,
    });
    match machine {
        Ok((takes, gives)) => {
            text += &format!("as a machine it takes {takes}\n  and gives {gives}\n");
            object["takes"] = json!(takes);
            object["gives"] = json!(gives);
        }
        Err(why) => text += &format!("it cannot be used as a machine: {why}\n"),
    }
    Ok((text, object))
}

/// How many outputs of which meaning a model has.
fn outputs_text(n: usize, meaning: Meaning) -> String {
    match meaning {
        Meaning::Classes => plural(n, "class"),
        Meaning::Values => plural(n, "value"),
        other => format!("{} ({})", plural(n, "output"), other.word()),
    }
}

/// Columns that are described before the rest is counted.
const SHOWN: usize = 40;

fn data(format: Format, mut data: Dataset, all: bool, run: &Run<'_>) -> Result<(String, Value), Trouble> {
    let (rows, width) = (plural(data.len(), "row"), plural(data.inputs.columns(), "column"));
    let mut text = format!("data ({}): {rows}, {width}\n", format.word());
    let mut columns = vec![];
    match &data.inputs {
        Inputs::Table(table) => {
            let shown = if all { usize::MAX } else { SHOWN };
            let mut rest: BTreeMap<&str, usize> = BTreeMap::new();
            for (i, column) in table.columns().iter().enumerate() {
                let (line, object) = described(&column.name, &column.cells);
                match i < shown {
                    true => text += &line,
                    false => *rest.entry(column.cells.type_name()).or_default() += 1,
                }
                columns.push(object);
            }
            if !rest.is_empty() {
                let kinds: Vec<String> = rest.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
                text += &format!(
                    "  and {} more: {} (--all shows them)\n",
                    plural(rest.values().sum(), "column"),
                    kinds.join(", ")
                );
            }
        }
        Inputs::Points(points) => {
            let form = match points {
                Points::Dense(_) => "dense".to_string(),
                Points::Sparse(s) => {
                    let cells = (s.len() * s.columns()).max(1) as f64;
                    format!("sparse, {} ({})", plural(s.entries(), "entry"), percent(s.entries() as f64 / cells))
                }
            };
            let missing = if points.check(false, |c| c.to_string()).is_ok() {
                "no missing values"
            } else {
                "with missing values"
            };
            text += &format!("numbers: {form}, {missing}\n");
            if let Some(shape) = data.features.shape() {
                text += &format!("each row: {shape}\n");
            }
            columns.push(json!({ "form": form, "gaps": missing }));
        }
    }
    let targets = targets(&data.targets);
    if !targets.is_empty() {
        text += &format!("targets: {targets}\n");
    }
    let (memory, rows, width) = (run.memory.peak(), data.len(), data.inputs.columns());
    let (told, target, reasons) = prepared(&mut data)?;
    text += &told;
    let object = json!({
        "kind": "data", "format": format.word(), "rows": rows, "columns": width,
        "details": columns, "targets": targets, "bytes": memory,
        "auto": { "target": target, "steps": show::reasons_json(&reasons) },
    });
    Ok((text, object))
}

/// What `fit` would do to the data before a machine that needs a target sees them.
fn prepared(data: &mut Dataset) -> Result<(String, Option<String>, Vec<Reason>), Trouble> {
    let target = match &data.inputs {
        // Nobody predicts free text or an image because it comes last.
        Inputs::Table(table)
            if table.columns().last().is_none_or(|c| !matches!(c.cells, Cells::Number(_) | Cells::Category { .. })) =>
        {
            None
        }
        inputs if inputs.columns() < 2 => None,
        _ => choose_target(data, &Target::Auto, Wanted::Either, None, &Run::quiet(1))?,
    };
    if data.is_empty() {
        return Ok((String::new(), target, vec![]));
    }
    let steps: Vec<Spec> = prepare_steps("auto", data, None)?.into_iter().map(|(spec, _)| spec).collect();
    let reasons = reasons(&steps, data);
    let told = show::reasons(&reasons);
    let mut beside = target.as_ref().map_or(String::new(), |t| format!(" if {t:?} is the target"));
    if steps.iter().any(|step| step.name == "impute" || step.name == "scale") {
        beside += " (trees and forests need neither impute nor scale)";
    }
    Ok((told.replacen("preparation:", &format!("--prepare auto{beside}:"), 1), target, reasons))
}

fn described(name: &str, cells: &Cells) -> (String, Value) {
    let missing = cells.missing();
    let detail = match cells {
        Cells::Number(v) => {
            let present = || v.iter().copied().filter(|x| !x.is_nan());
            let (low, high) = (present().fold(f64::INFINITY, f64::min), present().fold(f64::NEG_INFINITY, f64::max));
            let count = present().count();
            let mean = present().sum::<f64>() / count.max(1) as f64;
            match count {
                0 => "no values".to_string(),
                _ => format!("{} to {}, mean {}", cell_number(low), cell_number(high), cell_number(mean)),
            }
        }
        Cells::Category { levels, .. } => {
            let some = levels.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(", ");
            format!("{}: {some}{}", plural(levels.len(), "level"), if levels.len() > 6 { ", ..." } else { "" })
        }
        Cells::Text(t) | Cells::Id(t) => {
            let example: String = t.iter().flatten().next().unwrap_or("").chars().take(40).collect();
            format!("such as {example:?}")
        }
        Cells::Date(v) => {
            let present = || v.iter().copied().filter(|x| !x.is_nan());
            let (low, high) = (present().fold(f64::INFINITY, f64::min), present().fold(f64::NEG_INFINITY, f64::max));
            let moment = |x: f64| files::date_text(x).unwrap_or_else(|| show::short(x));
            match present().count() {
                0 => "no values".to_string(),
                _ => format!("{} to {}", moment(low), moment(high)),
            }
        }
        Cells::Image(_) => (0..cells.len()).find_map(|r| cells.text(r)).unwrap_or_default(),
    };
    let gaps = if missing > 0 { format!(", {missing} missing") } else { String::new() };
    let line = format!("  {name}: {}, {detail}{gaps}\n", cells.type_name());
    (line, json!({ "name": name, "type": cells.type_name(), "missing": missing, "detail": detail }))
}

fn targets(targets: &Targets) -> String {
    match targets {
        Targets::None => String::new(),
        Targets::Classes(c) => plural(c.names().len(), "class"),
        Targets::Values(v) => {
            let mut distinct: Vec<u64> = v.values().iter().map(|x| x.to_bits()).collect();
            distinct.sort_unstable();
            distinct.dedup();
            format!("{} ({})", v.names().join(", "), plural(distinct.len(), "distinct value"))
        }
        Targets::Sets(s) => {
            format!(
                "sets of {}, {:.2} per row",
                plural(s.names().len(), "label"),
                s.entries() as f64 / s.len().max(1) as f64
            )
        }
    }
}
