//! The model that a job is about.

use super::source::file_name;
use crate::{Model, OnnxReading};
use base::{Result, Run};
use std::path::{Path, PathBuf};

/// A model: a file that is read, or one that is there already.
#[derive(Clone)]
pub enum ModelSource {
    /// A file of any format that models come in.
    File {
        /// The file.
        path: PathBuf,
        /// How it is taken if it is ONNX.
        how: OnnxReading,
    },
    /// One at hand.
    Held(Box<Model>),
}

impl From<Model> for ModelSource {
    fn from(model: Model) -> Self {
        ModelSource::Held(Box::new(model))
    }
}

impl From<&Path> for ModelSource {
    fn from(path: &Path) -> Self {
        ModelSource::File { path: path.to_path_buf(), how: OnnxReading::default() }
    }
}

impl ModelSource {
    /// The file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            ModelSource::File { path, .. } => Some(path),
            ModelSource::Held(_) => None,
        }
    }

    /// What it is called: the file without its folder, or the learner.
    pub fn name(&self) -> String {
        match self {
            ModelSource::File { path, .. } => file_name(path),
            ModelSource::Held(model) => model.spec.name.clone(),
        }
    }

    /// The model.
    pub fn load(&self, run: &Run<'_>) -> Result<Model> {
        match self {
            ModelSource::File { path, how } => Model::load_with(path, how, run),
            ModelSource::Held(model) => Ok((**model).clone()),
        }
    }

    /// The model, where how ONNX files are taken was said of several: a model of our own knows how its inputs are scaled.
    pub(super) fn load_among(&self, run: &Run<'_>) -> Result<Model> {
        match self {
            ModelSource::File { path, .. } if files::format_of(path, run)? != files::Format::Onnx => {
                Model::load(path, run)
            }
            _ => self.load(run),
        }
    }
}
