//! How good explanations of a model are, as pages and pictures.

use explain::{Interval, Judged, Measure, Method, PerturbationCurve, Ranking};
use picture::{Bars, LinePlot, Picture, Series};
use report::{Block, Page, Section};

/// Curves in a picture, random relevance not counted.
const SHOWN: usize = 7;

/// What a measure found, drawn: curves where there are some, and means with their intervals; titles begin with `of`, what
/// was judged, if there is need to say it.
pub fn judged_pictures(judged: &Judged, of: &str) -> Vec<Box<dyn Picture>> {
    let titled = |title: &str| if of.is_empty() { title.to_string() } else { format!("{of}: {title}") };
    let mut pictures: Vec<Box<dyn Picture>> = vec![];
    let chosen: Vec<&PerturbationCurve> = judged
        .curves
        .iter()
        .enumerate()
        .filter(|(k, c)| *k < SHOWN || c.name == Method::Random.word())
        .map(|(_, c)| c)
        .collect();
    let lines = |title: &str, y: &dyn Fn(&PerturbationCurve) -> Vec<f64>, (x_label, y_label): (&str, &str)| {
        let series =
            |c: &&PerturbationCurve| Series { name: c.name.clone(), x: c.x.clone(), y: y(c), ..Series::default() };
        Box::new(LinePlot {
            title: titled(title),
            x_label: x_label.into(),
            y_label: y_label.into(),
            series: chosen.iter().map(series).collect(),
            marks: judged.measure == Measure::Randomisation,
            ..LinePlot::default()
        })
    };
    let most = |c: &PerturbationCurve| c.most.clone();
    match judged.measure {
        Measure::Perturbation => {
            let labels = ("fraction of regions removed", "score");
            pictures.push(lines("The most relevant first", &most, labels));
            pictures.push(lines("The least relevant first", &|c| c.least.clone(), labels));
        }
        Measure::Flipping => {
            let labels = ("fraction of inputs removed", "outlierness, fraction of its start");
            pictures.push(lines("Outlierness as relevant inputs are removed", &most, labels));
        }
        Measure::Randomisation => {
            let labels = ("randomised layers, from the output down", "rank correlation");
            pictures.push(lines("Similarity to explanations of randomised networks", &most, labels));
        }
        _ => {}
    }
    let named = |s: &Ranking| s.name.clone();
    // Of one row the interval has no end, and is not drawn.
    let ends = |s: &Ranking| (s.mean.low, s.mean.high);
    let intervals: Vec<(f64, f64)> = judged.standings.iter().map(ends).collect();
    pictures.push(Box::new(Bars {
        title: titled(&format!("Mean by method; {} is better", judged.better.word())),
        x_label: judged.measure.word().into(),
        names: judged.standings.iter().map(named).collect(),
        values: judged.standings.iter().map(|s| s.mean.mean).collect(),
        intervals: if intervals.iter().all(|(a, b)| a.is_finite() && b.is_finite()) { intervals } else { vec![] },
        ..Bars::default()
    }));
    pictures
}

/// All that was found as a page; `classes` are the names of the outputs.
pub fn judged_page(all: &[Judged], rows: usize, classes: &[String]) -> Page {
    let sections = all.iter().map(|judged| {
        let mut blocks = vec![
            Block::Text(format!("Per row: {}; {} is better.", judged.measure.about(), judged.better.word())),
            Block::Pictures(judged_pictures(judged, "")),
            table(judged),
        ];
        if !judged.classes.is_empty() {
            let line = |c: &explain::judging::ByClass| {
                let name = classes.get(c.class).cloned().unwrap_or(c.class.to_string());
                vec![name, c.rows.to_string(), format!("{:.4}", c.mean)]
            };
            let head = ["class", "rows", "inside over outside"].map(String::from).to_vec();
            blocks.push(Block::Table { head, rows: judged.classes.iter().map(line).collect() });
        }
        Section { title: judged.measure.word().into(), blocks }
    });
    Page {
        title: "Evaluation of explanations".into(),
        summary: format!(
            "{rows} rows. 95 % intervals; differences are paired on the same rows. Random relevance is the \
                 baseline that every method must beat."
        ),
        sections: sections.collect(),
    }
}

fn table(judged: &Judged) -> Block {
    let mut head: Vec<String> = [
        "rank",
        "method",
        "mean",
        "interval",
        "difference to random",
        "interval",
        "",
        "difference to best",
        "mean rank",
    ]
    .map(String::from)
    .to_vec();
    let also: Vec<&str> = judged.standings.first().map_or(vec![], |s| s.also.iter().map(|(n, _)| *n).collect());
    head.extend(also.iter().map(|n| n.to_string()));
    let span = |i: &Interval| format!("{:.4} to {:.4}", i.low, i.high);
    let row = |s: &Ranking| {
        let mut row = vec![
            s.rank.to_string(),
            s.name.clone(),
            format!("{:.4}", s.mean.mean),
            span(&s.mean),
            format!("{:+.4}", s.random.mean),
            span(&s.random),
            if s.name == Method::Random.word() { String::new() } else { s.verdict.word().into() },
            s.beside_best.word().into(),
            format!("{:.2}", s.mean_rank),
        ];
        row.extend(s.also.iter().map(|(_, i)| format!("{:.4}", i.mean)));
        row
    };
    Block::Table { head, rows: judged.standings.iter().map(row).collect() }
}
