//! Models at work: predictions, how good they are, the report of them.

use super::{DecisionChoice, NetworkChoice, ReadingChoice, Running, TargetChoice};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Predict {
    /// Model file
    pub model: PathBuf,
    /// Data file, or - for standard input
    pub data: PathBuf,
    /// Output file for the predictions, as CSV; default: standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Show the score of every class
    #[arg(long)]
    pub scores: bool,
    /// Show the probability of every class
    #[arg(long)]
    pub proba: bool,
    /// Show only the top K classes or labels and their scores
    #[arg(long, value_name = "K", conflicts_with_all = ["scores", "proba"])]
    pub top: Option<usize>,
    /// Columns of the data to write next to the predictions, separated by commas, such as ids
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// Positive class of --threshold and --costs; default: the model's own
    #[arg(long, value_name = "CLASS")]
    pub positive: Option<String>,
    #[command(flatten)]
    pub decision: DecisionChoice,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Score {
    /// Model file
    pub model: PathBuf,
    /// Labelled data
    pub data: PathBuf,
    /// Column of row weights
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    #[command(flatten)]
    pub decision: DecisionChoice,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Report {
    /// Model file
    pub model: PathBuf,
    /// Labelled data
    pub data: PathBuf,
    /// HTML file
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub output: PathBuf,
    /// Column of row weights
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}
