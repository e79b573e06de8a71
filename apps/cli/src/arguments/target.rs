//! What the columns of data are: target, positive class, those that are left out.

use super::ReadingChoice;
use super::words::{words, words_of};
use clap::Args;
use pellucid::job::DataSource;
use pellucid::{Error, Task};
use std::path::Path;

/// Which column is the target.
#[derive(Args, Clone)]
#[command(next_help_heading = "Columns")]
pub struct TargetChoice {
    /// Column to predict, a file with one value per row, or none; default: a column named target, class, label or y, else the last
    #[arg(long, value_name = "COLUMN|FILE|none")]
    pub target: Option<String>,
    /// Whether to classify or regress, for machines that do both
    #[arg(long, value_parser = words(words_of::<Task>()))]
    pub task: Option<String>,
    /// Columns to leave out, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Positive class of precision, recall etc.; for a detector, the anomalies; default: the rarer of two
    #[arg(long, value_name = "CLASS")]
    pub positive: Option<String>,
}

impl TargetChoice {
    /// The task that is named.
    pub fn task(&self) -> Option<Task> {
        self.task.as_deref().and_then(Task::from_word)
    }

    /// The rows of a file, with what its columns are.
    pub fn source(&self, path: &Path, reading: &ReadingChoice) -> Result<DataSource, Error> {
        Ok(DataSource {
            path: path.to_path_buf(),
            reading: reading.reading()?,
            ignore: self.ignore.clone(),
            target: self.target.clone(),
            task: self.task(),
            positive: self.positive.clone(),
            weights: None,
            groups: None,
        })
    }
}
