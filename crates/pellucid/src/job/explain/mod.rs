//! Explaining what a model says of some rows: which rows, which output, by which methods, in what form, and whether the
//! accounts balance.

mod numbers;
mod written;

use super::fit::{apply_settings, note_earlier};
use super::rows::{most_anomalous, rows_of};
use super::source::DataSource;
use super::{ModelSource, guard_inputs};
use crate::{
    Clusters, Explanation, GalleryEntry, GalleryPage, GalleryRequest, Grouping, Model, ViewOptions, clusters,
    clusters_page, explain_rows_with, gallery,
};
use base::{Dataset, Error, Result, Run, nearest};
use explain::{LayerRecord, Method, Question, Subject, Tuning, by_layer, method_named};
use std::path::{Path, PathBuf};

/// Rows explained when nobody says which.
const USUAL: usize = 10;
/// What may be lost of a score before an explanation does not balance.
const LOST: f64 = 0.01;
/// What the accounts may leave open by rounding.
const OPEN: f64 = 1e-6;

/// What is to be explained.
#[derive(Clone)]
pub struct Explain {
    /// The model.
    pub model: ModelSource,
    /// The rows.
    pub source: DataSource,
    /// Which of them, as `0,5-9`; if not given the most anomalous of a detector and the first of others, or all for files
    /// of numbers and for clusters.
    pub rows: Option<String>,
    /// The methods by name; none: the one that suits the model.
    pub methods: Vec<String>,
    /// The class or column that is explained; none: the predicted class.
    pub class: Option<String>,
    /// Settings of the methods, as `name=value`.
    pub settings: Vec<String>,
    /// Further models to explain the same rows with.
    pub also: Vec<ModelSource>,
    /// How pictures are shown.
    pub looking: ViewOptions,
    /// Whether it is also told what each node of a network kept on the way.
    pub layers: bool,
    /// A page for clusters of explanations, and how they are looked for.
    pub clusters: Option<(PathBuf, Grouping)>,
    /// Where explanations are written: .html, .png, .npy, .csv, or a folder.
    pub output: Option<PathBuf>,
    /// Whether a file of numbers that was cut short is gone on with.
    pub resume: bool,
}

/// What came of it.
pub struct ExplainResult {
    /// The data in the form that the model takes.
    pub data: Dataset,
    /// How many rows were asked for; there may have been no time for all.
    pub asked: usize,
    /// The explanations.
    pub explained: Explanations,
}

/// Explanations in the form that was asked for.
pub enum Explanations {
    /// One method, row by row, and what nodes kept if that was asked for.
    Rows(Explanation, Option<Vec<LayerRecord>>),
    /// Several methods, models or views, side by side.
    Gallery(GalleryPage),
    /// Clusters of explanations.
    Clusters(Clusters),
    /// A file of numbers.
    Numbers(Numbers),
    /// A file of numbers that is not whole yet: so many rows are done.
    Unfinished(usize),
}

/// Explanations that went to a file of numbers.
#[derive(Default)]
pub struct Numbers {
    /// The first block that was explained now; none if all were there already.
    pub first: Option<Explanation>,
    /// What attributions are not, each warning once.
    pub warnings: Vec<String>,
    /// What is wrong with the accounts, if anything.
    pub unbalanced: Option<String>,
}

impl ExplainResult {
    /// What is wrong with the accounts, if anything.
    pub fn unbalanced(&self) -> Option<String> {
        match &self.explained {
            Explanations::Rows(told, _) => unbalanced(told),
            Explanations::Gallery(hung) => hung.told.iter().find_map(unbalanced),
            Explanations::Numbers(numbers) => numbers.unbalanced.clone(),
            Explanations::Clusters(_) | Explanations::Unfinished(_) => None,
        }
    }
}

/// A question that is ready to be answered.
struct Explaining<'a> {
    asked: &'a Explain,
    model: Model,
    data: Dataset,
    /// What rows are called beside their number.
    names: Vec<Option<String>>,
    rows: Vec<usize>,
    methods: Vec<Method>,
    output: Option<usize>,
    tuning: Tuning,
}

impl Explain {
    /// The method that suits a model, for the rows worth looking at.
    pub fn new(model: impl Into<ModelSource>, source: DataSource) -> Self {
        Explain {
            model: model.into(),
            source,
            rows: None,
            methods: vec![],
            class: None,
            settings: vec![],
            also: vec![],
            looking: ViewOptions::default(),
            layers: false,
            clusters: None,
            output: None,
            resume: false,
        }
    }

    /// Explains, and writes what is asked for.
    pub fn run(&self, run: &Run<'_>) -> Result<ExplainResult> {
        for output in self.output.iter().chain(self.clusters.as_ref().map(|(page, _)| page)) {
            let mut read: Vec<Option<&Path>> = self.also.iter().map(ModelSource::path).collect();
            read.extend([self.model.path(), Some(&*self.source.path)]);
            guard_inputs(Some(output), &read)?;
        }
        let begun = self.begin(run)?;
        let explained = begun.answered(run)?;
        Ok(ExplainResult { asked: begun.rows.len(), data: begun.data, explained })
    }

    /// Reads model and rows and finds out what is meant.
    fn begin(&self, run: &Run<'_>) -> Result<Explaining<'_>> {
        let model = self.model.load(run)?;
        let (data, names) = self.source.rows_for(&model, run)?;
        let rows = match &self.rows {
            Some(text) => rows_of(text, data.len())?,
            None if self.numbers().is_some() || self.clusters.is_some() => (0..data.len()).collect(),
            None => most_anomalous(&*model.machine, &data, USUAL, run)?,
        };
        let subject = Subject::new(&*model.machine);
        let methods = self.methods.iter().map(|name| subject.method(name.trim())).collect::<Result<_>>()?;
        drop(subject);
        let output = self.class.as_deref().map(|name| output_of(&model, name)).transpose()?;
        let mut tuning = Tuning::default();
        apply_settings(&mut tuning, &self.settings)?;
        note_earlier(&tuning, &self.settings, run);
        Ok(Explaining { asked: self, model, data, names, rows, methods, output, tuning })
    }

    /// The file that numbers are written to, if one is asked for.
    fn numbers(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| matches!(ending(path), "npy" | "csv"))
    }
}

impl Explaining<'_> {
    /// The answer in the form that was asked for.
    fn answered(&self, run: &Run<'_>) -> Result<Explanations> {
        let Explain { also, looking, layers, clusters, output, .. } = self.asked;
        let several = self.methods.len() > 1 || !also.is_empty();
        if let Some((page, how)) = clusters {
            return self.clustered(page, how, run).map(Explanations::Clusters);
        }
        if let Some(path) = self.asked.numbers() {
            if several {
                let must = "must be one for .npy and .csv";
                return Err(Error::parameter("method", self.asked.methods.join(","), must));
            }
            return self.to_numbers(path, run);
        }
        let views = !looking.views.is_empty() || looking.root;
        if *layers && (several || views) {
            return Err(Error::parameter("layers", true, "takes one method, as text or JSON"));
        }
        if several || views || output.as_deref().map(ending) == Some("png") {
            return self.hung(run).map(Explanations::Gallery);
        }
        let told = self.told(&self.rows, run)?;
        if let Some(path) = output {
            written::cards_to(path, (&self.model, &self.data, &self.asked.source.name()), &told, run)?;
        }
        let layers = layers.then(|| self.layers(&told, run)).transpose()?;
        Ok(Explanations::Rows(told, layers))
    }

    fn question(&self) -> Question {
        Question { method: self.methods.first().copied(), output: self.output }
    }

    /// One method on these rows.
    fn told(&self, rows: &[usize], run: &Run<'_>) -> Result<Explanation> {
        explain_rows_with(&*self.model.machine, &self.data, rows, self.question(), &self.tuning, run)
    }

    /// What each node kept of the rows that were told.
    fn layers(&self, told: &Explanation, run: &Run<'_>) -> Result<Vec<LayerRecord>> {
        let method = method_named(&*self.model.machine, &told.answer.relevance.method)?;
        let inputs = self.data.inputs.select(&told.rows)?;
        by_layer(&*self.model.machine, &inputs, (method, self.output), &self.tuning, run)
    }

    /// Several methods, models or views.
    fn hung(&self, run: &Run<'_>) -> Result<GalleryPage> {
        let (model, data) = (self.model.clone(), self.data.clone());
        let mut entries = vec![GalleryEntry { name: self.asked.model.name(), model, data }];
        for other in &self.asked.also {
            let model = other.load_among(run)?;
            let (data, _) = self.asked.source.rows_for(&model, run)?;
            entries.push(GalleryEntry { name: other.name(), model, data });
        }
        let names: Vec<Option<String>> = self.rows.iter().map(|&row| self.names[row].clone()).collect();
        let asking = GalleryRequest {
            rows: &self.rows,
            names: &names,
            methods: &self.methods,
            output: self.output,
            tuning: &self.tuning,
            looking: &self.asked.looking,
        };
        let hung = gallery(&entries, &asking, run)?;
        // Warnings come with what is told.
        hung.notes.iter().filter(|note| !note.contains("Warning: ")).for_each(|note| run.watch.note(note));
        if let Some(path) = &self.asked.output {
            written::gallery_to(path, &hung, &entries[0], &asking, run)?;
        }
        Ok(hung)
    }

    /// Explanations of many rows in groups, on a page.
    fn clustered(&self, page: &Path, how: &Grouping, run: &Run<'_>) -> Result<Clusters> {
        if ending(page) != "html" {
            return Err(Error::parameter("clusters", page.display(), "must end in .html"));
        }
        if self.methods.len() > 1 || !self.asked.also.is_empty() || self.asked.output.is_some() {
            let must = "takes one method and one model, and writes only to its own file";
            return Err(Error::parameter("clusters", page.display(), must));
        }
        let question = (self.question(), &self.tuning);
        let found = clusters(&*self.model.machine, &self.data, &self.rows, question, how, run)?;
        let data = (&self.data, self.asked.source.name());
        let html = clusters_page(&self.model, (data.0, &data.1), &found, question, run)?.to_html()?;
        files::write_whole(page, |out| out.write_all(html.as_bytes()))?;
        Ok(found)
    }
}

/// The ending of a file's name, empty for a folder.
fn ending(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or("")
}

/// The output of that name.
fn output_of(model: &Model, name: &str) -> Result<usize> {
    let inner = explain::split(&*model.machine);
    let names = inner.machine().outputs().names.clone();
    names.iter().position(|n| n == name).ok_or_else(|| {
        let near = nearest(name, names.iter().map(String::as_str));
        let hint = near.map_or(String::new(), |n| format!("; did you mean {n}?"));
        let some: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
        Error::parameter("class", name, format!("the model's outputs are {}{hint}", some.join(", ")))
    })
}

/// What is wrong with the accounts of explanations, if anything.
fn unbalanced(told: &Explanation) -> Option<String> {
    let method = &told.answer.relevance.method;
    let Some(balance) = &told.answer.relevance.balance else {
        return Some(format!("{method} is not conservative: its attributions do not sum to the score"));
    };
    let worst = balance.iter().enumerate().find(|(_, b)| b.open() > OPEN || b.lost_share() > LOST);
    worst.map(|(k, b)| format!("row {}: {:.4} of the score {:.4} was lost", told.rows[k], b.lost, b.score))
}
