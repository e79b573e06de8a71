//! `pellucid fit`: data to a stored chain of preparation and machine.

use crate::arguments::{Fit, TargetChoice, apply_settings};
use crate::session::{FileCheckpoint, Terminal, run as new_run};
use crate::show::{self, Trouble};
use crate::{data, outputs};
use pellucid::evaluate::{
    Grid, Measures, Splitting, Tuned, Validation, cross_validate, hold_out, hold_out_last, judge,
};
use pellucid::{
    Catalog, Dataset, Error, Fingerprint, Fitted, KNOWN, Learner, Meaning, Model, Prediction, Reason, Record, Run,
    Spec, Task, Value, align, files, left_out, prepared, reasons,
};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Runs the command.
pub fn run(arguments: &Fit) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let checkpoint = arguments.checkpoint.clone().map(FileCheckpoint::new);
    let mut run = new_run(&arguments.running, &terminal)?;
    run.checkpoint = checkpoint.as_ref().map(|c| c as &dyn pellucid::Checkpoint);

    let mut learner = KNOWN.learner(&arguments.machine)?;
    let name = learner.name();
    if name != arguments.machine {
        pellucid::Watch::note(&terminal, &format!("{} is called {name} here", arguments.machine));
    }
    apply_settings(&mut *learner, &arguments.settings)?;
    let axes = arguments.grid.iter().try_fold(Grid::default(), |grid, axis| grid.with(axis, &*learner))?;
    let labels = arguments.target.target.as_ref().map(PathBuf::from);
    let read = [Some(&arguments.data), arguments.test.as_ref(), labels.as_ref()];
    let read: Vec<&Path> = read.into_iter().flatten().map(PathBuf::as_path).collect();
    if let Some(path) = &arguments.output {
        outputs::guard_model(path, &read, &run)?;
    }
    if let Some(path) = &arguments.checkpoint {
        outputs::guard_model(path, &read, &run)?;
    }
    let columns = (arguments.weights.as_deref(), arguments.groups.as_deref());
    let wanted = learner.traits().needs.targets;
    let loaded = data::load(&arguments.data, &arguments.target, &arguments.reading, columns, wanted, &run)?;
    let (train, held) = split(arguments, &loaded.data, &run)?;
    if let Some(path) = arguments.test.as_ref().filter(|path| path.is_file() || !path.exists()) {
        // It is read when there is a model to say how; that it is not there is said before.
        files::format_of(path, &run)?;
    }

    if (held.is_some() || arguments.test.is_some()) && arguments.target.positive.is_none() {
        data::note_positive(&train, &run);
    }
    let positive = data::positive(&train);
    let mut spec = Spec::of(&*learner);
    let forgotten = left_out(&arguments.prepare, &train, &*learner)?;
    let (steps, mut pipeline) = prepared(&arguments.prepare, &train, learner)?;
    if !axes.axes.is_empty() {
        let splitting = Splitting::Folds { n: arguments.grid_folds, repeats: 1, stratified: true };
        let (settings, measure) = (axes.combinations(), arguments.measure.clone());
        pipeline = Box::new(Tuned { learner: pipeline, settings, splitting, measure });
    }
    if !forgotten.is_empty() {
        let (list, steps) = (listed(&forgotten), &arguments.prepare);
        let what =
            format!("--prepare {steps} leaves out {list}, which auto would do; --prepare {steps},auto does both");
        pellucid::Watch::note(&terminal, &what);
    }
    if !steps.is_empty() {
        pellucid::Watch::note(&terminal, &format!("preparation: {}", listed(&steps)));
    }
    if let Some(path) = arguments.checkpoint.as_ref().filter(|_| !pipeline.traits().checkpoints) {
        let must = format!("{} keeps no checkpoints; mlp, cnn, autoencoder and logistic do", arguments.machine);
        return Err(Error::parameter("checkpoint", path.display(), must).into());
    }
    let reasons = reasons(&steps, &train);
    let start = arguments.resume.as_deref().map(|path| resumed(path, &run)).transpose()?;

    let begin = Instant::now();
    let fitted = pipeline.fit(&train, start.as_ref(), &run)?;
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(choice) = &fitted.certificate.choice {
        // What was chosen stands among the settings, as if it had been given.
        let chosen = axes.combinations().swap_remove(choice.best);
        spec.settings.iter_mut().for_each(|(name, value)| {
            if let Some((_, new)) = chosen.iter().find(|(n, _)| n == name) {
                *value = new.clone();
            }
        });
    }
    let detects = fitted.machine.outputs().meaning == Meaning::Outlier;
    if let Some(checkpoint) = &checkpoint {
        pellucid::Watch::note(&terminal, &checkpoint.told());
    }
    let model = Model {
        spec: Spec { before: steps, ..spec },
        data: arguments.data.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned()),
        rows: data::learned_rows(&train, wanted),
        target: loaded.target,
        task: Task::of(&train.targets).filter(|_| !detects),
        seed: arguments.running.seed,
        positive,
        options: arguments.given.clone(),
        fingerprint: fingerprint(&train, &fitted, detects, &run)?,
        ..Model::of(fitted, name)
    };
    if let Some(path) = &arguments.output {
        model.save(path, &run)?;
    }
    // After the model is safe: an estimate that is cut short costs nothing but itself.
    let honest = arguments.nested.map(|n| nested(n, &*pipeline, &train, &run)).transpose()?.flatten();
    let measures = match (&arguments.test, held) {
        (Some(path), _) => Some(tested(arguments, &model, path, &run)?),
        (None, held) => held.map(|held| judged(&model, held, &run)).transpose()?,
    };
    terminal.clear();
    report(arguments, &model, &reasons, seconds, (measures.as_ref(), honest.as_ref()))?;
    Ok(match () {
        // An interrupt that came when the work was done has interrupted nothing.
        _ if Terminal::interrupted() && model.certificate.interrupted => ExitCode::from(130),
        _ if arguments.running.strict && !model.certificate.converged => ExitCode::from(1),
        _ => ExitCode::SUCCESS,
    })
}

/// Steps as they are shown.
fn listed(steps: &[Spec]) -> String {
    steps.iter().map(Spec::to_string).collect::<Vec<_>>().join(", ")
}

/// The whole choice repeated inside each of n outer folds; none, said aloud, if time is up before that is done.
fn nested(n: usize, learner: &dyn Learner, train: &Dataset, run: &Run<'_>) -> Result<Option<Validation>, Error> {
    let splits = Splitting::Folds { n, repeats: 1, stratified: true }.of(train, run.seed.fork("nested"))?;
    match cross_validate(learner, train, &splits, run) {
        Err(Error::Stopped { .. }) => {
            run.watch.note("stopped before the nested estimate was done; the model is complete");
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// Rows to learn from, and what to judge by.
fn split(arguments: &Fit, data: &Dataset, run: &Run<'_>) -> Result<(Dataset, Option<Dataset>), Error> {
    match &arguments.holdout {
        None => Ok((data.clone(), None)),
        Some(text) => {
            let (train, test) = held_out(text, data, run)?;
            Ok((data.select(&train)?, Some(data.select(&test)?)))
        }
    }
}

/// Rows to learn from and to judge by, for `0.25`, `last` or `last=0.1`.
fn held_out(text: &str, data: &Dataset, run: &Run<'_>) -> Result<(Vec<usize>, Vec<usize>), Error> {
    let wrong = || Error::parameter("holdout", text, "must lie between 0 and 1, both excluded, or be last or last=0.2");
    match text.strip_prefix("last") {
        Some("") => hold_out_last(data, 0.25),
        Some(rest) => hold_out_last(data, rest.strip_prefix('=').and_then(|t| t.parse().ok()).ok_or_else(wrong)?),
        None => hold_out(data, text.parse().map_err(|_| wrong())?, run.seed),
    }
}

/// By what the rows will be recognised; a detector learns from inputs alone.
fn fingerprint(train: &Dataset, fitted: &Fitted, detects: bool, run: &Run<'_>) -> Result<Fingerprint, Error> {
    let inputs = align(train, fitted.machine.inputs(), run)?;
    let targets = if detects { &pellucid::Targets::None } else { &train.targets };
    Ok(Fingerprint::of(&inputs, targets, fitted.machine.inputs()))
}

/// How well the model does on rows that were held out.
fn judged(model: &Model, mut held: Dataset, run: &Run<'_>) -> Result<Measures, Error> {
    held.inputs = align(&held, model.machine.inputs(), run)?;
    judge(&Prediction::of(&*model.machine, &held.inputs, run)?, &held, run)
}

/// How well it does on rows of another file, which is read as `score` reads it.
fn tested(arguments: &Fit, model: &Model, path: &Path, run: &Run<'_>) -> Result<Measures, Error> {
    // A target in a file of its own belongs to the rows of the fit.
    let choice = TargetChoice { target: None, ..arguments.target.clone() };
    let test = data::judging(model, path, &choice, &arguments.reading, arguments.weights.as_deref(), run)?;
    data::warn_of_seen(model, &test, run);
    judge(&Prediction::of(&*model.machine, &test.inputs, run)?, &test, run)
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
    (measures, honest): (Option<&Measures>, Option<&Validation>),
) -> Result<(), Trouble> {
    let measure = model.certificate.choice.as_ref().map_or("", |c| &c.measure);
    let summary = honest.and_then(|h| h.summary(measure));
    let file = arguments.output.as_ref().map(|p| p.display().to_string());
    if arguments.running.json {
        let setting = |(name, value): &(String, Value)| (name.clone(), json!(value.to_string()));
        let settings: serde_json::Map<String, serde_json::Value> = model.spec.settings.iter().map(setting).collect();
        return show::say_json(&json!({
            "machine": model.spec.name,
            "certificate": show::certificate_json(&model.certificate),
            "seconds": seconds,
            "settings": settings,
            "preparation": model.preparation(),
            "reasons": show::reasons_json(reasons),
            "data": {
                "file": model.data, "rows": model.rows, "columns": model.machine.inputs().count(),
                "target": model.target,
            },
            "file": file,
            "score": measures.map(show::measures_json),
            "nested": honest.zip(summary).map(|(h, (mean, deviation))| json!({
                "measure": measure, "mean": show::number(mean), "deviation": show::number(deviation),
                "folds": h.all(measure), "chosen": h.chosen,
            })),
        }));
    }
    let mut text = format!("{} fitted on {} rows in {seconds:.2} s\n", model.spec.name, model.rows);
    text += &show::reasons(reasons);
    text += &show::certificate(&model.certificate);
    if let (Some(honest), Some((mean, deviation))) = (honest, summary) {
        text += &format!(
            "nested: {measure} {} ± {} over {} outer folds, each with its own choice\n",
            show::short(mean),
            show::short(deviation),
            honest.folds.len()
        );
        honest.choices().iter().for_each(|(settings, n)| text += &format!("  {settings} in {n} of them\n"));
    }
    if let Some(measures) = measures {
        text += &format!("on rows held out:\n{}", show::measures(measures));
    }
    match file {
        Some(file) => text += &format!("model: {file}\n"),
        None => text += "the model was not stored; -o FILE stores it\n",
    }
    show::say(&text)
}
