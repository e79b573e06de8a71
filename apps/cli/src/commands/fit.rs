//! `pellucid fit`: data to a stored chain of preparation and machine.

use crate::arguments::{Fit, apply_settings};
use crate::data;
use crate::session::{FileCheckpoint, Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::evaluate::{Measures, hold_out, judge};
use pellucid::{
    Catalog, Dataset, Error, Fitted, KNOWN, Model, Prediction, Reason, Record, Run, Target, Task, align, files,
    prepared, reasons, score_targets,
};
use serde_json::json;
use std::process::ExitCode;
use std::time::Instant;

/// Runs the command.
pub fn run(arguments: &Fit) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let checkpoint = arguments.checkpoint.clone().map(FileCheckpoint::new);
    let mut run = new_run(&arguments.running, &terminal)?;
    run.checkpoint = checkpoint.as_ref().map(|c| c as &dyn pellucid::Checkpoint);

    let mut learner = KNOWN.learner(&arguments.machine)?;
    apply_settings(&mut *learner, &arguments.settings)?;
    let columns = (arguments.weights.as_deref(), arguments.groups.as_deref());
    let wanted = learner.needs().targets;
    let loaded = data::load(&arguments.data, &arguments.target, &arguments.reading, columns, wanted, &run)?;
    let (train, test) = split(arguments, &loaded.data, &run)?;

    let settings = learner.values().iter().map(|(name, value)| format!("{name}={value}")).collect();
    let (steps, pipeline) = prepared(&arguments.prepare, &train, learner)?;
    if !steps.is_empty() {
        pellucid::Watch::note(&terminal, &format!("preparation: {}", steps.join(", ")));
    }
    if let Some(path) = arguments.checkpoint.as_ref().filter(|_| !pipeline.keeps_checkpoints()) {
        let must = format!("{} keeps no checkpoints; mlp, cnn, autoencoder and logistic do", arguments.machine);
        return Err(Error::parameter("checkpoint", path.display(), must).into());
    }
    let reasons = reasons(&steps, &train);
    let start = arguments.resume.as_deref().map(|path| resumed(path, &run)).transpose()?;

    let begin = Instant::now();
    let Fitted { machine, certificate } = pipeline.fit(&train, start.as_ref(), &run)?;
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(checkpoint) = &checkpoint {
        pellucid::Watch::note(&terminal, &checkpoint.told());
    }
    let model = Model {
        machine,
        certificate,
        learner: arguments.machine.clone(),
        settings,
        preparation: steps,
        data: arguments.data.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned()),
        rows: train.len(),
        target: loaded.target,
        task: Task::of(&train.targets),
        seed: arguments.running.seed,
    };
    if let Some(path) = &arguments.output {
        model.save(path, &run)?;
    }
    let measures = test.map(|test| judged(arguments, &model, test, &run)).transpose()?;
    terminal.clear();
    report(arguments, &model, &reasons, seconds, measures.as_ref())?;
    Ok(match () {
        // An interrupt that came when the work was done has interrupted nothing.
        _ if Terminal::interrupted() && model.certificate.interrupted => ExitCode::from(130),
        _ if arguments.running.strict && !model.certificate.converged => ExitCode::from(1),
        _ => ExitCode::SUCCESS,
    })
}

/// Rows to learn from, and what to judge by.
fn split(arguments: &Fit, data: &Dataset, run: &Run<'_>) -> Result<(Dataset, Option<Dataset>), Error> {
    match arguments.holdout {
        None => Ok((data.clone(), None)),
        Some(share) => {
            let (train, test) = hold_out(data, share, run.seed)?;
            Ok((data.select(&train)?, Some(data.select(&test)?)))
        }
    }
    .and_then(|(train, test)| match &arguments.test {
        None => Ok((train, test)),
        Some(path) => {
            let mut test = data::read(path, &arguments.reading.reading()?, &arguments.target.ignore, run)?;
            data::take_weights(&mut test, arguments.weights.as_deref())?;
            Ok((train, Some(test)))
        }
    })
}

/// How well the model does on rows it has not seen.
fn judged(arguments: &Fit, model: &Model, mut test: Dataset, run: &Run<'_>) -> Result<Measures, Error> {
    if arguments.test.is_some() {
        let names = model.machine.outputs().names.clone();
        score_targets(&mut test, &Target::Auto, model.target.as_deref(), model.task, &names, run)?;
    }
    let inputs = align(&test, model.machine.inputs(), run)?;
    judge(&Prediction::of(&*model.machine, &inputs, run)?, &test, run)
}

/// The machine to go on from: a model's, or a checkpoint.
fn resumed(path: &std::path::Path, run: &Run<'_>) -> Result<Record, Error> {
    let record = files::read_model(path, run)?;
    match record.kind() {
        "model" => Ok(record.part("machine")?.clone()),
        _ => Ok(record),
    }
}

fn report(
    arguments: &Fit,
    model: &Model,
    reasons: &[Reason],
    seconds: f64,
    measures: Option<&Measures>,
) -> Result<(), Trouble> {
    let file = arguments.output.as_ref().map(|p| p.display().to_string());
    if arguments.running.json {
        let settings: serde_json::Map<String, serde_json::Value> = model
            .settings
            .iter()
            .filter_map(|s| s.split_once('='))
            .map(|(name, value)| (name.to_string(), json!(value)))
            .collect();
        return show::say_json(&json!({
            "machine": model.learner,
            "certificate": show::certificate_json(&model.certificate),
            "seconds": seconds,
            "settings": settings,
            "preparation": model.preparation,
            "reasons": show::reasons_json(reasons),
            "data": {
                "file": model.data, "rows": model.rows, "columns": model.machine.inputs().count(),
                "target": model.target,
            },
            "file": file,
            "score": measures.map(show::measures_json),
        }));
    }
    let mut text = format!("{} fitted on {} rows in {seconds:.2} s\n", model.learner, model.rows);
    text += &show::reasons(reasons);
    text += &show::certificate(&model.certificate);
    if let Some(measures) = measures {
        text += &format!("on rows held out:\n{}", show::measures(measures));
    }
    match file {
        Some(file) => text += &format!("model: {file}\n"),
        None => text += "the model was not stored; -o FILE stores it\n",
    }
    show::say(&text)
}
