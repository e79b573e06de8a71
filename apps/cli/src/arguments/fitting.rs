//! Machines fitted to data: one, what it will cost, several side by side.

use super::{ReadingChoice, Running, TargetChoice};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Fit {
    /// Machine, by name (see `pellucid machines`)
    pub machine: String,
    /// Data file: CSV, LIBSVM, XMC, ARFF, NPY, NPZ, IDX, Parquet, images; plain or gzipped
    pub data: PathBuf,
    /// Output file for the model (.pel)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Setting of the machine, as name=value; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Fraction of the rows to hold out at random as a test set; or last (a quarter) or last=FRACTION, for rows in time
    /// order
    #[arg(long, value_name = "FRACTION|last[=FRACTION]", conflicts_with = "test")]
    pub holdout: Option<String>,
    /// Test data
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Column of row weights
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Column of groups; rows of a group are never split between training and test
    #[arg(long, value_name = "COLUMN")]
    pub groups: Option<String>,
    /// Preprocessing steps: auto, none, or a list such as impute=mean,scale
    #[arg(long, value_name = "STEPS", default_value = "auto")]
    pub prepare: String,
    /// Values of a setting to search by cross-validation, as name=a,b,c; may be repeated
    #[arg(long, value_name = "NAME=A,B,C", conflicts_with_all = ["resume", "checkpoint"])]
    pub grid: Vec<String>,
    /// Cross-validation folds of --grid
    #[arg(long, value_name = "N", default_value_t = 5, requires = "grid")]
    pub grid_folds: usize,
    /// Measure that --grid optimises; default: accuracy for classification, r2 for regression
    #[arg(long, value_name = "NAME", requires = "grid")]
    pub measure: Option<String>,
    /// Nested cross-validation: also repeat the whole search inside each of N outer folds, for an unbiased estimate
    #[arg(long, value_name = "N", requires = "grid")]
    pub nested: Option<usize>,
    /// Checkpoint file, written now and then and when the fit is stopped
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Time between two checkpoints
    #[arg(long, value_name = "TIME", default_value = "30s", requires = "checkpoint")]
    pub checkpoint_every: String,
    /// Model or checkpoint to resume from (warm start)
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
    /// What was typed that decides what comes out, for the command that repeats it.
    #[arg(skip)]
    pub given: Vec<String>,
}

#[derive(Args)]
pub struct Plan {
    /// Machine, by name
    pub machine: String,
    /// Data file
    pub data: PathBuf,
    /// Setting of the machine, as name=value; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Preprocessing steps
    #[arg(long, value_name = "STEPS", default_value = "auto")]
    pub prepare: String,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Compare {
    /// Data file
    pub data: PathBuf,
    /// Machines, each with optional settings and preprocessing steps, such as knn:k=1 or pca=2,knn; or all
    #[arg(required = true)]
    pub machines: Vec<String>,
    /// Further data to compare on, with the target if it differs; may be repeated
    #[arg(long, value_name = "DATA[@TARGET]")]
    pub also: Vec<String>,
    /// HTML file for the tables and figures
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Number of cross-validation folds
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub folds: usize,
    /// Repetitions of the cross-validation with new folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeats: usize,
    /// Rolling-origin evaluation with N parts instead of folds, for rows in time order: each is predicted from all before it
    #[arg(long, value_name = "N", conflicts_with_all = ["folds", "repeats"])]
    pub rolling: Option<usize>,
    /// Settings to search inside each fold, as name=a,b,c for all machines that have them or as machine:name=a,b,c
    #[arg(long, value_name = "[MACHINE:]NAME=A,B,C")]
    pub grid: Vec<String>,
    /// Cross-validation folds of --grid
    #[arg(long, value_name = "N", default_value_t = 5, requires = "grid")]
    pub grid_folds: usize,
    /// Measure to compare by; default: accuracy for classification, r2 for regression
    #[arg(long, value_name = "NAME")]
    pub measure: Option<String>,
    /// Preprocessing steps before each machine: auto, none, or a list such as impute=mean,scale
    #[arg(long, value_name = "STEPS", default_value = "auto")]
    pub prepare: String,
    /// Column of groups; rows of a group are never split between training and test
    #[arg(long, value_name = "COLUMN")]
    pub groups: Option<String>,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}
