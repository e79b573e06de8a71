//! `pellucid fit`: data to a stored chain of preparation and machine.

use crate::arguments::{Fit, Running, time};
use crate::ranks::{Place, Team};
use crate::session::{FileCheckpoint, Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::evaluate::{Measures, Validation};
use pellucid::job::{self, Holdout};
use pellucid::{Error, Model, Reason, Run, Value, Watch, plural};
use serde_json::json;
use std::process::ExitCode;

/// Runs the command, on one rank or on several.
pub fn run(arguments: &Fit) -> Result<ExitCode, Trouble> {
    let place = Place::here();
    let quiet = arguments.running.quiet || !place.leads();
    let terminal = Terminal::new(&Running { quiet, ..arguments.running.clone() });
    let mut run = new_run(&arguments.running, &terminal)?;
    let team = Team::join(place, &run.memory)?;
    run.ranks = team.ranks();
    let pause = time(&arguments.checkpoint_every)?;
    let checkpoint = arguments.checkpoint.clone().map(|path| FileCheckpoint::new(path, place.leads().then_some(pause)));
    run.checkpoint = checkpoint.as_ref().map(|c| c as &dyn pellucid::Checkpoint);
    let done = match place.leads() {
        true => lead(arguments, &team, &terminal, (run, checkpoint.as_ref())),
        false => follow(arguments, run),
    };
    team.end(done)
}

/// What the rank does that speaks and writes.
fn lead(
    arguments: &Fit,
    team: &Team,
    terminal: &Terminal,
    (run, checkpoint): (Run<'_>, Option<&FileCheckpoint>),
) -> Result<ExitCode, Trouble> {
    let done = job(arguments)?.run(&run)?;
    if let Some(checkpoint) = checkpoint {
        terminal.note(&checkpoint.told());
    }
    terminal.clear();
    let model = &done.model;
    if let Some(told) = team.told(&model.spec.name) {
        terminal.note(&told);
    }
    report(arguments, team, model, &done.reasons, done.seconds, (done.measures.as_ref(), done.nested.as_ref()))?;
    Ok(match () {
        // An interrupt that came when the work was done has interrupted nothing.
        _ if Terminal::interrupted() && model.certificate.interrupted => ExitCode::from(130),
        _ if arguments.running.strict && !model.certificate.converged => ExitCode::from(1),
        _ => ExitCode::SUCCESS,
    })
}

/// What the others do: the same work, of which nothing is shown or kept.
fn follow(arguments: &Fit, run: Run<'_>) -> Result<ExitCode, Trouble> {
    job::Fit { output: None, ..job(arguments)? }.run(&run)?;
    Ok(ExitCode::SUCCESS)
}

/// What the options ask for.
fn job(arguments: &Fit) -> Result<job::Fit, Error> {
    let (weights, groups) = (arguments.weights.clone(), arguments.groups.clone());
    let source = job::DataSource { weights, groups, ..arguments.target.source(&arguments.data, &arguments.reading)? };
    Ok(job::Fit {
        settings: arguments.settings.clone(),
        prepare: arguments.prepare.clone(),
        grid: arguments.grid.clone(),
        grid_folds: arguments.grid_folds,
        measure: arguments.measure.clone(),
        nested: arguments.nested,
        holdout: arguments.holdout.as_deref().map(Holdout::parse).transpose()?,
        test: arguments.test.clone(),
        resume: arguments.resume.clone(),
        output: arguments.output.clone(),
        checkpoint: arguments.checkpoint.clone(),
        options: arguments.given.clone(),
        ..job::Fit::new(&arguments.machine, source)
    })
}

fn report(
    arguments: &Fit,
    team: &Team,
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
        let mut object = json!({
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
        });
        if let (Some(ranks), Some(object)) = (team.json(), object.as_object_mut()) {
            object.insert("ranks".into(), ranks);
        }
        return show::say_json(&object);
    }
    let mut text = format!("{} fitted on {} in {seconds:.2} s\n", model.spec.name, plural(model.rows, "row"));
    text += &show::reasons(reasons);
    text += &show::certificate(&model.certificate);
    if let (Some(honest), Some((mean, deviation))) = (honest, summary) {
        text += &format!(
            "nested cross-validation: {measure} {} ± {} over {}, each with its own search\n",
            show::short(mean),
            show::short(deviation),
            plural(honest.folds.len(), "outer fold")
        );
        honest.choices().iter().for_each(|(settings, n)| text += &format!("  {settings} in {n} of them\n"));
    }
    if let Some(measures) = measures {
        text += &format!("on held-out rows:\n{}", show::measures(measures));
    }
    match file {
        Some(file) => text += &format!("model: {file}\n"),
        None => text += "the model was not saved; -o FILE saves it\n",
    }
    show::say(&text)
}
