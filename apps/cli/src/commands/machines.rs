//! `pellucid machines`: what there is, and what can be set.

use crate::arguments::Machines;
use crate::show::{self, Trouble};
use pellucid::{
    Catalog, KNOWN, Kind, LEARNERS, Learner, LearnerEntry, Listed, Param, Range, STEPS, WRAPPERS, Wanted, Weighting,
    prepare,
};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Machines) -> Result<ExitCode, Trouble> {
    match (&arguments.name, arguments.json) {
        (None, false) => show::say(&listing())?,
        (None, true) => {
            let mut all: Vec<Value> = LEARNERS.iter().chain(STEPS).map(described).collect();
            all.extend(WRAPPERS.iter().map(wrapper_described));
            show::say_json(&json!({ "machines": all }))?;
        }
        (Some(name), json) => {
            let wrapper = WRAPPERS.iter().find(|e| e.name == name);
            match (wrapper, json) {
                (Some(entry), true) => show::say_json(&wrapper_described(entry))?,
                (Some(entry), false) => show::say(&wrapper_explained(entry))?,
                (None, _) => drop(KNOWN.learner(name)?), // An unknown name is an error that guesses what was meant.
            }
            for entry in LEARNERS.iter().chain(STEPS).filter(|e| e.name == name) {
                match json {
                    true => show::say_json(&described(entry))?,
                    false => show::say(&explained(entry))?,
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn listing() -> String {
    let line = |e: &LearnerEntry| format!("  {:18} {}\n", e.name, e.summary);
    let mut text = String::from("Machines (pellucid machines NAME describes one):\n");
    text.extend(LEARNERS.iter().map(line));
    text += "\nPreprocessing steps (--prepare):\n";
    text.extend(STEPS.iter().map(line));
    text += "\nSteps (--prepare) that wrap the steps after them and act on training rows only:\n";
    text.extend(WRAPPERS.iter().map(|e| format!("  {:18} {}\n", e.name, e.summary)));
    text
}

fn explained(entry: &LearnerEntry) -> String {
    let learner = (entry.make)();
    let mut text = format!("{}: {}\n\n{}\n", entry.name, entry.summary, needs(&*learner));
    if !entry.python.is_empty() {
        text += &format!("In Python: {}\n", names(entry).join(", "));
    }
    text += &settings(&learner.params(), "--set name=value");
    text
}

fn wrapper_explained(entry: &Listed<dyn prepare::Wrap>) -> String {
    let step = (entry.make)();
    let mut text = format!("{}: {}\n\n{WRAPPING}\n", entry.name, entry.summary);
    text += &format!("In Python: {}\n", names(entry).join(", "));
    text += &settings(&step.params(), &format!("--prepare {}:name=value", entry.name));
    text
}

/// What is said of every wrapping step.
const WRAPPING: &str = "Wraps the steps after it and the machine; acts on training rows only.";

fn names<T: ?Sized>(entry: &Listed<T>) -> Vec<&'static str> {
    entry.python.iter().map(|(_, name)| *name).collect()
}

fn settings(params: &[Param], how: &str) -> String {
    let line = |p: &Param| format!("  {:14} {} [{}; default {}]\n", p.name, p.help, kind(p), p.default);
    let lines: String = params.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("\nSettings ({how}):\n{lines}") }
}

fn needs(learner: &dyn Learner) -> String {
    let needs = learner.traits().needs;
    let targets = match needs.targets {
        Wanted::Nothing => "no target".to_string(),
        Wanted::Classes(n) if n > 1 => format!("classes (at least {n})"),
        Wanted::Classes(_) => "classes".to_string(),
        Wanted::Values => "a numeric target".to_string(),
        Wanted::Either => "classes or a numeric target".to_string(),
        Wanted::Labels => "sets of labels".to_string(),
        Wanted::ClassesOrLabels(_) => "classes or sets of labels".to_string(),
    };
    let gaps = if needs.missing { "handles missing values" } else { "needs missing values filled" };
    let weights = match needs.weights {
        Weighting::Exact => "row weights are exact (weight 2 is the row twice)",
        Weighting::Mean => "row weights hold on average",
        Weighting::None => "takes no row weights",
    };
    format!("Takes {targets}; {gaps}; {weights}.")
}

fn kind(p: &Param) -> String {
    let kind = match p.kind {
        Kind::Number => "number".to_string(),
        Kind::Whole => "whole number".to_string(),
        Kind::Flag => "true or false".to_string(),
        Kind::Choice(words) => words.join(" | "),
        Kind::Text => "text".to_string(),
        Kind::ClassWeight => "none, balanced, or name=number, ...".to_string(),
        Kind::List => "numbers, separated by commas".to_string(),
        Kind::NumberOr(words) => format!("number | {}", words.join(" | ")),
        Kind::Learner => "a machine, such as knn:k=3".to_string(),
    };
    match p.range {
        Range::Any => kind,
        range => format!("{kind}, {}", range.admitted()),
    }
}

fn described(entry: &LearnerEntry) -> Value {
    let learner = (entry.make)();
    object(entry, &needs(&*learner), &learner.params())
}

fn wrapper_described(entry: &Listed<dyn prepare::Wrap>) -> Value {
    object(entry, WRAPPING, &(entry.make)().params())
}

fn object<T: ?Sized>(entry: &Listed<T>, needs: &str, params: &[Param]) -> Value {
    let settings: Vec<Value> = params
        .iter()
        .map(|p| json!({ "name": p.name, "help": p.help, "kind": kind(p), "default": p.default.to_string() }))
        .collect();
    json!({
        "name": entry.name, "family": entry.family, "summary": entry.summary, "python": names(entry),
        "needs": needs, "settings": settings,
    })
}
