//! `pellucid demo`: the main job on data the program carries within.

use crate::arguments::Demo;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::evaluate::{hold_out, judge};
use pellucid::{
    Catalog, Error, Fingerprint, KNOWN, Model, PENGUINS, Prediction, Spec, Target, Task, Wanted, choose_target, files,
    model_report, prepared,
};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Instant;

/// The machines that are shown.
const SHOWN: [&str; 4] = ["logistic", "knn", "forest", "nearest-mean"];

/// Runs the command.
pub fn run(arguments: &Demo) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder)
        .map_err(|e| Error::File { file: folder.display().to_string(), why: e.to_string() })?;
    let speak = |text: String| if arguments.running.json { Ok(()) } else { show::say(&text) };

    let csv = folder.join("penguins.csv");
    files::write_whole(&csv, |out| out.write_all(PENGUINS.as_bytes()))?;
    let mut data = files::read(&csv, &files::Reading::default(), &run)?;
    speak(format!("344 penguins of three species ({}): what tells them apart?\n", csv.display()))?;
    let target = Target::Column("species".into());
    let name = choose_target(&mut data, &target, Wanted::Classes(2), None, &run)?;
    let (train, test) = hold_out(&data, 0.25, run.seed)?;
    let (train, test) = (data.select(&train)?, data.select(&test)?);

    let mut results = vec![];
    for machine in SHOWN {
        let begin = Instant::now();
        let learner = KNOWN.learner(machine)?;
        let spec = Spec::of(&*learner);
        let (steps, pipeline) = prepared("auto", &train, learner)?;
        let fitted = pipeline.fit(&train, None, &run)?;
        let measures = judge(&Prediction::of(&*fitted.machine, &test.inputs, &run)?, &test, &run)?;
        let file = folder.join(format!("{machine}.pel"));
        let model = Model {
            spec: Spec { before: steps, ..spec },
            data: "penguins.csv".into(),
            rows: train.len(),
            target: name.clone(),
            task: Some(Task::Classify),
            seed: arguments.running.seed,
            options: vec!["--holdout".into(), "0.25".into()],
            fingerprint: Fingerprint::of(&train.inputs, &train.targets, &train.features),
            ..Model::of(fitted, machine)
        };
        model.save(&file, &run)?;
        speak(format!(
            "{machine} ({}): accuracy {} on {} held-out rows, {:.0} ms -> {}",
            model.preparation().join(", "),
            show::short(measures.get("accuracy").unwrap_or(f64::NAN)),
            measures.rows,
            1e3 * begin.elapsed().as_secs_f64(),
            file.display()
        ))?;
        results.push((model, measures));
    }
    let report = folder.join("report.html");
    if let Some((model, _)) = results.first() {
        let html = model_report(model, &test, "the held-out part of penguins.csv", &run)?.to_html()?;
        files::write_whole(&report, |out| out.write_all(html.as_bytes()))?;
    }
    terminal.clear();
    if arguments.running.json {
        let object = |(model, m): &(Model, _)| {
            json!({ "machine": model.spec.name, "certificate": show::certificate_json(&model.certificate),
                "score": show::measures_json(m) })
        };
        let results: Vec<Value> = results.iter().map(object).collect();
        show::say_json(&json!({ "data": "penguins", "results": results, "report": report.display().to_string() }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some((model, measures)) = results.first() {
        show::say(&format!("\n{}\n{}", show::certificate(&model.certificate), show::measures(measures)))?;
    }
    let (model, data) = (folder.join("logistic.pel"), csv);
    show::say(&format!(
        "All about it, to be opened in a browser: {}\n\nGo on with:\n  pellucid inspect {m}\n  pellucid predict {m} {d} \
         --proba\n  pellucid compare {d} all --target species\n  pellucid machines",
        report.display(),
        m = model.display(),
        d = data.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}
