//! `pellucid compare`: machines on the same held-out rows.

use crate::arguments::{Compare, apply_settings};
use crate::data;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::evaluate::{Comparison, Contender, Grid, Measures, Splitting, Tuned, compare};
use pellucid::{Catalog, Dataset, Error, KNOWN, Learner, Wanted, prepared};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Compare) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let learners = arguments.machines.iter().map(|m| parsed(m)).collect::<Result<Vec<_>, Error>>()?;
    let groups = (None, arguments.groups.as_deref());
    let wanted = wanted(&learners);
    let loaded = data::load(&arguments.data, &arguments.target, &arguments.reading, groups, wanted, &run)?;
    let contenders = learners
        .into_iter()
        .map(|(name, learner)| contender(arguments, name, learner, &loaded.data))
        .collect::<Result<Vec<_>, Error>>()?;
    let splitting = Splitting::Folds { n: arguments.folds, repeats: arguments.repeats, stratified: true };
    let splits = splitting.of(&loaded.data, run.seed)?;
    let measure = arguments.measure.as_deref().unwrap_or(Measures::usual(&loaded.data.targets));
    let result = compare(&contenders, &loaded.data, &splits, measure, &run)?;
    if result.means.iter().all(|m| m.is_nan()) {
        let known: Vec<&str> = result.validations[0].folds[0].values.iter().map(|(n, _)| *n).collect();
        return Err(Error::parameter("measure", measure, format!("the measures are {}", known.join(", "))).into());
    }
    terminal.clear();
    match arguments.running.json {
        true => show::say_json(&object(&result))?,
        false => show::say(&table(&result, splits.len()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// `knn:k=1:weighting=distance` as a learner, with how it is shown.
fn parsed(text: &str) -> Result<(String, Box<dyn Learner>), Error> {
    let mut parts = text.split(':');
    let mut learner = KNOWN.learner(parts.next().unwrap_or(""))?;
    let settings: Vec<String> = parts.map(str::to_string).collect();
    apply_settings(&mut *learner, &settings)?;
    Ok((text.replace(':', " "), learner))
}

/// The targets that all machines take.
fn wanted(learners: &[(String, Box<dyn Learner>)]) -> Wanted {
    let all = || learners.iter().map(|(_, l)| l.needs().targets);
    all().find(|w| !matches!(w, Wanted::Either)).unwrap_or(Wanted::Either)
}

/// A machine with its preparation, which chooses its settings itself where the grid has some for it.
fn contender(arguments: &Compare, name: String, learner: Box<dyn Learner>, data: &Dataset) -> Result<Contender, Error> {
    let mut grid = Grid::default();
    let known: Vec<&str> = learner.params().iter().map(|p| p.name).collect();
    for axis in &arguments.grid {
        if axis.split('=').next().is_some_and(|n| known.contains(&n.trim())) {
            grid = grid.with(axis, &*learner)?;
        }
    }
    let (_, pipeline) = prepared(&arguments.prepare, data, learner)?;
    if grid.axes.is_empty() {
        return Ok(Contender { name, learner: pipeline });
    }
    let splitting = Splitting::Folds { n: 5, repeats: 1, stratified: true };
    let tuned = Tuned { learner: pipeline, settings: grid.combinations(), splitting };
    Ok(Contender { name: format!("{name} (tuned)"), learner: Box::new(tuned) })
}

fn table(result: &Comparison, splits: usize) -> String {
    let width = result.names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(7);
    let mut order: Vec<usize> = (0..result.names.len()).collect();
    order.sort_by(|&a, &b| result.ranks[a].total_cmp(&result.ranks[b]).then(a.cmp(&b)));
    let mut text = format!(
        "{:width$}  {:>10}  {:>9}  {:>5}  {:>8}  {:>8}\n",
        "machine", result.measure, "deviation", "rank", "p (t)", "p (McN)"
    );
    for k in order {
        let mc = result.mc_nemar[k].map_or("-".to_string(), |p| format!("{p:.4}"));
        let (t, mc) = if k == result.best {
            ("best".to_string(), "best".to_string())
        } else {
            (format!("{:.4}", result.t_test[k]), mc)
        };
        text += &format!(
            "{:width$}  {:>10}  {:>9}  {:>5.2}  {t:>8}  {mc:>8}\n",
            result.names[k],
            show::short(result.means[k]),
            show::short(result.deviations[k]),
            result.ranks[k],
        );
    }
    text += &format!(
        "over {splits} splits; p: corrected paired t-test and McNemar's test against {}\n",
        result.names[result.best]
    );
    text
}

fn object(result: &Comparison) -> Value {
    let machines: Vec<Value> = (0..result.names.len())
        .map(|k| {
            json!({
                "machine": result.names[k], "mean": show::number(result.means[k]),
                "deviation": show::number(result.deviations[k]), "rank": result.ranks[k],
                "p_t": result.t_test[k], "p_mcnemar": result.mc_nemar[k],
                "folds": result.validations[k].all(&result.measure),
            })
        })
        .collect();
    json!({ "measure": result.measure, "best": result.names[result.best], "machines": machines })
}
