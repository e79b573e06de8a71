//! `pellucid predict`: new rows through a stored model, chunk by chunk, in bounded memory.
//!
//! Lines of CSV go to standard output as they come; JSON when it is complete, for half an object is none.

use crate::arguments::Predict;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use crate::spool::Spool;
use crate::{data, outputs};
use pellucid::evaluate::Decision;
use pellucid::{
    Cells, Dataset, Error, FeatureKind, Inputs, Meaning, Model, Outputs, Prediction, Run, UNKNOWN, align, argmax,
    files, number_text,
};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Runs the command.
pub fn run(arguments: &Predict) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    if let Some(path) = &arguments.output {
        outputs::guard(path, &[&arguments.model, &arguments.data])?;
    }
    let model = Model::load_with(&arguments.model, &arguments.network.reading(None, &run)?, &run)?;
    let columns = Columns::new(arguments, &model, &run)?;
    let mut how = arguments.reading.reading()?.for_model(model.machine.inputs());
    // What is only carried along is carried as it is written.
    for name in &columns.keep {
        how.kinds.entry(name.clone()).or_insert(FeatureKind::Text);
    }
    let (mut rows, mut computing) = (0, Duration::ZERO);
    let header = columns.header();
    let json = arguments.running.json && arguments.output.is_none();
    let mut work = |out: &mut dyn Write| -> Result<(), Trouble> {
        match json {
            true => write!(out, "{{\"predictions\": [")?,
            false => writeln!(out, "{}", header.iter().map(|f| quoted(f)).collect::<Vec<_>>().join(","))?,
        }
        for chunk in files::stream(&arguments.data, &how, &run)? {
            let chunk = chunk?;
            let inputs = align(&chunk, model.machine.inputs(), &run)?;
            let begin = Instant::now();
            let prediction = match Prediction::of(&*model.machine, &inputs, &run.giving_up()) {
                // Rows that are written stay; the chunk at hand has taken too long.
                Err(Error::Stopped { .. }) => break,
                other => other.map_err(|e| data::located(e, &arguments.data, &how, rows, &run))?,
            };
            computing += begin.elapsed();
            columns.each_row(&chunk, &prediction, &run, &mut |i, fields| match json {
                true => {
                    let fields = header.iter().cloned().zip(fields.iter().map(Cell::json));
                    let comma = if rows + i > 0 { "," } else { "" };
                    write!(out, "{comma}\n  {}", Value::Object(fields.collect()))
                }
                false => writeln!(out, "{}", fields.iter().map(Cell::text).collect::<Vec<_>>().join(",")),
            })?;
            rows += chunk.len();
            if run.step(&pellucid::Progress { stage: "predict", done: rows as u64, total: None, value: None })? {
                break;
            }
        }
        if json {
            writeln!(out, "\n], \"rows\": {rows}}}")?;
        }
        Ok(())
    };
    match &arguments.output {
        None if json => {
            let mut spool = Spool::default();
            work(&mut spool)?;
            spool.pour(&mut std::io::stdout().lock())?;
        }
        None => {
            let mut out = std::io::BufWriter::new(std::io::stdout().lock());
            work(&mut out)?;
            out.flush()?;
        }
        Some(path) => {
            let mut trouble = None;
            let written = files::write_whole(path, |out| {
                work(out).map_err(|t| {
                    trouble = Some(t);
                    std::io::Error::other("stopped")
                })
            });
            match (written, trouble) {
                (Err(_), Some(trouble)) => return Err(trouble),
                (written, _) => written?,
            }
            terminal.clear();
            match arguments.running.json {
                true => {
                    let seconds = computing.as_secs_f64();
                    show::say_json(&json!({ "rows": rows, "seconds": seconds, "file": path.display().to_string() }))?;
                }
                false => show::say(&format!("{rows} rows predicted: {}", path.display()))?,
            }
        }
    }
    Ok(if Terminal::interrupted() { ExitCode::from(130) } else { ExitCode::SUCCESS })
}

/// Which columns are written.
struct Columns<'a> {
    outputs: &'a Outputs,
    scores: bool,
    proba: bool,
    top: Option<usize>,
    keep: Vec<String>,
    decision: Option<Decision>,
}

/// A field of a row.
enum Cell {
    Word(String),
    Number(f64),
    Missing,
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Cell::Word(word) => quoted(word),
            Cell::Number(x) => number_text(*x),
            Cell::Missing => String::new(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Cell::Word(word) => json!(word),
            Cell::Number(x) => show::number(*x),
            Cell::Missing => Value::Null,
        }
    }
}

/// What a detector says of a row, in a word.
const ANOMALY: [&str; 2] = ["normal", "anomaly"];

impl<'a> Columns<'a> {
    fn new(arguments: &Predict, model: &'a Model, run: &Run<'_>) -> Result<Self, Error> {
        let outputs = model.machine.outputs();
        let classes = outputs.meaning == Meaning::Classes;
        let refuse = |option: &str| Err(Error::parameter(option, "yes", "this model predicts no classes"));
        match () {
            _ if arguments.proba && !classes => return refuse("proba"),
            _ if arguments.top.is_some() && !classes => return refuse("top"),
            _ if arguments.top == Some(0) => return Err(Error::parameter("top", 0, "must be at least 1")),
            _ if arguments.proba && outputs.link == pellucid::Link::None => {
                return Err(Error::unsupported(
                    "a probability",
                    "this model",
                    "ask for --scores, fit it with --prepare calibrate,auto, or take an ONNX network with --softmax",
                ));
            }
            _ => {}
        }
        let top = arguments.top.map(|k| k.min(outputs.main()));
        let positive = arguments.positive.as_deref().or(model.positive.as_deref());
        let decision = arguments.decision.decision(positive, outputs.meaning)?;
        match (&decision, outputs.meaning) {
            (Some(d), Meaning::Classes) if top.is_some() => {
                return Err(Error::parameter("threshold", d.threshold, "does not go with --top"));
            }
            (None, _) if arguments.positive.is_some() => {
                let given = arguments.positive.as_deref().unwrap_or("");
                return Err(Error::parameter("positive", given, "does nothing without --threshold or --costs"));
            }
            _ => {}
        }
        let mut keep: Vec<String> = arguments.keep.iter().map(|k| k.trim().to_string()).collect();
        // Rows of a folder are known by their files.
        if arguments.data.is_dir()
            && keep.is_empty()
            && files::format_of(&arguments.data, run)? == files::Format::Folder
        {
            keep.push("file".into());
        }
        Ok(Columns { outputs, scores: arguments.scores, proba: arguments.proba, top, keep, decision })
    }

    /// Whether a word says what the model decides.
    fn decides(&self) -> bool {
        self.outputs.decides_anomalies() || (self.outputs.meaning == Meaning::Outlier && self.decision.is_some())
    }

    fn header(&self) -> Vec<String> {
        let names = &self.outputs.names;
        let mut fields = self.keep.clone();
        match (self.outputs.meaning, self.top) {
            (Meaning::Classes, Some(k)) => {
                fields.extend((1..=k).flat_map(|i| [format!("class_{i}"), format!("score_{i}")]));
            }
            (Meaning::Classes, None) => fields.push("prediction".into()),
            _ => {
                fields.extend(self.decides().then(|| "prediction".to_string()));
                fields.extend(names.iter().cloned());
            }
        }
        if self.scores && self.outputs.meaning == Meaning::Classes {
            fields.extend(names.iter().map(|n| format!("score {n}")));
        }
        if self.proba {
            fields.extend(names[..self.outputs.main()].iter().map(|n| format!("p {n}")));
        }
        fields
    }

    /// Hands the fields of each row of a chunk to `write`.
    fn each_row(
        &self,
        chunk: &Dataset,
        prediction: &Prediction,
        run: &Run<'_>,
        write: &mut dyn FnMut(usize, &[Cell]) -> std::io::Result<()>,
    ) -> Result<(), Trouble> {
        let (width, main) = (self.outputs.names.len(), self.outputs.main());
        let scores = prediction.scores.to_dense(&run.memory)?;
        let proba = if self.proba { prediction.probabilities(run)? } else { None };
        let decided = match (&self.decision, self.outputs.meaning) {
            (Some(decision), Meaning::Classes) => Some(decision.classes(prediction, run)?),
            _ => None,
        };
        let border = self.decision.as_ref().map_or(0.0, |d| d.threshold);
        let kept = self.keep.iter().map(|name| column(chunk, name)).collect::<Result<Vec<&Cells>, Error>>()?;
        let class = |i: u32| Cell::Word(self.outputs.names[i as usize].clone());
        for (i, row) in scores.chunks_exact(width.max(1)).enumerate() {
            let mut fields: Vec<Cell> = kept.iter().map(|cells| carried(cells, i)).collect();
            match (self.outputs.meaning, self.top) {
                (Meaning::Classes, Some(k)) => {
                    let mut order: Vec<usize> = (0..main).collect();
                    order.sort_by(|&a, &b| row[b].total_cmp(&row[a]).then(a.cmp(&b)));
                    fields.extend(order[..k].iter().flat_map(|&c| [class(c as u32), Cell::Number(row[c])]));
                }
                (Meaning::Classes, None) => {
                    fields.push(class(decided.as_ref().map_or_else(|| argmax(&row[..main]), |d| d[i])));
                }
                _ => {
                    if self.decides() {
                        fields.push(Cell::Word(ANOMALY[usize::from(row[0] > border)].into()));
                    }
                    fields.extend(row.iter().map(|&x| Cell::Number(x)));
                }
            }
            if self.scores && self.outputs.meaning == Meaning::Classes {
                fields.extend(row.iter().map(|&x| Cell::Number(x)));
            }
            if let Some(proba) = &proba {
                fields.extend(proba[i * main..(i + 1) * main].iter().map(|&x| Cell::Number(x)));
            }
            write(i, &fields)?;
        }
        Ok(())
    }
}

/// The column of that name.
fn column<'d>(chunk: &'d Dataset, name: &str) -> Result<&'d Cells, Error> {
    let Inputs::Table(table) = &chunk.inputs else {
        return Err(Error::parameter("keep", name, "these data have no named columns"));
    };
    match table.column(name) {
        Some(column) => Ok(&column.cells),
        None => {
            let names: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
            let near = pellucid::nearest(name, names.iter().copied());
            let hint = near.map_or_else(|| names.join(", "), |n| format!("did you mean {n}?"));
            Err(Error::parameter("keep", name, format!("there is no such column; {hint}")))
        }
    }
}

/// A cell of a column that is carried along.
fn carried(cells: &Cells, i: usize) -> Cell {
    match cells {
        Cells::Number(v) if !v[i].is_nan() => Cell::Number(v[i]),
        Cells::Category { codes, levels } if codes[i] != UNKNOWN => Cell::Word(levels[codes[i] as usize].clone()),
        Cells::Text(texts) | Cells::Id(texts) => texts.get(i).map_or(Cell::Missing, |t| Cell::Word(t.to_string())),
        Cells::Date(v) if !v[i].is_nan() => Cell::Word(files::date_text(v[i]).unwrap_or_else(|| number_text(v[i]))),
        _ => Cell::Missing,
    }
}

/// A field as CSV has it.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}
