//! `pellucid generate`: data whose truth is known.

use crate::arguments::Generate;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::job::apply_settings;
use pellucid::problems::{PROBLEMS, problem};
use pellucid::{Error, files, plural};
use serde_json::json;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Generate) -> Result<ExitCode, Trouble> {
    let Some(name) = &arguments.problem else {
        show::say(&listing())?;
        return Ok(ExitCode::SUCCESS);
    };
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let mut problem = problem(name)?;
    apply_settings(&mut *problem, &arguments.settings)?;
    let Some(path) = &arguments.output else {
        return Err(Error::parameter("output", "none", "must be a file: -o data.csv").into());
    };
    let blocks = if files::takes_blocks(path) { problem.blocks(run.seed, &run)? } else { None };
    let (rows, columns) = match blocks {
        Some(blocks) => {
            let mut columns = 0;
            let blocks = blocks.inspect(|data| columns = data.as_ref().map_or(columns, |data| data.inputs.columns()));
            (files::write_blocks(path, blocks, &run)?, columns)
        }
        None => {
            let data = problem.draw(run.seed)?;
            files::write_data(path, &data, &run)?;
            (data.len(), data.inputs.columns())
        }
    };
    terminal.clear();
    let file = path.display().to_string();
    match arguments.running.json {
        true => show::say_json(&json!({ "problem": name, "rows": rows, "columns": columns, "file": file }))?,
        false => show::say(&format!("{name}: {}, {}: {file}", plural(rows, "row"), plural(columns, "column")))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn listing() -> String {
    let mut text = String::from("Problems (pellucid generate NAME -o FILE):\n");
    for entry in PROBLEMS {
        text += &format!("  {:16} {}\n", entry.name, entry.summary);
        for p in (entry.make)().params() {
            text += &format!("  {:16}   {}={}  {}\n", "", p.name, p.default, p.help);
        }
    }
    text
}
