//! A model and how it does on data, as a report.

use base::{
    Cells, Choice, Dataset, Fact, Inputs, Meaning, Prediction, Result, Run, Targets, number_text, plural, short_number,
};
use evaluate::{LabelFrequencies, judge, judge_machine};
use interop::{Model, Task, seen_text};
use report::{
    Block, Page, Section, anomaly_blocks, class_blocks, curve_pictures, filter_picture, label_blocks, value_blocks,
};

/// The report of a model on data whose targets are known and whose inputs fit the model; `source` is how they are
/// called.
pub fn model_report(model: &Model, data: &Dataset, source: &str, run: &Run<'_>) -> Result<Page> {
    let meaning = model.machine.outputs().meaning;
    let (measures, results) = match meaning {
        Meaning::Labels => {
            let measures = judge_machine(&*model.machine, None, data, model.frequencies.as_ref(), run)?;
            let blocks = label_blocks(&measures);
            (measures, blocks)
        }
        _ => {
            let prediction = Prediction::of(&*model.machine, &data.inputs, run)?;
            let measures = judge(&prediction, data, run)?;
            let blocks = match model.task {
                Some(Task::Regress) => value_blocks(&prediction, data, &measures, run)?,
                _ if meaning == Meaning::Outlier => anomaly_blocks(&prediction, data, &measures, run)?,
                _ => class_blocks(&*model.machine, &prediction, data, &measures, run)?,
            };
            (measures, blocks)
        }
    };
    let detects = meaning == Meaning::Outlier;
    let target =
        model.target.as_deref().filter(|_| !detects).unwrap_or(if detects { "anomalies" } else { "the target" });
    let does = if detects { "finds" } else { "predicts" };
    let summary =
        format!("{} {does} {target}; evaluated on {} of {source}.", model.spec.name, plural(measures.rows, "row"));
    let mut sections = vec![
        Section { title: "Results".into(), blocks: results },
        Section { title: "Certificate".into(), blocks: certificate(model) },
    ];
    if let Some(choice) = &model.certificate.choice {
        sections.push(Section { title: "Model selection".into(), blocks: choice_blocks(choice) });
    }
    let graph = model.machine.to_graph(run)?;
    if let Some(filters) = graph.and_then(|graph| filter_picture(&graph, model.machine.inputs())) {
        sections.push(Section { title: "Weights".into(), blocks: vec![Block::Pictures(vec![Box::new(filters)])] });
    }
    sections.extend([
        Section { title: "Data".into(), blocks: summary_of(data, source) },
        Section { title: "Preparation and settings".into(), blocks: settings(model) },
        Section { title: "Limits of use".into(), blocks: limits(model, data, source) },
        Section { title: "How to reproduce this".into(), blocks: vec![Block::Code(repeat(model))] },
    ]);
    Ok(Page { title: format!("{}: {target}", model.spec.name), summary, sections })
}

fn facts(list: Vec<(&str, String)>) -> Block {
    Block::Facts(list.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
}

fn certificate(model: &Model) -> Vec<Block> {
    let c = &model.certificate;
    let state = match (c.converged, c.interrupted) {
        (_, true) => "interrupted; the best result so far was kept",
        (true, _) => "converged",
        (false, _) => "NOT converged",
    };
    let mut list = vec![("state", state.to_string()), ("steps", c.steps.to_string())];
    list.extend(c.objective.map(|x| ("objective", short_number(x))));
    if let (_, Some(x)) = c.gap.parts() {
        list.push((c.gap.label(), short_number(x)));
    }
    let mut rows: Vec<(String, String)> = list.into_iter().map(|(n, v)| (n.to_string(), v)).collect();
    rows.extend(c.facts.iter().map(|(name, fact)| {
        let text = match fact {
            Fact::Number(x) => short_number(*x),
            Fact::Curve(xs) => plural(xs.len(), "value"),
        };
        (name.clone(), text)
    }));
    rows.extend(c.warnings.iter().map(|w| ("warning".to_string(), w.clone())));
    std::iter::once(Block::Facts(rows)).chain(curve_pictures(c)).collect()
}

/// What was tried, the chosen settings first marked.
fn choice_blocks(choice: &Choice) -> Vec<Block> {
    let row = |(k, t): (usize, &base::Tried)| {
        let mark = if k == choice.best { "chosen" } else { "" };
        vec![t.settings.clone(), short_number(t.mean), short_number(t.deviation), mark.to_string()]
    };
    let head = ["settings", choice.measure.as_str(), "standard deviation", ""].map(String::from).to_vec();
    let text = format!(
        "{} compared by {} over {} of the training rows. The winner's score is optimistic, \
             since the winner was selected by it; held-out rows or nested cross-validation give an unbiased \
             estimate.",
        plural(choice.tried.len(), "candidate"),
        choice.measure,
        plural(choice.splits, "fold")
    );
    vec![Block::Text(text), Block::Table { head, rows: choice.tried.iter().enumerate().map(row).collect() }]
}

fn summary_of(data: &Dataset, source: &str) -> Vec<Block> {
    let mut blocks = vec![facts(vec![
        ("source", source.to_string()),
        ("rows", data.len().to_string()),
        ("columns", data.inputs.columns().to_string()),
    ])];
    if let Inputs::Table(table) = &data.inputs {
        let detail = |cells: &Cells| match cells {
            Cells::Number(v) => {
                let present = || v.iter().copied().filter(|x| !x.is_nan());
                let (low, high) =
                    (present().fold(f64::INFINITY, f64::min), present().fold(f64::NEG_INFINITY, f64::max));
                if low <= high { format!("{} to {}", number_text(low), number_text(high)) } else { "no values".into() }
            }
            Cells::Category { levels, .. } => {
                let some: Vec<&str> = levels.iter().take(6).map(String::as_str).collect();
                format!("{}: {}", plural(levels.len(), "level"), some.join(", "))
            }
            _ => String::new(),
        };
        let row = |c: &base::Column| {
            vec![c.name.clone(), c.cells.type_name().into(), c.cells.missing().to_string(), detail(&c.cells)]
        };
        let rows = table.columns().iter().take(200).map(row).collect();
        let head = ["column", "type", "missing", "values"].map(String::from).to_vec();
        blocks.push(Block::Table { head, rows });
    }
    if let (Targets::Sets(sets), Some(found)) = (&data.targets, LabelFrequencies::of_targets(&data.targets)) {
        let known = (0..sets.len()).filter_map(|i| sets.get(i));
        let (empty, most) =
            known.fold((0, 0), |(empty, most), s| (empty + usize::from(s.is_empty()), most.max(s.len())));
        blocks.push(facts(vec![
            ("labels that rows have", found.counts.iter().filter(|&&n| n > 0).count().to_string()),
            ("labels per row", short_number(sets.entries() as f64 / found.rows.max(1) as f64)),
            ("most labels of a row", most.to_string()),
            ("rows without a label", empty.to_string()),
        ]));
    }
    if let Targets::Classes(classes) = &data.targets {
        let counts = classes.counts();
        let rows = classes.names().iter().zip(counts).take(50).map(|(n, c)| vec![n.clone(), c.to_string()]).collect();
        blocks.push(Block::Table { head: vec!["class".into(), "rows".into()], rows });
    }
    blocks
}

fn settings(model: &Model) -> Vec<Block> {
    let steps = model.preparation();
    let steps = if steps.is_empty() { "none".to_string() } else { steps.join(", ") };
    let mut rows = vec![("preparation".to_string(), steps)];
    rows.extend(model.spec.settings.iter().map(|(name, value)| (name.clone(), value.to_string())));
    rows.push(("seed".into(), model.seed.to_string()));
    vec![Block::Facts(rows)]
}

fn limits(model: &Model, data: &Dataset, source: &str) -> Vec<Block> {
    let mut lines = vec![];
    let seen = model.fingerprint.seen(&data.inputs, &data.targets, model.machine.inputs());
    match seen_text(seen, data.len()) {
        Some(text) => lines.push(format!("Warning: {text}. Evaluate on held-out rows.")),
        None if model.fingerprint.is_empty() && source == model.data => {
            let text = "The evaluation rows come from a file with the same name as the training data. If they \
                 are the same rows, the results above are optimistic: evaluate on held-out rows.";
            lines.push(text.to_string());
        }
        None => {}
    }
    lines.push(format!(
        "The model was fitted on {} of {}. The results above hold only for similar rows: the same columns, \
             measured the same way, from the same population.",
        plural(model.rows, "row"),
        model.data
    ));
    if let Targets::Classes(classes) = &data.targets {
        let counts = classes.counts();
        let (least, most) = (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
        if least * 4 < most {
            lines.push(format!(
                "Classes are imbalanced ({least} to {most} rows): look at balanced accuracy and the rows of the \
                     confusion matrix, not only at accuracy."
            ));
        }
        if least < 30 {
            lines.push(format!("The smallest class has only {} here; its measures are noisy.", plural(least, "row")));
        }
    }
    lines.push(match model.machine.support() {
        Some(s) => format!("The model file contains {} training rows that can be read out of it.", s.points),
        None => "The model file contains no training rows.".to_string(),
    });
    lines.into_iter().map(Block::Text).collect()
}

/// The command that makes the same model, to be typed where the data are.
fn repeat(model: &Model) -> String {
    let mut words = vec!["pellucid".to_string(), "fit".into(), model.spec.name.clone(), model.data.clone()];
    words.extend(["--seed".to_string(), model.seed.to_string()]);
    model.settings().into_iter().for_each(|setting| words.extend(["--set".to_string(), setting]));
    if let Some(target) = &model.target {
        words.extend(["--target".to_string(), target.clone()]);
    }
    let steps = model.preparation();
    let steps = if steps.is_empty() { "none".to_string() } else { steps.join(",") };
    words.extend(["--prepare".to_string(), steps]);
    words.extend(model.options.iter().cloned());
    words.extend(["-o".to_string(), "model.pel".into()]);
    let text = words.iter().map(|w| shell_word(w)).collect::<Vec<_>>().join(" ");
    match model.certificate.interrupted {
        true => format!("{text}\n# the fit was interrupted; this command runs it to the end"),
        false => text,
    }
}

/// A word as a shell takes it.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,:/+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
