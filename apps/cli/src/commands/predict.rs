//! `pellucid predict`: new rows through a stored model, chunk by chunk, in bounded memory.

use crate::arguments::Predict;
use crate::data;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::{Error, Meaning, Model, Outputs, Prediction, Run, align, argmax, files, number_text};
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Runs the command.
pub fn run(arguments: &Predict) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let model = Model::load_with(&arguments.model, &arguments.network.reading(None, &run)?, &run)?;
    let columns = Columns::new(arguments, model.machine.outputs())?;
    let mut how = arguments.reading.reading()?;
    how.kinds = data::kinds(model.machine.inputs());
    let (mut rows, mut computing) = (0, Duration::ZERO);
    let mut work = |out: &mut dyn Write| -> Result<(), Trouble> {
        writeln!(out, "{}", columns.header())?;
        for chunk in files::stream(&arguments.data, &how, &run)? {
            let chunk = chunk?;
            let inputs = align(&chunk, model.machine.inputs(), &run)?;
            let begin = Instant::now();
            let prediction = Prediction::of(&*model.machine, &inputs, &run)?;
            computing += begin.elapsed();
            columns.write(out, &prediction, &run)?;
            rows += chunk.len();
            if run.step(&pellucid::Progress { stage: "predict", done: rows as u64, total: None, value: None })? {
                break;
            }
        }
        Ok(())
    };
    match &arguments.output {
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
}

impl<'a> Columns<'a> {
    fn new(arguments: &Predict, outputs: &'a Outputs) -> Result<Self, Error> {
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
                    "fit it with --prepare calibrate for probabilities, ask for --scores, or of an ONNX network for --softmax",
                ));
            }
            _ => {}
        }
        let top = arguments.top.map(|k| k.min(outputs.main()));
        Ok(Columns { outputs, scores: arguments.scores, proba: arguments.proba, top })
    }

    fn header(&self) -> String {
        let names = &self.outputs.names;
        let mut fields: Vec<String> = match (self.outputs.meaning, self.top) {
            (Meaning::Classes, Some(k)) => (1..=k).flat_map(|i| [format!("class_{i}"), format!("score_{i}")]).collect(),
            (Meaning::Classes, None) => vec!["prediction".into()],
            _ => names.to_vec(),
        };
        if self.scores && self.outputs.meaning == Meaning::Classes {
            fields.extend(names.iter().map(|n| format!("score {n}")));
        }
        if self.proba {
            fields.extend(names[..self.outputs.main()].iter().map(|n| format!("p {n}")));
        }
        fields.iter().map(|f| quoted(f)).collect::<Vec<_>>().join(",")
    }

    fn write(&self, out: &mut dyn Write, prediction: &Prediction, run: &Run<'_>) -> Result<(), Trouble> {
        let (width, main) = (self.outputs.names.len(), self.outputs.main());
        let scores = prediction.scores.to_dense(&run.memory)?;
        let proba = if self.proba { prediction.probabilities(run)? } else { None };
        let class = |i: u32| quoted(&self.outputs.names[i as usize]);
        for (i, row) in scores.chunks_exact(width.max(1)).enumerate() {
            let mut fields: Vec<String> = match (self.outputs.meaning, self.top) {
                (Meaning::Classes, Some(k)) => {
                    let mut order: Vec<usize> = (0..main).collect();
                    order.sort_by(|&a, &b| row[b].total_cmp(&row[a]).then(a.cmp(&b)));
                    order[..k].iter().flat_map(|&c| [class(c as u32), number_text(row[c])]).collect()
                }
                (Meaning::Classes, None) => vec![class(argmax(&row[..main]))],
                _ => row.iter().map(|&x| number_text(x)).collect(),
            };
            if self.scores && self.outputs.meaning == Meaning::Classes {
                fields.extend(row.iter().map(|&x| number_text(x)));
            }
            if let Some(proba) = &proba {
                fields.extend(proba[i * main..(i + 1) * main].iter().map(|&x| number_text(x)));
            }
            writeln!(out, "{}", fields.join(","))?;
        }
        Ok(())
    }
}

/// A field as CSV has it.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}
