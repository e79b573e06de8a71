//! How an ONNX file is used as a model.

use clap::Args;
use pellucid::job::ModelSource;
use pellucid::{Error, OnnxReading, Run, Task, read_labels};
use std::path::{Path, PathBuf};

/// How an ONNX file is used as a model.
#[derive(Args)]
#[command(next_help_heading = "ONNX models")]
pub struct NetworkChoice {
    /// Subtracted from every input of an ONNX network: one number, or one per channel. Raw pixels are 0 to 255; a network
    /// trained on (x / 255 - 0.1307) / 0.3081 takes --shift 33.3285 --factor 0.0127285
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_negative_numbers = true)]
    pub shift: Vec<f64>,
    /// Factor applied after subtracting the shift: one number, or one per channel
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_negative_numbers = true)]
    pub factor: Vec<f64>,
    /// Node of an ONNX network whose activations are the output
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// Names of the outputs of an ONNX network: a text file with one name per line, or JSON
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// Apply a softmax to the outputs of an ONNX network that returns logits
    #[arg(long)]
    pub softmax: bool,
}

impl NetworkChoice {
    /// The options as the reader takes them.
    pub fn reading(&self, task: Option<Task>, run: &Run<'_>) -> Result<OnnxReading, Error> {
        let (shift, factor, node) = (self.shift.clone(), self.factor.clone(), self.node.clone());
        let names = self.names.as_deref().map(|path| read_labels(path, run)).transpose()?;
        Ok(OnnxReading { shift, factor, node, task, names: names.unwrap_or_default(), softmax: self.softmax })
    }

    /// A model file, taken by these options.
    pub fn model(&self, path: &Path, task: Option<Task>, run: &Run<'_>) -> Result<ModelSource, Error> {
        Ok(ModelSource::File { path: path.to_path_buf(), how: self.reading(task, run)? })
    }
}
