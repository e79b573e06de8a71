//! From the options about data to a data set.

use crate::arguments::{ReadingChoice, TargetChoice};
use pellucid::{
    Classes, Dataset, Error, Inputs, Meaning, Model, Result, Run, Target, Targets, Task, Wanted, align, choose_target,
    files, score_targets,
};
use std::path::Path;

/// Reads a data file and leaves out what is to be ignored.
pub fn read(path: &Path, reading: &files::Reading, ignore: &[String], run: &Run<'_>) -> Result<Dataset> {
    let mut data = files::read(path, reading, run)?;
    for column in ignore {
        data.take_column(column.trim())?;
    }
    Ok(data)
}

/// The target the options name: a column, a file beside the data, or none.
pub fn target(choice: &TargetChoice, data: &Dataset, reading: &files::Reading, run: &Run<'_>) -> Result<Target> {
    Ok(match choice.target.as_deref() {
        None => Target::Auto,
        Some("none") => Target::None,
        Some(name) => {
            let column = match &data.inputs {
                Inputs::Table(table) => table.column(name).is_some(),
                Inputs::Points(_) => false,
            };
            match !column && Path::new(name).is_file() {
                true => Target::Apart(name.to_string(), files::read_column(Path::new(name), reading, run)?),
                false => Target::Column(name.to_string()),
            }
        }
    })
}

/// The task the options name.
pub fn task(choice: &TargetChoice) -> Option<Task> {
    choice.task.as_deref().and_then(Task::from_word)
}

/// Data ready for a learner: read, weights and groups taken out, target chosen.
pub struct Loaded {
    /// The data.
    pub data: Dataset,
    /// The target's name.
    pub target: Option<String>,
}

/// Reads data and takes weights, groups and target out of the columns.
pub fn load(
    path: &Path,
    choice: &TargetChoice,
    reading: &ReadingChoice,
    (weights, groups): (Option<&str>, Option<&str>),
    wanted: Wanted,
    run: &Run<'_>,
) -> Result<Loaded> {
    let roles = [choice.target.as_deref(), weights, groups].into_iter().flatten().map(str::to_string).collect();
    let how = files::Reading { roles, ..reading.reading()? };
    let mut data = read(path, &how, &choice.ignore, run)?;
    take_weights(&mut data, weights).map_err(|e| located(e, path, &how, 0, run))?;
    if let Some(name) = groups {
        let cells = data.take_column(name)?;
        data.groups = Some(Dataset::groups_of(&cells));
    }
    let target = target(choice, &data, &how, run)?;
    let name = choose_target(&mut data, &target, wanted, task(choice), run)?;
    mark_positive(&mut data, choice.positive.as_deref(), None)?;
    if data.is_empty() {
        return Err(Error::data(pellucid::Place::Whole, format!("{} has no rows", path.display())));
    }
    Ok(Loaded { data, target: name })
}

/// Marks the class that measures of one class speak of: the one given, else the model's, else the rarer of two.
pub fn mark_positive(data: &mut Dataset, given: Option<&str>, known: Option<&str>) -> Result<()> {
    let Targets::Classes(classes) = &data.targets else {
        return match given {
            Some(name) => Err(Error::parameter("positive", name, "is for targets that are classes")),
            None => Ok(()),
        };
    };
    let marked = match (given, known) {
        (Some(name), _) => classes.clone().with_positive(name)?,
        // The rows at hand may have none of it.
        (None, Some(name)) if !classes.names().iter().any(|n| n == name) => {
            let names: Vec<String> = classes.names().iter().cloned().chain([name.to_string()]).collect();
            Classes::new(classes.codes().to_vec(), names)?.with_positive(name)?
        }
        (None, Some(name)) => classes.clone().with_positive(name)?,
        (None, None) => classes.clone().with_positive_kept(),
    };
    data.targets = Targets::Classes(marked);
    Ok(())
}

/// The positive class of data.
pub fn positive(data: &Dataset) -> Option<String> {
    let Targets::Classes(classes) = &data.targets else { return None };
    classes.positive().map(|code| classes.names()[code].clone())
}

/// Says which class was taken for the positive one, for measures whose class nobody named.
pub fn note_positive(data: &Dataset, run: &Run<'_>) {
    if let (Targets::Classes(classes), Some(name)) = (&data.targets, positive(data)) {
        let rows = classes.positive().map_or(0, |code| classes.counts()[code]);
        run.watch.note(&format!("positive class: {name:?} ({rows} of {} rows; --positive names another)", data.len()));
    }
}

/// Takes the column of weights out of the data.
pub fn take_weights(data: &mut Dataset, name: Option<&str>) -> Result<()> {
    if let Some(name) = name {
        let cells = data.take_column(name)?;
        data.weights = Some(Dataset::weights_of(name, &cells)?);
    }
    Ok(())
}

/// How many rows a learner of these targets learns from: those of weight 0 and those without a target are left out.
pub fn learned_rows(data: &Dataset, wanted: Wanted) -> usize {
    let zero = |i: usize| data.weights.as_ref().is_some_and(|w| w[i] == 0.0);
    let blank = |i: usize| wanted != Wanted::Nothing && !data.targets.known(i);
    (0..data.len()).filter(|&i| !zero(i) && !blank(i)).count()
}

/// An error about a row, with the file and line it stands in where they are known; `before` rows came before.
pub fn located(error: Error, path: &Path, how: &files::Reading, before: usize, run: &Run<'_>) -> Error {
    match error {
        Error::Data { place: pellucid::Place::Cell { row, column }, why } => {
            let row = row + before;
            let why = match why.starts_with("is missing (NaN)") {
                true => "is missing, and the model cannot fill it; give a value, or fit the model with --prepare impute,auto".into(),
                false => why,
            };
            match files::line_of_row(path, how, row, run) {
                Some(line) => Error::at(
                    &path.display().to_string(),
                    line,
                    0,
                    format!("row {}, column {column:?}: {why}", row + 1),
                ),
                None => Error::data(pellucid::Place::Cell { row, column }, why),
            }
        }
        other => other,
    }
}

/// Data to judge a model by: targets in the model's terms, inputs in its form.
pub fn judging(
    model: &Model,
    path: &Path,
    choice: &TargetChoice,
    reading: &ReadingChoice,
    weights: Option<&str>,
    run: &Run<'_>,
) -> Result<Dataset> {
    let roles = [choice.target.as_deref(), model.target.as_deref(), weights].into_iter().flatten();
    let how = files::Reading { roles: roles.map(str::to_string).collect(), ..reading.reading()? };
    let how = how.for_model(model.machine.inputs());
    let mut data = read(path, &how, &choice.ignore, run)?;
    take_weights(&mut data, weights)?;
    let target = match target(choice, &data, &how, run)? {
        Target::Auto if model.machine.outputs().meaning == Meaning::Outlier => labels(model, &data)?,
        target => target,
    };
    let outputs = model.machine.outputs();
    let (task, known) = match outputs.meaning {
        // Labels of a detector are classes, whatever they are made of, and it knows none of them.
        Meaning::Outlier => (Some(Task::Classify), &[][..]),
        _ => (task(choice).or(model.task), &outputs.names[..]),
    };
    score_targets(&mut data, &target, model.target.as_deref(), task, known, run)?;
    mark_positive(&mut data, choice.positive.as_deref(), model.positive.as_deref())?;
    data.inputs = align(&data, model.machine.inputs(), run)?;
    if data.is_empty() {
        return Err(Error::data(pellucid::Place::Whole, format!("{} has no rows", path.display())));
    }
    Ok(data)
}

/// The column of labels that a detector can be judged by: the model's target, or the one column that it does not take.
fn labels(model: &Model, data: &Dataset) -> Result<Target> {
    let (Inputs::Table(table), Some(inputs)) = (&data.inputs, model.machine.inputs().table()) else {
        return Ok(Target::Auto);
    };
    if let Some(name) = model.target.as_ref().filter(|name| table.column(name).is_some()) {
        return Ok(Target::Column(name.clone()));
    }
    let others: Vec<&str> = table
        .columns()
        .iter()
        .filter(|c| inputs.iter().all(|f| f.name != c.name) && !matches!(c.cells, pellucid::Cells::Id(_)))
        .map(|c| c.name.as_str())
        .collect();
    match others[..] {
        [one] => Ok(Target::Column(one.to_string())),
        [] => Err(Error::data(pellucid::Place::Whole, "has no column that could say which rows are anomalies")),
        _ => {
            let must = "name the one that says which rows are anomalies: --target COLUMN";
            Err(Error::parameter("columns that the model does not take", others.join(", "), must))
        }
    }
}

/// Says aloud that a model is judged by rows it was fitted on.
pub fn warn_of_seen(model: &Model, data: &Dataset, run: &Run<'_>) -> Option<String> {
    let seen = model.fingerprint.seen(&data.inputs, &data.targets, model.machine.inputs());
    let text = pellucid::seen_text(seen, data.len())?;
    run.watch.note(&text);
    Some(text)
}
