//! `pellucid compare`: machines on the same held-out rows.

use crate::arguments::{Compare, TargetChoice};
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::evaluate::{Comparison, Contender, Grid, Measures, Splitting, Tuned, compare};
use pellucid::job;
use pellucid::report::{Compared, comparison_page};
use pellucid::{Catalog, Dataset, Error, KNOWN, LEARNERS, Learner, Run, Spec, Targets, Wanted, files, prepared, suits};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Compare) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    // All machines are looked at before any data, so that a slip does not cost the time of reading.
    let given =
        arguments.machines.iter().filter(|m| *m != ALL).map(|m| parsed(m)).collect::<Result<Vec<_>, Error>>()?;
    grids_are_taken(arguments, &given)?;
    if let Some(output) = &arguments.output {
        let others: Vec<Source> = arguments.also.iter().map(|text| also(text, arguments)).collect();
        let read = std::iter::once(&arguments.data).chain(others.iter().map(|(file, _)| file));
        job::guard(output, &read.map(PathBuf::as_path).collect::<Vec<_>>())?;
    }
    let first = (arguments.data.clone(), arguments.target.clone());
    let files: Vec<Source> = std::iter::once(first).chain(arguments.also.iter().map(|a| also(a, arguments))).collect();
    let mut all = vec![];
    for (file, target) in &files {
        let compared = one(arguments, file, target, &given, &run).map_err(|e| match (files.len(), e) {
            (1, e) | (_, e @ (Error::Cancelled | Error::File { .. } | Error::Format { .. })) => e,
            (_, e) => Error::File { file: file.display().to_string(), why: e.to_string() },
        })?;
        terminal.clear();
        if !arguments.running.json {
            let title =
                if files.len() > 1 { format!("{}, {} rows\n", compared.data, compared.rows) } else { String::new() };
            show::say(&format!("{title}{}{}", table(&compared.comparison, compared.splits), chosen(&compared)))?;
        }
        all.push(compared);
    }
    if all.windows(2).any(|pair| pair[0].comparison.names != pair[1].comparison.names) {
        let must = "must all be classes or all be values, so that the same machines take part";
        return Err(Error::parameter("also", "targets", must).into());
    }
    if let Some(output) = &arguments.output {
        let html = comparison_page(&all, &repeat(arguments))?.to_html()?;
        files::write_whole(output, |out| out.write_all(html.as_bytes()))?;
    }
    match (&arguments.output, arguments.running.json) {
        (_, true) if files.len() == 1 => show::say_json(&object(&all[0]))?,
        (_, true) => {
            let named = |c: &Compared| (c.data.clone(), object(c));
            show::say_json(&Value::Object(all.iter().map(named).collect()))?;
        }
        (Some(output), false) => show::say(&format!("report: {}", output.display()))?,
        (None, false) => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// The word that stands for every machine that can take part.
const ALL: &str = "all";

/// Data and where their target is.
type Source = (PathBuf, TargetChoice);

/// `wine.csv@quality` as further data; a file of exactly that name comes first.
fn also(text: &str, arguments: &Compare) -> Source {
    let target = arguments.target.clone();
    match text.rsplit_once('@') {
        Some((file, column)) if !Path::new(text).exists() => {
            (file.into(), TargetChoice { target: Some(column.to_string()), ..target })
        }
        _ => (text.into(), target),
    }
}

/// The comparison on one data set.
fn one(
    arguments: &Compare,
    file: &Path,
    target: &TargetChoice,
    given: &[Named],
    run: &Run<'_>,
) -> Result<Compared, Error> {
    let source = job::Source { groups: arguments.groups.clone(), ..target.source(file, &arguments.reading)? };
    let loaded = source.load(wanted(given), run)?;
    let mut learners = given.to_vec();
    if arguments.machines.iter().any(|m| m == ALL) {
        let fits = |w: Wanted| match loaded.data.targets {
            Targets::Classes(_) => matches!(w, Wanted::Classes(_) | Wanted::Either),
            _ => matches!(w, Wanted::Values | Wanted::Either),
        };
        let known = LEARNERS.iter().map(|e| (e.name.to_string(), (e.make)()));
        let fits = |name: &str, l: &dyn Learner| fits(l.traits().needs.targets) && suits(name, &loaded.data);
        learners.extend(known.filter(|(name, l)| fits(name, &**l) && given.iter().all(|(n, _)| n != name)));
    }
    let contenders = learners
        .into_iter()
        .map(|(name, learner)| contender(arguments, name, learner, &loaded.data))
        .collect::<Result<Vec<_>, Error>>()?;
    let splitting = match arguments.rolling {
        Some(n) => Splitting::Rolling { n },
        None => Splitting::Folds { n: arguments.folds, repeats: arguments.repeats, stratified: true },
    };
    let splits = splitting.of(&loaded.data, run.seed)?;
    let measure = arguments.measure.as_deref().unwrap_or(Measures::usual(&loaded.data.targets));
    let result = compare(&contenders, &loaded.data, &splits, measure, run)?;
    if result.means.iter().all(|m| m.is_nan()) {
        let known: BTreeSet<&str> =
            result.validations.iter().flat_map(|v| &v.folds).flat_map(|f| f.values.iter().map(|(n, _)| *n)).collect();
        let known: Vec<&str> = known.into_iter().collect();
        let must = format!("none of these machines gives it; the measures are {}", known.join(", "));
        return Err(Error::parameter("measure", measure, must));
    }
    // What each choosing machine chooses with all rows to learn from.
    let whole = contenders.iter().zip(&result.validations).map(|(contender, validation)| {
        match validation.chosen.iter().any(Option::is_some) {
            true => match contender.learner.fit(&loaded.data, None, run) {
                // The comparison is done; only what all rows would choose is not known.
                Err(Error::Stopped { .. }) => Ok(None),
                other => Ok(other?.certificate.choice.map(|c| c.settings().into())),
            },
            false => Ok(None),
        }
    });
    let whole = whole.collect::<Result<Vec<Option<String>>, Error>>()?;
    let name = file.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let data = name.split('.').next().filter(|n| !n.is_empty()).unwrap_or(&name).to_string();
    Ok(Compared { data, rows: loaded.data.len(), splits: splits.len(), comparison: result, whole })
}

/// The command that makes the same page.
fn repeat(arguments: &Compare) -> String {
    let name = |file: &Path| file.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let mut text = format!("pellucid compare {}", name(&arguments.data));
    arguments.machines.iter().for_each(|m| text += &format!(" {m}"));
    arguments.also.iter().for_each(|file| text += &format!(" --also {}", name(Path::new(file))));
    arguments.grid.iter().for_each(|axis| text += &format!(" --grid {axis}"));
    text += &match arguments.rolling {
        Some(n) => format!(" --rolling {n}"),
        None => format!(" --folds {} --repeats {}", arguments.folds, arguments.repeats),
    };
    if !arguments.grid.is_empty() {
        text += &format!(" --grid-folds {}", arguments.grid_folds);
    }
    let options = [
        ("measure", &arguments.measure),
        ("groups", &arguments.groups),
        ("target", &arguments.target.target),
        ("task", &arguments.target.task),
        ("positive", &arguments.target.positive),
    ];
    options.iter().filter_map(|(n, v)| Some((n, v.as_ref()?))).for_each(|(n, v)| text += &format!(" --{n} {v}"));
    if !arguments.target.ignore.is_empty() {
        text += &format!(" --ignore {}", arguments.target.ignore.join(","));
    }
    text + &format!(" --prepare {} --seed {} -o report.html", arguments.prepare, arguments.running.seed)
}

/// A learner and how it is shown.
type Named = (String, Box<dyn Learner>);

/// `knn:k=1:weighting=distance` or `pca=2,knn` as a learner, with how it is shown.
fn parsed(text: &str) -> Result<Named, Error> {
    Ok((text.replace(':', " "), Spec::parse(text, &KNOWN)?.build(&KNOWN)?))
}

/// The targets that all machines take.
fn wanted(learners: &[Named]) -> Wanted {
    let all = || learners.iter().map(|(_, l)| l.traits().needs.targets);
    all().find(|w| !matches!(w, Wanted::Either)).unwrap_or(Wanted::Either)
}

/// The axis `name=a,b,c` of a grid, if it is for this learner: `machine:name=a,b,c` is for that machine alone.
fn axis_for<'g>(axis: &'g str, learner: &dyn Learner) -> Option<&'g str> {
    let (head, _) = axis.split_once('=')?;
    let axis = match head.split_once(':') {
        Some((machine, _)) => {
            let named = KNOWN.learner(machine.trim()).ok()?;
            (named.name() == learner.name()).then(|| &axis[machine.len() + 1..])?
        }
        None => axis,
    };
    let name = axis.split('=').next()?.trim();
    learner.params().iter().any(|p| p.name == name).then_some(axis)
}

/// An axis of the grid that no machine takes is a slip.
fn grids_are_taken(arguments: &Compare, given: &[Named]) -> Result<(), Error> {
    let all = arguments.machines.iter().any(|m| m == ALL);
    let mut learners: Vec<Box<dyn Learner>> = given.iter().map(|(_, l)| l.boxed()).collect();
    learners.extend(LEARNERS.iter().filter(|_| all).map(|e| (e.make)()));
    for axis in &arguments.grid {
        let Some((head, _)) = axis.split_once('=') else {
            return Err(Error::parameter("grid", axis, "must be name=a,b,c or machine:name=a,b,c"));
        };
        if learners.iter().any(|l| axis_for(axis, &**l).is_some()) {
            continue;
        }
        let (machine, name) = head.split_once(':').map_or((None, head), |(m, n)| (Some(m), n));
        if let Some(machine) = machine {
            let named = KNOWN.learner(machine.trim())?;
            if learners.iter().all(|l| l.name() != named.name()) {
                return Err(Error::parameter("grid", axis, format!("{} does not take part", named.name())));
            }
        }
        let params: Vec<&str> = learners.iter().flat_map(|l| l.params()).map(|p| p.name).collect();
        let near = pellucid::nearest(name.trim(), params.iter().copied());
        let hint = near.map_or(String::new(), |n| format!("; did you mean {n}?"));
        return Err(Error::parameter("grid", axis, format!("no machine here has a setting {:?}{hint}", name.trim())));
    }
    Ok(())
}

/// What was chosen where settings were: in the folds, and with all rows.
fn chosen(compared: &Compared) -> String {
    let mut text = String::new();
    for (k, validation) in compared.comparison.validations.iter().enumerate() {
        let choices = validation.choices();
        if choices.is_empty() {
            continue;
        }
        let folds: Vec<String> = choices.iter().map(|(settings, n)| format!("{settings} ({n})")).collect();
        text += &format!("{} chose {}", compared.comparison.names[k], folds.join("; "));
        text += &compared.whole[k].as_ref().map_or("\n".into(), |w| format!("; with all rows {w}\n"));
    }
    text
}

/// A machine with its preparation, which chooses its settings itself where the grid has some for it.
fn contender(arguments: &Compare, name: String, learner: Box<dyn Learner>, data: &Dataset) -> Result<Contender, Error> {
    let mut grid = Grid::default();
    for axis in &arguments.grid {
        if let Some(axis) = axis_for(axis, &*learner) {
            grid = grid.with(axis, &*learner)?;
        }
    }
    let (_, pipeline) = prepared(&arguments.prepare, data, learner)?;
    if grid.axes.is_empty() {
        return Ok(Contender { name, learner: pipeline });
    }
    let splitting = match arguments.rolling {
        Some(_) => Splitting::Rolling { n: arguments.grid_folds },
        None => Splitting::Folds { n: arguments.grid_folds, repeats: 1, stratified: true },
    };
    let measure = arguments.measure.clone();
    let tuned = Tuned { learner: pipeline, settings: grid.combinations(), splitting, measure };
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

fn object(compared: &Compared) -> Value {
    let result = &compared.comparison;
    let machines: Vec<Value> = (0..result.names.len())
        .map(|k| {
            json!({
                "machine": result.names[k], "mean": show::number(result.means[k]),
                "deviation": show::number(result.deviations[k]), "rank": result.ranks[k],
                "p_t": result.t_test[k], "p_mcnemar": result.mc_nemar[k],
                "folds": result.validations[k].all(&result.measure),
                "chosen": result.validations[k].chosen, "chosen_with_all_rows": compared.whole[k],
            })
        })
        .collect();
    json!({ "measure": result.measure, "best": result.names[result.best], "machines": machines })
}
