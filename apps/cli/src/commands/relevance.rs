//! `pellucid explain` of many rows to a file of numbers: block by block in bounded memory, to be resumed after an
//! interruption.

use super::explain::{judged, object, text};
use crate::arguments::Explain;
use crate::session::Terminal;
use crate::show::{self, Trouble};
use pellucid::explain::Question;
use pellucid::files::{self, Checksum, Growing};
use pellucid::job::{Explaining, unbalanced};
use pellucid::{Cells, Error, Inputs, Progress, Run, Told, Watch, explain_rows_with};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Numbers of a block, about.
const BLOCK: usize = 1 << 20;

/// What the first block may take, whatever the time that is given.
const LEAST: Duration = Duration::from_secs(5);

/// Explains all rows, writes them as they are done.
pub(super) fn run(
    arguments: &Explain,
    begun: &Explaining,
    terminal: &Terminal,
    run: &Run<'_>,
) -> Result<ExitCode, Trouble> {
    let Some(path) = arguments.output.as_deref() else { return Ok(ExitCode::SUCCESS) };
    if begun.methods.len() > 1 || !arguments.also.is_empty() {
        return Err(Error::parameter("method", arguments.method.join(","), "must be one for .npy and .csv").into());
    }
    let question = Question { method: begun.methods.first().copied(), output: begun.output };
    let explain = |rows: &[usize], run: &Run<'_>| {
        explain_rows_with(&*begun.model.machine, &begun.data, rows, question, &begun.tuning, run)
    };
    // However little time there is, work that is resumed again and again comes to an end.
    let first_block = Run { deadline: run.deadline.map(|end| end.max(Instant::now() + LEAST)), ..run.clone() };
    let all = begun.rows.len();
    // Blocks are cut by the data alone, so that resumed work is cut as it was.
    let each = (BLOCK / begun.data.inputs.columns().max(1)).clamp(16, 4096);
    let mut file = Growing::open(path, whose(arguments, begun, path, run)?, arguments.resume)?;
    let kept = file.blocks();
    let (mut first, mut wrong, mut done) = (None::<Told>, None, (kept * each).min(all));
    let mut warned = std::collections::BTreeSet::new();
    if kept > 0 {
        terminal.note(&format!("{done} of {all} rows were there already"));
    }
    for (k, rows) in begun.rows.chunks(each).enumerate().skip(kept) {
        if k > kept && run.step(&Progress::of("rows", done as u64, all as u64))? {
            return Ok(stopped(path, done, all, terminal));
        }
        let told = match explain(rows, if k == kept { &first_block } else { run }) {
            Ok(told) => told,
            Err(Error::Cancelled | Error::Stopped { .. }) if k > 0 => return Ok(stopped(path, done, all, terminal)),
            Err(other) => return Err(other.into()),
        };
        if told.rows.len() < rows.len() {
            return Ok(stopped(path, done, all, terminal));
        }
        file.add(&files::part_of_data(path, &told.data(), (k * each, all), run)?)?;
        done += rows.len();
        wrong = wrong.or_else(|| unbalanced(&told));
        told.answer.warnings.iter().for_each(|w| _ = warned.insert(w.clone()));
        first.get_or_insert(told);
    }
    file.finish()?;
    terminal.clear();
    warned.iter().for_each(|warning| show::warn(warning));
    match (first, arguments.running.json) {
        (Some(told), true) => {
            let mut object = object(&told, &begun.data, Some(path));
            object["explained"] = json!(all);
            show::say_json(&object)?;
        }
        (Some(told), false) if told.rows.len() < all => {
            let method = &told.answer.relevance.method;
            show::say(&format!("method: {method} ({all} rows)\nwritten: {}\n", path.display()))?;
        }
        (Some(told), false) => show::say(&text(&told, &begun.data, Some(path)))?,
        (None, true) => show::say_json(&json!({ "explained": all, "file": path.display().to_string() }))?,
        (None, false) => show::say(&format!("written: {}\n", path.display()))?,
    }
    Ok(judged(arguments, wrong))
}

/// Says that some rows are missing, and how to go on.
fn stopped(path: &Path, done: usize, all: usize, terminal: &Terminal) -> ExitCode {
    terminal.clear();
    let again = format!("{done} of {all} rows are done and kept beside it; the same command with --resume goes on");
    show::complain(&format!("{} is not whole: {again}", path.display()));
    ExitCode::from(130)
}

/// A number that tells this work apart from all other: model, data, rows, method, settings, seed.
fn whose(arguments: &Explain, begun: &Explaining, path: &Path, run: &Run<'_>) -> Result<u64, Error> {
    let mut sum = Checksum::default();
    sum.add(&files::open(&arguments.model, run)?);
    let words = [&arguments.method, &arguments.settings].map(|list| list.join(","));
    words.iter().for_each(|word| sum.add(word.as_bytes()));
    let (network, output) = (&arguments.network, begun.output);
    let ending = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
    let taken = format!("{:?} {:?} {:?} {output:?}", network.shift, network.factor, network.node);
    sum.add(format!("{ending} {} {taken}", run.seed.0).as_bytes());
    for &row in &begun.rows {
        sum.add(&(row as u64).to_le_bytes());
    }
    // Also rows that are not asked for: what is replaced by means, and patterns, are learned from all.
    match &begun.data.inputs {
        Inputs::Points(points) => {
            let mut row = vec![0.0; points.columns()];
            let mut bytes = vec![];
            for i in 0..points.len() {
                run.report(&Progress::of("rows to compare", i as u64, points.len() as u64))?;
                points.write_row(i, &mut row);
                bytes.clear();
                row.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
                sum.add(&bytes);
            }
        }
        Inputs::Table(table) => {
            for column in table.columns() {
                sum.add(column.name.as_bytes());
                for row in 0..table.rows() {
                    match &column.cells {
                        Cells::Image(images) => {
                            let image = images.get(row).and_then(Option::as_ref);
                            let values = image.map_or(vec![], |i| i.values.get(0..i.values.len()).into_owned());
                            values.iter().for_each(|x| sum.add(&x.to_le_bytes()));
                        }
                        cells => sum.add(cells.text(row).unwrap_or_default().as_bytes()),
                    }
                }
            }
        }
    }
    Ok(sum.sum())
}
