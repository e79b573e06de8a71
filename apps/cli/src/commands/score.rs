//! `pellucid score`: a model judged by data whose targets are known.

use crate::arguments::Score;
use crate::data;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::evaluate::judge;
use pellucid::{Model, Prediction};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Score) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let how = arguments.network.reading(data::task(&arguments.target), &run)?;
    let model = Model::load_with(&arguments.model, &how, &run)?;
    let data = data::judging(
        &model,
        &arguments.data,
        &arguments.target,
        &arguments.reading,
        arguments.weights.as_deref(),
        &run,
    )?;
    let prediction = Prediction::of(&*model.machine, &data.inputs, &run).map_err(|e| {
        let how = arguments.reading.reading().unwrap_or_default().for_model(model.machine.inputs());
        data::located(e, &arguments.data, &how, 0, &run)
    })?;
    let measures = judge(&prediction, &data, &run)?;
    terminal.clear();
    match arguments.running.json {
        true => show::say_json(&show::measures_json(&measures))?,
        false => show::say(&show::measures(&measures))?,
    }
    Ok(ExitCode::SUCCESS)
}
