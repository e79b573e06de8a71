//! `pellucid predict`: new rows through a stored model, chunk by chunk, in bounded memory.
//!
//! Lines of CSV go to standard output as they come; JSON when it is complete, for half an object is none.

use crate::arguments;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use crate::spool::Spool;
use pellucid::job::{self, DataSource, OutputField, Predict};
use pellucid::{files, plural};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &arguments::Predict) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    if let Some(path) = &arguments.output {
        job::guard(path, &[&arguments.model, &arguments.data])?;
    }
    let model = arguments.network.model(&arguments.model, None, &run)?;
    let reading = arguments.reading.reading()?;
    let source = DataSource { reading, positive: arguments.positive.clone(), ..DataSource::new(&arguments.data) };
    let (scores, proba, top) = (arguments.scores, arguments.proba, arguments.top);
    let (keep, deciding) = (arguments.keep.clone(), arguments.decision.deciding()?);
    let job = Predict { model, source, scores, proba, top, keep, deciding };
    let mut predicting = job.begin(&run)?;
    let header = predicting.header();
    let json = arguments.running.json && arguments.output.is_none();
    let mut work = |out: &mut dyn Write| -> Result<(), Trouble> {
        match json {
            true => write!(out, "{{\"predictions\": [")?,
            false => writeln!(out, "{}", header.iter().map(|f| files::csv_field(f)).collect::<Vec<_>>().join(","))?,
        }
        predicting.each_row(&run, &mut |row, fields| -> Result<(), Trouble> {
            match json {
                true => {
                    let fields = header.iter().cloned().zip(fields.iter().map(object));
                    let comma = if row > 0 { "," } else { "" };
                    write!(out, "{comma}\n  {}", Value::Object(fields.collect()))?;
                }
                false => writeln!(out, "{}", fields.iter().map(OutputField::csv).collect::<Vec<_>>().join(","))?,
            }
            Ok(())
        })?;
        let rows = predicting.rows;
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
            let rows = predicting.rows;
            match arguments.running.json {
                true => {
                    let seconds = predicting.time.as_secs_f64();
                    show::say_json(&json!({ "rows": rows, "seconds": seconds, "file": path.display().to_string() }))?;
                }
                false => show::say(&format!("{} predicted: {}", plural(rows, "row"), path.display()))?,
            }
        }
    }
    Ok(if Terminal::interrupted() { ExitCode::from(130) } else { ExitCode::SUCCESS })
}

fn object(field: &OutputField) -> Value {
    match field {
        OutputField::Word(word) => json!(word),
        OutputField::Number(x) => show::number(*x),
        OutputField::Missing => Value::Null,
    }
}
