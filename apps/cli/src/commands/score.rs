//! `pellucid score`: a model judged by data whose targets are known.

use crate::arguments::Score;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::evaluate::Decision;
use pellucid::{Meaning, job};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Score) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let model = arguments.network.model(&arguments.model, arguments.target.task(), &run)?;
    let source = arguments.target.source(&arguments.data, &arguments.reading)?;
    let source = job::DataSource { weights: arguments.weights.clone(), ..source };
    let job = job::Score { model, source, deciding: arguments.decision.deciding()? };
    let job::ScoreResult { measures, decision, seen, meaning } = job.run(&run)?;
    terminal.clear();
    match arguments.running.json {
        true => {
            let mut object = show::measures_json(&measures);
            object["seen_in_training"] = serde_json::json!(seen);
            object["threshold"] = serde_json::json!(decision.map(|d| d.threshold));
            show::say_json(&object)?;
        }
        false => {
            let rule = |d: Decision| match d.positive.filter(|_| meaning == Meaning::Classes) {
                None if meaning == Meaning::Labels => {
                    format!("threshold: labels above a score of {}\n", show::short(d.threshold))
                }
                Some(class) => format!("threshold: {class} at a probability of {} or more\n", show::short(d.threshold)),
                None => format!("threshold: anomaly above a score of {}\n", show::short(d.threshold)),
            };
            show::say(&(decision.map_or(String::new(), rule) + &show::measures(&measures)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
