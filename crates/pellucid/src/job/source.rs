//! A file of rows, with what its columns are to a job: target, weights, groups, what is left out.

use crate::{Model, Target, Task, align, as_sets, choose_target, score_targets};
use base::{Advice, Cells, Classes, Dataset, Error, Inputs, Meaning, Message, Place, Result, Run, Targets, Wanted};
use std::path::{Path, PathBuf};

/// Where rows come from and what their columns mean.
#[derive(Debug, Clone, Default)]
pub struct DataSource {
    /// The file or folder.
    pub path: PathBuf,
    /// How it is read.
    pub reading: files::Reading,
    /// Columns that are left out.
    pub ignore: Vec<String>,
    /// The column to predict, a file with one value per row, or `none`; if not given it is looked for.
    pub target: Option<String>,
    /// Whether the target is classes or values, where a machine takes both.
    pub task: Option<Task>,
    /// The class that precision and recall speak of; of a detector, the anomalies.
    pub positive: Option<String>,
    /// The column of weights.
    pub weights: Option<String>,
    /// The column of groups that are never split.
    pub groups: Option<String>,
}

/// Data ready for a learner.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The data.
    pub data: Dataset,
    /// The target's name.
    pub target: Option<String>,
}

impl DataSource {
    /// A file that is read as it is.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        DataSource { path: path.into(), ..DataSource::default() }
    }

    /// What the file is called, without its folder.
    pub fn name(&self) -> String {
        file_name(&self.path)
    }

    /// The rows with all columns that are not to be ignored.
    pub fn read(&self, how: &files::Reading, run: &Run<'_>) -> Result<Dataset> {
        let mut data = files::read(&self.path, how, run)?;
        for column in &self.ignore {
            data.take_column(column.trim())?;
        }
        Ok(data)
    }

    /// The target that is named: a column, a file beside the data, or none.
    pub fn target_in(&self, data: &Dataset, how: &files::Reading, run: &Run<'_>) -> Result<Target> {
        Ok(match self.target.as_deref() {
            None => Target::Auto,
            Some("none") => Target::None,
            Some(name) => {
                let column = match &data.inputs {
                    Inputs::Table(table) => table.column(name).is_some(),
                    Inputs::Points(_) => false,
                };
                match !column && Path::new(name).is_file() {
                    true => Target::Apart(name.to_string(), files::read_column(Path::new(name), how, run)?),
                    false => Target::Column(name.to_string()),
                }
            }
        })
    }

    /// Rows to learn from: weights, groups and the target are taken out of the columns.
    pub fn load(&self, wanted: Wanted, run: &Run<'_>) -> Result<Loaded> {
        let how = self.reading_to_load();
        let mut data = self.read(&how, run)?;
        take_weights(&mut data, self.weights.as_deref()).map_err(|e| self.located(e, &how, 0, run))?;
        if let Some(name) = &self.groups {
            let cells = data.take_column(name)?;
            data.groups = Some(Dataset::groups_of(&cells).into());
        }
        let target = self.target_in(&data, &how, run)?;
        let target = choose_target(&mut data, &target, wanted, self.task, run)?;
        sets_are_taken(&data.targets, target.as_deref(), wanted)?;
        mark_positive(&mut data, self.positive.as_deref(), None)?;
        self.filled(data).map(|data| Loaded { data, target })
    }

    /// Rows to judge a model by: targets in the model's terms, inputs in its form.
    pub fn load_for(&self, model: &Model, run: &Run<'_>) -> Result<Dataset> {
        let how = self.reading_with(&[&self.target, &model.target, &self.weights]).for_model(model.machine.inputs());
        let mut data = self.read(&how, run)?;
        take_weights(&mut data, self.weights.as_deref()).map_err(|e| self.located(e, &how, 0, run))?;
        let outputs = model.machine.outputs();
        let detects = outputs.meaning == Meaning::Outlier;
        let target = match self.target_in(&data, &how, run)? {
            Target::Auto if detects => labels(model, &data)?,
            target => target,
        };
        let (task, known) = match detects {
            // Labels of a detector are classes, whatever they are made of, and it knows none of them.
            true => (Some(Task::Classify), &[][..]),
            // A file whose rows all have one label does not look like one of label sets.
            false if outputs.meaning == Meaning::Labels => (Some(Task::Classify), &outputs.names[..]),
            false => (self.task.or(model.task), &outputs.names[..]),
        };
        score_targets(&mut data, &target, model.target.as_deref(), task, known, run)?;
        if outputs.meaning == Meaning::Labels {
            data.targets = as_sets(std::mem::take(&mut data.targets))?;
        }
        mark_positive(&mut data, self.positive.as_deref(), model.positive.as_deref())?;
        data.inputs = align(&data, model.machine.inputs(), run)?;
        self.filled(data)
    }

    /// Rows that a model is asked about, with their true targets where they are known, and what the rows are called.
    pub fn rows_for(&self, model: &Model, run: &Run<'_>) -> Result<(Dataset, Vec<Option<String>>)> {
        let how = self.reading.clone().for_model(model.machine.inputs());
        let mut data = self.read(&how, run)?;
        let mut names = vec![None; data.len()];
        let mut target = self.target.clone();
        if let Inputs::Table(table) = &data.inputs {
            let ids = table.columns().iter().find(|c| matches!(c.cells, Cells::Id(_)));
            names = (0..data.len()).map(|row| ids.and_then(|c| c.cells.text(row))).collect();
            target = target.or_else(|| model.target.clone().filter(|t| table.column(t).is_some()));
        }
        if target.is_some() {
            let named = DataSource { target, ..self.clone() };
            let target = named.target_in(&data, &how, run)?;
            score_targets(&mut data, &target, None, model.task, &model.machine.outputs().names.clone(), run)?;
            if model.machine.outputs().meaning == Meaning::Labels {
                data.targets = as_sets(std::mem::take(&mut data.targets))?;
            }
        }
        data.inputs = align(&data, model.machine.inputs(), run)?;
        Ok((self.filled(data)?, names))
    }

    /// Rows in the form that a model takes, whatever they truly are.
    pub fn inputs_for(&self, model: &Model, run: &Run<'_>) -> Result<Dataset> {
        let mut data = self.read(&self.reading.clone().for_model(model.machine.inputs()), run)?;
        data.inputs = align(&data, model.machine.inputs(), run)?;
        self.filled(data)
    }

    /// An error about a row, with the file and line it stands in where they are known; `before` rows came before.
    pub fn located(&self, error: Error, how: &files::Reading, before: usize, run: &Run<'_>) -> Error {
        let Error::Data { place: Place::Cell { row, column }, why } = error else { return error };
        let why = match why.text().starts_with("is missing (NaN)") {
            true => Message::from("is missing, and the model cannot fill it; give a value, or fit a model that does")
                .with(Advice::prepare("impute,auto")),
            false => why,
        };
        self.at_line(Error::data(Place::Cell { row: row + before, column }, why), how, run)
    }

    /// An error about a row that was loaded, with the file and line it stands in where they are known; `file_row` is the
    /// row of the file that a row of the error is.
    pub fn loaded_at(&self, error: Error, file_row: impl Fn(usize) -> Option<usize>, run: &Run<'_>) -> Error {
        match error {
            Error::Data { place: Place::Cell { row, column }, why } => match file_row(row) {
                Some(row) => self.at_line(Error::data(Place::Cell { row, column }, why), &self.reading_to_load(), run),
                None => Error::data(Place::Cell { row, column }, why),
            },
            error => error,
        }
    }

    /// An error about a row of the file, with its line.
    fn at_line(&self, error: Error, how: &files::Reading, run: &Run<'_>) -> Error {
        let Error::Data { place: Place::Cell { row, column }, why } = error else { return error };
        match files::line_of_row(&self.path, how, row, run) {
            Some(line) => {
                let why = why.map(|why| format!("row {}, column {column:?}: {why}", row + 1));
                Error::at(&self.path.display().to_string(), line, 0, why)
            }
            None => Error::data(Place::Cell { row, column }, why),
        }
    }

    /// How the file is read to learn from it.
    fn reading_to_load(&self) -> files::Reading {
        self.reading_with(&[&self.target, &self.weights, &self.groups])
    }

    /// How the file is read when these columns have a role of their own.
    fn reading_with(&self, roles: &[&Option<String>]) -> files::Reading {
        files::Reading { roles: roles.iter().filter_map(|r| (*r).clone()).collect(), ..self.reading.clone() }
    }

    /// Data that have rows.
    fn filled(&self, data: Dataset) -> Result<Dataset> {
        match data.is_empty() {
            true => Err(Error::data(Place::Whole, format!("{} has no rows", self.path.display()))),
            false => Ok(data),
        }
    }
}

/// What a file is called, without its folder.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned())
}

/// Takes the column of weights out of the data.
fn take_weights(data: &mut Dataset, name: Option<&str>) -> Result<()> {
    if let Some(name) = name {
        let cells = data.take_column(name)?;
        data.weights = Some(Dataset::weights_of(name, &cells)?.into());
    }
    Ok(())
}

/// Marks the class that measures of one class speak of: the one given, else the model's, else the rarer of two.
fn mark_positive(data: &mut Dataset, given: Option<&str>, known: Option<&str>) -> Result<()> {
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

/// Refuses label sets where one class or value per row is wanted.
fn sets_are_taken(targets: &Targets, name: Option<&str>, wanted: Wanted) -> Result<()> {
    let taken = matches!(wanted, Wanted::Labels | Wanted::ClassesOrLabels(_) | Wanted::Nothing);
    match targets {
        Targets::Sets(_) if !taken => {
            let why =
                "holds label sets, and this machine takes one class or value per row; linear-svm takes label sets";
            Err(Error::data(Place::Column(name.unwrap_or("label").into()), why))
        }
        _ => Ok(()),
    }
}

/// Says that folds and held-out rows of label sets are drawn from all rows alike.
pub(super) fn note_unstratified(data: &Dataset, run: &Run<'_>) {
    if matches!(data.targets, Targets::Sets(_)) {
        run.watch.note("rows are held out at random: keeping the fractions of classes is not defined for label sets");
    }
}

/// Says which class was taken for the positive one, for measures whose class nobody named.
pub fn note_positive(data: &Dataset, run: &Run<'_>) {
    if let (Targets::Classes(classes), Some(name)) = (&data.targets, positive(data)) {
        let rows = classes.positive().map_or(0, |code| classes.counts()[code]);
        let what = Message::from(format!("positive class: {name:?}, {rows} of {} rows", data.len()));
        run.watch.advise(&what.with_effect(Advice::option("positive", "CLASS"), "names another"));
    }
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
        .filter(|c| inputs.iter().all(|f| f.name != c.name) && !matches!(c.cells, Cells::Id(_)))
        .map(|c| c.name.as_str())
        .collect();
    match others[..] {
        [one] => Ok(Target::Column(one.to_string())),
        [] => Err(Error::data(Place::Whole, "has no column that could say which rows are anomalies")),
        _ => {
            let must = Message::from("name the one that says which rows are anomalies");
            let must = must.with(Advice::option("target", "COLUMN"));
            Err(Error::parameter("columns that the model does not take", others.join(", "), must))
        }
    }
}

/// Says aloud that a model is judged by rows it was fitted on.
pub fn warn_of_seen(model: &Model, data: &Dataset, run: &Run<'_>) -> Option<String> {
    let seen = model.fingerprint.seen(&data.inputs, &data.targets, model.machine.inputs());
    let text = crate::seen_text(seen, data.len())?;
    run.watch.note(&text);
    Some(text)
}
