//! `pellucid reproduce`: experiments of the literature, our numbers beside the known ones.

use crate::arguments::Reproduce;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::{Error, Run, Watch, files};
use reproduce::{EXPERIMENTS, Experiment, Outcome, experiment};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// The word that stands for every experiment.
const ALL: &str = "all";

/// Runs the command.
pub fn run(arguments: &Reproduce) -> Result<ExitCode, Trouble> {
    let Some(name) = &arguments.experiment else {
        show::say(&listing())?;
        return Ok(ExitCode::SUCCESS);
    };
    let chosen: Vec<&Experiment> = match name.as_str() {
        ALL if arguments.output.is_some() => {
            return Err(Error::parameter("output", "all", "write one experiment at a time").into());
        }
        ALL => EXPERIMENTS.iter().filter(|e| !e.is_long() && (arguments.data.is_some() || !e.needs_data())).collect(),
        one => vec![experiment(one)?],
    };
    if let Some(path) = &arguments.output {
        form(path)?;
    }
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    if name == ALL {
        let names = |which: fn(&&Experiment) -> bool| {
            EXPERIMENTS.iter().filter(which).map(|e| e.name).collect::<Vec<_>>().join(", ")
        };
        if arguments.data.is_none() {
            let left = names(|e| e.needs_data());
            terminal.note(&format!("{left} run on real data and are skipped; --data FOLDER gives their folder"));
        }
        terminal.note(&format!(
            "skipped because it takes long, unless it is asked for by name: {}",
            names(|e| e.is_long())
        ));
    }
    let mut objects = serde_json::Map::new();
    let mut agree = true;
    for experiment in chosen {
        let outcome = experiment.run(arguments.data.as_deref(), &run)?;
        terminal.clear();
        agree &= outcome.agrees();
        match arguments.running.json {
            true => _ = objects.insert(experiment.name.into(), object(experiment, &outcome)),
            false => show::say(&text(experiment, &outcome))?,
        }
        if let Some(path) = &arguments.output {
            write(path, experiment, outcome, &run)?;
            if !arguments.running.json {
                show::say(&format!("written: {}", path.display()))?;
            }
        }
    }
    if arguments.running.json {
        show::say_json(&Value::Object(objects))?;
    }
    Ok(if arguments.running.strict && !agree { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The ending of a file that can be written.
fn form(path: &Path) -> Result<&str, Error> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    match ["html", "png", "svg"].into_iter().find(|e| *e == ending) {
        Some(ending) => Ok(ending),
        None => Err(Error::parameter("output", path.display(), "must end in .html, .png or .svg")),
    }
}

fn write(path: &Path, experiment: &Experiment, outcome: Outcome, run: &Run<'_>) -> Result<(), Error> {
    let bytes = match form(path)? {
        "png" => outcome.png(experiment)?,
        "svg" => outcome.svg(experiment)?.into_bytes(),
        _ => {
            let repeat = format!("pellucid reproduce {} --seed {} -o report.html", experiment.name, run.seed.0);
            outcome.page(experiment, &repeat).to_html()?.into_bytes()
        }
    };
    files::write_whole(path, |out| out.write_all(&bytes))
}

fn listing() -> String {
    let mut text = String::from("Experiments (pellucid reproduce NAME [-o FILE], or all):\n");
    for e in EXPERIMENTS {
        text += &format!("  {:16} {}\n  {:16}   {}\n", e.name, e.summary, "", e.source);
    }
    text
}

fn text(experiment: &Experiment, outcome: &Outcome) -> String {
    let rows = outcome.table();
    let wide = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(wide).collect();
    let mut text = format!("{}: {}\n{}\n\n", experiment.name, experiment.source, outcome.about);
    for row in &rows {
        let cells = row[1..].iter().zip(&widths[1..]).map(|(cell, w)| format!("  {cell:>w$}"));
        let line = format!("{:w$}{}", row[0], cells.collect::<String>(), w = widths[0]);
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn object(experiment: &Experiment, outcome: &Outcome) -> Value {
    let finding = |f: &reproduce::Finding| {
        let tolerance = f.reference.map(|_| show::number(f.tolerance));
        json!({
            "what": f.what, "ours": show::number(f.ours), "reference": f.reference,
            "tolerance": tolerance, "agrees": f.agrees(),
        })
    };
    let findings: Vec<Value> = outcome.findings.iter().map(finding).collect();
    json!({ "source": experiment.source, "about": outcome.about, "findings": findings, "agrees": outcome.agrees() })
}
