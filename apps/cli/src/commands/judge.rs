//! `pellucid judge`: how good are these explanations of a detector.

use super::explain::{load, rows_of};
use crate::arguments::Judge;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::explain::flipping::Flipping;
use pellucid::explain::{Compared, Method, OneClass, Question, compare, explain, split};
use pellucid::picture::{Lines, Look, Picture, Series, Size, png};
use pellucid::report::{Block, Page, Section};
use pellucid::{Error, Model, files, strangest};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Rows judged by when nobody says which.
const USUAL: usize = 100;

/// Runs the command.
pub fn run(arguments: &Judge) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let methods: Vec<Method> =
        arguments.methods.iter().map(|m| Method::find(m.trim())).collect::<Result<_, Error>>()?;
    if let Some(m) = methods.iter().find(|m| m.of_support()) {
        return Err(Error::parameter("methods", m.word(), "explains by support points; inputs are flipped here").into());
    }
    let model = Model::load(&arguments.model, &run)?;
    let Some(density) = split(&*model.machine).machine().density() else {
        let instead = "flipping judges detectors with a radial kernel (one-class-svm, svdd, kde)";
        return Err(Error::unsupported("judge", "this model", instead).into());
    };
    let data = load(&model, &arguments.data, &arguments.reading, &run)?;
    let rows = match &arguments.rows {
        Some(text) => rows_of(text, data.len())?,
        None => strangest(&*model.machine, &data, USUAL, &run)?,
    };
    let inputs = data.inputs.select(&rows)?;
    let mut told = vec![];
    let mut points = None;
    for method in methods {
        let answer = explain(&*model.machine, &inputs, Question { method: Some(method), output: None }, &run)?;
        told.push(answer.direct);
        points = Some(answer.points);
    }
    let Some(points) = points else { return Err(Error::parameter("methods", "", "must name at least one").into()) };
    let detector = OneClass::new(&density, &run)?;
    let compared = compare(&Flipping::new(&detector, &run)?, &points, &told, &run)?;
    if let Some(path) = &arguments.output {
        write(path, &compared, rows.len())?;
    }
    terminal.clear();
    match arguments.running.json {
        true => show::say_json(&object(&compared, rows.len()))?,
        false => show::say(&text(&compared, rows.len(), arguments.output.as_deref()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What the whole interval of the difference says.
fn verdict(c: &Compared) -> &'static str {
    match c.difference {
        d if d.low > 0.0 => "worse",
        d if d.high < 0.0 => "better",
        _ => "tied",
    }
}

fn text(compared: &[Compared], rows: usize, file: Option<&Path>) -> String {
    let first = compared.first().map_or("", |c| c.method.as_str());
    let mut text = format!("area under the flipping curve, {rows} rows; less is better\n");
    text += &format!("  {:22} {:>8}   {:>28}\n", "method", "area", format!("less {first} (95 % interval)"));
    for (i, c) in compared.iter().enumerate() {
        let d = c.difference;
        let beside = match i {
            0 => String::new(),
            _ => format!("{:+.4} ({:+.4} to {:+.4})  {}", d.mean, d.low, d.high, verdict(c)),
        };
        text += format!("  {:22} {:>8.4}   {beside}", c.method, c.area.mean).trim_end();
        text.push('\n');
    }
    if let Some(file) = file {
        text += &format!("written: {}\n", file.display());
    }
    text
}

fn object(compared: &[Compared], rows: usize) -> Value {
    let one = |c: &Compared| {
        let n = show::number;
        json!({
            "method": c.method, "area": n(c.area.mean), "difference": n(c.difference.mean),
            "low": n(c.difference.low), "high": n(c.difference.high), "verdict": verdict(c),
        })
    };
    json!({ "rows": rows, "methods": compared.iter().map(one).collect::<Vec<_>>() })
}

fn curves(compared: &[Compared]) -> Lines {
    let series = |c: &Compared| {
        let last = c.curve.len().saturating_sub(1).max(1) as f64;
        let x = (0..c.curve.len()).map(|t| t as f64 / last).collect();
        Series { name: c.method.clone(), x, y: c.curve.clone(), ..Series::default() }
    };
    Lines {
        title: "Outlierness as relevant inputs are taken away".into(),
        x_label: "share of inputs taken away".into(),
        y_label: "outlierness, share of its start".into(),
        series: compared.iter().map(series).collect(),
        ..Lines::default()
    }
}

fn write(path: &Path, compared: &[Compared], rows: usize) -> Result<(), Error> {
    let look = Look { size: Size { width: 640.0, height: 0.0 }, ..Look::default() };
    let bytes = match path.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "png" => png(&curves(compared).to_svg(&look)?, 2.0)?,
        "svg" => curves(compared).to_svg(&look)?.into_bytes(),
        "html" => {
            let head = ["method", "area", "less the first", "low", "high", ""].map(String::from).to_vec();
            let row = |c: &Compared| {
                let numbers = [c.area.mean, c.difference.mean, c.difference.low, c.difference.high];
                let mut row = vec![c.method.clone()];
                row.extend(numbers.map(|x| format!("{x:.4}")));
                row.push(verdict(c).into());
                row
            };
            let table = Block::Table { head, rows: compared.iter().map(row).collect() };
            let blocks = vec![Block::Pictures(vec![Box::new(curves(compared))]), table];
            let summary = format!("{rows} rows; intervals are of differences in pairs, 95 %. Less is better.");
            let sections = vec![Section { title: "Curves".into(), blocks }];
            Page { title: "How good are these explanations".into(), summary, sections }.to_html()?.into_bytes()
        }
        _ => return Err(Error::parameter("output", path.display(), "must end in .html, .png or .svg")),
    };
    files::write_whole(path, |out| out.write_all(&bytes))
}
