//! `pellucid judge`: how good are these explanations.

use crate::arguments::Judge;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::Error;
use pellucid::explain::{Interval, Judged, Method, Ranking};
use pellucid::{Run, job, plural};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Judge) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let job::JudgeResult { judged, rows, classes } = job(arguments, &run)?.run(&run)?;
    terminal.clear();
    match arguments.running.json {
        true => show::say_json(&object(&judged, rows, &classes))?,
        false => show::say(&text(&judged, rows, &classes, arguments.output.as_deref()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What the options ask for.
fn job(arguments: &Judge, run: &Run<'_>) -> Result<job::Judge, Error> {
    let source = job::DataSource { reading: arguments.reading.reading()?, ..job::DataSource::new(&arguments.data) };
    Ok(job::Judge {
        rows: arguments.rows.clone(),
        methods: arguments.methods.clone(),
        measures: arguments.measures.clone(),
        measure_settings: arguments.with.clone(),
        settings: arguments.settings.clone(),
        grid: arguments.grid.clone(),
        boxes: arguments.boxes.clone(),
        output: arguments.output.clone(),
        ..job::Judge::new(arguments.network.model(&arguments.model, None, run)?, source)
    })
}

/// What is shown of classes that rest on their surroundings.
const LOWEST: usize = 10;

fn text(judged: &[Judged], rows: usize, classes: &[String], file: Option<&Path>) -> String {
    let mut text = String::new();
    for j in judged {
        let (measure, better) = (j.measure, j.better.word());
        text += &format!("{}: {}; {better} is better ({})\n", measure.word(), measure.about(), plural(rows, "row"));
        let widest = j.standings.iter().map(|s| s.name.len()).max().unwrap_or(0).max(6);
        let beside = "minus random (95 % interval)";
        text += &format!("  rank  {:widest$}  {:>9}  {:>21}  {beside}\n", "method", "mean", "95 % interval");
        for s in &j.standings {
            let (m, r) = (s.mean, s.random);
            let mean = format!("{:>9.4}  {:>21}", m.mean, format!("{:.4} to {:.4}", m.low, m.high));
            let beside = match s.name == Method::Random.word() {
                true => String::new(),
                false => format!("{:+.4} ({:+.4} to {:+.4})  {}", r.mean, r.low, r.high, s.verdict.word()),
            };
            text += format!("  {:>4}  {:widest$}  {mean}  {beside}", s.rank, s.name).trim_end();
            text.push('\n');
        }
        if let Some(first) = j.standings.first().filter(|s| !s.also.is_empty()) {
            let also: Vec<String> = first.also.iter().map(|(name, m)| format!("{name} {:.4}", m.mean)).collect();
            text += &format!("  of {}: {}\n", first.name, also.join(", "));
        }
        if !j.classes.is_empty() {
            text += "  classes with the least relevance inside the box (inside / outside):\n";
            for c in j.classes.iter().take(LOWEST) {
                text += &format!("    {:.4}  {} ({})\n", c.mean, class(classes, c.class), plural(c.rows, "row"));
            }
        }
    }
    if let Some(file) = file {
        text += &format!("written: {}\n", file.display());
    }
    text
}

fn class(classes: &[String], k: usize) -> String {
    classes.get(k).cloned().unwrap_or(k.to_string())
}

fn object(judged: &[Judged], rows: usize, classes: &[String]) -> Value {
    let n = show::number;
    let interval = |i: &Interval| json!({ "mean": n(i.mean), "low": n(i.low), "high": n(i.high) });
    let beside = |i: &Interval, word: &str| json!({ "difference": n(i.mean), "low": n(i.low), "high": n(i.high), "verdict": word });
    let numbers = |list: &[f64]| list.iter().map(|x| n(*x)).collect::<Vec<_>>();
    let method = |s: &Ranking| {
        let also: Map<String, Value> = s.also.iter().map(|(name, i)| (name.to_string(), interval(i))).collect();
        json!({
            "method": s.name, "rank": s.rank, "mean_rank": n(s.mean_rank), "mean": n(s.mean.mean),
            "low": n(s.mean.low), "high": n(s.mean.high), "random": beside(&s.random, s.verdict.word()),
            "best": beside(&s.best, s.beside_best.word()), "also": also,
        })
    };
    let measure = |j: &Judged| {
        let curves: Vec<Value> = j
            .curves
            .iter()
            .map(|c| json!({ "method": c.name, "x": numbers(&c.x), "most": numbers(&c.most), "least": numbers(&c.least) }))
            .collect();
        let by_class: Vec<Value> = j
            .classes
            .iter()
            .map(|c| json!({ "class": class(classes, c.class), "rows": c.rows, "ratio": n(c.mean) }))
            .collect();
        json!({
            "measure": j.measure.word(), "about": j.measure.about(), "better": j.better.word(),
            "methods": j.standings.iter().map(method).collect::<Vec<_>>(), "curves": curves, "classes": by_class,
        })
    };
    json!({ "rows": rows, "measures": judged.iter().map(measure).collect::<Vec<_>>() })
}
