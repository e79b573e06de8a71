//! From the options about data to a data set.

use crate::arguments::{ReadingChoice, TargetChoice};
use pellucid::{
    Dataset, Error, Inputs, Model, Result, Run, Target, Task, Wanted, align, choose_target, files, score_targets,
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
    if data.is_empty() {
        return Err(Error::data(pellucid::Place::Whole, format!("{} has no rows", path.display())));
    }
    Ok(Loaded { data, target: name })
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
    let target = target(choice, &data, &how, run)?;
    let names = model.machine.outputs().names.clone();
    score_targets(&mut data, &target, model.target.as_deref(), task(choice).or(model.task), &names, run)?;
    data.inputs = align(&data, model.machine.inputs(), run)?;
    Ok(data)
}
