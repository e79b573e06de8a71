//! `pellucid score`: a model judged by data whose targets are known.

use crate::arguments::Score;
use crate::data;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::evaluate::judge;
use pellucid::{Model, Prediction, align, score_targets};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Score) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let model = Model::load(&arguments.model, &run)?;
    let mut how = arguments.reading.reading()?;
    how.kinds = data::kinds(model.machine.inputs());
    let mut data = data::read(&arguments.data, &how, &arguments.target.ignore, &run)?;
    data::take_weights(&mut data, arguments.weights.as_deref())?;
    let target = data::target(&arguments.target, &data, &how, &run)?;
    let task = data::task(&arguments.target).or(model.task);
    let names = model.machine.outputs().names.clone();
    score_targets(&mut data, &target, model.target.as_deref(), task, &names, &run)?;
    let inputs = align(&data, model.machine.inputs(), &run)?;
    let measures = judge(&Prediction::of(&*model.machine, &inputs, &run)?, &data, &run)?;
    terminal.clear();
    match arguments.running.json {
        true => show::say_json(&show::measures_json(&measures))?,
        false => show::say(&show::measures(&measures))?,
    }
    Ok(ExitCode::SUCCESS)
}
