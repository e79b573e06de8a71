//! `pellucid convert`: data or a model in another format.

use crate::arguments::Convert;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::files::{self, Format};
use pellucid::graph::Element;
use pellucid::job;
use pellucid::{
    Catalog, Error, KNOWN, Model, Run, SpecPart, Wanted, align, check_export, choose_target, export_linear,
    export_onnx, export_svm, is_linear, network, open_onnx, partly_prepared, plural, prepare_steps,
};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Convert) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let read = [Some(&arguments.input), arguments.on.as_ref()];
    job::guard(&arguments.output, &read.into_iter().flatten().map(|p| p.as_path()).collect::<Vec<_>>())?;
    let (text, object) = match files::format_of(&arguments.input, &run)? {
        Format::Model | Format::Onnx | Format::SvmModel | Format::LinearModel => model(arguments, &run)?,
        _ => rows(arguments, &run)?,
    };
    terminal.clear();
    match arguments.running.json {
        true => show::say_json(&object)?,
        false => show::say(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(arguments: &Convert, run: &Run<'_>) -> Result<(String, Value), Trouble> {
    let source = arguments.target.source(&arguments.input, &arguments.reading)?;
    let mut data = source.read(&source.reading, run)?;
    if source.target.is_some() {
        let target = source.target_in(&data, &source.reading, run)?;
        choose_target(&mut data, &target, Wanted::Either, source.task, run)?;
    }
    if let Some(steps) = &arguments.prepare {
        let chosen = prepare_steps(steps, &data, None)?;
        if let Some((spec, _)) = chosen.iter().find(|(_, step)| matches!(step, SpecPart::Wrapper(_))) {
            return Err(Error::parameter(
                "prepare",
                spec,
                "wraps a machine, and there is no machine here; leave this step out",
            )
            .into());
        }
        let words: Vec<String> = chosen.iter().map(|(spec, _)| spec.to_string()).collect();
        run.watch.note(&format!("preparation: {}", words.join(", ")));
        // What would follow the steps is not fitted.
        (data, _) = partly_prepared(steps, &data, KNOWN.learner("nearest-mean")?, run)?;
    }
    files::write_data(&arguments.output, &data, run)?;
    let (rows, columns) = (data.len(), data.inputs.columns());
    let file = arguments.output.display().to_string();
    Ok((
        format!("{}, {}: {file}", plural(rows, "row"), plural(columns, "column")),
        json!({ "rows": rows, "columns": columns, "file": file }),
    ))
}

fn model(arguments: &Convert, run: &Run<'_>) -> Result<(String, Value), Trouble> {
    if let Some(steps) = &arguments.prepare {
        return Err(Error::parameter("prepare", steps, "is for data; this is a model").into());
    }
    let ending = arguments.output.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let how = arguments.network.reading(arguments.target.task(), run)?;
    let file = arguments.output.display().to_string();
    match ending.as_str() {
        "onnx" => exported(arguments, &Model::load_with(&arguments.input, &how, run)?, run),
        "pel" => {
            let model = Model::load_with(&arguments.input, &how, run)?;
            model.save(&arguments.output, run)?;
            let (takes, gives) = (model.machine.inputs().count(), model.machine.outputs().names.len());
            let text =
                format!("a model with {} and {}: {file}", plural(takes, "input column"), plural(gives, "output"));
            Ok((text, json!({ "inputs": takes, "outputs": gives, "file": file })))
        }
        "model" | "libsvm" | "svm" | "liblinear" => {
            let model = Model::load_with(&arguments.input, &how, run)?;
            if ending == "liblinear" || (ending == "model" && is_linear(&model)) {
                return linear(arguments, &model, run);
            }
            let exported = export_svm(&model)?;
            files::write_svm_model(&arguments.output, &exported.svm)?;
            let (kind, vectors) = (exported.svm.kind.word(), exported.svm.vectors.len());
            let mut text = String::new();
            exported.notes.iter().for_each(|note| text += &format!("note: {note}\n"));
            text += &format!("a LIBSVM model ({kind}) with {}: {file}", plural(vectors, "support vector"));
            let object = json!({ "type": kind, "support_vectors": vectors, "notes": exported.notes, "file": file });
            Ok((text, object))
        }
        "safetensors" => {
            let graph = match files::format_of(&arguments.input, run)? {
                Format::Onnx => open_onnx(&arguments.input, run)?.before.graph,
                _ => Model::load(&arguments.input, run)?.machine.to_graph(run)?.ok_or_else(|| {
                    Error::unsupported("the weights of this model", "convert", "it cannot be written as a network")
                })?,
            };
            let weights = network::named_weights(&graph)?;
            files::write_weights(&arguments.output, &weights, run)?;
            let count: usize = weights.values().map(|t| t.numbers().len()).sum();
            let text = format!("{} with {}: {file}", plural(weights.len(), "weight tensor"), plural(count, "number"));
            Ok((text, json!({ "weights": weights.len(), "numbers": count, "file": file })))
        }
        _ => {
            let instead = "models convert to .onnx, .pel, .model (LIBSVM, LIBLINEAR) and .safetensors";
            Err(Error::unsupported(format!("{file}: writing a model to a file of this name"), "convert", instead)
                .into())
        }
    }
}

/// Writes a file of LIBLINEAR.
fn linear(arguments: &Convert, model: &Model, run: &Run<'_>) -> Result<(String, Value), Trouble> {
    let exported = export_linear(model, run)?;
    files::write_linear_model(&arguments.output, &exported.file)?;
    let (kind, weights) = (exported.file.solver.word(), exported.file.weights.entries());
    let file = arguments.output.display().to_string();
    let mut text = String::new();
    exported.notes.iter().for_each(|note| text += &format!("note: {note}\n"));
    text += &format!("a LIBLINEAR model ({kind}) with {} other than 0: {file}", plural(weights, "weight"));
    Ok((text, json!({ "type": kind, "weights": weights, "notes": exported.notes, "file": file })))
}

/// Writes an ONNX file and says how far it is from the model.
fn exported(arguments: &Convert, model: &Model, run: &Run<'_>) -> Result<(String, Value), Trouble> {
    let precision = arguments.precision.as_deref().and_then(Element::from_word);
    let exported = export_onnx(model, precision, run)?;
    files::write_whole(&arguments.output, |out| out.write_all(&exported.bytes))?;
    let inputs = match &arguments.on {
        None => None,
        Some(path) => {
            let source = arguments.target.source(path, &arguments.reading)?;
            let rows = source.read(&source.reading.clone().for_model(model.machine.inputs()), run)?;
            Some(align(&rows, model.machine.inputs(), run)?)
        }
    };
    let checked = check_export(&exported, inputs.as_ref(), run)?;
    let on = if arguments.on.is_some() { "" } else { "random " };
    let mut text = String::new();
    exported.notes.iter().for_each(|note| text += &format!("note: {note}\n"));
    text += &format!(
        "on {}, scores differ by at most {} (the largest score is {})\n",
        plural(checked.rows, &format!("{on}row")),
        if checked.largest == 0.0 { "0".to_string() } else { format!("{:.1e}", checked.largest) },
        show::short(checked.scale)
    );
    if let Some(flips) = checked.flips {
        text += &format!("predicted classes that differ: {flips}\n");
    }
    let file = arguments.output.display().to_string();
    text += &format!("{} bytes: {file}", exported.bytes.len());
    let object = json!({
        "rows": checked.rows, "drawn": arguments.on.is_none(), "largest_difference": checked.largest,
        "largest_score": checked.scale, "flips": checked.flips, "notes": exported.notes,
        "bytes": exported.bytes.len(), "file": file,
    });
    Ok((text, object))
}
