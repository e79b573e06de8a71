//! `pellucid score`: a model judged by data whose targets are known.

use crate::arguments::Score;
use crate::data;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::evaluate::{Decision, judge_decided};
use pellucid::{Meaning, Model, Prediction};
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
    let seen = data::warn_of_seen(&model, &data, &run);
    if arguments.target.positive.is_none() && model.positive.is_none() {
        data::note_positive(&data, &run);
    }
    let positive = data::positive(&data);
    let decision = arguments.decision.decision(positive.as_deref(), model.machine.outputs().meaning)?;
    let prediction = Prediction::of(&*model.machine, &data.inputs, &run).map_err(|e| {
        let how = arguments.reading.reading().unwrap_or_default().for_model(model.machine.inputs());
        data::located(e, &arguments.data, &how, 0, &run)
    })?;
    let mut measures = judge_decided(&prediction, decision.as_ref(), &data, &run)?;
    if let (Some((miss, alarm)), Some(confusion)) = (arguments.decision.costs()?, &measures.confusion) {
        let counts = confusion.class(confusion.names.iter().position(|n| Some(n) == positive.as_ref()).unwrap_or(1));
        measures.values.push(("cost_per_row", (miss * counts.fn_ + alarm * counts.fp) / confusion.total()));
    }
    terminal.clear();
    match arguments.running.json {
        true => {
            let mut object = show::measures_json(&measures);
            object["seen_in_training"] = serde_json::json!(seen);
            object["threshold"] = serde_json::json!(decision.map(|d| d.threshold));
            show::say_json(&object)?;
        }
        false => {
            let rule = |d: Decision| match d.positive.filter(|_| model.machine.outputs().meaning == Meaning::Classes) {
                Some(class) => format!("{class} from a probability of {}\n", show::short(d.threshold)),
                None => format!("anomalies above a score of {}\n", show::short(d.threshold)),
            };
            show::say(&(decision.map_or(String::new(), rule) + &show::measures(&measures)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
