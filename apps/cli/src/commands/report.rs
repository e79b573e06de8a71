//! `pellucid report`: a model and how it does on data, as one HTML file.

use crate::arguments::Report;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::job;
use serde_json::json;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Report) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let model = arguments.network.model(&arguments.model, arguments.target.task(), &run)?;
    let source = arguments.target.source(&arguments.data, &arguments.reading)?;
    let source = job::DataSource { weights: arguments.weights.clone(), ..source };
    let done = job::Report { model, source, output: Some(arguments.output.clone()) }.run(&run)?;
    terminal.clear();
    let file = arguments.output.display().to_string();
    match arguments.running.json {
        true => show::say_json(&json!({ "rows": done.rows, "file": file }))?,
        false => show::say(&format!("report: {file}"))?,
    }
    Ok(ExitCode::SUCCESS)
}
