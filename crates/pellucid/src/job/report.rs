//! The report of a model: how it does on data, as one HTML file.

use super::source::{DataSource, warn_of_seen};
use super::{ModelSource, guard_inputs};
use crate::{Model, model_report};
use base::{Dataset, Result, Run};
use std::path::{Path, PathBuf};

/// What is reported of what.
#[derive(Clone)]
pub struct Report {
    /// The model.
    pub model: ModelSource,
    /// The rows with their targets.
    pub source: DataSource,
    /// Where the page is written.
    pub output: Option<PathBuf>,
}

/// A report that is done.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportResult {
    /// How many rows the model was judged by.
    pub rows: usize,
    /// The page.
    pub html: String,
    /// That rows were seen in training, if they were.
    pub seen: Option<String>,
}

impl Report {
    /// Judges the model and writes the page, whole or not at all.
    pub fn run(&self, run: &Run<'_>) -> Result<ReportResult> {
        guard_inputs(self.output.as_deref(), &[self.model.path(), Some(&self.source.path)])?;
        let model = self.model.load(run)?;
        let data = self.source.load_for(&model, run)?;
        let seen = warn_of_seen(&model, &data, run);
        let html = report_on(&model, (&data, &self.source.name()), self.output.as_deref(), run)?;
        Ok(ReportResult { rows: data.len(), html, seen })
    }
}

/// The page of a model on data at hand, in the model's form; `name` is what they are called.
pub fn report_on(
    model: &Model,
    (data, name): (&Dataset, &str),
    output: Option<&Path>,
    run: &Run<'_>,
) -> Result<String> {
    let html = model_report(model, data, name, run)?.to_html()?;
    if let Some(path) = output {
        files::write_whole(path, |out| out.write_all(html.as_bytes()))?;
    }
    Ok(html)
}
