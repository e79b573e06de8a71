//! The program itself: what it does and has, experiments of the literature, LIBSVM's words, completions, manual.

use super::Running;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Demo {
    /// Folder for the data, the models and the report
    #[arg(default_value = "pellucid-demo")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Reproduce {
    /// Experiment, or all; omit it for a list
    pub experiment: Option<String>,
    /// Output file: numbers and figures (.html), or the figures alone (.png, .svg)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Folder with the data sets that some experiments need
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Machines {
    /// Machine or step to describe
    pub name: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Words {
    /// Options and files as in LIBSVM or LIBLINEAR; omit them for a list
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    pub words: Vec<String>,
}

#[derive(Args)]
pub struct Completions {
    /// Shell
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub struct Man {
    /// Output folder
    pub folder: PathBuf,
}
