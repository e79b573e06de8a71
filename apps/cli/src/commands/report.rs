//! `pellucid report`: a model and how it does on data, as one HTML file.

use crate::arguments::Report;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::job;
use pellucid::{Model, files, model_report};
use serde_json::json;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Report) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    job::guard(&arguments.output, &[&arguments.model, &arguments.data])?;
    let how = arguments.network.reading(arguments.target.task(), &run)?;
    let model = Model::load_with(&arguments.model, &how, &run)?;
    let source = arguments.target.source(&arguments.data, &arguments.reading)?;
    let source = job::Source { weights: arguments.weights.clone(), ..source };
    let data = source.load_for(&model, &run)?;
    job::warn_of_seen(&model, &data, &run);
    let html = model_report(&model, &data, &source.name(), &run)?.to_html()?;
    files::write_whole(&arguments.output, |out| out.write_all(html.as_bytes()))?;
    terminal.clear();
    let file = arguments.output.display().to_string();
    match arguments.running.json {
        true => show::say_json(&json!({ "rows": data.len(), "file": file }))?,
        false => show::say(&format!("report: {file}"))?,
    }
    Ok(ExitCode::SUCCESS)
}
