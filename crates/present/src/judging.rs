//! How good are explanations of a model: what is judged where nobody says, grids over settings, pages and pictures.

use crate::explaining::strangest;
use base::{Dataset, Error, Machine, Meaning, Result, Run, Settings, find_setting};
use evaluate::Grid;
use explain::{Contestant, Curve, Interval, Judged, Measure, Method, Standing, Subject, Tuning};
use picture::{Bars, Lines, Picture, Series};
use report::{Block, Page, Section};

/// Curves in a picture, random relevance not counted.
const SHOWN: usize = 7;

/// The methods that are worth comparing for this machine.
pub fn usual_methods(machine: &dyn Machine) -> Vec<Method> {
    Subject::new(machine).usual_methods()
}

/// What explanations of this machine are judged by where nobody says.
pub fn usual_measures(machine: &dyn Machine) -> Vec<Measure> {
    vec![if Subject::new(machine).density().is_some() { Measure::Flipping } else { Measure::Perturbation }]
}

/// Rows to judge by where nobody says which: a detector's strangest, else evenly over the data, which may be in order.
pub fn rows_to_judge(machine: &dyn Machine, data: &Dataset, most: usize, run: &Run<'_>) -> Result<Vec<usize>> {
    if machine.outputs().meaning == Meaning::Outlier {
        return strangest(machine, data, most, run);
    }
    let (n, most) = (data.len(), most.min(data.len()));
    Ok((0..most).map(|k| k * n / most).collect())
}

/// Methods with every combination of those settings of a grid (`noise=0.05,0.1`) that they look at.
pub fn contestants(methods: &[Method], grid: &[String], tuning: &Tuning) -> Result<Vec<Contestant>> {
    for axis in grid {
        let name = axis.split('=').next().unwrap_or("").trim();
        find_setting(&tuning.params(), name)?;
        if !methods.iter().any(|m| m.looks_at(name)) {
            let able: Vec<&str> = Method::ALL.iter().filter(|m| m.looks_at(name)).map(|m| m.word()).collect();
            let must = format!("none of the methods looks at it; {} would", able.join(", "));
            return Err(Error::parameter("grid", axis, must));
        }
    }
    let mut all: Vec<Contestant> = vec![];
    for &method in methods {
        let own = |axis: &&String| axis.split('=').next().is_some_and(|name| method.looks_at(name.trim()));
        let axes = grid.iter().filter(own).try_fold(Grid::default(), |g, axis| g.with(axis, tuning))?;
        for combination in axes.combinations() {
            let (mut name, mut tuning) = (method.word().to_string(), tuning.clone());
            for (setting, value) in combination {
                name += &format!(" {setting}={value}");
                tuning.set(&setting, value)?;
            }
            if all.iter().any(|c| c.name == name) {
                return Err(Error::parameter("methods", name, "is named twice"));
            }
            all.push(Contestant { name, method, tuning });
        }
    }
    Ok(all)
}

/// What a measure found, drawn: curves where there are some, and means with their intervals; titles begin with `of`, what
/// was judged, if there is need to say it.
pub fn judged_pictures(judged: &Judged, of: &str) -> Vec<Box<dyn Picture>> {
    let titled = |title: &str| if of.is_empty() { title.to_string() } else { format!("{of}: {title}") };
    let mut pictures: Vec<Box<dyn Picture>> = vec![];
    let chosen: Vec<&Curve> = judged
        .curves
        .iter()
        .enumerate()
        .filter(|(k, c)| *k < SHOWN || c.name == Method::Random.word())
        .map(|(_, c)| c)
        .collect();
    let lines = |title: &str, y: &dyn Fn(&Curve) -> Vec<f64>, (x_label, y_label): (&str, &str)| {
        let series = |c: &&Curve| Series { name: c.name.clone(), x: c.x.clone(), y: y(c), ..Series::default() };
        Box::new(Lines {
            title: titled(title),
            x_label: x_label.into(),
            y_label: y_label.into(),
            series: chosen.iter().map(series).collect(),
            marks: judged.measure == Measure::Randomisation,
            ..Lines::default()
        })
    };
    let most = |c: &Curve| c.most.clone();
    match judged.measure {
        Measure::Perturbation => {
            let labels = ("share of regions away", "score");
            pictures.push(lines("The most relevant first", &most, labels));
            pictures.push(lines("The least relevant first", &|c| c.least.clone(), labels));
        }
        Measure::Flipping => {
            let labels = ("share of inputs taken away", "outlierness, share of its start");
            pictures.push(lines("Outlierness as relevant inputs are taken away", &most, labels));
        }
        Measure::Randomisation => {
            let labels = ("layers drawn anew, from the output on", "rank correlation");
            pictures.push(lines("Likeness to explanations of drawn networks", &most, labels));
        }
        _ => {}
    }
    let named = |s: &Standing| s.name.clone();
    // Of one row the interval has no end, and is not drawn.
    let ends = |s: &Standing| (s.mean.low, s.mean.high);
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
            Block::Text(format!("A row's number: {}; {} is better.", judged.measure.about(), judged.better.word())),
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
        title: "How good are these explanations".into(),
        summary: format!(
            "{rows} rows. Intervals are 95 %, differences are in pairs on the same rows. Random relevance is what every \
             method must beat."
        ),
        sections: sections.collect(),
    }
}

fn table(judged: &Judged) -> Block {
    let mut head: Vec<String> =
        ["rank", "method", "mean", "interval", "less random", "interval", "", "beside the best", "mean rank"]
            .map(String::from)
            .to_vec();
    let also: Vec<&str> = judged.standings.first().map_or(vec![], |s| s.also.iter().map(|(n, _)| *n).collect());
    head.extend(also.iter().map(|n| n.to_string()));
    let span = |i: &Interval| format!("{:.4} to {:.4}", i.low, i.high);
    let row = |s: &Standing| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_for_the_methods_that_look_at_them() {
        let methods = [Method::SmoothGrad, Method::Gradient, Method::IntegratedGradients];
        let grid = ["noise=0.05,0.2", "steps=8,32"].map(String::from);
        let names: Vec<String> =
            contestants(&methods, &grid, &Tuning::default()).unwrap().into_iter().map(|c| c.name).collect();
        let expected = [
            "smoothgrad noise=0.05",
            "smoothgrad noise=0.2",
            "gradient",
            "integrated-gradients steps=8",
            "integrated-gradients steps=32",
        ];
        assert_eq!(names, expected);
        let two =
            contestants(&[Method::SmoothGrad], &["noise=0.1,0.2".into(), "copies=4,8".into()], &Tuning::default());
        let two = two.unwrap();
        assert_eq!((two.len(), two[1].name.as_str(), two[1].tuning.copies), (4, "smoothgrad noise=0.1 copies=8", 8));
        let said = |methods: &[Method], axis: &str| {
            contestants(methods, &[axis.to_string()], &Tuning::default()).unwrap_err().to_string()
        };
        assert!(
            said(&[Method::Gradient], "noise=1").contains("smoothgrad"),
            "{}",
            said(&[Method::Gradient], "noise=1")
        );
        assert!(said(&methods, "nose=1").contains("noise") && said(&methods, "noise").contains("a,b,c"));
        assert!(said(&methods, "noise=-1").contains("at least 0") && said(&methods, "noise=1,1").contains("twice"));
    }
}
