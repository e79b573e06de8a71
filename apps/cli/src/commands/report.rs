//! `pellucid report`: a model and how it does on data, as one HTML file.

use crate::arguments::Report;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use crate::{data, outputs};
use pellucid::{Model, files, model_report};
use serde_json::json;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Report) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    outputs::guard(&arguments.output, &[&arguments.model, &arguments.data])?;
    let how = arguments.network.reading(data::task(&arguments.target), &run)?;
    let model = Model::load_with(&arguments.model, &how, &run)?;
    let weights = arguments.weights.as_deref();
    let data = data::judging(&model, &arguments.data, &arguments.target, &arguments.reading, weights, &run)?;
    data::warn_of_seen(&model, &data, &run);
    let source = arguments.data.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let html = model_report(&model, &data, &source, &run)?.to_html()?;
    files::write_whole(&arguments.output, |out| out.write_all(html.as_bytes()))?;
    terminal.clear();
    let file = arguments.output.display().to_string();
    match arguments.running.json {
        true => show::say_json(&json!({ "rows": data.len(), "file": file }))?,
        false => show::say(&format!("report: {file}"))?,
    }
    Ok(ExitCode::SUCCESS)
}
