//! `pellucid demo`: the main job on data the program carries within.

use crate::arguments::Demo;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::job::{DataSource, Fit, FitResult, Holdout, report_on};
use pellucid::{Error, PENGUINS, Progress, Run, Verdict, Watch, files, plural};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Instant;

/// The machines that are shown.
const SHOWN: [&str; 4] = ["logistic", "knn", "forest", "nearest-mean"];

/// Watches the work but says nothing of it: the demo tells its own story.
struct Quiet<'a>(&'a Terminal);

impl Watch for Quiet<'_> {
    fn step(&self, progress: &Progress<'_>) -> Verdict {
        self.0.step(progress)
    }

    fn asked(&self) -> Verdict {
        self.0.asked()
    }

    fn note(&self, _: &str) {}
}

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
    speak(format!("344 penguins of three species ({}): what tells them apart?\n", csv.display()))?;
    let source = DataSource { target: Some("species".into()), ..DataSource::new(&csv) };
    let mut results: Vec<FitResult> = vec![];
    for machine in SHOWN {
        let begin = Instant::now();
        let file = folder.join(format!("{machine}.pel"));
        let fit = Fit {
            holdout: Some(Holdout::Sampled(0.25)),
            output: Some(file.clone()),
            options: vec!["--holdout".into(), "0.25".into()],
            ..Fit::new(machine, source.clone())
        };
        let done = fit.run(&Run { watch: &Quiet(&terminal), ..run.clone() })?;
        let measures = done.measures.as_ref();
        speak(format!(
            "{machine} ({}): accuracy {} on {}, {:.0} ms -> {}",
            done.model.preparation().join(", "),
            show::short(measures.and_then(|m| m.get("accuracy")).unwrap_or(f64::NAN)),
            plural(measures.map_or(0, |m| m.rows), "held-out row"),
            1e3 * begin.elapsed().as_secs_f64(),
            file.display()
        ))?;
        results.push(done);
    }
    let report = folder.join("report.html");
    if let Some(FitResult { model, held: Some(held), .. }) = results.first() {
        report_on(model, (held, "the held-out part of penguins.csv"), Some(&report), &run)?;
    }
    terminal.clear();
    if arguments.running.json {
        let object = |done: &FitResult| {
            json!({ "machine": done.model.spec.name, "certificate": show::certificate_json(&done.model.certificate),
                "score": done.measures.as_ref().map(show::measures_json) })
        };
        let results: Vec<Value> = results.iter().map(object).collect();
        show::say_json(&json!({ "data": "penguins", "results": results, "report": report.display().to_string() }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(FitResult { model, measures: Some(measures), .. }) = results.first() {
        show::say(&format!("\n{}\n{}", show::certificate(&model.certificate), show::measures(measures)))?;
    }
    let (model, data) = (folder.join("logistic.pel"), csv);
    show::say(&format!(
        "Report, to open in a browser: {}\n\nNext:\n  pellucid inspect {m}\n  pellucid predict {m} {d} \
         --proba\n  pellucid compare {d} all --target species\n  pellucid machines",
        report.display(),
        m = model.display(),
        d = data.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}
