//! `pellucid convert`: data in another format.

use crate::arguments::Convert;
use crate::data;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::files::{self, Format};
use pellucid::{Error, Wanted, choose_target};
use serde_json::json;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Convert) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let how = arguments.reading.reading()?;
    if files::format_of(&arguments.input, &run)? == Format::Model {
        let instead = "data convert to CSV, LIBSVM, NPY and NPZ";
        return Err(Error::unsupported("another format for this model", "convert", instead).into());
    }
    let mut data = data::read(&arguments.input, &how, &arguments.target.ignore, &run)?;
    if arguments.target.target.is_some() {
        let target = data::target(&arguments.target, &data, &how, &run)?;
        choose_target(&mut data, &target, Wanted::Either, data::task(&arguments.target), &run)?;
    }
    files::write_data(&arguments.output, &data, &run)?;
    terminal.clear();
    let (rows, columns) = (data.len(), data.inputs.columns());
    let file = arguments.output.display().to_string();
    match arguments.running.json {
        true => show::say_json(&json!({ "rows": rows, "columns": columns, "file": file }))?,
        false => show::say(&format!("{rows} rows, {columns} columns: {file}"))?,
    }
    Ok(ExitCode::SUCCESS)
}
