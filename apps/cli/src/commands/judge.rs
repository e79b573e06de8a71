//! `pellucid judge`: how good are these explanations.

use crate::arguments::Judge;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::explain::judging::{Frame, judge};
use pellucid::explain::{Ground, Interval, Judged, Judging, Measure, Method, Standing, Tuning, split};
use pellucid::job::{self, apply_settings};
use pellucid::picture::{Look, Panels, Picture, Size, png};
use pellucid::{Cells, Error, Model, Place, Run, files};
use pellucid::{contestants, judged_page, judged_pictures, rows_to_judge, usual_measures, usual_methods};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Rows judged by when nobody says which.
const USUAL: usize = 100;

/// Runs the command.
pub fn run(arguments: &Judge) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    if let Some(output) = &arguments.output {
        job::guard(output, &[&arguments.model, &arguments.data])?;
    }
    let named = |names: &[String]| names.iter().map(|m| m.trim().to_string()).collect::<Vec<_>>();
    let methods = named(&arguments.methods).iter().map(|m| Method::find(m)).collect::<Result<Vec<_>, Error>>()?;
    let measures = named(&arguments.measures).iter().map(|m| Measure::find(m)).collect::<Result<Vec<_>, Error>>()?;
    let (mut how, mut tuning) = (Judging::default(), Tuning::default());
    apply_settings(&mut how, &arguments.with)?;
    apply_settings(&mut tuning, &arguments.settings)?;
    let model = Model::load_with(&arguments.model, &arguments.network.reading(None, &run)?, &run)?;
    let machine = &*model.machine;
    let methods = if methods.is_empty() { usual_methods(machine) } else { methods };
    let measures = if measures.is_empty() { usual_measures(machine) } else { measures };
    let contestants = contestants(&methods, &arguments.grid, &tuning)?;
    let source = job::Source { reading: arguments.reading.reading()?, ..job::Source::new(&arguments.data) };
    let data = source.inputs_for(&model, &run)?;
    let rows = match &arguments.rows {
        Some(text) => job::rows_of(text, data.len())?,
        None => rows_to_judge(machine, &data, USUAL, &run)?,
    };
    let frames = match &arguments.boxes {
        Some(file) => frames(file, data.len(), &run)?,
        None if measures.contains(&Measure::Localisation) => {
            let must = "localisation needs a box for each row (--boxes FILE)";
            return Err(Error::parameter("measures", "localisation", must).into());
        }
        None => vec![],
    };
    let frames: Vec<Frame> = rows.iter().filter_map(|&i| frames.get(i).copied()).collect();
    let ground = Ground { data: &data.inputs, frames: &frames };
    let judged = judge(machine, &data.inputs.select(&rows)?, &contestants, (&measures, &how), ground, &run)?;
    let classes = split(machine).machine().outputs().names.to_vec();
    if let Some(path) = &arguments.output {
        write(path, &judged, rows.len(), &classes)?;
    }
    terminal.clear();
    match arguments.running.json {
        true => show::say_json(&object(&judged, rows.len(), &classes))?,
        false => show::say(&text(&judged, rows.len(), &classes, arguments.output.as_deref()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// One box for each row of the data, from columns top, left, bottom, right.
fn frames(path: &Path, count: usize, run: &Run<'_>) -> Result<Vec<Frame>, Error> {
    let mut data = files::read(path, &files::Reading::default(), run)?;
    let mut numbers = |name: &str| -> Result<Vec<usize>, Error> {
        let wrong = |why: String| Error::data(Place::Column(name.into()), format!("{}: {why}", path.display()));
        let Cells::Number(values) = data.take_column(name)? else { return Err(wrong("must hold numbers".into())) };
        let whole = |x: &f64| match *x >= 0.0 && x.fract() == 0.0 && *x < 1e9 {
            true => Ok(*x as usize),
            false => Err(wrong(format!("{x} is no place of a pixel"))),
        };
        match values.len() == count {
            true => values.iter().map(whole).collect(),
            false => Err(wrong(format!("{} boxes for {count} rows", values.len()))),
        }
    };
    let sides = [numbers("top")?, numbers("left")?, numbers("bottom")?, numbers("right")?];
    let frame = |i: usize| Frame { top: sides[0][i], left: sides[1][i], bottom: sides[2][i], right: sides[3][i] };
    Ok((0..count).map(frame).collect())
}

/// What is shown of classes that rest on their surroundings.
const LOWEST: usize = 10;

fn text(judged: &[Judged], rows: usize, classes: &[String], file: Option<&Path>) -> String {
    let mut text = String::new();
    for j in judged {
        let (measure, better) = (j.measure, j.better.word());
        text += &format!("{}: {}; {better} is better ({rows} rows)\n", measure.word(), measure.about());
        let widest = j.standings.iter().map(|s| s.name.len()).max().unwrap_or(0).max(6);
        let beside = "less random (95 % interval)";
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
            text += "  classes whose relevance lies least in the box (inside over outside):\n";
            for c in j.classes.iter().take(LOWEST) {
                text += &format!("    {:.4}  {} ({} rows)\n", c.mean, class(classes, c.class), c.rows);
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
    let method = |s: &Standing| {
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

fn write(path: &Path, judged: &[Judged], rows: usize, classes: &[String]) -> Result<(), Error> {
    let svg = || {
        let pictures: Vec<Box<dyn Picture>> = judged.iter().flat_map(|j| judged_pictures(j, "")).collect();
        let width = if pictures.len() > 1 { 960.0 } else { 640.0 };
        let look = Look { size: Size { width, height: 0.0 }, ..Look::default() };
        Panels { title: "How good are these explanations".into(), pictures, columns: 0 }.to_svg(&look)
    };
    let bytes = match path.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "png" => png(&svg()?, 2.0)?,
        "svg" => svg()?.into_bytes(),
        "html" => judged_page(judged, rows, classes).to_html()?.into_bytes(),
        _ => return Err(Error::parameter("output", path.display(), "must end in .html, .png or .svg")),
    };
    files::write_whole(path, |out| out.write_all(&bytes))
}
