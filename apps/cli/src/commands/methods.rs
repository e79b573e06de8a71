//! `pellucid methods`: which explanations fit a model.

use crate::arguments::Methods;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::explain::{Tuning, fitting};
use pellucid::{Model, Settings};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Methods) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let model = Model::load(&arguments.model, &run)?;
    let all = fitting(&*model.machine);
    if arguments.running.json {
        let one = |f: &pellucid::explain::Suitability| json!({ "method": f.method.word(), "about": f.about, "adds_up": f.adds_up, "fits": f.why_not.is_none(), "why_not": f.why_not });
        show::say_json(&Value::Array(all.iter().map(one).collect()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("Methods that fit this model ({}):\n", model.spec.name);
    for f in all.iter().filter(|f| f.why_not.is_none()) {
        text += &format!("  {:30} {}\n", f.method.word(), f.about);
    }
    let others: Vec<_> = all.iter().filter_map(|f| f.why_not.as_ref().map(|why| (f.method, why))).collect();
    if !others.is_empty() {
        text += "Methods that do not:\n";
        others.iter().for_each(|(m, why)| text += &format!("  {:30} {why}\n", m.word()));
    }
    text += "Settings (--set NAME=VALUE):\n";
    for p in Tuning::default().params() {
        text += &format!("  {:30} {} ({})\n", p.name, p.help, p.default);
    }
    show::say(&text)?;
    Ok(ExitCode::SUCCESS)
}
