//! How results and troubles are printed.

#![allow(clippy::print_stderr, reason = "this is where the program speaks")]

use pellucid::evaluate::{Confusion, FrequencyGroup, Measures, by_frequency};
pub use pellucid::short_number as short;
use pellucid::{Certificate, Choice, Error, Fact, Reason, plural};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Why a command ended early.
#[derive(Debug)]
pub enum Trouble {
    /// Something failed.
    Failed(Error),
    /// Whoever read our output has gone away.
    Closed,
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Trouble::Failed(error)
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        match error.downcast::<Error>() {
            Ok(ours) => Trouble::Failed(ours),
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Trouble::Closed,
            Err(error) => Trouble::Failed(Error::File { file: "standard output".into(), why: error.to_string() }),
        }
    }
}

/// Prints text to standard output.
pub fn say(text: &str) -> Result<(), Trouble> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints a JSON object to standard output.
pub fn say_json(value: &Value) -> Result<(), Trouble> {
    say(&format!("{value:#}"))
}

/// Tells the user something that is not an error.
pub fn remark(text: &str) {
    eprintln!("note: {text}");
}

/// Says where long work is, where nothing can be drawn.
pub fn progress(text: &str) {
    eprintln!("progress: {text}");
}

/// Warns the user of a result that may not be what it seems.
pub fn warn(text: &str) {
    eprintln!("warning: {text}");
}

/// Tells the user what went wrong.
pub fn complain(text: &str) {
    eprintln!("error: {text}");
}

/// What went wrong as a JSON object on standard output.
pub fn complain_json(text: &str) {
    // If nobody listens any more there is nobody to tell.
    let _ = say_json(&json!({ "error": text }));
}

/// A number as JSON; what JSON cannot say becomes text.
pub fn number(x: f64) -> Value {
    // Zero has one sign here.
    if x.is_finite() { json!(x + 0.0) } else { json!(x.to_string()) }
}

/// A certificate in lines.
pub fn certificate(c: &Certificate) -> String {
    let state = match (c.converged, c.interrupted) {
        (_, true) => "interrupted, the best result so far was kept",
        (true, _) => "converged",
        (false, _) => "NOT converged",
    };
    let mut text = format!("certificate: {state} after {}", plural(c.steps as usize, "step"));
    if let Some(x) = c.objective {
        text += &format!(", objective {}", short(x));
    }
    if let (_, Some(x)) = c.gap.parts() {
        text += &format!(", {} {}", c.gap.label(), short(x));
    }
    text.push('\n');
    for (name, fact) in &c.facts {
        text += &match fact {
            Fact::Number(x) => format!("  {name}: {}\n", short(*x)),
            // A curve has an end worth reading; a list of one number per row has none.
            Fact::Curve(xs) if name.contains(" by ") => {
                let last = xs.last().map_or("-".into(), |x| short(*x));
                format!("  {name}: {}, last {last}\n", plural(xs.len(), "value"))
            }
            Fact::Curve(_) => String::new(),
        };
    }
    for warning in &c.warnings {
        text += &format!("  warning: {warning}\n");
    }
    if let Some(choice) = &c.choice {
        text += &choice_text(choice);
    }
    text
}

/// What was tried and what was chosen, in lines.
fn choice_text(choice: &Choice) -> String {
    const SHOWN: usize = 12;
    let mut order: Vec<usize> = (0..choice.tried.len()).collect();
    let sign = if Measures::larger_is_better(&choice.measure) { 1.0 } else { -1.0 };
    order.sort_by(|&a, &b| (sign * choice.tried[b].mean).total_cmp(&(sign * choice.tried[a].mean)).then(a.cmp(&b)));
    let width = choice.tried.iter().map(|t| t.settings.chars().count()).max().unwrap_or(0);
    let mut text = format!(
        "chosen by {} over {} from {}: {}\n",
        choice.measure,
        plural(choice.splits, "fold"),
        plural(choice.tried.len(), "candidate"),
        choice.settings()
    );
    for &k in order.iter().take(SHOWN) {
        let tried = &choice.tried[k];
        let mark = if k == choice.best { "*" } else { " " };
        text += &format!("  {mark} {:width$}  {} ± {}\n", tried.settings, short(tried.mean), short(tried.deviation));
    }
    if order.len() > SHOWN {
        text += &format!("    and {} more\n", order.len() - SHOWN);
    }
    text
}

/// What was tried and what was chosen, as JSON.
fn choice_json(choice: &Choice) -> Value {
    let tried: Vec<Value> = choice
        .tried
        .iter()
        .map(|t| json!({ "settings": t.settings, "mean": number(t.mean), "deviation": number(t.deviation) }))
        .collect();
    json!({ "measure": choice.measure, "folds": choice.splits, "chosen": choice.settings(), "tried": tried })
}

/// A certificate as JSON.
pub fn certificate_json(c: &Certificate) -> Value {
    let (word, gap) = c.gap.parts();
    let facts: Map<String, Value> = c
        .facts
        .iter()
        .map(|(name, fact)| {
            let value = match fact {
                Fact::Number(x) => number(*x),
                Fact::Curve(xs) => xs.iter().map(|x| number(*x)).collect(),
            };
            (name.clone(), value)
        })
        .collect();
    json!({
        "converged": c.converged, "interrupted": c.interrupted, "steps": c.steps,
        "objective": c.objective.map(number), "gap": gap.map(number), "gap_kind": word,
        "warnings": c.warnings, "facts": facts, "choice": c.choice.as_ref().map(choice_json),
    })
}

/// Steps of preparation with what each does and why.
pub fn reasons(reasons: &[Reason]) -> String {
    let mut text = String::new();
    for Reason { step, why } in reasons {
        text += &format!("  {step}\n");
        why.iter().for_each(|line| text += &format!("    {line}\n"));
    }
    if text.is_empty() { text } else { format!("preparation:\n{text}") }
}

/// Steps of preparation with their reasons as JSON.
pub fn reasons_json(reasons: &[Reason]) -> Value {
    reasons.iter().map(|r| json!({ "step": r.step.to_string(), "why": r.why })).collect()
}

/// Measures and confusion matrix in lines.
pub fn measures(m: &Measures) -> String {
    let mut text = String::new();
    for (name, value) in &m.values {
        text += &format!("{}: {}\n", m.label(name), short(*value));
    }
    text += &format!("rows: {}\n", m.rows);
    m.warnings().iter().for_each(|w| text += &format!("warning: {w}\n"));
    if let Some(confusion) = &m.confusion {
        text += &confusion_text(confusion);
    }
    let groups = m.labels.as_ref().map(by_frequency).unwrap_or_default();
    if !groups.is_empty() {
        text += &frequency_text(&groups);
    }
    text
}

/// Frequent and rare labels, in lines.
fn frequency_text(groups: &[FrequencyGroup]) -> String {
    let mut text = String::from("labels by training rows:\n");
    let head = ["rows", "labels", "true here", "in best 5", "precision", "recall", "f1_macro"];
    let mut line = |cells: &[String]| {
        text += &cells.iter().map(|cell| format!("  {cell:>9}")).collect::<String>();
        text.push('\n');
    };
    line(&head.map(String::from));
    for g in groups {
        let shares = [g.in_five, g.precision, g.recall, g.f1_macro].map(short);
        line(&[&[g.name(), g.labels.to_string(), short(g.truths)][..], &shares].concat());
    }
    text
}

/// Measures as JSON, each under its own name.
pub fn measures_json(m: &Measures) -> Value {
    let mut object = Map::new();
    for (name, value) in &m.values {
        object.insert(name.to_string(), number(*value));
    }
    if let Some(c) = &m.confusion {
        object.insert("confusion".into(), json!({ "classes": c.names, "counts": c.counts }));
    }
    let groups = m.labels.as_ref().map(by_frequency).unwrap_or_default();
    if !groups.is_empty() {
        let group = |g: &FrequencyGroup| {
            json!({
                "training_rows": g.name(), "labels": g.labels, "true": number(g.truths), "in_best_5": number(g.in_five),
                "precision": number(g.precision), "recall": number(g.recall), "f1_micro": number(g.f1_micro),
                "f1_macro": number(g.f1_macro),
            })
        };
        object.insert("labels_by_frequency".into(), groups.iter().map(group).collect());
    }
    object.insert("n".into(), json!(m.rows));
    if let Some(class) = &m.positive {
        object.insert("positive".into(), json!(class));
    }
    if !m.warnings().is_empty() {
        object.insert("warnings".into(), json!(m.warnings()));
    }
    Value::Object(object)
}

/// A confusion matrix with its names; large ones show only what was confused most.
fn confusion_text(c: &Confusion) -> String {
    const WIDEST: usize = 12;
    if c.names.len() > WIDEST {
        let mut pairs: Vec<(f64, usize, usize)> = vec![];
        for (t, row) in c.counts.iter().enumerate() {
            pairs.extend(row.iter().enumerate().filter(|(p, n)| *p != t && **n > 0.0).map(|(p, n)| (*n, t, p)));
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut text = format!("most frequent confusions of {} classes (true, predicted, rows):\n", c.names.len());
        for (n, t, p) in pairs.into_iter().take(10) {
            text += &format!("  {}, {}, {}\n", c.names[t], c.names[p], short(n));
        }
        return text;
    }
    let cell = |text: &str| text.chars().take(14).collect::<String>();
    let width = c.names.iter().map(|n| cell(n).chars().count()).max().unwrap_or(0).max(6);
    let mut text = String::from("confusion matrix (rows: true, columns: predicted):\n");
    text += &format!("  {:width$}", "");
    c.names.iter().for_each(|n| text += &format!(" {:>width$}", cell(n)));
    text.push('\n');
    for (name, row) in c.names.iter().zip(&c.counts) {
        text += &format!("  {:width$}", cell(name));
        row.iter().for_each(|n| text += &format!(" {:>width$}", short(*n)));
        text.push('\n');
    }
    text
}
